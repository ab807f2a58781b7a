"""What to use in place of a name that is not there: by hand where spelling would mislead, the nearest names
otherwise."""

import difflib

from .elsewhere import ELSEWHERE
from .public import keras_names, public_names

# A hint holds for the name and for everything under it. Sentences say what to do.

# What TensorFlow 2 does not have either: version 1's, and other frameworks'.
STRANGERS = ELSEWHERE | {
    "tf.placeholder": "It is TensorFlow 1: give the values to a function as arguments.",
    "tf.Session": "It is TensorFlow 1: operations run when they are called. tf.compat.v1.Session is there for its "
    "settings.",
    "tf.InteractiveSession": "It is TensorFlow 1: operations run when they are called.",
    "tf.ConfigProto": "It is TensorFlow 1: tf.config has the settings, tf.compat.v1.ConfigProto the class.",
    "tf.GPUOptions": "It is TensorFlow 1: use tf.config.experimental.set_memory_growth.",
    "tf.get_variable": "It is TensorFlow 1: use tf.Variable.",
    "tf.variable_scope": "It is TensorFlow 1: use tf.name_scope, or a tf.Module.",
    "tf.get_default_graph": "It is TensorFlow 1: operations run when they are called.",
    "tf.reset_default_graph": "It is TensorFlow 1: there is no global graph to reset.",
    "tf.global_variables_initializer": "It is TensorFlow 1: variables have their values from the moment they are "
    "made.",
    "tf.trainable_variables": "It is TensorFlow 1: use model.trainable_variables, or tape.watched_variables().",
    "tf.global_variables": "It is TensorFlow 1: use model.variables.",
    "tf.enable_eager_execution": "It is TensorFlow 1: operations are eager already.",
    "tf.enable_v2_behavior": "This is version 2 already.",
    "tf.set_random_seed": "It is TensorFlow 1: use tf.random.set_seed.",
    "tf.assign": "It is TensorFlow 1: use variable.assign(value).",
    "tf.assign_add": "It is TensorFlow 1: use variable.assign_add(value).",
    "tf.assign_sub": "It is TensorFlow 1: use variable.assign_sub(value).",
    "tf.to_float": "It is TensorFlow 1: use tf.cast(x, tf.float32).",
    "tf.to_int32": "It is TensorFlow 1: use tf.cast(x, tf.int32).",
    "tf.to_int64": "It is TensorFlow 1: use tf.cast(x, tf.int64).",
    "tf.log": "It is TensorFlow 1: use tf.math.log.",
    "tf.div": "It is TensorFlow 1: use tf.divide or tf.math.floordiv.",
    "tf.mod": "It is TensorFlow 1: use tf.math.floormod.",
    "tf.ceil": "It is TensorFlow 1: use tf.math.ceil.",
    "tf.diag": "It is TensorFlow 1: use tf.linalg.diag.",
    "tf.diag_part": "It is TensorFlow 1: use tf.linalg.diag_part.",
    "tf.matrix_inverse": "It is TensorFlow 1: use tf.linalg.inv.",
    "tf.matrix_solve": "It is TensorFlow 1: use tf.linalg.solve.",
    "tf.matrix_band_part": "It is TensorFlow 1: use tf.linalg.band_part.",
    "tf.random_normal": "It is TensorFlow 1: use tf.random.normal.",
    "tf.random_uniform": "It is TensorFlow 1: use tf.random.uniform.",
    "tf.random_shuffle": "It is TensorFlow 1: use tf.random.shuffle.",
    "tf.random_crop": "It is TensorFlow 1: use tf.image.random_crop.",
    "tf.truncated_normal": "It is TensorFlow 1: use tf.random.truncated_normal.",
    "tf.truncated_normal_initializer": "It is TensorFlow 1: use tf.keras.initializers.TruncatedNormal.",
    "tf.multinomial": "It is TensorFlow 1: use tf.random.categorical.",
    "tf.sparse_tensor_dense_matmul": "It is TensorFlow 1: use tf.sparse.sparse_dense_matmul.",
    "tf.sparse_tensor_to_dense": "It is TensorFlow 1: use tf.sparse.to_dense.",
    "tf.py_func": "It is TensorFlow 1: use tf.numpy_function or tf.py_function.",
    "tf.read_file": "It is TensorFlow 1: use tf.io.read_file.",
    "tf.decode_raw": "It is TensorFlow 1: use tf.io.decode_raw.",
    "tf.parse_single_example": "It is TensorFlow 1: use tf.io.parse_single_example.",
    "tf.FixedLenFeature": "It is TensorFlow 1: use tf.io.FixedLenFeature.",
    "tf.python_io": "It is TensorFlow 1: use tf.io.TFRecordWriter and tf.data.TFRecordDataset.",
    "tf.gfile": "It is TensorFlow 1: use tf.io.gfile.",
    "tf.logging": "It is TensorFlow 1: use tf.get_logger(), or tf.compat.v1.logging.",
    "tf.app": "It is TensorFlow 1: call main() yourself, or use absl.app.",
    "tf.flags": "It is TensorFlow 1: use argparse or absl.flags.",
    "tf.layers": "It is TensorFlow 1: use tf.keras.layers.",
    "tf.contrib": "It is TensorFlow 1: the parts that lived on are in tf and tf.keras.",
    "tf.examples": "It is TensorFlow 1: use tf.keras.datasets.mnist.load_data().",
    "tf.is_nan": "It is TensorFlow 1: use tf.math.is_nan.",
    "tf.nn.rnn_cell": "It is TensorFlow 1: use tf.keras.layers.LSTMCell, GRUCell or SimpleRNNCell.",
    "tf.nn.dynamic_rnn": "It is TensorFlow 1: use tf.keras.layers.RNN.",
    "tf.nn.static_rnn": "It is TensorFlow 1: use tf.keras.layers.RNN.",
    "tf.nn.softmax_cross_entropy_with_logits_v2": "Use tf.nn.softmax_cross_entropy_with_logits.",
    "tf.train.AdamOptimizer": "It is TensorFlow 1: use tf.keras.optimizers.Adam.",
    "tf.train.GradientDescentOptimizer": "It is TensorFlow 1: use tf.keras.optimizers.SGD.",
    "tf.train.MomentumOptimizer": "It is TensorFlow 1: use tf.keras.optimizers.SGD(momentum=…).",
    "tf.train.RMSPropOptimizer": "It is TensorFlow 1: use tf.keras.optimizers.RMSprop.",
    "tf.train.AdagradOptimizer": "It is TensorFlow 1: use tf.keras.optimizers.Adagrad.",
    "tf.train.Saver": "It is TensorFlow 1: use tf.train.Checkpoint.",
    "tf.train.exponential_decay": "It is TensorFlow 1: use tf.keras.optimizers.schedules.ExponentialDecay.",
    "tf.train.get_or_create_global_step": "It is TensorFlow 1: count steps in a tf.Variable.",
    "tf.summary.FileWriter": "It is TensorFlow 1: use tf.summary.create_file_writer.",
    "tf.summary.merge_all": "It is TensorFlow 1: a summary is written when it is called.",
}

# What TensorFlow 2 has: systems for serving, serialised graphs and other devices.
HINTS = STRANGERS | {
    "tf.estimator": "Estimators left TensorFlow, too: use tf.keras models.",
    "tf.compat.v1.losses": "Use tf.keras.losses.",
    "tf.compat.v1.estimator": "Estimators left TensorFlow, too: use tf.keras models.",
    "tf.feature_column": "Use the preprocessing layers of tf.keras.layers, or tf.keras.utils.FeatureSpace.",
    "tf.lite": "There is no converter: save the model with model.save and convert it with TensorFlow.",
    "tf.experimental.dtensor": "Layouts of tensors over devices are keras.distribution's: DeviceMesh and TensorLayout "
    "for Mesh and Layout, distribute_tensor for relayout, LayoutMap for variables (docs/distribution.md).",
    "tf.tpu": "There is no TPU runtime; tf.distribute.get_strategy() gives a strategy with one replica.",
    "tf.raw_ops": "It has the operations of the other namespaces under TensorFlow's internal names; use tf.math, "
    "tf.nn, ….",
    "tf.python": "TensorFlow keeps it private: import tensorflow.python.… (under `tapeflow run`), or use the public "
    "name.",
    "tf.keras.layers.experimental": "The layers of `experimental.preprocessing` are in tf.keras.layers.",
    "tf.keras.experimental": "Its schedules are in tf.keras.optimizers.schedules.",
    "tf.keras.mixed_precision.experimental": "Its parts are in tf.keras.mixed_precision: set_global_policy, "
    "LossScaleOptimizer.",
    "tf.keras.utils.np_utils": "Use tf.keras.utils.to_categorical.",
    "tf.keras.backend.get_session": "It is TensorFlow 1: there are no sessions.",
    "tf.keras.backend.set_session": "It is TensorFlow 1: there are no sessions.",
    "tf.keras.layers.DenseFeatures": "Use the preprocessing layers, or tf.keras.utils.FeatureSpace.",
    "tf.keras.layers.CuDNNLSTM": "Use tf.keras.layers.LSTM.",
    "tf.keras.layers.CuDNNGRU": "Use tf.keras.layers.GRU.",
    "tf.keras.wrappers.scikit_learn": "Use tf.keras.wrappers.SKLearnClassifier and SKLearnRegressor.",
}


def hint(name: str, spelling: bool = True) -> str:
    """A sentence on what to use in place of `name`; empty when nothing is near. Without `spelling`: only what was
    written by hand.

    >>> from tapeflow.names.hints import hint
    >>> hint("tf.estimator.LinearClassifier")
    'Estimators left TensorFlow, too: use tf.keras models.'
    >>> hint("tf.reduce_means")
    'The nearest it has: tf.reduce_mean, tf.reduce_min, tf.reduce_max.'
    """
    for path in (name, name.replace("tf.compat.v1.", "tf.", 1), _at_the_top(name)):
        parts = path.split(".")
        for size in range(len(parts), 1, -1):
            if found := HINTS.get(".".join(parts[:size])):
                return found
    near = nearest(name) if spelling else []
    return f"The nearest it has: {', '.join(near)}." if near else ""


def is_tensorflows(name: str) -> bool:
    """Is it known to be a name of TensorFlow 2, or under one?

    >>> from tapeflow.names.hints import is_tensorflows
    >>> is_tensorflows("tf.tpu.XLAOptions"), is_tensorflows("tf.cat"), is_tensorflows("tf.reduce_summ")
    (True, False, False)
    """
    return any(name == known or name.startswith(f"{known}.") for known in HINTS.keys() - STRANGERS.keys())


def _at_the_top(name: str) -> str:
    """`tf.sum` for `tf.math.sum`: what is not in `tf` itself, people look for in these."""
    space, _, last = name.rpartition(".")
    return f"tf.{last}" if space in ("tf.math", "tf.linalg", "tf.nn", "tf.random") else name


def nearest(name: str) -> list[str]:
    """Up to three public names: the same last part elsewhere, then a like spelling in the same namespace, then
    anywhere."""
    known = keras_names() if name.startswith("tf.keras.") else public_names()
    space, _, last = name.rpartition(".")
    elsewhere = [other for other in known if other.rpartition(".")[2].lower() == last.lower()]
    if elsewhere:
        return elsewhere[:1]
    here = {other.rpartition(".")[2]: other for other in known if other.rpartition(".")[0] == space}
    near = [here[found] for found in difflib.get_close_matches(last, here, n=3, cutoff=0.7)]
    if near:
        return near
    everywhere: dict[str, str] = {}
    for other in known:
        everywhere.setdefault(other.rpartition(".")[2], other)
    return [everywhere[found] for found in difflib.get_close_matches(last, everywhere, n=2, cutoff=0.8)]
