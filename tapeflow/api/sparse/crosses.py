"""Columns of categories, crossed (one category for each combination) and counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.ragged.crosses import categories_of
from tapeflow.api.strings.host import one_string, string_tensor
from tapeflow.core.apply import array_of
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor
from tapeflow.engines.numpy.strings import crosses

from .tensor import SparseTensor

__all__ = ["bincount", "cross", "cross_hashed"]


def cross(inputs: Sequence[Any], name: str | None = None, separator: Any = None) -> SparseTensor:
    """Every combination of one category from each input, row by row, as text.

    Args:
        inputs: Columns of categories, integers or strings: matrices and sparse tensors of as many rows. Of other
            numbers the whole part counts.
        separator: What stands between the categories; None: `_X_`.

    Raises:
        InvalidArgumentError: If the inputs have different numbers of rows.

    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[7]])]).values.numpy()
    array([b'a_X_7', b'b_X_7'], dtype=object)
    """
    between = b"_X_" if separator is None else one_string(separator, "separator")
    rows = crosses.joined([categories_of(one, whole=True) for one in inputs], between)
    return _sparse(rows, string_tensor([value for row in rows for value in row]))


def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Every combination of one category from each input, row by row, as a number below `num_buckets` (0: any number).

    Args:
        inputs: Columns of categories, integers or strings: matrices and sparse tensors of as many rows.
        num_buckets: How many numbers there are.
        hash_key: A number that changes the hash.

    Raises:
        InvalidArgumentError: If the inputs have different numbers of rows.

    >>> tf.sparse.cross_hashed([tf.constant([["a", "b"]]), tf.constant([["c"]])], num_buckets=100).values.numpy()
    array([66, 54])
    """
    rows = crosses.hashed([categories_of(one, whole=True) for one in inputs], num_buckets, hash_key)
    return _sparse(rows, EagerTensor(np.array([value for row in rows for value in row], "int64")))


def _sparse(rows: list[list], values: EagerTensor) -> SparseTensor:
    places = np.array([[k, j] for k, row in enumerate(rows) for j in range(len(row))], "int64").reshape(-1, 2)
    return SparseTensor(places, values, [len(rows), max(map(len, rows), default=0)])


def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each number occurs, or the sum of the weights of its occurrences: an entry for each that does.

    Args:
        values: Non-negative integers: a tensor, a sparse or a ragged one. What a sparse tensor leaves out is not
            counted.
        weights: What each occurrence counts, in the form of `values`; None: 1.
        axis: 0 counts all of `values`, -1 each row of a matrix.
        minlength: The least length of the result.
        maxlength: The greatest length; larger numbers do not count.
        binary_output: 1 for each number that occurs, however often.

    Raises:
        ValueError: If `axis` is not 0 or -1, or both `weights` and `binary_output` are given.
        InvalidArgumentError: If a number is negative, or the weights are not of the form of `values`.

    >>> found = tf.sparse.bincount(tf.constant([[7, 7, 2], [7, 0, 0]]), axis=-1)
    >>> found.indices.numpy().tolist(), found.values.numpy().tolist()
    ([[0, 2], [0, 7], [1, 0], [1, 7]], [1, 2, 2, 1])
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    rows, numbers, shape = _entries(values)
    if numbers.dtype.kind not in "iu":
        raise invalid(f"Only integers are counted, got {numbers.dtype.name}.")
    if (numbers < 0).any():
        raise invalid("Input values must all be non-negative")
    each = np.ones(len(numbers), "int32")
    if weights is not None:
        places, each, their_shape = _entries(weights)
        if their_shape != shape or not np.array_equal(places, rows):
            raise invalid(
                f"Weights and data must have the same shape. Weight shape: {their_shape}; data shape: {shape}"
            )
    by_row = axis == -1 and len(shape) > 1
    length = max(int(minlength or 0), int(numbers.max(initial=-1 if weights is None and by_row else 0)) + 1)
    length = length if maxlength is None else min(length, int(maxlength))
    keys = np.stack([rows if by_row else np.zeros_like(numbers), numbers], -1)[numbers < length].astype("int64")
    found, inverse = np.unique(keys, axis=0, return_inverse=True)
    sums = np.zeros(len(found), each.dtype)
    np.add.at(sums, inverse.reshape(-1), each[numbers < length])
    sums = np.ones_like(sums) if binary_output else sums
    whole = [shape[0], length] if by_row else [length]
    return SparseTensor(found if by_row else found[:, 1:], EagerTensor(sums), whole)


def _entries(values: Any) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """(The row of each number, the numbers, the shape) of a tensor, a sparse or a ragged one."""
    if isinstance(values, SparseTensor):
        return array_of(values.indices)[:, 0], array_of(values.values), array_of(values.dense_shape).tolist()
    if hasattr(values, "value_rowids"):
        return array_of(values.value_rowids()), array_of(values.values), array_of(values.bounding_shape()).tolist()
    array = array_of(values)
    rows = np.arange(len(array)).repeat(array[0].size if len(array) else 0) if array.ndim else np.zeros(1, int)
    return rows, array.reshape(-1), list(array.shape)
