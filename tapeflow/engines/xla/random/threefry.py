"""ThreeFry's words; see `engines/numpy/random/samplers/threefry.py`."""

import math

import jax.numpy as jnp
import numpy as np

from tapeflow.engines.numpy.random.samplers.threefry import PARITY, ROTATIONS, halved

from .draws import keyed


def _pairs(key, count):
    counter = key[0] + jnp.arange(count, dtype=jnp.uint64)
    halves = lambda x: (x.astype(jnp.uint32), (x >> np.uint64(32)).astype(jnp.uint32))
    first, second = halves(key[1])
    keys = first, second, first ^ second ^ jnp.uint32(PARITY)
    a, b = (w + k for w, k in zip(halves(counter), keys))
    for k in range(5):
        for r in ROTATIONS[k % 2]:
            a = a + b
            b = (b << np.uint32(r) | b >> np.uint32(32 - r)) ^ a
        a, b = a + keys[(k + 1) % 3], b + keys[(k + 2) % 3] + np.uint32(k + 1)
    return a, b


@keyed
def threefry_words(key, shape, dtype):
    shape = tuple(shape)
    if np.dtype(dtype).itemsize == 8:
        a, b = (w.astype(jnp.uint64) for w in _pairs(key, math.prod(shape)))
        return (a | b << np.uint64(32)).reshape(shape)
    axis, half = halved(shape)
    both = jnp.stack([w.reshape(half) for w in _pairs(key, math.prod(half))], axis + 1)
    whole = both.reshape(*half[:axis], 2 * half[axis], *half[axis + 1 :])
    kept = shape[axis] if shape else 1
    return whole[(slice(None),) * axis + (slice(0, kept),)].reshape(shape)
