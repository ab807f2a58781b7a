import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError
WEIGHTS = tf.constant([1.0, 10.0, 100.0])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_sort_and_argsort_against_numpy(axis, direction):
    x = np.random.default_rng(0).integers(0, 5, (4, 6, 3))  # many are equal
    backwards = direction == "DESCENDING"
    want = np.sort(x, axis)
    np.testing.assert_array_equal(tf.sort(x, axis, direction), np.flip(want, axis) if backwards else want)
    order = tf.argsort(x, axis, direction)
    assert order.dtype is tf.int32
    np.testing.assert_array_equal(order, np.argsort(-x if backwards else x, axis, stable=True))


def test_sort_of_small_integers_and_nan():
    assert tf.sort(tf.constant([-128, 1, 127], tf.int8), direction="DESCENDING").numpy().tolist() == [127, 1, -128]
    assert tf.argsort(tf.constant([3, 0, 255], tf.uint8), direction="DESCENDING").numpy().tolist() == [2, 0, 1]
    np.testing.assert_array_equal(tf.sort([3.0, float("nan"), 1.0]), np.array([1, 3, np.nan]))
    assert tf.sort(tf.zeros([2, 0])).shape == (2, 0)


def test_sort_that_makes_no_sense():
    with pytest.raises(ValueError, match="direction"):
        tf.sort([1], direction="UP")
    for value, axis in ((5.0, -1), ([1.0], 2), ([True], -1)):
        with pytest.raises(Invalid):
            tf.sort(value, axis)


def test_gradient_of_sort():
    assert gradient(lambda x: tf.sort(x) * WEIGHTS, [3.0, 1.0, 2.0]).tolist() == [100, 1, 10]
    for direction in ("ASCENDING", "DESCENDING"):  # equal elements keep their order
        assert gradient(lambda x, d=direction: tf.sort(x, direction=d) * WEIGHTS, [1.0, 1.0, 1.0]).tolist() == [
            1,
            10,
            100,
        ]
    assert gradient(
        lambda x: tf.sort(x, axis=0, direction="DESCENDING") * [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 0.0]]
    ).tolist() == [[3, 2], [1, 4]]


@pytest.mark.parametrize("n,k", [(5, 0), (5, 2), (5, 5), (400, 3), (400, 100), (400, 399)])
@pytest.mark.parametrize("kinds", [3, 50, 10**6])
def test_top_k_is_the_beginning_of_a_stable_sort(n, k, kinds):
    x = np.random.default_rng(n + k).integers(0, kinds, (2, 3, n)).astype(np.float32)
    values, indices = tf.math.top_k(x, k)
    order = np.argsort(-x, -1, stable=True)[..., :k]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))


def test_top_k_ranks_nan_first():
    x = np.zeros(100)
    x[[7, 60]] = np.nan, 5
    assert tf.math.top_k(x, 3).indices.numpy().tolist() == [7, 60, 0]


def test_top_k():
    assert tf.math.top_k([3, 1], index_type=tf.int64).indices.dtype is tf.int64
    assert tf.nn.top_k(tf.constant([1, 2], tf.bfloat16), 2).values.dtype is tf.bfloat16
    for value, k in (([1, 2], 3), ([1, 2], -1), (3.0, 1)):
        with pytest.raises(Invalid):
            tf.math.top_k(value, k)
    assert gradient(lambda x: tf.math.top_k(x, 2).values * [1.0, 10.0], [1.0, 3.0, 3.0]).tolist() == [0, 1, 10]
    assert gradient(lambda x: tf.math.top_k(x, 2).indices, [1.0, 3.0]) is None
    assert gradient(lambda x: tf.argsort(x), [1.0, 3.0]) is None


def test_in_top_k():
    predictions = [[0.1, 0.7, 0.2], [0.4, 0.4, 0.2], [0.1, float("inf"), 0.2], [1.0, 2.0, 3.0]]
    assert tf.math.in_top_k([2, 1, 0, 9], predictions, 2).numpy().tolist() == [True, True, False, False]
    with pytest.raises(Invalid):
        tf.math.in_top_k([0], [[0.1], [0.2]], 1)
    assert gradient(lambda x: tf.math.in_top_k([1], x, 1), [[1.0, 3.0]]) is None  # like every bool


def test_approximate_is_exact():
    x = np.random.default_rng(3).normal(size=(4, 5))
    for function, order in ((tf.math.approx_max_k, np.argsort(-x, 0)), (tf.math.approx_min_k, np.argsort(x, 0))):
        values, indices = function(x, 2, reduction_dimension=0)
        np.testing.assert_array_equal(indices, order[:2])
        np.testing.assert_array_equal(values, np.take_along_axis(x, order[:2], 0))


def test_argmax_and_argmin():
    nan = float("nan")
    assert tf.argmax([[1, 9], [7, 2]]).numpy().tolist() == [1, 0]
    assert tf.argmin([3, 1, 1], output_type=tf.int32).dtype is tf.int32
    assert [int(tf.argmax(v)) for v in ([nan, 1.0, 2.0], [1.0, nan, 2.0], [nan, nan], [True, True])] == [2, 2, 0, 0]
    assert int(tf.argmin([5.0, nan, 1.0])) == 2
    assert tf.argmax(tf.zeros([0, 2]), axis=1).shape == (0,)
    for value, axis in ((5.0, 0), (tf.zeros([0]), 0), ([1.0], 3), ([1j], 0)):
        with pytest.raises(Invalid):
            tf.argmax(value, axis)


def test_unique():
    y, idx, count = tf.unique_with_counts(["b", "a", "b"])
    assert (y.numpy().tolist(), idx.numpy().tolist(), count.numpy().tolist()) == ([b"b", b"a"], [0, 1, 0], [2, 1])
    assert tf.unique([3, 1, 3], out_idx=tf.int64).idx.dtype is tf.int64
    assert tf.unique([float("nan")] * 2).y.shape == (2,)
    assert tf.unique([True, False, True]).y.numpy().tolist() == [True, False]
    assert tf.unique(np.zeros(0)).y.shape == (0,)
    with pytest.raises(Invalid, match="1D"):
        tf.unique([[1]])


def test_the_gradient_of_unique_goes_to_the_first():
    assert gradient(lambda x: tf.unique(x).y * [1.0, 2.0], [5.0, 5.0, 3.0]).tolist() == [1, 0, 2]


def test_searchsorted():
    rows = [[1.0, 2.0, 2.0], [5.0, 6.0, 7.0]]
    assert tf.searchsorted(rows, [[2.0, 9.0], [0.0, 6.0]], side="right").numpy().tolist() == [[3, 3], [0, 2]]
    assert tf.searchsorted([1, 2, 3], [[2, 1]], out_type=tf.int64).numpy().tolist() == [[1, 0]]
    assert tf.searchsorted(tf.zeros([0]), [2.0]).numpy().tolist() == [0]
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted([1], [1], side="mid")
    for sequence, values in (([1.0], 2.0), ([[1]], [[2], [1]]), ([1], [2.0])):
        with pytest.raises(Invalid):
            tf.searchsorted(sequence, values)


def test_permutations_and_positions():
    assert tf.math.invert_permutation([2, 0, 1]).numpy().tolist() == [1, 2, 0]
    for bad in ([1, 1], [3, 0], [-1, 0], [[0]]):
        with pytest.raises(Invalid):
            tf.math.invert_permutation(bad)
    assert tf.unravel_index(5, [2, 3]).numpy().tolist() == [1, 2]
    with pytest.raises(Invalid):
        tf.unravel_index([6], [2, 3])
