"""Functions of one number, applied to every element."""

from math import log as _log

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.ops.families import elementwise, step

# ---- exponentials and logarithms

# An exponential that overflows has an infinite slope; hence the safe products (see `safe`).
exp = elementwise("exp(x)", kernel="exp", vjp=lambda ops, g, y: ops.safe_mul(g, y))
expm1 = elementwise("expm1(x)", kernel="expm1", vjp=lambda ops, g, x: ops.safe_mul(g, ops.exp(x)))
exp2 = elementwise("exp2(x)", kernel="exp2", vjp=lambda ops, g, y: ops.safe_mul(g, y * _log(2)), dtypes=FLOATING)


def _log_domain(x):
    if x.dtype.kind == "c":
        return x
    outside = x < 0
    return np.where(outside, x.dtype.type("nan"), x) if outside.any() else x


log = elementwise("log(x)", kernel="log", vjp=lambda ops, g, x: ops.safe_div(g, ops.log_domain(x)))
log1p = elementwise("log1p(x)", kernel="log1p", vjp=lambda ops, g, x: ops.safe_div(g, ops.log_domain(x + 1)))

# Of their own, because log(1000) / log(10) is less than 3.
log2 = elementwise("log2(x)", kernel="log2", vjp=lambda ops, g, x: ops.safe_div(g, ops.log_domain(x) * _log(2)))
log10 = elementwise("log10(x)", kernel="log10", vjp=lambda ops, g, x: ops.safe_div(g, ops.log_domain(x) * _log(10)))

# x, but NaN where it has no logarithm: a value of NaN is not followed by a gradient that looks fine.
log_domain = elementwise(
    "log_domain(x)", kernel={"numpy": _log_domain, "jax": "math.elementwise.log_domain"}, vjp=lambda g: g
)

# The third root, of negative numbers, too.
cbrt = elementwise("cbrt(x)", kernel="cbrt", vjp=lambda ops, g, y: ops.safe_div(g, 3 * y * y), dtypes=FLOATING)

# ---- trigonometry

sin = elementwise("sin(x)", kernel="sin", vjp=lambda ops, g, x: g * ops.cos(x))
cos = elementwise("cos(x)", kernel="cos", vjp=lambda ops, g, x: -(g * ops.sin(x)))
tan = elementwise("tan(x)", kernel="tan", vjp=lambda g, y: g * (y * y + 1))


def _cos_of_asin(ops, x, x_dtype):
    """sqrt(1 - x²). Complex numbers beyond ±1 lie on a cut, where the sign of a zero imaginary part decides; this
    keeps it."""
    return ops.sqrt(-(x - 1)) * ops.sqrt(x + 1) if x_dtype.kind == "c" else ops.sqrt(1 - x * x)


asin = elementwise(
    "asin(x)", kernel="arcsin", vjp=lambda ops, g, x, x_dtype: ops.safe_div(g, _cos_of_asin(ops, x, x_dtype))
)
acos = elementwise(
    "acos(x)", kernel="arccos", vjp=lambda ops, g, x, x_dtype: -ops.safe_div(g, _cos_of_asin(ops, x, x_dtype))
)
atan = elementwise("atan(x)", kernel="arctan", vjp=lambda ops, g, x: ops.safe_div(g, x * x + 1))

# ---- hyperbolic functions

sinh = elementwise("sinh(x)", kernel="sinh", vjp=lambda ops, g, x: ops.safe_mul(g, ops.cosh(x)))
cosh = elementwise("cosh(x)", kernel="cosh", vjp=lambda ops, g, x: ops.safe_mul(g, ops.sinh(x)))
tanh = elementwise("tanh(x)", kernel="tanh", vjp=lambda g, y: g * (1 - y * y))
asinh = elementwise("asinh(x)", kernel="arcsinh", vjp=lambda ops, g, y: ops.safe_div(g, ops.cosh(y)))
acosh = elementwise("acosh(x)", kernel="arccosh", vjp=lambda ops, g, y: ops.safe_div(g, ops.sinh(y)))
atanh = elementwise("atanh(x)", kernel="arctanh", vjp=lambda ops, g, x: ops.safe_div(g, 1 - x * x))


def _sigmoid(xp, x):
    return 1 / (1 + xp.exp(-x))


sigmoid = elementwise(
    "sigmoid(x)",
    kernel={"numpy": _sigmoid, "jax": _sigmoid, "native": "nn.activations.sigmoid"},
    vjp=lambda g, y: g * (y * (1 - y)),
    makes_new=True,
)

# ---- steps: flat almost everywhere, so no gradient passes (sign, as in TensorFlow, passes zeros)

floor = step("floor(x)", kernel="floor")
ceil = step("ceil(x)", kernel="ceil")
round_ = step("round(x)", kernel="rint")
