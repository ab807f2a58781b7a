"""Error, gamma, beta and zeta functions: poles, edges, derivatives in the parameters."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

inf, nan = np.inf, np.nan


def gradients(f, *xs):
    """Of every argument, in float64."""
    found = gradient(f, *[np.asarray(x, np.float64) for x in xs])
    return found if len(xs) > 1 else [found]


@pytest.mark.parametrize(
    ("f", "x", "value", "slope"),
    [
        (tf.math.erf, [0.0, 10.0], [0, 1], [2 / np.sqrt(np.pi), 0]),
        (tf.math.erfinv, [-1.0, 0.0, 1.0], [-inf, 0, inf], [inf, np.sqrt(np.pi) / 2, inf]),
        (tf.math.erfcinv, [0.0, 1.0, 2.0], [inf, 0, -inf], [-inf, -np.sqrt(np.pi) / 2, -inf]),
        (tf.math.ndtri, [0.0, 0.5, 1.0], [-inf, 0, inf], [inf, np.sqrt(2 * np.pi), inf]),
        (tf.math.lgamma, [0.0, 1.0, -1.0], [inf, 0, inf], [nan, -np.euler_gamma, nan]),
        (tf.math.digamma, [0.0, 1.0, -1.0], [nan, -np.euler_gamma, nan], [inf, np.pi**2 / 6, inf]),
    ],
)
def test_edges(f, x, value, slope):
    np.testing.assert_allclose(f(tf.constant(x, tf.float64)).numpy(), value, atol=1e-15)
    np.testing.assert_allclose(gradients(f, x)[0], slope, rtol=1e-12, atol=1e-30)


def test_igamma_of_shape_one_is_an_exponential_distribution():
    a, x = gradients(tf.math.igamma, [1.0, 1.0, 2.0], [0.0, 3.0, 0.0])
    np.testing.assert_allclose(x, [1, np.exp(-3), 0])
    np.testing.assert_allclose(gradients(tf.math.igammac, [1.0], [0.0])[1], [-1])
    assert a[0] == 0


# d/da of the regularised incomplete gamma function, integrated with adaptive quadrature
@pytest.mark.parametrize(
    ("a", "x", "slope"),
    [
        (2, 1, -0.276196045702835),
        (0.1, 1e-6, -3.53587439177865),
        (50, 70, -0.00198401868093639),
        (1e4, 9900, -0.00242375336833139),
        (0.001, 0.5, -0.560359400107929),
    ],
)
def test_slope_of_igamma_in_its_shape(a, x, slope):
    np.testing.assert_allclose(gradients(tf.math.igamma, a, x)[0], slope, rtol=1e-10)
    np.testing.assert_allclose(gradients(tf.math.igammac, a, x)[0], -slope, rtol=1e-10)


@pytest.mark.parametrize(
    ("a", "b", "x", "in_a", "in_b"),
    [
        (2, 3, 0.5, -0.195288686634964, 0.154108493924984),
        (0.1, 30, 1e-5, -3.59158355563473, 0.00157757674007489),
        (0.01, 0.01, 0.999, -23.3428768709872, 26.5513043639028),
        (1000, 2000, 0.34, -0.00757176046692814, 0.00384253716186457),
    ],
)
def test_slopes_of_betainc_in_its_shape(a, b, x, in_a, in_b):
    got = gradients(tf.math.betainc, a, b, x)
    np.testing.assert_allclose(got[:2], [in_a, in_b], rtol=1e-10)


def test_slope_of_igamma_in_its_shape_has_no_derivative_in_it():
    a = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.math.igamma(a, 1.0)
        g = tape.gradient(y, a)
    with pytest.raises(LookupError, match="igamma_slope"):
        outer.gradient(g, a)


def test_zeta():
    np.testing.assert_allclose(
        tf.math.zeta(tf.constant([2.0, 4.0], tf.float64), 1.0).numpy(), [np.pi**2 / 6, np.pi**4 / 90]
    )
    in_s, in_q = gradients(tf.math.zeta, 2.0, 1.0)
    np.testing.assert_allclose(in_s, -0.9375482543158438, rtol=1e-12)  # Riemann's zeta'(2)
    np.testing.assert_allclose(in_q, -2 * 1.2020569031595942, rtol=1e-12)


def test_polygamma():
    n, x = gradients(tf.math.polygamma, [0.0, 1.0], [1.0, 1.0])
    assert n is None
    np.testing.assert_allclose(x, [np.pi**2 / 6, -2 * 1.2020569031595942])
    assert np.isnan(tf.math.polygamma([0.5, -1.0], [2.0, 2.0]).numpy()).all()


def test_lbeta():
    np.testing.assert_allclose(
        tf.math.lbeta([[1.0, 2.0, 3.0], [0.5, 0.5, 0.5]]).numpy(), [-4.0943446, 1.837877], rtol=1e-6
    )
    assert tf.math.lbeta(tf.zeros([2, 0])).numpy().tolist() == [-inf, -inf]
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 1"):
        tf.math.lbeta(2.0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_dtypes(dtype):
    x = tf.constant([0.5, 1.5], dtype)
    for f in (
        tf.math.erf,
        tf.math.lgamma,
        tf.math.digamma,
        lambda x: tf.math.igamma(x, x),
        lambda x: tf.math.zeta(x + 1, x),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert y.dtype == tape.gradient(y, x).dtype == dtype
