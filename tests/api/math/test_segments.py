"""Segment reductions: what is checked, what empty segments hold, gradients at ties and zeros."""

import numpy as np
import pytest

import tapeflow as tf


def slope(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy().tolist()


@pytest.mark.parametrize("ids", [[1, 0], [0, -1], [-1, 0], [0], [[0, 0]], [0, 0, 0]])
def test_sorted_ids_are_checked(ids):
    with pytest.raises(tf.errors.InvalidArgumentError, match="segment"):
        tf.math.segment_sum([1.0, 2.0], ids)


def test_float_ids_are_no_ids():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.segment_sum([1.0, 2.0], [1.0, 3.0])


@pytest.mark.parametrize("ids,count", [([1, 3], 3), ([0, 1, 2], 3), ([0, 1], -1)])
def test_unsorted_ids_are_checked(ids, count):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.unsorted_segment_sum([1.0, 2.0], ids, count)


def test_empty_segments():
    x, ids = [5.0, 7.0], [1, 3]
    assert tf.math.segment_sum(x, ids).numpy().tolist() == [0, 5, 0, 7]
    assert tf.math.segment_max(x, ids).numpy().tolist() == [0, 5, 0, 7]
    assert tf.math.segment_prod(x, ids).numpy().tolist() == [1, 5, 1, 7]
    assert tf.math.segment_mean(x, ids).numpy().tolist() == [0, 5, 0, 7]
    lowest, highest = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)
    assert tf.math.unsorted_segment_max(x, ids, 5).numpy().tolist() == [lowest, 5, lowest, 7, lowest]
    assert tf.math.unsorted_segment_min(x, ids, tf.constant(2) * 2).numpy().tolist() == [highest, 5, highest, 7]
    assert tf.math.unsorted_segment_max(tf.constant([-np.inf]), [0], 1).numpy() == -np.inf
    assert tf.math.unsorted_segment_max([3, 4], [0, 0], 2).numpy().tolist() == [4, -(2**31)]
    assert tf.math.unsorted_segment_max(tf.constant([1.0], tf.bfloat16), [1], 2).numpy()[0] == tf.bfloat16.min
    assert tf.math.segment_sum(tf.zeros([0, 2]), tf.constant([], tf.int32)).shape == (0, 2)


def test_means():
    assert tf.math.segment_mean([1, 2, 4, -5], [1, 1, 2, 2]).numpy().tolist() == [0, 1, 0]
    assert tf.math.unsorted_segment_mean([1, 2], [1, 1], 2).dtype == tf.float64
    assert slope(lambda x: tf.math.unsorted_segment_mean(x, [0, 0, 1], 3), [2.0, 4.0, 3.0]) == [0.5, 0.5, 1]
    np.testing.assert_allclose(
        slope(lambda x: tf.math.unsorted_segment_sqrt_n(x, [0, 0, 1], 2), [2.0, 4.0, 3.0]), [0.5**0.5, 0.5**0.5, 1]
    )
    z = np.array([1 + 1j, 3.0])
    assert tf.math.segment_mean(z, [0, 0]).numpy().tolist() == [2 + 0.5j]


def test_ids_of_higher_rank():
    x, ids = np.arange(12.0).reshape(2, 3, 2), [[0, 1, 0], [2, -1, 1]]
    assert tf.math.unsorted_segment_sum(x, ids, 3).numpy().tolist() == [[4, 6], [12, 14], [6, 7]]
    assert tf.math.unsorted_segment_max(x, ids, 3).numpy().tolist() == [[4, 5], [10, 11], [6, 7]]
    assert slope(lambda t: tf.math.unsorted_segment_prod(t, ids, 3), x + 1)[0][0] == [5, 6]


def test_ties_share_and_products_are_exact_at_zero():
    assert slope(lambda x: tf.math.segment_max(x, [0, 0, 1]), [2.0, 2.0, 3.0]) == [0.5, 0.5, 1]
    assert slope(lambda x: tf.math.unsorted_segment_min(x, [1, 1, 0], 3), [2.0, 2.0, 3.0]) == [0.5, 0.5, 1]
    assert slope(lambda x: tf.math.segment_prod(x, [0, 0, 1]), [2.0, 0.0, 3.0]) == [0, 2, 1]
    assert slope(lambda x: tf.math.unsorted_segment_prod(x, [0, 0, 0], 1), [0.0, 0.0, 3.0]) == [0, 0, 0]
    assert slope(lambda x: tf.math.unsorted_segment_prod(x, [0, -1, 0], 1), [2.0, 5.0, 3.0]) == [3, 0, 2]


@pytest.mark.parametrize("width", [1, 3, 64])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_many_rows(width, dtype):
    """Rows enough for the sparse product, and repeated ids."""
    rng = np.random.default_rng(0)
    ids = rng.integers(-1, 50, 2000)
    x = rng.integers(-8, 8, (2000, width)).astype(dtype)
    want = np.zeros((50, width))
    for i, row in zip(ids, x):
        if i >= 0:
            want[i] += row
    got = tf.math.unsorted_segment_sum(x, ids, 50).numpy()
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("reduce", [tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n])
def test_segments_of_no_rows_and_of_no_axis(reduce):
    assert tuple(reduce(tf.zeros([0, 4]), [], []).shape) == (0, 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least rank 1"):
        reduce(1.0, [0], [3])
