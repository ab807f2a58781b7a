"""Arithmetic: sums, products, quotients, powers; the operators of a tensor."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.dtypes import FLOATING, INEXACT, NATIVE, NUMERIC, REAL, SIGNED
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.fitting import check_same
from tapeflow.core.primitive import CUT, DIAGONAL, primitive
from tapeflow.ops.families import broadcasting, elementwise, scalar_op

from .safe import safe_product

# ---- sums and products

add = broadcasting(
    "add(a, b)",
    kernel=scalar_op(operator.add, "add"),
    vjp={"a": lambda g: g, "b": lambda g: g},
    clash=InvalidArgumentError,
)
sub = broadcasting(
    "sub(a, b)",
    kernel=scalar_op(operator.sub, "subtract"),
    vjp={"a": lambda g: g, "b": lambda g: -g},
    neutral={"b": 0},
)
mul = broadcasting(
    "mul(a, b)", kernel=scalar_op(operator.mul, "multiply"), vjp={"a": lambda g, b: g * b, "b": lambda g, a: g * a},
    zero="a b", neutral={"a": 1, "b": 1},
)  # fmt: skip
neg = elementwise("neg(x)", kernel=scalar_op(operator.neg, "negative"), vjp=lambda g: -g, dtypes=SIGNED)


def _add_n(xp, *xs):
    if len(xs) == 1:
        return xs[0]
    if (
        xs[0].dtype == np.float16 and len(xs) > 2
    ):  # adding halves to halves loses everything beyond a few thousand terms
        return _add_n(xp, *[x.astype(np.float32) for x in xs]).astype(np.float16)
    total = xs[0] + xs[1]
    for x in xs[2:]:
        total = total + x if total.ndim == 0 else xp.add(total, x, out=total) if xp is np else xp.add(total, x)
    return total


def _add_n_rows(op, args, batched, params):
    """What is the same for all rows is added up once."""
    total = op(*[x for x, b in zip(args, batched) if b])
    return total if all(batched) else total + op(*[x for x, b in zip(args, batched) if not b])


def _add_n_shape(*xs):
    check_same("Inputs of add_n", *[x.shape for x in xs])
    return xs[0]


# Tensors of one shape, without an intermediate result for each.
add_n = primitive(
    "add_n(*xs)", kernel=_add_n, shape=_add_n_shape, vjp=lambda g: g, jvp=DIAGONAL, batch=_add_n_rows, dtypes=NUMERIC
)


# ---- quotients

div = broadcasting(
    "div(a, b)",
    kernel=scalar_op(operator.truediv, "true_divide"),
    vjp={"a": lambda ops, g, b: ops.safe_div(g, b), "b": lambda ops, g, b, y: -ops.safe_mul(g, y / b)},
    dtypes=INEXACT,
    zero="a",
    neutral={"b": 1},
)


def _no_zero_divisor(a, b):
    if b.dtype.kind in "iu" and not (b.all() if b.ndim else b) and a.size:
        raise invalid(
            "Integer division by zero. Integers have no infinity: cast to a floating dtype, or mask the divisor with "
            "tf.where."
        )


def _floordiv(a, b):
    _no_zero_divisor(a, b)
    return a // b if b.dtype.kind in "iuO" else np.floor(a / b)  # objects: sizes that are not known


def _floormod(a, b):
    _no_zero_divisor(a, b)
    return np.remainder(a, b)


def _truncatediv(a, b):
    _no_zero_divisor(a, b)
    if b.dtype.kind not in "iu":
        return np.trunc(a / b)
    quotient = a // b
    return quotient + ((quotient < 0) & (quotient * b != a)).astype(quotient.dtype)


def _truncatemod(a, b):
    _no_zero_divisor(a, b)
    return np.fmod(a, b)


# floor* rounds the quotient down, truncate* towards zero; the remainder belongs to that.
floordiv = broadcasting(
    "floordiv(a, b)", kernel={"numpy": _floordiv, "jax": "math.arithmetic.floordiv"}, vjp=CUT, dtypes=REAL
)
floormod = broadcasting(
    "floormod(a, b)",
    kernel={"numpy": _floormod, "jax": "math.arithmetic.floormod"},
    vjp={"a": lambda g: g, "b": lambda ops, g, a, b: -ops.safe_mul(g, ops.floordiv(a, b))},
    dtypes=REAL,
)
truncatediv = broadcasting(
    "truncatediv(a, b)", kernel={"numpy": _truncatediv, "jax": "math.arithmetic.truncatediv"}, vjp=CUT, dtypes=REAL
)
truncatemod = broadcasting(
    "truncatemod(a, b)",
    kernel={"numpy": _truncatemod, "jax": "math.arithmetic.truncatemod"},
    vjp={"a": lambda g: g, "b": lambda ops, g, a, b: -ops.safe_mul(g, ops.truncatediv(a, b))},
    dtypes=REAL,
)


def _divide_no_nan(xp, a, b):
    zero = b == 0
    quotient = a / xp.where(zero, b.dtype.type(1), b)
    return xp.where(zero, quotient.dtype.type(0), quotient)


# a / b, but 0 where `b` is 0.
divide_no_nan = broadcasting(
    "divide_no_nan(a, b)",
    kernel=_divide_no_nan,
    vjp={
        "a": lambda ops, g, b: ops.divide_no_nan(g, b),
        "b": lambda ops, g, b, y: -ops.safe_mul(g, ops.divide_no_nan(y, b)),
    },
    dtypes=INEXACT,
)

reciprocal = elementwise(
    "reciprocal(x)",
    kernel=lambda xp, x: 1 / x,
    vjp=lambda ops, g, y: -ops.safe_mul(g, ops.safe_mul(y, y)),
    makes_new=True,
)


# ---- powers

square = elementwise(
    "square(x)", kernel=lambda xp, x: x * x, vjp=lambda g, x: g * (x + x), dtypes=NUMERIC, makes_new=True
)
sqrt = elementwise("sqrt(x)", kernel="sqrt", vjp=lambda ops, g, y: ops.safe_div(g, y + y))
rsqrt = elementwise(
    "rsqrt(x)",
    kernel=lambda xp, x: 1 / xp.sqrt(x),
    vjp=lambda ops, g, y: ops.safe_mul(g * -0.5, ops.safe_mul(y, ops.safe_mul(y, y))),
    makes_new=True,
)

_NEGATIVE_POWER = (
    "Integers to negative integer powers are not allowed: the result would be a fraction. Cast the "
    "base to a floating dtype."
)


def _over(a, power):
    if a.dtype.kind in "iu":
        raise invalid(_NEGATIVE_POWER)
    return 1 / power


# NumPy's power takes 60 ns an element whatever the exponent; products and roots take less than one.
_FAST_POWERS: dict[float, Callable[..., Any]] = {
    0: lambda a: np.ones(a.shape, a.dtype),
    1: lambda a: a,
    2: lambda a: a * a,
    3: lambda a: a * a * a,
    4: lambda a: np.square(a * a),
    0.5: np.sqrt,
    1.5: lambda a: a * np.sqrt(a),
    -0.5: lambda a: 1 / np.sqrt(a),
    -1: lambda a: _over(a, a),
    -2: lambda a: _over(a, a * a),
}


def _pow(a, b):
    if b.ndim == 0:
        fast = _FAST_POWERS.get(b.item())
        if fast is not None:
            return fast(a)
    if b.dtype.kind == "i" and (b < 0).any():
        raise invalid(_NEGATIVE_POWER)
    return np.power(a, b)


def _pow_slope(a, b):
    if b.ndim == 0:
        exponent = b.item()
        if exponent == 2:
            return a + a
        if exponent == 0:
            return np.zeros(a.shape, a.dtype)
        return b * _pow(a, b - 1)
    return safe_product(b, np.power(a, b - 1))


def _log_of_positive(ops, a, a_dtype):
    """log(a), and 0 where a has no real logarithm."""
    return ops.where(ops.not_equal(a, 0) if a_dtype.kind == "c" else a > 0, ops.log(a), ops.zeros_like(a))


pow_ = broadcasting(
    "pow(a, b)",
    kernel={"numpy": _pow, "jax": "math.arithmetic.power"},
    vjp={
        "a": lambda ops, g, a, b: ops.safe_mul(g, ops.pow_slope(a, b)),
        "b": lambda ops, g, a, a_dtype, y: ops.safe_mul(g, y * _log_of_positive(ops, a, a_dtype)),
    },
)

# The derivative of a**b with respect to a: b * a**(b-1), and 0 where b is 0, also at a = 0.
pow_slope = broadcasting(
    "pow_slope(a, b)",
    kernel={"numpy": _pow_slope, "jax": "math.arithmetic.pow_slope"},
    vjp={
        "a": lambda ops, g, a, b: ops.safe_mul(g, ops.safe_mul(b, ops.pow_slope(a, b - 1))),
        "b": lambda ops, g, a, a_dtype, b, y: ops.safe_mul(
            g, ops.pow(a, b - 1) + y * _log_of_positive(ops, a, a_dtype)
        ),
    },
    dtypes=INEXACT,
)


# ---- larger, smaller, and other functions of two numbers

# At a tie the first argument gets the whole gradient; where either is NaN, the second does.
maximum = broadcasting(
    "maximum(a, b)",
    kernel="maximum",
    vjp={
        "a": lambda ops, g, a, b: ops.masked(g, a >= b),
        "b": lambda ops, g, a, b: ops.masked(g, ops.logical_not(a >= b)),
    },
    dtypes=REAL,
    moves=True,
)
minimum = broadcasting(
    "minimum(a, b)",
    kernel="minimum",
    vjp={
        "a": lambda ops, g, a, b: ops.masked(g, a <= b),
        "b": lambda ops, g, a, b: ops.masked(g, ops.logical_not(a <= b)),
    },
    dtypes=REAL,
    moves=True,
)

atan2 = broadcasting(
    "atan2(a, b)",
    kernel="arctan2",
    vjp={
        "a": lambda ops, g, a, b: ops.safe_mul(g, b / (a * a + b * b)),
        "b": lambda ops, g, a, b: -ops.safe_mul(g, a / (a * a + b * b)),
    },
    dtypes=FLOATING,
)

# Slope 0 at the origin.
hypot = broadcasting(
    "hypot(a, b)",
    kernel="hypot",
    vjp={"a": lambda ops, g, a, y: g * ops.divide_no_nan(a, y), "b": lambda ops, g, b, y: g * ops.divide_no_nan(b, y)},
    dtypes=FLOATING,
)


def _share(ops, a, b):
    """exp(a) / (exp(a) + exp(b)): one half at a tie, also of infinities."""
    return ops.sigmoid(ops.where(ops.equal(a, b), ops.zeros_like(a - b), a - b))


logaddexp = broadcasting(
    "logaddexp(a, b)",
    kernel="logaddexp",
    vjp={"a": lambda ops, g, a, b: g * _share(ops, a, b), "b": lambda ops, g, a, b: g * _share(ops, b, a)},
    dtypes=FLOATING,
)

# The next number after `a` in the direction of `b`: moves with a, not with b. Not of dtypes that are computed in
# float32, whose next number is another one, and rounded back: that gave `a` itself.
nextafter = broadcasting(
    "nextafter(a, b)",
    kernel="nextafter",
    vjp={"a": lambda g: g, "b": lambda ops, g: ops.zeros_like(g)},
    dtypes=FLOATING & NATIVE,
)
