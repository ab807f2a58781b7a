"""Isotonic regression: fits, levels, gradients."""

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.test_registry import check_gradients, tf_tensor

X = np.random.default_rng(0).normal(size=(3, 8))


@pytest.mark.parametrize("decreasing", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_fit_is_monotonic_and_levels_are_means(decreasing, axis):
    fit, level = [np.moveaxis(t.numpy(), axis, -1) for t in tf.nn.isotonic_regression(X, decreasing, axis)]
    steps = np.diff(fit, axis=-1)
    assert (steps <= 1e-12).all() if decreasing else (steps >= -1e-12).all()
    for x, f, s in zip(np.moveaxis(X, axis, -1), fit, level):
        for k in np.unique(s):
            np.testing.assert_allclose(f[s == k], x[s == k].mean())


def test_what_is_monotonic_already_stays():
    x = np.float32([5, 3, 3, 1])
    np.testing.assert_array_equal(tf.nn.isotonic_regression(x)[0].numpy(), x)
    assert tf.nn.isotonic_regression(tf.constant([1, 2, 3]), decreasing=False)[0].dtype == tf.float64


def test_gradients():
    check_gradients(lambda x: [tf.nn.isotonic_regression(x)[0]], [tf_tensor(X)], "isotonic", 2, 1e-4)
