"""Philox words, and what is made of a fixed number of them; see `core/random/philox.py` and
`engines/numpy/random/samplers/words.py`."""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.dtypes import canonicalize_dtype

_FACTORS = 0xD2511F53, 0xCD9E8D57
_STEPS = 0x9E3779B9, 0xBB67AE85
_SMALLEST = 1e-7
_FORMATS = {"float16": ("uint16", 10, 15), "bfloat16": ("uint16", 7, 127), "float32": ("uint32", 23, 127)}


def _round(a, b, c, d, k, j):
    p, q = (x.astype(jnp.uint64) * jnp.uint64(factor) for x, factor in zip((a, c), _FACTORS))
    low, high = (lambda x: x.astype(jnp.uint32)), (lambda x: (x >> 32).astype(jnp.uint32))
    return high(q) ^ b ^ k, low(q), high(p) ^ d ^ j, low(p), k + jnp.uint32(_STEPS[0]), j + jnp.uint32(_STEPS[1])


def words_at(key, offsets, rolled=True):
    """The four words of the blocks so many counters on, each an array. `rolled`: compiled fast rather than as one loop
    over the blocks."""
    low = key[0] + offsets.astype(jnp.uint64)
    high = key[1] + (low < key[0]).astype(jnp.uint64)
    halves = lambda x: (x.astype(jnp.uint32), (x >> 32).astype(jnp.uint32))
    state = *halves(low), *halves(high), *(jnp.broadcast_to(k, low.shape) for k in halves(key[2]))
    if rolled:
        return lax.fori_loop(0, 10, lambda _, state: _round(*state), state)[:4]
    for _ in range(10):
        state = _round(*state)
    return state[:4]


def advanced(key, blocks):
    low = key[0] + jnp.asarray(blocks, jnp.uint64)
    return jnp.stack([low, key[1] + (low < key[0]).astype(jnp.uint64), key[2]])


def blocks(key, count):
    return words_at(key, jnp.arange(count, dtype=jnp.uint64), rolled=False)


def longs(words):
    """Pairs of words, the lower one first."""
    a, b, c, d = (w.astype(jnp.uint64) for w in words)
    return a | b << 32, c | d << 32


def _listed(parts, count):
    return jnp.stack(parts, -1).reshape(-1)[:count]


def bits(key, count, dtype):
    dtype = canonicalize_dtype(dtype)
    if dtype.itemsize == 8:
        return lax.bitcast_convert_type(_listed(longs(blocks(key, -(-count // 2))), count), dtype)
    words = _listed(blocks(key, -(-count // 4)), count)
    return lax.bitcast_convert_type(words, dtype) if dtype.itemsize == 4 else words.astype(dtype)


def as_uniform(words, dtype):
    """A number for each word, or for two of them if the dtype is float64."""
    if dtype == jnp.float64:
        made = [(x << 32 | x >> 32) & jnp.uint64(2**52 - 1) | jnp.uint64(1023 << 52) for x in longs(words)]
        return tuple([lax.bitcast_convert_type(x, dtype) - 1 for x in made])
    integer, digits, bias = _FORMATS[jnp.dtype(dtype).name]
    made = [
        w.astype(integer) & jnp.asarray(2**digits - 1, integer) | jnp.asarray(bias << digits, integer) for w in words
    ]
    return tuple([lax.bitcast_convert_type(x, dtype) - jnp.asarray(1, dtype) for x in made])


def per_block(dtype):
    return 2 if dtype == jnp.float64 else 4


def uniform(key, count, dtype):
    dtype = canonicalize_dtype(dtype)
    return _listed(as_uniform(blocks(key, -(-count // per_block(dtype))), dtype), count)


def as_normal(words, dtype):
    """Two numbers of each two uniform ones; narrow floats are computed in float32."""
    wide = jnp.float64 if dtype == jnp.float64 else jnp.float32
    drawn, out = as_uniform(words, wide), []
    for u, v in zip(drawn[0::2], drawn[1::2]):
        radius = jnp.sqrt(-2 * jnp.log(jnp.maximum(u, jnp.asarray(_SMALLEST, wide))))
        angle = (v.astype(jnp.float64) * (2 * math.pi)).astype(wide)
        out += [jnp.sin(angle) * radius, jnp.cos(angle) * radius]
    return tuple(out)


def normal(key, count, dtype):
    dtype = canonicalize_dtype(dtype)
    return _listed(as_normal(blocks(key, -(-count // per_block(dtype))), dtype), count).astype(dtype)


def truncated_normal(key, count, dtype):
    """In groups, each of which reads on until it is full."""
    dtype = canonicalize_dtype(dtype)
    size = per_block(dtype)
    wide = jnp.float64 if size == 2 else jnp.float32
    groups = -(-count // size)
    start = jnp.arange(groups, dtype=jnp.uint64) * np.uint64(size * 64)

    def step(state):
        found, have, read = state
        for z in as_normal(words_at(key, start + read), dtype):
            good = (jnp.abs(z) < 2) & (have < size)
            found = tuple([jnp.where(good & (have == k), z, held) for k, held in enumerate(found)])
            have = have + good
        return found, have, read + np.uint64(1)

    begin = tuple([jnp.zeros(groups, wide)] * size), jnp.zeros(groups, jnp.int32), jnp.zeros((), jnp.uint64)
    found = lax.while_loop(lambda state: (state[1] < size).any(), step, begin)[0]
    return _listed(found, count).astype(dtype)
