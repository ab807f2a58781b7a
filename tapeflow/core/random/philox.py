"""Philox 4x32-10 (Salmon et al., 2011): random bits as a pure function of a key and a counter.

A *key* here is three 64-bit words, in the order in which TensorFlow keeps a generator's state: the counter (low word,
high word) and the key proper. Each value of the counter gives a block of four 32-bit words; a draw reads the blocks
from its counter on. Rounds go over all blocks at once, in pieces that the cache holds.
"""

import numpy as np

_FACTORS = 0xD2511F53, 0xCD9E8D57
_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_WORD = 2**32 - 1
_LONG = 2**64 - 1
_FEW = 3  # blocks up to which Python's integers are faster than arrays
_PIECE = 8192  # blocks at a time

_M = np.array([[_FACTORS[0]], [_FACTORS[1]]], np.uint64)
_RAISED = (np.arange(_ROUNDS, dtype=np.uint64)[:, None] * np.array(_STEPS, np.uint64)).reshape(_ROUNDS, 2, 1)
_LOW, _HALF = np.uint64(_WORD), np.uint64(32)


def block(low: int, high: int, key: int) -> tuple[int, int, int, int]:
    """The four words at one counter."""
    a, b, c, d = low & _WORD, low >> 32, high & _WORD, high >> 32
    k, j = key & _WORD, key >> 32
    for _ in range(_ROUNDS):
        p, q = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = (q >> 32) ^ b ^ k, q & _WORD, (p >> 32) ^ d ^ j, p & _WORD
        k, j = (k + 0x9E3779B9) & _WORD, (j + 0xBB67AE85) & _WORD
    return a, b, c, d


def blocks(key: np.ndarray, count: int) -> np.ndarray:
    """The words of `count` blocks from a key's counter on: uint32, shape (count, 4)."""
    low, high, word = key.tolist()
    if count <= _FEW:
        return np.array(
            [block((low + i) & _LONG, (high + (low + i >> 64)) & _LONG, word) for i in range(count)], np.uint32
        ).reshape(count, 4)
    out = np.empty((count, 4), np.uint32)
    for start in range(0, count, _PIECE):
        piece = out[start : start + _PIECE]
        _fill(piece, np.arange(len(piece), dtype=np.uint64), low + start, high, word)
    return out


def blocks_at(key: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The words of the blocks that lie so many counters on, `offsets` being uint64: uint32, shape (*offsets.shape,
    4)."""
    low, high, word = key.tolist()
    flat = offsets.reshape(-1)
    out = np.empty((len(flat), 4), np.uint32)
    for start in range(0, len(flat), _PIECE):
        _fill(out[start : start + _PIECE], flat[start : start + _PIECE], low, high, word)
    return out.reshape(*offsets.shape, 4)


def advanced(key: np.ndarray, count: int) -> np.ndarray:
    """The key `count` blocks on."""
    low, high, word = key.tolist()
    low += count
    return np.array([low & _LONG, (high + (low >> 64)) & _LONG, word], np.uint64)


def _fill(out: np.ndarray, offsets: np.ndarray, low: int, high: int, key: int) -> None:
    """Words 0 and 2 of all blocks are rows of one array, words 1 and 3 of another: a round is five operations, for
    both halves at once."""
    high, low = (high + (low >> 64)) & _LONG, low & _LONG
    lows = offsets + np.uint64(low)
    highs = (lows < offsets) + np.uint64(high)
    even, odd, product = (np.empty((2, len(offsets)), np.uint64) for _ in range(3))
    np.bitwise_and(lows, _LOW, out=even[0])
    np.right_shift(lows, _HALF, out=odd[0])
    np.bitwise_and(highs, _LOW, out=even[1])
    np.right_shift(highs, _HALF, out=odd[1])
    keys = _RAISED + np.array([[key & _WORD], [key >> 32]], np.uint64)
    keys &= _LOW
    crossed = product[::-1]
    for k in keys:
        np.multiply(even, _M, out=product)
        np.bitwise_xor(odd, k, out=odd)
        np.right_shift(crossed, _HALF, out=even)
        np.bitwise_xor(even, odd, out=even)
        np.bitwise_and(crossed, _LOW, out=odd)
    out[:, 0::2] = even.T
    out[:, 1::2] = odd.T
