"""Sparse tensors as strings: their indices, values and shape, each a serialized tensor."""

from typing import Any

import numpy as np

from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.api.strings.host import array_of, string_tensor, strings_of
from tapeflow.core.dtypes import as_dtype, int64, string
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TextLike

from .tensors import parse_tensor, serialize_tensor

__all__ = ["deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse"]


def serialize_sparse(sp_input: SparseTensor, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """A sparse tensor as three strings.

    Args:
        out_type: tf.string: there is no other form.

    Returns:
        Three strings: the indices, the values and the shape.

    >>> tf.io.serialize_sparse(tf.SparseTensor([[0, 1]], [5.], [2, 2])).shape
    TensorShape([3])
    """
    _check(sp_input, out_type)
    return string_tensor(
        _three(*(array_of(part) for part in (sp_input.indices, sp_input.values, sp_input.dense_shape)))
    )


def serialize_many_sparse(sp_input: SparseTensor, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """Every row of a sparse tensor as three strings; `deserialize_many_sparse` puts rows together again.

    Args:
        out_type: tf.string: there is no other form.

    Returns:
        Strings of shape (rows, 3).

    Raises:
        InvalidArgumentError: If the tensor has less than two axes.

    >>> rows = tf.io.serialize_many_sparse(tf.SparseTensor([[0, 1], [1, 0]], [5., 7.], [2, 2]))
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows, tf.float32)).numpy()
    array([[0., 5.],
           [7., 0.]], dtype=float32)
    """
    _check(sp_input, out_type)
    indices, values, shape = (array_of(part) for part in (sp_input.indices, sp_input.values, sp_input.dense_shape))
    if shape.size < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {shape.size}.")
    strings: list[bytes] = []
    for row in range(int(shape[0])):
        own = indices[:, 0] == row
        strings += _three(indices[own, 1:], values[own], shape[1:])
    return string_tensor(strings, (int(shape[0]), 3))


def deserialize_many_sparse(
    serialized_sparse: TextLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """One sparse tensor of rows that were serialized, with a first axis for the rows; it is as large as the largest of
    them.

    Args:
        serialized_sparse: Strings of shape (rows, 3).
        dtype: The dtype of the values.
        rank: How many axes a row has; None: whatever it is.

    Raises:
        InvalidArgumentError: If rows have different ranks.

    >>> row = tf.io.serialize_sparse(tf.SparseTensor([[2]], [5.], [4]))
    >>> tf.io.deserialize_many_sparse([row, row], tf.float32).dense_shape.numpy()
    array([2, 4])
    """
    strings = strings_of(serialized_sparse, "serialized_sparse")
    if strings.ndim != 2 or strings.shape[1] != 3:
        raise invalid(f"serialized_sparse must have shape (rows, 3), got {strings.shape}.")
    parts = [[array_of(parse_tensor(s, d)) for s, d in zip(row, (int64, dtype, int64))] for row in strings]
    ranks = {part[2].size for part in parts} | ({rank} if rank is not None else set())
    if len(ranks) != 1:
        raise invalid(f"Inconsistent rank across SparseTensors: {sorted(ranks)}.")
    where = [np.insert(indices, 0, row, axis=1) for row, (indices, _, _) in enumerate(parts)]
    shape = np.max([part[2] for part in parts], axis=0)
    values = np.concatenate([part[1] for part in parts]).astype(as_dtype(dtype).np)
    return SparseTensor(np.concatenate(where), EagerTensor(values), [len(parts), *shape.tolist()])


def _three(*arrays: np.ndarray) -> list[bytes]:
    return [array_of(serialize_tensor(EagerTensor(array))).item() for array in arrays]


def _check(given: Any, out_type: Any) -> None:
    if not isinstance(given, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(given).__name__}.")
    if as_dtype(out_type) is not string:
        raise invalid(f"out_type={as_dtype(out_type).name} is not supported, only string.")
