"""NumPy's `cumsum`, `cumprod`, `diff`, `trapezoid`, … on tensors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.interop.promotion import promoted, result_type, tensor
from tapeflow.core.dtypes import float64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of

from .reductions import accumulating, sum_
from .registry import like_numpy, one_axis
from .shaping import ravel, reshape
from .statistics import nan_replaced

_MATRIX = "[[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]]"


def _running(compute: Callable, a: Any, axis: Any, dtype: Any) -> Tensor:
    a = accumulating(tensor(a), dtype)
    if axis is None:
        a, axis = ravel(a), 0
    return compute(a, axis=one_axis(axis, len(a.sizes)), exclusive=False, reverse=False)


@like_numpy(_MATRIX + ", axis=1")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Tensor:
    """The running sum along an axis, or of the flattened array."""
    return _running(ops.cumsum, a, axis, dtype)


@like_numpy(_MATRIX + ", axis=1")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Tensor:
    """The running product along an axis, or of the flattened array."""
    return _running(ops.cumprod, a, axis, dtype)


def _with_initial(running: Callable, x: Any, axis: Any, dtype: Any, include_initial: bool, initial: int) -> Tensor:
    x = tensor(x)
    if axis is None and len(x.sizes) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    axis = one_axis(0 if axis is None else axis, len(x.sizes))
    found = running(x, axis, dtype)
    if not include_initial:
        return found
    first = tensor(np.full([1 if i == axis else d for i, d in enumerate(x.sizes)], initial), found.dtype)
    return ops.concat(first, found, axis=axis)


@like_numpy("[1.0, 2.0, 3.0], include_initial=True")
def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None, include_initial: bool = False
) -> Tensor:
    """The running sum, with a 0 in front if wanted."""
    return _with_initial(cumsum, x, axis, dtype, include_initial, 0)


@like_numpy("[1.0, 2.0, 3.0], include_initial=True")
def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None, include_initial: bool = False
) -> Tensor:
    """The running product, with a 1 in front if wanted."""
    return _with_initial(cumprod, x, axis, dtype, include_initial, 1)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=1")
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Tensor:
    """The running sum, NaN counted as 0."""
    return cumsum(nan_replaced(a, 0)[0], axis, dtype)


@like_numpy(_MATRIX + ", axis=1")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours along an axis, `n` times.

    Args:
        n: How often.
    """
    a = tensor(a)
    axis = one_axis(axis, len(a.sizes))
    ends = [None if e is None else _edge(tensor(e, a.dtype), a, axis) for e in (prepend, append)]
    parts = [p for p in (ends[0], a, ends[1]) if p is not None]
    if len(parts) > 1:
        a = ops.concat(*parts, axis=axis)
    for _ in range(n):
        head, tail = (
            ops.getitem(a, index=(*[(None, None, None)] * axis, s)) for s in ((1, None, None), (None, -1, None))
        )
        a = ops.not_equal(head, tail) if a.dtype.is_bool else head - tail
    return a


def _edge(value: Tensor, a: Tensor, axis: int) -> Tensor:
    return (
        value
        if len(sizes_of(value))
        else ops.broadcast_to(value, shape=tuple(1 if i == axis else d for i, d in enumerate(sizes_of(a))))
    )


@like_numpy("[1.0, 2.0, 4.0], dx=0.5")
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral by the trapezoidal rule."""
    (y,) = promoted(y, inexact=float64)
    axis = one_axis(axis, len(y.sizes))
    part = lambda s: ops.getitem(y, index=(*[(None, None, None)] * axis, s))
    width = tensor(dx, y.dtype)
    if x is not None:
        width = diff(tensor(x, result_type(x, y)), axis=-1 if len(tensor(x).sizes) == 1 else axis)
        if len(width.sizes) == 1:
            width = reshape(width, tuple(-1 if i == axis else 1 for i in range(len(y.sizes))))
    return sum_(width * (part((1, None, None)) + part((None, -1, None))) * 0.5, axis)
