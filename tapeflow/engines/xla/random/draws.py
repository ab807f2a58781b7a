"""Random draws (see `ops/random/draws.py`) from the same words as NumPy's kernels: integers and uniform numbers to the
bit, others to rounding.

Bounds that are the wrong way round, negative rates and the like cannot be refused here: what is drawn then has no
meaning.
"""

import math
from functools import wraps

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.dtypes import canonicalize_dtype
from jax.scipy.special import log_ndtr, ndtri

from .samplers import rejection, words


def keyed(draw):
    """A kernel from `draw(key, *arrays, **params)` for one key. Keys with leading axes draw each as it would alone."""

    @wraps(draw)
    def kernel(key, *arrays, **params):
        one = lambda key, *arrays: draw(key, *arrays, **params)
        for _ in key.shape[:-1]:
            one = jax.vmap(one)
        return one(key, *arrays)

    return kernel


def _shaped(draw):
    return keyed(lambda key, shape, dtype: draw(key, math.prod(shape), dtype).reshape(shape))


def _wide(dtype):
    """The dtype to compute in: narrower floats by way of float32."""
    return jnp.promote_types(canonicalize_dtype(dtype), jnp.float32)


# ---- keys


@keyed
def advance_key(key, blocks):
    return words.advanced(key, blocks)


def _scrambled(first, second):
    key = jnp.asarray([0, 0, 0x02461E293EC8F720], jnp.uint64).at[0].set(first).at[1].set(second)
    mixed, high = words.longs(words.words_at(key, jnp.zeros((), jnp.uint64)))
    return jnp.stack([jnp.zeros_like(high), high, mixed])


@keyed
def scrambled_key(seed):
    seed = (
        lax.bitcast_convert_type(seed.astype(jnp.int64), jnp.uint64)
        if seed.dtype.kind == "i"
        else seed.astype(jnp.uint64)
    )
    return _scrambled(seed[0], seed[1])


@keyed
def split_key(key, count):
    mixed = _scrambled(key[0] ^ key[2], key[1] ^ jnp.uint64(0x9E3779B97F4A7C15))
    word, high = words.longs(words.words_at(mixed, jnp.arange(count, dtype=jnp.uint64)))
    return jnp.stack([jnp.zeros_like(word), high, word], -1)


# ---- uniform

random_uniform = _shaped(words.uniform)
random_bits = _shaped(words.bits)


def unit(key, shape, dtype):
    """Uniform numbers for other kernels."""
    return words.uniform(key, math.prod(shape), dtype).reshape(shape)


@keyed
def random_integers(key, low, high, shape):
    unsigned = jnp.uint64 if low.dtype.itemsize == 8 else jnp.uint32
    least, most = low.astype(unsigned), high.astype(unsigned)
    drawn = words.bits(key, math.prod(shape), unsigned).reshape(shape)
    return (least + drawn % (most - least)).astype(low.dtype)


# ---- normal

random_normal = _shaped(words.normal)
random_truncated_normal = _shaped(words.truncated_normal)


def truncated_normal_quantile(u, low, high):
    """Through the logarithm of the tail that `low` is nearer to, as in NumPy's kernel."""
    dtype = u.dtype
    u, low, high = [v.astype(_wide(dtype)) for v in (u, low, high)]
    side = jnp.where(low + high > 0, -1, 1).astype(u.dtype)
    z = side * _normal_quantile(
        jnp.logaddexp(log_ndtr(side * low) + jnp.log1p(-u), log_ndtr(side * high) + jnp.log(u))
    )
    return jnp.clip(z, low, high).astype(dtype)


def _normal_quantile(log_p):
    """By Newton's method on the logarithm of the distribution function, which is concave: it does not overshoot
    twice."""
    far = jnp.minimum(log_p, -5)  # log p is about -z**2 / 2 - log(-z sqrt(2 pi)) there
    z = jnp.where(
        log_p < -5, -jnp.sqrt(-2 * far - jnp.log(-4 * math.pi * far - 2 * math.pi * jnp.log(-4 * math.pi * far))), 0
    )
    near = jnp.exp(jnp.maximum(log_p, -5))
    z = jnp.where(log_p < -5, z, ndtri(near))
    for _ in range(4):
        value = log_ndtr(z)
        slope = jnp.exp(-z * z / 2 - value) / math.sqrt(2 * math.pi)
        step = (value - log_p) / slope
        z = jnp.where(jnp.isfinite(step), z - step, z)
    return jnp.where(log_p == -jnp.inf, -jnp.inf, z)


def truncated_normal_share(z, low, high):
    """Through logarithms of the tail that `low` is nearer to, as in NumPy's kernel."""
    dtype = z.dtype
    z, low, high = [v.astype(jnp.float64) for v in (z, low, high)]
    side = jnp.where(low + high > 0, -1.0, 1.0)
    top = jnp.where(side > 0, log_ndtr(high), log_ndtr(-low))
    part = lambda x: jnp.exp(log_ndtr(side * x) - top)
    return jnp.clip((part(z) - part(low)) / (part(high) - part(low)), 0, 1).astype(dtype)


@keyed
def random_between(key, low, high, lead):
    shape, rows = low.shape, math.prod(low.shape[lead:])
    samples = math.prod(shape[:lead])
    if not samples or not rows:
        return low
    low, high = (x.reshape(samples, rows)[0] for x in (low, high))
    return rejection.between(key, low, high, samples).T.reshape(shape)


# ---- by parameters


def _of_parameters(sampler):
    @keyed
    def kernel(key, *parameters, lead, **params):
        shape = parameters[0].shape
        samples, rows = math.prod(shape[:lead]), math.prod(shape[lead:])
        numbers = (np.arange(rows) * samples + np.arange(samples)[:, None]).reshape(-1)
        return sampler(key, *[p.reshape(-1) for p in parameters], jnp.asarray(numbers), **params).reshape(shape)

    return kernel


def _gamma(key, alpha, numbers):
    drawn = rejection.gamma(key, alpha.astype(jnp.float64), numbers)
    return jnp.maximum(drawn, jnp.finfo(alpha.dtype).tiny.astype(jnp.float64)).astype(alpha.dtype)


def _poisson(key, rate, numbers, dtype):
    return rejection.poisson(key, rate.astype(jnp.float64), numbers).astype(canonicalize_dtype(dtype))


def _binomial(key, count, prob, numbers, dtype):
    return rejection.binomial(key, count, prob, numbers).astype(canonicalize_dtype(dtype))


random_gamma = _of_parameters(_gamma)
random_poisson = _of_parameters(_poisson)
random_binomial = _of_parameters(_binomial)


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
