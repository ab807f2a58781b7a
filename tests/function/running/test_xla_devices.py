"""Functions on a device. XLA's own CPU stands for a GPU, which is tested, too, where there is one."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.tensor import EagerTensor
from tests.engines.xla.test_devices import data, device, fetched, network, on, train  # noqa: F401  fixtures

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla import devices, programs


def step_of(weights):
    loss = network(weights)

    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(x, y)
        for w, g in zip(weights, tape.gradient(value, weights)):
            w.assign_sub(0.1 * g)
        return value

    return step


@pytest.mark.parametrize("jit", [True, None])
def test_variables_stay_on_the_device(device, fetched, jit):  # noqa: F811
    weights, x, y = on(device, data)
    step = tf.function(step_of(weights), jit_compile=jit)
    losses = [step(x, y) for _ in range(5)]
    assert not fetched and {w.device for w in weights} == {device} == {loss.device for loss in losses}
    np.testing.assert_allclose(losses, train(*data()), rtol=1e-4)


def test_the_memory_of_old_values_is_used_again(device, monkeypatch):  # noqa: F811
    weights, x, y = on(device, data)
    step = tf.function(step_of(weights), jit_compile=True)
    step(x, y)
    with monkeypatch.context() as patch:
        patch.setattr(programs, "_others_hold", lambda tensor: False)  # though this test does
        old = [w._value for w in weights]
        step(x, y)
    assert all(array.is_deleted() for array in old)
    copies = []
    monkeypatch.setattr(devices, "given", lambda *args: copies.append(args))
    del old
    step(x, y)
    assert not copies


def test_what_was_read_before_stays_valid(device):  # noqa: F811
    weights, x, y = on(device, data)
    twin = tf.Variable(weights[0])  # shares the array
    step = tf.function(step_of(weights), jit_compile=True)
    read, used = weights[0].value(), weights[0] * 1.0
    first = read.numpy()
    for _ in range(3):
        step(x, y)
        later = weights[1].value()
    for tensor in (read, used, twin):
        np.testing.assert_array_equal(tensor, first)
    assert later.shape == (16,) and not np.array_equal(weights[0].numpy(), first)


def test_a_step_that_returns_its_variable(device):  # noqa: F811
    v = on(device, lambda: tf.Variable([1.0, 2.0]))

    @tf.function(jit_compile=True)
    def step():
        before = v.value()
        v.assign(v * 2.0)
        return before, v.value()

    values = [step() for _ in range(3)]
    assert [(a.numpy().tolist(), b.numpy().tolist()) for a, b in values] == [
        ([1.0, 2.0], [2.0, 4.0]), ([2.0, 4.0], [4.0, 8.0]), ([4.0, 8.0], [8.0, 16.0])
    ]  # fmt: skip


def test_scalars(device):  # noqa: F811
    count = on(device, lambda: tf.Variable(0))
    other = on(device, lambda: tf.Variable(0))

    @tf.function(jit_compile=True)
    def step():
        count.assign_add(1)

    for _ in range(3):
        step()
    assert (int(count), int(other), int(on(device, lambda: tf.constant(0)))) == (3, 0, 0)


def test_the_device_that_is_named(device):  # noqa: F811
    f = tf.function(lambda x: x * 2.0 + tf.constant([1.0, 1.0]), jit_compile=True)
    x = tf.constant([1.0, 2.0])
    assert type(on("/CPU:0", lambda: f(x))) is EagerTensor
    there = on(device, lambda: f(x))
    assert there.device == device == on(device, lambda: tf.function(lambda x: x + 1.0)(x)).device
    assert on("/CPU:0", lambda: f(there)).device == x.device
    assert there.numpy().tolist() == [3.0, 5.0]


def test_a_variable_of_the_host_moves_to_where_it_is_trained(device):  # noqa: F811
    weights, x, y = data()
    step = tf.function(step_of(weights), jit_compile=True)
    losses = [on(device, lambda: step(x, y)) for _ in range(5)]
    assert {w.device for w in weights} == {device}
    np.testing.assert_allclose(losses, train(*data()), rtol=1e-4)


def test_a_function_under_a_tape(device, fetched):  # noqa: F811
    weights, x, y = on(device, data)
    loss = tf.function(network(weights))
    with tf.GradientTape() as tape:
        value = loss(x, y)
    got = tape.gradient(value, weights)
    assert not fetched and {g.device for g in got} == {device}
    weights, x, y = data()
    with tf.GradientTape() as tape:
        value = network(weights)(x, y)
    for a, b in zip(got, tape.gradient(value, weights)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_captured_tensors_and_random_numbers(device):  # noqa: F811
    scale = on(device, lambda: tf.constant(2.0))
    f = tf.function(lambda: scale * tf.random.uniform([100], seed=2), jit_compile=True)
    tf.random.set_seed(1)
    first = f()
    tf.random.set_seed(1)
    assert first.device == device and np.array_equal(first, f()) and not np.array_equal(first, f())
    tf.random.set_seed(1)
    np.testing.assert_allclose(
        first, scale * on(device, lambda: tf.random.uniform([100], seed=2)), rtol=1e-6
    )  # as eager


def test_compiled_once_wherever_values_come_from(device, monkeypatch):  # noqa: F811
    traced = []
    f = tf.function(lambda x, y: x @ y, jit_compile=True)
    x, sent = tf.ones([3, 3]), []
    on("/CPU:0", lambda: f(x, x))
    program = f.get_concrete_function(x, x).function.program
    run = program.function
    program.function = lambda *arrays: (traced.append(1), run(*arrays))[1]
    put = devices.put
    monkeypatch.setattr(devices, "put", lambda array, device: (sent.append(array.shape), put(array, device))[1])
    with tf.device(device):
        there = tf.identity(x)
        for arguments in ((x, x), (there, x), (x, there), (there, there), (tf.identity(there), there)):
            assert f(*arguments).numpy()[0, 0] == 3.0
        assert len(traced) == 1
        for _ in range(4):
            f(x, x)
        assert sent == [(3, 3)] * 2  # as the one argument, and as the other, when it came for the second time


def test_a_variable_of_the_host_that_is_only_read_is_sent_when_it_changes(device, monkeypatch):  # noqa: F811
    v, x = tf.Variable(np.ones([200, 200], np.float32)), on(device, lambda: tf.ones([200, 200]))
    f = tf.function(lambda x: tf.reduce_sum(x * v), jit_compile=True)
    sent, put = [], devices.put
    monkeypatch.setattr(devices, "put", lambda array, device: (sent.append(array.shape), put(array, device))[1])
    assert [float(f(x)) for _ in range(4)] == [40000.0] * 4 and sent.count((200, 200)) == 1
    for k in range(1, 4):
        v.assign_add(np.ones([200, 200], np.float32))  # in place, if nobody held the array
        assert float(f(x)) == 40000.0 * (k + 1)


def test_without_inputs(device):  # noqa: F811
    f = tf.function(lambda: tf.zeros([2]), jit_compile=True)
    assert on(device, f).device == device


def test_what_has_no_kernel_is_computed_on_the_host(device):  # noqa: F811
    x = on(device, lambda: tf.constant([1.0, 2.0]))
    text, double = tf.function(lambda x: (tf.strings.as_string(x), x * 2.0))(x)
    assert text.numpy().tolist() == [b"1.000000", b"2.000000"] and double.numpy().tolist() == [2.0, 4.0]
