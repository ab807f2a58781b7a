"""Loop fusion: what is computed together, and that nobody sees it."""

import random

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engines.native import fusion
from tests.rounding import close

needs_library = pytest.mark.skipif(not fusion.has("add"), reason="the C library is not there")


def drawn(*shape, seed=0):
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def plan_of(f, *args):
    return tf.function(f).get_concrete_function(*args).function.run.source.splitlines()[1:-1]


@needs_library
def test_a_chain_is_one_call():
    def f(x):
        y = x
        for _ in range(50):
            y = tf.sin(y) * y
        return y

    assert len(plan_of(f, drawn(4))) == 1


@needs_library
def test_a_gradient_is_part_of_it():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x * 0.5) * tf.sigmoid(x)
        return tape.gradient(y, x)

    x = drawn(30)
    assert len(plan_of(f, x)) == 1
    close(tf.function(f)(x), f(x), terms=8, size=1.0)


@needs_library
def test_a_group_ends_where_something_else_needs_it():
    """The product waits for the first group, and the second for the product."""

    def f(x, w):
        h = tf.tanh(x * 2.0 + 1.0) - 0.5
        y = h @ w
        return tf.exp(-y) * h + y * 0.5

    assert len([line for line in plan_of(f, drawn(40, 40), drawn(40, 40, seed=1)) if " = " in line]) == 3


@needs_library
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * 2.0 + 1.0,  # few on few elements
        lambda x: tf.cast(x, tf.float64) * 2.0 - tf.exp(tf.cast(x, tf.float64)) + 1.0,  # other dtypes
        lambda x: tf.reduce_sum(x) * 2.0 + tf.exp(tf.reduce_sum(x)) - 1.0,  # numbers
        lambda x: tf.cumsum(tf.reverse(tf.cumsum(x), [0])),
    ],
)
def test_what_stays_as_it_is(f):
    assert not any("y0" in line for line in plan_of(f, drawn(3)))
    graph = tf.function(f).get_concrete_function(drawn(3))
    assert "fused" not in [node.prim.name for node in graph.function.graph.nodes]
    close(tf.function(f)(drawn(3)), f(drawn(3)), terms=4)


@needs_library
def test_memory_is_written_over():
    """As without fusion: a value that is not read any more lends its memory, once all instructions have read it."""

    def f(x, w):
        y = x @ w  # new, and large
        return tf.tanh(y) * tf.exp(y) - y

    x, w = drawn(90, 90), drawn(90, 90, seed=1)
    [line] = [line for line in plan_of(f, x, w) if "y0=" in line]
    close(tf.function(f)(x, w), f(x, w), terms=100, size=30.0)

    def both(x, w):
        y = x @ w
        t = tf.tanh(y)
        return t, tf.exp(y) * t  # `t` is written before `y` has been read for the last time

    [line] = [line for line in plan_of(both, x, w) if "y0=" in line or "y1=" in line]
    assert "y1=" in line and "y0=" not in line
    for got, want in zip(tf.function(both)(x, w), both(x, w), strict=True):
        close(got, want, terms=100, size=30.0)


def test_arguments_of_any_layout():
    def f(x, row):
        return tf.tanh(x * row + 1.0) * x, tf.exp(-x) - row

    wide = np.random.default_rng(0).normal(size=(30, 40)).astype(np.float32)
    row = drawn(20, seed=2)
    g = tf.function(f)
    for x in (wide[:, 10:30], wide[:, ::2], np.asfortranarray(wide[:, :20]), wide.T[:20].T, wide[::-1, :20]):
        for got, want in zip(g(tf.constant(x), row), f(tf.constant(x), row), strict=True):
            close(got, want, terms=8, size=1.0)


def test_variables_keep_what_they_held():
    """An update is computed in one pass; who has read the variable before keeps the old value."""
    m, v, w = [tf.Variable(drawn(100, 70, seed=k)) for k in range(3)]

    @tf.function
    def step(g):
        m.assign(0.9 * m + 0.1 * g)
        v.assign(0.99 * v + 0.01 * g * g)
        w.assign_sub(0.1 * m / (tf.sqrt(tf.abs(v)) + 1e-3))
        return w * 1.0

    g = drawn(100, 70, seed=5)
    before = [x.value() for x in (m, v, w)]
    copies = [x.numpy().copy() for x in before]
    step(g)
    for x, copy in zip(before, copies, strict=True):
        np.testing.assert_array_equal(x, copy)
    new_m = 0.9 * copies[0] + 0.1 * g.numpy()
    new_v = 0.99 * copies[1] + 0.01 * g.numpy() ** 2
    close(m, new_m, terms=3, size=3.0)
    close(w, copies[2] - 0.1 * new_m / (np.sqrt(np.abs(new_v)) + 1e-3), terms=8, size=100.0)


def test_errors_and_numbers_that_are_looked_at_stay_where_they_are():
    """Who looks at every value sees every value."""
    f = tf.function(lambda x: tf.exp(tf.math.log(x * 1.0) * 2.0) + tf.sqrt(x) * 3.0 - 1.0)
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="log"):
            f(tf.constant(np.full((64, 64), -1, np.float32)))
    finally:
        tf.debugging.disable_check_numerics()


ONE = [tf.tanh, tf.sigmoid, tf.exp, tf.sin, tf.cos, tf.nn.relu, tf.square, tf.abs, lambda x: -x, tf.nn.gelu]
TWO = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, tf.maximum, tf.minimum]
OTHER = [
    lambda x: tf.reduce_sum(x, axis=-1, keepdims=True) * 0.1, lambda x: tf.reverse(x, [0]), tf.nn.softmax,
    lambda x: tf.transpose(tf.transpose(x) * 1.5), lambda x: tf.reduce_mean(x),
]  # fmt: skip


def program(rng, steps):
    """A random function of a matrix, a row and a number; values stay small."""
    plan = []
    for _ in range(steps):
        kind = rng.random()
        if kind < 0.45:
            plan.append((rng.choice(ONE), [rng.random()]))
        elif kind < 0.9:
            plan.append((rng.choice(TWO), [rng.random(), rng.random()]))
        else:
            plan.append((rng.choice(OTHER), [rng.random()]))
    wanted = [rng.random() for _ in range(3)]

    def f(x, row, number):
        values = [x, row + x * 0.0, number * tf.ones_like(x), x * row, number * x]
        for function, places in plan:
            values.append(tf.clip_by_value(function(*[values[int(p * len(values))] for p in places]), -3.0, 3.0))
            values[-1] = values[-1] + values[0] * 0.0
        return [values[-1], *[values[int(p * len(values))] for p in wanted]]

    return f


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    rng = random.Random(seed)
    f = program(rng, rng.randrange(3, 25))
    shape = rng.choice([(3, 5), (40, 30), (70, 80)])

    def with_gradient(x, row, number):
        with tf.GradientTape() as tape:
            tape.watch([x, row, number])
            ys = f(x, row, number)
            total = tf.add_n([tf.reduce_mean(y) for y in ys])
        return [*ys, *tape.gradient(total, [x, row, number], unconnected_gradients="zero")]

    args = drawn(*shape, seed=seed), drawn(shape[1], seed=seed + 100), tf.constant(0.7)
    g = tf.function(with_gradient)
    for got, want in zip(g(*args), with_gradient(*args), strict=True):
        # Slopes jump where values tie; sums in another order, and a few functions on the way.
        apart = np.abs(got.numpy() - want.numpy())
        assert np.mean(apart > 1e-4 * (1 + np.abs(want.numpy()))) < 0.02, seed
