"""The gradient monitor: its numbers are NumPy's, eagerly and in functions of both engines, in loops of all kinds."""

import math
import threading

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect import gradient_numbers

from .monitored import ENGINES, Net, left_clean, monitor, on, random  # noqa: F401  (`left_clean` is a fixture)


@pytest.mark.parametrize("traced_before", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_are_numpys_and_ratios_what_the_update_did(engine, traced_before):
    net = Net()
    step = on(engine, net.step)
    x = tf.constant(net.x)
    if traced_before:
        step(x)
    expected = {}
    with monitor(every=3) as watching:
        for number in range(1, 8):
            expected[number] = net.expected()
            step(x)
    assert [(m.step, m.name) for m in watching.history] == [(k, n) for k in (1, 4, 7) for n in "wb"]
    for m in watching.history:
        gradient, weight, update = expected[m.step][m.name]
        np.testing.assert_allclose([m.gradient, m.weight], [gradient, weight], rtol=1e-4)
        if weight:
            np.testing.assert_allclose(m.update, update / weight, rtol=1e-3)
        else:
            assert math.isnan(m.update)
        assert m.dead == 0


@pytest.mark.parametrize("engine", ["plan", "xla"])
def test_a_function_is_traced_for_the_monitor_and_then_is_what_it_was(engine):
    net = Net()
    step = on(engine, net.step)
    x = tf.constant(net.x)
    step(x)
    watching = monitor()
    for _ in range(2):
        with watching:
            step(x)
        step(x)
    assert step.experimental_get_tracing_count() == 2
    assert {m.step for m in watching.history} == {1, 2}
    assert "monitor_found" not in str(step.get_concrete_function(x).graph)


@pytest.mark.parametrize("engine", ["plan", "xla"])
def test_the_graph_measures_only_when_it_should(engine):
    net = Net()
    step = on(engine, net.step)
    with monitor(every=5) as watching:
        for _ in range(12):
            step(tf.constant(net.x))
    [site] = watching._sites.values()
    assert site.found.numpy()[0] == 3


def test_a_function_inside_another():
    net = Net()
    inner = tf.function(net.step)
    inner(tf.constant(net.x))
    outer = tf.function(lambda x: inner(x) + 1.0)
    with monitor(every=2) as watching:
        inner(tf.constant(net.x))
        for _ in range(4):
            outer(tf.constant(net.x))
    assert [m.step for m in watching.history if m.name == "w"] == [1, 3, 5]


@pytest.mark.parametrize("engine", ["plan", "xla"])
def test_steps_in_a_loop_of_a_function(engine):
    """Several updates in one run: the last gradient is measured, and what one update did nobody knows."""
    net = Net()

    def steps(x):
        for _ in tf.range(3):
            net.step(x)
        return tf.constant(0.0)

    steps = on(engine, steps)
    with monitor() as watching:
        for _ in range(2):
            steps(tf.constant(net.x))
    assert {m.step for m in watching.history} == {1, 2}
    assert all(m.gradient > 0 and math.isnan(m.update) for m in watching.history)


def test_a_branch_that_is_not_always_taken_is_measured_when_it_is():
    net = Net()
    x = tf.constant(net.x)
    step = tf.function(lambda train: tf.cond(train, lambda: net.step(x), lambda: 0.0))
    with monitor(every=4) as watching:
        for k in range(1, 9):
            expected = net.expected()
            step(tf.constant(k == 3))
            if k == 3:
                known = expected["w"]
    [found] = [m for m in watching.history if m.name == "w"]
    np.testing.assert_allclose([found.gradient, found.weight], known[:2], rtol=1e-5)
    np.testing.assert_allclose(found.update, known[2] / known[1], rtol=1e-3)


# ---- kinds of loops


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_of_rows(engine):
    """Rows that come twice add up, as in the dense gradient; the other rows are not dead units."""
    table, weights = tf.Variable(random(9, 8), name="table"), tf.constant(random(4, 8, seed=2))

    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows) * weights)
        gradient = tape.gradient(loss, table)
        assert isinstance(gradient, tf.IndexedSlices)
        table.assign_sub(0.1 * gradient)
        return loss

    dense = np.zeros((9, 8), "f")
    np.add.at(dense, [3, 1, 3, 7], weights.numpy())
    with monitor() as watching:
        on(engine, step)(tf.constant([3, 1, 3, 7]))
    [m] = watching.history
    np.testing.assert_allclose(m.gradient, np.linalg.norm(dense), rtol=1e-5)
    assert math.isnan(m.dead) and not watching.warnings


def test_accumulated_gradients_wait_for_the_update():
    net = Net()
    x = tf.constant(net.x)
    with monitor(every=8) as watching:
        summed = [tf.zeros_like(net.w), tf.zeros_like(net.b)]
        weight = net.w.numpy()
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(x @ net.w + net.b) ** 2)
            summed = [s + g for s, g in zip(summed, tape.gradient(loss, [net.w, net.b]))]
            watching.step()
        assert not watching.history
        for v, s in zip((net.w, net.b), summed):
            v.assign_sub(0.01 * s)
    m = watching.history[0]
    np.testing.assert_allclose(m.update, np.linalg.norm(net.w.numpy() - weight) / np.linalg.norm(weight), rtol=1e-5)


def test_no_update_is_no_warning():
    net = Net(rate=0.0)
    with monitor(every=2) as watching:
        for _ in range(4):
            net.step(tf.constant(net.x))
    assert [m.update for m in watching.history if m.name == "w"] == [0, 0] and not watching.warnings


def test_two_gradients_of_one_step_are_kept_apart():
    v = tf.Variable([1.0, 2.0], name="v")
    with monitor() as watching:
        for _ in range(2):
            with tf.GradientTape(persistent=True) as tape:
                one, other = tf.reduce_sum(v * 3.0), tf.reduce_sum(v * 4.0)
            first = tape.gradient(one, v)
            second = tape.gradient(other, v)
            v.assign_sub(0.01 * (first + second))
    found = {(m.name, round(m.gradient, 3)) for m in watching.history}
    assert found == {("v", round(3 * 2**0.5, 3)), ("v#2", round(4 * 2**0.5, 3))}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_variable_without_gradient_is_left_out(engine):
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable([1.0, 2.0], name="b")

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(a * a)
        gradient, none = tape.gradient(loss, [a, b])
        assert none is None
        a.assign_sub(0.1 * gradient)
        return loss

    with monitor() as watching:
        on(engine, step)()
    assert [m.name for m in watching.history] == ["a"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64"])
@pytest.mark.parametrize("engine", ENGINES)
def test_other_dtypes(engine, dtype):
    v = tf.Variable(tf.cast([300.0, 400.0], dtype), name="v")

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign(v - tf.cast(0.25, dtype) * tape.gradient(loss, v))
        return loss

    with monitor() as watching:
        on(engine, step)()
    [m] = watching.history
    np.testing.assert_allclose([m.gradient, m.weight, m.update], [1000, 500, 0.5], rtol=1e-2)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_norms_beyond_what_squares_hold(engine, size):
    v = tf.Variable(random(3, 4), name="v")

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * size)
        tape.gradient(loss, v)
        return loss

    with monitor() as watching:
        on(engine, step)()
    np.testing.assert_allclose(watching.history[0].gradient, size * 12**0.5, rtol=1e-5)


@pytest.mark.parametrize("away", [False, True])
def test_a_variable_on_a_device(away, monkeypatch):
    """The host's memory is read where it is; on an accelerator the numbers are computed there."""
    pytest.importorskip("jax")
    if away:
        on_device = lambda array: gradient_numbers.kind_of(array) is gradient_numbers.DeviceTensor
        monkeypatch.setattr(gradient_numbers, "_is_away", on_device)
        monkeypatch.setattr(gradient_numbers, "norm", None)
    with tf.device("/device:XLA_CPU:0"):
        net = Net()
        expected = net.expected()["w"]
        with monitor() as watching:
            net.step(tf.constant(net.x))
    m = watching.history[0]
    np.testing.assert_allclose([m.gradient, m.weight, m.update], [*expected[:2], expected[2] / expected[1]], rtol=1e-3)


def test_rows_of_a_jacobian_are_not_steps():
    net = Net()
    with monitor() as watching:
        with tf.GradientTape() as tape:
            y = tf.tanh(tf.constant(net.x) @ net.w)
        tape.jacobian(y, net.w)
    assert not watching.history


def test_outer_tapes_do_not_see_the_monitor():
    v = tf.Variable(3.0)

    @tf.function
    def step():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = v**3
            slope = inner.gradient(y, v)
        return outer.gradient(slope, v)

    with monitor() as watching:
        assert step().numpy() == 18
    assert sorted(m.gradient for m in watching.history) == [18, 27]


# ---- the context


def test_an_error_inside_leaves_nothing_behind():
    net = Net()
    with pytest.raises(ZeroDivisionError), monitor() as watching:
        net.step(tf.constant(net.x))
        1 / 0  # noqa: B018
    assert [m.name for m in watching.history] == ["w", "b"]


def test_one_inside_another_hears_the_same():
    net = Net()
    step = tf.function(net.step)
    with monitor(2) as one:
        with monitor(1) as other:
            for _ in range(3):
                step(tf.constant(net.x))
        step(tf.constant(net.x))
    gradients = lambda m: {x.step: x.gradient for x in m.history if x.name == "w"}
    assert gradients(one).keys() == {1, 3} and gradients(other).keys() == {1, 2, 3}
    assert gradients(one)[3] == gradients(other)[3]


def test_the_same_one_inside_itself_is_refused():
    with monitor() as watching, pytest.raises(RuntimeError, match="on already"), watching:
        pass


def test_threads():
    nets = [Net() for _ in range(4)]
    for k, net in enumerate(nets):
        net.w._label = f"w{k}"
    with monitor() as watching:
        loops = [threading.Thread(target=lambda n=n: [n.step(tf.constant(n.x)) for _ in range(20)]) for n in nets]
        for loop in loops:
            loop.start()
        for loop in loops:
            loop.join()
    steps = [[m.step for m in watching.history if m.name == f"w{k}"] for k in range(4)]
    assert steps == [list(range(1, 21))] * 4


def test_a_tape_that_outlives_the_monitor():
    v = tf.Variable(1.0)
    with monitor() as watching, tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert not watching.history


def test_step_shows_what_was_measured_at_once():
    net = Net()
    step = tf.function(net.step)
    with monitor() as watching:
        step(tf.constant(net.x))
        assert not watching.history
        watching.step()
        assert [m.name for m in watching.history] == ["w", "b"]


def test_steps_without_gradients_are_said_once(caplog):
    with monitor() as watching:
        for _ in range(10):
            watching.step()
    [record] = caplog.records
    assert "no gradient of a variable" in record.message and "get_concrete_function" in record.message


@pytest.mark.parametrize("every", [0, -1, 2.5])
def test_a_wrong_interval(every):
    with pytest.raises(ValueError, match="at least 1"):
        tf.debugging.GradientMonitor(every)


def test_a_wrong_writer():
    with pytest.raises(TypeError, match="log directory or a writer"):
        tf.debugging.GradientMonitor(writer=3)
