"""Columns of categories, crossed: one category for each combination, by the same hash as TensorFlow's."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tapeflow.core.apply import array_of
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import invalid
from tapeflow.engines.numpy.strings.fingerprints import farm

from .tensor import SparseTensor

__all__ = ["cross_hashed"]

_KEY = 0xDECAFCAFFE  # TensorFlow's, where none is given
_FACTOR = 0xC6A4A7935BD1E995
_WORD = 2**64 - 1


def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Every combination of one category from each input, row by row, as a number below `num_buckets` (0: any number).

    Args:
        inputs: Columns of categories, integers or strings: matrices and sparse tensors of as many rows.
        num_buckets: How many numbers there are.
        hash_key: A number that changes the hash.

    >>> tf.sparse.cross_hashed([tf.constant([["a", "b"]]), tf.constant([["c"]])], num_buckets=100).values.numpy()
    array([66, 54])
    """
    columns = [_rows(one) for one in inputs]
    if len({len(rows) for rows in columns}) > 1:
        raise invalid(f"All inputs must have the same number of rows, got {[len(rows) for rows in columns]}.")
    places, values, widest = [], [], 0
    for k, row in enumerate(zip(*columns)):
        crossed = [_bucket(one, num_buckets, _KEY if hash_key is None else hash_key) for one in product(*row)]
        places += [[k, j] for j in range(len(crossed))]
        values += crossed
        widest = max(widest, len(crossed))
    indices = np.array(places, "int64").reshape(-1, 2)
    return SparseTensor(indices, np.array(values, "int64"), [len(columns[0]) if columns else 0, widest])


def _rows(categories: Any) -> list[list[int]]:
    """The categories of each row, as 64-bit numbers."""
    if isinstance(categories, SparseTensor):
        count, where, found = (
            int(array_of(categories.dense_shape)[0]),
            array_of(categories.indices)[:, 0],
            array_of(categories.values),
        )
    else:
        array = array_of(categories)
        if array.ndim != 2:
            raise invalid(f"Dense inputs should be a matrix (rows of categories), got the shape {array.shape}.")
        count, where, found = len(array), np.repeat(np.arange(len(array)), array.shape[1]), array.reshape(-1)
    if found.dtype.kind not in "iuO":
        raise invalid(f"Categories are integers or strings, got {found.dtype.name}.")
    rows: list[list[int]] = [[] for _ in range(count)]
    for k, value in zip(where.tolist(), found.tolist()):
        rows[k].append(farm(value) if isinstance(value, bytes) else value & _WORD)
    return rows


def _bucket(categories: tuple[int, ...], num_buckets: int, key: int) -> int:
    for category in categories:
        key = _concatenated(key & _WORD, category)
    return key % (num_buckets or 2**63 - 1)


def _concatenated(first: int, second: int) -> int:
    """Two fingerprints as one."""
    mixed = (first ^ _FACTOR) ^ (_shifted(second * _FACTOR & _WORD) * _FACTOR & _WORD)
    return _shifted(_shifted(mixed * _FACTOR & _WORD) * _FACTOR & _WORD)


def _shifted(word: int) -> int:
    return word ^ (word >> 47)
