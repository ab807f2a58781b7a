"""Special functions: error functions, gamma, beta and zeta, and some integrals.

JAX has most of the values. Float64 is computed in float64 and everything else in float32.
"""

from functools import wraps
from math import pi

import jax.numpy as jnp
from jax import lax
from jax.scipy import special

EULER = 0.5772156649015329


def wide(kernel):
    """The kernel in float32 or float64, its result in the dtype of the first argument."""

    @wraps(kernel)
    def widened(*arrays, **params):
        dtype = arrays[0].dtype
        wide = [x.astype(jnp.promote_types(dtype, jnp.float32)) for x in arrays]
        return kernel(*wide, **params).astype(dtype)

    return widened


erf, erfc, erfinv, ndtri = wide(special.erf), wide(special.erfc), wide(special.erfinv), wide(special.ndtri)
dawsn, spence = wide(special.dawsn), wide(special.spence)
fresnel_sin, fresnel_cos = wide(lambda x: special.fresnel(x)[0]), wide(lambda x: special.fresnel(x)[1])


@wide
def normal_cdf(x):
    """One function for both tails: JAX's `ndtr` computes erf and erfc and then chooses, a third slower and not more
    exact."""
    return 0.5 * lax.erfc(x * -(0.5**0.5))


@wide
def erfcinv(x):
    """By the lower tail, where small numbers keep their digits: 1 - x would lose them."""
    return special.ndtri(x / 2) * -(0.5**0.5)


# ---- gamma and zeta


@wide
def zeta(s, q):
    pole = (s > 1) & (q <= 0) & (q == jnp.floor(q))
    return jnp.where(pole, jnp.inf, jnp.where((s > 1) & (q == jnp.inf), 0.0, special.zeta(s, q)))


@wide
def lgamma(x):
    return jnp.where(x == -jnp.inf, jnp.inf, special.gammaln(x))


@wide
def digamma(x):
    return jnp.where(x == 0, jnp.nan, special.digamma(x))


@wide
def polygamma(n, x):
    order = (n > 0) & (n == jnp.floor(n))
    k = jnp.where(order, n, 1.0)
    sign = jnp.where(k % 2 == 0, -1.0, 1.0)
    derivative = sign * jnp.exp(special.gammaln(k + 1)) * zeta(k + 1, x)
    return jnp.where(order, derivative, jnp.where(n == 0, digamma(x), jnp.nan))


@wide
def gamma_pdf(a, x):
    log_gamma = special.gammaln(a)
    out = special.gammasgn(a) * jnp.exp(special.xlogy(a - 1, x) - x - log_gamma)
    return jnp.where((log_gamma == jnp.inf) & ~jnp.isnan(x), 0.0, out)  # 1 / gamma(a) = 0 at the poles of gamma


def _large(dtype):
    """From where the loops take too long (or, in float32, lose too much), and two terms of the expansion are
    enough."""
    return 1e7 if dtype == jnp.float64 else 1e3


def _less_log(mu):
    """mu - log(1 + mu): near 0 by its series, where the difference would lose the digits."""
    small, series = jnp.clip(mu, -0.1, 0.1), jnp.zeros_like(mu)
    for k in range(16, 1, -1):
        series = 1 / k - small * series
    return jnp.where(jnp.abs(mu) < 0.1, small * small * series, mu - jnp.log1p(mu))


def _uniform_gamma(a, x, side):
    """P (side -1) or Q (side 1) of large arguments: Temme's expansion around the normal distribution function."""
    mu = (x - a) / a
    half_square = _less_log(mu)
    eta = jnp.sign(mu) * jnp.sqrt(2 * half_square)
    near = jnp.abs(eta) < 0.01
    away = jnp.where(near, 1.0, eta)
    first = jnp.where(near, -1 / 3 + eta / 12 - eta * eta * (2 / 135), 1 / jnp.where(near, 1.0, mu) - 1 / away)
    correction = jnp.exp(-a * half_square) / jnp.sqrt(2 * pi * a) * first
    return special.erfc(side * eta * jnp.sqrt(a / 2)) / 2 + side * correction


def _incomplete_gamma(function, a, x, side):
    """`function` where both arguments are ordinary: its loops may not end elsewhere."""
    inside = (a > 0) & (x >= 0) & (a < jnp.inf) & (x < jnp.inf)
    limit = _large(a.dtype)
    large = inside & (jnp.maximum(a, x) > limit)
    usual = inside & ~large
    out = function(jnp.where(usual, a, 1.0), jnp.where(usual, x, 1.0))
    far = _uniform_gamma(jnp.where(large, jnp.maximum(a, 1.0), limit), jnp.where(large, x, limit), side)
    past = ((a == 0) & (x > 0)) | ((a > 0) & (a < jnp.inf) & (x == jnp.inf))
    before = (a == jnp.inf) & (x >= 0) & (x < jnp.inf)
    edge = jnp.where(past, (1 - side) / 2, jnp.where(before, (1 + side) / 2, jnp.nan))
    return jnp.where(usual, out, jnp.where(large, far, edge))


@wide
def igamma(a, x):
    return _incomplete_gamma(special.gammainc, a, x, side=-1)


@wide
def igammac(a, x):
    return _incomplete_gamma(special.gammaincc, a, x, side=1)


# ---- beta


def log_beta(a, b):
    out = special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)
    return jnp.where((a == 0) | (b == 0), jnp.inf, out)


@wide
def beta_pdf(a, b, x):
    return jnp.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - log_beta(a, b))


@wide
def betainc(a, b, x):
    """A parameter that is 0 or infinite puts all the mass at one end."""
    valid = (a >= 0) & (b >= 0) & (x >= 0) & (x <= 1)
    inside = valid & (a > 0) & (b > 0) & (a < jnp.inf) & (b < jnp.inf)
    out = special.betainc(jnp.where(inside, a, 1.0), jnp.where(inside, b, 1.0), jnp.where(inside, x, 0.5))
    at_0, at_1 = (a == 0) | (b == jnp.inf), (b == 0) | (a == jnp.inf)
    ends = jnp.where(at_0, x > 0, x == 1).astype(x.dtype)
    return jnp.where(inside, out, jnp.where(valid & (at_0 ^ at_1), ends, jnp.nan))


# ---- the exponential integral Ei

_SERIES_END = 40.0  # where the asymptotic series is right to exp(-40)


def horner(step, terms, like):
    """step(k, … step(terms, 1)): the sum of a series whose terms are products, from its end."""
    return lax.fori_loop(0, terms, lambda i, s: step((terms - i).astype(like.dtype), s), jnp.ones_like(like))


def _expint_near(x):
    """Euler's constant + log|x| + sum of x**k / (k k!)"""
    # With s the rest of the series over its first term: x (1 + x/(2·2) · 2 (…)): the ratio of two terms is x k /
    # (k+1)².
    series = x * horner(lambda k, s: 1 + x * k / ((k + 1) * (k + 1)) * s, 160, x)
    return EULER + jnp.log(jnp.abs(x)) + series


def _expint_far(x):
    """exp(x) / x times the sum of k! / x**k, up to its smallest term."""
    half = jnp.exp(x / 2)  # which overflows later
    return half / x * horner(lambda k, s: 1 + k / x * s, 38, x) * half


def _expint_negative(x):
    """A continued fraction, for x < -1: -exp(x) / (t + 1 - 1/(t + 3 - 4/(t + 5 - …))), t = -x."""
    terms, t = 80, -x

    def step(i, rest):
        k = (terms - i).astype(x.dtype)
        return t + 2 * k - 1 - k * k / rest

    return -jnp.exp(x) / lax.fori_loop(0, terms, step, t + 2 * terms + 1)


@wide
def expint(x):
    held = lambda low, high: jnp.clip(x, low, high)
    negative, near, far = (
        _expint_negative(held(None, -1)),
        _expint_near(held(-1, _SERIES_END)),
        _expint_far(held(_SERIES_END, None)),
    )
    out = jnp.where(x < -1, negative, jnp.where(x > _SERIES_END, far, near))
    return jnp.where(x == -jnp.inf, 0.0, jnp.where(x == jnp.inf, x, out))
