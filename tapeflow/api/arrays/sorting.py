"""Sorting and searching: `tf.sort`, `tf.argsort`, `tf.math.top_k`, `tf.unique`, `tf.searchsorted`, …"""

from typing import Any, NamedTuple

from tapeflow.api.arguments import expose, one_axis, static_shape, whole
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, int32, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, AxisLike, DTypeLike, ShapeLike, TensorLike


class TopK(NamedTuple):
    """The largest elements and where they are."""

    values: Tensor
    indices: Tensor


class Unique(NamedTuple):
    """The different elements, and for each element which of them it is."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The different elements, for each element which of them it is, and how many there are of each."""

    y: Tensor
    idx: Tensor
    count: Tensor


def sort(values: AnyTensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements in order along `axis`. Differentiable: the gradient goes back to where each element came from.

    Args:
        direction: `"ASCENDING"` or `"DESCENDING"`.

    Raises:
        ValueError: If `direction` is another word.
        InvalidArgumentError: If `values` is a scalar.

    >>> tf.sort([3, 1, 2]).numpy(), tf.sort([3, 1, 2], direction="DESCENDING").numpy()
    (array([1, 2, 3], dtype=int32), array([3, 2, 1], dtype=int32))
    """
    return _along(ops.sort, values, axis, direction)


def argsort(
    values: AnyTensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices that put the elements in order along `axis`. Equal elements always keep their order.

    Args:
        direction: `"ASCENDING"` or `"DESCENDING"`.
        stable: Taken and not used: equal elements always keep their order.

    Raises:
        ValueError: If `direction` is another word.
        InvalidArgumentError: If `values` is a scalar.

    >>> x = tf.constant([30, 10, 20])
    >>> order = tf.argsort(x)
    >>> order.numpy(), tf.gather(x, order).numpy()
    (array([1, 2, 0], dtype=int32), array([10, 20, 30], dtype=int32))
    """
    return _along(ops.argsort, values, axis, direction)


def _along(function: Any, values: Any, axis: Any, direction: str) -> Tensor:
    values = as_tensor(values)
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction must be 'ASCENDING' or 'DESCENDING', got {direction!r}.")
    if not values.ndim:
        raise invalid("A scalar has no axis to be sorted along.")
    axis = one_axis(axis, values.ndim)
    if axis == values.ndim - 1:
        return function(values, descending=direction == "DESCENDING")
    perm = [*range(values.ndim)]
    perm[axis], perm[-1] = perm[-1], perm[axis]
    out = function(ops.transpose(values, perm=tuple(perm)), descending=direction == "DESCENDING")
    return ops.transpose(out, perm=tuple(perm))


def top_k(
    input: TensorLike, k: TensorLike = 1, sorted: bool = True, index_type: DTypeLike = int32, name: str | None = None
) -> TopK:
    """The `k` largest elements along the last axis, largest first, and their indices; of equal ones the first come
    first.

    Args:
        k: How many elements are wanted.
        sorted: Taken and not used: they are always in order.
        index_type: The dtype of the indices.

    Raises:
        InvalidArgumentError: If the last axis has fewer than `k` elements.

    >>> values, indices = tf.math.top_k([1., 9., 3., 9.], k=2)
    >>> values.numpy(), indices.numpy()
    (array([9., 9.], dtype=float32), array([1, 3], dtype=int32))
    """
    input = as_tensor(input)
    k = whole(k, "k")
    if not input.ndim or not 0 <= k <= input.sizes[-1]:
        raise invalid(
            f"input must have at least k columns. Had {input.shape[-1] if input.ndim else 'no axis'}, needed "
            f"{k}, which may not be negative; the shape is {tuple(input.shape)}."
        )
    values, indices = ops.top_k(input, k=k)
    index_type = as_dtype(index_type)
    return TopK(values, indices if index_type is int32 else ops.cast(indices, dtype=index_type.np))


def in_top_k(targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None) -> Tensor:
    """For each row of `predictions`: is the class `targets[i]` among the `k` largest? Ties count as among them.

    Args:
        targets: A class for each row.
        predictions: A matrix with a score for each class in each row.
        k: How many of the largest scores count.

    Raises:
        InvalidArgumentError: If `predictions` is no matrix or `targets` has not one class for each of its rows.

    >>> tf.math.in_top_k([0, 1], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy()
    array([False,  True])
    """
    predictions, targets = as_tensor(predictions), as_tensor(targets)
    if predictions.ndim != 2 or targets.ndim != 1 or predictions.sizes[0] != targets.sizes[0]:
        raise invalid(
            "predictions must be a matrix and targets a vector with one class for each row, got shapes "
            f"{tuple(predictions.shape)} and {tuple(targets.shape)}."
        )
    return ops.in_top_k(predictions, targets, k=whole(k, "k"))


def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The `k` largest elements along one axis and their indices. Exact here: `recall_target` is always met.

    Args:
        operand: Numbers of a floating dtype.
        k: How many elements are wanted.
        reduction_dimension: The axis along which they are looked for.
        recall_target: Taken and not used: the result is exact.
        reduction_input_size_override: Taken and not used.
        aggregate_to_topk: Taken and not used: there are always `k`.

    Returns:
        The elements in order, and their indices along the axis.

    >>> values, indices = tf.math.approx_max_k([1., 3., 2.], 2)
    >>> values.numpy(), indices.numpy()
    (array([3., 2.], dtype=float32), array([1, 2], dtype=int32))
    """
    operand = as_tensor(operand)
    axis = one_axis(reduction_dimension, operand.ndim)
    perm = [*range(operand.ndim)]
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return tuple([ops.transpose(out, perm=tuple(perm)) for out in top_k(ops.transpose(operand, perm=tuple(perm)), k)])


def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The `k` smallest elements along one axis and their indices. Exact here: `recall_target` is always met.

    Args:
        operand: Numbers of a floating dtype.
        k: How many elements are wanted.
        reduction_dimension: The axis along which they are looked for.
        recall_target: Taken and not used: the result is exact.
        reduction_input_size_override: Taken and not used.
        aggregate_to_topk: Taken and not used: there are always `k`.

    Returns:
        The elements in order, and their indices along the axis.

    >>> values, indices = tf.math.approx_min_k([1., 3., 2.], 2)
    >>> values.numpy(), indices.numpy()
    (array([1., 2.], dtype=float32), array([0, 2], dtype=int32))
    """
    values, indices = approx_max_k(-as_tensor(operand), k, reduction_dimension)
    return -values, indices


def argmax(
    input: AnyTensorLike, axis: AxisLike | None = None, output_type: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """The index of the largest element along `axis` (the first axis by default); of equal ones the first. nan never
    wins.

    >>> tf.argmax([[1, 9, 3], [7, 2, 8]], axis=1).numpy()
    array([1, 2])
    """
    input = as_tensor(input)
    return ops.argmax(input, axis=_axis(axis, input), dtype=as_dtype(output_type).np)


def argmin(
    input: AnyTensorLike, axis: AxisLike | None = None, output_type: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """The index of the smallest element along `axis` (the first axis by default); of equal ones the first. nan never
    wins.

    >>> tf.argmin([[1, 9, 3], [7, 2, 8]], axis=1).numpy()
    array([0, 1])
    """
    input = as_tensor(input)
    return ops.argmin(input, axis=_axis(axis, input), dtype=as_dtype(output_type).np)


def _axis(axis: Any, x: Tensor) -> int:
    if not x.ndim:
        raise invalid("A scalar has no axis to find the largest or smallest element along.")
    return one_axis(0 if axis is None else axis, x.ndim)


def unique(x: AnyTensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> Unique:
    """The different elements of a vector in the order of their first occurrence, and for each element which of them it
    is.

    The gradient of an element of `y` goes to the first of the elements that are equal to it.

    Args:
        out_idx: The dtype of the indices.

    Returns:
        `y`, the different elements in the order of their first occurrence, and `idx`, for each element its place in
        `y`.

    >>> y, idx = tf.unique([7, 5, 7, 9])
    >>> y.numpy(), idx.numpy()
    (array([7, 5, 9], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """
    y, idx, _ = unique_with_counts(x, out_idx)
    return Unique(y, idx)


def unique_with_counts(x: AnyTensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> UniqueWithCounts:
    """`tf.unique`, and how often each of the different elements occurs.

    Args:
        out_idx: The dtype of the indices and counts.

    Returns:
        `y` and `idx` as of `tf.unique`, and `count`, how often each of `y` occurs.

    >>> tf.unique_with_counts([7, 5, 7, 9]).count.numpy()
    array([2, 1, 1], dtype=int32)
    """
    x = as_tensor(x)
    if x.ndim != 1:
        raise invalid(f"unique expects a 1D vector, got shape {tuple(x.shape)}.")
    first, idx, count = ops.unique(x)
    dtype = as_dtype(out_idx).np
    return UniqueWithCounts(ops.take(x, first, axis=0), ops.cast(idx, dtype=dtype), ops.cast(count, dtype=dtype))


def searchsorted(
    sorted_sequence: TensorLike,
    values: AnyTensorLike,
    side: str = "left",
    out_type: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Where each value would go in a sorted row: before equal elements (`side="left"`) or after them (`"right"`).

    Args:
        sorted_sequence: Rows in ascending order.
        side: `"left"`: before equal elements, `"right"`: after them.

    >>> tf.searchsorted([1., 2., 2., 3.], [2., 5.]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.searchsorted([1., 2., 2., 3.], [2., 5.], side="right").numpy()
    array([3, 4], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left', got {side!r}.")
    rows, values = as_tensor(sorted_sequence), as_tensor(values)
    if not values.ndim or not rows.ndim:
        raise invalid("sorted_sequence and values must have at least one axis; give [value] to look for one.")
    if rows.ndim > 1 and tuple(rows.sizes[:-1]) != tuple(values.sizes[:-1]):
        raise invalid(
            f"Leading dimensions of sorted_sequence {tuple(rows.shape)} and values {tuple(values.shape)} must match."
        )
    found = ops.searchsorted(rows, values, side=side)
    return found if as_dtype(out_type) is int32 else ops.cast(found, dtype=as_dtype(out_type).np)


@expose(ops.invert_permutation)
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`: the result at `x[i]` is i.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """


def unravel_index(indices: TensorLike, dims: ShapeLike, name: str | None = None) -> Tensor:
    """Positions in a flattened tensor of shape `dims`, as indices: one row for each axis.

    Args:
        indices: Places in the flattened tensor.
        dims: The shape of the tensor.

    Raises:
        InvalidArgumentError: If a place is outside.

    >>> tf.unravel_index([5, 2], [2, 3]).numpy()
    array([[1, 0],
           [2, 2]], dtype=int32)
    """
    return ops.unravel_index(as_tensor(indices), dims=static_shape(dims))
