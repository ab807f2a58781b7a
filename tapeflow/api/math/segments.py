"""Reductions over groups of rows: `tf.math.segment_*` for sorted ids, `tf.math.unsorted_segment_*` for any."""

import math
from typing import Any

import numpy as np

from tapeflow.api.arguments import whole, wide_indices
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.vectorize.values import largest, one_size, values_of

__all__ = [
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]


def _sorted(data: Any, segment_ids: Any) -> tuple[Tensor, Tensor, int]:
    """Data, ids and the number of segments, checked: one id for each row, from 0 up, none smaller than the one
    before."""
    data, ids = as_tensor(data), as_tensor(segment_ids)
    if ids.ndim != 1:
        raise invalid(
            f"segment_ids should be a vector, got shape {tuple(ids.shape)}. For other shapes use "
            "tf.math.unsorted_segment_*."
        )
    if not data.ndim or data.sizes[0] != ids.sizes[0]:
        raise invalid(
            f"segment_ids should be the same size as dimension 0 of input: {ids.shape[0]} ids for data of shape "
            f"{tuple(data.shape)}."
        )
    _check_sorted(ids)
    return data, ids, one_size(largest(ids) + 1, "The number of segments")


@at_every_run(checks=True)
def _check_sorted(ids: Tensor) -> None:
    values = values_of(ids)
    if (values < 0).any() or (values[..., 1:] < values[..., :-1]).any():
        raise invalid(
            "segment ids are not increasing: they must be non-negative and not decrease. Sort the rows by id, or use "
            "tf.math.unsorted_segment_*, which takes ids in any order."
        )


def _unsorted(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Tensor, Tensor, int]:
    """Data with one axis of rows, ids as a vector, and the number of segments."""
    data, ids = as_tensor(data), wide_indices(as_tensor(segment_ids))
    count = whole(num_segments, "num_segments")
    if count < 0:
        raise invalid(f"num_segments == {count} must not be negative.")
    if ids.ndim != 1 and data.sizes[: ids.ndim] == ids.sizes:
        size = math.prod(ids.sizes)
        data, ids = ops.reshape(data, shape=(size, *data.sizes[ids.ndim :])), ops.reshape(ids, shape=(size,))
    return data, ids, count


def _divisor(total: Tensor, ids: Tensor, count: int) -> Tensor:
    """How many rows each segment has, at least 1, of the rank and dtype of `total`."""
    rows = ops.unsorted_segment_sum(np.ones(ids.sizes, total.dtype.real_dtype.np), ids, num_segments=count)
    rows = ops.maximum(ops.reshape(rows, shape=(count, *[1] * (total.ndim - 1))), 1)
    return ops.cast(rows, dtype=total.dtype.np) if total.dtype.is_complex else rows


def _limit(data: Tensor, which: int) -> Any:
    """The lowest or highest number of the dtype; the primitive turns away dtypes that have none."""
    return (data.dtype.min, data.dtype.max)[which] if data.dtype.is_floating or data.dtype.is_integer else 0


# ---- sorted


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Row i of the result is the sum of the rows with id i; 0 where there are none. Ids must not decrease.

    Raises:
        InvalidArgumentError: If `segment_ids` is no vector with an id for each row, or its ids are negative or
            decrease.

    >>> tf.math.segment_sum([[1., 2.], [3., 4.], [5., 6.]], [0, 0, 2]).numpy()
    array([[4., 6.],
           [0., 0.],
           [5., 6.]], dtype=float32)
    """
    data, ids, count = _sorted(data, segment_ids)
    return ops.unsorted_segment_sum(data, ids, num_segments=count)


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Row i of the result is the mean of the rows with id i; 0 where there are none. Ids must not decrease.

    Raises:
        InvalidArgumentError: If `segment_ids` is no vector with an id for each row, or its ids are negative or
            decrease.

    >>> tf.math.segment_mean([1., 3., 8.], [0, 0, 1]).numpy()
    array([2., 8.], dtype=float32)
    """
    data, ids, count = _sorted(data, segment_ids)
    total = ops.unsorted_segment_sum(data, ids, num_segments=count)
    divisor = _divisor(total, ids, count)
    if not data.dtype.is_integer:
        return total / divisor
    return ops.cast(
        ops.cast(total, dtype=np.dtype("float64")) / ops.cast(divisor, dtype=np.dtype("float64")), dtype=data.dtype.np
    )


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Row i of the result is the largest of the rows with id i, element by element; 0 where there are none.

    Ids must not decrease. In the gradient, rows that tie share equally.

    Raises:
        InvalidArgumentError: If `segment_ids` is no vector with an id for each row, or its ids are negative or
            decrease.

    >>> tf.math.segment_max([[1, 5], [3, 2], [4, 4]], [0, 0, 1]).numpy()
    array([[3, 5],
           [4, 4]], dtype=int32)
    """
    data, ids, count = _sorted(data, segment_ids)
    return ops.unsorted_segment_max(data, ids, num_segments=count, empty=0)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Row i of the result is the smallest of the rows with id i, element by element; 0 where there are none.

    Ids must not decrease. In the gradient, rows that tie share equally.

    Raises:
        InvalidArgumentError: If `segment_ids` is no vector with an id for each row, or its ids are negative or
            decrease.

    >>> tf.math.segment_min([3., 1., 7.], [0, 0, 2]).numpy()
    array([1., 0., 7.], dtype=float32)
    """
    data, ids, count = _sorted(data, segment_ids)
    return ops.unsorted_segment_min(data, ids, num_segments=count, empty=0)


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Row i of the result is the product of the rows with id i; 1 where there are none. Ids must not decrease.

    Raises:
        InvalidArgumentError: If `segment_ids` is no vector with an id for each row, or its ids are negative or
            decrease.

    >>> tf.math.segment_prod([2., 3., 5.], [0, 0, 1]).numpy()
    array([6., 5.], dtype=float32)
    """
    data, ids, count = _sorted(data, segment_ids)
    return ops.unsorted_segment_prod(data, ids, num_segments=count)


# ---- unsorted


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Row i of the result, of `num_segments`, is the sum of the rows with id i. Rows with a negative id are left out.

    >>> tf.math.unsorted_segment_sum([1., 2., 3., 4.], [1, 0, 1, -1], 3).numpy()
    array([2., 4., 0.], dtype=float32)
    """
    data, ids, count = _unsorted(data, segment_ids, num_segments)
    return ops.unsorted_segment_sum(data, ids, num_segments=count)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Row i of the result is the mean of the rows with id i; 0 where there are none.

    >>> tf.math.unsorted_segment_mean([1., 2., 3.], [1, 0, 1], 3).numpy()
    array([2., 2., 0.], dtype=float32)
    """
    data, ids, count = _unsorted(data, segment_ids, num_segments)
    total = ops.unsorted_segment_sum(data, ids, num_segments=count)
    return total / _divisor(total, ids, count)


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Row i of the result is the sum of the rows with id i, divided by the square root of their number.

    >>> tf.math.unsorted_segment_sqrt_n([1., 2., 3., 4.], [0, 0, 0, 0], 1).numpy()
    array([5.], dtype=float32)
    """
    data, ids, count = _unsorted(data, segment_ids, num_segments)
    total = ops.unsorted_segment_sum(data, ids, num_segments=count)
    return total / ops.sqrt(_divisor(total, ids, count))


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Row i of the result is the largest of the rows with id i; the lowest number of the dtype where there are none.

    >>> tf.math.unsorted_segment_max([1., 5., 3.], [1, 1, 0], 2).numpy()
    array([3., 5.], dtype=float32)
    """
    data, ids, count = _unsorted(data, segment_ids, num_segments)
    return ops.unsorted_segment_max(data, ids, num_segments=count, empty=_limit(data, 0))


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Row i of the result is the smallest of the rows with id i; the highest number of the dtype where there are none.

    >>> tf.math.unsorted_segment_min([1., 5., 3.], [1, 1, 0], 2).numpy()
    array([3., 1.], dtype=float32)
    """
    data, ids, count = _unsorted(data, segment_ids, num_segments)
    return ops.unsorted_segment_min(data, ids, num_segments=count, empty=_limit(data, 1))


def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Row i of the result is the product of the rows with id i; 1 where there are none. The gradient is exact at
    zeros.

    >>> tf.math.unsorted_segment_prod([2., 3., 4.], [1, 0, 1], 3).numpy()
    array([3., 8., 1.], dtype=float32)
    """
    data, ids, count = _unsorted(data, segment_ids, num_segments)
    return ops.unsorted_segment_prod(data, ids, num_segments=count)
