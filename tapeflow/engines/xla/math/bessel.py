"""Bessel functions of whole orders. Orders beyond 1 come from derivatives alone, so they are small, and recurrences
reach them.

Integrals of periodic or rapidly vanishing functions, which a sum over equal steps gives to the last digit, serve in
the middle; power series near 0 and Hankel's series for large arguments.
"""

from math import pi

import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from .special import EULER, horner, wide

# ---- Hankel's asymptotic series


def _hankel(nu, x, alternate):
    """The sums over even and odd k of a_k / x**k, a_k = product of (4 nu² - (2j-1)²) / (8j) for j ≤ k; `alternate` in
    sign by pairs."""
    sums, term = [jnp.ones_like(x), jnp.zeros_like(x)], jnp.ones_like(x)
    for k in range(1, 18):
        term = term * ((4 * nu * nu - (2 * k - 1) ** 2) / (8 * k)) / x
        sums[k % 2] = sums[k % 2] + (-term if alternate and k % 4 >= 2 else term)
    return sums


def _upwards(recur, nu, first, second):
    """From the orders 0 and 1 to `nu`; recur(order below, order, number of the order)."""
    for k in range(1, nu):
        first, second = second, recur(first, second, k)
    return second if nu else first


# ---- J and Y

_POINTS = 40


def _far_from(x):
    """Where Hankel's series begins: it is right to exp(-2x)."""
    return 25.0 if x.dtype == jnp.float64 else 10.0


def _angles():
    """Cosines of the midpoints of a quarter of the circle, and there minus twice the sum of cos(2mθ) / m (which is
    log(4 sin²θ))."""
    angles = (np.arange(_POINTS) + 0.5) * (pi / 2 / _POINTS)
    m = np.arange(1, _POINTS)
    return np.cos(angles), -2 * (np.cos(2 * m * angles[:, None]) / m).sum(1)


def _near(x):
    """J0, J1, Y0, Y1 as means of cos(x cos θ) and of its derivative. For Y, Neumann's series in J of even orders,
    which are means too."""
    log = jnp.log(x / 2) + EULER
    j0 = j1 = y0 = y1 = jnp.zeros_like(x)
    for c, weight in zip(*_angles()):
        value, slope = jnp.cos(x * float(c)), float(c) * jnp.sin(x * float(c))
        j0, j1, y0, y1 = j0 + value, j1 + slope, y0 + float(weight) * value, y1 + float(weight) * slope
    j0, j1, y0, y1 = [s / _POINTS for s in (j0, j1, y0, y1)]
    return j0, j1, 2 / pi * (log * j0 + y0), 2 / pi * (log * j1 + y1 - j0 / x)


def _far(x):
    """With cos(x - π/4) and the like by sums of cos x and sin x, so that no digit of x is lost."""
    cos, sin, scale = jnp.cos(x), jnp.sin(x), 1 / jnp.sqrt(pi * x)
    p0, q0 = _hankel(0, x, True)
    p1, q1 = _hankel(1, x, True)
    plus, minus = cos + sin, sin - cos
    j0, y0 = scale * (p0 * plus - q0 * minus), scale * (p0 * minus + q0 * plus)
    j1, y1 = scale * (p1 * minus + q1 * plus), scale * (q1 * minus - p1 * plus)
    return j0, j1, y0, y1


def _low_orders(x):
    """J0, J1, Y0, Y1 of positive x."""
    limit = _far_from(x)
    finite = jnp.where(x == jnp.inf, limit, x)  # a NaN stays
    pairs = zip(_near(jnp.minimum(finite, limit)), _far(jnp.maximum(finite, limit)))
    return [jnp.where(x == jnp.inf, 0.0, jnp.where(x > limit, far, near)) for near, far in pairs]


def _series(x, nu, sign, terms):
    """(x/2)**nu / nu! times the sum of (sign x²/4)**k / (k! (nu+1) … (nu+k)): J by sign -1, I by 1."""
    square = x * x * (sign / 4)
    start = jnp.ones_like(x)
    for k in range(1, nu + 1):
        start = start * (x / (2 * k))
    return start * horner(lambda k, s: 1 + square / (k * (k + nu)) * s, terms, x)


@wide
def bessel_j(x, nu):
    size = jnp.abs(x)
    j0, j1, _, _ = _low_orders(size)
    out = _upwards(lambda below, at, k: at * (2 * k) / size - below, nu, j0, j1)
    near = 2 * (nu + 1) ** 0.5  # no cancellation up to here
    if nu >= 2:
        out = jnp.where(size < near, _series(jnp.minimum(size, near), nu, -1, 24), out)
    return jnp.where(x < 0, -out, out) if nu % 2 else out


@wide
def bessel_y(x, nu):
    _, _, y0, y1 = _low_orders(x)
    recur = lambda below, at, k: jnp.where(at == -jnp.inf, at, at * (2 * k) / x - below)
    out = _upwards(recur, nu, y0, y1)
    return jnp.where(x <= 0, -jnp.inf, out)


# ---- I


def _scaled_i(x, nu):
    """exp(-|x|) I(x)"""
    if nu < 2:
        return special.i1e(x) if nu else special.i0e(x)
    size, limit = jnp.abs(x), max(20.0, nu * nu / 4)
    small, large = jnp.minimum(size, limit), jnp.clip(size, limit, jnp.finfo(x.dtype).max)
    even, odd = _hankel(nu, large, False)
    far = (even - odd) / jnp.sqrt(2 * pi * large)
    near = jnp.exp(-small) * _series(small, nu, 1, int(2 * limit) + 10)
    out = jnp.where(size > limit, far, near)
    return jnp.where(x < 0, -out, out) if nu % 2 else out


bessel_ie = wide(_scaled_i)


@wide
def bessel_i(x, nu):
    """The exponential in two halves: it overflows earlier than the product."""
    half = jnp.exp(jnp.abs(x) / 2)
    return jnp.where(jnp.isinf(x), x if nu % 2 else jnp.abs(x), _scaled_i(x, nu) * half * half)


# ---- K

_STEPS = 24


def _k_near(x):
    """exp(x) K0(x) and exp(x) K1(x), for x ≤ 2, by their power series: the logarithm goes with I."""
    square, log = x * x / 4, jnp.log(x / 2) + EULER
    sum0 = sum1 = jnp.zeros_like(x)
    i0 = i1 = term0 = jnp.ones_like(x)
    term1, harmonic = term0, 0.0
    sum1 = sum1 + 0.5
    for k in range(1, 16):
        harmonic += 1 / k
        term0, term1 = term0 * square / (k * k), term1 * square / (k * (k + 1))
        i0, i1 = i0 + term0, i1 + term1
        sum0, sum1 = sum0 + harmonic * term0, sum1 + (harmonic + 0.5 / (k + 1)) * term1
    scale = jnp.exp(x)
    return scale * (sum0 - log * i0), scale * (1 / x + x / 2 * (log * i1 - sum1))


def _k_far(x):
    """The integrals of exp(-x (cosh t - 1)) and of it times cosh t, for x ≥ 2, up to where the exponent is -40."""
    u = 40 / x
    step = jnp.log1p(u + jnp.sqrt(u * (u + 2))) / _STEPS
    k0 = k1 = jnp.full_like(x, 0.5)
    for i in range(1, _STEPS + 1):
        half = jnp.sinh(step * (i / 2))
        more = 2 * half * half  # cosh t - 1
        value = jnp.exp(-x * more)
        k0, k1 = k0 + value, k1 + value * (1 + more)
    return k0 * step, k1 * step


@wide
def bessel_ke(x, nu):
    finite = jnp.clip(x, None, jnp.finfo(x.dtype).max)
    pairs = zip(_k_near(jnp.minimum(finite, 2)), _k_far(jnp.maximum(finite, 2)))
    k0, k1 = [jnp.where(x > 2, far, near) for near, far in pairs]
    out = _upwards(lambda below, at, k: below + at * (2 * k) / finite, nu, k0, k1)
    return jnp.where(x <= 0, jnp.inf, jnp.where(x == jnp.inf, 0.0, out))


@wide
def bessel_k(x, nu):
    scaled = bessel_ke(x, nu=nu)
    return jnp.where(jnp.isinf(scaled), scaled, scaled * jnp.exp(-x))
