"""Values that are spread over several devices, and programs on them: the numbers of one device."""

import tempfile
import threading
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.devices import DeviceTensor, Mesh, device_of
from tests.several_devices import on_eight_devices

pytest.importorskip("jax", reason="the extra `xla` is not installed")
import jax

from tapeflow.engines.xla import devices, meshes


def grid():
    return meshes.mesh_of(np.array(jax.devices()).reshape(2, 4), ("batch", "model"))


def spread(array, *axes):
    return DeviceTensor(meshes.spread(array, meshes.sharding(grid(), axes)))


def some(*shape):
    return np.random.default_rng(7).normal(size=shape).astype(np.float32)


def spec(tensor):
    return tuple(tensor.sharding.spec)


@on_eight_devices
def test_each_device_has_its_part():
    """A value is never whole on one device."""
    w = some(8, 4)
    tensor = spread(w, None, "model")
    assert {s.data.shape for s in tensor.addressable_shards} == {(8, 1)} and not tensor.is_fully_replicated
    assert spread(w).is_fully_replicated and {s.data.shape for s in spread(w).addressable_shards} == {(8, 4)}
    np.testing.assert_array_equal(tensor.numpy(), w)
    assert not tensor.array.flags.writeable
    assert device_of(tensor) == grid() and tensor.device.endswith("/mesh:batch=2,model=4/device:XLA_CPU")
    assert tensor.cpu().device.endswith("CPU:0")


@on_eight_devices
def test_one_device_says_how_it_is_spread_too():
    with tf.device("XLA_CPU:0"):
        x = tf.constant([1.0, 2.0])
    [part] = x.addressable_shards
    assert part.data.shape == (2,) and x.is_fully_replicated


@on_eight_devices
def test_float64_stays():
    assert spread(np.ones((8, 4)), None, "model").dtype == tf.float64


@on_eight_devices
def test_operations_run_where_their_inputs_are():
    x, w = some(16, 8), some(8, 4)
    a, b = spread(x, "batch", None), spread(w, None, "model")
    y = a @ b + 1.0
    assert spec(y) == ("batch", "model")
    np.testing.assert_allclose(y.numpy(), x @ w + 1, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose((tf.constant(x) @ b).numpy(), x @ w, rtol=1e-4, atol=1e-6)  # what NumPy has comes along
    np.testing.assert_array_equal(tf.stack([b[k] for k in range(8)]).numpy(), w)


@on_eight_devices
def test_gradients_eagerly_and_in_a_graph():
    x, w = some(16, 8), some(8, 4)
    v, plain = tf.Variable(spread(w, None, "model")), tf.Variable(w)

    def loss(x, v):
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.tanh(x @ v) ** 2)
        return tape.gradient(y, v)

    want = loss(tf.constant(x), plain)
    for run in (loss, tf.function(loss), tf.function(loss, jit_compile=True)):
        g = run(spread(x, "batch"), v)
        assert g.shape == (8, 4)
        np.testing.assert_allclose(g.numpy(), want.numpy(), rtol=1e-4, atol=1e-6)


@on_eight_devices
def test_variables_stay_spread():
    v = tf.Variable(spread(some(8, 4), None, "model"))
    one = tf.Variable(v.numpy())
    for each in (v, one):
        each.assign_add(np.ones((8, 4)))
        each[0].assign(np.zeros(4))
        each.scatter_sub(tf.IndexedSlices(tf.ones([1, 4]), [3]))
        each.assign(each * 2.0)
    step = tf.function(lambda v: v.assign(tf.transpose(tf.transpose(v) * 0.5)))
    step(v), step(one)
    assert spec(v.value()) == (None, "model")
    np.testing.assert_array_equal(v.numpy(), one.numpy())
    v.assign(np.ones((8, 4)))
    assert {s.data.shape for s in v.value().addressable_shards} == {(8, 1)}


@on_eight_devices
def test_a_function_that_only_assigns_leaves_it_on_the_mesh():
    v = tf.Variable(spread(some(8, 4), None, "model"))
    tf.function(lambda: v.assign(tf.ones([8, 4])), jit_compile=True)()
    assert spec(v.value()) == (None, "model") and v.numpy().sum() == 32


@on_eight_devices
def test_old_values_are_given_away_unless_somebody_has_them():
    v = tf.Variable(spread(some(8, 4), None, "model"))
    step = tf.function(lambda: v.assign_sub(v * 0.1), jit_compile=True)
    step()
    before, part = v._value, v.value().addressable_shards[0].data
    kept, kept_part = v.numpy(), np.array(part)
    step()
    np.testing.assert_array_equal(meshes.whole(before), kept)
    step()
    np.testing.assert_array_equal(part, kept_part)  # a copy
    del before
    copies = []
    given, devices.given = devices.given, lambda *args: copies.append(args)
    try:
        step()
    finally:
        devices.given = given
    assert not copies


@on_eight_devices
def test_a_program_on_each_device():
    mesh = meshes.mesh_of(np.array(jax.devices()), ("replica",))
    run = meshes.on_each(
        lambda x, w: (jax.lax.psum(x.sum() * w, "replica"), x * 2), mesh, (("replica",), ()), ((), ("replica",))
    )
    x = np.arange(16.0, dtype=np.float32)
    total, twice = meshes.run(jax.jit(run), [x, np.float32(3)], mesh)
    assert float(total) == 360.0
    np.testing.assert_array_equal(meshes.whole(twice), 2 * x)


@on_eight_devices
def test_programs_of_several_threads_do_not_wait_for_each_other_for_ever():
    v = spread(some(64, 64), "batch", "model")
    step = tf.function(lambda x: tf.reduce_sum(x @ x), jit_compile=True)
    want, found = float(step(v)), []
    threads = [threading.Thread(target=lambda: found.extend(float(step(v)) for _ in range(50))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert found == [want] * 200


@on_eight_devices
def test_one_mesh_is_one_object():
    assert grid() is grid() and isinstance(grid(), Mesh) and grid().axes == (("batch", 2), ("model", 4))
    assert meshes.sharding(grid(), ("batch",)) is meshes.sharding(grid(), ("batch",))
    assert not grid().is_host and grid().kind == "XLA_CPU"


@on_eight_devices
def test_sizes_must_be_divisible():
    with pytest.raises(ValueError, match="partitioned 4 times"):
        spread(some(6, 3), "model")


@on_eight_devices
def test_values_of_two_meshes_do_not_meet_by_themselves():
    other = meshes.mesh_of(np.array(jax.devices()).reshape(4, 2), ("batch", "model"))
    x = DeviceTensor(meshes.spread(some(8, 4), meshes.sharding(other, ("batch",))))
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not meet by themselves"):
        spread(some(8, 4)) + x
    moved = DeviceTensor(meshes.spread(x.held, meshes.sharding(grid(), ("model",))))
    np.testing.assert_array_equal((spread(some(8, 4)) - moved).numpy(), np.zeros((8, 4)))


@on_eight_devices
def test_parts_of_one_process_are_all_of_it():
    to = meshes.sharding(grid(), ("batch",))
    np.testing.assert_array_equal(meshes.whole(meshes.joined(some(4, 2), to)), some(4, 2))
    assert devices.where(meshes.joined(some(4, 2), to)) is grid()


@on_eight_devices
def test_checkpoints_fetch_one_variable_at_a_time_and_go_to_other_meshes():
    values = {name: some(8, 4) + k for k, name in enumerate("abc")}
    variables = {name: tf.Variable(spread(value, None, "model")) for name, value in values.items()}
    alive, most = [], []
    whole = meshes.whole

    def counted(held):
        found = whole(held)
        alive.append(weakref.ref(found))
        most.append(sum(ref() is not None for ref in alive))
        return found

    with tempfile.TemporaryDirectory() as folder:
        meshes.whole = counted
        try:
            path = tf.train.Checkpoint(**variables).save(f"{folder}/point")
        finally:
            meshes.whole = whole
        assert len(most) == 3 and max(most) <= 2  # the next one is fetched while the last is let go of
        others = {name: tf.Variable(spread(some(8, 4) * 0, "batch", None)) for name in values}
        tf.train.Checkpoint(**others).restore(path).assert_consumed()
        plain = {name: tf.Variable(np.zeros((8, 4), np.float32)) for name in values}
        tf.train.Checkpoint(**plain).restore(path).assert_consumed()
    for name, value in values.items():
        assert spec(others[name]) == ("batch", None)
        np.testing.assert_array_equal(others[name].numpy(), value)
        np.testing.assert_array_equal(plain[name].numpy(), value)
