"""Window functions; the literal numbers are TensorFlow's."""

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.test_registry import check_gradients


@pytest.mark.parametrize(
    ("window", "want"),
    [
        (tf.signal.hann_window(5), [0, 0.5, 1, 0.5, 0]),
        (tf.signal.hann_window(4), [0, 0.5, 1, 0.5]),
        (tf.signal.hann_window(4, periodic=False), [0, 0.75, 0.75, 0]),
        (tf.signal.hann_window(1), [1]),
        (tf.signal.hann_window(0), []),
        (tf.signal.hamming_window(6), [0.08, 0.31, 0.77, 1, 0.77, 0.31]),
        (tf.signal.hamming_window(6, periodic=False), [0.08, 0.3978522, 0.9121479, 0.9121479, 0.3978522, 0.08]),
        (tf.signal.kaiser_window(6), [5.2773448e-05, 0.1017197, 0.7929395, 0.7929395, 0.1017197, 5.2773448e-05]),
        (tf.signal.kaiser_window(5, beta=3.0), [0.2048847, 0.7269254, 1, 0.7269254, 0.2048847]),
        (tf.signal.kaiser_window(1, beta=3.0), [1]),
        (tf.signal.kaiser_bessel_derived_window(6), [0.007131, 0.7071068, 0.9999745, 0.9999745, 0.7071068, 0.007131]),
        (tf.signal.kaiser_bessel_derived_window(8, beta=4.0)[:4], [0.1902781, 0.5435095, 0.839403, 0.9817302]),
        (tf.signal.vorbis_window(6), [0.1050293, 0.7071068, 0.9944691, 0.9944691, 0.7071068, 0.1050292]),
    ],
)
def test_numbers(window, want):
    assert window.dtype == tf.float32
    np.testing.assert_allclose(window.numpy(), want, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(
    "function", [tf.signal.hann_window, tf.signal.hamming_window, tf.signal.kaiser_window, tf.signal.vorbis_window]
)
def test_dtypes(function):
    assert function(tf.constant(4), dtype=tf.float64).dtype == tf.float64
    assert function(4, dtype="float16").dtype == tf.float16
    with pytest.raises(ValueError, match="floating point"):
        function(4, dtype=tf.int32)


def test_kaiser_has_a_gradient_with_respect_to_beta():
    beta = [tf.constant(3.0, tf.float64)]
    check_gradients(lambda b: [tf.signal.kaiser_window(6, beta=b, dtype=tf.float64)], beta, "kaiser", 2, 1e-4)
    check_gradients(
        lambda b: [tf.signal.kaiser_bessel_derived_window(6, beta=b, dtype=tf.float64)], beta, "derived", 2, 1e-4
    )
