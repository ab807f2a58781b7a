"""What parameters mean that mean the same everywhere, so that docstrings need not say it again.

A docstring's own `Args:` goes first, then the meanings of the namespace it is in, then those of all functions. Names
in `PLAIN` say it all: they are shown with their type and default, without a sentence.
"""

# ---- everywhere

MEANINGS = {
    "name": "A name for the operation in a graph. Results do not depend on it.",
    "axis": "The axis along which it is done; negative ones count from the last.",
    "keepdims": "Keep the axes that are reduced, with size 1.",
    "keep_dims": "`keepdims`, by its earlier name.",
    "dtype": "The dtype of the result; None: that of the values given.",
    "seed": "An integer that makes the numbers repeatable, with `tf.random.set_seed`; None: others each time.",
    "shape": "The shape of the result: a tensor of integers, a list, a `tf.TensorShape`.",
    "args": "Positional arguments, handed on.",
    "kwargs": "Arguments by keyword, handed on.",
    "out_type": "The dtype of the result.",
    "output_type": "The dtype of the result.",
    "data_format": "Where the channels are: last (`NHWC`, `channels_last`) or right after the batch (`NCHW`).",
    "message": "Goes before the text of the error.",
    "summarize": "How many values of each tensor an error shows; None: 3, -1: all.",
    "validate_indices": "Taken and not used: indices are always checked.",
    "use_locking": "Taken and not used: an update is always whole.",
    "parallel_iterations": "Taken and not used.",
    "swap_memory": "Taken and not used.",
    "back_prop": "Taken and not used: a tape says what gradients there are.",
    "experimental_is_anonymous": "Taken and not used.",
    "shared_name": "Taken and not used.",
    "import_scope": "Taken and not used.",
    "condition": "A tensor of bools.",
    "device": "The name of a device, such as `/CPU:0` or `/GPU:1`.",
}

# What they mean beside another parameter: {(parameter, the other): meaning}
BESIDE = {
    ("axis", "keepdims"): "The axis to reduce, or several; None: all of them. Negative ones count from the last.",
    ("indices", "updates"): "Where the updates go: the last axis of `indices` holds one index into the result.",
    ("updates", "indices"): "The values, one (or one slice) for each index.",
    ("input_tensor", "axis"): "What is reduced.",
    ("a", "b"): "The first tensor.",
    ("b", "a"): "The second tensor, of the same dtype.",
    ("segment_ids", "data"): "For each row of `data` the group it belongs to, from 0; sorted, they must not decrease.",
    (
        "segment_ids",
        "num_segments",
    ): "For each row of `data` the group it belongs to; rows with a negative id are left out.",
    ("data", "segment_ids"): "The rows that are put together.",
    ("weights", "labels"): "A factor for each case; None: 1.",
}

# ---- in one namespace, and in those inside it

IN = {
    "tf.math": {
        "exclusive": "Leave out the element itself: the first result is that of nothing.",
        "reverse": "Go from the last element to the first.",
        "num_segments": "How many rows the result has.",
        "logits": "Numbers of any size, of a floating dtype.",
        "features": "Numbers, element by element.",
    },
}

# ---- names that say it all

PLAIN = set("x y a b value values tensor tensors input inputs".split())
