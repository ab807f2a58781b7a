"""What a graph does besides computing happens once at every call, in order, whoever watches."""

import numpy as np
import pytest

import tapeflow as tf
from tests.function.control.flow_checks import graph, repeat, same, slope


@pytest.fixture
def log():
    return []


def noting(log):
    """A function that writes down the values of a tensor when the graph runs, and returns the tensor."""

    def note(x):
        tf.py_function(lambda v: log.append(round(float(v), 4)), [x], [])
        return x

    return note


def in_a_loop(x, note):
    return repeat(3, lambda i, t: note(t) * x, x)


def in_a_loop_of_a_loop(x, note):
    return repeat(2, lambda i, t: repeat(2, lambda j, u: note(u) * x, t), x)


def in_a_branch(x, note):
    return tf.cond(x > 1.0, lambda: note(x) ** 3, lambda: note(-x))


def in_a_branch_of_a_loop(x, note):
    return repeat(3, lambda i, t: tf.cond(i < 1, lambda: note(t) ** 2, lambda: note(-t) * x), x)


def in_a_loop_of_a_branch(x, note):
    return tf.cond(x > 1.0, lambda: in_a_loop(x, note), lambda: x)


def in_a_condition(x, note):
    return tf.while_loop(lambda t: note(t) < 9.0, lambda t: (t * x,), (x,), maximum_iterations=20)[0]


def in_a_scan(x, note):
    return tf.reduce_sum(tf.scan(lambda a, r: note(a) * r, tf.stack([x, x + 1.0, x + 2.0])))


PROGRAMS = [
    in_a_loop,
    in_a_loop_of_a_loop,
    in_a_branch,
    in_a_branch_of_a_loop,
    in_a_loop_of_a_branch,
    in_a_condition,
    in_a_scan,
]


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_once_and_in_order_whatever_gradients_need(program, order, log):
    """A gradient needs a history of the loop, for which it does not run again."""
    note, x = noting(log), tf.constant(1.5)
    wanted = slope(lambda x: program(x, note), x, order)
    eager = log.copy()
    function = tf.function(lambda x: program(x, note))
    inside = graph(lambda x: slope(lambda x: program(x, note), x, order))
    for run in (lambda x: slope(function, x, order), inside):
        for _ in range(2):
            log.clear()
            same(run(x), wanted)
            assert log == eager


def test_once_for_several_gradients(log):
    note = noting(log)

    def both(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            z = x * 2.0
            y = repeat(2, lambda i, t: note(t) * x + z, x)
        return tape.gradient(y, x), tape.gradient(y, z)

    wanted, eager = both(tf.constant(1.5)), log.copy()
    log.clear()
    same(graph(both)(tf.constant(1.5)), wanted)
    assert log == eager


def test_once_with_a_tangent(log):
    note, x = noting(log), tf.constant(1.5)
    for program in (in_a_loop, in_a_condition, in_a_branch):
        log.clear()
        wanted = tf.derivatives.jvp(lambda x: program(x, note), x, x)  # noqa: B023
        eager = log.copy()
        for run in (
            lambda x: tf.derivatives.jvp(tf.function(lambda x: program(x, note)), x, x),  # noqa: B023
            graph(lambda x: tf.derivatives.jvp(lambda x: program(x, note), x, x)),  # noqa: B023
        ):
            log.clear()
            same(run(x), wanted)
            assert log == eager


def test_once_where_sizes_are_not_known(log):
    note = noting(log)
    function = lambda v: repeat(2, lambda i, t: t * note(tf.reduce_sum(t)) * v, v)
    run = tf.function(lambda v: slope(function, v), input_signature=[tf.TensorSpec([None], tf.float32)])
    for v in (tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])):
        log.clear()
        wanted, eager = slope(function, v), log.copy()
        log.clear()
        same(run(v), wanted)
        assert log == eager


def test_what_is_printed(capfd):
    def function(x):
        tf.print("before", x)
        y = repeat(2, lambda i, t: (tf.print("in", i, t), t * x)[1], x)
        tf.print("after", y)
        return y

    run = graph(function)
    for _ in range(2):
        slope(run, tf.constant(2.0))
        assert capfd.readouterr().err.split("\n") == ["before 2", "in 0 2", "in 1 4", "after 8", ""]


def test_effects_come_between_assignments(log):
    v, note = tf.Variable(1.0), None
    note = noting(log)

    @tf.function
    def step(x):
        note(v * 1.0)
        v.assign_add(x)
        note(v * 1.0)
        repeat(2, lambda i, t: (v.assign_add(t), note(v * 1.0), t)[2], x)
        note(v * 1.0)

    step(tf.constant(2.0))
    assert log == [1.0, 3.0, 5.0, 7.0, 7.0]


def test_assertions_in_branches_and_loops():
    def function(x):
        y = repeat(3, lambda i, t: (tf.debugging.assert_less(t, 5.0, "too large"), t * x)[1], x)
        return tf.cond(x > 0.0, lambda: (tf.debugging.assert_greater(x, 0.5, "too small"), y)[1], lambda: y)

    run = graph(function)
    assert float(run(tf.constant(1.5))) == 1.5**4
    for x, words in ((3.0, "too large"), (0.2, "too small")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            run(tf.constant(x))
    assert float(run(tf.constant(-1.0))) == 1.0


def test_python_in_a_loop_has_values_and_gradients():
    spec = tf.TensorSpec([], tf.float32)
    cube = lambda x: tf.py_function(lambda v: v**3 if float(v) > 0 else -v, [x], spec)
    function = lambda x: repeat(2, lambda i, t: cube(t) * x, x)
    for x in (tf.constant(1.2), tf.constant(-0.7)):
        same(graph(function)(x), function(x))
        for order in (1, 2):
            same(slope(graph(function), x, order), slope(function, x, order))
            same(graph(lambda x, k=order: slope(function, x, k))(x), slope(function, x, order))


def test_numpy_in_a_branch():
    function = lambda x: tf.cond(
        x[0] > 0.0,
        lambda: tf.numpy_function(np.cumsum, [x], tf.TensorSpec([3], tf.float32)),
        lambda: tf.reverse(x, [0]),
    )
    for x in (tf.constant([1.0, 2.0, 3.0]), tf.constant([-1.0, 2.0, 3.0])):
        same(graph(function)(x), function(x))


def test_a_result_of_another_shape_than_promised():
    wrong = tf.function(lambda x: tf.py_function(lambda v: tf.stack([v, v]), [x], tf.TensorSpec([], tf.float32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"returned shape \(2,\), but \(\) was promised"):
        wrong(tf.constant(1.0))


def test_xla_does_not_call_python():
    pytest.importorskip("jax", reason="the extra `xla` is not installed")
    function = lambda x: repeat(2, lambda i, t: tf.py_function(lambda v: v, [t], tf.TensorSpec([], tf.float32)), x)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"XLA cannot compile tf.py_function, at test_effects.py:\d+"
    ):
        tf.function(function, jit_compile=True)(tf.constant(1.0))


def test_a_module_that_is_imported_again_has_its_functions_again():
    from tapeflow.function.tracing.effects import AT_EVERY_RUN, at_every_run

    def made():
        def flushed_for_a_test(x):
            pass

        return flushed_for_a_test

    def other():
        def flushed_for_a_test(x):
            pass

        return flushed_for_a_test

    try:
        at_every_run()(made())
        at_every_run()(again := made())
        assert AT_EVERY_RUN["flushed_for_a_test"] is again
        with pytest.raises(ValueError, match="two functions named flushed_for_a_test"):
            at_every_run()(other())
    finally:
        AT_EVERY_RUN.pop("flushed_for_a_test", None)
