"""Elementwise functions of two tensors."""

from collections.abc import Callable

import numpy as np

from tapeflow.core.dtypes import bfloat16
from tapeflow.core.primitive import recorded as ops

from ..sparse_rules import KINDS, rule_of
from .common import alike, cast, common, counting, floating, named, numpy_function, result, takes_number, tensor


def _two(name: str, compute: Callable, *, also: tuple = (), of_truths: Callable | None = None) -> Callable:
    """`also=(float,)` makes numbers floating; `of_truths` computes with bool, which otherwise counts as 0 and 1."""

    primitive, rule = hasattr(compute, "primitive"), rule_of(name)

    def function(x1, x2):
        if alike(x1, x2) or primitive and (takes_number(x1, x2) or takes_number(x2, x1)):
            return compute(x1, x2)
        if type(x1) in KINDS or type(x2) in KINDS:
            return rule(function, x1, x2)
        a, b = common(x1, x2, also=also)
        if a.dtype.is_bool:
            return of_truths(a, b) if of_truths else compute(counting(a), counting(b))
        return compute(a, b)

    return named(function, name)


_INEXACT = (float,)

# ---- arithmetic

add = _two("add", ops.add, of_truths=ops.logical_or)
subtract = _two("subtract", ops.sub)
multiply = _two("multiply", ops.mul, of_truths=ops.logical_and)
divide = _two("divide", ops.div, also=_INEXACT)
true_divide = _two("true_divide", ops.div, also=_INEXACT)
divide_no_nan = _two("divide_no_nan", ops.divide_no_nan, also=_INEXACT)
floor_divide = _two("floor_divide", ops.floordiv)
mod = _two("mod", ops.floormod)
fmod = _two("fmod", ops.truncatemod)
power = _two("power", ops.pow)

# ---- extremes

maximum = _two("maximum", ops.maximum, of_truths=ops.logical_or)
minimum = _two("minimum", ops.minimum, of_truths=ops.logical_and)
fmax = _two("fmax", numpy_function("fmax"), of_truths=ops.logical_or)
fmin = _two("fmin", numpy_function("fmin"), of_truths=ops.logical_and)

# ---- special functions

arctan2 = _two("arctan2", ops.atan2, also=_INEXACT)
hypot = _two("hypot", ops.hypot, also=_INEXACT)
logaddexp = _two("logaddexp", ops.logaddexp, also=_INEXACT)
logaddexp2 = _two("logaddexp2", numpy_function("logaddexp2"), also=_INEXACT)
heaviside = _two("heaviside", numpy_function("heaviside"), also=_INEXACT)


def _next(a, b):
    """Of bfloat16 by its bits: other operations compute it in float32, where the next number is another one."""
    if a.dtype is not bfloat16:
        return ops.nextafter(a, b)
    away = ops.equal(ops.greater(b, a), ops.greater(a, 0))  # from zero: the bits count up
    bits = ops.bitcast(a, dtype=np.dtype(np.int16)) + ops.where(away, np.int16(1), np.int16(-1))
    least = ops.where(ops.greater(b, 0), np.int16(1), np.int16(-(2**15) + 1))
    found = ops.bitcast(ops.where(ops.equal(a, 0), least, bits), dtype=bfloat16.np)
    found = ops.where(ops.equal(a, b), b, found)
    return ops.where(ops.logical_or(ops.not_equal(a, a), ops.not_equal(b, b)), a + b, found)


nextafter = _two("nextafter", _next, also=_INEXACT)
gcd = _two("gcd", ops.gcd)
lcm = _two("lcm", ops.lcm)


def ldexp(x1, x2):
    """x1 · 2^x2, in two steps: 2^x2 alone may be out of range where the product is not."""
    x1, x2 = floating(x1), tensor(x2)
    if x2.dtype.is_inexact:
        raise TypeError(
            f"ldexp takes whole numbers as exponents, got dtype {x2.dtype.name}. Use x1 * 2.0**x2 for others."
        )
    dtype = result(x1.dtype.name, x2.dtype.name, float)
    half = ops.right_shift(counting(x2), 1) if x2.dtype.is_integer else counting(x2)
    rest = counting(x2) - half
    two = tensor(2.0, dtype)
    return cast(x1, dtype) * ops.pow(two, cast(half, dtype)) * ops.pow(two, cast(rest, dtype))


def clip(x, x_min, x_max):
    """Without one of the bounds (None) it is not clipped there."""
    bounds = [b for b in (x_min, x_max) if b is not None]
    if not bounds or not all(takes_number(x, b) for b in bounds):
        x, *bounds = map(counting, common(x, *bounds))
    if x_min is not None:  # two operations: one that also says what was clipped takes twice as long
        x = ops.maximum(x, bounds[0])
    return x if x_max is None else ops.minimum(x, bounds[-1])


# ---- comparisons


def _comparison(name: str, compute: Callable, of_truths: Callable | None = None) -> Callable:
    return _two(name, compute, of_truths=of_truths)


equal = _comparison("equal", ops.equal, ops.equal)
not_equal = _comparison("not_equal", ops.not_equal, ops.not_equal)
less = _comparison("less", ops.less)
less_equal = _comparison("less_equal", ops.less_equal)
greater = _comparison("greater", ops.greater)
greater_equal = _comparison("greater_equal", ops.greater_equal)


def isclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    return numpy_function("isclose")(*common(x1, x2, also=_INEXACT), rtol, atol, equal_nan)


def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    return numpy_function("allclose")(*common(x1, x2, also=_INEXACT), rtol, atol, equal_nan)


# ---- bits


def _bits(name: str, compute: Callable, of_truths: Callable | None = None) -> Callable:
    def function(x, y):
        a, b = common(x, y)
        if a.dtype.is_bool:
            return of_truths(a, b) if of_truths else compute(counting(a), counting(b))
        return compute(a, b)

    return named(function, name)


bitwise_and = _bits("bitwise_and", ops.bitwise_and, ops.logical_and)
bitwise_or = _bits("bitwise_or", ops.bitwise_or, ops.logical_or)
bitwise_xor = _bits("bitwise_xor", ops.bitwise_xor, ops.logical_xor)
bitwise_left_shift = _bits("bitwise_left_shift", ops.left_shift)
left_shift = _bits("left_shift", ops.left_shift)
bitwise_right_shift = _bits("bitwise_right_shift", ops.right_shift)
right_shift = _bits("right_shift", ops.right_shift)


def bitwise_invert(x):
    x = tensor(x)
    return ops.logical_not(x) if x.dtype.is_bool else ops.bitwise_invert(x)


def bitwise_not(x):
    return bitwise_invert(x)
