"""`tf.clip_by_*` and the norm of a list of gradients."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from tapeflow.api.math.reductions import axes_of, root_of, squared_length
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import float32
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AxisLike, TensorLike
from tapeflow.vectorize.mapped import MappedTensor

__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"]


def _combined(slices: IndexedSlices) -> IndexedSlices | Tensor:
    """The same rows with each index once: rows that repeat are added up. (Dense where every row of a vectorised
    function has its own.)"""
    indices = as_tensor(slices.indices)
    if type(indices) is MappedTensor:
        return slices.dense()
    unique, position = np.unique(indices.array, return_inverse=True)
    if len(unique) == len(position):
        return slices
    position = EagerTensor(position.astype(unique.dtype))
    rows = ops.unsorted_segment_sum(as_tensor(slices.values), position, num_segments=len(unique))
    return IndexedSlices(rows, EagerTensor(unique), slices.dense_shape)


def _on_rows(function: Any, t: Any) -> Any:
    """`function` of a tensor, or of the summed rows of IndexedSlices, which stay IndexedSlices."""
    t = _combined(t) if isinstance(t, IndexedSlices) else t
    if not isinstance(t, IndexedSlices):
        return function(as_tensor(t))
    return IndexedSlices(function(as_tensor(t.values)), t.indices, t.dense_shape)


@overload
def clip_by_value(
    t: IndexedSlices, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> IndexedSlices: ...
@overload
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor: ...
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Any:
    """`t` with what is below `clip_value_min` or above `clip_value_max` set to that bound.

    The bounds are numbers or tensors that broadcast to the shape of `t`. Where the value is clipped, the gradient goes
    to the bound. IndexedSlices stay IndexedSlices; rows that repeat are added up first.

    Args:
        t: A tensor, or a `tf.IndexedSlices`.
        clip_value_min: The lower bound.
        clip_value_max: The upper bound.

    Returns:
        What `t` is: a tensor, or a `tf.IndexedSlices`.

    Raises:
        InvalidArgumentError: If a bound does not broadcast to the shape of `t`.

    >>> x = tf.Variable([-1., 0.3, 7.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.clip_by_value(x, 0., 1.)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (array([0. , 0.3, 1. ], dtype=float32), array([0., 1., 0.], dtype=float32))
    """

    def clipped(x: Any) -> Any:
        if hasattr(x, "with_flat_values"):  # a ragged tensor
            return x.with_flat_values(clipped(x.flat_values))
        low, high = to_tensor(clip_value_min, x.dtype), to_tensor(clip_value_max, x.dtype)
        frame = current()
        if frame.eager and not frame.observers:  # nobody will ask for the masks
            y = ops.maximum(ops.minimum(x, high), low)
        else:
            y = ops.clip(x, low, high)[0]
        if y.sizes != x.sizes:
            raise ValueError(
                f"Shapes {tuple(x.shape)} and {tuple(y.shape)} are incompatible: bounds of shapes {tuple(low.shape)} "
                f"and {tuple(high.shape)} must broadcast to the shape of the values, not beyond it."
            )
        return y

    return _on_rows(clipped, t)


@overload
def clip_by_norm(
    t: IndexedSlices, clip_norm: TensorLike, axes: AxisLike | None = None, name: str | None = None
) -> IndexedSlices: ...
@overload
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: AxisLike | None = None, name: str | None = None
) -> Tensor: ...
def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Any:
    """`t`, scaled down to the Euclidean norm `clip_norm` where it is longer than that; norms are taken over `axes`.

    IndexedSlices stay IndexedSlices; rows that repeat are added up first, so that the norm is the true one.

    Args:
        t: A tensor, or a `tf.IndexedSlices`.
        clip_norm: The largest norm that stays as it is.
        axes: Over which axes norms are taken; None: over all.

    Returns:
        What `t` is: a tensor, or a `tf.IndexedSlices`.

    >>> tf.clip_by_norm([[3., 4.], [0.3, 0.4]], 1., axes=[1]).numpy()
    array([[0.6, 0.8],
           [0.3, 0.4]], dtype=float32)
    """

    def clipped(x: Tensor) -> Tensor:
        limit = ops.maximum(to_tensor(clip_norm, x.dtype), 0.0)
        norm = root_of(squared_length(x, axes_of(axes, x.ndim), True), x.dtype)
        y = x * ops.safe_div(limit, ops.maximum(norm, limit))
        if y.sizes != x.sizes:
            raise ValueError(
                f"Shapes {tuple(x.shape)} and {tuple(y.shape)} are incompatible: clip_norm of shape "
                f"{tuple(limit.shape)} must broadcast to the shape of the norms, {tuple(norm.shape)}, not beyond it."
            )
        return y

    return _on_rows(clipped, t)


def _checked(t_list: Any) -> list:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}. For one tensor give [t].")
    return [t if t is None or isinstance(t, IndexedSlices) else as_tensor(t) for t in t_list]


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all elements of all tensors together; None entries are left out.

    Args:
        t_list: Tensors, `tf.IndexedSlices` and Nones, which do not count.

    >>> tf.linalg.global_norm([tf.constant([3.]), None, tf.constant([[4.]])]).numpy()
    np.float32(5.0)
    """
    combined = [_combined(t) if isinstance(t, IndexedSlices) else t for t in _checked(t_list) if t is not None]
    tensors = [as_tensor(t.values) if isinstance(t, IndexedSlices) else t for t in combined]
    if not tensors:
        return to_tensor(0.0, float32)
    squares = ops.stack(*[squared_length(t, axes_of(None, t.ndim), False) for t in tensors], axis=0)
    return root_of(ops.reduce_sum(squares, axis=(0,), keepdims=False), tensors[0].dtype)


def clip_by_global_norm(
    t_list: Any, clip_norm: TensorLike, use_norm: TensorLike | None = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """All tensors scaled by one factor, so that their `global_norm` is at most `clip_norm`; and the norm they had.

    None entries stay None, IndexedSlices stay IndexedSlices. `use_norm` is the norm if it is known already. An
    infinite or NaN norm makes everything NaN, so that it does not go unnoticed.

    Args:
        t_list: Tensors, `tf.IndexedSlices` and Nones.
        clip_norm: The largest norm that stays as it is.
        use_norm: The norm, if it is known; None: it is computed.

    Returns:
        The list of what was scaled, and the norm before.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.]), tf.constant([4.])], 1.)
    >>> [c.numpy().item() for c in clipped], norm.numpy()
    ([0.6000000238418579, 0.800000011920929], np.float32(5.0))
    """
    tensors = _checked(t_list)
    norm = global_norm(tensors) if use_norm is None else as_tensor(use_norm)
    limit = to_tensor(clip_norm, norm.dtype)
    scale = ops.safe_div(limit, ops.maximum(norm, limit)) + (norm - norm)  # inf - inf is NaN

    def scaled(t: Any) -> Any:
        if t is None:
            return None
        return t._with_differentiable(t.values * scale) if isinstance(t, IndexedSlices) else t * scale

    return [scaled(t) for t in tensors], norm
