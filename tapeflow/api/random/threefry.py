"""Numbers by ThreeFry, as TensorFlow has them where XLA compiles: `alg="threefry"`.

A key is two 64-bit words, counter and key proper; each function does what the primitive of that name does for Philox.
"""

import math
from typing import Any

import numpy as np

from tapeflow.core.dtypes import bfloat16, float16
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.engines.numpy.random.samplers.threefry import halved

_SHORT, _WORD, _LONG = (np.dtype(f"uint{n}") for n in (16, 32, 64))
_SINGLE, _DOUBLE = np.dtype("float32"), np.dtype("float64")
_SMALLEST = 1e-7  # of a uniform number that a logarithm is taken of
_BELOW = math.erf(math.sqrt(2.0))  # the share of normal numbers within two deviations


def is_key(key: Tensor) -> bool:
    """Is it a key of this algorithm? Philox has three words."""
    return key.sizes[-1] == 2


def key_of(seed: Tensor) -> Tensor:
    """The key that belongs to two integers: their lower halves."""
    lower = ops.bitwise_and(ops.cast(seed, dtype=np.dtype("int64")), EagerTensor(np.int64(2**32 - 1)))
    low, high = ops.unstack(ops.cast(lower, dtype=_LONG), axis=0)
    word = ops.bitwise_or(low, ops.left_shift(high, EagerTensor(_LONG.type(32))))
    return ops.stack(ops.zeros_like(word), word, axis=0)


def random_bits(key: Tensor, shape: tuple, dtype: np.dtype) -> Tensor:
    return ops.bitcast(ops.threefry_words(key, shape=shape, dtype=_width(dtype)), dtype=dtype)


def random_integers(key: Tensor, low: Tensor, high: Tensor, shape: tuple) -> Tensor:
    """What is left of a word when it is divided by the range."""
    if type(low) is type(high) is EagerTensor and np.any(low.array >= high.array):
        raise invalid(f"Need minval < maxval, got {low.array} >= {high.array}.")
    dtype = low.dtype.np
    unsigned = _width(dtype)
    span = ops.bitcast(high - low, dtype=unsigned)
    drawn = ops.floormod(ops.threefry_words(key, shape=shape, dtype=unsigned), span)
    return low + ops.bitcast(drawn, dtype=dtype)


def random_uniform(key: Tensor, shape: tuple, dtype: np.dtype) -> Tensor:
    """A word's highest bits as the fraction of a number between 1 and 2, less 1; in float16 its lowest."""
    if dtype == float16.np:
        bits = ops.bitwise_and(ops.threefry_words(key, shape=shape, dtype=_WORD), EagerTensor(np.uint32(0x3FF)))
        return ops.bitcast(ops.cast(_or(bits, 0x3C00), dtype=_SHORT), dtype=dtype) - 1.0
    if dtype == bfloat16.np:
        return _cut(random_uniform(key, shape, _SINGLE))
    word, unused, one = (_LONG, 12, 1023 << 52) if dtype == _DOUBLE else (_WORD, 9, 127 << 23)
    bits = ops.right_shift(ops.threefry_words(key, shape=shape, dtype=word), EagerTensor(word.type(unused)))
    return ops.bitcast(_or(bits, one), dtype=dtype) - 1.0


def random_normal(key: Tensor, shape: tuple, dtype: np.dtype) -> Tensor:
    """Two numbers of two uniform ones, by Box and Muller's transform; the two are neighbours along the axis of
    halves."""
    if dtype == bfloat16.np:
        return _cut(random_normal(key, shape, _SINGLE))
    axis, half = halved(shape)
    lead = len(key.sizes) - 1
    drawn = random_uniform(key, (*half[: axis + 1], 2, *half[axis + 1 :]), dtype)
    if dtype == float16.np:
        drawn = ops.cast(drawn, dtype=_SINGLE)
    u, v = ops.unstack(drawn, axis=lead + axis + 1)
    radius = ops.sqrt(-2.0 * ops.log(ops.maximum(u, _SMALLEST)))
    angle = v * (2 * math.pi)
    both = ops.stack(ops.sin(angle) * radius, ops.cos(angle) * radius, axis=lead + axis + 1)
    whole = ops.reshape(both, shape=(*key.sizes[:-1], *half[:axis], 2 * half[axis], *half[axis + 1 :]))
    kept = whole[(slice(None),) * (lead + axis) + (slice(0, shape[axis] if shape else 1),)]
    return ops.cast(ops.reshape(kept, shape=(*key.sizes[:-1], *shape)), dtype=dtype)


def random_truncated_normal(key: Tensor, shape: tuple, dtype: np.dtype) -> Tensor:
    """The number that so many of those within two deviations are below."""
    if dtype == bfloat16.np:
        return _cut(random_truncated_normal(key, shape, _SINGLE))
    u = random_uniform(key, shape, dtype)
    wide = ops.cast(u, dtype=_SINGLE) if dtype == float16.np else u
    return ops.cast(ops.erfinv((2.0 * wide - 1.0) * _BELOW) * math.sqrt(2.0), dtype=dtype)


def _width(dtype: Any) -> np.dtype:
    return _LONG if np.dtype(dtype).itemsize == 8 else _WORD


def _or(bits: Tensor, more: int) -> Tensor:
    return ops.bitwise_or(bits, EagerTensor(bits.dtype.np.type(more)))


def _cut(x: Tensor) -> Tensor:
    """A float32 as a bfloat16 without its lower half, not rounded: so does TensorFlow."""
    kept = ops.bitwise_and(ops.bitcast(x, dtype=_WORD), EagerTensor(np.uint32(0xFFFF0000)))
    return ops.cast(ops.bitcast(kept, dtype=_SINGLE), dtype=bfloat16.np)
