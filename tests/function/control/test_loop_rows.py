"""Loops and branches inside `tf.vectorized_map`: one loop for all rows, of which each has its own number of
iterations."""

import pytest

import tapeflow as tf

from .flow_checks import engines, graph, repeat, same, slope


def as_often_as_all(v):
    return repeat(3, lambda i, t: tf.sin(t) * v[i] + v[0], v[2])


def state_that_does_not_differ_at_first(v):
    return tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a + v[0] * b), (0, 0.5, 2.0), maximum_iterations=3
    )[1]


def until_large(v):
    return tf.while_loop(
        lambda t, n: t < 9.0, lambda t, n: (t * 1.5 + tf.abs(v[0]), n + 1.0), (v[1], 0.0), maximum_iterations=20
    )[0]


def own_bound(v):
    n = tf.cast(tf.abs(v[0]), tf.int32)
    return tf.while_loop(lambda i, t: True, lambda i, t: (i + 1, t * v[1] + v[2]), (0, v[2]), maximum_iterations=n)[1]


def rows_begin_at_different_places(v):
    """A row that has ended stands behind the end of what it reads, and must not read there."""
    return tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, t * v[i] + 1.0), (tf.cast(v[0], tf.int32), v[2]), maximum_iterations=3
    )[1]


def no_slope_where_a_row_has_ended(v):
    """The root of a negative number has none: its NaN must not reach the gradient."""
    return tf.while_loop(
        lambda t: t > 0.0, lambda t: (tf.sqrt(t) - 0.5 * v[0],), (tf.abs(v[1]),), maximum_iterations=12
    )[0]


def loops_in_loops(v):
    until = lambda t: tf.while_loop(
        lambda u: tf.abs(u) < 4.0, lambda u: (u * 1.5 + v[0],), (t,), maximum_iterations=8
    )[0]
    return repeat(2, lambda i, t: tf.sin(until(t)) + v[i], v[1])


def branch_in_loop(v):
    return repeat(3, lambda i, t: tf.cond(t > v[1], lambda: tf.sin(t), lambda: t * v[0]), v[2])


def ends_early(v):
    total = v[2]
    for r in v:
        total = total + r
        if total > 6.0:
            break
    return total * total


def written(v):
    array = tf.TensorArray(tf.float32, size=3)
    step = lambda i, a, t: (i + 1, a.write(i, t), t * v[i] + 1.0)
    return tf.while_loop(lambda i, *_: i < 3, step, (0, array, v[0]), maximum_iterations=3)[1].stack()


ROWS = [[1.0, 2.0, 3.0], [2.0, 1.0, -1.0], [0.0, 3.0, 5.0], [2.0, -0.5, 0.5]]
PROGRAMS = [
    as_often_as_all, state_that_does_not_differ_at_first, until_large, own_bound, rows_begin_at_different_places,
    no_slope_where_a_row_has_ended, loops_in_loops, branch_in_loop, ends_early, written,
]  # fmt: skip


@engines
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_each_row_is_as_if_alone(function, jit):
    rows = tf.constant(ROWS)
    mapped = lambda rows: tf.vectorized_map(function, rows, fallback_to_while_loop=False)
    same(graph(mapped, jit)(rows), tf.stack([function(row) for row in tf.unstack(rows)]))
    if jit and function is own_bound:  # no gradient without a bound
        return
    slopes = tf.stack([slope(function, row) for row in tf.unstack(rows)])
    of_rows = lambda rows: tf.vectorized_map(lambda row: slope(function, row), rows, fallback_to_while_loop=False)
    same(graph(of_rows, jit)(rows), slopes)
    same(graph(lambda rows: slope(mapped, rows), jit)(rows), slopes)
    same(slope(graph(mapped, jit), rows), slopes)


@pytest.mark.parametrize(
    "function", [until_large, loops_in_loops, branch_in_loop, ends_early], ids=lambda f: f.__name__
)
def test_second_derivatives_and_tangents_of_rows(function):
    rows = tf.constant(ROWS)
    bends = tf.stack([slope(function, row, 2) for row in tf.unstack(rows)])
    same(graph(lambda rows: tf.vectorized_map(lambda row: slope(function, row, 2), rows))(rows), bends)
    tangents = tf.stack([tf.reduce_sum(slope(function, row)) for row in tf.unstack(rows)])
    pushed = lambda row: tf.derivatives.jvp(function, row, tf.ones_like(row))[1]
    same(graph(lambda rows: tf.vectorized_map(pushed, rows))(rows), tangents)


@engines
def test_a_function_is_mapped_from_outside(jit):
    rows = tf.constant(ROWS)
    wanted = tf.stack([until_large(row) for row in tf.unstack(rows)])
    same(tf.vectorized_map(graph(until_large, jit), rows), wanted)


@engines
def test_rows_draw_their_own_random_numbers(jit):
    draw = lambda x: repeat(3, lambda i, t: t + tf.random.uniform([]), x)
    found = graph(lambda rows: tf.vectorized_map(draw, rows), jit)(tf.zeros([4])).numpy()
    assert len(set(found.tolist())) == 4 and 0 < found.min() <= found.max() < 3


@engines
def test_a_loop_that_is_the_same_for_all_rows_is_not_mapped(jit):
    v = tf.Variable(2.0)
    function = lambda x: x * repeat(3, lambda i, t: t * v, v * 1.0)
    same(
        graph(lambda rows: tf.vectorized_map(function, rows), jit)(tf.constant([1.0, 2.0])), tf.constant([16.0, 32.0])
    )
