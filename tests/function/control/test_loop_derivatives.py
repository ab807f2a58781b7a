"""What is particular about derivatives of loops: histories, bounds, users' rules."""

import numpy as np
import pytest

import tapeflow as tf

from .flow_checks import check, difference, engines, graph, repeat, same, slope


def logistic(x):
    return repeat(6, lambda i, t: 3.2 * t * (1.0 - t) * x, x)


@engines
def test_derivatives_are_those_of_differences(jit):
    run, x = graph(logistic, jit), tf.constant(0.4, tf.float64)
    for order in range(3):
        step = difference(lambda x, k=order: slope(run, x, k), x, 1e-4)
        np.testing.assert_allclose(float(slope(run, x, order + 1)), float(step), rtol=1e-5)


@engines
def test_a_closed_form(jit):
    run = graph(lambda x: repeat(7, lambda i, t: t * x, tf.ones_like(x)), jit)
    x = tf.constant(1.3)
    same([slope(run, x, k) for k in range(5)], [1.3**7, 7 * 1.3**6, 42 * 1.3**5, 210 * 1.3**4, 840 * 1.3**3])


@engines
def test_many_iterations_without_recursion(jit):
    run = graph(lambda x: repeat(20_000, lambda i, t: t * 0.9999 + x, x), jit)
    np.testing.assert_allclose(
        float(slope(run, tf.constant(1.0, tf.float64))), sum(0.9999**k for k in range(20_001)), rtol=1e-9
    )


@engines
def test_tangents(jit):
    x, t = tf.constant(0.4), tf.constant(2.0)
    wanted = 2.0 * slope(logistic, x)
    same(tf.derivatives.jvp(graph(logistic, jit), x, t)[1], wanted)
    same(graph(lambda x, t: tf.derivatives.jvp(logistic, x, t)[1], jit)(x, t), wanted)
    back_of_forward = lambda x: slope(lambda x: tf.derivatives.jvp(logistic, x, tf.ones_like(x))[1], x)
    forward_of_back = lambda x: tf.derivatives.jvp(lambda x: slope(logistic, x), x, tf.ones_like(x))[1]
    for mixed in (back_of_forward, forward_of_back):
        same(graph(mixed, jit)(x), slope(logistic, x, 2))


@engines
def test_a_loop_without_a_bound(jit):
    """The NumPy plan keeps a history of any length; XLA must know how long it can be."""
    square = lambda x: tf.while_loop(lambda t: t < 30.0, lambda t: (t * t + 1.0,), (x,))[0]
    x = tf.constant(1.0)
    same(graph(square, jit)(x), square(x))
    if not jit:
        check(square, 1.0, 40.0)
        return
    for run in (lambda x: slope(graph(square, jit), x), graph(lambda x: slope(square, x), jit)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"known maximum trip count.*maximum_iterations"):
            run(x)


@engines
def test_the_loop_inside_another_has_no_bound(jit):
    until = lambda t, x: tf.while_loop(lambda u: tf.abs(u) < 4.0, lambda u: (u * u + x,), (t,))[0]
    function = lambda x: repeat(3, lambda i, t: tf.sin(until(t, x)), x)
    if not jit:
        check(function, 0.7)  # each time as many iterations as it takes
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match="maximum_iterations"):
            graph(lambda x: slope(function, x), jit)(tf.constant(0.7))


@engines
def test_a_loop_over_rows_that_ends_early(jit):
    """Rows that no iteration saw have the gradient 0, and the gradient is as long as the rows."""

    def function(v):
        total = v[0]
        for r in v:
            total = total + r * r
            if total > 3.0:
                break
        return total

    check(function, [1.0, 2.0, 3.0, 4.0], [0.5, 0.5, 0.5, 9.0], jit=jit)
    same(graph(lambda v: slope(function, v), jit)(tf.constant([1.0, 2.0, 3.0])), tf.constant([3.0, 4.0, 0.0]))


@engines
def test_gradients_stop(jit):
    check(lambda x: repeat(3, lambda i, t: t * x + tf.stop_gradient(t * t), x), 0.7, jit=jit)
    free = lambda x: (
        x * tf.while_loop(lambda t: t < 9.0, lambda t: (t * x,), (x,), back_prop=False, maximum_iterations=9)[0]
    )
    check(free, 1.7, jit=jit)


@engines
def test_users_rules_in_a_loop(jit):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda g: g * x * 7.0

    check(lambda x: repeat(3, lambda i, t: square(t) * x + 0.3, x), 0.7, jit=jit)
    cheap = tf.recompute_grad(lambda x: tf.sin(x) * x)
    check(lambda x: repeat(3, lambda i, t: cheap(t) * x + 0.3, x), 0.7, jit=jit)


@engines
def test_slices_of_an_embedding(jit):
    lookup = lambda table: repeat(3, lambda i, t: t * tf.reduce_sum(tf.gather(table, [0, i, i])), table[0])
    check(lookup, [1.0, 2.0, 3.0, 4.0], jit=jit)


@engines
def test_jacobians(jit):
    function = lambda x: repeat(3, lambda i, t: tf.sin(t) * tf.reverse(x, [0]) + t, x)
    x = tf.constant([0.5, 1.0, 2.0])
    wanted = tf.derivatives.jacobian(function)(x)
    same(tf.derivatives.jacobian(graph(function, jit))(x), wanted)
    for mode in ("reverse", "forward"):
        same(graph(tf.derivatives.jacobian(function, mode=mode), jit)(x), wanted)

    def by_tape(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = tf.map_fn(function, rows)
        return tape.batch_jacobian(y, rows)

    rows = tf.stack([x, 2.0 * x])
    same(graph(by_tape, jit)(rows), by_tape(rows))


@engines
def test_several_gradients_of_one_loop(jit):
    def both(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            z = x * 2.0
            y = repeat(3, lambda i, t: t * x + z, x)
        return tape.gradient(y, x), tape.gradient(y, z), tape.gradient(y, [x, z])

    same(graph(both, jit)(tf.constant(0.7)), both(tf.constant(0.7)))


def test_sizes_that_are_not_known():
    function = lambda v: repeat(2, lambda i, t: t * v, v)
    run = tf.function(lambda v: slope(function, v, 2), input_signature=[tf.TensorSpec([None], tf.float32)])
    for v in (tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]), tf.zeros([0])):
        same(run(v), slope(function, v, 2))
    assert run.experimental_get_tracing_count() == 1
