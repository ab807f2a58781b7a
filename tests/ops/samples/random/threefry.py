"""ThreeFry 2x32-20 as its paper defines it, in Python's integers."""

import numpy as np

from tests.ops.samples.sample import of, referred


def block(counter, key):
    """Two words of 32 bits for a counter and a key of 64.

    >>> [f"{word:08x}" for word in block(0, 0)]  # the authors' test vectors
    ['6b200159', '99ba4efe']
    >>> [f"{word:08x}" for word in block(2**64 - 1, 2**64 - 1)]
    ['1cb996fc', 'bb002be7']
    >>> [f"{word:08x}" for word in block(0x85A308D3_243F6A88, 0x03707344_13198A2E)]
    ['c4923a9c', '483df7a0']
    """
    keys = [key & 0xFFFFFFFF, key >> 32]
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    a, b = (counter & 0xFFFFFFFF) + keys[0] & 0xFFFFFFFF, (counter >> 32) + keys[1] & 0xFFFFFFFF
    for k in range(5):
        for r in (17, 29, 16, 24) if k % 2 else (13, 15, 26, 6):
            a = a + b & 0xFFFFFFFF
            b = (b << r & 0xFFFFFFFF | b >> 32 - r) ^ a
        a, b = a + keys[(k + 1) % 3] & 0xFFFFFFFF, b + keys[(k + 2) % 3] + k + 1 & 0xFFFFFFFF
    return a, b


def _words(key, shape, dtype):
    """One by one: where a place is along the halved axis says which word of which pair it has."""
    if key.ndim > 1:
        return np.array([_words(row, shape, dtype) for row in key], dtype).reshape(*key.shape[:-1], *shape)
    counter, word = map(int, key)
    drawn = np.empty(shape, dtype)
    if drawn.itemsize == 8:
        for n, place in enumerate(np.ndindex(shape)):
            a, b = block(counter + n & 2**64 - 1, word)
            drawn[place] = a | b << 32
        return drawn
    even = [k for k, size in enumerate(shape) if size % 2 == 0]
    axis = even[0] if even else int(np.argmax(shape)) if shape else None
    half = [-(-size // 2) if k == axis else size for k, size in enumerate(shape)]
    for place in np.ndindex(shape):
        pair = [p // 2 if k == axis else p for k, p in enumerate(place)]
        number = int(np.ravel_multi_index(pair, half)) if shape else 0
        drawn[place] = block(counter + number & 2**64 - 1, word)[place[axis] % 2 if shape else 0]
    return drawn


KEY = np.array([2**64 - 3, 7 | 9 << 32], np.uint64)  # the counter begins again
_SHAPES = [(), (1,), (5,), (2, 3), (3, 2), (3, 3), (3, 5), (0, 3), (3, 5, 4)]
SAMPLES = referred(
    {"threefry_words": [of(KEY, shape=s, dtype=np.dtype(d)) for d in ("uint32", "uint64") for s in _SHAPES]},
    threefry_words=_words,
)
