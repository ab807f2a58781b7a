"""Reductions that leave out NaN, and quantiles."""

from typing import Any

import numpy as np

from tapeflow.api.interop.promotion import cast, floating, promoted, tensor
from tapeflow.core.dtypes import float64, int64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .elementwise import isnan
from .reductions import max_, min_, prod, reduced, sum_
from .registry import axes, like_numpy, numpy_dtype
from .shaping import moveaxis, reshape

_MATRIX = "[[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]]"

# ---- without NaN


def nan_replaced(a: Any, value: float) -> tuple[Tensor, Tensor]:
    a = tensor(a)
    missing = isnan(a)
    return ops.where(missing, tensor(value, a.dtype), a) if a.dtype.is_inexact else a, missing


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nansum(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The sum, NaN counted as 0."""
    return sum_(nan_replaced(a, 0)[0], axis, dtype, keepdims=keepdims)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The product, NaN counted as 1."""
    return prod(nan_replaced(a, 1)[0], axis, dtype, keepdims=keepdims)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The mean of the elements that are not NaN."""
    filled, missing = nan_replaced(a, 0)
    total = sum_(filled, axis, dtype, keepdims=keepdims)
    total = cast(total, floating(total.dtype))
    return total / cast(reduced(ops.reduce_sum, cast(ops.logical_not(missing), int64), axis, keepdims), total.dtype)


@like_numpy("[[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]], axis=0")
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0, keepdims: bool = False
) -> Tensor:
    """The variance of the elements that are not NaN."""
    filled, missing = nan_replaced(a, 0)
    filled = cast(filled, numpy_dtype(dtype) or floating(filled.dtype))
    distance = ops.where(missing, ops.zeros_like(filled), filled - nanmean(a, axis, keepdims=True))
    count = cast(reduced(ops.reduce_sum, cast(ops.logical_not(missing), int64), axis, keepdims), filled.dtype)
    return reduced(ops.reduce_sum, ops.square(distance), axis, keepdims) / (count - float(ddof))


@like_numpy("[[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]], axis=0")
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0, keepdims: bool = False
) -> Tensor:
    """The standard deviation of the elements that are not NaN."""
    return ops.length(nanvar(a, axis, dtype, None, ddof, keepdims))


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanmax(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The largest element that is not NaN."""
    return max_(nan_replaced(a, -np.inf)[0], axis, keepdims=keepdims)


@like_numpy("[[1.0, np.nan], [3.0, 4.0]], axis=0")
def nanmin(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The smallest element that is not NaN."""
    return min_(nan_replaced(a, np.inf)[0], axis, keepdims=keepdims)


# ---- quantiles


@like_numpy(_MATRIX + ", axis=1")
def median(
    a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Tensor:
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
    """Quantiles in percent.

    Args:
        q: From 0 to 100.
        method: Between two elements: `linear`, `lower`, `higher`, `midpoint` or `nearest`.
    """
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
    """The value below which a part `q` of the elements lies, interpolated between its neighbours.

    Args:
        q: From 0 to 1.
        method: Between two elements: `linear`, `lower`, `higher`, `midpoint` or `nearest`.
    """
    (a,) = promoted(a, inexact=float64)
    taken = axes(axis, len(a.sizes))
    kept = tuple(i for i in range(len(a.sizes)) if i not in taken)
    rows = reshape(ops.transpose(a, perm=(*kept, *taken)), (*[a.sizes[i] for i in kept], -1))
    if rows.sizes[-1] == 0:
        rows = (
            ops.zeros_like(ops.reduce_sum(rows, axis=(len(kept),), keepdims=True)) + np.nan
        )  # of nothing, as NumPy's
    ordered = ops.sort(rows, descending=False)
    at = tensor(q, float64) * (rows.sizes[-1] - 1.0)
    below = ops.floor(at)
    index = cast(below, int64)
    low, high = (_last(ordered, k) for k in (index, ops.minimum(index + 1, rows.sizes[-1] - 1)))
    above = cast(at > below, float64)
    rules = {
        "linear": at - below, "lower": ops.zeros_like(at), "higher": above, "midpoint": above * 0.5,
        "nearest": ops.round(at) - below,
    }  # fmt: skip
    if method not in rules:
        raise ValueError(f"method={method!r} is not one of {', '.join(rules)}.")
    between = low + (high - low) * cast(rules[method], a.dtype)
    found = moveaxis(between, tuple(range(len(kept), len(between.sizes))), tuple(range(len(at.sizes))))
    if not keepdims:
        return found
    return ops.reshape(found, shape=(*at.sizes, *(1 if i in taken else d for i, d in enumerate(a.sizes))))


def _last(x: Tensor, index: Tensor) -> Tensor:
    return ops.take(x, index, axis=len(x.sizes) - 1)
