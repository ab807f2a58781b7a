"""Scaling and translating: against resizing, where both say the same, and with gradients by the numbers."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.image.resize import resampled
from tapeflow.api.image.scaling import KERNELS, scaled_and_translated

X = np.random.default_rng(0).normal(size=(5, 7))


@pytest.mark.parametrize("method", ["triangle", "lanczos3", "lanczos5"])
@pytest.mark.parametrize("after", [3, 11])
def test_without_a_translation_it_is_resizing(method, after):
    scale, zero = tf.constant(after / 7, tf.float64), tf.constant(0.0, tf.float64)
    found = scaled_and_translated(tf.constant(X), [1], [7], [after], [scale], [zero], method, antialias=True)
    want = resampled(tf.constant(X), {1: after}, "bilinear" if method == "triangle" else method, True)
    np.testing.assert_allclose(found.numpy(), want.numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("method", sorted(KERNELS))
def test_a_whole_translation_moves_lines(method):
    one, two = tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)
    found = scaled_and_translated(tf.constant(X), [0], [5], [5], [one], [two], method, antialias=True)
    np.testing.assert_allclose(found.numpy(), np.concatenate([np.zeros((2, 7)), X[:3]]), atol=1e-12)


def test_the_numbers_have_gradients():
    def moved(shift):
        scale = tf.constant(1.3, tf.float64)
        return scaled_and_translated(tf.constant(X), [0], [5], [6], [scale], [shift], "cubic", antialias=True)

    assert tf.test.compute_gradient(moved, [tf.constant(0.3, tf.float64)])[0][0].any()
    exact, numeric = tf.test.compute_gradient(moved, [tf.constant(0.3, tf.float64)], delta=1e-6)
    np.testing.assert_allclose(exact[0], numeric[0], atol=1e-6)
