"""Loops in a `tf.function`: values, state, bounds and errors, against the same program run by Python."""

import collections

import numpy as np
import pytest

import tapeflow as tf

from .flow_checks import check, engines, graph, repeat, same, slope

Pair = collections.namedtuple("Pair", "first second")


def power(x):
    return repeat(5, lambda i, t: t * x + tf.sin(t), x)


def until_large(x):
    bounded = tf.while_loop(
        lambda t, n: t < 10.0, lambda t, n: (t * 1.7 + x, n + 1.0), (x, 0.0), maximum_iterations=20
    )
    return bounded[0] ** 2 * bounded[1]


def no_iteration(x):
    return tf.while_loop(lambda t: t < 0.0, lambda t: (t * x,), (x * x,), maximum_iterations=5)[0]


def stopped_by_the_bound(x):
    return tf.while_loop(lambda t: True, lambda t: (t * x + 1.0,), (x,), maximum_iterations=3)[0]


def dicts_and_tuples(x):
    step = lambda s: ({"n": s["n"] + 1, "pair": Pair(s["pair"].second, s["pair"].first * s["pair"].second + x)},)
    start = ({"n": 0, "pair": Pair(x, x * x)},)
    last = tf.while_loop(lambda s: s["n"] < 4, step, start, maximum_iterations=6)[0]["pair"]
    return last.first + last.second


def state_that_stays(x):
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a, b * a), (0, x, x * 2.0), maximum_iterations=4
    )
    return a * b


def state_that_is_swapped(x):
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a), (0, x, x**2), maximum_iterations=4)
    return a * b**2


def state_from_outside(x):
    y = x**3
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 2, lambda i, a, b: (i + 1, y, tf.constant(2.0)), (0, x, x), maximum_iterations=4
    )
    return a * b * x


def one_value_twice(x):
    return tf.add_n(
        tf.while_loop(lambda a, b: a < 9.0, lambda a, b: (a * b + 1.0, a * b + 1.0), (x, x), maximum_iterations=9)
    )


def whole_numbers_and_truths(x):
    def step(i, going, k, t):
        return i + 1, i < 3, k + i, t * tf.cast(k, tf.float32) + tf.cast(going, tf.float32) * x

    return tf.while_loop(lambda i, going, *_: going, step, (0, True, 1, x * x), maximum_iterations=9)[3]


def loop_in_loop(x):
    inner = lambda i, t: tf.while_loop(
        lambda j, u: j <= i, lambda j, u: (j + 1, tf.sin(u) * x), (0, t), maximum_iterations=4
    )[1]
    return repeat(3, lambda i, t: t + inner(i, t), x)


def loop_in_loop_without_a_pattern(x):
    until = lambda t: tf.while_loop(lambda u: tf.abs(u) < 4.0, lambda u: (u * 1.5 + x,), (t,), maximum_iterations=8)[0]
    return repeat(3, lambda i, t: tf.sin(until(t)), x)


def branch_in_loop(x):
    return repeat(5, lambda i, t: tf.cond(i % 2 == 0, lambda: t * x + 1.0, lambda: tf.sin(t)), x)


def loop_in_branch_in_loop(x):
    branches = lambda t: [lambda n=n: repeat(n, lambda i, u: u * 0.5 + tf.sin(x), t) for n in (1, 2, 3)]
    return repeat(3, lambda i, t: tf.switch_case(i, branches(t)), x)


def written_to_an_array(x):
    array = tf.TensorArray(tf.float32, size=3)
    step = lambda i, array, t: (i + 1, array.write(i, t), t * x + 1.0)
    return tf.reduce_prod(tf.while_loop(lambda i, *_: i < 3, step, (0, array, x), maximum_iterations=3)[1].stack())


def read_from_an_array(x):
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(tf.stack([x, x**2, tf.sin(x)]))
    return repeat(3, lambda i, t: t + array.read(i) * tf.reduce_sum(array.gather([i, 0])), x)


def tape_in_a_loop(x):
    def descend(i, t):
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = power(t) * tf.sin(x)
        return t - 0.01 * tape.gradient(y, t)

    return repeat(2, descend, 0.5 * x)


def scan(x):
    return tf.scan(lambda a, r: tf.sin(a) * r + x, tf.stack([x, x**2, x**3]))


def scan_backwards(x):
    rows = tf.stack([x, x**2, x**3])
    a, b = tf.scan(lambda s, r: (s[1] * r, s[0] + r), rows, initializer=(x, x * 2.0), reverse=True)
    return a * b


def folds(x):
    rows = tf.stack([x, x**2, x**3])
    return tf.foldl(lambda a, r: a * r + 1.0, rows) * tf.foldr(lambda a, r: tf.sin(a) + r, rows, initializer=x)


def map_of_scans(x):
    rows = tf.stack([[x, x**2], [x**3, tf.sin(x)]])
    return tf.map_fn(lambda row: tf.scan(lambda a, r: a * r + x, row), rows)


PROGRAMS = [
    (power, 0.7), (until_large, 0.7, 12.0), (no_iteration, 0.7), (stopped_by_the_bound, 0.7), (dicts_and_tuples, 0.7),
    (state_that_stays, 0.7), (state_that_is_swapped, 0.7), (state_from_outside, 0.7), (one_value_twice, 0.7, 20.0),
    (whole_numbers_and_truths, 0.7), (loop_in_loop, 0.7), (loop_in_loop_without_a_pattern, 0.7), (branch_in_loop, 0.7),
    (loop_in_branch_in_loop, 0.7), (written_to_an_array, 0.7), (read_from_an_array, 0.7), (tape_in_a_loop, 0.7),
    (scan, 0.7), (scan_backwards, 0.7), (folds, 0.7), (map_of_scans, 0.7),
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
@pytest.mark.parametrize("dtype", [tf.float64, tf.float16, tf.bfloat16], ids=lambda d: d.name)
def test_other_floats(dtype, jit):
    x = tf.constant(0.7, dtype)
    for function in (power, lambda x: slope(power, x)):
        found, wanted = graph(function, jit)(x), function(x)
        assert found.dtype is dtype
        np.testing.assert_allclose(float(found), float(wanted), rtol=1e-12 if dtype is tf.float64 else 0.02)


def test_strings_are_state():
    shout = graph(lambda s: repeat(3, lambda i, t: tf.strings.join([t, "!"]), s))
    assert shout(tf.constant("a")).numpy() == b"a!!!"


# ---- how often


@engines
def test_the_bound_may_be_a_number_a_tensor_or_a_variable(jit):
    double = lambda x, n: tf.while_loop(lambda t: True, lambda t: (t * 2.0,), (x,), maximum_iterations=n)[0]
    x, v = tf.constant(1.0), tf.Variable(3)
    assert [float(graph(lambda x, n=n: double(x, n), jit)(x)) for n in (0, -1, 4)] == [1.0, 1.0, 16.0]
    tensor, variable = graph(double, jit), graph(lambda x: double(x, v), jit)
    assert [float(tensor(x, tf.constant(n))) for n in (0, -1, 4)] == [1.0, 1.0, 16.0]
    assert float(variable(x)) == 8.0
    v.assign(5)
    assert float(variable(x)) == 32.0


@engines
def test_a_condition_may_have_one_entry(jit):
    function = graph(lambda x: tf.while_loop(lambda t: tf.reshape(t < 3.0, [1]), lambda t: (t + 1.0,), (x,))[0], jit)
    assert float(function(tf.constant(0.5))) == 3.5


def test_no_rows():
    nothing = tf.zeros([0])
    function = graph(
        lambda x: (
            tf.foldl(tf.add, nothing, initializer=x),
            tf.scan(tf.add, nothing, initializer=x),
            tf.map_fn(tf.sin, nothing),
        )
    )
    last, states, images = function(tf.constant(2.0))
    assert float(last) == 2.0 and states.shape == (0,) and images.shape == (0,)


# ---- variables and random numbers


@engines
def test_a_training_loop(jit):
    def train(w, x):
        def step(i):
            with tf.GradientTape() as tape:
                loss = (w * x - 3.0) ** 2
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return (i + 1,)

        tf.while_loop(lambda i: i < 10, step, (0,))
        return w * 1.0

    found, wanted = tf.Variable(2.0), tf.Variable(2.0)
    same(graph(lambda x: train(found, x), jit)(tf.constant(1.0)), train(wanted, tf.constant(1.0)))
    same(found, wanted)


@engines
def test_reads_and_assignments_keep_their_order(jit):
    def program(v, x):
        before = v * 1.0

        def step(i, t):
            now = v * 1.0
            v.assign_add(x)
            return i + 1, t * 10.0 + now

        inside = tf.while_loop(lambda i, t: v < 4.0, step, (0, before))[1]
        return before, inside, v * 1.0

    found, wanted = tf.Variable(1.0), tf.Variable(1.0)
    function = graph(lambda x: program(found, x), jit)
    for x in (1.0, 0.5, -4.5, 2.0):
        same(function(tf.constant(x)), program(wanted, tf.constant(x)))
        same(found, wanted)


@engines
def test_variables_that_a_loop_reads_have_gradients(jit):
    v = tf.Variable([1.0, 2.0, 3.0])
    function = lambda x: repeat(3, lambda i, t: t * tf.reduce_sum(tf.nn.embedding_lookup(v, [0, i])), x)
    found = []
    for run in (function, graph(function, jit)):
        with tf.GradientTape() as tape:
            y = run(tf.constant(2.0))
        found.append(tf.convert_to_tensor(tape.gradient(y, v)))
    same(*found)


@engines
def test_random_numbers_differ_from_iteration_to_iteration_and_follow_the_seed(jit):
    def draw():
        array = tf.TensorArray(tf.float32, size=50)
        return tf.while_loop(lambda i, a: i < 50, lambda i, a: (i + 1, a.write(i, tf.random.normal([]))), (0, array))[
            1
        ].stack()

    run, found = graph(draw, jit), []
    for _ in range(2):
        tf.random.set_seed(5)
        found += [run().numpy(), run().numpy()]
    np.testing.assert_array_equal(found[:2], found[2:])
    assert len(np.unique(found[:2])) == 100 and abs(np.mean(found)) < 0.4


@engines
def test_the_same_numbers_are_behind_a_value_and_its_gradient(jit):
    """Dropout in a loop: the backward loop must not draw again."""

    def function(x):
        return repeat(20, lambda i, t: t + x * tf.round(tf.random.uniform([])), x)

    def value_and_slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x)

    y, inside = graph(value_and_slope, jit)(tf.constant(1.0))
    assert float(y) == float(inside) and 1 < float(y) < 21


# ---- errors


@engines
@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        (
            lambda i, t: (i + 1, tf.cast(t, tf.float64)),
            TypeError,
            r"number 1\[1\], at test_loops.py:\d+, is float32 before the loop",
        ),
        (
            lambda i, t: (i + 1, tf.stack([t, t])),
            ValueError,
            r"has shape \(\) before the loop, but \(2,\).*shape_invariants",
        ),
        (lambda i, t: (i + 1, t, t), ValueError, "the first has 2 entries, the second 3"),
        (lambda i, t: (i + 1, {"t": t}), (TypeError, ValueError), "structure"),
        (lambda i, t: (i + 1, None), TypeError, "is None after an iteration"),
    ],
)
def test_bodies_that_change_what_a_loop_variable_is(body, error, words, jit):
    with pytest.raises(error, match=words):
        tf.function(lambda x: tf.while_loop(lambda i, t: i < 3, body, (0, x)), jit_compile=jit)(tf.constant(1.0))


@engines
@pytest.mark.parametrize(
    ("cond", "error", "words"),
    [
        (lambda t: tf.stack([t, t]) < 3.0, ValueError, r"scalar bool, got bool of shape \(2,\)"),
        (lambda t: tf.cast(t, tf.int32), (TypeError, ValueError), "scalar bool, got int32"),
        (lambda t: None, TypeError, "must return a bool, got None"),
    ],
)
def test_conditions_that_are_none(cond, error, words, jit):
    with pytest.raises(error, match=words):
        tf.function(lambda x: tf.while_loop(cond, lambda t: (t + 1.0,), (x,)), jit_compile=jit)(tf.constant(1.0))


@engines
def test_a_tensor_does_not_leave_its_iteration(jit):
    kept = []

    def step(t):
        kept.append(t * 2.0)
        return (t + 1.0,)

    with pytest.raises(TypeError, match=r"belongs to another function \(or branch, or loop\)"):
        tf.function(lambda x: (tf.while_loop(lambda t: t < 3.0, step, (x,)), kept[0] + 1.0), jit_compile=jit)(
            tf.constant(1.0)
        )


def test_shapes_that_grow_run_as_python():
    grow = lambda x: tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, tf.concat([t, t], 0)), (0, tf.stack([x])),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )[1]  # fmt: skip
    assert tf.function(grow)(tf.constant(1.0)).shape == (8,)
