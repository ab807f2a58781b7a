"""ThreeFry 2x32-20 (Salmon et al., 2011): random words as a pure function of a key and a counter, in XLA's order, and
TensorFlow's where XLA compiles.

A key is two 64-bit words, counter and key proper. Each value of the counter gives two words of 32 bits. A tensor of
such words is made of halves along one axis, of which the first words of all pairs are one, the second words the other;
those of 64 bits are pairs, one after the other.
"""

import math

import numpy as np

ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)
PARITY = 0x1BD11BDA
_LOW, _HALF = np.uint64(2**32 - 1), np.uint64(32)


def halved(shape):
    """The axis of two halves, and the shape of one: the first axis that is even, or else the longest."""
    shape = tuple(shape) or (1,)
    axis = next((k for k, d in enumerate(shape) if d % 2 == 0), shape.index(max(shape)))
    return axis, (*shape[:axis], -(-shape[axis] // 2), *shape[axis + 1 :])


def pairs(key, count):
    """The pairs of 32-bit words at so many values of the counter."""
    counter = key[0] + np.arange(count, dtype=np.uint64)
    first, second = [(k & _LOW).astype(np.uint32) for k in (key[1:], key[1:] >> _HALF)]
    keys = first, second, first ^ second ^ np.uint32(PARITY)
    a, b = (counter & _LOW).astype(np.uint32) + keys[0], (counter >> _HALF).astype(np.uint32) + keys[1]
    for k in range(5):
        for r in ROTATIONS[k % 2]:
            a = a + b
            b = (b << np.uint32(r) | b >> np.uint32(32 - r)) ^ a
        a, b = a + keys[(k + 1) % 3], b + keys[(k + 2) % 3] + np.uint32(k + 1)
    return a, b


def words(key, shape, dtype):
    """Words of 32 or 64 bits."""
    shape = tuple(shape)
    if np.dtype(dtype).itemsize == 8:
        a, b = pairs(key, math.prod(shape))
        return (a | b.astype(np.uint64) << _HALF).reshape(shape)
    axis, half = halved(shape)
    both = np.stack([w.reshape(half) for w in pairs(key, math.prod(half))], axis + 1)
    whole = both.reshape(*half[:axis], 2 * half[axis], *half[axis + 1 :])
    kept = shape[axis] if shape else 1
    return whole[(slice(None),) * axis + (slice(0, kept),)].reshape(shape)
