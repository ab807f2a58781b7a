"""Names of TensorFlow 1 and of private modules that programs for TensorFlow 2 still use."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v2 as tf2
from tensorflow.python.client import device_lib
from tensorflow.python.eager import backprop
from tensorflow.python.framework import ops, tensor_shape
from tensorflow.python.ops import array_ops, math_ops
from tensorflow.python.util import nest

tf1.enable_eager_execution()
tf1.logging.set_verbosity(tf1.logging.ERROR)
config = tf1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
tf1.set_random_seed(4)

assert tf.executing_eagerly()
assert [device.device_type for device in device_lib.list_local_devices()].count("CPU") == 1
assert not tf.test.is_built_with_cuda() and tf.test.gpu_device_name() == ""
assert tf.version.VERSION == tf.__version__
assert tf2.Variable is tf.Variable

v = tf.Variable(3.0)
with backprop.GradientTape() as tape:
    y = math_ops.square(v) * math_ops.cast(array_ops.expand_dims(2, 0)[0], tf.float32)
assert float(tape.gradient(y, v)) == 12.0
tf1.assign(v, 1.5)
tf1.assign_add(v, 1.0)
assert float(v) == 2.5

x = ops.convert_to_tensor([[1.0, 2.0]])
assert isinstance(x, tf.Tensor)
assert tensor_shape.TensorShape([1, 2]) == x.shape
assert nest.flatten({"b": 2, "a": [1]}) == [1, 2]
assert tf1.reduce_mean(tf1.convert_to_tensor([1.0, 3.0])).numpy() == 2.0
try:
    from tensorflow.python.keras.utils import multi_gpu_utils_that_never_was
except ImportError:
    multi_gpu_utils_that_never_was = None
assert not hasattr(tf, "Session")
print("ok")
