"""Random draws (see `ops/random.py`) by JAX's Threefry: the same distributions as NumPy's kernels, other numbers.

Bounds that are the wrong way round, negative rates and the like cannot be refused here: what is drawn then has no meaning.
"""

import math
from functools import wraps

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.dtypes import canonicalize_dtype
from jax.scipy.special import log_ndtr, ndtri


def keyed(draw):
    """A kernel from `draw(key, *arrays, **params)` for one of JAX's keys. Keys with leading axes draw each as it would alone."""

    @wraps(draw)
    def kernel(key, *arrays, **params):
        one = lambda key, *arrays: draw(_folded(key), *arrays, **params)
        for _ in key.shape[:-1]:
            one = jax.vmap(one)
        return one(key, *arrays)

    return kernel


def _folded(key):
    """JAX's key, of 64 bits, from all four words: keys that differ in one word alone stay different. (JAX's `fold_in` does it as well, but
    is compiled anew for each word: half of the time that compiling a draw takes.)"""
    lanes = jnp.asarray([0x243F6A88, 0xB7E15162], jnp.uint32)  # any two numbers
    for word in lax.bitcast_convert_type(key, jnp.uint32).reshape(-1):
        lanes = mixed(lanes, word)
    return random.wrap_key_data(lanes, impl="threefry2x32")


def mixed(value, word):
    """A hash of 32-bit or 64-bit numbers: multiply, fold, multiply, fold."""
    half, constants = (
        (32, (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)) if value.dtype == jnp.uint64 else (16, (0x9E3779B1, 0x85EBCA77))
    )
    value = value ^ word
    for constant in constants:
        value = value * jnp.asarray(constant, value.dtype)
        value = value ^ (value >> half)
    return value


def _wide(dtype):
    """The dtype to draw in: narrower floats come by way of float32."""
    return jnp.promote_types(canonicalize_dtype(dtype), jnp.float32)


# ---- keys


def split_key(key, count):
    for_one = keyed(lambda new: random.bits(new, (count, 2), key.dtype))
    counters = jnp.broadcast_to(key[..., None, 2:], (*key.shape[:-1], count, 2))
    return jnp.concatenate([for_one(key), counters], -1)


# ---- uniform


def unit(key, shape, dtype):
    """Between 0 and 1, with as many digits as the dtype has: nothing is rounded up to 1."""
    dtype = canonicalize_dtype(dtype)
    width, digits = dtype.itemsize * 8, jnp.finfo(dtype).nmant + 1
    bits = random.bits(key, shape, f"uint{width}")
    return (bits >> (width - digits)).astype(dtype) * jnp.asarray(2.0**-digits, dtype)


random_uniform = keyed(unit)


@keyed
def random_bits(key, shape, dtype):
    dtype = canonicalize_dtype(dtype)
    return lax.bitcast_convert_type(random.bits(key, shape, f"uint{dtype.itemsize * 8}"), dtype)


@keyed
def random_integers(key, low, high, shape):
    return random.randint(key, shape, low, high, low.dtype)


# ---- normal


@keyed
def random_normal(key, shape, dtype):
    return random.normal(key, shape, _wide(dtype)).astype(canonicalize_dtype(dtype))


@keyed
def random_truncated_normal(key, shape, dtype):
    return random.truncated_normal(key, -2, 2, shape, _wide(dtype)).astype(canonicalize_dtype(dtype))


def truncated_normal_quantile(u, low, high):
    """Through the logarithm of the tail that `low` is nearer to, as in NumPy's kernel."""
    dtype = u.dtype
    u, low, high = [v.astype(_wide(dtype)) for v in (u, low, high)]
    side = jnp.where(low + high > 0, -1, 1).astype(u.dtype)
    z = side * _normal_quantile(jnp.logaddexp(log_ndtr(side * low) + jnp.log1p(-u), log_ndtr(side * high) + jnp.log(u)))
    return jnp.clip(z, low, high).astype(dtype)


def _normal_quantile(log_p):
    """By Newton's method on the logarithm of the distribution function, which is concave: it does not overshoot twice."""
    far = jnp.minimum(log_p, -5)  # log p is about -z**2 / 2 - log(-z sqrt(2 pi)) there
    z = jnp.where(log_p < -5, -jnp.sqrt(-2 * far - jnp.log(-4 * math.pi * far - 2 * math.pi * jnp.log(-4 * math.pi * far))), 0)
    near = jnp.exp(jnp.maximum(log_p, -5))
    z = jnp.where(log_p < -5, z, ndtri(near))
    for _ in range(4):
        value = log_ndtr(z)
        slope = jnp.exp(-z * z / 2 - value) / math.sqrt(2 * math.pi)
        step = (value - log_p) / slope
        z = jnp.where(jnp.isfinite(step), z - step, z)
    return jnp.where(log_p == -jnp.inf, -jnp.inf, z)


# ---- gamma


@keyed
def random_gamma(key, alpha):
    """Marsaglia and Tsang (2000), all elements at once until each is accepted (19 of 20 at once): JAX's own goes through them one by
    one on CPUs. For shapes below 1, a draw for one more times a power of a uniform number, in logarithms: it may be very small."""
    dtype = _wide(alpha.dtype)
    a = alpha.astype(dtype)
    d = jnp.where(a < 1, a + 1, a) - 1 / 3
    c = 1 / (3 * jnp.sqrt(d))
    first, boost = random.split(key)

    def step(state):
        k, v, done = state
        x_key, u_key = random.split(random.fold_in(first, k))
        x, u = random.normal(x_key, a.shape, dtype), 1 - unit(u_key, a.shape, dtype)
        new = (1 + c * x) ** 3
        safe = jnp.maximum(new, jnp.finfo(dtype).tiny)
        accepted = (new > 0) & (jnp.log(u) < x * x / 2 + d * (1 - new + jnp.log(safe)))
        return k + 1, jnp.where(done, v, safe), done | accepted

    start = jnp.zeros((), jnp.uint32), jnp.ones_like(a), ~(a > 0)
    v = lax.while_loop(lambda state: ~state[2].all(), step, start)[1]
    power = jnp.log(1 - unit(boost, a.shape, dtype)) / jnp.where(a > 0, a, 1)
    drawn = jnp.where(a < 1, jnp.exp(jnp.log(d * v) + power), d * v)
    drawn = jnp.where(a > 0, drawn, jnp.where(a == 0, 0, jnp.nan))
    return jnp.maximum(drawn, jnp.finfo(alpha.dtype).tiny.astype(dtype)).astype(alpha.dtype)


def gamma_tail(a, x, k):
    """NumPy's kernel, with both ways computed everywhere."""
    dtype = a.dtype
    a, x = jnp.broadcast_arrays(*[v.astype(_wide(dtype)) for v in (a, x)])
    lower = (x < a) | (x < 1)
    series = lower & ((a < 50) | (x < 1))
    out = jnp.where(series, _lower_series(a, x, k), _tail_integral(a, x, jnp.where(lower, -1, 1).astype(a.dtype), k))
    return out.astype(dtype)


def _lower_series(a, x, k):
    term, h = x / a, [jnp.ones_like(a)]
    for j in range(k):
        h.append(h[j] / a)

    def step(n, state):
        term, h, total = state
        below, term = a + n, term * x / (a + n)
        for j in range(1, k + 1):
            h = [*h[:j], h[j] + h[j - 1] / below, *h[j + 1 :]]
        return term, h, total + term * h[k]

    total = lax.fori_loop(1, 130, step, (term, h, term * h[k]))[2]
    return -math.factorial(k) * (-1) ** k * total


def _tail_integral(a, x, side, k):
    nodes, weights = [jnp.asarray(v, a.dtype) for v in np.polynomial.legendre.leggauss(64)]
    reach = 9.5 * jnp.sqrt(a) + 45
    reach = jnp.where(side < 0, jnp.minimum(reach, x), reach)

    def step(i, total):
        s = reach * ((1 + nodes[i]) / 2)
        log = jnp.log1p(side * s / x)
        return total + weights[i] * log**k * jnp.exp((a - 1) * log - side * s)

    return side * lax.fori_loop(0, 64, step, jnp.zeros_like(a)) * reach / 2


# ---- counts


@keyed
def random_poisson(key, rate, dtype):
    return random.poisson(key, rate.astype(jnp.promote_types(rate.dtype, jnp.float32))).astype(canonicalize_dtype(dtype))


@keyed
def random_binomial(key, counts, probs, shape, dtype):
    wide = _wide(probs.dtype)
    return random.binomial(key, counts.astype(wide), probs.astype(wide), shape, wide).astype(canonicalize_dtype(dtype))
