"""NumPy's `where`, `sort`, `unique`, `searchsorted`, `bincount`, … on tensors."""

from typing import Any

import numpy as np

from tapeflow.api.interop.promotion import cast, promoted, result_type, tensor
from tapeflow.core.apply import array_of
from tapeflow.core.dtypes import float64, int64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.vectorize.values import largest, one_size

from .elementwise import _truth
from .reductions import any_, sum_
from .registry import like_numpy, one_axis
from .shaping import moveaxis, ravel, reshape

_MATRIX = "[[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]]"


# ---- choosing


@like_numpy("[True, False], [1.0, 2.0], [3.0, 4.0]")
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """`x` where the condition is true and `y` elsewhere; with one argument the indices where it is true.

    Returns:
        A tensor; with one argument the indices, one tensor for each axis.
    """
    condition = _truth(tensor(condition))
    if x is None and y is None:
        return nonzero(condition)
    a, b = promoted(x, y)
    return ops.where(condition, a, b)


@like_numpy("[[0, 1], [2, 0]]", check="len({ours}) == len({theirs})")
def nonzero(a: Any) -> tuple[Tensor, ...]:
    """The indices of elements that are not zero, one tensor an axis.

    Returns:
        For each axis the indices.
    """
    found = ops.nonzero(tensor(a))
    return tuple(ops.getitem(found, index=((None, None, None), i)) for i in range(found.sizes[1]))


@like_numpy("[[0, 1], [2, 0]]")
def argwhere(a: Any) -> Tensor:
    """The index of every element that is not zero, one row each."""
    return ops.nonzero(tensor(a))


@like_numpy("[[0, 1], [2, 0]]")
def flatnonzero(a: Any) -> Tensor:
    """The indices of elements that are not zero in the flattened array."""
    return nonzero(ravel(a))[0]


@like_numpy("[10.0, 20.0, 30.0], [2, -1]")
def take(a: Any, indices: Any, axis: int | None = None, out: None = None, mode: str = "raise") -> Tensor:
    """Elements along an axis, by index; negative ones count from the end.

    Args:
        mode: What an index out of range does: `raise`, `wrap` or `clip`.
    """
    a = tensor(a)
    if axis is None:
        a, axis = ravel(a), 0
    axis = one_axis(axis, len(a.sizes))
    return ops.take(a, _wrapped(indices, a.sizes[axis], mode), axis=axis)


def _wrapped(indices: Any, size: int, mode: str = "raise") -> Tensor:
    index = array_of(indices)
    if mode == "wrap":
        return tensor(index % size)
    if mode == "clip":
        return tensor(np.clip(index, 0, size - 1))
    return tensor(np.where(index < 0, index + size, index).astype(np.int64))


@like_numpy("np.array([[10.0, 30.0, 20.0]]), np.array([[0, 2, 1]]), axis=1")
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Tensor:
    """For each line along `axis` the elements that the same line of `indices` names, as `argsort` gives them."""
    arr = tensor(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = one_axis(axis, len(arr.sizes))
    index = _wrapped(indices, arr.sizes[axis])
    lead = np.broadcast_shapes(*[tuple(d for i, d in enumerate(t.sizes) if i != axis) for t in (arr, index)])
    arr, index = (moveaxis(t, axis, -1) for t in (arr, index))
    arr, index = (ops.broadcast_to(t, shape=(*lead, t.sizes[-1])) for t in (arr, index))
    return moveaxis(ops.take_along(arr, index), -1, axis)


@like_numpy("[True, False, True], [1.0, 2.0, 3.0]")
def compress(condition: Any, a: Any, axis: int | None = None, out: None = None) -> Tensor:
    """The slices along an axis where the condition is true."""
    return take(a, np.flatnonzero(array_of(condition)), axis)


@like_numpy("[True, False, True], [1.0, 2.0, 3.0]")
def extract(condition: Any, arr: Any) -> Tensor:
    """The elements where the condition is true."""
    return ops.compress(ravel(arr), ravel(_truth(tensor(condition))))


@like_numpy("[np.array([True, False]), np.array([False, True])], [np.array([1.0, 2.0]), np.array([3.0, 4.0])], 9.0")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Of several choices the first whose condition is true."""
    *choices, result = promoted(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices))):
        result = ops.where(tensor(condition), choice, result)
    return result


# ---- sorting


def _sorting(a: Any, axis: int | None) -> tuple[Tensor, int]:
    a = tensor(a)
    if axis is None:
        return ravel(a), 0
    return a, one_axis(axis, len(a.sizes))


@like_numpy(_MATRIX + ", axis=0")
def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None) -> Tensor:
    """Ascending along an axis."""
    a, axis = _sorting(a, axis)
    return moveaxis(ops.sort(moveaxis(a, axis, -1), descending=False), -1, axis)


@like_numpy(_MATRIX + ", axis=0")
def argsort(
    a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None
) -> Tensor:
    """The indices that sort, equal elements in their order."""
    a, axis = _sorting(a, axis)
    return cast(moveaxis(ops.argsort(moveaxis(a, axis, -1), descending=False), -1, axis), int64)


@like_numpy("[1.0, 3.0, 5.0], [0.0, 3.0, 4.0]")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Where elements would be put to keep `a` in order.

    Args:
        v: What is looked for.
    """
    a, v = promoted(a, v)
    if sorter is not None:
        a = take(a, sorter)
    return tensor(np.searchsorted(array_of(a), array_of(v), side=side))


@like_numpy("[0.2, 6.4, 3.0], [0.0, 1.0, 4.0, 10.0]")
def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """The bin of every element.

    Args:
        right: A number on an edge belongs to the bin below it.
    """
    return tensor(np.digitize(array_of(x), array_of(bins), right))


# ---- sets and counts


@like_numpy("[3.0, 1.0, 3.0]")
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """The different elements in ascending order, with the indices and counts asked for.

    Returns:
        The different elements, in order; a tuple, with what else was asked for.
    """
    ar = tensor(ar)
    plain = array_of(ar)
    _, index, *more = np.unique(plain, True, return_inverse, return_counts, axis, equal_nan=equal_nan)
    values = take(ar, index, axis)
    found = [values, *([tensor(index)] if return_index else []), *map(tensor, more)]
    return tuple(found) if len(found) > 1 else values


@like_numpy("[1, 2, 3], [2, 5]")
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Tensor:
    """For every element, is it among the others?"""
    a, b = promoted(element, test_elements)
    found = any_(ops.equal(reshape(a, (*a.sizes, 1)), ravel(b)), -1)
    return ops.logical_not(found) if invert else found


@like_numpy("[0, 1, 1, 3]")
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each whole number occurs, or the sum of its weights."""
    index = tensor(x, int64)
    size = one_size(np.maximum(largest(index) + 1, minlength), "The number of bins")
    if weights is None:
        weights = tensor(np.ones(tuple(index.sizes), np.int64))
    weights = tensor(weights)
    return ops.unsorted_segment_sum(weights, index, num_segments=size)


@like_numpy("[0.5, 2.5], [0.0, 1.0, 3.0], [0.0, 10.0, 20.0]")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Tensor:
    """Linear interpolation between the points (xp, fp); differentiable in all three."""
    if period is not None:
        raise ValueError("period is not supported; reduce x, xp and fp to one period first.")
    x, xp, fp = promoted(x, xp, fp, inexact=float64)
    flat = ops.reshape(x, shape=(x.sizes.num_elements(),))
    found = ops.reshape(ops.searchsorted(xp, flat, side="right"), shape=tuple(x.sizes))
    at = ops.maximum(ops.minimum(found, xp.sizes[0] - 1), 1)
    x0, x1, y0, y1 = (ops.take(t, k, axis=0) for t in (xp, fp) for k in (at - 1, at))
    inside = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    first, last = (ops.getitem(fp, index=(i,)) for i in (0, -1))
    low, high = (ops.getitem(xp, index=(i,)) for i in (0, -1))
    below = first if left is None else tensor(left, x.dtype)
    above = last if right is None else tensor(right, x.dtype)
    return ops.where(ops.less(x, low), below, ops.where(ops.greater(x, high), above, inside))


@like_numpy("[1.0, -2.0, 3.0], [2.0, 4.0]")
def polyval(p: Any, x: Any) -> Tensor:
    """A polynomial, highest power first, at `x`.

    Args:
        p: The coefficients, that of the highest power first.
    """
    dtype = result_type(p, x)
    p, x = tensor(p, dtype), tensor(x, dtype)
    y = ops.zeros_like(x)
    for coefficient in ops.unstack(p, axis=0):
        y = y * x + coefficient
    return y


@like_numpy("[1.0, 2.0, 3.0], [0.0, 1.0, 0.5]")
def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """The convolution of two vectors.

    Args:
        v: The filter.
        mode: `full`, `same` or `valid`: how much of the result is given.
    """
    a, v = promoted(a, v)
    if a.sizes[0] < v.sizes[0]:
        a, v = v, a
    n, m = int(a.sizes[0]), int(v.sizes[0])
    index = np.arange(n + m - 1)[:, None] - np.arange(m)
    picked = ops.take(a, tensor(np.clip(index, 0, n - 1)), axis=0)
    inside = tensor((index >= 0) & (index < n))
    full = sum_(ops.where(inside, picked, ops.zeros_like(picked)) * v, -1, dtype=a.dtype)
    cut = {"full": (None, None), "same": ((m - 1) // 2, (m - 1) // 2 + n), "valid": (m - 1, n)}
    if mode not in cut:
        raise ValueError(f"mode={mode!r} is not one of full, same, valid.")
    return ops.getitem(full, index=((*cut[mode], None),))
