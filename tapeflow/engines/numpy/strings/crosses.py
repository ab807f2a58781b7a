"""Columns of categories, crossed: one category for each combination, as text or by the same hash as TensorFlow's."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from tapeflow.core.errors import invalid

from .fingerprints import farm

_KEY = 0xDECAFCAFFE  # TensorFlow's, where none is given
_FACTOR = 0xC6A4A7935BD1E995
_WORD = 2**64 - 1

Columns = Sequence[list[list]]  # for each input the categories of each row


def hashed(columns: Columns, num_buckets: int, key: int | None) -> list[list[int]]:
    """For each row, and each combination of one category from each column, a number below `num_buckets`."""
    start = (_KEY if key is None else key) & _WORD
    words = [[[_word(c) for c in row] for row in rows] for rows in columns]

    def bucket(categories: tuple[int, ...]) -> int:
        found = start
        for category in categories:
            found = _concatenated(found, category)
        return found % (num_buckets or 2**63 - 1)

    return _crossed(words, bucket)


def joined(columns: Columns, separator: bytes) -> list[list[bytes]]:
    """The same as texts, joined by `separator`."""
    texts = [[[c if isinstance(c, bytes) else str(c).encode() for c in row] for row in rows] for rows in columns]
    return _crossed(texts, separator.join)


def _crossed(columns: Columns, one: Callable[[tuple], Any]) -> list[list]:
    if len({len(rows) for rows in columns}) > 1:
        raise invalid(f"All inputs must have the same number of rows, got {[len(rows) for rows in columns]}.")
    return [[one(combination) for combination in product(*row)] for row in zip(*columns)]


def _word(category: Any) -> int:
    return farm(category) if isinstance(category, bytes) else category & _WORD


def _concatenated(first: int, second: int) -> int:
    """Two fingerprints as one."""
    mixed = (first ^ _FACTOR) ^ (_shifted(second * _FACTOR & _WORD) * _FACTOR & _WORD)
    return _shifted(_shifted(mixed * _FACTOR & _WORD) * _FACTOR & _WORD)


def _shifted(word: int) -> int:
    return word ^ (word >> 47)
