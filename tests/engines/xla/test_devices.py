"""Tensors and variables on a device. XLA's own CPU stands for a GPU, which is tested, too, where there is one."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.devices import Device
from tapeflow.names.extras import install

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla import devices

GPU = Device("GPU", 0)
WHERE = [d for d in (Device("XLA_CPU", 0), GPU) if d in devices.logical()]


@pytest.fixture(params=WHERE, ids=lambda d: d.kind)
def device(request):
    """Its name. Products are not rounded, so that results are NumPy's."""
    tf.config.experimental.enable_tensor_float_32_execution(False)
    yield request.param.name
    tf.config.experimental.enable_tensor_float_32_execution(True)


@pytest.fixture
def fetched(monkeypatch):
    """The shapes of what was copied to the host."""
    shapes, fetch = [], devices.fetch
    monkeypatch.setattr(devices, "fetch", lambda held: (shapes.append(held.shape), fetch(held))[1])
    return shapes


def on(device, make):
    with tf.device(device):
        return make()


def test_there_is_a_gpu():
    if GPU not in WHERE:
        pytest.skip("no GPU here: what follows runs on the CPU as XLA has it")


# ---- where things are


def test_what_is_made_in_the_context_is_there(device):
    with tf.device(device):
        made = [
            tf.constant([1.0]), tf.zeros([2]), tf.ones_like([1]), tf.eye(2), tf.range(3), tf.fill([2], 1.0),
            tf.random.normal([2]), tf.Variable(1.0), tf.Variable([1.0]).value(), tf.constant(1.0) + 1.0,
            tf.one_hot([1], 3), tf.convert_to_tensor([1, 2]), tf.linspace(0.0, 1.0, 3),
        ]  # fmt: skip
    assert {t.device for t in made} == {device}
    assert tf.constant(1.0).device.endswith("device:CPU:0")


def test_what_is_computed_stays_there(device, fetched):
    x = on(device, lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    y = tf.reduce_sum(tf.nn.softmax(x @ tf.ones([2, 2]) * 2.0 - x[0], axis=-1) ** 2, axis=1)[:1]
    assert (y.device, y.shape, y.dtype, y.ndim, y.size, len(y)) == (device, (1,), tf.float32, 1, 1, 1) and not fetched
    np.testing.assert_allclose(y, [0.606776], rtol=1e-5)
    assert fetched == [(1,)]


def test_moving(device):
    x = tf.constant([1.0, 2.0])
    there = on(device, lambda: tf.identity(x))
    assert (x.device != device, there.device, there.cpu().device) == (True, device, x.device)
    assert on("/CPU:0", lambda: tf.identity(there)).device == x.device == on("/CPU:0", lambda: there + 1.0).device
    assert x.to_device(device).device == device and there.to_device("cpu").device == x.device
    assert on(device, lambda: x + x).device == device  # as TensorFlow, which copies the arguments


def test_names():
    for name in ("/device:XLA_CPU:0", "xla_cpu", "XLA_CPU:0", "/job:localhost/replica:0/task:0/device:XLA_CPU:0"):
        assert on(name, lambda: tf.zeros([1])).device.endswith("/device:XLA_CPU:0"), name
    with tf.device("XLA_CPU:0"):
        assert [on(name, lambda: tf.zeros([1]).device[-5:]) for name in (None, "/cpu:0", "", "/job:localhost")] == [
            "CPU:0", "CPU:0", "CPU:0", "CPU:0"
        ]  # fmt: skip
        assert on(None, lambda: tf.zeros([1])).device.endswith("/device:CPU:0")
        assert on("/job:localhost", lambda: tf.zeros([1])).device.endswith("XLA_CPU:0")  # says nothing of devices
    [found] = tf.config.list_logical_devices("XLA_CPU")
    assert on(found, lambda: tf.zeros([1])).device.endswith("XLA_CPU:0")
    assert on(tf.config.list_physical_devices("XLA_CPU")[0], lambda: tf.zeros([1])).device.endswith("XLA_CPU:0")


def test_a_device_that_is_not_there():
    assert on("/GPU:77", lambda: tf.zeros([1])).device.endswith("GPU:0" if GPU in WHERE else "CPU:0")
    tf.config.set_soft_device_placement(False)
    try:
        with (
            pytest.raises(tf.errors.InvalidArgumentError, match=r"'/GPU:77'.*soft device placement"),
            tf.device("/GPU:77"),
        ):
            pass
    finally:
        tf.config.set_soft_device_placement(True)
    with pytest.raises(RuntimeError, match="GPU:77 unknown device"):
        tf.constant(1.0).gpu(77)


def test_contexts_and_tapes_interleave(device):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.device(device):
            y = x * x
        z = y * 2.0
    assert (y.device, float(tape.gradient(z, x))) == (device, 12.0)
    placed = tf.device(device)
    placed.__enter__()
    tape = tf.GradientTape().__enter__()
    placed.__exit__(None, None, None)
    v = tf.Variable(2.0)
    w = v * v
    tape.__exit__(None, None, None)
    assert w.device != device and float(tape.gradient(w, v)) == 4.0


def test_strings_and_sizes_that_depend_on_values_are_computed_on_the_host(device):
    x = on(device, lambda: tf.constant([1.0, 0.0, 2.0]))
    assert tf.boolean_mask(x, x > 0).numpy().tolist() == [1.0, 2.0]
    assert tf.strings.as_string(x).numpy()[0] == b"1.000000"
    assert on(device, lambda: tf.constant(["a", "b"]) + "c").numpy().tolist() == [b"ac", b"bc"]


def test_errors_name_the_operation_and_the_line(device):
    x = on(device, lambda: tf.ones([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"In add\(a: float32 \(2, 3\).* at test_devices.py:\d+$"):
        x + tf.ones([2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        x + on(device, lambda: tf.ones([2, 3], tf.int32))


def test_as_python_values(device):
    x = on(device, lambda: tf.constant([[1.0, 2.0]]))
    assert float(x[0, 1]) == 2.0 and bool(x[0, 0] > 0) and x.numpy().tolist() == [[1.0, 2.0]]
    assert "abc"[on(device, lambda: tf.constant(2))] == "c"
    assert repr(x) == repr(x.cpu()) and str(x) == str(x.cpu())
    back = pickle.loads(pickle.dumps(x))
    assert back.device.endswith("/device:CPU:0") and back.numpy().tolist() == [[1.0, 2.0]]


def test_64_bits_and_narrow_dtypes(device):
    import jax

    before = jax.config.jax_enable_x64
    with tf.device(device):
        assert (tf.constant(1.0, tf.float64) / 3.0).numpy() == 1 / 3
        assert tf.constant(2**40).numpy() * 2 == (tf.constant(2**40, tf.int64) * 2).numpy()
        v = tf.Variable([1.0, 2.0], dtype=tf.bfloat16)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        g = tape.gradient(y, v)
    assert g.dtype is tf.bfloat16 and g.device == device and tf.cast(g, tf.float32).numpy().tolist() == [2.0, 4.0]
    assert jax.config.jax_enable_x64 == before


# ---- variables


def test_variables_stay_there(device, fetched):
    v = on(device, lambda: tf.Variable([[1.0, 2.0], [3.0, 4.0]]))
    before = v.value()
    v.assign_add([[1.0, 1.0], [1.0, 1.0]])
    v.assign_sub(tf.ones([2, 2]))
    v.assign(v * 2.0)
    v[0].assign([5.0, 6.0])
    v[1, 0].assign_add(1.0)
    v.scatter_add(tf.IndexedSlices(on(device, lambda: tf.ones([2, 2])), on(device, lambda: tf.constant([0, 0]))))
    v.scatter_nd_update([[1, 1]], [9.0])
    v.scatter_max(tf.IndexedSlices([[0.0, 100.0]], [0]))
    assert v.device == v.value().device == device and not fetched
    assert v.numpy().tolist() == [[7.0, 100.0], [7.0, 9.0]]
    assert before.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        v[0].assign([1.0, 2.0, 3.0])


def test_integer_updates(device):
    v = on(device, lambda: tf.Variable([-7, 8]))
    assert v.scatter_div(tf.IndexedSlices([2], [0])).numpy().tolist() == [-4, 8]


def test_a_variable_on_the_host_stays_there(device):
    v = tf.Variable([1.0, 2.0])
    v.assign(on(device, lambda: tf.ones([2])))
    v.assign_add(on(device, lambda: tf.ones([2])))
    v.scatter_add(tf.IndexedSlices(on(device, lambda: tf.ones([1])), on(device, lambda: tf.constant([1]))))
    assert v.device.endswith("/device:CPU:0") and v.numpy().tolist() == [2.0, 3.0]


def test_copies_of_variables(device):
    v = on(device, lambda: tf.Variable([1.0, 2.0], name="w"))
    twin, back = copy.deepcopy(v), pickle.loads(pickle.dumps(v))
    v.assign([0.0, 0.0])
    assert twin.device == device and back.device.endswith("/device:CPU:0")
    assert (
        twin.numpy().tolist() == back.numpy().tolist() == [1.0, 2.0]
        and back.name == "w:0"
        and "[1., 2.]" in repr(twin)
    )
    assert tf.Variable(twin).device == device


# ---- derivatives


def network(weights):
    def loss(x, y):
        h = tf.nn.relu(x @ weights[0] + weights[1])
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, h @ weights[2]))

    return loss


def data():
    rng = np.random.default_rng(0)
    weights = [tf.Variable(rng.normal(size=s) * 0.3, dtype=tf.float32) for s in ((6, 16), (16,), (16, 3))]
    return weights, tf.constant(rng.normal(size=(8, 6)), tf.float32), tf.constant(np.arange(8) % 3)


def train(weights, x, y, steps=5):
    loss, losses = network(weights), []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            losses.append(loss(x, y))
        for w, g in zip(weights, tape.gradient(losses[-1], weights)):
            w.assign_sub(0.1 * g)
    return losses


def test_a_training_loop_never_goes_to_the_host(device, fetched):
    weights, x, y = on(device, data)
    losses = train(weights, x, y)
    assert not fetched and {w.device for w in weights} == {device} == {loss.device for loss in losses}
    np.testing.assert_allclose(losses, train(*data()), rtol=1e-4)


def test_sparse_gradients(device, fetched):
    table, ids = on(device, lambda: (tf.Variable(tf.ones([5, 2])), tf.constant([1, 3, 1])))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, ids) ** 2)
    g = tape.gradient(y, table)
    table.scatter_sub(g)
    assert not fetched and table.device == g.values.device == device
    assert table.numpy()[:, 0].tolist() == [1.0, -3.0, 1.0, -1.0, 1.0]


def test_higher_order_jacobians_maps_and_forward_mode(device):
    f = lambda x: tf.sin(x) * tf.reduce_sum(x * x)
    x = tf.constant([0.5, -1.0, 2.0])
    there = on(device, lambda: tf.constant([0.5, -1.0, 2.0]))

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    for transform in (
        second,
        lambda x: tf.vmap(tf.derivatives.grad(lambda v: f(v) * v))(x),
        lambda x: tf.derivatives.jvp(f, x, x)[1],
    ):
        got = transform(there)
        assert got.device == device
        np.testing.assert_allclose(got, transform(x), rtol=2e-5)


def test_the_target_may_be_a_source(device):
    v = on(device, lambda: tf.Variable([1.0, 2.0]))
    with tf.GradientTape() as tape:
        y = v.value()
    assert tape.gradient(y, v).numpy().tolist() == [1.0, 1.0]


def test_many_parameters_are_not_compiled_one_by_one(device):
    x = on(device, lambda: tf.range(100))
    assert [int(x[i]) for i in range(60)] == list(range(60))
    programs = [known for (prim, *_), known in devices._programs.items() if prim.name == "getitem"]
    assert 0 < max(map(len, programs)) <= devices._MOST_PROGRAMS


def test_parameters_that_are_equal_for_python_only(device):
    x = on(device, lambda: tf.constant([[1, 0]]))
    assert tf.cast(x, tf.int32).dtype is tf.int32 and tf.cast(x, tf.bool).dtype is tf.bool
    with tf.device(device):
        assert np.signbit(tf.fill([1], -0.0).numpy()) and not np.signbit(tf.fill([1], 0.0).numpy())


# ---- in programs of their own


def program(text, **environment):
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env, timeout=600)
    assert not done.returncode, done.stderr
    return done.stdout.split("\n")[:-1]


def test_two_devices_do_not_mix_by_themselves():
    text = """
import tapeflow as tf
with tf.device("XLA_CPU:0"): a = tf.ones([2])
with tf.device("XLA_CPU:1"): b = tf.ones([2])
print(b.device[-9:], len(tf.config.list_logical_devices("XLA_CPU")))
try: a + b
except tf.errors.InvalidArgumentError as error: print(error)
with tf.device(b.device): print((a + b).device[-9:], (a + b).numpy())
"""
    where, error, *_, result = program(text, XLA_FLAGS="--xla_force_host_platform_device_count=2", JAX_PLATFORMS="cpu")
    assert (where, result) == (
        "XLA_CPU:1 2",
        "XLA_CPU:1 [2. 2.]",
    ) and "XLA_CPU:1 and /device:XLA_CPU:0 do not meet" in error


def test_without_jax():
    text = """
import sys
sys.modules["jax"] = None
import tapeflow as tf
print(tf.config.list_physical_devices(), tf.config.list_logical_devices("GPU"), tf.test.is_gpu_available())
with tf.device("/GPU:0"): print(tf.zeros([1]).device[-5:])
tf.config.set_soft_device_placement(False)
try:
    with tf.device("/GPU:0"): pass
except tf.errors.InvalidArgumentError as error: print(error)
try: tf.function(lambda x: x + 1.0, jit_compile=True)(tf.constant(1.0))
except ModuleNotFoundError as error: print(error)
"""
    listed, where, refused, missing = program(text)
    assert listed == "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')] [] False" and where == "CPU:0"
    assert install("xla") in refused and install("xla") in missing


# ---- tf.config


def test_products_may_be_rounded_unless_it_is_said(device):
    f = tf.function(lambda x: x @ x, jit_compile=True)
    for allowed in (True, False, True):
        tf.config.experimental.enable_tensor_float_32_execution(allowed)
        assert tf.config.experimental.tensor_float_32_execution_enabled() is allowed
        x = on(device, lambda: tf.constant([[1.0 + 2.0**-20, 0.0], [0.0, 1.0]]))
        if not allowed:
            assert float(f(x)[0, 0]) == float((x @ x)[0, 0]) == np.float32((1.0 + 2.0**-20) ** 2)


def test_what_the_configuration_says():
    kinds = [d.device_type for d in tf.config.list_physical_devices()]
    assert kinds[0] == "CPU" and "XLA_CPU" not in kinds and ("GPU" in kinds) == (GPU in WHERE)
    [cpu] = tf.config.list_physical_devices("CPU")
    assert tf.config.experimental.get_memory_info("CPU:0") == {"current": 0, "peak": 0}
    assert tf.config.experimental.get_memory_info("XLA_CPU:0").keys() == {"current", "peak"}
    assert tf.config.experimental.get_device_details(cpu) == {}
    with pytest.raises(RuntimeError, match="cannot be modified after being initialized: XLA has begun with 1 CPU"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def test_a_program_that_logs_reads_nothing_of_absent_accelerators():
    text = (
        "import logging; logging.basicConfig(level='INFO'); import tapeflow as tf; "
        "tf.config.list_physical_devices('GPU')"
    )
    assert (
        "xla_bridge"
        not in subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stderr
    )


@pytest.mark.skipif(GPU not in WHERE, reason="no GPU here")
def test_the_configuration_of_a_gpu():
    gpus = tf.config.list_physical_devices("GPU")
    tf.config.experimental.set_memory_growth(gpus[0], True)
    assert tf.config.experimental.get_memory_growth(gpus[0]) and tf.config.get_visible_devices("GPU") == gpus
    kept = on("/GPU:0", lambda: tf.zeros([1000, 1000]))
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] >= 4e6 and kept.gpu() is kept
    assert (
        tf.config.experimental.get_device_details(gpus[0])["device_name"]
        and tf.test.gpu_device_name() == "/device:GPU:0"
    )
