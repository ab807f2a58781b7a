"""Dilation and erosion against loops, and where their gradients go."""

from itertools import product

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.test_registry import check_gradients, tf_tensor

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(2, 5, 6, 3)), RNG.normal(size=(2, 3, 3))
PLAIN = dict(strides=[1, 1, 1, 1], padding="VALID", data_format="NHWC", dilations=[1, 1, 1, 1])


def dilation(x, w, rate=1):
    h, k = (w.shape[0] - 1) * rate + 1, (w.shape[1] - 1) * rate + 1
    out = np.empty((len(x), x.shape[1] - h + 1, x.shape[2] - k + 1, x.shape[3]))
    for i, j in product(range(out.shape[1]), range(out.shape[2])):
        out[:, i, j] = (x[:, i : i + h : rate, j : j + k : rate] + w).max((1, 2))
    return out


def test_dilation_and_erosion():
    np.testing.assert_allclose(tf.nn.dilation2d(X, W, **PLAIN).numpy(), dilation(X, W))
    np.testing.assert_allclose(
        tf.nn.dilation2d(X, W, **PLAIN | dict(dilations=[1, 2, 2, 1])).numpy(), dilation(X, W, 2)
    )
    np.testing.assert_allclose(
        tf.nn.dilation2d(X, W, **PLAIN | dict(strides=[1, 2, 2, 1])).numpy(), dilation(X, W)[:, ::2, ::2]
    )
    np.testing.assert_allclose(tf.nn.erosion2d(X, W, **PLAIN).numpy(), -dilation(-X, W[::-1, ::-1]))


def test_padding_is_never_the_largest():
    y = tf.nn.dilation2d(X - 100, W, **PLAIN | dict(padding="SAME")).numpy()
    assert y.shape == X.shape and y.max() < -90


@pytest.mark.parametrize("function", [tf.nn.dilation2d, tf.nn.erosion2d])
def test_gradients(function):
    check_gradients(
        lambda x, w: [function(x, w, **PLAIN | dict(padding="SAME"))],
        [tf_tensor(X), tf_tensor(W)],
        "dilation",
        2,
        1e-4,
    )


def test_errors():
    with pytest.raises(tf.errors.InvalidArgumentError, match="channels"):
        tf.nn.dilation2d(X, W[..., :2], **PLAIN)
    with pytest.raises(ValueError, match="NHWC"):
        tf.nn.dilation2d(X, W, **PLAIN | dict(data_format="NCHW"))
