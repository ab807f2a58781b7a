"""Sums, means, extremes, quantiles, running sums."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.dtypes import DType, bool_, float64, int64, uint64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from ..promotion import cast, floating, promoted, result_type, tensor
from .elementwise import isnan
from .registry import axes, like_numpy, numpy_dtype, one_axis
from .shaping import diagonal, moveaxis, ravel, reshape, squeezed_like

_MATRIX = "[[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]]"


def _accumulating(x: Tensor, dtype: Any) -> Tensor:
    """Small integers add up in 64 bits, as in NumPy."""
    wanted: DType | None = numpy_dtype(dtype)
    if wanted is None and (x.dtype.is_integer or x.dtype.is_bool):
        wanted = uint64 if x.dtype.is_unsigned else int64
    return x if wanted is None else cast(x, wanted)


def _reduced(compute: Callable, x: Tensor, axis: Any, keepdims: Any) -> Tensor:
    return compute(x, axis=tuple(sorted(axes(axis, len(x.shape)))), keepdims=bool(keepdims))


# ---- sums and means


@like_numpy(_MATRIX + ", axis=1")
def sum_(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The sum over axes; of all elements without `axis`."""
    return _reduced(ops.reduce_sum, _accumulating(tensor(a), dtype), axis, keepdims)


@like_numpy(_MATRIX + ", axis=1")
def prod(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The product over axes."""
    return _reduced(ops.reduce_prod, _accumulating(tensor(a), dtype), axis, keepdims)


@like_numpy(_MATRIX + ", axis=0")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The mean over axes; of integers in float64."""
    a = tensor(a)
    return _reduced(ops.reduce_mean, cast(a, numpy_dtype(dtype) or (a.dtype if a.dtype.is_inexact else float64)), axis, keepdims)


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
    taken = axes(axis, len(a.shape))
    ddof = ddof if correction is None else correction
    if mean is None and not ddof and not a.dtype.is_complex:
        return _reduced(ops.reduce_variance, a, axis, keepdims)
    center = _reduced(ops.reduce_mean, a, axis, True) if mean is None else tensor(mean, a.dtype)
    distance = a - center
    squared = ops.square(distance) if not a.dtype.is_complex else ops.square(ops.abs(distance))
    count = int(np.prod([a.shape[i] for i in taken]))
    with np.errstate(all="ignore"):
        return _reduced(ops.reduce_sum, squared, axis, keepdims) * float(np.divide(1, count - ddof))


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
    return ops.sqrt(var(a, axis, dtype, out, ddof, keepdims, mean=mean, correction=correction))


@like_numpy("[1.0, 2.0, 4.0], weights=[3.0, 2.0, 1.0]")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The weighted mean."""
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        return (found, ops.zeros_like(found) + tensor(tensor(a).size / max(found.size, 1), found.dtype)) if returned else found
    a, weights = promoted(a, weights, inexact=float64)
    if len(weights.shape) != len(a.shape):
        position = one_axis(axis, len(a.shape))
        weights = reshape(weights, tuple(-1 if i == position else 1 for i in range(len(a.shape))))
        weights = ops.broadcast_to(weights, shape=tuple(a.shape))
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
    return _reduced(ops.reduce_any if a.dtype.is_bool else ops.reduce_max, a, axis, keepdims)


@like_numpy(_MATRIX + ", axis=0", "amin")
def min_(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The smallest element over axes."""
    a = tensor(a)
    return _reduced(ops.reduce_all if a.dtype.is_bool else ops.reduce_min, a, axis, keepdims)


@like_numpy(_MATRIX + ", axis=1")
def ptp(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The range, largest minus smallest."""
    return max_(a, axis, keepdims=keepdims) - min_(a, axis, keepdims=keepdims)


def _position(compute: Callable, a: Any, axis: Any, keepdims: bool) -> Tensor:
    a = tensor(a)
    if a.dtype.is_bool:
        a = cast(a, int64)
    rank = len(a.shape)
    found = compute(ravel(a), axis=0, dtype=int64.np) if axis is None else compute(a, axis=one_axis(axis, rank), dtype=int64.np)
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
    return _reduced(ops.reduce_all, _nonzero(a), axis, keepdims)


@like_numpy("[[True, False], [False, False]], axis=0")
def any_(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """Is any element true (not zero)?"""
    return _reduced(ops.reduce_any, _nonzero(a), axis, keepdims)


@like_numpy("[[0, 1], [2, 3]], axis=0")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """How many elements are not zero."""
    return _reduced(ops.reduce_sum, cast(_nonzero(a), int64), axis, keepdims)


def _nonzero(a: Any) -> Tensor:
    a = tensor(a)
    return a if a.dtype is bool_ else ops.not_equal(a, tensor(0, a.dtype))


# ---- without NaN


def _filled(a: Any, value: float) -> tuple[Tensor, Tensor]:
    a = tensor(a)
    missing = isnan(a)
    return ops.where(missing, tensor(value, a.dtype), a) if a.dtype.is_inexact else a, missing


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nansum(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The sum, NaN counted as 0."""
    return sum_(_filled(a, 0)[0], axis, dtype, keepdims=keepdims)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The product, NaN counted as 1."""
    return prod(_filled(a, 1)[0], axis, dtype, keepdims=keepdims)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The mean of the elements that are not NaN."""
    filled, missing = _filled(a, 0)
    total = sum_(filled, axis, dtype, keepdims=keepdims)
    total = cast(total, floating(total.dtype))
    return total / cast(_reduced(ops.reduce_sum, cast(ops.logical_not(missing), int64), axis, keepdims), total.dtype)


@like_numpy("[[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]], axis=0")
def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The variance of the elements that are not NaN."""
    filled, missing = _filled(a, 0)
    filled = cast(filled, numpy_dtype(dtype) or floating(filled.dtype))
    distance = ops.where(missing, ops.zeros_like(filled), filled - nanmean(a, axis, keepdims=True))
    count = cast(_reduced(ops.reduce_sum, cast(ops.logical_not(missing), int64), axis, keepdims), filled.dtype)
    return _reduced(ops.reduce_sum, ops.square(distance), axis, keepdims) / (count - float(ddof))


@like_numpy("[[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]], axis=0")
def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation of the elements that are not NaN."""
    return ops.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims))


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanmax(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The largest element that is not NaN."""
    return max_(_filled(a, -np.inf)[0], axis, keepdims=keepdims)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanmin(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The smallest element that is not NaN."""
    return min_(_filled(a, np.inf)[0], axis, keepdims=keepdims)


# ---- quantiles


@like_numpy(_MATRIX + ", axis=1")
def median(a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False) -> Tensor:
    """The middle value over axes."""
    return quantile(a, 0.5, axis, keepdims=keepdims)


@like_numpy(_MATRIX + ", [10, 75], axis=1")
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """Quantiles in percent."""
    return quantile(a, promoted(q, inexact=float64)[0] / 100.0, axis, method=method, keepdims=keepdims)


@like_numpy(_MATRIX + ", [0.1, 0.75], axis=1")
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The value below which a part `q` of the elements lies, interpolated between its neighbours."""
    (a,) = promoted(a, inexact=float64)
    taken = axes(axis, len(a.shape))
    kept = tuple(i for i in range(len(a.shape)) if i not in taken)
    rows = reshape(ops.transpose(a, perm=(*kept, *taken)), (*[a.shape[i] for i in kept], -1))
    ordered = ops.sort(rows, descending=False)
    at = tensor(q, float64) * (rows.shape[-1] - 1.0)
    below = ops.floor(at)
    index = cast(below, int64)
    low, high = (_last(ordered, k) for k in (index, ops.minimum(index + 1, rows.shape[-1] - 1)))
    above = cast(at > below, float64)
    rules = {
        "linear": at - below, "lower": ops.zeros_like(at), "higher": above, "midpoint": above * 0.5, "nearest": ops.round(at) - below,
    }  # fmt: skip
    if method not in rules:
        raise ValueError(f"method={method!r} is not one of {', '.join(rules)}.")
    between = low + (high - low) * cast(rules[method], a.dtype)
    found = moveaxis(between, tuple(range(len(kept), len(between.shape))), tuple(range(len(at.shape))))
    if not keepdims:
        return found
    return ops.reshape(found, shape=(*at.shape, *(1 if i in taken else d for i, d in enumerate(a.shape))))


def _last(x: Tensor, index: Tensor) -> Tensor:
    return ops.take(x, index, axis=len(x.shape) - 1)


# ---- running


def _running(compute: Callable, a: Any, axis: Any, dtype: Any) -> Tensor:
    a = _accumulating(tensor(a), dtype)
    if axis is None:
        a, axis = ravel(a), 0
    return compute(a, axis=one_axis(axis, len(a.shape)), exclusive=False, reverse=False)


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
    if axis is None and len(x.shape) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    axis = one_axis(0 if axis is None else axis, len(x.shape))
    found = running(x, axis, dtype)
    if not include_initial:
        return found
    first = tensor(np.full([1 if i == axis else d for i, d in enumerate(x.shape)], initial), found.dtype)
    return ops.concat(first, found, axis=axis)


@like_numpy("[1.0, 2.0, 3.0], include_initial=True")
def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None, include_initial: bool = False) -> Tensor:
    """The running sum, with a 0 in front if wanted."""
    return _with_initial(cumsum, x, axis, dtype, include_initial, 0)


@like_numpy("[1.0, 2.0, 3.0], include_initial=True")
def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None, include_initial: bool = False) -> Tensor:
    """The running product, with a 1 in front if wanted."""
    return _with_initial(cumprod, x, axis, dtype, include_initial, 1)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=1")
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Tensor:
    """The running sum, NaN counted as 0."""
    return cumsum(_filled(a, 0)[0], axis, dtype)


@like_numpy(_MATRIX + ", axis=1")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours along an axis, `n` times."""
    a = tensor(a)
    axis = one_axis(axis, len(a.shape))
    ends = [None if e is None else _edge(tensor(e, a.dtype), a, axis) for e in (prepend, append)]
    parts = [p for p in (ends[0], a, ends[1]) if p is not None]
    if len(parts) > 1:
        a = ops.concat(*parts, axis=axis)
    for _ in range(n):
        head, tail = (ops.getitem(a, index=(*[(None, None, None)] * axis, s)) for s in ((1, None, None), (None, -1, None)))
        a = ops.not_equal(head, tail) if a.dtype.is_bool else head - tail
    return a


def _edge(value: Tensor, a: Tensor, axis: int) -> Tensor:
    return (
        value if len(value.shape) else ops.broadcast_to(value, shape=tuple(1 if i == axis else d for i, d in enumerate(a.shape)))
    )


@like_numpy("[1.0, 2.0, 4.0], dx=0.5")
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral by the trapezoidal rule."""
    (y,) = promoted(y, inexact=float64)
    axis = one_axis(axis, len(y.shape))
    part = lambda s: ops.getitem(y, index=(*[(None, None, None)] * axis, s))
    width = tensor(dx, y.dtype)
    if x is not None:
        width = diff(tensor(x, result_type(x, y)), axis=-1 if len(tensor(x).shape) == 1 else axis)
        if len(width.shape) == 1:
            width = reshape(width, tuple(-1 if i == axis else 1 for i in range(len(y.shape))))
    return sum_(width * (part((1, None, None)) + part((None, -1, None))) * 0.5, axis)
