"""Sums, means, extremes over axes, and running ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of

from .common import cast, common, counting, floating, numpy_function, one_axis, ordered_axes, tensor

_HALVES = (tf.float16, tf.bfloat16)
_WIDER = {"bool": tf.int32, "int8": tf.int32, "int16": tf.int32, "uint8": tf.uint32, "uint16": tf.uint32}


def accumulating(x: Any, dtype: Any = None) -> Tensor:
    """Small integers add up in 32 bits."""
    x = tensor(x)
    if dtype is None and x.dtype.kind == "f":
        return x
    return cast(x, _WIDER.get(x.dtype.name, x.dtype) if dtype is None else tf.as_dtype(dtype))


def in_single(compute: Callable, x: Tensor) -> Tensor:
    """Half precision computed in float32."""
    return cast(compute(cast(x, tf.float32)), x.dtype) if x.dtype in _HALVES else compute(x)


# ---- sums and means


def sum(x, axis=None, keepdims=False):
    x = accumulating(x)
    return ops.reduce_sum(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def prod(x, axis=None, keepdims=False, dtype=None):
    x = accumulating(x, dtype)
    return ops.reduce_prod(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def mean(x, axis=None, keepdims=False):
    x = floating(x)
    return ops.reduce_mean(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def var(x, axis=None, keepdims=False):
    x = floating(x)
    if x.dtype.is_complex:
        return numpy_function("var")(x, axis, keepdims=keepdims)
    where = ordered_axes(axis, x.ndim)
    return in_single(lambda x: ops.reduce_variance(x, axis=where, keepdims=keepdims), x)


def std(x, axis=None, keepdims=False):
    return ops.sqrt(var(x, axis, keepdims))


def average(x, axis=None, weights=None):
    if weights is None:
        return mean(x, axis)
    x, weights = common(x, weights, also=(float,))
    return numpy_function("average")(x, axis, weights)


def trace(x, offset=0, axis1=0, axis2=1):
    x = numpy_function("diagonal")(accumulating(x), offset, axis1, axis2)
    return ops.reduce_sum(x, axis=(x.ndim - 1,), keepdims=False)


# ---- extremes


def _extreme(
    x: Any, axis: Any, keepdims: bool, initial: Any, of_numbers: Callable, of_truths: Callable, pair: Callable
) -> Tensor:
    x = tensor(x)
    where = ordered_axes(axis, x.ndim)
    if initial is not None:  # one more element along the axes, which also serves where there are none
        start = tensor(initial, x.dtype)
        if not np.prod([x.sizes[a] for a in where]):
            kept = [d if i not in where else 1 for i, d in enumerate(x.sizes) if keepdims or i not in where]
            return ops.broadcast_to(start, shape=tuple(kept))
    if x.dtype.is_bool:
        found = of_truths(x, axis=where, keepdims=keepdims)
        return (
            found
            if initial is None
            else of_truths(
                tf.stack([found, ops.broadcast_to(start, shape=tuple(sizes_of(found)))]), axis=(0,), keepdims=False
            )
        )
    found = of_numbers(x, axis=where, keepdims=keepdims)
    return found if initial is None else pair(found, start)


def max(x, axis=None, keepdims=False, initial=None):
    return _extreme(x, axis, keepdims, initial, ops.reduce_max, ops.reduce_any, ops.maximum)


def min(x, axis=None, keepdims=False, initial=None):
    return _extreme(x, axis, keepdims, initial, ops.reduce_min, ops.reduce_all, ops.minimum)


def amax(x, axis=None, keepdims=False):
    return max(x, axis, keepdims)


def amin(x, axis=None, keepdims=False):
    return min(x, axis, keepdims)


def ptp(x, axis=None, keepdims=False):
    x = tensor(x)
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def _place(x: Any, axis: Any, keepdims: bool, compute: Callable) -> Tensor:
    x = counting(x)
    flat = x if axis is not None else tf.reshape(x, [-1])
    where = 0 if axis is None else one_axis(axis, x.ndim)
    found = compute(flat, axis=where, dtype=np.dtype("int32"))
    if not keepdims:
        return found
    return tf.reshape(found, [1 if axis is None or i == where else d for i, d in enumerate(x.sizes)])


def argmax(x, axis=None, keepdims=False):
    return _place(x, axis, keepdims, ops.argmax)


def argmin(x, axis=None, keepdims=False):
    return _place(x, axis, keepdims, ops.argmin)


# ---- along an axis


def running(compute: Callable, x: Any, axis: Any, dtype: Any) -> Tensor:
    x = counting(x) if dtype is None else tensor(x, tf.as_dtype(dtype))
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    return compute(x, axis=one_axis(axis, x.ndim), exclusive=False, reverse=False)


def cumsum(x, axis=None, dtype=None):
    return running(ops.cumsum, x, axis, dtype)


def cumprod(x, axis=None, dtype=None):
    return running(ops.cumprod, x, axis, dtype)


def diff(a, n=1, axis=-1):
    return numpy_function("diff")(tensor(a), n, axis)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = floating(y)
    if x is None:
        return numpy_function("trapezoid")(y, None, tensor(dx, y.dtype), axis)
    y, x = common(y, x, also=(float,))
    return numpy_function("trapezoid")(y, x, axis=axis)
