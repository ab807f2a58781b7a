"""Dropout: what is kept, what is scaled, and what the tape keeps."""

import numpy as np
import pytest

import tapeflow as tf


def test_mean_and_values():
    y = tf.nn.dropout(tf.ones([10_000]), 0.25, seed=3).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(y.mean() - 1) < 0.03


def test_the_gradient_is_the_same_mask():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5, seed=1)
    np.testing.assert_array_equal((tape.gradient(y, x) * x).numpy(), y.numpy())


def test_a_rate_of_zero_changes_nothing():
    np.testing.assert_array_equal(tf.nn.dropout([3.0, 1.0], 0).numpy(), [3, 1])


def test_a_rate_that_is_a_tensor_has_a_gradient():
    x, rate = tf.ones([1000]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(rate)
        y = tf.nn.dropout(x, rate)
    assert tape.gradient(y, rate).numpy() == pytest.approx(np.sum(y.numpy() > 0) * 4)


def test_noise_shape_repeats_decisions():
    x = tf.ones([6, 5])
    for shape in ([6, 1], [None, 1], tf.constant([6, 1])):
        y = tf.nn.dropout(x, 0.5, noise_shape=shape).numpy()
        np.testing.assert_array_equal(y, np.broadcast_to(y[:, :1], y.shape))
    with pytest.raises(tf.errors.InvalidArgumentError, match="noise_shape"):
        tf.nn.dropout(x, 0.5, noise_shape=[2, 5])


def test_seeds():
    x = tf.ones([100])
    draw = lambda: tf.nn.dropout(x, 0.5).numpy()
    tf.random.set_seed(4)
    first = draw(), draw()
    tf.random.set_seed(4)
    second = draw(), draw()
    np.testing.assert_array_equal(first, second)
    assert (first[0] != first[1]).any()
    stateless = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=seed).numpy() for seed in ([1, 2], [1, 2], [1, 3])]
    assert (stateless[0] == stateless[1]).all() and (stateless[0] != stateless[2]).any()


def test_infinite_elements_can_be_dropped():
    y = tf.nn.experimental.general_dropout(
        [np.inf, 1.0], 0.5, lambda shape, dtype: tf.constant([0.0, 0.9], dtype)
    ).numpy()
    np.testing.assert_array_equal(y, [0, 2])


@pytest.mark.parametrize("x,rate", [([1.0], 1.0), ([1.0], -0.1), ([1.0], 1.5), ([1], 0.5), ([1.0], [0.5])])
def test_errors(x, rate):
    with pytest.raises(ValueError):
        tf.nn.dropout(x, rate)
