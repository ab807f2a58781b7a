"""Quantiles, reductions that leave out NaN, correlations."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .common import axes, cast, common, floating, numpy_function, ordered_axes, tensor
from .reductions import accumulating, argmax, argmin, running

_POSITIONS: dict[str, Callable] = {
    "linear": lambda at, below: at - below,
    "lower": lambda at, below: ops.zeros_like(at),
    "higher": lambda at, below: ops.ceil(at) - below,
    "midpoint": lambda at, below: (ops.ceil(at) - below) * 0.5,
    "nearest": lambda at, below: ops.round(at) - below,
}


def _quantile(x: Any, q: Any, axis: Any, method: str, keepdims: bool, without_nan: bool) -> Tensor:
    """Between two neighbours in the sorted rows, in which NaN comes last."""
    if method not in _POSITIONS:
        raise ValueError(f"method={method!r} is not one of {', '.join(_POSITIONS)}.")
    x = floating(x)
    q = tensor(q, x.dtype if x.dtype.size > 2 else tf.float32)
    taken = axes(axis, x.ndim)
    kept = tuple([i for i in range(x.ndim) if i not in taken])
    lead = [x.sizes[i] for i in kept]
    rows = tf.reshape(ops.transpose(x, perm=(*kept, *taken)), [*lead, math.prod([x.sizes[i] for i in taken])])
    ordered = ops.sort(rows, descending=False)
    bad = ops.is_nan(rows)
    last = (
        tf.reduce_sum(tf.cast(~bad, tf.int32), -1, keepdims=True) - 1
        if without_nan
        else tensor(rows.sizes[-1] - 1, tf.int32)
    )
    at = tf.reshape(q, [-1]) * cast(last, q.dtype)
    below = ops.floor(at)
    first = tf.maximum(cast(below, tf.int32), 0)
    second = tf.maximum(tf.minimum(first + 1, last), 0)
    low, high = (
        ops.take_along(ordered, tf.broadcast_to(place, [*lead, place.sizes[-1]])) for place in (first, second)
    )
    part = cast(_POSITIONS[method](at, below), x.dtype)
    found = ops.where(
        ops.greater(part, 0), low + (high - low) * part, low
    )  # no inf - inf where `low` alone is asked for
    none = ops.less(last, 0) if without_nan else tf.reduce_any(bad, -1, keepdims=True)
    found = ops.where(none, tensor(np.nan, x.dtype), found)
    found = ops.transpose(found, perm=(len(lead), *range(len(lead))))
    shape = [1 if i in taken else d for i, d in enumerate(x.sizes)] if keepdims else lead
    return tf.reshape(found, [*q.sizes, *shape])


def quantile(x, q, axis=None, method="linear", keepdims=False):
    return _quantile(x, q, axis, method, keepdims, False)


def nanquantile(x, q, axis=None, method="linear", keepdims=False):
    return _quantile(x, q, axis, method, keepdims, True)


def _hundredth(q: Any) -> Any:
    return q / 100 if isinstance(q, (int, float)) else floating(q) / 100.0


def percentile(x, q, axis=None, method="linear", keepdims=False):
    return quantile(x, _hundredth(q), axis, method, keepdims)


def nanpercentile(x, q, axis=None, method="linear", keepdims=False):
    return nanquantile(x, _hundredth(q), axis, method, keepdims)


def median(x, axis=None, keepdims=False):
    return quantile(x, 0.5, axis, keepdims=keepdims)


def nanmedian(x, axis=None, keepdims=False):
    return nanquantile(x, 0.5, axis, keepdims=keepdims)


# ---- without NaN


def _filled(x: Any, value: float) -> tuple[Tensor, Tensor | None]:
    """With `value` in the place of NaN, and where it was; None where there cannot be any."""
    x = tensor(x)
    if not x.dtype.is_inexact:
        return x, None
    bad = numpy_function("isnan")(x)
    return ops.where(bad, tensor(value, x.dtype), x), bad


def nansum(x, axis=None, keepdims=False):
    x = accumulating(_filled(x, 0)[0])
    return ops.reduce_sum(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def nanprod(x, axis=None, keepdims=False):
    x = accumulating(_filled(x, 1)[0])
    return ops.reduce_prod(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def nanmean(x, axis=None, keepdims=False):
    x = floating(x)
    filled, bad = _filled(x, 0)
    where = ordered_axes(axis, x.ndim)
    count = ops.reduce_sum(cast(~bad, tf.int32), axis=where, keepdims=keepdims)
    return ops.reduce_sum(filled, axis=where, keepdims=keepdims) / cast(count, x.dtype)


def nanvar(x, axis=None, keepdims=False):
    x = floating(x)
    bad = numpy_function("isnan")(x)
    where = ordered_axes(axis, x.ndim)
    distance = ops.where(bad, ops.zeros_like(x), x - nanmean(x, axis, True))
    squares = ops.square(ops.abs(distance) if x.dtype.is_complex else distance)
    count = ops.reduce_sum(cast(~bad, tf.int32), axis=where, keepdims=keepdims)
    return ops.reduce_sum(squares, axis=where, keepdims=keepdims) / cast(count, squares.dtype)


def nanstd(x, axis=None, keepdims=False):
    return ops.sqrt(nanvar(x, axis, keepdims))


def _nan_extreme(x: Any, axis: Any, keepdims: bool, of_numbers: Callable, of_truths: Callable, worst: float) -> Tensor:
    filled, bad = _filled(x, worst)
    where = ordered_axes(axis, filled.ndim)
    if filled.dtype.is_bool:
        return of_truths(filled, axis=where, keepdims=keepdims)
    found = of_numbers(filled, axis=where, keepdims=keepdims)
    if bad is None:
        return found
    return ops.where(ops.reduce_all(bad, axis=where, keepdims=keepdims), tensor(np.nan, found.dtype), found)


def nanmax(x, axis=None, keepdims=False):
    return _nan_extreme(x, axis, keepdims, ops.reduce_max, ops.reduce_any, -np.inf)


def nanmin(x, axis=None, keepdims=False):
    return _nan_extreme(x, axis, keepdims, ops.reduce_min, ops.reduce_all, np.inf)


def _nan_place(x: Any, axis: Any, keepdims: bool, compute: Callable, worst: float) -> Tensor:
    """-1 where there is nothing but NaN."""
    filled, bad = _filled(x, worst)
    found = compute(filled, axis, keepdims)
    if bad is None:
        return found
    none = ops.reduce_all(bad, axis=ordered_axes(axis, filled.ndim), keepdims=keepdims)
    return ops.where(none, tensor(-1, tf.int32), found)


def nanargmax(x, axis=None, keepdims=False):
    return _nan_place(x, axis, keepdims, argmax, -np.inf)


def nanargmin(x, axis=None, keepdims=False):
    return _nan_place(x, axis, keepdims, argmin, np.inf)


def nancumsum(x, axis=None, dtype=None):
    return running(ops.cumsum, _filled(x, 0)[0], axis, dtype)


def nancumprod(x, axis=None, dtype=None):
    return running(ops.cumprod, _filled(x, 1)[0], axis, dtype)


# ---- correlations


def corrcoef(x):
    """Of the rows with each other; of a vector with itself, 1."""
    x = floating(x)
    rows = tf.reshape(x, [1, -1]) if x.ndim < 2 else x
    rows = rows - ops.reduce_mean(rows, axis=(1,), keepdims=True)
    turned = tf.transpose(rows, conjugate=rows.dtype.is_complex)
    covariance = ops.matmul(rows, turned)
    spread = ops.sqrt(numpy_function("real")(numpy_function("diagonal")(covariance)))
    found = covariance / cast(spread[:, None] * spread, covariance.dtype)
    return found if x.ndim > 1 else tf.reshape(found, [])


def correlate(x1, x2, mode="valid"):
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"mode={mode!r} is not one of full, valid, same.")
    a, b = common(x1, x2, also=(float,))
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"correlate takes two vectors, got shapes {tuple(a.shape)} and {tuple(b.shape)}.")
    full = numpy_function("convolve")(a, ops.flip(numpy_function("conjugate")(b), axis=(0,)), "full")
    n, m = a.sizes[0], b.sizes[0]
    if mode == "full":
        return full
    if mode == "valid":
        return full[min(n, m) - 1 : max(n, m)]
    start = (m - 1 if m <= n else n) // 2
    return full[start : start + max(n, m)]
