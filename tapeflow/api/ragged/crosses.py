"""Columns of categories, crossed row by row, as ragged tensors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.strings.host import string_tensor
from tapeflow.core.apply import array_of
from tapeflow.core.dtypes import int64
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor
from tapeflow.engines.numpy.strings import crosses

from .tensor import RaggedTensor

__all__ = ["cross", "cross_hashed"]


def cross(inputs: Sequence[Any], name: str | None = None) -> RaggedTensor:
    """Every combination of one category from each input, row by row, as text.

    Args:
        inputs: Columns of categories, integers or strings: ragged and sparse tensors and matrices of as many rows.

    Raises:
        InvalidArgumentError: If the inputs have different numbers of rows.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([[7], [8]])])
    <tf.RaggedTensor [[b'a_X_7'], [b'b_X_8', b'c_X_8']]>
    """
    rows = crosses.joined([categories_of(one) for one in inputs], b"_X_")
    return _ragged(rows, string_tensor([value for row in rows for value in row]))


def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Every combination of one category from each input, row by row, as a number below `num_buckets` (0: any number).

    Args:
        inputs: Columns of categories, integers or strings: ragged and sparse tensors and matrices of as many rows.
        num_buckets: How many numbers there are.
        hash_key: A number that changes the hash.

    Raises:
        InvalidArgumentError: If the inputs have different numbers of rows.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["d"], ["e"]])], num_buckets=100)
    <tf.RaggedTensor [[82], [61, 41]]>
    """
    rows = crosses.hashed([categories_of(one) for one in inputs], num_buckets, hash_key)
    return _ragged(rows, EagerTensor(np.array([value for row in rows for value in row], "int64")))


def _ragged(rows: list[list], values: EagerTensor) -> RaggedTensor:
    return RaggedTensor.from_row_lengths(values, np.array([len(row) for row in rows], "int64"))


def categories_of(column: Any, whole: bool = False) -> list[list]:
    """The categories of each row of a matrix, a sparse or a ragged tensor, as Python has them. `whole`: of numbers
    that are no integers, the whole part is one."""
    if isinstance(column, RaggedTensor):
        where, found, count = array_of(column.value_rowids()), array_of(column.values), int(column.nrows())
    elif hasattr(column, "dense_shape"):
        where, found = array_of(column.indices)[:, 0], array_of(column.values)
        count = int(array_of(column.dense_shape)[0])
    else:
        array = array_of(column)
        if array.ndim != 2:
            raise invalid(f"Dense inputs should be a matrix (rows of categories), got the shape {array.shape}.")
        count, where, found = len(array), np.repeat(np.arange(len(array)), array.shape[1]), array.reshape(-1)
    if whole and found.dtype.kind != "O":
        found = array_of(cast(EagerTensor(found), int64))
    if found.dtype.kind not in "iuO":
        raise invalid(f"Categories are integers or strings, got {found.dtype.name}.")
    rows: list[list] = [[] for _ in range(count)]
    for k, value in zip(where.tolist(), found.tolist()):
        rows[k].append(value)
    return rows
