"""Scattering: new tensors with some elements changed (`tf.scatter_nd`, `tf.tensor_scatter_nd_update`, …)."""

import math
from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group
from tapeflow.core.dtypes import bool_, int32, string
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, ShapeLike, TensorLike

from .building import zeros


def scatter_nd(
    indices: TensorLike,
    updates: AnyTensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Zeros of `shape`, with `updates` added at the places that the rows of `indices` point at.

    Args:
        bad_indices_policy: What an index out of range does: `""` or `ERROR`: it raises, `IGNORE`: it is left out.

    Raises:
        InvalidArgumentError: If an index is out of range, unless that is to be ignored.

    >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 5], [4]).numpy()
    array([ 0, 15,  0, 20], dtype=int32)
    """
    shape = static_shape(shape)
    ids, updates, rows = _placed(shape, as_tensor(indices), as_tensor(updates), bad_indices_policy)
    if updates.dtype is bool_:
        counted = ops.unsorted_segment_sum(ops.cast(updates, dtype=int32.np), ids, num_segments=rows[0])
        summed = ops.cast(counted, dtype=bool_.np)
    elif updates.dtype is string:
        summed = ops.string_segment_join(updates, ids, num_segments=rows[0], separator=b"")
    else:
        summed = ops.unsorted_segment_sum(updates, ids, num_segments=rows[0])
    return ops.reshape(summed, shape=shape)


def tensor_scatter_nd_add(
    tensor: AnyTensorLike,
    indices: TensorLike,
    updates: AnyTensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with `updates` added at `indices`; at an index that repeats all of them are added.

    Args:
        bad_indices_policy: What an index out of range does: `""` or `ERROR`: it raises, `IGNORE`: it is left out.

    Raises:
        InvalidArgumentError: If an index is out of range, unless that is to be ignored.

    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 20]).numpy()
    array([31,  2,  3], dtype=int32)
    """
    tensor, updates = convert_group([tensor, updates])
    return tensor + scatter_nd(indices, updates, tensor.sizes, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: AnyTensorLike,
    indices: TensorLike,
    updates: AnyTensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with `updates` subtracted at `indices`.

    Args:
        bad_indices_policy: What an index out of range does: `""` or `ERROR`: it raises, `IGNORE`: it is left out.

    Raises:
        InvalidArgumentError: If an index is out of range, unless that is to be ignored.

    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[2]], [10]).numpy()
    array([ 1,  2, -7], dtype=int32)
    """
    tensor, updates = convert_group([tensor, updates])
    return tensor - scatter_nd(indices, updates, tensor.sizes, bad_indices_policy)


def tensor_scatter_nd_update(
    tensor: AnyTensorLike, indices: TensorLike, updates: AnyTensorLike, name: str | None = None
) -> Tensor:
    """`tensor` with `updates` in place of what was at `indices`.

    Raises:
        InvalidArgumentError: If an index is out of range.

    >>> tf.tensor_scatter_nd_update([[1, 2], [3, 4]], [[0, 1], [1, 0]], [9, 8]).numpy()
    array([[1, 9],
           [8, 4]], dtype=int32)
    >>> tf.tensor_scatter_nd_update([[1, 2], [3, 4]], [[1]], [[0, 0]]).numpy()      # a whole row
    array([[1, 2],
           [0, 0]], dtype=int32)
    """
    return _written(ops.scatter_update, tensor, indices, updates, "")


def tensor_scatter_nd_max(
    tensor: AnyTensorLike,
    indices: TensorLike,
    updates: AnyTensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with the larger of element and update at `indices`.

    Args:
        bad_indices_policy: What an index out of range does: `""` or `ERROR`: it raises, `IGNORE`: it is left out.

    Raises:
        InvalidArgumentError: If an index is out of range, unless that is to be ignored.

    >>> tf.tensor_scatter_nd_max([1, 5, 3], [[0], [1]], [4, 4]).numpy()
    array([4, 5, 3], dtype=int32)
    """
    return _written(ops.scatter_max, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_min(
    tensor: AnyTensorLike,
    indices: TensorLike,
    updates: AnyTensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with the smaller of element and update at `indices`.

    Args:
        bad_indices_policy: What an index out of range does: `""` or `ERROR`: it raises, `IGNORE`: it is left out.

    Raises:
        InvalidArgumentError: If an index is out of range, unless that is to be ignored.

    >>> tf.tensor_scatter_nd_min([1, 5, 3], [[0], [1]], [4, 4]).numpy()
    array([1, 4, 3], dtype=int32)
    """
    return _written(ops.scatter_min, tensor, indices, updates, bad_indices_policy)


def _written(write: Any, tensor: Any, indices: Any, updates: Any, policy: str) -> Tensor:
    tensor, updates = convert_group([tensor, updates])
    shape = tuple(tensor.sizes)
    ids, updates, rows = _placed(shape, as_tensor(indices), updates, policy)
    return ops.reshape(write(ops.reshape(tensor, shape=rows), ids, updates), shape=shape)


def _placed(shape: tuple, indices: Tensor, updates: Tensor, policy: str) -> tuple[Tensor, Tensor, tuple]:
    """(row of each update, the updates, shape of the rows): `shape` with the axes that `indices` speak of as one."""
    depth = indices.sizes[-1] if indices.ndim else 1
    if not indices.ndim or depth > len(shape):
        raise invalid(
            f"indices of shape {tuple(indices.shape)} do not fit a tensor of shape {shape}: along their last axis "
            f"they have one number for each of its first axes, {len(shape)} at most."
        )
    want = (*indices.sizes[:-1], *shape[depth:])
    if tuple(updates.sizes) != want:
        raise invalid(
            f"updates must have shape {want}: indices.shape[:-1] and then the tensor's remaining axes. They have "
            f"{tuple(updates.shape)}; indices have {tuple(indices.shape)}, the tensor {shape}."
        )
    dims = shape[:depth]
    if policy == "IGNORE":
        inside = ops.logical_and(
            ops.greater_equal(indices, 0), ops.less(indices, EagerTensor(np.array(dims, indices.dtype.np)))
        )
        good = ops.reduce_all(inside, axis=(indices.ndim - 1,), keepdims=False)
        indices, updates = ops.compress(indices, good), ops.compress(updates, good)
    return ops.ravel_index(indices, dims=dims), updates, (math.prod(dims), *shape[depth:])
