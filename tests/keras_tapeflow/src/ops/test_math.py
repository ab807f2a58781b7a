"""Gradients of Keras' mathematical operations, graphs of them, and meanings that Keras' own tests leave open."""

import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow.src.ops import math

from .checks import check, normal

CASES = {
    "segment_sum": (lambda x: math.segment_sum(x, [0, 2, 0, 1, -1], 4), normal(5, 2)),
    "segment_max": (lambda x: math.segment_max(x, [0, 2, 0, 1, 1], 3), normal(5, 2)),
    "segment_min": (lambda x: math.segment_min(x, [0, 2, 0, 1, 1], 3), normal(5, 2)),
    "segment_prod": (lambda x: math.segment_prod(x, [0, 2, 0, 1, 9], 4), normal(5, 2)),
    "top_k": (lambda x: math.top_k(x, 2), normal(3, 4)),
    "logsumexp": (lambda x: math.logsumexp(x, (0, 1)), normal(3, 4, 2)),
    "cdist": (math.cdist, normal(2, 3, 4), normal(2, 5, 4)),
    "extract_sequences": (lambda x: math.extract_sequences(x, 4, 3), normal(2, 12)),
    "fft": (lambda *x: math.fft(x), *normal(2, 3, 5)),
    "fft2": (lambda *x: math.fft2(x), *normal(2, 3, 4)),
    "ifft2": (lambda *x: math.ifft2(x), *normal(2, 3, 4)),
    "rfft": (lambda x: math.rfft(x, 7), normal(2, 5)),
    "irfft": (lambda *x: math.irfft(x), *normal(2, 2, 5)),
    "stft": (lambda x: math.stft(x, 6, 2, 8), normal(2, 16)),
    "istft": (lambda *x: math.istft(x, 6, 2, 8), *normal(2, 7, 5)),
    "rsqrt": (math.rsqrt, np.abs(normal(4)) + 0.1),
    "erf": (math.erf, normal(4)),
    "erfc": (math.erfc, normal(4)),
    "erfinv": (math.erfinv, np.tanh(normal(4)) * 0.8),
    "logdet": (math.logdet, normal(2, 3, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    check(*CASES[name])


def test_segments_without_rows_and_rows_without_segments():
    data, ids = np.array([1.0, 2.0, 3.0]), [0, 0, 7]
    assert math.segment_max(data, ids, 2).numpy().tolist() == [2, -np.inf]
    assert math.segment_min(data, ids, 2).numpy().tolist() == [1, np.inf]
    assert math.segment_prod(data, ids, 2).numpy().tolist() == [2, 1]
    assert math.segment_sum(data, ids, 2).numpy().tolist() == [3, 0]


def test_the_distance_of_equal_rows_is_flat():
    x = tf.constant(normal(2, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = math.cdist(x, x)
    assert np.isfinite(tape.gradient(y, x).numpy()).all()


@pytest.mark.parametrize("window", ["hann", "hamming", np.linspace(0.5, 1, 8)])
def test_istft_undoes_stft(window):
    """But for the ends, where fewer parts meet than the weights count: there Keras' tests ask for TensorFlow's
    values."""
    x = normal(3, 64)
    back = math.istft(math.stft(x, 8, 2, 10, window), 8, 2, 10, length=64, window=window)
    np.testing.assert_allclose(back.numpy()[:, 8:-8], x[:, 8:-8], atol=1e-9)
