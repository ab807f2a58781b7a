"""NumPy's reductions on tensors: sums, means, extremes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.interop.promotion import cast, floating, promoted, result_type, tensor
from tapeflow.core.dtypes import DType, bool_, float64, int64, uint64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of

from .elementwise import isnan
from .registry import axes, like_numpy, numpy_dtype, one_axis
from .shaping import diagonal, moveaxis, ravel, reshape, squeezed_like

_MATRIX = "[[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]]"


def accumulating(x: Tensor, dtype: Any) -> Tensor:
    """Small integers add up in 64 bits, as in NumPy."""
    wanted: DType | None = numpy_dtype(dtype)
    if wanted is None and (x.dtype.is_integer or x.dtype.is_bool):
        wanted = uint64 if x.dtype.is_unsigned else int64
    return x if wanted is None else cast(x, wanted)


def reduced(compute: Callable[..., Any], x: Tensor, axis: Any, keepdims: Any) -> Tensor:
    return compute(x, axis=tuple(sorted(axes(axis, len(x.sizes)))), keepdims=bool(keepdims))


# ---- sums and means


@like_numpy(_MATRIX + ", axis=1")
def sum_(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The sum over axes; of all elements without `axis`."""
    return reduced(ops.reduce_sum, accumulating(tensor(a), dtype), axis, keepdims)


@like_numpy(_MATRIX + ", axis=1")
def prod(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The product over axes."""
    return reduced(ops.reduce_prod, accumulating(tensor(a), dtype), axis, keepdims)


@like_numpy(_MATRIX + ", axis=0")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The mean over axes; of integers in float64."""
    a = tensor(a)
    return reduced(
        ops.reduce_mean, cast(a, numpy_dtype(dtype) or (a.dtype if a.dtype.is_inexact else float64)), axis, keepdims
    )


@like_numpy(_MATRIX + ", axis=1")
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """The mean squared distance from the mean; divided by n - `ddof` instead of n."""
    a = tensor(a)
    a = cast(a, numpy_dtype(dtype) or (a.dtype if a.dtype.is_inexact else float64))
    taken = axes(axis, len(a.sizes))
    ddof = ddof if correction is None else correction
    if mean is None and not ddof and not a.dtype.is_complex:
        return reduced(ops.reduce_variance, a, axis, keepdims)
    center = reduced(ops.reduce_mean, a, axis, True) if mean is None else tensor(mean, a.dtype)
    distance = a - center
    squared = ops.square(distance) if not a.dtype.is_complex else ops.square(ops.abs(distance))
    count = int(np.prod([a.sizes[i] for i in taken]))
    with np.errstate(all="ignore"):
        return reduced(ops.reduce_sum, squared, axis, keepdims) * float(np.divide(1, count - ddof))


@like_numpy(_MATRIX + ", axis=1")
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """The standard deviation, the root of `var`."""
    return ops.length(var(a, axis, dtype, out, ddof, keepdims, mean=mean, correction=correction))


@like_numpy("[1.0, 2.0, 4.0], weights=[3.0, 2.0, 1.0]")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The weighted mean.

    Returns:
        The mean; with `returned` a pair, with the sum of the weights.
    """
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        return (
            (found, ops.zeros_like(found) + tensor(_elements(a) / max(_elements(found), 1), found.dtype))
            if returned
            else found
        )
    a, weights = promoted(a, weights, inexact=float64)
    if len(weights.sizes) != len(a.sizes):
        position = one_axis(axis, len(a.sizes))
        weights = reshape(weights, tuple(-1 if i == position else 1 for i in range(len(a.sizes))))
        weights = ops.broadcast_to(weights, shape=tuple(a.sizes))
    scale = sum_(weights, axis, keepdims=keepdims)
    found = sum_(a * weights, axis, keepdims=keepdims) / scale
    return (found, scale) if returned else found


@like_numpy("[[1.0, 2.0], [3.0, 4.0]]")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None) -> Tensor:
    """The sum of the diagonal."""
    return sum_(diagonal(a, offset, axis1, axis2), -1, dtype)


# ---- extremes


@like_numpy(_MATRIX + ", axis=0", "amax")
def max_(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The largest element over axes."""
    a = tensor(a)
    return reduced(ops.reduce_any if a.dtype.is_bool else ops.reduce_max, a, axis, keepdims)


@like_numpy(_MATRIX + ", axis=0", "amin")
def min_(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The smallest element over axes."""
    a = tensor(a)
    return reduced(ops.reduce_all if a.dtype.is_bool else ops.reduce_min, a, axis, keepdims)


@like_numpy(_MATRIX + ", axis=1")
def ptp(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The range, largest minus smallest."""
    return max_(a, axis, keepdims=keepdims) - min_(a, axis, keepdims=keepdims)


def _elements(a: Any) -> Any:
    """How many, a number (or a size) also inside a function."""
    return math.prod(sizes_of(tensor(a)))


def _position(compute: Callable, a: Any, axis: Any, keepdims: bool) -> Tensor:
    a = tensor(a)
    if a.dtype.is_bool:
        a = cast(a, int64)
    rank = len(a.sizes)
    found = (
        compute(ravel(a), axis=0, dtype=int64.np)
        if axis is None
        else compute(a, axis=one_axis(axis, rank), dtype=int64.np)
    )
    return squeezed_like(found, a, axis) if keepdims else found


@like_numpy(_MATRIX + ", axis=1")
def argmax(a: Any, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Tensor:
    """Where the largest element is, along an axis or in the flattened array."""
    return _position(ops.argmax, a, axis, keepdims)


@like_numpy(_MATRIX + ", axis=1")
def argmin(a: Any, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Tensor:
    """Where the smallest element is, along an axis or in the flattened array."""
    return _position(ops.argmin, a, axis, keepdims)


# ---- truth and counts


@like_numpy("[[True, False], [True, True]], axis=0")
def all_(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """Are all elements true (not zero)?"""
    return reduced(ops.reduce_all, _nonzero(a), axis, keepdims)


@like_numpy("[[True, False], [False, False]], axis=0")
def any_(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """Is any element true (not zero)?"""
    return reduced(ops.reduce_any, _nonzero(a), axis, keepdims)


@like_numpy("[[0, 1], [2, 3]], axis=0")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """How many elements are not zero."""
    return reduced(ops.reduce_sum, cast(_nonzero(a), int64), axis, keepdims)


def _nonzero(a: Any) -> Tensor:
    a = tensor(a)
    return a if a.dtype is bool_ else ops.not_equal(a, tensor(0, a.dtype))
