"""What may happen to the bytes of a file, by a seeded choice."""

import random
import struct
from collections.abc import Callable

__all__ = ["damaged"]

_EXTREMES = [
    struct.pack(kind, number & (256 ** struct.calcsize(kind) - 1))
    for kind in ("<H", ">H", "<I", ">I", "<Q", ">Q")
    for number in (0, 1, 0x7F, 0xFF, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, -1, -2)
]
_DEEP = [b"[", b'{"a":', b"(", b"-", b"\x0a\xff\xff\xff\xff\x07", b"\x12\x80\x01"]
_NUMBERS = [
    b"0",
    b"-1",
    b"1e999",
    b"NaN",
    b"99999999999999999999999",
    b"4294967296",
    b"null",
    b'"x"',
    b"[]",
    b"{}",
    b"true",
]


def _flip(data: bytearray, rng: random.Random) -> None:
    place = rng.randrange(len(data))
    data[place] ^= 1 << rng.randrange(8)


def _set(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _cut_front(data: bytearray, rng: random.Random) -> None:
    del data[: rng.randrange(1, len(data) + 1)]


def _remove(data: bytearray, rng: random.Random) -> None:
    place = rng.randrange(len(data))
    del data[place : place + rng.choice((1, 2, 4, 8, 64))]


def _insert(data: bytearray, rng: random.Random) -> None:
    place = rng.randrange(len(data) + 1)
    data[place:place] = rng.choice((rng.randbytes(rng.randrange(1, 64)), bytes(rng.choice((1, 8, 4096)))))


def _repeat(data: bytearray, rng: random.Random) -> None:
    place, size = rng.randrange(len(data)), rng.choice((1, 4, 16, 256))
    data[place:place] = bytes(data[place : place + size]) * rng.choice((1, 2, 100))


def _swap(data: bytearray, rng: random.Random) -> None:
    a, b, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.choice((1, 4, 16))
    if max(a, b) + size <= len(data):
        data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]


def _length(data: bytearray, rng: random.Random) -> None:
    """A field that may be a length, near the front more often, is the largest, the smallest, or off by one."""
    extreme = rng.choice(_EXTREMES)
    place = int(len(data) * rng.random() ** 3)
    data[place : place + len(extreme)] = extreme


def _number(data: bytearray, rng: random.Random) -> None:
    """A number of a text becomes another, or no number."""
    digits = [k for k, byte in enumerate(data[:20_000]) if 48 <= byte < 58]
    if digits:
        start = end = rng.choice(digits)
        while end < len(data) and 48 <= data[end] < 58:
            end += 1
        data[start:end] = rng.choice(_NUMBERS)


def _nest(data: bytearray, rng: random.Random) -> None:
    """100,000 containers in one another."""
    opening = rng.choice(_DEEP)
    place = rng.choice((0, 8, rng.randrange(len(data) + 1)))
    if rng.random() < 0.3:
        del data[place:]
    data[place:place] = opening * 100_000


_COMMON: list[Callable] = [
    _flip,
    _flip,
    _set,
    _set,
    _cut,
    _cut_front,
    _remove,
    _insert,
    _repeat,
    _swap,
    _length,
    _length,
    _number,
]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Other bytes than these, after one change mostly, or a few."""
    made = bytearray(data)
    while made == data:
        made = bytearray(data)
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            mutate = _nest if rng.random() < 0.04 else rng.choice(_COMMON)
            if made:
                mutate(made, rng)
    return bytes(made)
