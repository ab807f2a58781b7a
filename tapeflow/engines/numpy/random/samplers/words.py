"""Uniform and normal numbers from words: fixed amounts of them for each number.

A float is made of as many of a word's lowest bits as its fraction has, between 1 and 2, less 1.
"""

import math

import numpy as np

from tapeflow.core.dtypes import bfloat16
from tapeflow.core.random import philox

BFLOAT16 = np.dtype(bfloat16.np)
_SMALLEST = 1e-7  # of a uniform number that a logarithm is taken of
_NARROW = {
    np.dtype("float16"): (np.uint16, 10, 15),
    BFLOAT16: (np.uint16, 7, 127),
    np.dtype("float32"): (np.uint32, 23, 127),
}


def words32(key, count):
    return philox.blocks(key, -(-count // 4)).reshape(-1)[:count]


def words64(key, count):
    return as_words64(philox.blocks(key, -(-count // 2))).reshape(-1)[:count]


def as_words64(words):
    """Pairs of words, the lower one first."""
    return words.astype("<u4", copy=False).view("<u8").astype(np.uint64, copy=False)


def bits(key, count, dtype):
    """`count` words of the width of an integer dtype."""
    dtype = np.dtype(dtype)
    if dtype.itemsize == 8:
        return words64(key, count).view(dtype)
    words = words32(key, count)
    return words.view(dtype) if dtype.itemsize == 4 else words.astype(dtype)


def as_uniform(words, dtype):
    """Words, which are not used again, as floats: one for each word, or for two of them if the dtype is float64."""
    if dtype == np.float64:
        pairs = as_words64(words)
        made = pairs << np.uint64(32)
        made |= pairs >> np.uint64(32)  # the first word is the higher one here
        made &= np.uint64(2**52 - 1)
        made |= np.uint64(1023 << 52)
        out = made.view(np.float64)
        out -= 1
        return out
    integer, digits, bias = _NARROW[np.dtype(dtype)]
    made = words if integer is np.uint32 else words.astype(integer)
    made &= integer(2**digits - 1)
    made |= integer(bias << digits)
    out = made.view(dtype)
    out -= out.dtype.type(1)
    return out


def uniform(key, count, dtype):
    words = philox.blocks(key, -(-count // (2 if dtype == np.float64 else 4)))
    return as_uniform(words.reshape(-1), dtype)[:count]


def as_normal(words, dtype):
    """Pairs of normal numbers by Box and Muller's transform, of uniform ones, over the last axis. Narrow floats are
    computed in float32."""
    wide = np.float64 if dtype == np.float64 else np.float32
    drawn = as_uniform(words, wide)
    radius, angle = drawn[..., 0::2].copy(), drawn[..., 1::2]
    np.maximum(radius, wide(_SMALLEST), out=radius)
    np.log(radius, out=radius)
    radius *= wide(-2)
    np.sqrt(radius, out=radius)
    angle = (angle * np.float64(2 * math.pi)).astype(wide, copy=False)
    drawn[..., 0::2] = np.sin(angle)
    drawn[..., 1::2] = np.cos(angle)
    drawn[..., 0::2] *= radius
    drawn[..., 1::2] *= radius
    return drawn


_PIECE = 2**15  # words at a time: the steps of the transform stay in the cache


def normal(key, count, dtype):
    words = philox.blocks(key, -(-count // (2 if dtype == np.float64 else 4))).reshape(-1)
    if len(words) <= _PIECE:
        out = as_normal(words, dtype)
    else:
        out = np.concatenate([as_normal(words[k : k + _PIECE], dtype) for k in range(0, len(words), _PIECE)])
    return out[:count].astype(dtype, copy=False)


def truncated_normal(key, count, dtype):
    """Normal numbers, those as large as 2 left out. They come in groups of four (two in float64), each of which has
    256 words for a number."""
    per_block = 2 if dtype == np.float64 else 4
    size = per_block
    groups = -(-count // size)
    stride = np.uint64(size * 256 // 4)
    out = np.empty((groups, size), np.float64 if dtype == np.float64 else np.float32)
    left, read = np.arange(groups), 1
    while left.size:
        at = (left.astype(np.uint64) * stride)[:, None] + np.arange(read, dtype=np.uint64)
        words = philox.blocks_at(key, at).reshape(len(left), -1)
        drawn = as_normal(words, dtype)
        good = np.abs(drawn) < 2
        full = np.count_nonzero(good, axis=1) >= size
        first = np.argsort(~good[full], axis=1, kind="stable")[:, :size]
        out[left[full]] = np.take_along_axis(drawn[full], first, 1)
        left, read = left[~full], 2 * read
    return out.reshape(-1)[:count].astype(dtype, copy=False)
