"""Arithmetic: values at hard points, gradients that stay zero, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import same, second, third
from tests.api.gradients import gradient

inf, nan = np.inf, np.nan


# ---- a zero gradient stays zero


@pytest.mark.parametrize(
    "f",
    [
        tf.math.log, tf.sqrt, tf.math.rsqrt, tf.math.reciprocal, lambda x: 1.0 / x, lambda x: x / x, lambda x: x**0.5,
        lambda x: x**-1.0, lambda x: tf.pow(x, [0.5]), tf.math.lgamma, tf.math.digamma, lambda x: tf.math.log(-x - 1),
        lambda x: tf.math.log1p(x - 1), lambda x: tf.asin(x + 1), lambda x: tf.acosh(x + 1), lambda x: tf.atanh(x - 1),
        lambda x: tf.atan2(x, x), lambda x: tf.math.erfinv(x + 1), lambda x: tf.math.log(1 + tf.exp(x + 100)),
        lambda x: tf.cosh(x + 100), tf.math.special.bessel_y0, lambda x: tf.math.zeta(x + 1, x),
    ],
)  # fmt: skip
def test_a_branch_not_taken_sends_no_nan(f):
    """tf.where(x > 0, f(x), 0) used to be NaN in frameworks wherever f has an infinite slope at 0."""
    x = tf.constant([0.0])
    assert gradient(lambda x: tf.where(x > 0, f(x), 0.0), x) == 0
    assert second(lambda x: tf.where(x > 0, f(x), 0.0), x) == 0
    assert third(lambda x: tf.where(x > 0, f(x), 0.0), x) == 0


def test_infinite_slopes_are_still_infinite():
    same(gradient(tf.sqrt, [0.0]), [inf])
    same(gradient(tf.math.reciprocal, [0.0, -0.0]), [-inf, -inf])
    same(gradient(lambda x: x**-1.0, [0.0, 4.0]), [-inf, -0.0625])


# ---- products in which zero wins


def test_no_nan_functions_protect_value_and_gradient():
    same(tf.math.multiply_no_nan([inf, nan, 2.0], [0.0, 0.0, 3.0]), [0, 0, 6])
    a, b = gradient(tf.math.multiply_no_nan, [inf, nan, 2.0, 5.0], [0.0, 0.0, 3.0, 0.0])
    same(a, [0, 0, 3, 0])
    same(b, [0, 0, 2, 5])
    same(tf.math.multiply_no_nan([0.0], [nan]), [nan])
    a, b = gradient(tf.math.divide_no_nan, [1.0, 0.0, 1.0], [0.0, 0.0, 2.0])
    same(a, [0, 0, 0.5])
    same(b, [0, 0, -0.25])
    same(gradient(tf.math.reciprocal_no_nan, [0.0, 2.0]), [0, -0.25])


@pytest.mark.parametrize(
    ("f", "x", "y", "value", "dx", "dy"),
    [
        (
            tf.math.xlogy,
            [0.0, 0.0, 1.0, 1.0],
            [0.0, nan, 0.0, 2.0],
            [0, 0, -inf, np.log(2)],
            [0, 0, -inf, np.log(2)],
            [0, 0, inf, 0.5],
        ),
        (
            tf.math.xdivy,
            [0.0, 0.0, 1.0, 1.0],
            [0.0, 2.0, 0.0, 2.0],
            [0, 0, inf, 0.5],
            [0, 0, inf, 0.5],
            [0, 0, -inf, -0.25],
        ),
        (
            tf.math.xlog1py,
            [0.0, 0.0, 1.0, 1.0],
            [-1.0, 2.0, -1.0, 2.0],
            [0, 0, -inf, np.log(3)],
            [0, 0, -inf, np.log(3)],
            [0, 0, inf, 1 / 3],
        ),
    ],
)
def test_zero_times_anything(f, x, y, value, dx, dy):
    same(f(x, y), value)
    for got, want in zip(gradient(f, x, y), (dx, dy), strict=True):
        same(got, want)
    with pytest.raises(tf.errors.InvalidArgumentError, match="floating"):
        f([1], [2])


def test_zero_times_anything_broadcasts():
    x, y = gradient(tf.math.xlogy, [[0.0], [2.0]], [1.0, 4.0, 0.5])
    assert x.shape == (2, 1) and y.shape == (3,)
    same(y, [2, 0.5, 4])


# ---- larger and smaller


def test_ties_and_nans():
    a, b = gradient(tf.maximum, [1.0, 2.0, 3.0, nan], [2.0, 2.0, 2.0, 1.0])
    same(a, [0, 1, 1, 0])
    same(b, [1, 0, 0, 1])
    a, b = gradient(tf.minimum, [1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
    same(a, [1, 1, 0])
    assert gradient(lambda x: tf.maximum(x, x), 3.0) == 1
    same(gradient(lambda x: tf.maximum(0.0, x), [0.0]), [0])


def test_masks_hold_infinite_gradients_back():
    """The fast mask multiplies; inf * 0 must not make it NaN."""
    x = tf.constant([1.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.maximum(x, 0.0)
    same(tape.gradient(y, x, output_gradients=tf.constant([inf, inf])), [inf, 0])


# ---- sums


def test_add_n():
    same(tf.add_n([[1.0, 2.0], tf.Variable([3.0, 4.0]), [5.0, 6.0]]), [9, 12])
    assert tf.add_n([1, 2, 3]).numpy() == 6
    same(gradient(lambda a, b: tf.add_n([a, b, a]), [1.0], [2.0])[0], [2])
    with pytest.raises(ValueError, match="at least one"):
        tf.add_n([])
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size"):
        tf.add_n([[1.0], [1.0, 2.0]])


def test_add_n_leaves_its_inputs_alone():
    a, b, c = tf.constant([1.0]), tf.constant([2.0]), tf.constant([3.0])
    tf.add_n([a, b, c])
    assert (a.numpy(), b.numpy(), c.numpy()) == (1, 2, 3)


def test_accumulate_n_checks():
    with pytest.raises(ValueError, match="not compatible"):
        tf.math.accumulate_n([[1.0], [2.0]], shape=[2])
    with pytest.raises(TypeError, match="tensor_dtype"):
        tf.math.accumulate_n([[1.0], [2.0]], tensor_dtype=tf.int32)


def test_scalar_mul():
    with pytest.raises(ValueError, match="0-D"):
        tf.scalar_mul([1.0, 2.0], tf.constant([3.0, 4.0]))
    sparse = tf.scalar_mul(2.0, tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([3]), tf.constant([5, 1])))
    assert isinstance(sparse, tf.IndexedSlices) and sparse.values.numpy() == 2


def test_add_takes_the_dtype_of_the_tensor_on_either_side():
    half = tf.constant([1.0], tf.float16)
    assert tf.add(half, 2.0).dtype == tf.add(2.0, half).dtype == tf.float16


def test_squared_difference():
    assert tf.math.squared_difference(1 + 2j, 3 - 1j).numpy() == 13
    a, b = gradient(tf.math.squared_difference, [2.0], [5.0])
    assert (a, b) == (-6, 6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    "f", [tf.sqrt, tf.math.log, tf.math.rsqrt, lambda x: x**3, lambda x: 1 / x, tf.sigmoid, tf.math.erf]
)
def test_gradients_keep_the_dtype(f, dtype):
    x = tf.constant([1.5, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x)
    assert y.dtype == g.dtype == dtype
    wide = tf.cast(x, tf.float64)
    np.testing.assert_allclose(
        tf.cast(g, tf.float64).numpy(), gradient(f, wide), rtol={"float64": 1e-9, "float32": 1e-5}.get(dtype, 0.05)
    )


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 1)])
def test_shapes(shape):
    x = tf.ones(shape)
    for f in (
        tf.sqrt,
        tf.square,
        lambda x: x**2,
        lambda x: x / 2.0,
        lambda x: tf.maximum(x, 1.0),
        lambda x: tf.math.xlogy(x, x),
    ):
        assert tuple(f(x).shape) == shape
        assert gradient(f, x).shape == shape


def test_many_halves_are_added_in_single_precision():
    """3000 times 0.1 was 256."""
    assert tf.add_n([tf.constant(0.1, tf.float16)] * 3000).numpy() == np.float16(3000 * np.float32(np.float16(0.1)))


def test_add_n_of_a_generator():
    assert int(tf.add_n(x for x in [tf.constant(1), tf.constant(2)])) == 3
    with pytest.raises(ValueError, match="at least one Tensor"):
        tf.add_n(iter([]))
