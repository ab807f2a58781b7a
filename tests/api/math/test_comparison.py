"""Comparisons and logic."""

import numpy as np
import pytest

import tapeflow as tf

inf, nan = np.inf, np.nan


def test_nan_is_unequal_to_everything():
    assert not tf.equal([nan], [nan]).numpy()[0]
    assert tf.not_equal([nan], [nan]).numpy()[0]


def test_strings_booleans_and_complex_numbers_are_equal_or_not():
    assert tf.equal(["a", "b"], ["a", "c"]).numpy().tolist() == [True, False]
    assert tf.not_equal(True, [True, False]).numpy().tolist() == [False, True]
    assert tf.equal(1j, [1j, 2j]).numpy().tolist() == [True, False]


@pytest.mark.parametrize("f", [tf.less, tf.less_equal, tf.greater, tf.greater_equal])
@pytest.mark.parametrize("x", [["a"], [1j], [True]])
def test_what_has_no_order(f, x):
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not take"):
        f(x, x)


def test_shapes_must_fit():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.equal([1, 2], [1, 2, 3])


@pytest.mark.parametrize("f", [tf.logical_and, tf.logical_or, tf.math.logical_xor])
def test_logic_needs_booleans(f):
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        f([1], [2])


@pytest.mark.parametrize("f", [tf.math.is_nan, tf.math.is_finite, tf.math.is_inf])
def test_questions_cut_the_gradient_quietly(f):
    x = tf.constant([1.0, nan])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(f(x), x, 2 * x)
    assert tape.gradient(y, x) is not None
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    ("x", "rising", "strictly"),
    [([1, 2, 2], True, False), ([1, 2, 3], True, True), ([2, 1], False, False), ([], True, True), ([5.0], True, True)],
)
def test_order(x, rising, strictly):
    assert tf.math.is_non_decreasing(x).numpy() == rising
    assert tf.math.is_strictly_increasing(x).numpy() == strictly


def test_order_of_a_matrix_is_row_by_row():
    assert tf.math.is_strictly_increasing([[1, 2], [3, 4]]).numpy()
    assert not tf.math.is_strictly_increasing([[1, 3], [2, 4]]).numpy()


def test_large_choices_take_every_bit():
    """Large arrays are chosen on their bits; NaN, -0.0 and infinities must come through."""
    n = 20_000
    a, b = np.full(n, -0.0, np.float32), np.full(n, nan, np.float32)
    mask = np.arange(n) % 3 == 0
    got = tf.where(mask, a, b).numpy()
    assert np.signbit(got[mask]).all() and np.isnan(got[~mask]).all()
    assert tf.where(mask, inf, a).numpy()[0] == inf


@pytest.mark.parametrize("x", [[[1.0, 2.0], [3.0, 4.0]], [], 1.0, [2.0, 1.0]])
def test_order_of_elements_in_a_function(x):
    """They were refused in every tf.function."""
    for f in (tf.math.is_strictly_increasing, tf.math.is_non_decreasing):
        assert bool(tf.function(f)(tf.constant(x))) == bool(f(tf.constant(x))) == (x != [2.0, 1.0])


def test_tensors_whose_shapes_do_not_fit_are_not_equal():
    a, b = tf.zeros([2, 3]), tf.zeros([0, 3])
    assert (a != b).numpy() and not (a == b).numpy()
    assert tf.function(lambda a, b: a != b)(a, b).numpy()
    for compare in (tf.equal, tf.not_equal):
        with pytest.raises(tf.errors.InvalidArgumentError):
            compare(a, b)
