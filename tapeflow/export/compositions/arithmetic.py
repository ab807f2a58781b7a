"""Functions of numbers, and reductions, as other primitives."""

import math
from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops


def _is_whole(x):
    return x.dtype.np.kind in "iu"


def _expm1(x):
    """tanh(x / 2) (exp(x) + 1): nothing cancels where x is small."""
    small = ops.abs(x) < 0.5
    inside = ops.where(small, x, ops.zeros_like(x))
    return ops.where(small, ops.tanh(inside * 0.5) * (ops.exp(inside) + 1), ops.exp(x) - 1)


def _log1p(x):
    """log(u) x / (u - 1) with the rounded u = 1 + x: its error cancels."""
    u = x + 1
    small = ops.logical_and(ops.abs(x) < 0.5, ops.not_equal(u, 1.0))
    safe = ops.where(small, u, ops.zeros_like(u) + 2)
    return ops.where(small, ops.log(safe) * x / (safe - 1), ops.where(ops.equal(u, 1.0), x, ops.log(u)))


def _hypot(a, b):
    a, b = ops.abs(a), ops.abs(b)
    large, small = ops.maximum(a, b), ops.minimum(a, b)
    ratio = ops.divide_no_nan(small, large)
    finite = large * ops.sqrt(ratio * ratio + 1)
    return ops.where(ops.logical_or(ops.is_inf(a), ops.is_inf(b)), ops.zeros_like(large) + np.inf, finite)


def _logaddexp(a, b):
    difference = ops.where(ops.equal(a, b), ops.zeros_like(a - b), a - b)
    return ops.maximum(a, b) + ops.log1p(ops.exp(-ops.abs(difference)))


def _floordiv(a, b):
    if not _is_whole(a):
        return ops.floor(a / b)
    quotient = ops.truncatediv(a, b)
    if a.dtype.np.kind == "u":
        return quotient
    inexact = ops.not_equal(quotient * b, a)
    below = ops.not_equal(ops.less(a, 0), ops.less(b, 0))
    return quotient - ops.cast(ops.logical_and(inexact, below), dtype=a.dtype.np)


def _floormod(a, b):
    if _is_whole(a):
        return a - ops.floordiv(a, b) * b
    rest = ops.truncatemod(a, b)
    turned = ops.logical_and(ops.not_equal(rest, 0.0), ops.not_equal(ops.less(rest, 0.0), ops.less(b, 0.0)))
    return ops.where(turned, rest + b, rest)


def _divide_no_nan(a, b):
    zero = ops.equal(b, 0.0)
    quotient = a / ops.where(zero, ops.zeros_like(b) + 1, b)
    return ops.where(zero, ops.zeros_like(quotient), quotient)


def _atan2(a, b):
    """The angle between -pi/4 and pi/4 whose tangent is the smaller over the larger, turned by what the signs say."""
    y, x = ops.abs(a), ops.abs(b)
    infinite = ops.logical_and(ops.is_inf(y), ops.is_inf(x))
    ratio = ops.divide_no_nan(ops.minimum(x, y), ops.maximum(x, y))
    angle = ops.atan(ops.where(infinite, ops.zeros_like(ratio) + 1, ratio))
    angle = ops.where(y > x, math.pi / 2 - angle, angle)
    negative = lambda z: ops.logical_or(z < 0, ops.less(ops.reciprocal(z), 0.0))  # of a zero, too
    angle = ops.where(negative(b), math.pi - angle, angle)
    return ops.where(negative(a), -angle, angle)


def _clip(x, low, high):
    capped = ops.minimum(x, high)
    y = ops.maximum(capped, low)
    shaped = lambda mask: ops.logical_and(mask, ops.equal(ops.zeros_like(y), 0))
    below = shaped(capped < low)
    above = ops.logical_and(shaped(x > high), ops.logical_not(below))
    return y, shaped(ops.logical_and(x >= low, x <= high)), below, above


def _unless_zero(product, *factors):
    zero = ops.equal(factors[0], 0.0)
    for factor in factors[1:]:
        zero = ops.logical_or(zero, ops.equal(factor, 0.0))
    return ops.where(zero, ops.zeros_like(product), product)


def _add_n(*xs):
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    return ops.identity(total)


def _in_wider(composed):
    """Halves are added up as single precision."""

    def run(x, **params):
        if x.dtype.np.itemsize >= 4:
            return composed(x, **params)
        return ops.cast(composed(ops.cast(x, dtype=np.dtype(np.float32)), **params), dtype=x.dtype.np)

    return run


@_in_wider
def _variance(x, axis, keepdims):
    deviation = x - ops.reduce_mean(x, axis=axis, keepdims=True)
    return ops.reduce_mean(deviation * deviation, axis=axis, keepdims=keepdims)


@_in_wider
def _logsumexp(x, axis, keepdims):
    top = ops.reduce_max(x, axis=axis, keepdims=True)
    top = ops.where(ops.is_finite(top), top, ops.zeros_like(top))
    total = ops.reduce_sum(ops.exp(x - top), axis=axis, keepdims=keepdims)
    flat = top if keepdims else ops.reduce_max(top, axis=axis, keepdims=False)
    return ops.log(total) + flat


def _counted(reduction):
    """A reduction of truth values, by numbers."""

    def composed(x, axis, keepdims):
        number = ops.cast(x, dtype=np.dtype(np.int32))
        return ops.cast(getattr(ops, reduction)(number, axis=axis, keepdims=keepdims), dtype=np.dtype(bool))

    return composed


TABLE: dict[str, Any] = {
    "square": lambda x: x * x,
    "reciprocal": lambda x: (ops.zeros_like(x) + 1) / x,
    "rsqrt": lambda x: ops.reciprocal(ops.sqrt(x)),
    "length": lambda x: ops.sqrt(x),
    "expm1": _expm1,
    "log1p": _log1p,
    "exp2": lambda x: ops.pow(ops.zeros_like(x) + 2, x),
    "log2": lambda x: ops.log(x) * (1 / math.log(2)),
    "log10": lambda x: ops.log(x) * (1 / math.log(10)),
    "log_domain": lambda x: ops.where(x < 0, ops.zeros_like(x) + np.nan, x),
    "cbrt": lambda x: ops.sign(x) * ops.pow(ops.abs(x), 1 / 3),
    "hypot": _hypot,
    "logaddexp": _logaddexp,
    "floordiv": _floordiv,
    "floormod": _floormod,
    "divide_no_nan": _divide_no_nan,
    "atan2": _atan2,
    "clip": _clip,
    "safe_mul": lambda a, b: _unless_zero(a * b, a),
    "safe_div": lambda a, b: _unless_zero(a / b, a),
    "zero_mul": lambda a, b: _unless_zero(a * b, a, b),
    "masked": lambda x, keep: ops.where(keep, x, ops.zeros_like(x)),
    "pow_slope": lambda a, b: ops.safe_mul(b, ops.pow(a, b - 1)),
    "add_n": _add_n,
    "is_finite": lambda x: ops.less(ops.abs(x), np.inf),
    "is_inf": lambda x: ops.equal(ops.abs(x), np.inf),
    "is_nan": lambda x: ops.not_equal(x, x),
    "not_equal": lambda a, b: ops.logical_not(ops.equal(a, b)),
    "logical_xor": lambda a, b: ops.not_equal(a, b),
    "reduce_variance": _variance,
    "reduce_logsumexp": _logsumexp,
    "sum_squares": lambda x, axis, keepdims: ops.reduce_sum(x * x, axis=axis, keepdims=keepdims),
    "reduce_any": _counted("reduce_max"),
    "reduce_all": _counted("reduce_min"),
}
