"""Pooling: ties, padding, layouts, argmax, fractional windows, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient
from tests.rounding import close

X = np.random.default_rng(0).normal(size=(2, 5, 6, 3)).astype(np.float32)
FIRST = np.transpose(X, (0, 3, 1, 2))


def test_the_first_of_equals_takes_the_gradient():
    grad = gradient(lambda x: tf.nn.max_pool2d(x, 2, 1, "SAME"), np.ones((1, 3, 3, 1), np.float32))
    np.testing.assert_array_equal(grad[0, :, :, 0], np.ones((3, 3)))
    grad = gradient(lambda x: tf.nn.max_pool1d(tf.reshape(x, [1, 4, 1]), 2, 2, "VALID"), np.float32([1, 1, 1, 2]))
    np.testing.assert_array_equal(grad, [1, 0, 0, 1])


def test_overlapping_windows_add_up():
    grad = gradient(lambda x: tf.nn.max_pool1d(x, 3, 1, "VALID"), np.float32([1, 2, 9, 2, 1]).reshape(1, 5, 1))
    np.testing.assert_array_equal(grad.ravel(), [0, 0, 3, 0, 0])


def test_padding_is_never_the_maximum_and_never_counts():
    x = -np.ones((1, 3, 3, 1), np.float32)
    for pool in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
        np.testing.assert_array_equal(pool(x, 2, 2, "SAME").numpy(), -np.ones((1, 2, 2, 1)))
    assert tf.nn.max_pool2d(tf.constant(-7, tf.int32, shape=(1, 1, 1, 1)), 3, 1, "SAME").numpy().ravel() == [-7]


def test_the_mean_shares_its_gradient_among_real_elements():
    grad = gradient(lambda x: tf.nn.avg_pool1d(x, 2, 2, "SAME"), np.ones((1, 3, 1), np.float32))
    np.testing.assert_array_equal(grad.ravel(), [0.5, 0.5, 1])


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d", "max_pool", "avg_pool"])
def test_channels_first(name, padding):
    pool = getattr(tf.nn, name)
    last = pool(X, [3, 2], [2, 1], padding).numpy()
    first = pool(FIRST, [3, 2], [2, 1], padding, data_format="NCHW").numpy()
    close(np.transpose(first, (0, 2, 3, 1)), last, terms=6, size=np.abs(X).max())
    full = pool(X, [1, 3, 2, 1], [1, 2, 1, 1], padding).numpy()
    close(full, last, terms=6, size=np.abs(X).max())


def test_one_and_three_dimensions():
    for kind in ("max", "avg"):
        two = getattr(tf.nn, f"{kind}_pool2d")(X[:, :1], [1, 2], [1, 2], "SAME").numpy()
        rounded = dict(terms=2, size=np.abs(X).max() if kind == "avg" else 0)
        close(getattr(tf.nn, f"{kind}_pool1d")(X[:, 0], 2, 2, "SAME"), two[:, 0], **rounded)
        close(getattr(tf.nn, f"{kind}_pool3d")(X[:, None, :1], [1, 1, 2], [1, 1, 2], "SAME"), two[:, None], **rounded)
        close(getattr(tf.nn, f"{kind}_pool")(X[:, 0], 2, 2, "SAME"), two[:, 0], **rounded)


def test_pooling_over_channels():
    np.testing.assert_array_equal(
        tf.nn.max_pool2d(X, [1, 1, 1, 3], [1, 1, 1, 3], "VALID").numpy(), X.max(-1, keepdims=True)
    )


def test_explicit_padding():
    same = tf.nn.max_pool2d(X, 3, 1, "SAME").numpy()
    np.testing.assert_array_equal(tf.nn.max_pool2d(X, 3, 1, [[0, 0], [1, 1], [1, 1], [0, 0]]).numpy(), same)
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than the window"):
        tf.nn.max_pool2d(X, 2, 1, [[0, 0], [2, 0], [0, 0], [0, 0]])


def test_pool_with_gaps_and_strides():
    signal = tf.reshape(tf.constant([1.0, 5.0, 3.0, 4.0, 2.0]), [1, 5, 1])
    assert tf.nn.pool(signal, [2], "MAX", dilations=[2]).numpy().ravel().tolist() == [3, 5, 3]
    assert tf.nn.pool(signal, [2], "AVG", strides=[2]).numpy().ravel().tolist() == [3, 3.5]
    with pytest.raises(ValueError, match="MAX"):
        tf.nn.pool(signal, [2], "SUM")


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_argmax_points_at_the_maximum(padding):
    largest, where = tf.nn.max_pool_with_argmax(X, 3, 2, padding, include_batch_in_index=True)
    np.testing.assert_array_equal(X.ravel()[where.numpy()], largest.numpy())
    _, inside = tf.nn.max_pool_with_argmax(X, 3, 2, padding, output_dtype=tf.int32)
    assert inside.dtype == tf.int32
    np.testing.assert_array_equal(inside.numpy(), where.numpy() % X[0].size)


def test_second_derivatives_through_a_maximum():
    x = tf.constant(np.float32([1, 2, 3, 4]).reshape(1, 2, 2, 1))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.nn.max_pool2d(x, 2, 2, "VALID") ** 3)
        first = inner.gradient(y, x)
    np.testing.assert_array_equal(outer.gradient(first, x).numpy().ravel(), [0, 0, 0, 24])


def test_the_tape_keeps_a_byte_per_window():
    """A maximum's rule reads where it was found; the images can go."""
    import gc
    import weakref

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        image = x + 1
        y = tf.nn.max_pool2d(image, 2, 2, "VALID")
    gone = weakref.ref(image)
    del image
    gc.collect()
    assert gone() is None
    assert tape.gradient(y, x).shape == X.shape


def test_half_precision_means_do_not_overflow():
    x = tf.constant(60000.0, tf.float16, shape=(1, 2, 2, 1))
    y = tf.nn.avg_pool2d(x, 2, 2, "VALID")
    assert y.dtype == tf.float16 and y.numpy().ravel() == [60000]


@pytest.mark.parametrize(
    "call,error",
    [
        (lambda: tf.nn.max_pool2d(X[0], 2, 2, "VALID"), tf.errors.InvalidArgumentError),
        (lambda: tf.nn.max_pool2d(X, 2, 2, "FULL"), tf.errors.InvalidArgumentError),
        (lambda: tf.nn.max_pool2d(X, 0, 2, "SAME"), tf.errors.InvalidArgumentError),
        (lambda: tf.nn.max_pool2d(X, [1, 2, 3], 2, "SAME"), ValueError),
        (lambda: tf.nn.max_pool2d(X, 9, 1, "VALID"), tf.errors.InvalidArgumentError),
        (lambda: tf.nn.max_pool(X[0, 0], 2, 2, "SAME"), ValueError),
        (lambda: tf.nn.avg_pool2d(np.ones((1, 2, 2, 1), np.int32), 2, 2, "SAME"), tf.errors.InvalidArgumentError),
        (lambda: tf.nn.max_pool_with_argmax(FIRST, 2, 2, "SAME", data_format="NCHW"), ValueError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_nan_is_the_maximum_and_where_it_came_from(compiled):
    """The maximum was NaN, its index that of another element, and the gradient went there; dilation2d gave that
    element."""
    if compiled:
        pytest.importorskip("jax")
    run = (lambda f: tf.function(f, jit_compile=True)) if compiled else (lambda f: f)
    for place in range(4):
        flat = np.arange(1.0, 5.0, dtype=np.float32)
        flat[place] = np.nan
        x = tf.constant(flat.reshape(1, 2, 2, 1))
        largest, index = run(lambda x: tf.nn.max_pool_with_argmax(x, 2, 1, "VALID"))(x)
        assert np.isnan(largest).all() and index.numpy().ravel().tolist() == [place]
        dilation = lambda x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])
        assert np.isnan(run(dilation)(x, tf.zeros([2, 2, 1]))).all()
        assert np.isnan(run(dilation)(tf.ones([1, 2, 2, 1]), tf.constant(flat.reshape(2, 2, 1)))).all()
