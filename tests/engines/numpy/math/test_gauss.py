"""Single precision, large arrays: against SciPy in double precision."""

import numpy as np
import pytest
from scipy import special

import tapeflow as tf
from tapeflow.engines.numpy.math import gauss

X = np.concatenate(
    [np.linspace(-12, 12, 40_001), np.geomspace(1e-30, 1, 1000), [0.0, -0.0, np.inf, -np.inf, np.nan]]
).astype(np.float32)


def test_erf():
    assert gauss.is_for(X)
    np.testing.assert_allclose(tf.math.erf(X), special.erf(X.astype(np.float64)), rtol=4e-7, atol=0)


def test_normal_cdf_with_its_tails():
    want = special.ndtr(X.astype(np.float64))
    np.testing.assert_allclose(gauss.normal_cdf(X), want, rtol=4e-6, atol=1e-45)
    usual = np.abs(X) < 2
    np.testing.assert_allclose(gauss.normal_cdf(X)[usual], want[usual], rtol=1.2e-6)


def test_small_and_large_arrays_agree():
    many = tf.nn.gelu(X[:40_001]).numpy()
    few = np.concatenate([tf.nn.gelu(part).numpy() for part in np.split(X[:40_000], 400)])
    np.testing.assert_allclose(many[:40_000], few, rtol=4e-6, atol=1e-45)


@pytest.mark.parametrize("shape", [(2048,), (64, 33), (3, 70, 80), (16384 * 2 + 5,)])
def test_shapes_and_strides(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    for view in (x, x[..., ::-1], x.T):
        np.testing.assert_allclose(gauss.erf(view), special.erf(view), rtol=1e-6, atol=1e-7)
