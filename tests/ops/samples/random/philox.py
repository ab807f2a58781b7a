"""Philox 4x32-10 as its paper defines it, in Python's integers, and what is made of its words."""

import itertools
import math

import numpy as np


def block(counter, key):
    """Four words of 32 bits for a counter of 128 bits and a key of 64.

    >>> [f"{word:08x}" for word in block(0, 0)]  # the authors' test vectors
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    >>> [f"{word:08x}" for word in block(2**128 - 1, 2**64 - 1)]
    ['408f276d', '41c83b0e', 'a20bc7c6', '6d5451fd']
    """
    x = [counter >> 32 * i & 0xFFFFFFFF for i in range(4)]
    for i in range(10):
        bumped = [(key >> 32 * j) + i * by & 0xFFFFFFFF for j, by in enumerate((0x9E3779B9, 0xBB67AE85))]
        (high0, low0), (high1, low1) = divmod(x[0] * 0xD2511F53, 2**32), divmod(x[2] * 0xCD9E8D57, 2**32)
        x = [high1 ^ x[1] ^ bumped[0], low1, high0 ^ x[3] ^ bumped[1], low0]
    return x


def words(key, start=0):
    """All words of 32 bits from a key (two words of counter, one of key) on."""
    low, high, word = map(int, key)
    for n in itertools.count(start):
        yield from block(low + (high << 64) + n & 2**128 - 1, word)


def longs(key):
    """Words of 64 bits."""
    drawn = words(key)
    while True:
        low, high = next(drawn), next(drawn)
        yield low | high << 32


def uniform(key, dtype, start=0):
    """Numbers between 0 and 1, made of a word's lowest bits."""
    drawn = words(key, start)
    digits = {"float16": 10, "float32": 23, "float64": 52}[dtype.name]
    while True:
        word = next(drawn)
        if digits == 52:
            word = word << 32 | next(drawn)
        yield (word & 2**digits - 1) / 2**digits


def normal(key, dtype, start=0):
    """By Box and Muller: a pair for each pair of uniform numbers."""
    drawn = uniform(key, np.dtype("float32") if dtype.name == "float16" else dtype, start)
    while True:
        radius, angle = math.sqrt(-2 * math.log(max(next(drawn), 1e-7))), 2 * math.pi * next(drawn)
        yield radius * math.sin(angle)
        yield radius * math.cos(angle)


def truncated_normal(key, dtype):
    """Groups of four (of two in float64), for each of which 256 words a number are set aside."""
    size = 2 if dtype.name == "float64" else 4
    for group in itertools.count():
        drawn = normal(key, dtype, start=group * size * 64)
        yield from itertools.islice((x for x in drawn if abs(x) < 2), size)
