"""Running sums, products and log-sum-exps: arguments, zeros and infinities."""

import numpy as np
import pytest

import tapeflow as tf

INF = np.inf


def value_and_slope(f, x, weights=None):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
        total = y if weights is None else tf.reduce_sum(tf.gather(y, range(len(weights))) * weights)
    return y.numpy(), tape.gradient(total, x).numpy()


@pytest.mark.parametrize(
    "options,slope",
    [
        ({}, [1, 10, 0]),
        ({"exclusive": True}, [1, 2, 0]),
        ({"reverse": True}, [0, 12, 1]),
        ({"exclusive": True, "reverse": True}, [0, 4, 1]),
    ],
)
def test_cumprod_is_exact_at_zero(options, slope):
    """TensorFlow divides by the element and gives 0 for everything after a zero."""
    assert value_and_slope(lambda x: tf.math.cumprod(x, **options), [2.0, 0.0, 4.0])[1].tolist() == slope


def test_cumprod_at_two_zeros():
    assert value_and_slope(tf.math.cumprod, [0.0, 0.0, 4.0])[1].tolist() == [1, 0, 0]


def test_cumprod_of_many():
    """Longer than a block of the recurrence, with zeros in it."""
    x = np.random.default_rng(0).uniform(0.9, 1.1, 500)
    x[[100, 300]] = 0
    y, slope = value_and_slope(tf.math.cumprod, x)
    np.testing.assert_allclose(y, np.cumprod(x))
    h = 1e-6
    for k in (0, 99, 100, 101, 299, 400):
        moved = [np.cumprod(np.where(np.arange(500) == k, x + s * h, x)).sum() for s in (1, -1)]
        np.testing.assert_allclose(slope[k], (moved[0] - moved[1]) / (2 * h), atol=1e-5)


def test_an_overflowing_product_harms_only_itself():
    x = tf.constant([1e30] * 400, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumprod(x)[0]
    slope = tape.gradient(y, x).numpy()
    assert slope[0] == 1 and not slope[1]


def test_cumulative_logsumexp_with_minus_infinity():
    y, slope = value_and_slope(tf.math.cumulative_logsumexp, [-INF, 0.0])
    assert y.tolist() == [-INF, 0] and slope.tolist() == [0, 1]
    y, slope = value_and_slope(tf.math.cumulative_logsumexp, [-INF, -INF, 0.0, -INF, 0.0])
    np.testing.assert_allclose(slope, [0, 0, 2.5, 0, 0.5])


@pytest.mark.parametrize("reverse", [False, True])
def test_exclusive_logsumexp(reverse):
    """The first entry is -inf, so that the slope is compared without it: y[k] = log(sum of exp(x[:k]))."""
    x = np.array([800.0, -3.0, 801.0, 2.0])
    way = -1 if reverse else 1
    x = tf.constant(x[::way].copy())
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumulative_logsumexp(x, exclusive=True, reverse=reverse)
        total = tf.reduce_sum(
            tf.where(tf.math.is_inf(y), 0.0, y * tf.constant([1.0, 2.0, 3.0, 4.0][::way], tf.float64))
        )
    p = 1 / (1 + np.e)
    np.testing.assert_allclose(y.numpy()[::way], [-INF, 800, 800, 801 + np.log1p(np.exp(-1))])
    np.testing.assert_allclose(tape.gradient(total, x).numpy()[::way], [5 + 4 * p, 0, 4 - 4 * p, 0], atol=1e-9)


def test_integers_and_small_dtypes_keep_their_dtype():
    assert tf.cumsum(tf.constant([100, 100], tf.int8)).numpy().tolist() == [100, -56]
    assert tf.math.cumprod([[1, 2], [3, 4]], axis=tf.constant(1), exclusive=True).numpy().tolist() == [[1, 1], [1, 3]]


@pytest.mark.parametrize("x,axis", [(3.0, 0), ([3.0], 1), ([3.0], -2), ([3.0], [0])])
def test_wrong_axis(x, axis):
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis"):
        tf.cumsum(x, axis)


def test_logsumexp_needs_floats():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.cumulative_logsumexp([1, 2])


def test_of_nothing():
    assert tf.cumsum(tf.zeros([0, 3]), exclusive=True).shape == (0, 3)
    assert tf.math.cumprod(tf.zeros([2, 0]), axis=1).shape == (2, 0)
