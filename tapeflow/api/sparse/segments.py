"""Segment sums of chosen rows: `tf.sparse.segment_sum`, `segment_mean` and `segment_sqrt_n`."""

from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import int32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.vectorize.values import largest, one_size, values_of

__all__ = ["segment_mean", "segment_sqrt_n", "segment_sum"]


def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The rows `data[indices[k]]` added up by segment: row `k` belongs to segment `segment_ids[k]`, which do not
    decrease.

    The gradient is dense, or IndexedSlices with `sparse_gradient`.

    >>> tf.sparse.segment_sum([[1.], [2.], [3.]], indices=[0, 0, 2], segment_ids=[0, 0, 1]).numpy()
    array([[2.],
           [3.]], dtype=float32)
    """
    return _sums(data, indices, segment_ids, num_segments, sparse_gradient)[0]


def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Like `segment_sum`, divided by the number of rows of the segment; zero where it has none.

    >>> tf.sparse.segment_mean([[1.], [2.], [3.]], indices=[0, 1, 2], segment_ids=[0, 0, 2]).numpy().ravel()
    array([1.5, 0. , 3. ], dtype=float32)
    """
    sums, counts = _sums(data, indices, segment_ids, num_segments, sparse_gradient)
    return sums / counts


def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Like `segment_sum`, divided by the root of the number of rows of the segment.

    >>> tf.sparse.segment_sqrt_n([[1.], [3.]], indices=[0, 1, 0, 1], segment_ids=[0, 0, 0, 0]).numpy()
    array([[4.]], dtype=float32)
    """
    sums, counts = _sums(data, indices, segment_ids, num_segments, sparse_gradient)
    return sums / ops.sqrt(counts)


def _whole(x: Any) -> Tensor:
    """Numbers of rows or segments; an empty list is none of them."""
    return to_tensor(x, int32) if isinstance(x, (list, tuple)) and not x else as_tensor(x)


def _sums(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: bool
) -> tuple[Tensor, Tensor]:
    """The sum of each segment, and how many rows it has (at least 1) in a shape that divides it."""
    data, indices, ids = as_tensor(data), _whole(indices), _whole(segment_ids)
    if not data.ndim:
        raise invalid("Shape must be at least rank 1: data has no rows to add up.")
    numbers = values_of(ids)
    if ids.ndim != 1 or ids.sizes != indices.sizes:
        raise invalid(
            f"segment_ids and indices must be vectors of one length, got shapes {tuple(ids.shape)} and "
            f"{tuple(indices.shape)}."
        )
    if (np.diff(numbers) < 0).any():
        raise invalid(f"segment ids are not increasing: {numbers.tolist()}. Sort the rows by segment.")
    count = one_size(largest(ids) + 1, "The number of segments") if num_segments is None else int(num_segments)
    rows = (ops.gather if sparse_gradient else ops.take)(data, indices, axis=0)
    sums = ops.unsorted_segment_sum(rows, ids, num_segments=count)
    sizes = ops.cast(ops.maximum(ops.bincount(ids, size=count), 1), dtype=data.dtype.np)
    return sums, ops.reshape(sizes, shape=(count, *[1] * (data.ndim - 1)))
