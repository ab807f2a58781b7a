"""Bessel functions and integrals: derivatives of several orders, also where formulas divide by zero."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import derivative

special = tf.math.special


def derivatives(f, x, count):
    """The derivatives of order 1 … count at x."""
    if not count:
        return []
    x = tf.constant(x, tf.float64)
    fs = [f]
    for _ in range(count):
        fs.append(lambda u, f=fs[-1]: derivative(f, u))
    return [float(g(x)) for g in fs[1:]]


# Coefficients of the power series at 0, times the factorials
@pytest.mark.parametrize(
    ("f", "want"),
    [
        (special.bessel_i0, [0, 0.5, 0, 0.375]),
        (special.bessel_i1, [0.5, 0, 0.375, 0]),
        (special.bessel_j0, [0, -0.5, 0, 0.375]),
        (special.bessel_j1, [0.5, 0, -0.375, 0]),
        (special.dawsn, [1, 0, -4, 0]),
        (special.fresnel_cos, [1, 0, 0, 0]),
        (special.fresnel_sin, [0, 0, np.pi, 0]),
    ],
)
def test_derivatives_at_zero(f, want):
    np.testing.assert_allclose(derivatives(f, 0.0, 4), want, atol=1e-12)


def test_derivatives_of_spence_at_one():
    np.testing.assert_allclose(derivatives(special.spence, 1.0, 4), [-1, 1 / 2, -2 / 3, 6 / 4], rtol=1e-12)


@pytest.mark.parametrize("f", [special.bessel_i0e, special.bessel_i1e, special.bessel_k0e, special.bessel_k1e])
def test_scaled_functions_go_to_zero(f):
    assert derivatives(f, np.inf, 2) == [0, 0]
    assert derivatives(f, 1e12, 1)[0] == pytest.approx(
        -0.5 * float(f(tf.constant(1e12, tf.float64))) / 1e12, abs=1e-18
    )


@pytest.mark.parametrize(("plain", "sign"), [("bessel_i0", -1), ("bessel_i1", -1), ("bessel_k0", 1), ("bessel_k1", 1)])
def test_scaled_functions_are_scaled(plain, sign):
    x = tf.constant([0.5, 3.0], tf.float64)
    want = getattr(special, plain)(x).numpy() * np.exp(sign * x.numpy())
    np.testing.assert_allclose(getattr(special, plain + "e")(x).numpy(), want, rtol=1e-12)


def test_poles():
    assert derivatives(special.bessel_k1, 0.0, 1) == [-np.inf]
    assert derivatives(special.bessel_k1e, 0.0, 1) == [-np.inf]
    assert derivatives(special.expint, 1.0, 1) == [pytest.approx(np.e)]


def test_wronskian():
    """J1 Y0 - J0 Y1 = 2 / (πx)."""
    x = tf.constant([0.5, 2.0, 10.0], tf.float64)
    j0, j1, y0, y1 = (getattr(special, f"bessel_{n}")(x) for n in ("j0", "j1", "y0", "y1"))
    np.testing.assert_allclose((j1 * y0 - j0 * y1).numpy(), 2 / (np.pi * x.numpy()), rtol=1e-12)


def test_the_names_in_math_are_the_same_functions():
    assert tf.math.bessel_i0 is special.bessel_i0


@pytest.mark.parametrize("compiled", [False, True])
def test_beyond_their_poles(compiled):
    """TensorFlow's values: the functions with a pole at 0 keep its infinity below it; a NaN is not a pole."""
    if compiled:
        pytest.importorskip("jax")
    special, x = tf.math.special, tf.constant([-1.0, -np.inf, np.nan])
    run = lambda f, *args: (tf.function(f, jit_compile=True) if compiled else f)(*args).numpy()
    for f in (special.bessel_k0, special.bessel_k0e, special.bessel_k1, special.bessel_k1e):
        np.testing.assert_array_equal(run(f, x), [np.inf, np.inf, np.nan])
    for f in (special.bessel_y0, special.bessel_y1):
        np.testing.assert_array_equal(run(f, x), [-np.inf, -np.inf, np.nan])
    assert run(tf.math.lgamma, tf.constant(-np.inf, tf.float32)) == np.inf
    assert np.isnan(run(tf.math.zeta, tf.constant([np.nan, 2.0]), tf.constant([-1.0, np.nan]))).all()
