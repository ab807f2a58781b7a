"""NumPy's `reshape`, `transpose`, `diag`, `tril`, … on tensors."""

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.api.arrays.made_later import made, numbers
from tapeflow.api.interop.promotion import cast, result_type, tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .registry import axes, like_numpy, numpy_dtype, one_axis

_MATRIX = "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"


def squeezed_like(reduced: Tensor, a: Tensor, axis: Any) -> Tensor:
    """A reduction with its axes back, as axes of size 1."""
    taken = axes(axis, len(a.sizes))
    return ops.reshape(reduced, shape=tuple(1 if i in taken else d for i, d in enumerate(a.sizes)))


# ---- shape


@like_numpy(_MATRIX + ", (3, -1)")
def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None
) -> Tensor:
    """The same elements in another shape; one size may be -1."""
    a = tensor(a)
    shape = newshape if shape is None else shape
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(d) for d in shape)
    if order == "F":
        turned = ops.reshape(transpose(a), shape=_sizes(a, shape)[::-1])
        return transpose(turned)
    return ops.reshape(a, shape=_sizes(a, shape))


def _sizes(a: Tensor, shape: tuple) -> tuple:
    if -1 not in shape:
        return shape
    known = int(np.prod([d for d in shape if d != -1]))
    return tuple(math.prod(a.sizes) // max(known, 1) if d == -1 else d for d in shape)


@like_numpy(_MATRIX)
def ravel(a: Any, order: str = "C") -> Tensor:
    """All elements in one axis."""
    return reshape(a, -1, order)


@like_numpy("[[[1.0], [2.0]]], axis=2")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Without the axes of size 1, or without those given."""
    a = tensor(a)
    drop = [i for i, d in enumerate(a.sizes) if d == 1] if axis is None else axes(axis, len(a.sizes))
    if any(a.sizes[i] != 1 for i in drop):
        raise ValueError(
            f"cannot select an axis to squeeze out which has size not equal to one: shape {tuple(a.shape)}, axis "
            f"{axis}."
        )
    return ops.reshape(a, shape=tuple(d for i, d in enumerate(a.sizes) if i not in drop))


@like_numpy(_MATRIX + ", (0, 2)")
def expand_dims(a: Any, axis: Any) -> Tensor:
    """With new axes of size 1 at the places given."""
    a = tensor(a)
    count = len(a.sizes) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    new = axes(axis, count)
    sizes = iter(a.sizes)
    return ops.reshape(a, shape=tuple(1 if i in new else next(sizes) for i in range(count)))


@like_numpy(_MATRIX, "permute_dims")
def transpose(a: Any, axes: Any = None) -> Tensor:
    """Axes in another order; reversed without `axes`."""
    a = tensor(a)
    rank = len(a.sizes)
    return ops.transpose(a, perm=tuple(range(rank))[::-1] if axes is None else tuple(one_axis(i, rank) for i in axes))


@like_numpy(_MATRIX)
def matrix_transpose(x: Any, /) -> Tensor:
    """The last two axes exchanged."""
    return ops.matrix_transpose(tensor(x))


@like_numpy("np.ones((2, 3, 4)), 0, -1", check="{ours}.shape == {theirs}.shape")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places, the rest in order."""
    a = tensor(a)
    rank = len(a.sizes)
    start, end = axes(source, rank), axes(destination, rank)
    order = [i for i in range(rank) if i not in start]
    for place, axis in sorted(zip(end, start)):
        order.insert(place, axis)
    return ops.transpose(a, perm=tuple(order))


@like_numpy("np.ones((2, 3, 4)), 0, 2", check="{ours}.shape == {theirs}.shape")
def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged."""
    a = tensor(a)
    order = list(range(len(a.sizes)))
    i, j = one_axis(axis1, len(order)), one_axis(axis2, len(order))
    order[i], order[j] = order[j], order[i]
    return ops.transpose(a, perm=tuple(order))


@like_numpy("np.ones((2, 3, 4)), 2", check="{ours}.shape == {theirs}.shape")
def rollaxis(a: Any, axis: int, start: int = 0) -> Tensor:
    """One axis moved to stand before another."""
    rank = len(tensor(a).sizes)
    axis, start = one_axis(axis, rank), start + rank if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


@like_numpy("[1.0, 2.0], (3, 2)")
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Tensor:
    """Repeated along new and size-1 axes to a shape."""
    return ops.broadcast_to(
        tensor(array), shape=(int(shape),) if np.ndim(shape) == 0 else tuple(int(d) for d in shape)
    )


@like_numpy("[1.0, 2.0], [[3.0], [4.0]]")
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Tensor, ...]:
    """All in the shape they broadcast to.

    Args:
        *args: The arrays.

    Returns:
        The arrays, as tensors of one shape.
    """
    xs = [tensor(a) for a in args]
    shape = np.broadcast_shapes(*[tuple(x.sizes) for x in xs])
    return tuple(ops.broadcast_to(x, shape=shape) for x in xs)


def _at_least(rank: int, arrays: tuple, place: Any) -> Any:
    found = [ops.reshape(x, shape=place(tuple(x.sizes))) if len(x.sizes) < rank else x for x in map(tensor, arrays)]
    return found[0] if len(found) == 1 else tuple(found)


@like_numpy("1.0")
def atleast_1d(*arys: Any) -> Any:
    """With at least one axis.

    Returns:
        A tensor; a tuple for several arrays.
    """
    return _at_least(1, arys, lambda s: (1,))


@like_numpy("[1.0, 2.0]")
def atleast_2d(*arys: Any) -> Any:
    """With at least two axes, new ones in front.

    Returns:
        A tensor; a tuple for several arrays.
    """
    return _at_least(2, arys, lambda s: (1,) * (2 - len(s)) + s)


@like_numpy("[1.0, 2.0]")
def atleast_3d(*arys: Any) -> Any:
    """With at least three axes.

    Returns:
        A tensor; a tuple for several arrays.
    """
    return _at_least(3, arys, lambda s: {0: (1, 1, 1), 1: (1, *s, 1), 2: (*s, 1)}[len(s)])


# ---- diagonals and triangles


@like_numpy(_MATRIX + ", 1")
def diag(v: Any, k: int = 0) -> Tensor:
    """The diagonal of a matrix, or a matrix with a vector as its diagonal.

    Args:
        v: A vector, or what is made one; of a matrix `diag` gives the diagonal.
        k: Which diagonal: 0 the main one, positive above it.
    """
    v = tensor(v)
    return tf.linalg.diag(v, k=k) if len(v.sizes) == 1 else diagonal(v, k)


@like_numpy("[1.0, 2.0]")
def diagflat(v: Any, k: int = 0) -> Tensor:
    """A matrix with all elements of `v` as its diagonal.

    Args:
        v: A vector, or what is made one; of a matrix `diag` gives the diagonal.
        k: Which diagonal: 0 the main one, positive above it.
    """
    return diag(ravel(v), k)


@like_numpy(_MATRIX)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of the matrices in two axes, as a new last axis."""
    a = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, cols = a.sizes[-2:]
    length = max(0, min(rows, cols - offset) if offset >= 0 else min(rows + offset, cols))
    i = np.arange(length) + max(-offset, 0)
    flat = ops.reshape(a, shape=(*a.sizes[:-2], rows * cols))
    return ops.take(flat, tensor(i * cols + i + offset), axis=len(a.sizes) - 2)


def _triangle(m: Any, keep: np.ndarray) -> Tensor:
    m = tensor(m)
    return ops.where(tensor(keep), m, ops.zeros_like(m))


@like_numpy("[[1.0, 2.0], [3.0, 4.0]]")
def tril(m: Any, k: int = 0) -> Tensor:
    """The lower triangle, zeros above diagonal `k`.

    Args:
        k: The last diagonal that stays: 0 the main one, positive above it.
    """
    m = tensor(m)
    return _triangle(m, np.tri(*m.sizes[-2:], k=k, dtype=bool))


@like_numpy("[[1.0, 2.0], [3.0, 4.0]]")
def triu(m: Any, k: int = 0) -> Tensor:
    """The upper triangle, zeros below diagonal `k`.

    Args:
        k: The last diagonal that stays: 0 the main one, positive above it.
    """
    m = tensor(m)
    return _triangle(m, ~np.tri(*m.sizes[-2:], k=k - 1, dtype=bool))


@like_numpy("[1.0, 2.0]")
def copy(a: Any, order: str = "K", subok: bool = False) -> Tensor:
    """The same values as a tensor of its own."""
    return ops.identity(tensor(a))


@like_numpy("np.array([1, 2]), np.float32")
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """The values in another dtype."""
    return cast(tensor(x), numpy_dtype(dtype))


@like_numpy("[1.0, 2.0, 3.0], 3")
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of `x` as columns, highest first."""
    x = tensor(x, result_type(x))
    count = x.sizes[0] if N is None else N
    rising = made(count, lambda: cast(numbers(count), x.dtype))
    powers = rising if increasing else ops.flip(rising, axis=(0,))
    return ops.pow(ops.reshape(x, shape=(*x.sizes, 1)), powers)
