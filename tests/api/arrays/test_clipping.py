"""tf.clip_by_* and global_norm: bounds, ties, None, IndexedSlices."""

import weakref

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

NAN, INF = np.nan, np.inf


def slopes(f, *xs):
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [g.numpy().tolist() for g in tape.gradient(y, xs)]


def slices(values, indices, shape=(3, 2)):
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices), tf.constant(shape))


def test_the_bounds_get_what_the_value_does_not():
    x = [-1.0, 0.0, 0.5, 1.0, 2.0]
    assert slopes(tf.clip_by_value, x, 0.0, 1.0) == [[0, 1, 1, 1, 0], 1, 1]
    assert slopes(tf.clip_by_value, x, [0.0] * 5, 1.0) == [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0], 1]
    assert slopes(tf.clip_by_value, [-1.0, 0.5, 2.0], 1.0, 0.0) == [[0, 0, 0], 3, 0]  # crossed: the lower bound wins
    assert slopes(tf.clip_by_value, [NAN], 0.0, 1.0) == [[0], 0, 0]


@pytest.mark.parametrize("watched", [False, True])
def test_clip_by_value_watched_or_not(watched):
    """Unwatched it computes no masks; the values are the same."""
    x = tf.constant([-1.0, 0.25, 3.0, NAN, INF])
    with tf.GradientTape() as tape:
        if watched:
            tape.watch(x)
        y = tf.clip_by_value(x, 0.0, 1.0)
    np.testing.assert_array_equal(y.numpy(), [0, 0.25, 1, NAN, 1])
    np.testing.assert_array_equal(tf.clip_by_value(x, 0.0, 1.0).numpy(), [0, 0.25, 1, NAN, 1])
    assert (tape.gradient(y, x) is not None) == watched


def test_clip_by_value_keeps_only_masks():
    v = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        x = v * 1.0
        y = tf.clip_by_value(x, 0.0, 1.0)
    before = weakref.ref(x)
    del x
    assert before() is None
    assert tape.gradient(y, v).numpy().tolist() == [1, 0]


def test_clip_by_value_dtypes_and_shapes():
    assert tf.clip_by_value([1, 2, 3, 4], 2, 3).numpy().tolist() == [2, 2, 3, 3]
    with pytest.raises(TypeError):
        tf.clip_by_value([1, 2], 0.5, 3.5)
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_value([1.0, 2.0], [[1.0], [2.0]], 3.0)


def test_clip_by_norm():
    f = lambda limit, **axes: lambda x: tf.clip_by_norm(x, limit, **axes)
    np.testing.assert_allclose(slopes(f(1.0), [3.0, 4.0]), [[0.032, -0.024]], atol=1e-6)
    assert slopes(f(10.0), [3.0, 4.0]) == [[1, 1]]
    np.testing.assert_allclose(
        slopes(f(5.0), [3.0, 4.0]), [[0.16, -0.12]], atol=1e-6
    )  # at the norm it counts as clipped
    assert slopes(f(1.0), [0.0, 0.0]) == [[1, 1]]
    np.testing.assert_allclose(
        slopes(f(1.0, axes=[1]), [[3.0, 4.0], [0.0, 0.0]]), [[[0.032, -0.024], [1, 1]]], atol=1e-6
    )
    assert tf.clip_by_norm([3.0, 4.0], 0.0).numpy().tolist() == [0, 0]
    assert tf.clip_by_norm([0.0, 0.0], 0.0).numpy().tolist() == [0, 0]
    np.testing.assert_allclose(tf.clip_by_norm([3.0, 4.0], [1.0, 2.0]).numpy(), [0.6, 1.6])


def test_clip_by_global_norm():
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([[4.0]])], 1.0)
    np.testing.assert_allclose([clipped[0].numpy()[0], clipped[2].numpy()[0, 0], norm], [0.6, 0.8, 5])
    assert clipped[1] is None
    assert slopes(lambda x: tf.clip_by_global_norm([x], 1.0)[0][0], [0.0, 0.0]) == [[1, 1]]  # NaN in TensorFlow
    for poison in (INF, NAN):
        clipped, norm = tf.clip_by_global_norm([tf.constant([poison, 1.0])], 1.0)
        assert np.isnan(clipped[0].numpy()).all()
    assert tf.clip_by_global_norm((), 1.0)[0] == [] and tf.clip_by_global_norm([None], 1.0)[1].numpy() == 0
    assert tf.clip_by_global_norm([tf.constant([3.0])], 1.0, use_norm=tf.constant(2.0))[0][0].numpy() == 1.5


def test_global_norm_needs_a_list():
    with pytest.raises(TypeError, match="sequence"):
        tf.linalg.global_norm(tf.constant([3.0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.global_norm([tf.constant([3.0]), tf.constant([3.0], tf.float64)])


def test_repeated_rows_count_once():
    """Rows 0 and 0 add up to (6, 8): TensorFlow takes the norm of the rows one by one, 8.12."""
    s = slices([[1.0, 2.0], [5.0, 6.0]], [0, 0])
    assert tf.linalg.global_norm([s]).numpy() == 10
    clipped = tf.clip_by_norm(s, 1.0)
    assert isinstance(clipped, tf.IndexedSlices) and clipped.indices.numpy().tolist() == [0]
    close(tf.convert_to_tensor(clipped), [[0.6, 0.8], [0, 0], [0, 0]])
    assert tf.convert_to_tensor(tf.clip_by_value(s, 0.0, 7.0)).numpy().tolist() == [[6, 7], [0, 0], [0, 0]]
    (scaled,), norm = tf.clip_by_global_norm([s], 1.0)
    close(tf.convert_to_tensor(scaled), [[0.6, 0.8], [0, 0], [0, 0]])
    assert norm.numpy() == 10


def test_rows_that_do_not_repeat_stay_as_they_are():
    s = slices([[3.0, 4.0], [0.0, 0.0]], [2, 0])
    (scaled,), norm = tf.clip_by_global_norm([s], 1.0)
    assert scaled.indices.numpy().tolist() == [2, 0] and norm.numpy() == 5
    assert tf.clip_by_norm(s, 10.0).indices.numpy().tolist() == [2, 0]


def test_norms_of_halves_do_not_overflow():
    """300 squared is beyond float16, 500 is not."""
    x = tf.constant([300.0, 400.0], tf.float16)
    assert tf.linalg.global_norm([x]).numpy() == 500 and tf.linalg.global_norm([x]).dtype == tf.float16
    assert tf.math.reduce_euclidean_norm(x).numpy() == 500
    np.testing.assert_allclose(tf.clip_by_norm(x, 5.0).numpy(), [3, 4], rtol=1e-3)
    np.testing.assert_allclose(slopes(tf.math.reduce_euclidean_norm, x), [[0.6, 0.8]], rtol=1e-3)


@pytest.mark.parametrize(
    "shape,limit", [([2, 3, 1], [1.0, 2.0]), ([2], [[1.0], [2.0]]), ([], [1.0]), ([1], [1.0, 2.0])]
)
def test_clipping_by_norms_does_not_grow_the_shape(shape, limit):
    with pytest.raises(ValueError, match="are incompatible"):
        tf.clip_by_norm(tf.ones(shape), limit)


def test_nothing_is_shorter_than_a_negative_norm():
    assert tf.clip_by_norm([3.0, 4.0], -1.0).numpy().tolist() == [0.0, 0.0]
