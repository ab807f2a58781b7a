"""Reductions: arguments, dtypes, hard points. The kernels and their gradients are in the check of all primitives."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

NAN, INF = np.nan, np.inf


def slope(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


@pytest.mark.parametrize(
    "axis",
    [1, -2, [0, 2], (2, 0), np.int64(1), np.array([0, 1]), tf.constant(2), tf.constant([-1, 0]), None, [], True],
    ids=str,
)
@pytest.mark.parametrize("keepdims", [False, True, 1])
def test_axis_is_given_in_many_ways(axis, keepdims):
    x = np.arange(24.0).reshape(2, 3, 4)
    plain = None if axis is None else tuple(np.asarray(axis).ravel().astype(int).tolist())
    np.testing.assert_array_equal(tf.reduce_sum(x, axis, keepdims).numpy(), x.sum(axis=plain, keepdims=bool(keepdims)))


@pytest.mark.parametrize("axis", [2, -3, [0, 5], [0, 0], [0, -2], 0.5, "a", [1.5]])
def test_wrong_axis(axis):
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis"):
        tf.reduce_sum([[1.0, 2.0]], axis=axis)


@pytest.mark.parametrize("axis", [0, -1])
def test_a_scalar_has_no_axis(axis):
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
        tf.reduce_max(3.0, axis=axis)
    assert tf.reduce_max(3.0, axis=[]).numpy() == 3.0


def test_bool_is_not_added():
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool"):
        tf.reduce_sum([True, False])


def test_numbers_are_no_truth_values():
    with pytest.raises(TypeError):
        tf.reduce_any([1, 0])


def test_integer_mean_rounds_towards_zero():
    assert [int(tf.reduce_mean(v)) for v in ([1, 2], [-1, -2], [3, 3])] == [1, -1, 3]
    assert tf.reduce_mean([1, 2]).dtype == tf.int32
    assert int(tf.reduce_mean(tf.constant([200, 200, 200], tf.uint8))) == 200  # the sum does not fit uint8
    assert int(tf.reduce_mean(tf.zeros([0], tf.int32))) == 0


def test_sums_of_halves_do_not_stall():
    """Added one by one in float16, 0.1 stops counting at 256."""
    x = tf.constant(np.full(4000, 0.1, np.float16))
    assert abs(float(tf.reduce_sum(x)) - 400) < 0.5
    assert abs(float(tf.cumsum(x)[-1]) - 400) < 0.5
    assert float(tf.reduce_mean(tf.constant(np.full(100, 3e4, np.float16)))) == 3e4  # the sum is beyond float16


def test_of_nothing():
    empty = tf.zeros([0])
    values = [
        f(empty).numpy() for f in (tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.reduce_logsumexp)
    ]
    assert values == [0, 1, -INF, INF, -INF]
    assert np.isnan(tf.reduce_mean(empty).numpy())
    assert tf.reduce_max(tf.zeros([0], tf.int32)).numpy() == np.iinfo(np.int32).min
    assert tf.reduce_max(tf.zeros([2, 0]), axis=0).shape == (0,)
    assert not tf.reduce_any(tf.zeros([0], tf.bool)) and tf.reduce_all(tf.zeros([0], tf.bool))
    assert slope(tf.reduce_mean, np.zeros(0, np.float32)).shape == (0,)


def test_ties_share():
    np.testing.assert_allclose(slope(tf.reduce_max, [1.0, 2.0, 2.0]), [0, 0.5, 0.5])
    np.testing.assert_allclose(
        slope(lambda x: tf.reduce_min(x, 1), [[1.0, 1.0, 1.0], [0.0, 5.0, 5.0]]), [[1 / 3] * 3, [1, 0, 0]]
    )
    assert np.isnan(slope(tf.reduce_max, [NAN, 1.0])).all()
    np.testing.assert_allclose(slope(tf.reduce_max, [-INF, -INF]), [0.5, 0.5])


@pytest.mark.parametrize("f", [tf.math.reduce_std, tf.math.reduce_euclidean_norm, tf.math.reduce_variance])
def test_flat_where_the_norm_is_zero(f):
    """TensorFlow gives NaN."""
    np.testing.assert_array_equal(slope(f, [0.0, 0.0]), [0, 0])
    np.testing.assert_array_equal(slope(lambda x: f(x, axis=1), [[0.0, 0.0], [3.0, -3.0]])[0], [0, 0])


def test_std_of_one_value():
    np.testing.assert_array_equal(slope(tf.math.reduce_std, [5.0]), [0])


def test_complex_spread_and_length_are_those_of_the_plane():
    x = np.array([1 + 1j, 2.0, 3j])
    assert tf.math.reduce_variance(x).dtype == tf.float64
    np.testing.assert_allclose(tf.math.reduce_variance(x).numpy(), np.var(x))
    np.testing.assert_allclose(tf.math.reduce_std(x, keepdims=True).numpy(), [np.std(x)])
    np.testing.assert_allclose(tf.math.reduce_euclidean_norm(x).numpy(), np.linalg.norm(x))
    np.testing.assert_allclose(slope(tf.math.reduce_euclidean_norm, x), x / np.linalg.norm(x))


def test_integers_have_no_variance():
    with pytest.raises(TypeError, match="cast"):
        tf.math.reduce_variance([1, 2])
    assert tf.math.reduce_euclidean_norm([3, 4]).numpy() == 5 and tf.math.reduce_euclidean_norm([2, 4]).numpy() == 4


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_a_norm_of_integers_that_does_not_fit_is_the_largest(dtype, jit):
    """It was negative, and another number by XLA."""
    x = tf.fill([3], getattr(tf, dtype).max)
    norm = tf.function(tf.math.reduce_euclidean_norm, jit_compile=jit)(x)
    assert norm.dtype == x.dtype and int(norm) >= np.iinfo(dtype).max - 1024


def test_l2_normalize():
    np.testing.assert_allclose(slope(tf.math.l2_normalize, [3.0, 4.0]), [0.032, -0.024], atol=1e-6)
    close(slope(tf.math.l2_normalize, [0.0, 0.0]), [1e6, 1e6])
    x = np.array([3 + 1j, 4.0])
    np.testing.assert_allclose(tf.math.l2_normalize(x).numpy(), x / np.linalg.norm(x))
    with pytest.raises(TypeError):
        tf.math.l2_normalize([3, 4])


def test_counting():
    assert tf.math.count_nonzero(["", "a"]).numpy() == 1
    assert tf.math.count_nonzero([[0, 1], [2, 3]], axis=1, dtype=tf.int32).dtype == tf.int32
    assert tf.math.count_nonzero([True, False], keepdims=True).shape == (1,)
    assert tf.math.zero_fraction(tf.constant([0.0, 1.0, 0.0], tf.float64)).numpy() == np.float32(2 / 3)


def test_variables_and_slices_are_taken():
    v = tf.Variable([1.0, 2.0])
    assert tf.reduce_sum(v).numpy() == 3
    s = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([0, 0]), tf.constant([3]))
    assert tf.reduce_max(s).numpy() == 3


@pytest.mark.parametrize(
    "shape,axis", [((700, 5), 0), ((700, 5), 1), ((30, 40, 7), (0, 1)), ((30, 40, 7), (1, 2)), ((3, 400, 7), 1)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_sums_by_products(shape, axis, dtype):
    x = np.random.default_rng(0).normal(size=shape)
    for layout in (x, np.asfortranarray(x)):
        got = tf.reduce_sum(tf.constant(layout.astype(dtype)), axis).numpy()
        assert got.dtype == dtype
        np.testing.assert_allclose(got, x.sum(axis), rtol=1e-4, atol=1e-3 if dtype == np.float32 else 1e-10)
    x[0] = INF
    np.testing.assert_array_equal(np.isinf(tf.reduce_sum(x, axis).numpy()), np.isinf(x.sum(axis)))
