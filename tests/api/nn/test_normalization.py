"""Moments and normalisations."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

X = np.random.default_rng(0).normal(size=(2, 3, 4)) + 5


@pytest.mark.parametrize("axes", [[0], [0, 1], [-1], [0, 1, 2], []])
@pytest.mark.parametrize("keepdims", [False, True])
def test_moments(axes, keepdims):
    mean, variance = tf.nn.moments(X, axes, keepdims=keepdims)
    np.testing.assert_allclose(mean.numpy(), X.mean(tuple(axes), keepdims=keepdims))
    np.testing.assert_allclose(variance.numpy(), X.var(tuple(axes), keepdims=keepdims), atol=1e-12)


def test_moments_of_halves_are_added_up_in_float32():
    x = np.full((4096, 2), 1000, np.float16)
    mean, variance = tf.nn.moments(x, [0])
    assert mean.dtype == variance.dtype == tf.float16
    assert mean.numpy().tolist() == [1000, 1000] and variance.numpy().tolist() == [0, 0]


def test_the_gradient_of_the_variance():
    np.testing.assert_allclose(
        gradient(lambda x: tf.nn.moments(x, [0])[1], np.float64([1, 2, 3])), [-2 / 3, 0, 2 / 3], atol=1e-12
    )


def test_weights_count_like_repetitions():
    mean, variance = tf.nn.weighted_moments(X, [0, 2], np.array([1, 3]).reshape(2, 1, 1))
    repeated = np.concatenate([X[:1], X[1:], X[1:], X[1:]])
    np.testing.assert_allclose(mean.numpy(), repeated.mean((0, 2)))
    np.testing.assert_allclose(variance.numpy(), repeated.var((0, 2)))
    assert tf.nn.weighted_moments(X, [0, 2], np.ones((2, 1, 1)), keepdims=True)[0].shape == (1, 3, 1)


@pytest.mark.parametrize("shift", [None, 4.5])
def test_statistics_can_be_added_and_normalised(shift):
    parts = [tf.nn.sufficient_statistics(part, [0, 1], shift=shift) for part in (X[:, :2], X[:, 2:])]
    count, total, squares = [a + b for a, b in list(zip(*parts))[:3]]
    mean, variance = tf.nn.normalize_moments(count, total, squares, parts[0][3])
    np.testing.assert_allclose(mean.numpy(), X.mean((0, 1)))
    np.testing.assert_allclose(variance.numpy(), X.var((0, 1)))


def test_batch_normalization_and_its_optional_parts():
    mean, variance = tf.nn.moments(X, [0, 1])
    y = tf.nn.batch_normalization(X, mean, variance, None, None, 0.0).numpy()
    np.testing.assert_allclose(y.mean((0, 1)), 0, atol=1e-12)
    np.testing.assert_allclose(y.std((0, 1)), 1)
    scaled = tf.nn.batch_normalization(X, mean, variance, np.float64(3), np.arange(4.0), 0.0).numpy()
    np.testing.assert_allclose(scaled, y * np.arange(4.0) + 3)


def test_layer_normalisation_does_not_see_shift_and_scale():
    def layer_norm(x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, None, None, 0.0) ** 3

    grad = gradient(layer_norm, X)
    np.testing.assert_allclose(grad.sum(-1), 0, atol=1e-10)
    np.testing.assert_allclose((grad * X).sum(-1), 0, atol=1e-10)


@pytest.mark.parametrize("first", [False, True])
def test_fused_batch_norm(first):
    x = np.random.default_rng(1).normal(size=(2, 3, 4, 5)).astype(np.float32)
    scale, offset = np.arange(1, 6, dtype=np.float32), np.ones(5, np.float32)
    given = np.transpose(x, (0, 3, 1, 2)) if first else x
    fused = lambda **more: tf.compat.v1.nn.fused_batch_norm(
        given, scale, offset, data_format="NCHW" if first else "NHWC", **more
    )
    y, mean, variance = fused()
    y = np.transpose(y.numpy(), (0, 2, 3, 1)) if first else y.numpy()
    np.testing.assert_allclose(
        y, (x - x.mean((0, 1, 2))) / np.sqrt(x.var((0, 1, 2)) + 1e-3) * scale + 1, rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(mean.numpy(), x.mean((0, 1, 2)), atol=1e-6)
    np.testing.assert_allclose(variance.numpy(), x.var((0, 1, 2), ddof=1), rtol=1e-5)
    _, mean, variance = fused(
        mean=np.zeros(5, np.float32), variance=np.ones(5, np.float32), exponential_avg_factor=0.25
    )
    np.testing.assert_allclose(variance.numpy(), 0.75 + 0.25 * x.var((0, 1, 2), ddof=1), rtol=1e-5)
    y, _, _ = fused(mean=np.zeros(5, np.float32), variance=np.ones(5, np.float32), is_training=False, epsilon=0.0)
    y = np.transpose(y.numpy(), (0, 2, 3, 1)) if first else y.numpy()
    np.testing.assert_allclose(y, x * scale + 1, rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="is_training"):
        fused(is_training=False)


def test_local_response_normalization():
    x = np.random.default_rng(2).normal(size=(1, 2, 2, 7))
    near = np.stack([(x[..., max(c - 2, 0) : c + 3] ** 2).sum(-1) for c in range(7)], axis=-1)
    y = tf.nn.lrn(x, depth_radius=2, bias=1.5, alpha=0.3, beta=0.7).numpy()
    np.testing.assert_allclose(y, x / (1.5 + 0.3 * near) ** 0.7)
    assert tf.nn.lrn is tf.nn.local_response_normalization
    np.testing.assert_array_equal(gradient(lambda u: tf.nn.lrn(tf.reshape(u, [1, 1, 1, 1])), np.float32([0])), [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 4"):
        tf.nn.lrn(x[0])


def test_weighted_moments_of_nothing_are_zero():
    for x, w in ((tf.zeros([0, 3]), tf.zeros([0, 3])), (tf.ones([2, 3]), tf.zeros([2, 3]))):
        mean, variance = tf.nn.weighted_moments(x, [0, 1], w)
        assert mean.numpy() == 0.0 and variance.numpy() == 0.0


def test_batches_of_a_size_that_is_not_known():
    """The variance that comes back is divided by n - 1, whatever n turns out to be; one trace serves all."""
    x = np.random.default_rng(0).normal(size=(3, 2, 2, 2)).astype(np.float32)
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 2])])
    def normalized(x):
        traces.append(None)
        return tf.compat.v1.nn.fused_batch_norm(x, [1.0, 2.0], [0.0, 1.0])

    for rows in (3, 2):
        wanted = tf.compat.v1.nn.fused_batch_norm(x[:rows], [1.0, 2.0], [0.0, 1.0])
        for found, value in zip(normalized(x[:rows]), wanted):
            np.testing.assert_allclose(found.numpy(), value.numpy(), rtol=1e-5, atol=1e-6)
    assert len(traces) == 1
