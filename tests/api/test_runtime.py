"""Mode, names, devices, configuration, modules, the gradient registry, and tf.compat."""

import copy
import logging
import pathlib
import pickle
import threading
from importlib import metadata

import numpy as np
import pytest

import tapeflow as tf


def test_mode():
    assert tf.executing_eagerly() and not tf.inside_function()
    assert not tf.is_symbolic_tensor(tf.constant(1.0))
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2] and tf.get_static_value(5) == 5
    assert tf.get_static_value(tf.Variable(1.0)) is None
    assert tf.timestamp().dtype is tf.float64
    assert tf.get_logger() is logging.getLogger("tapeflow")


def test_init_scope_is_not_watched():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tf.init_scope():
            y = v * v
        z = v * 3.0
    assert tape.gradient(y, v) is None and z is not None


# ---- names


def test_name_scopes_nest_and_end():
    scope = tf.name_scope("a")
    with scope as first, scope as again:
        assert (first, again) == ("a/", "a/a/")
        with tf.name_scope("top/"):
            assert tf.get_current_name_scope() == "top"
    assert tf.get_current_name_scope() == "" and scope.name == "a"
    with pytest.raises(ValueError), tf.name_scope("x"):
        raise ValueError
    assert tf.get_current_name_scope() == ""
    for wrong in (None, 3):
        with pytest.raises(ValueError, match="string"):
            tf.name_scope(wrong)


def test_name_scopes_are_per_thread():
    found = []
    with tf.name_scope("outer"):
        thread = threading.Thread(target=lambda: found.append(tf.get_current_name_scope()))
        thread.start()
        thread.join()
    assert found == [""]


# ---- devices


@pytest.mark.parametrize(
    "name", ["/CPU:0", "cpu", "/GPU:5", "/device:TPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", None]
)
def test_devices_with_soft_placement(name):
    with tf.device(name):
        assert tf.ones(2).device.endswith("CPU:0")


def test_devices_without():
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="GPU"), tf.device("/GPU:0"):
            pass
        with tf.device(tf.config.list_logical_devices()[0]):
            pass
    finally:
        tf.config.set_soft_device_placement(True)


@pytest.mark.parametrize(("name", "error"), [("hello", ValueError), (3, ValueError), (lambda op: "x", RuntimeError)])
def test_names_that_are_no_device(name, error):
    with pytest.raises(error), tf.device(name):
        pass


def test_config():
    cpu = tf.config.list_physical_devices("CPU")[0]
    assert tf.config.list_physical_devices("GPU") == tf.config.experimental.list_physical_devices("GPU") == []
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(cpu)
    assert tf.config.get_visible_devices() == [cpu]
    with pytest.raises(ValueError, match="Unrecognized"):
        tf.config.set_visible_devices([tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")])
    with pytest.raises(ValueError):
        tf.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="No matching"):
        tf.config.experimental.get_memory_info("GPU:0")
    tf.config.threading.set_intra_op_parallelism_threads(2)
    assert tf.config.threading.get_intra_op_parallelism_threads() == 2
    tf.config.threading.set_intra_op_parallelism_threads(0)
    assert not tf.test.is_gpu_available() and tf.test.gpu_device_name() == ""
    assert tf.version.VERSION == "2.21.0"


def test_the_version_is_tapeflows():
    assert tf.__version__ == metadata.version("tapeflow") != tf.version.VERSION


# ---- tf.Module


class Dense(tf.Module):
    def __init__(self, size, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([size, size]), name="w")
        self.b = tf.Variable(tf.zeros([size]), name="b", trainable=False)

    @tf.Module.with_name_scope
    def __call__(self, x):
        return tf.get_current_name_scope(), x @ self.w + self.b


class DeepNet(tf.Module):
    def __init__(self):
        super().__init__()
        self.zlayers = [Dense(2), {"second": Dense(3, "other")}]
        self.shared = self.zlayers[0]
        self.scale = tf.Variable(1.0)
        self.note = "not a variable"


def test_module():
    net = DeepNet()
    assert net.name == "deep_net" and [m.name for m in net.submodules] == ["dense", "other"]
    assert [tuple(v.shape) for v in net.variables] == [(), (2,), (2, 2), (3,), (3, 3)]
    assert [tuple(v.shape) for v in net.trainable_variables] == [(), (2, 2), (3, 3)]
    assert [tuple(v.shape) for v in net.non_trainable_variables] == [(2,), (3,)]
    scope, _ = Dense(2, "encoder")(tf.ones([1, 2]))
    assert scope == "encoder"
    with pytest.raises(ValueError, match="not a valid module name"):
        Dense(2, "a b")


def test_variables_of_a_module_carry_its_name():
    """A module's scope used to be its bare name, wherever the module was made, and variables did not show it."""

    class Lazy(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self):
            self.w = tf.Variable(1.0, name="w")
            self.inner = tf.Module(name="inner")
            return self.w.name

    layer = Lazy(name="layer")
    assert (
        layer.name_scope.name == "layer/" and layer() == "layer/w:0" and layer.inner.name_scope.name == "layer/inner/"
    )
    with tf.name_scope("elsewhere"), layer.inner.name_scope as scope:
        assert scope == "layer/inner/" and tf.Variable(1.0).name == "layer/inner/Variable:0"


def test_training_a_module():
    net = Dense(2)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net(tf.ones([1, 2]))[1])
    assert tape.gradient(loss, net.trainable_variables)[0].numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_modules_copy_and_pickle():
    """`target = copy.deepcopy(network)` used to raise "cannot pickle '_thread._local' object"."""
    net = DeepNet()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other.shared is other.zlayers[0] and [v.name for v in other.variables] == [
            v.name for v in net.variables
        ]
        other.scale.assign(5.0)
        assert other.zlayers[0](tf.ones([1, 2]))[0] == "dense"
    assert float(net.scale) == 1.0


def test_modules_that_contain_each_other():
    a, b = Dense(1), Dense(1)
    a.other, b.other = b, a
    assert a.submodules == (b,) and len(a.variables) == 4


# ---- gradients by name


def test_gradient_registry():
    @tf.RegisterGradient("RuntimeTestOp")
    def f(op, g):
        return g

    with pytest.raises(KeyError, match=r"RuntimeTestOp.*test_runtime.py"):
        tf.RegisterGradient("RuntimeTestOp")(f)
    tf.no_gradient("RuntimeTestCut")
    with pytest.raises(KeyError):
        tf.compat.v1.NotDifferentiable("RuntimeTestCut")
    for make in (tf.RegisterGradient, tf.no_gradient):
        with pytest.raises(TypeError):
            make(3)


# ---- compat


def test_text_and_bytes():
    assert tf.compat.as_bytes("é") == "é".encode() and tf.compat.as_text(b"a") == tf.compat.as_str("a") == "a"
    assert (
        tf.compat.as_str_any(3) == "3"
        and tf.compat.path_to_str(pathlib.Path("a")) == "a"
        and tf.compat.path_to_str(5) == 5
    )
    for convert in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError):
            convert(3)


def test_dimensions():
    d = tf.compat.v1.Dimension(3)
    assert (
        tf.compat.dimension_value(d) == tf.compat.dimension_value(3) == 3 and tf.compat.dimension_value(None) is None
    )
    assert (7 - d).value == 4 and (7 // d).value == 2 and list(range(5))[d] == 3
    with pytest.raises(TypeError, match="not known"):
        int(tf.compat.v1.Dimension(None))
    assert (d * 2).value == 6 and (d // 2).value == 1 and (d - tf.compat.v1.Dimension(None)).value is None
    assert tf.compat.dimension_at_index(tf.TensorShape([4, 5]), 1) == 5


def test_version_1_names():
    v1 = tf.compat.v1
    v = tf.Variable(1.0)
    assert (
        v1.assign(v, 3.0).numpy() == 3.0
        and v1.assign_add(v, 1.0).numpy() == 4.0
        and v1.assign_sub(v, 2.0).numpy() == 2.0
    )
    assert v1.reshape is tf.reshape and v1.float32 is tf.float32 and v1.GradientTape is tf.GradientTape
    with pytest.raises(RuntimeError, match="a graph of TensorFlow 1"):
        v1.placeholder(tf.float32)
    with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run([tf.constant(2.0)]) == [np.float32(2.0)]
        with pytest.raises(RuntimeError):
            session.run(tf.constant(2.0), feed_dict={"x": 1})


def test_the_time_of_each_run():
    """In a graph it was the time of the trace."""
    now = tf.function(tf.timestamp)
    first, second = now(), now()
    assert now.experimental_get_tracing_count() == 1 and first.dtype is tf.float64
    assert float(second) > float(first) > 1.7e9


def test_static_values_of_sizes():
    """Inside a function nothing was known but constants: sizes and what is computed of them were not."""
    found = {}

    @tf.function
    def asked(x):
        n = tf.shape(x)
        numbers = {"shape": n, "sum": n[0] + 1, "less": n < 3, "chosen": tf.where(n < 3, n, 0), "x": x}
        found.update({name: tf.get_static_value(number) for name, number in numbers.items()})
        return x

    asked(tf.ones([2, 3]))
    assert found["shape"].tolist() == [2, 3] and found["shape"].dtype == np.int32 and found["sum"] == 3
    assert found["less"].tolist() == [True, False] and found["chosen"].tolist() == [2, 0] and found["x"] is None
    asked.get_concrete_function(tf.TensorSpec([None, 3]))
    assert set(found.values()) == {None}


def test_an_order_of_axes_that_a_function_computes():
    """The axes of a transposition that are computed from constants alone were not known to a function."""

    @tf.function(autograph=False)
    def moved(x):
        to = tf.constant(-1)
        to = tf.where(to < 0, tf.rank(x) + to, to)
        return tf.transpose(x, tf.concat([tf.range(1, to + 1), [0]], 0))

    assert moved(tf.ones([2, 3, 4])).shape == [3, 4, 2]
    assert not moved.get_concrete_function(tf.ones([2, 3, 4])).as_python
