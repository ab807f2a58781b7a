"""Blocks as channels, and biases."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

X = np.arange(2 * 4 * 6 * 3, dtype=np.float32).reshape(2, 4, 6, 3)


def test_there_and_back():
    deep = tf.nn.space_to_depth(X, 2)
    assert deep.shape == (2, 2, 3, 12)
    np.testing.assert_array_equal(deep.numpy()[0, 0, 1], X[0, 0:2, 2:4].ravel())
    np.testing.assert_array_equal(tf.nn.depth_to_space(deep, 2).numpy(), X)


def test_channels_first():
    first = np.transpose(X, (0, 3, 1, 2))
    deep = tf.nn.space_to_depth(first, 2, data_format="NCHW").numpy()
    np.testing.assert_array_equal(np.transpose(deep, (0, 2, 3, 1)), tf.nn.space_to_depth(X, 2).numpy())
    np.testing.assert_array_equal(tf.nn.depth_to_space(deep, 2, data_format="NCHW").numpy(), first)


def test_gradients_only_move():
    weights = np.cos(X)
    grad = gradient(lambda x: tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2) * weights, X)
    np.testing.assert_array_equal(grad, weights)


def test_bias_add():
    np.testing.assert_array_equal(tf.nn.bias_add(X, np.float32([1, 2, 3])).numpy(), X + np.float32([1, 2, 3]))
    first = tf.nn.bias_add(X, np.arange(4, dtype=np.float32), "NCHW").numpy()
    np.testing.assert_array_equal(first, X + np.arange(4, dtype=np.float32).reshape(4, 1, 1))
    assert gradient(lambda b: tf.nn.bias_add(X, b), np.zeros(3, np.float32)).tolist() == [48, 48, 48]


@pytest.mark.parametrize(
    "call,error,text",
    [
        (lambda: tf.nn.space_to_depth(X[:, :3], 2), tf.errors.InvalidArgumentError, "multiples"),
        (lambda: tf.nn.depth_to_space(X, 2), tf.errors.InvalidArgumentError, "multiple"),
        (lambda: tf.nn.space_to_depth(X, 1), tf.errors.InvalidArgumentError, "at least 2"),
        (lambda: tf.nn.space_to_depth(X[0], 2), tf.errors.InvalidArgumentError, "rank 4"),
        (lambda: tf.nn.bias_add(X, np.float32([1, 2])), tf.errors.InvalidArgumentError, "biases"),
        (lambda: tf.nn.bias_add(X, np.float32([1, 2, 3]), "HWC"), ValueError, "data_format"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
