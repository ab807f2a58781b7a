"""Branches and loops inside vectorised functions, where rows choose differently."""

import logging

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient


def by_row(f, xs):
    return np.stack([np.asarray(f(x)) for x in xs])


def gradient_by_row(f, xs):
    return np.stack([np.zeros(x.shape) if (g := gradient(f, x)) is None else g for x in xs])


def per_row_gradient(f):
    def inner(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return inner


X = tf.constant([-2.0, 4.0, 0.0, 9.0])

FUNCTIONS = {
    "cond": lambda x: tf.cond(x > 0, lambda: tf.sqrt(x), lambda: x * x * x),
    "nested cond": lambda x: tf.cond(
        x > 0, lambda: tf.cond(x > 5, lambda: tf.math.log(x), lambda: 1 / x), lambda: tf.exp(x)
    ),
    "case": lambda x: tf.case([(x < 0, lambda: -x), (x > 5, lambda: tf.math.log(x))], default=lambda: x * 2),
    "switch_case": lambda x: tf.switch_case(
        tf.cast(x / 2, tf.int32), {0: lambda: x + 1, 2: lambda: 1 / x, 1: lambda: x}, lambda: x * x
    ),
    "while_loop": lambda x: tf.while_loop(lambda y: y < 50.0, lambda y: (y * y + 2.0,), (x,))[0],
    "while_loop with a counter": lambda x: tf.while_loop(
        lambda i, y: i < x, lambda i, y: (i + 1, tf.sin(y) + x), (0.0, x)
    )[1],
    "custom gradient": lambda x: tf.cond(x > 0, lambda: _log(x), lambda: x),
    "recomputed": lambda x: tf.cond(x > 0, lambda: tf.recompute_grad(lambda z: tf.math.log(z))(x), lambda: x),
}


@tf.custom_gradient
def _log(x):
    return tf.math.log(x), lambda g: g / x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_row_takes_its_own_way(name):
    f = FUNCTIONS[name]
    np.testing.assert_allclose(tf.vmap(f)(X), by_row(f, X), rtol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_do_not_see_the_way_not_taken(name):
    """The square root of -2 has no gradient; it must not make that of its row NaN."""
    f = FUNCTIONS[name]
    want = gradient_by_row(f, X)
    np.testing.assert_allclose(gradient(tf.vmap(f), X), want, rtol=1e-5)
    np.testing.assert_allclose(tf.vmap(per_row_gradient(f))(X), want, rtol=1e-5)
    if name not in ("custom gradient", "recomputed"):
        second = gradient_by_row(per_row_gradient(f), X)
        np.testing.assert_allclose(gradient(tf.vmap(per_row_gradient(f)), X), second, rtol=1e-5)
        np.testing.assert_allclose(tf.vmap(per_row_gradient(per_row_gradient(f)))(X), second, rtol=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_mode(name):
    f = FUNCTIONS[name]
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as acc:
        y = tf.vmap(f)(X)
    np.testing.assert_allclose(acc.jvp(y), gradient_by_row(f, X), rtol=1e-5)


def test_nested_maps():
    f = lambda a, b: tf.cond(
        a + b > 0, lambda: tf.math.log(a + b) * a, lambda: tf.cond(a > 1, lambda: tf.sqrt(a - 1), lambda: b * a)
    )
    a, b = tf.constant([-3.0, 0.5, 2.0]), tf.constant([1.0, -1.0, 3.0, -5.0])
    table = tf.vmap(tf.vmap(f, in_axes=(None, 0)), in_axes=(0, None))
    np.testing.assert_allclose(table(a, b), [[f(p, q).numpy() for q in b] for p in a], rtol=1e-6)
    one_by_one = lambda x: tf.stack([f(x, y) for y in b])
    np.testing.assert_allclose(gradient(lambda a: table(a, b), a), gradient_by_row(one_by_one, a), rtol=1e-6)
    outer = lambda x: tf.vmap(lambda y: tf.cond(x > 0, lambda: tf.math.log(x) * y, lambda: y))(
        b
    )  # the inner rows agree
    np.testing.assert_allclose(gradient(tf.vmap(outer), a), gradient_by_row(outer, a), rtol=1e-6)


def test_tapes_and_jacobians_in_a_branch():
    def f(x):
        def positive():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.math.log(x) * tf.stack([x, 1.0])
            return tape.jacobian(y, x)

        return tf.cond(x > 0, positive, lambda: tf.stack([x, x]))

    np.testing.assert_allclose(tf.vmap(f)(X), by_row(f, X), rtol=1e-6)
    np.testing.assert_allclose(gradient(tf.vmap(f), X), gradient_by_row(f, X), rtol=1e-5)


def test_gradients_of_variables_in_branches():
    v = tf.Variable(2.0)

    def per_row(x):
        with tf.GradientTape() as tape:
            y = tf.cond(x > 0, lambda: tf.math.log(x) * v, lambda: x * v * v)
        return tape.gradient(y, v)

    np.testing.assert_allclose(tf.vmap(per_row)(X), by_row(per_row, X), rtol=1e-6)


def test_a_branch_only_runs_if_a_row_takes_it():
    refuse = lambda: pytest.fail("nobody asked for this branch")
    assert tf.vmap(lambda x: tf.cond(x > -9, lambda: x, refuse))(X).shape == [4]
    assert tf.vmap(lambda x: tf.cond(x > 90, refuse, lambda: x))(X).shape == [4]
    assert tf.vmap(lambda x: tf.cond(x > 0, lambda: x, refuse))(tf.zeros([0])).shape == [0]


def test_a_branch_does_not_see_the_other_rows():
    def checked():
        tf.debugging.assert_positive(x_now[0])
        return tf.math.log(x_now[0])

    x_now = []

    def f(x):
        x_now[:] = [x]
        return tf.cond(x > 0, checked, lambda: x)

    np.testing.assert_allclose(tf.vmap(f)(X), by_row(f, X), rtol=1e-6)


def test_a_branch_that_begins_unobserved():
    """What `recompute_grad` uses first is not recorded there; where it is used again it must be."""
    log = tf.recompute_grad(tf.math.log)
    f = lambda x: tf.cond(x > 0, lambda: log(x) * x, lambda: x * x)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.vmap(f)(X)
    np.testing.assert_allclose(tape.gradient(y, X), gradient_by_row(f, X), rtol=1e-6)
    np.testing.assert_allclose(tf.vmap(per_row_gradient(f))(X), gradient_by_row(f, X), rtol=1e-6)


def test_a_branch_in_which_a_tape_pauses():
    with tf.GradientTape() as tape:
        tape.watch(X)

        def paused(x):
            with tape.stop_recording():
                constant = tf.math.log(x)
            return constant * x

        y = tf.vmap(lambda x: tf.cond(x > 0, lambda: paused(x), lambda: x * x))(X)
    np.testing.assert_allclose(tape.gradient(y, X), [-4.0, np.log(4.0), 0.0, np.log(9.0)], rtol=1e-6)


def test_a_branch_that_watches_what_it_has_used():
    def slope(x):
        def watched():
            constant = 2 * x
            tape.watch(x)
            return constant * x

        with tf.GradientTape() as tape:
            y = tf.cond(x > 0, watched, lambda: 3 * x)
        return tape.gradient(y, x)

    np.testing.assert_allclose(tf.vmap(slope)(X)[1::2], [8, 18])


def test_forward_mode_of_a_custom_gradient_in_a_branch():
    log = tf.custom_gradient(lambda x: (tf.math.log(x), lambda g: g / x))
    slope = lambda x: tf.derivatives.jvp(lambda y: log(y) ** 2, x, tf.ones_like(x))[1]
    f = lambda x: tf.cond(x > 0, lambda: slope(x), lambda: x * x)
    np.testing.assert_allclose(tf.vmap(per_row_gradient(f))(X), gradient_by_row(f, X), rtol=1e-6)


def test_recursion_ends_for_every_row():
    factorial = lambda n: tf.cond(n <= 1, lambda: tf.constant(1), lambda: n * factorial(n - 1))
    assert tf.vmap(factorial)(tf.constant([1, 5, 3])).numpy().tolist() == [1, 120, 6]


def test_random_numbers_in_a_branch():
    f = lambda x: tf.cond(x > 0, lambda: x + tf.random.normal([]), lambda: x)
    tf.random.set_seed(1)
    out = tf.vmap(f, randomness="different")(tf.constant([1.0, -1.0, 1.0])).numpy()
    assert out[1] == -1 and out[0] != out[2]


def test_loops_with_structures_and_tensor_arrays():
    def collatz(n):
        steps, _, seen = tf.while_loop(
            lambda k, n, ta: n > 1,
            lambda k, n, ta: (k + 1, tf.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), ta.write(k, n)),
            (0, n, tf.TensorArray(tf.int32, size=9)),
        )
        return steps, seen.stack()

    steps, seen = tf.vmap(collatz)(tf.constant([6, 1, 3]))
    assert steps.numpy().tolist() == [8, 0, 7]
    assert seen.numpy().tolist() == [[6, 3, 10, 5, 16, 8, 4, 2, 0], [0] * 9, [3, 10, 5, 16, 8, 4, 2, 0, 0]]


def test_reading_a_tensor_array_at_a_place_of_each_row():
    table = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack([1.0, 2.0, 3.0])
    assert tf.vmap(lambda i: table.read(i))(tf.constant([2, 0, 1, 1])).numpy().tolist() == [3, 1, 2, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="index 3"):
        tf.vmap(lambda i: table.read(i))(tf.constant([2, 3]))


def test_maximum_iterations():
    f = lambda x: tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1.0, s + x), (0.0, 0.0), maximum_iterations=2)[1]
    assert tf.vmap(f)(tf.constant([1.0, 5.0])).numpy().tolist() == [1, 10]


# ---- what does not fit


def test_results_must_be_alike():
    x = tf.constant([[1.0, 2.0], [-1.0, 2.0]])
    with pytest.raises(TypeError, match="structure"):
        tf.vmap(lambda x: tf.cond(x[0] > 0, lambda: [x], lambda: x))(x)
    with pytest.raises(TypeError, match="float32 and int32"):
        tf.vmap(lambda x: tf.cond(x[0] > 0, lambda: x, lambda: tf.constant(1)))(x)
    with pytest.raises(ValueError, match=r"\(2,\) and \(1,\)"):
        tf.vmap(lambda x: tf.cond(x[0] > 0, lambda: x, lambda: x[:1]))(x)
    with pytest.raises(ValueError, match=r"shape \(2,\).*reduce_any"):
        tf.vmap(lambda x: tf.cond(x > 0, lambda: x, lambda: -x))(x)
    with pytest.raises(ValueError, match="Loop variables must have the same shapes"):
        tf.vmap(lambda x: tf.while_loop(lambda y: y[0] > 0, lambda y: (-tf.concat([y, y], 0),), (x,)))(x)


def test_case_without_a_match():
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of the 1 conditions"):
        tf.vmap(lambda x: tf.case([(x > 0, lambda: x)]))(X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="exclusive"):
        tf.vmap(lambda x: tf.case([(x > 0, lambda: x), (x > 5, lambda: x)], default=lambda: x, exclusive=True))(X)


def test_python_branches_are_refused_or_computed_row_by_row(caplog):
    f = lambda x: x if x > 0 else -x
    with pytest.raises(TypeError, match=r"truth value.*4 rows.*tf.cond"):
        tf.vmap(f)(X)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        assert tf.vectorized_map(f, X).numpy().tolist() == [2, 4, 0, 9]
    assert "row by row" in caplog.text


def test_branches_that_write_to_one_tensor_array():
    def f(x):
        ta = tf.TensorArray(tf.float32, 1)
        return tf.cond(x > 0, lambda: ta.write(0, x), lambda: ta.write(0, -x)).stack()

    with pytest.raises(TypeError, match="same TensorArray"):
        tf.vmap(f)(X)
    assert tf.vectorized_map(f, X).numpy().ravel().tolist() == [2, 4, 0, 9]


@pytest.mark.parametrize("variables", [list, tuple])
@pytest.mark.parametrize("results", [list, tuple])
def test_loop_variables_in_a_list_or_a_tuple(variables, results):
    halve = lambda n, v: results((n + 1, v / 2.0))
    f = lambda a: tf.while_loop(lambda n, v: v > 1.5, halve, variables((tf.constant(0), a)))[1]
    np.testing.assert_allclose(tf.vectorized_map(f, tf.constant([1.0, 5.0])), [1.0, 1.25])
