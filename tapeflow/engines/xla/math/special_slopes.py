"""Derivatives of the incomplete gamma and beta functions in their parameters.

Each is the integral of density times score over a tail, by Gauss-Legendre:
`tapeflow.engines.numpy.math.special_slopes` says how and why.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from .special import log_beta, wide

_LOG_TINY = -40.0
_PANELS = 8


def _gauss_legendre(dtype):
    """Nodes and weights on [0, 1] in panels that grow threefold from 0 on."""
    nodes, weights = np.polynomial.legendre.leggauss(14)
    edges = np.array([0.0, *(3.0 ** (k - _PANELS + 1) for k in range(_PANELS))])
    width = np.diff(edges)[:, None]
    points = (edges[:-1, None] + width * (nodes + 1) / 2, width * weights / 2)
    return [jnp.asarray(p.ravel(), dtype) for p in points]


def _end(exponent, start):
    """Where the exponent falls below `_LOG_TINY`: by doubling, then by bisection."""
    short = lambda v: exponent(v) > _LOG_TINY

    def double(ends):
        too_short = short(ends[1])
        return jnp.where(too_short, ends[1], ends[0]), jnp.where(too_short, 2 * ends[1], ends[1])

    def halve(_, ends):
        middle = (ends[0] + ends[1]) / 2
        too_short = short(middle)
        return jnp.where(too_short, middle, ends[0]), jnp.where(too_short, ends[1], middle)

    ends = lax.while_loop(lambda ends: short(ends[1]).any(), double, (start, 2 * start))
    return lax.fori_loop(0, 5, halve, ends)[1]


def _tail_integral(exponent, score, start, knot):
    """The integral of exp(exponent(v)) * score(v) over v > 0, the panels being finest at `knot`."""
    high = _end(exponent, start)
    knot = jnp.clip(knot, 0, high)
    nodes, weights = _gauss_legendre(high.dtype)

    def add(k, total):
        for length in (high - knot, -knot):
            v = knot + length * nodes[k]
            total = total + weights[k] * jnp.abs(length) * jnp.exp(exponent(v)) * score(v)
        return total

    return lax.fori_loop(0, len(nodes), add, jnp.zeros_like(high))


@wide
def igamma_slope(a, x):
    a, x = jnp.broadcast_arrays(a, x)
    inside = (a > 0) & (x > 0) & (a < jnp.inf) & (x < jnp.inf)
    outside = jnp.where((a > 0) & ((x == 0) | (x == jnp.inf)), 0.0, jnp.nan)
    a, x = jnp.where(inside, a, 1.0), jnp.where(inside, x, 1.0)
    log_x, mean = jnp.log(x), special.digamma(a)
    side = jnp.where(log_x <= mean, -1.0, 1.0).astype(x.dtype)  # t = x exp(side * v)
    integral = _tail_integral(
        exponent=lambda v: side * a * v - x * jnp.expm1(side * v),
        score=lambda v: log_x + side * v - mean,
        start=jnp.where(side < 0, -_LOG_TINY / a, jnp.log1p(-_LOG_TINY / x)),
        knot=side * (jnp.log(jnp.where(side < 0, 1.0, jnp.maximum(a, 1.0))) - log_x),
    )
    scale = jnp.exp(a * log_x - x - special.gammaln(a))
    return jnp.where(inside, -side * scale * integral, outside)


@wide
def betainc_slope(a, b, x, which):
    a, b, x = jnp.broadcast_arrays(a, b, x)
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & (a < jnp.inf) & (b < jnp.inf)
    outside = jnp.where((a > 0) & (b > 0) & ((x == 0) | (x == 1)), 0.0, jnp.nan)
    a, b, x = jnp.where(inside, a, 1.0), jnp.where(inside, b, 1.0), jnp.where(inside, x, 0.5)
    w = special.logit(x)  # t = 1 / (1 + exp(-(w + side * v)))
    log_t, log_rest = lambda w: -jnp.logaddexp(0, -w), lambda w: -jnp.logaddexp(0, w)
    log_density = lambda w: a * log_t(w) + b * log_rest(w)
    mean = special.digamma(a if which == "a" else b) - special.digamma(a + b)
    score_at = log_t if which == "a" else log_rest
    lower = score_at(w) <= mean if which == "a" else score_at(w) >= mean
    side = jnp.where(lower, -1.0, 1.0).astype(x.dtype)
    at_x = log_density(w)
    integral = _tail_integral(
        exponent=lambda v: log_density(w + side * v) - at_x,
        score=lambda v: score_at(w + side * v) - mean,
        start=-_LOG_TINY / jnp.where(side < 0, a, b),
        knot=-side * w,
    )
    scale = jnp.exp(at_x - log_beta(a, b))
    return jnp.where(inside, -side * scale * integral, outside)
