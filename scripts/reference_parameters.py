"""What parameters mean that mean the same everywhere, so that docstrings need not say it again.

A docstring's own `Args:` goes first, then the meanings of the namespace it is in, then those of all functions. Names
in `PLAIN` say it all: they are shown with their type and default, without a sentence.
"""

import reference_compat
import reference_namespaces
import reference_numpy
import reference_raw_ops

# ---- everywhere

MEANINGS = {
    "name": "A name for the operation in a graph. Results do not depend on it.",
    "class name": "What the object is called.",
    "axis": "The axis along which it is done; negative ones count from the last.",
    "keepdims": "Keep the axes that are reduced, with size 1.",
    "keep_dims": "`keepdims`, by its earlier name.",
    "dtype": "The dtype of the result.",
    "dtype=None": "The dtype of the result; None: as the values ask for.",
    "seed": (
        "An integer that makes the numbers repeatable, also together with `tf.random.set_seed`; None: they follow "
        "from that alone, and are others in every run without it."
    ),
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
    "flat_values": "The innermost values, one after the other.",
    "layout": "None; other layouts are those of DTensor, which is not here.",
    "other": "The other one.",
    "others": "The other ones.",
    "read_value": "Give the variable back.",
    "row_splits_dtype": "The dtype of row splits, int32 or int64.",
    "sparse_delta": "A `tf.IndexedSlices`.",
    "spec_or_value": "A spec, or a value.",
    "validate": "Check that the parts fit together.",
    "condition": "A tensor of bools.",
    "method": "A method of a class derived from `tf.Module`.",
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
    ): "For each row of `data` its group; rows with a negative id are left out.",
    ("data", "segment_ids"): "The rows that are put together.",
}

# ---- in one namespace, and in those inside it

IN = {
    "tf.lite": {"_": "Anything.", "__": "Anything."},
    "tf.raw_ops": reference_raw_ops.MEANINGS,
    **reference_compat.MEANINGS,
    **reference_namespaces.MEANINGS,
    "tf.experimental.numpy": reference_numpy.MEANINGS,
    "tf.experimental.numpy.random": reference_numpy.RANDOM,
    "tf.experimental.numpy.linalg": {"rtol": "`rcond`, or for a rank `tol`, in parts of the largest singular value."},
    "tf.linalg": {
        "a_is_sparse": "A hint, taken and not used.",
        "adjoint": "Take the adjoint of the matrix, transposed and conjugated.",
        "adjoint_a": "Take the adjoint of `a`, transposed and conjugated.",
        "adjoint_arg": "Take the adjoint of the argument, transposed and conjugated.",
        "align": "How shorter diagonals lie in rows, above and below the main one: `RIGHT_LEFT`, …",
        "assert_proper_shapes": "Taken and not used: shapes are always checked.",
        "b_is_sparse": "A hint, taken and not used.",
        "diagonals": "The diagonals above, on and below the main one, in the form that `diagonals_format` names.",
        "diagonals_format": "`compact`: three rows of a tensor; `sequence`: three vectors; `matrix`: the matrix.",
        "is_non_singular": "Whether it has an inverse; None: not known.",
        "is_positive_definite": "Whether x'Ax > 0 for all x; None: not known.",
        "is_self_adjoint": "Whether it is its own adjoint; None: not known.",
        "is_square": "Whether it has as many rows as columns; None: not known.",
        "k": "Which diagonal: 0 the main one, positive above it; a pair: a band, from the lowest to the highest.",
        "lower": "The triangle below the diagonal is given, otherwise the one above it.",
        "lower_upper": "Both triangles in one matrix, as `tf.linalg.lu` gives them.",
        "matrix": "Matrices, in the last two axes.",
        "padding_value": "What is where no diagonal is.",
        "perm": "The order of the rows, as `tf.linalg.lu` gives it.",
        "rhs": "The right-hand sides, columns of matrices in the last two axes.",
        "transpose_a": "Transpose `a` first.",
        "validate_args": "Taken and not used: arguments are always checked.",
    },
    "tf.math": {
        "exclusive": "Leave out the element itself: the first result is that of nothing.",
        "reverse": "Go from the last element to the first.",
        "num_segments": "How many rows the result has.",
        "logits": "Numbers of any size, of a floating dtype.",
        "features": "Numbers, element by element.",
    },
    "tf.nn": {
        "allow_fast_lookup": "Taken and not used.",
        "biases": "The biases of the last layer, one for each class.",
        "combiner": "How rows become one: `mean`, `sum`, or `sqrtn`, the sum by the weights' length.",
        "dilations": "The distance between the taps of a filter, in the forms that `strides` has; None: 1.",
        "features": "Numbers, element by element.",
        "filters": "The filters: the spatial axes, then the channels in and the channels out.",
        "ids": "Which rows: integers, in a tensor of any shape.",
        "ksize": "The size of a window: a number, one for each spatial axis, or one for each axis of the tensor.",
        "labels": "What is true of each example.",
        "logits": "Numbers of any size, of a floating dtype.",
        "max_norm": "Longer rows are scaled down to this length; None: no limit.",
        "noise_shape": "The shape of the decisions, which broadcasts to that of `x`; None: one for each element.",
        "num_classes": "How many classes there are.",
        "num_sampled": "How many classes are drawn.",
        "num_true": "How many labels an example has.",
        "output_shape": "The shape of the result, or its spatial axes alone.",
        "padding": "`VALID`: windows inside the image; `SAME`: as many as strides fit; or pairs of zeros to add.",
        "params": "The table, a row for each id; or a list of tables, one below the other.",
        "range_max": "How many classes there are.",
        "rate": "The share of elements that are set to zero, from 0 to less than 1.",
        "remove_accidental_hits": "Leave out drawn classes that are labels of the example.",
        "sampled_values": "What a candidate sampler gave; None: drawn log-uniformly.",
        "sequence_length": "How many frames each example has.",
        "stride": "How far windows are apart.",
        "strides": "How far windows are apart: a number, one for each spatial axis, or for each axis of the tensor.",
        "true_classes": "The labels of the examples: an int64 matrix with `num_true` columns.",
        "unique": "Draw each class at most once.",
        "weights": "The weights of the last layer, a row for each class.",
    },
}

# ---- names that say it all

PLAIN = set("x y a b value values tensor tensors input inputs".split())
