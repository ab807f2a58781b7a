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


IN_FUNCTIONS = {
    "std": lambda r: tf.math.reduce_std(r, 1),
    "variance of columns": lambda r: tf.math.reduce_variance(r, 0),
    "variance of all": lambda r: tf.math.reduce_variance(r, [0, 1]),
    "cumsum": lambda r: tf.cumsum(r, 1),
    "cumsum of columns": lambda r: tf.cumsum(r, 0),
    "cumprod": lambda r: tf.math.cumprod(r, 1, reverse=True),
    "logsumexp": lambda r: tf.reduce_logsumexp(r, 1),
    "logsumexp of columns": lambda r: tf.reduce_logsumexp(r, 0),
    "clip_by_value": lambda r: tf.clip_by_value(r, 0.0, 1.5),
}


@pytest.mark.parametrize("name", IN_FUNCTIONS)
def test_one_trace_for_all_lengths_of_rows(name):
    """They ran as plain Python inside of functions; `clip_by_value` was refused there and on tapes."""
    function, traces = IN_FUNCTIONS[name], []

    @tf.function
    def traced(r):
        traces.append(tf.executing_eagerly())
        return function(r)

    for k in (1, 2, 3):
        x = tf.Variable(np.linspace(-1.0, 3.0, 2 * k + 3))
        rows = lambda x=x, k=k: tf.RaggedTensor.from_row_lengths(x, [2 * k, 1, 0, 2])
        flat = lambda r: r.flat_values if isinstance(r, tf.RaggedTensor) else r
        with tf.GradientTape() as eager:
            want = flat(function(rows()))
        with tf.GradientTape() as tape:
            got = flat(traced(rows()))
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-12)
        np.testing.assert_allclose(
            tape.gradient(got, x).numpy(), eager.gradient(want, x).numpy(), rtol=1e-12, atol=1e-12
        )
    assert traces == [False]
