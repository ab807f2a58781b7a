"""Norms of vectors and matrices: `tf.norm`, `tf.linalg.normalize`. The gradient of every norm at 0 is 0."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import normal_axis, one_axis
from tapeflow.api.math.reductions import reduce_euclidean_norm
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AxisLike, TensorLike

__all__ = ["norm", "normalize"]

_MATRIX_NORMS = ["euclidean", "fro", 1, 2, np.inf]


def norm(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The norm of a vector (all elements, or those along one `axis`), or of a matrix (`axis` is a pair).

    `ord` is 'euclidean', or p > 0 for (Σ|x|ᵖ)^(1/p), np.inf for the largest; for matrices 'fro' (as 'euclidean'), 1
    (largest column sum), np.inf (largest row sum) or 2 (largest singular value). At zero, where a norm has a corner,
    the gradient is zero.

    Args:
        ord: Which norm: `"euclidean"`, a number p > 0, `np.inf`; for matrices `"fro"`, 1, 2, `np.inf`.
        axis: None: all elements as one vector; an integer: vectors along it; a pair: matrices in them.

    Raises:
        ValueError: If there is no such norm, or `axis` is no pair for a matrix.

    >>> tf.norm([[3., 4.], [6., 8.]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)
    >>> tf.norm([3., -4.], ord=1).numpy()
    np.float32(7.0)
    >>> tf.norm([[2., 0.], [0., 1.]], ord=2, axis=[0, 1]).numpy()
    np.float32(2.0)
    """
    x = as_tensor(tensor)
    if not x.dtype.is_inexact:
        raise invalid(
            f"norm does not take {x.dtype.name} tensors; it takes floating and complex ones. Cast it first: "
            "tf.cast(x, tf.float32)."
        )
    keepdims = bool(keepdims)
    if isinstance(axis, (list, tuple)):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX_NORMS}, got {ord}")
        rows, cols = one_axis(axis[0], x.ndim), one_axis(axis[1], x.ndim)
        return _matrix_norm(x, ord, rows, cols, keepdims)
    if isinstance(ord, str) and ord != "euclidean" or not isinstance(ord, str) and not ord > 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return _vector_norm(x, ord, normal_axis(axis, x.ndim), keepdims)


def _vector_norm(x: Tensor, ord: Any, axis: tuple[int, ...], keepdims: bool) -> Tensor:
    if ord in ("euclidean", 2):
        return reduce_euclidean_norm(x, axis, keepdims)
    size = ops.abs(x)
    if ord == 1:
        return ops.reduce_sum(size, axis=axis, keepdims=keepdims)
    if ord == np.inf:
        return ops.reduce_max(size, axis=axis, keepdims=keepdims)
    # Divided by the largest (unless that is 0 or inf), the powers neither overflow nor vanish. Where all are 0 the
    # norm is 0, and flat.
    largest = ops.stop_gradient(ops.reduce_max(size, axis=axis, keepdims=True))
    usable = ops.logical_and(ops.greater(largest, 0.0), ops.less(largest, np.inf))
    scale = ops.where(usable, largest, ops.zeros_like(largest) + 1)
    total = ops.reduce_sum((size / scale) ** ord, axis=axis, keepdims=True)
    nothing = ops.equal(total, ops.zeros_like(total))
    root = ops.where(nothing, ops.zeros_like(total), scale * ops.where(nothing, total + 1, total) ** (1.0 / ord))
    return root if keepdims else ops.reduce_sum(root, axis=axis, keepdims=False)


def _matrix_norm(x: Tensor, ord: Any, rows: int, cols: int, keepdims: bool) -> Tensor:
    axis = tuple(sorted((rows, cols)))
    if ord in ("fro", "euclidean"):
        return reduce_euclidean_norm(x, axis, keepdims)
    if ord == 2:
        others = [i for i in range(x.ndim) if i not in axis]
        values = ops.singular_values(ops.transpose(x, perm=(*others, rows, cols)))
        largest = ops.reduce_max(values, axis=(values.ndim - 1,), keepdims=False)
        return (
            ops.reshape(largest, shape=tuple(1 if i in axis else d for i, d in enumerate(x.sizes)))
            if keepdims
            else largest
        )
    summed, compared = (rows, cols) if ord == 1 else (cols, rows)
    sums = ops.reduce_sum(ops.abs(x), axis=(summed,), keepdims=True)
    largest = ops.reduce_max(sums, axis=(compared,), keepdims=True)
    return (
        largest if keepdims else ops.reshape(largest, shape=tuple(d for i, d in enumerate(x.sizes) if i not in axis))
    )


def normalize(
    tensor: TensorLike, ord: str | float = "euclidean", axis: AxisLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its norm, and the norm (with its axes kept). See `tf.norm` for the arguments; zeros become
    nan.

    Args:
        ord: Which norm: `"euclidean"`, a number p > 0, `np.inf`; for matrices `"fro"`, 1, 2, `np.inf`.
        axis: None: all elements as one vector; an integer: vectors along it; a pair: matrices in them.

    Returns:
        The tensor divided by its norm, and the norm.

    Raises:
        ValueError: If there is no such norm, or `axis` is no pair for a matrix.

    >>> unit, length = tf.linalg.normalize([[3., 4.], [0., 2.]], axis=1)
    >>> unit.numpy(), length.numpy()
    (array([[0.6, 0.8],
           [0. , 1. ]], dtype=float32), array([[5.],
           [2.]], dtype=float32))
    """
    x = as_tensor(tensor)
    length = norm(x, ord, axis, keepdims=True)
    if ord in ("euclidean", "fro") or ord == 2 and not isinstance(axis, (list, tuple)):
        return x / _like(ops.sqrt(_squares(x, normal_axis(axis, x.ndim))), x), length
    length = _like(length, x)
    return x / length, length


def _squares(x: Tensor, axis: tuple[int, ...]) -> Tensor:
    if x.dtype.is_complex:
        return ops.reduce_sum(ops.real(x * ops.conj(x)), axis=axis, keepdims=True)
    return ops.sum_squares(x, axis=axis, keepdims=True)


def _like(length: Tensor, x: Tensor) -> Tensor:
    return length if length.dtype is x.dtype else ops.cast(length, dtype=x.dtype.np)
