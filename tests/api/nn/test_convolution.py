"""Convolutions: layouts, padding, strides, transposes, groups, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 6, 7, 4)).astype(np.float32)
W = RNG.normal(size=(3, 2, 4, 5)).astype(np.float32)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def same_as_valid(x, before, after):
    return np.pad(x, [(0, 0), *zip(before, after), (0, 0)])


@pytest.mark.parametrize("strides,total", [(1, (2, 1)), (2, (1, 1)), (3, (0, 1))])
def test_same_padding_puts_the_odd_one_at_the_end(strides, total):
    before, after = [t // 2 for t in total], [t - t // 2 for t in total]
    same = tf.nn.conv2d(X, W, strides, "SAME").numpy()
    assert same.shape[1:3] == (-(-6 // strides), -(-7 // strides))
    close(same, tf.nn.conv2d(same_as_valid(X, before, after), W, strides, "VALID").numpy())
    explicit = [[0, 0], *[list(p) for p in zip(before, after)], [0, 0]]
    close(same, tf.nn.conv2d(X, W, strides, explicit).numpy())


@pytest.mark.parametrize("strides", [2, [2], [2, 2], [1, 2, 2, 1]])
def test_forms_of_strides(strides):
    close(tf.nn.conv2d(X, W, strides, "SAME").numpy(), tf.nn.conv2d(X, W, 2, "SAME").numpy())


@pytest.mark.parametrize(
    "kwargs",
    [
        dict(strides=[1, 1, 2, 1], padding="SAME"),
        dict(strides=1, padding=[[0, 0], [0, 0], [1, 2], [0, 1]], dilations=[1, 1, 2, 1]),
    ],
)
def test_channels_first_is_the_transposed_computation(kwargs):
    first = np.transpose(X, (0, 3, 1, 2))
    last = {k: v if isinstance(v, (str, int)) else [v[0], v[2], v[3], v[1]] for k, v in kwargs.items()}
    y = tf.nn.conv2d(first, W, data_format="NCHW", **kwargs).numpy()
    close(np.transpose(y, (0, 2, 3, 1)), tf.nn.conv2d(X, W, **last).numpy())
    g = gradient(lambda x: tf.nn.conv2d(x, W, data_format="NCHW", **kwargs), first)
    close(np.transpose(g, (0, 2, 3, 1)), gradient(lambda x: tf.nn.conv2d(x, W, **last), X))


def test_dilation_is_a_filter_with_holes():
    holes = np.zeros((5, 4, 4, 5), np.float32)
    holes[::2, ::3] = W
    want = tf.nn.conv2d(X, holes, 1, "SAME").numpy()
    close(tf.nn.conv2d(X, W, 1, "SAME", dilations=[2, 3]).numpy(), want)
    close(tf.nn.atrous_conv2d(X, W, 2, "VALID").numpy(), tf.nn.conv2d(X, W, 1, "VALID", dilations=2).numpy())


def test_filters_that_take_fewer_channels_make_groups():
    w = W[:, :, :2, :4]
    halves = [tf.nn.conv2d(X[..., 2 * g : 2 * g + 2], w[..., 2 * g : 2 * g + 2], 1, "SAME").numpy() for g in (0, 1)]
    close(tf.nn.conv2d(X, w, 1, "SAME").numpy(), np.concatenate(halves, axis=-1))


def test_one_and_three_dimensions_are_two_with_a_size_of_one():
    want = tf.nn.conv2d(X[:, :1], W[:1], 1, "SAME").numpy()[:, 0]
    close(tf.nn.conv1d(X[:, 0], W[0], 1, "SAME").numpy(), want)
    close(tf.nn.convolution(X[:, 0], W[0], padding="SAME").numpy(), want)
    close(tf.nn.conv3d(X[:, None, :1], W[None, :1], [1, 1, 1, 1, 1], "SAME").numpy()[:, 0, 0], want)
    first = tf.nn.conv1d(np.transpose(X[:, 0], (0, 2, 1)), W[0], 2, "SAME", data_format="NCW").numpy()
    close(np.transpose(first, (0, 2, 1)), want[:, ::2] if 7 % 2 else want)


def test_several_batch_dimensions():
    y = tf.nn.conv2d(np.stack([X, 2 * X]), W, 1, "SAME").numpy()
    assert y.shape == (2, 2, 6, 7, 5)
    close(y[1], 2 * y[0])


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 2], [2, 0], [0, 0]]])
@pytest.mark.parametrize("strides,dilations", [(1, 1), ([1, 2], 1), (3, 1), (1, 2), (2, [1, 2])])
def test_the_transpose_is_the_adjoint(padding, strides, dilations):
    y = tf.nn.conv2d(X, W, strides, padding, dilations=dilations).numpy()
    dy = np.cos(np.arange(y.size)).reshape(y.shape).astype(np.float32)
    back = tf.nn.conv2d_transpose(dy, W, X.shape, strides, padding, dilations=dilations).numpy()
    assert np.sum(y * dy) == pytest.approx(np.sum(X * back), rel=1e-3, abs=1e-2)
    with tf.GradientTape() as tape:
        x = tf.constant(X)
        tape.watch(x)
        out = tf.nn.conv2d(x, W, strides, padding, dilations=dilations)
    close(tape.gradient(out, x, output_gradients=tf.constant(dy)).numpy(), back)


def test_the_transpose_has_gradients():
    dx, dw = gradient(
        lambda x, w: tf.nn.conv2d_transpose(x, w, [1, 2, 2, 1], 1, "SAME"),
        np.ones((1, 2, 2, 1), "f4"),
        np.ones((1, 1, 1, 1), "f4"),
    )
    assert dx.ravel().tolist() == [1, 1, 1, 1] and dw.ravel().tolist() == [4]


def test_transposes_in_one_and_three_dimensions_and_channels_first():
    small = X[:, 0]
    w = np.transpose(W[0], (0, 2, 1))[:, :, :4]
    one = tf.nn.conv1d_transpose(small, np.ascontiguousarray(w[:, :3]), [2, 14, 3], 2).numpy()
    assert one.shape == (2, 14, 3)
    close(tf.nn.conv_transpose(small, np.ascontiguousarray(w[:, :3]), [2, 14, 3], 2).numpy(), one)
    first = tf.nn.conv1d_transpose(
        np.transpose(small, (0, 2, 1)), np.ascontiguousarray(w[:, :3]), [2, 3, 14], 2, data_format="NCW"
    ).numpy()
    close(np.transpose(first, (0, 2, 1)), one)
    three = tf.nn.conv3d_transpose(small[:, None, None], w[None, None, :, :3], [2, 1, 1, 14, 3], [1, 1, 2]).numpy()
    close(three[:, 0, 0], one)
    close(
        tf.nn.atrous_conv2d_transpose(X, np.transpose(W, (0, 1, 3, 2))[..., :4], (*X.shape[:3], 5), 2, "SAME").numpy(),
        tf.nn.conv2d_transpose(X, np.transpose(W, (0, 1, 3, 2)), (*X.shape[:3], 5), 1, "SAME", dilations=2).numpy(),
    )


def test_depthwise_is_each_channel_by_itself():
    w = RNG.normal(size=(3, 2, 4, 2)).astype(np.float32)
    y = tf.nn.depthwise_conv2d(X, w, [1, 2, 2, 1], "SAME").numpy()
    for c in range(4):
        close(y[..., 2 * c : 2 * c + 2], tf.nn.conv2d(X[..., c : c + 1], w[:, :, c : c + 1], 2, "SAME").numpy())
    mix = RNG.normal(size=(1, 1, 8, 3)).astype(np.float32)
    close(tf.nn.separable_conv2d(X, w, mix, [1, 2, 2, 1], "SAME").numpy(), y @ mix[0, 0])
    dy = np.ones_like(y)
    dx, dw = gradient(lambda x, k: tf.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], "SAME"), X, w)
    close(tf.nn.depthwise_conv2d_backprop_input(X.shape, w, dy, [1, 2, 2, 1], "SAME").numpy(), dx)
    close(tf.nn.depthwise_conv2d_backprop_filter(X, w.shape, dy, [1, 2, 2, 1], "SAME").numpy(), dw)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_dtypes(dtype):
    x, w = tf.cast(X, dtype), tf.cast(W, dtype)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.conv2d(x, w, 1, "SAME")
    assert [y.dtype, *[g.dtype for g in tape.gradient(y, [x, w])]] == [dtype] * 3
    np.testing.assert_allclose(y.numpy().astype(float), tf.nn.conv2d(X, W, 1, "SAME").numpy(), rtol=0.05, atol=0.2)


def test_an_empty_batch_and_an_image_smaller_than_the_window():
    assert tf.nn.conv2d(X[:0], W, 1, "SAME").shape == (0, 6, 7, 5)
    assert tf.nn.conv2d(X[:, :2], W, 1, "VALID").shape == (2, 0, 6, 5)
    dx, dw = gradient(lambda x, w: tf.nn.conv2d(x, w, 1, "VALID"), X[:, :2], W)
    assert not dx.any() and not dw.any()


@pytest.mark.parametrize(
    "call,error,text",
    [
        (lambda: tf.nn.conv2d(X[..., :3], W, 1, "SAME"), tf.errors.InvalidArgumentError, "3 vs 4"),
        (lambda: tf.nn.conv2d(X[0], W, 1, "SAME"), ValueError, "rank 4"),
        (lambda: tf.nn.conv2d(X, W[0], 1, "SAME"), ValueError, "rank 4"),
        (lambda: tf.nn.conv2d(X, W, 1, "FULL"), tf.errors.InvalidArgumentError, "'SAME'"),
        (lambda: tf.nn.conv2d(X, W, 0, "SAME"), tf.errors.InvalidArgumentError, "positive"),
        (lambda: tf.nn.conv2d(X, W, [2, 1, 1, 1], "SAME"), tf.errors.UnimplementedError, "batch"),
        (lambda: tf.nn.conv2d(X, W, [1, 2, 3], "SAME"), ValueError, "strides"),
        (lambda: tf.nn.conv2d(X, W, 1, "SAME", data_format="NWHC"), tf.errors.InvalidArgumentError, "NWHC"),
        (lambda: tf.nn.conv2d(X, W, 1, [[0, 0], [1, 1]]), ValueError, "pair"),
        (lambda: tf.nn.conv2d(X, W, 1, [[1, 0], [1, 1], [0, 0], [0, 0]]), ValueError, "batch"),
        (
            lambda: tf.nn.conv2d(tf.constant(X), tf.constant(W, tf.float64), 1, "SAME"),
            tf.errors.InvalidArgumentError,
            "float64",
        ),
        (
            lambda: tf.nn.conv2d(X, W[:, :, :2, :5], 1, "SAME"),
            tf.errors.InvalidArgumentError,
            "take 2: their last size but one should be 4",
        ),
        (
            lambda: tf.nn.conv2d_transpose(X[..., :1], W[..., :1], [2, 9, 9, 4], 1, "SAME"),
            tf.errors.InvalidArgumentError,
            "output_shape",
        ),
        (
            lambda: tf.nn.depthwise_conv2d(X, W[:, :, :3], [1, 1, 1, 1], "SAME"),
            tf.errors.InvalidArgumentError,
            "channels",
        ),
    ],
)
def test_errors_say_what_does_not_fit(call, error, text):
    with pytest.raises(error, match=text):
        call()
