"""Variance, log-sum-exp and running sums of ragged tensors, compared row by row with those of tensors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

ROWS = [[1.0, 2.0, 4.0], [3.0], [5.0, -1.0]]


def ragged():
    return tf.ragged.constant(ROWS)


def column(k):
    return np.array([row[k] for row in ROWS if len(row) > k], np.float32)


STATISTICS = {tf.math.reduce_variance: np.var, tf.math.reduce_std: np.std}
STATISTICS[tf.reduce_logsumexp] = lambda x: np.log(np.exp(x).sum())


@pytest.mark.parametrize("function", STATISTICS, ids=lambda f: f.__name__)
def test_of_all_of_rows_and_of_columns(function):
    reference = STATISTICS[function]
    x = ragged()
    close(function(x), reference(x.flat_values.numpy()), terms=6)
    close(function(x, axis=1), np.array([reference(np.array(r, np.float32)) for r in ROWS]), terms=6)
    close(function(x, axis=0), np.array([reference(column(k)) for k in range(3)]), terms=6)
    assert function(x, axis=1, keepdims=True).shape == [3, 1]
    deep = tf.ragged.constant([[[1.0, 2.0], [3.0]], [[4.0, 7.0]]])
    inner = function(deep, axis=2)
    assert [len(row) for row in inner.to_list()] == [2, 1]
    close(inner[1, 0], reference(np.array([4.0, 7.0], np.float32)), terms=6)


def test_inner_axes_of_the_values():
    x = tf.ragged.constant([[[1.0, 3.0], [5.0, 5.0]], [[0.0, 8.0]]], inner_shape=(2,))
    assert tf.math.reduce_variance(x, axis=2).to_list() == [[1, 0], [16]]
    close(tf.math.reduce_variance(x, axis=(1, 2)), np.array([np.var([1, 3, 5, 5]), 16], np.float32), terms=6)


@pytest.mark.parametrize("function", STATISTICS, ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_rows(function):
    x = ragged()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(function(x, axis=1)[0] * 2.0)
    found = tape.gradient(y, x).to_list()
    row = tf.constant(ROWS[0])
    with tf.GradientTape() as tape:
        tape.watch(row)
        y = function(row) * 2.0
    close(tf.constant(found[0]), tape.gradient(y, row).numpy(), terms=6)
    assert found[1] == [0] and found[2] == [0, 0]


def test_large_values_and_empty_rows():
    x = tf.ragged.constant([[1000.0, 1000.0], [], [-1000.0]])
    close(tf.reduce_logsumexp(x, axis=1), np.array([1000 + np.log(2), -np.inf, -1000], np.float32), terms=2)
    assert np.isnan(tf.math.reduce_variance(x, axis=1).numpy()).tolist() == [False, True, False]


def test_running_sums_and_products():
    x = ragged()
    assert tf.cumsum(x).to_list() == [[1, 2, 4], [4], [9, 1]]
    assert tf.cumsum(x, axis=1).to_list() == [[1, 3, 7], [3], [5, 4]]
    assert tf.cumsum(x, axis=1, exclusive=True, reverse=True).to_list() == [[6, 4, 0], [0], [-1, 0]]
    assert tf.math.cumprod(x, axis=1).to_list() == [[1, 2, 8], [3], [5, -5]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.cumsum(x, axis=1))
    assert tape.gradient(y, x).to_list() == [[3, 2, 1], [1], [2, 1]]
