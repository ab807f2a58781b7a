"""Several tensors to one and one to several: concat, stack, split, unstack, partition and stitch."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tapeflow.api.arguments import one_axis, static_shape, whole
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group
from tapeflow.core.errors import InvalidArgumentError, dtype_clash, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, AxisLike, TensorLike
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.vectorize.values import largest, one_size, values_of

from .building import zeros


def concat(values: AnyTensorLike, axis: AxisLike, name: str | None = "concat") -> Tensor:
    """The tensors one after the other along an axis they have.

    Args:
        values: Tensors of one dtype, in a list.

    Raises:
        InvalidArgumentError: If other sizes than those along `axis` differ.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise invalid("concat needs at least one tensor: the shape and dtype of nothing are unknown.")
    axis = _axis(axis, "concat")
    if len(values) == 1:
        return ops.identity(as_tensor(values[0]))
    tensors = _tensors(values)
    if not tensors[0].ndim:
        raise invalid(
            "ConcatOp : Expected at least rank 1: scalars have no axis to be joined along. Use tf.stack(values)."
        )
    return ops.concat(*tensors, axis=one_axis(axis, tensors[0].ndim))


def stack(values: AnyTensorLike, axis: int = 0, name: str | None = "stack") -> Tensor:
    """The tensors, all of one shape, side by side along a new axis.

    Args:
        axis: Where the new axis is.

    Raises:
        InvalidArgumentError: If the shapes differ.

    >>> tf.stack([[1, 2], [3, 4], [5, 6]], axis=1).numpy()
    array([[1, 3, 5],
           [2, 4, 6]], dtype=int32)
    """
    axis = _axis(axis, "stack")
    values = list(values)
    if not values:
        return as_tensor(values)
    tensors = _tensors(values)
    rank = tensors[0].ndim
    if not -rank - 1 <= axis <= rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})")
    return ops.stack(*tensors, axis=axis % (rank + 1))


def _axis(axis: Any, called: str) -> int:
    if type(axis) is int:
        return axis
    try:
        return whole(axis, "axis")
    except InvalidArgumentError as error:
        text = f"{error} The tensors go into one list, and the axis comes after it: tf.{called}([a, b], axis=0)."
        raise dtype_clash(text) from None


def _tensors(values: Sequence) -> Sequence[Tensor]:
    if all(type(v) is EagerTensor for v in values):
        return values
    array = next((k for k, v in enumerate(values) if isinstance(v, np.ndarray)), len(values))
    values = [as_tensor(v) if k < array and _has_tensors(v) else v for k, v in enumerate(values)]  # the first decides
    if not any(isinstance(v, (Tensor, Variable, np.ndarray)) for v in values):
        with suppress(ValueError, TypeError, InvalidArgumentError):  # of different lengths, say
            return ops.unstack(as_tensor(values), axis=0)  # one conversion: [1, 2.5] is float32
    return convert_group(values)


def _has_tensors(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(part, (Tensor, Variable)) for part in value)


def parallel_stack(values: AnyTensorLike, name: str | None = "parallel_stack") -> Tensor:
    """`tf.stack` along the first axis.

    >>> tf.parallel_stack([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return stack(values)


def unstack(value: AnyTensorLike, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> list[Tensor]:
    """The slices along an axis, without it: the opposite of `tf.stack`.

    Args:
        num: How many slices there are; None: as many as the axis has.

    Raises:
        InvalidArgumentError: If there are others than `num`.

    >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    value, axis = as_tensor(value), whole(axis, "axis")
    rank = value.ndim
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    axis %= rank
    if num is not None and num != value.sizes[axis]:
        raise invalid(
            f"num={num} does not fit: axis {axis} of shape {tuple(value.shape)} has {value.shape[axis]} slices."
        )
    return list(ops.unstack(value, axis=axis))


def split(
    value: AnyTensorLike,
    num_or_size_splits: TensorLike,
    axis: AxisLike = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """Pieces along an axis: so many equal ones, or pieces of the sizes given, of which one may be -1 (what remains).

    Args:
        num_or_size_splits: How many equal pieces, or the size of each, of which one may be -1.
        num: How many pieces, where sizes are a tensor of unknown length.

    Raises:
        InvalidArgumentError: If the axis does not divide so.

    >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5, 6], [1, -1, 2])]
    [[1], [2, 3, 4], [5, 6]]
    """
    value = as_tensor(value)
    axis = one_axis(axis, value.ndim)
    total = value.sizes[axis] if value.ndim else 0
    if total is None:
        raise ValueError(f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` {axis}.")
    many = num_or_size_splits if isinstance(num_or_size_splits, int) else as_tensor(num_or_size_splits)
    if isinstance(many, int) or not many.ndim:
        count = whole(many, "num_or_size_splits")
        if not value.ndim or count <= 0 or total % count:
            raise invalid(
                "Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{axis} (size = {total}) and num_split {count}"
            )
        sizes = (total // count,) * count
    else:
        sizes = _sizes(static_shape(many), total, axis)
        if num is not None and num != len(sizes):
            raise invalid(
                f"size of the split_tensor must be 1-D and have the same elements as outputs: got {len(sizes)} sizes "
                f"and num={num}."
            )
    return list(ops.split(value, sizes=sizes, axis=axis))


def _sizes(sizes: tuple, total: int, axis: int) -> tuple:
    rest = total - sum(s for s in sizes if s != -1)
    if sizes.count(-1) > 1 or any(s < -1 for s in sizes) or rest < 0 or (rest and -1 not in sizes):
        raise invalid(f"The sizes {sizes} do not add up to the size {total} of axis {axis}.")
    return tuple([rest if s == -1 else s for s in sizes])


def dynamic_partition(
    data: AnyTensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data` sorted into lists: row i goes to list `partitions[i]`.

    Args:
        data: The rows, or slices of the shape that `partitions` leaves.
        partitions: For each row the number of its list.
        num_partitions: How many lists there are.

    Raises:
        InvalidArgumentError: If a number is out of range.

    >>> low, high = tf.dynamic_partition([1., 20., 2.], [0, 1, 0], 2)
    >>> low.numpy(), high.numpy()
    (array([1., 2.], dtype=float32), array([20.], dtype=float32))
    """
    data, partitions = as_tensor(data), as_tensor(partitions)
    shape = tuple(partitions.sizes)
    if tuple(data.sizes[: len(shape)]) != shape:
        raise invalid(
            f"data.shape must start with partitions.shape, got data.shape = {tuple(data.shape)}, partitions.shape = "
            f"{shape}"
        )
    _check_partitions(partitions, num_partitions)
    number = partitions.dtype.np.type
    return [ops.compress(data, ops.equal(partitions, EagerTensor(number(k)))) for k in range(num_partitions)]


@at_every_run(checks=True)
def _check_partitions(partitions: Tensor, count: int) -> None:
    numbers = values_of(partitions)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        raise invalid(f"partitions must be in [0, {count}), got numbers from {numbers.min()} to {numbers.max()}.")


@at_every_run(checks=True)
def _check_numbers(indices: Tensor) -> None:
    values = values_of(indices)
    if values.size and values.min() < 0:
        raise invalid(f"indices cannot be negative, got {values.min()}.")


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """Rows brought together: row `indices[m][i]` of the result is `data[m][i]`. Of two for one place the later wins.

    Args:
        indices: A list of tensors: where the rows go.
        data: A list of tensors: the rows.

    Raises:
        InvalidArgumentError: If the shapes do not fit together.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10., 30.], [20.]]).numpy()
    array([10., 20., 30.], dtype=float32)
    """
    numbers, data = [as_tensor(i) for i in indices], list(data)
    if len(data) != len(numbers):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match length {len(numbers)} "
            "of argument 'indices'."
        )
    if not data:
        raise invalid("dynamic_stitch needs at least one pair of indices and data.")
    parts = convert_group(data)
    for m, (i, d) in enumerate(zip(numbers, parts)):
        if tuple(d.sizes[: i.ndim]) != tuple(i.sizes):
            raise invalid(
                f"data[{m}].shape = {tuple(d.shape)} does not start with indices[{m}].shape = {tuple(i.shape)}."
            )
    row = tuple(parts[0].sizes[numbers[0].ndim :])
    sizes = [i.sizes.num_elements() for i in numbers]
    flat = ops.concat(*[ops.reshape(i, shape=(size,)) for i, size in zip(numbers, sizes)], axis=0)
    rows = ops.concat(*[ops.reshape(d, shape=(size, *row)) for d, size in zip(parts, sizes)], axis=0)
    _check_numbers(flat)
    size = one_size(largest(flat) + 1, "The number of rows")
    return ops.scatter_update(zeros((size, *row), parts[0].dtype), flat, rows)
