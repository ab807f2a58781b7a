"""Derivatives of special functions in their parameters, in float64.

igamma and betainc are distribution functions, F(x) = integral of the density up to x, and the derivative in a
parameter is the integral of density times score. The score's mean is 0, so the integral up to x is minus that from x
on; on the side where the score keeps its sign nothing cancels. In a variable v that runs from x towards the tail, the
logarithm of the integrand is concave, so the integrand ends somewhere that bisection finds, and Gauss-Legendre does
the rest to about 12 digits.
"""

from functools import cache
from math import factorial

import numpy as np

_LOG_TINY = -40.0  # exp(-40) does not count in float64
_PANELS = 8


@cache
def _gauss_legendre():
    """Nodes and weights on [0, 1] in panels that grow threefold from 0 on."""
    nodes, weights = np.polynomial.legendre.leggauss(14)
    edges = np.array([0.0, *(3.0 ** (k - _PANELS + 1) for k in range(_PANELS))])
    width = np.diff(edges)[:, None]
    return (edges[:-1, None] + width * (nodes + 1) / 2).ravel(), (width * weights / 2).ravel()


def _tail_integral(exponent, score, start, knot):
    """The integral of exp(exponent(v)) * score(v) over v > 0. The exponent is concave, 0 at 0 and above `_LOG_TINY` at
    `start`; around `knot` it may bend within a distance of 1, however long the tail is, so the panels are finest
    there."""
    low, high = start, 2 * start
    while (short := exponent(high) > _LOG_TINY).any():
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    for _ in range(5):
        middle = (low + high) / 2
        short = exponent(middle) > _LOG_TINY
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    knot = np.clip(knot, 0, high)
    total = 0.0
    for length in (high - knot, -knot):
        for node, weight in zip(*_gauss_legendre()):
            v = knot + length * node
            total = total + weight * abs(length) * np.exp(exponent(v)) * score(v)
    return total


def igamma_in_a(a, x):
    from scipy import special

    inside = (a > 0) & (x > 0) & (a < np.inf) & (x < np.inf)
    outside = np.where((a > 0) & ((x == 0) | (x == np.inf)), 0.0, np.nan)
    a, x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    log_x, mean = np.log(x), special.digamma(a)
    side = np.where(log_x <= mean, -1.0, 1.0)  # t = x exp(side * v)
    integral = _tail_integral(
        exponent=lambda v: side * a * v - x * np.expm1(side * v),
        score=lambda v: log_x + side * v - mean,
        start=np.where(side < 0, -_LOG_TINY / a, np.log1p(-_LOG_TINY / x)),
        knot=side * (np.log(np.where(side < 0, 1.0, np.maximum(a, 1.0))) - log_x),
    )
    scale = np.exp(a * log_x - x - special.gammaln(a))
    return np.where(inside, -side * scale * integral, outside)


def betainc_in_parameter(a, b, x, which):
    from scipy import special

    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & (a < np.inf) & (b < np.inf)
    outside = np.where((a > 0) & (b > 0) & ((x == 0) | (x == 1)), 0.0, np.nan)
    a, b, x = np.where(inside, a, 1.0), np.where(inside, b, 1.0), np.where(inside, x, 0.5)
    w = special.logit(x)  # t = 1 / (1 + exp(-(w + side * v)))
    log_t, log_rest = lambda w: -np.logaddexp(0, -w), lambda w: -np.logaddexp(0, w)
    log_density = lambda w: a * log_t(w) + b * log_rest(w)
    if which == "a":
        mean = special.digamma(a) - special.digamma(a + b)
        score_at, side = log_t, np.where(log_t(w) <= mean, -1.0, 1.0)
    else:
        mean = special.digamma(b) - special.digamma(a + b)
        score_at, side = log_rest, np.where(log_rest(w) >= mean, -1.0, 1.0)
    at_x = log_density(w)
    integral = _tail_integral(
        exponent=lambda v: log_density(w + side * v) - at_x,
        score=lambda v: score_at(w + side * v) - mean,
        start=-_LOG_TINY / np.where(side < 0, a, b),
        knot=-side * w,
    )
    scale = np.exp(at_x - special.betaln(a, b))
    return np.where(inside, -side * scale * integral, outside)


_TERMS = 24
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


def zeta_in_s(xp, s, q, times):
    """The sum of f(q + n), f(t) = (-log t)**times * t**-s, by Euler-Maclaurin; NaN unless s > 1 and q > 0."""
    inside = (s > 1) & (q > 0)
    s, q = xp.where(inside, s, 2.0), xp.where(inside, q, 1.0)
    total = sum((-xp.log(q + n)) ** times * (q + n) ** -s for n in range(_TERMS))
    t = q + _TERMS
    log_t = xp.log(t)
    integral = 1 / (s - 1)  # of (log t)**k * t**-s from t on, over t**(1-s), for k = 0, 1, …, times
    for k in range(1, times + 1):
        integral = (log_t**k + k * integral) / (s - 1)
    tail = (-1) ** times * (integral * t + log_t**times / 2)
    # f's derivative of order m is t**(-s-m) times a polynomial in log t, whose coefficients these are
    polynomial = [xp.zeros_like(s)] * times + [xp.full_like(s, (-1.0) ** times)]
    for m in range(2 * len(_BERNOULLI) - 1):
        raised = [(k + 1) * c for k, c in enumerate(polynomial[1:])] + [0.0]
        polynomial = [up - (s + m) * c for up, c in zip(raised, polynomial)]
        if m % 2 == 0:
            value = sum(c * log_t**k for k, c in enumerate(polynomial))
            tail = tail - _BERNOULLI[m // 2] / factorial(m + 2) * value * t ** -(m + 1.0)
    power = t**-s
    return xp.where(inside, xp.where(power == 0, total, total + tail * power), xp.nan)
