"""Branches in a `tf.function`, against the same program run by Python."""

import numpy as np
import pytest

import tapeflow as tf

from .flow_checks import check, engines, graph, repeat, same, slope


def cond(x):
    return tf.cond(x > 1.0, lambda: x**3, lambda: tf.sin(x))


def cond_that_ignores_its_argument(x):
    return tf.cond(x > 1.0, lambda: x**4, lambda: tf.constant(3.0))


def structures(x):
    out = tf.cond(x > 1.0, lambda: {"a": x, "b": (x * 2.0, x**3)}, lambda: {"a": tf.exp(x), "b": (x, x**4)})
    return out["a"] * out["b"][0] + out["b"][1]


def branch_in_branch(x):
    inner = lambda: tf.cond(x > 2.0, lambda: x**3, lambda: tf.exp(x))
    return tf.cond(x > 1.0, inner, lambda: x * x)


def one_result_twice(x):
    y = x * x
    a, b = tf.cond(x > 1.0, lambda: (y, y), lambda: (x, y))
    return a * b


def switch(x):
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: x**2, lambda: tf.exp(x), lambda: x**4])


def switch_by_numbers(x):
    branches = {1: lambda: x**2, 0: lambda: tf.exp(x)}
    return tf.switch_case(tf.cast(x, tf.int32), branches, default=lambda: x**4)


def case(x):
    return tf.case([(x > 2.0, lambda: x**3), (x > 1.0, lambda: tf.exp(x))], default=lambda: x * x, exclusive=False)


def loop_in_branch(x):
    return tf.cond(x > 1.0, lambda: repeat(3, lambda i, t: t * x + 1.0, x), lambda: x**3)


def loops_of_all_lengths(x):
    branches = [lambda n=n: repeat(n, lambda i, t: tf.sin(t) * x, x) for n in (1, 2, 4)]
    return tf.switch_case(tf.cast(x, tf.int32), branches)


def written_in_a_branch(x):
    array = tf.TensorArray(tf.float32, size=2).write(0, x)
    array = tf.cond(x > 1.0, lambda: array.write(1, x * x), lambda: array.write(1, tf.exp(x)))
    return tf.reduce_prod(array.stack())


PROGRAMS = [
    (cond, 0.5, 1.5), (cond_that_ignores_its_argument, 0.5, 1.5), (structures, 0.5, 1.5),
    (branch_in_branch, 0.5, 1.5, 2.5), (one_result_twice, 0.5, 1.5), (switch, 0.5, 1.5, 9.0, -2.0),
    (switch_by_numbers, 0.5, 1.5, 7.5, -2.0), (case, 0.5, 1.5, 2.5), (loop_in_branch, 0.5, 1.5),
    (loops_of_all_lengths, 0.5, 1.5, 2.5), (written_in_a_branch, 0.5, 1.5),
]  # fmt: skip


@engines
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_values_and_derivatives(program, jit):
    check(*program, jit=jit, order=1 if jit else 3)


@pytest.mark.long
@engines
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_higher_derivatives(program, jit):
    check(*program, jit=jit, order=2 if jit else 3)


@engines
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_rows_of_a_map_choose_for_themselves(program, jit):
    function, *points = program
    rows = tf.constant(points)
    wanted = tf.stack([function(tf.constant(x)) for x in points])
    same(graph(lambda rows: tf.vectorized_map(function, rows), jit)(rows), wanted)
    slopes = tf.stack([slope(function, tf.constant(x)) for x in points])
    same(graph(lambda rows: tf.vectorized_map(lambda x: slope(function, x), rows), jit)(rows), slopes)
    same(graph(lambda rows: slope(lambda r: tf.vectorized_map(function, r), rows), jit)(rows), slopes)


@engines
@pytest.mark.parametrize("function", [cond, structures, switch, loop_in_branch])
def test_tangents(function, jit):
    for x in (tf.constant(0.5), tf.constant(1.5)):
        same(tf.derivatives.jvp(graph(function, jit), x, tf.constant(2.0))[1], 2.0 * slope(function, x))
        same(
            graph(lambda x: tf.derivatives.jvp(function, x, 2.0 * tf.ones_like(x))[1], jit)(x),
            2.0 * slope(function, x),
        )


@engines
def test_jacobians_of_branches(jit):
    function = lambda x: tf.cond(tf.reduce_sum(x) > 1.0, lambda: tf.math.cumprod(x), lambda: tf.reverse(x, [0]) ** 2)
    for x in (tf.constant([1.0, 2.0, 3.0]), tf.constant([0.1, 0.2, 0.3])):
        wanted = tf.derivatives.jacobian(function)(x)
        same(tf.derivatives.jacobian(graph(function, jit))(x), wanted)
        same(graph(tf.derivatives.jacobian(function), jit)(x), wanted)
        same(graph(tf.derivatives.jacobian(function, mode="forward"), jit)(x), wanted)


@engines
def test_variables_are_assigned_in_the_branch_that_runs(jit):
    v, w = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function(jit_compile=jit)
    def step(x):
        before = v * 1.0
        inside = tf.cond(x > 0.0, lambda: v.assign_add(x) * w, lambda: w.assign(v * 2.0) + 0.0)
        return before, inside, v * w

    same([float(y) for y in step(tf.constant(2.0))], [1.0, 30.0, 30.0])
    assert (float(v), float(w)) == (3.0, 10.0)
    same([float(y) for y in step(tf.constant(-2.0))], [3.0, 6.0, 18.0])
    assert (float(v), float(w)) == (3.0, 6.0)


@engines
def test_variables_that_branches_read_have_gradients(jit):
    v = tf.Variable(3.0)
    function = graph(lambda x: tf.cond(x > 0.0, lambda: v * v * x, lambda: x), jit)
    for x, wanted in ((2.0, 12.0), (-2.0, 0.0)):
        with tf.GradientTape() as tape:
            y = function(tf.constant(x))
        assert float(tape.gradient(y, v)) == wanted


@engines
def test_a_branch_draws_its_own_random_numbers(jit):
    draw = graph(lambda x: tf.cond(x > 0.0, lambda: tf.random.normal([3]), lambda: tf.random.uniform([3])), jit)
    found = []
    for x in (1.0, 1.0, -1.0):
        tf.random.set_seed(7)
        found.append(draw(tf.constant(x)).numpy())
    np.testing.assert_array_equal(found[0], found[1])
    assert (
        not np.array_equal(draw(tf.constant(1.0)), draw(tf.constant(1.0)))
        and 0 <= found[2].min() <= found[2].max() <= 1
    )


def test_strings_and_objects_that_are_the_same_go_through_a_branch():
    text, nothing = graph(
        lambda x: tf.cond(x > 0.0, lambda: (tf.constant("a"), None), lambda: (tf.constant("b"), None))
    )(tf.constant(-1.0))
    assert text.numpy() == b"b" and nothing is None


@engines
def test_a_condition_may_have_one_entry(jit):
    function = graph(lambda x: tf.cond(tf.reshape(x > 0.0, [1]), lambda: x, lambda: -x), jit)
    assert [float(function(tf.constant(x))) for x in (2.0, -3.0)] == [2.0, 3.0]


@engines
@pytest.mark.parametrize(
    ("branches", "error", "words"),
    [
        (
            lambda x: (x, tf.cast(x, tf.float64)),
            TypeError,
            r"at test_conditions.py:\d+: one gives float32, the other float64. Use tf.cast",
        ),
        (lambda x: ((x, x), x), TypeError, "must return the same structure"),
        (lambda x: ({"a": x}, {"b": x}), TypeError, "must return the same structure"),
        (lambda x: (None, x), TypeError, "Both must give a tensor, or the same object"),
    ],
)
def test_branches_that_differ(branches, error, words, jit):
    with pytest.raises(error, match=words):
        tf.function(lambda x: tf.cond(x > 0.0, *[lambda y=y: y for y in branches(x)]), jit_compile=jit)(
            tf.constant(1.0)
        )


@engines
@pytest.mark.parametrize(
    ("pred", "error", "words"),
    [
        (
            lambda x: tf.stack([x, x]) > 0.0,
            ValueError,
            r"got shape \(2,\), at test_conditions.py:\d+. Use tf.reduce_any",
        ),
        (lambda x: x, tf.errors.InvalidArgumentError, "must be bool, got float32"),
    ],
)
def test_conditions_that_are_none(pred, error, words, jit):
    with pytest.raises(error, match=words):
        tf.function(lambda x: tf.cond(pred(x), lambda: x, lambda: -x), jit_compile=jit)(tf.constant(1.0))


@engines
def test_case_checks_at_every_call(jit):
    exclusive = tf.function(
        lambda x: tf.case([(x > 0.0, lambda: x), (x > 1.0, lambda: -x)], default=lambda: x, exclusive=True),
        jit_compile=jit,
    )
    assert float(exclusive(tf.constant(0.5))) == 0.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one condition evaluated as True"):
        exclusive(tf.constant(1.5))
    without = tf.function(lambda x: tf.case([(x > 0.0, lambda: x), (x > 1.0, lambda: -x)]), jit_compile=jit)
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of the 2 conditions"):
        without(tf.constant(-1.0))
