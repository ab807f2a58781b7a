"""Functions of every element: NumPy's ufuncs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.interop.promotion import cast, promoted, result_type, tensor
from tapeflow.core.dtypes import as_dtype, bool_, float64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .registry import like_numpy

# ---- one operand


def _floating(name: str, compute: Callable, *also: str, example: str = "[0.25, 0.5]") -> Callable:
    """A function that makes floats of integers first."""

    def function(x: Any, /) -> Tensor:
        return compute(promoted(x, inexact=True)[0])

    return _named(function, name, also, example)


def _numeric(name: str, compute: Callable, *also: str, example: str = "[-1.5, 2.5]") -> Callable:
    """A function that takes its operand as it is."""

    def function(x: Any, /) -> Tensor:
        return compute(tensor(x))

    return _named(function, name, also, example)


def _named(function: Callable, name: str, also: tuple, example: str) -> Callable:
    function.__name__, function.__module__ = name, __name__
    return like_numpy(example, *also)(function)


sin = _floating("sin", ops.sin)
cos = _floating("cos", ops.cos)
tan = _floating("tan", ops.tan)
arcsin = _floating("arcsin", ops.asin, "asin")
arccos = _floating("arccos", ops.acos, "acos")
arctan = _floating("arctan", ops.atan, "atan")
sinh = _floating("sinh", ops.sinh)
cosh = _floating("cosh", ops.cosh)
tanh = _floating("tanh", ops.tanh)
arcsinh = _floating("arcsinh", ops.asinh, "asinh")
arccosh = _floating("arccosh", ops.acosh, "acosh", example="[1.5, 2.5]")
arctanh = _floating("arctanh", ops.atanh, "atanh")
exp = _floating("exp", ops.exp)
exp2 = _floating("exp2", lambda x: ops.pow(tensor(2, x.dtype), x) if x.dtype.is_complex else ops.exp2(x))
expm1 = _floating("expm1", ops.expm1)
log = _floating("log", ops.log)
log1p = _floating("log1p", ops.log1p)
log2 = _floating("log2", ops.log2, example="[2.0, 8.0]")
log10 = _floating("log10", ops.log10, example="[10.0, 0.01]")
sqrt = _floating("sqrt", ops.sqrt, example="[4.0, 9.0]")
cbrt = _floating("cbrt", ops.cbrt, example="[-8.0, 27.0]")
deg2rad = _floating("deg2rad", lambda x: x * (np.pi / 180), "radians", example="[180.0, 90.0]")
rad2deg = _floating("rad2deg", lambda x: x * (180 / np.pi), "degrees")
rint = _floating("rint", ops.round, example="[0.5, 1.5, -2.7]")
fabs = _floating("fabs", ops.abs, example="[-2.0, 3.0]")


def _whole(compute: Callable) -> Callable:
    return lambda x: compute(x) if x.dtype.is_floating else x


def _trunc(x: Tensor) -> Tensor:
    return ops.where(ops.less(x, tensor(0, x.dtype)), ops.ceil(x), ops.floor(x))


floor = _numeric("floor", _whole(ops.floor))
ceil = _numeric("ceil", _whole(ops.ceil))
trunc = _numeric("trunc", _whole(_trunc), "fix")
negative = _numeric("negative", lambda x: ops.neg(x) if not x.dtype.is_unsigned else ops.sub(ops.zeros_like(x), x))
positive = _numeric("positive", ops.identity)
absolute = _numeric("absolute", lambda x: x if x.dtype.is_unsigned or x.dtype.is_bool else ops.abs(x), "abs")
square = _numeric("square", ops.square)
sign = _numeric("sign", ops.sign)
conjugate = _numeric(
    "conjugate", lambda x: ops.conj(x) if x.dtype.is_complex else ops.identity(x), "conj", example="[1 + 2j, 3.0]"
)
reciprocal = _numeric(
    "reciprocal", lambda x: ops.reciprocal(x) if x.dtype.is_inexact else ops.truncatediv(tensor(1, x.dtype), x)
)
isnan = _numeric("isnan", lambda x: _on_floats(ops.is_nan, x, False), example="[1.0, np.nan]")
isinf = _numeric("isinf", lambda x: _on_floats(ops.is_inf, x, False), example="[1.0, -np.inf]")
isfinite = _numeric("isfinite", lambda x: _on_floats(ops.is_finite, x, True), example="[1.0, np.inf]")
logical_not = _numeric("logical_not", lambda x: ops.logical_not(_truth(x)), example="[0.0, 2.0]")
invert = _numeric(
    "invert",
    lambda x: ops.logical_not(x) if x.dtype.is_bool else ops.bitwise_invert(x),
    "bitwise_not",
    "bitwise_invert",
    example="[1, -2]",
)
isneginf = _numeric("isneginf", lambda x: ops.equal(x, tensor(-np.inf, x.dtype)), example="[1.0, -np.inf]")
isposinf = _numeric("isposinf", lambda x: ops.equal(x, tensor(np.inf, x.dtype)), example="[1.0, np.inf]")


def _on_floats(compute: Callable, x: Tensor, otherwise: bool) -> Tensor:
    if x.dtype.is_complex:
        join = ops.logical_and if otherwise else ops.logical_or
        return join(compute(ops.real(x)), compute(ops.imag(x)))
    return compute(x) if x.dtype.is_floating else tensor(np.full(tuple(x.sizes), otherwise))


def _truth(x: Tensor) -> Tensor:
    return x if x.dtype.is_bool else ops.not_equal(x, tensor(0, x.dtype))


@like_numpy("[-1.0, -0.0, 2.0]")
def signbit(x: Any, /) -> Tensor:
    """Is the sign negative, also of zero?"""
    x = tensor(x)
    if not x.dtype.is_floating:
        return ops.less(x, tensor(0, x.dtype))
    return ops.logical_or(ops.less(x, tensor(0, x.dtype)), ops.less(ops.reciprocal(x), tensor(0, x.dtype)))


@like_numpy("[0.0, 0.5, 1.25]")
def sinc(x: Any, /) -> Tensor:
    """sin(pi x) / (pi x), which is 1 at 0, and so are its derivatives right there."""
    (x,) = promoted(x, inexact=True)
    at_zero = ops.equal(x, tensor(0, x.dtype))
    safe = ops.where(at_zero, tensor(1e-20 if x.dtype is float64 else 1e-6, x.dtype), x) * np.pi
    return ops.where(at_zero, 1.0 - ops.square(x * np.pi) / 6.0, ops.sin(safe) / safe)


@like_numpy("[1.0, np.nan, np.inf]")
def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """NaN replaced by 0, infinities by the largest numbers, or by what is given."""
    x = tensor(x)
    if not x.dtype.is_inexact:
        return x
    largest = as_dtype(x.dtype.real_dtype).max
    x = ops.where(isnan(x), tensor(nan, x.dtype), x)
    x = ops.where(isposinf(x), tensor(largest if posinf is None else posinf, x.dtype), x)
    return ops.where(isneginf(x), tensor(-largest if neginf is None else neginf, x.dtype), x)


@like_numpy("[1.2345, -2.5], 2", "around")
def round_(a: Any, decimals: int = 0, out: None = None) -> Tensor:
    """To `decimals` places, halves to the even one."""
    a = tensor(a)
    if a.dtype.is_complex:
        return ops.complex(round_(ops.real(a), decimals), round_(ops.imag(a), decimals))
    if not a.dtype.is_floating:
        return a
    return ops.round(a) if not decimals else ops.round(a * 10.0**decimals) / 10.0**decimals


@like_numpy("[1 + 2j, 3.0]")
def real(val: Any) -> Tensor:
    """The real part."""
    val = tensor(val)
    return ops.real(val) if val.dtype.is_complex else val


@like_numpy("[1 + 2j, 3.0]")
def imag(val: Any) -> Tensor:
    """The imaginary part; zeros for real numbers."""
    val = tensor(val)
    return ops.imag(val) if val.dtype.is_complex else ops.zeros_like(val)


@like_numpy("[1 + 2j, 3.0]")
def iscomplex(x: Any) -> Tensor:
    """Is the imaginary part not zero?"""
    part = imag(x)
    return ops.not_equal(part, tensor(0, part.dtype))


@like_numpy("[1 + 2j, 3.0]")
def isreal(x: Any) -> Tensor:
    """Is the imaginary part zero?"""
    return ops.logical_not(iscomplex(x))


@like_numpy("[1 + 1j, -2.0]")
def angle(z: Any, deg: bool = False) -> Tensor:
    """The argument of complex numbers, in radians, or in degrees."""
    (z,) = promoted(z, inexact=True)
    found = (
        ops.angle(z)
        if z.dtype.is_complex
        else ops.where(ops.less(z, tensor(0, z.dtype)), tensor(np.pi, z.dtype), ops.zeros_like(z))
    )
    return rad2deg(found) if deg else found


# ---- two operands


def _two(
    name: str, compute: Callable, *also: str, inexact: Any = False, example: str = "[1.5, -2.5], [2.0, 4.0]"
) -> Callable:
    def function(x1: Any, x2: Any, /) -> Tensor:
        a, b = promoted(x1, x2, inexact=inexact)
        return compute(a, b)

    return _named(function, name, also, example)


def _or_logical(compute: Callable, logical: Callable) -> Callable:
    return lambda a, b: logical(a, b) if a.dtype.is_bool else compute(a, b)


def _all(x: Tensor) -> tuple:
    return tuple(range(len(x.sizes)))


def _ignoring_nan(compute: Callable) -> Callable:
    return lambda a, b: ops.where(isnan(a), b, ops.where(isnan(b), a, compute(a, b)))


add = _two("add", _or_logical(ops.add, ops.logical_or))
subtract = _two("subtract", ops.sub)
multiply = _two("multiply", _or_logical(ops.mul, ops.logical_and))
divide = _two("divide", ops.div, "true_divide", inexact=float64)
floor_divide = _two("floor_divide", ops.floordiv)
remainder = _two("remainder", ops.floormod, "mod")
fmod = _two("fmod", ops.truncatemod)
power = _two("power", ops.pow, "pow", example="[1.5, 2.5], [2.0, 3.0]")
float_power = _two("float_power", lambda a, b: _as_double(ops.pow, a, b), example="[1.5, 2.5], [2.0, 3.0]")
maximum = _two("maximum", _or_logical(ops.maximum, ops.logical_or))
minimum = _two("minimum", _or_logical(ops.minimum, ops.logical_and))
fmax = _two("fmax", _ignoring_nan(ops.maximum), example="[1.0, np.nan], [2.0, 3.0]")
fmin = _two("fmin", _ignoring_nan(ops.minimum), example="[1.0, np.nan], [2.0, 3.0]")
arctan2 = _two("arctan2", ops.atan2, "atan2", inexact=True)
hypot = _two("hypot", ops.hypot, inexact=True)
logaddexp = _two("logaddexp", ops.logaddexp, inexact=True)
logaddexp2 = _two(
    "logaddexp2", lambda a, b: ops.logaddexp(a * np.log(2.0), b * np.log(2.0)) / np.log(2.0), inexact=True
)
nextafter = _two("nextafter", ops.nextafter, inexact=True)
copysign = _two("copysign", lambda a, b: ops.where(signbit(b), -ops.abs(a), ops.abs(a)), inexact=True)
heaviside = _two("heaviside", lambda a, b: _heaviside(a, b), inexact=True, example="[-1.0, 0.0, 2.0], 0.5")
equal = _two("equal", ops.equal, example="[1, 2], [1, 3]")
not_equal = _two("not_equal", ops.not_equal, example="[1, 2], [1, 3]")
less = _two("less", ops.less)
less_equal = _two("less_equal", ops.less_equal)
greater = _two("greater", ops.greater)
greater_equal = _two("greater_equal", ops.greater_equal)
bitwise_and = _two("bitwise_and", _or_logical(ops.bitwise_and, ops.logical_and), example="[6, 5], 3")
bitwise_or = _two("bitwise_or", _or_logical(ops.bitwise_or, ops.logical_or), example="[6, 5], 3")
bitwise_xor = _two("bitwise_xor", _or_logical(ops.bitwise_xor, ops.logical_xor), example="[6, 5], 3")
left_shift = _two("left_shift", ops.left_shift, "bitwise_left_shift", example="[6, 5], 3")
right_shift = _two("right_shift", ops.right_shift, "bitwise_right_shift", example="[6, 5], 1")
logical_and = _two("logical_and", lambda a, b: ops.logical_and(_truth(a), _truth(b)), example="[0, 1, 2], [1, 0, 3]")
logical_or = _two("logical_or", lambda a, b: ops.logical_or(_truth(a), _truth(b)), example="[0, 1, 0], [1, 0, 0]")
logical_xor = _two("logical_xor", lambda a, b: ops.logical_xor(_truth(a), _truth(b)), example="[0, 1, 2], [1, 0, 3]")


gcd = _two("gcd", ops.gcd, example="[12, 18], 8")
lcm = _two("lcm", ops.lcm, example="[4, 6], 10")


def _as_double(compute: Callable, a: Tensor, b: Tensor) -> Tensor:
    wide = result_type(a.dtype, float64)
    return compute(cast(a, wide), cast(b, wide))


def _heaviside(x: Tensor, at_zero: Tensor) -> Tensor:
    zero = tensor(0, x.dtype)
    return ops.where(
        ops.equal(x, zero), at_zero, ops.where(ops.less(x, zero), zero, tensor(1, x.dtype)) + ops.zeros_like(at_zero)
    )


@like_numpy("[7.5, -7.5], 2.0")
def divmod_(x1: Any, x2: Any, /) -> tuple[Tensor, Tensor]:
    """The floored quotient and the remainder.

    Returns:
        The quotient and the remainder.
    """
    return floor_divide(x1, x2), remainder(x1, x2)


@like_numpy("[1.5, -2.25]")
def modf(x: Any, /) -> tuple[Tensor, Tensor]:
    """The fractional and the whole part, both with the sign of the number.

    Returns:
        The fractional and the whole part.
    """
    (x,) = promoted(x, inexact=True)
    whole = _trunc(x)
    return x - whole, whole


@like_numpy("[1.0, 5.0, -3.0], -1.0, 2.0")
def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: None = None, *, min: Any = None, max: Any = None
) -> Tensor:
    """Every element moved into the range from `a_min` to `a_max`."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    a = tensor(a)
    if low is not None:
        a = maximum(a, low)
    return a if high is None else minimum(a, high)


@like_numpy("[1.0, 2.0], [1.0, 2.1]")
def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Element by element, |a - b| <= atol + rtol |b|."""
    a, b = promoted(a, b, inexact=True)
    near = ops.less_equal(ops.abs(a - b), atol + rtol * ops.abs(b))
    near = ops.logical_or(ops.equal(a, b), ops.logical_and(near, isfinite(b)))
    return ops.logical_or(near, ops.logical_and(isnan(a), isnan(b))) if equal_nan else near


@like_numpy("[1.0, 2.0], [1.0, 2.1]")
def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Are all elements close?"""
    near = isclose(a, b, rtol, atol, equal_nan)
    return ops.reduce_all(near, axis=_all(near), keepdims=False)


@like_numpy("[1, 2], [1, 2]")
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Tensor:
    """Same shape and same elements?"""
    a, b = promoted(a1, a2)
    if tuple(a.sizes) != tuple(b.sizes):
        return tensor(False, bool_)
    same = ops.logical_or(ops.equal(a, b), ops.logical_and(isnan(a), isnan(b))) if equal_nan else ops.equal(a, b)
    return ops.reduce_all(same, axis=_all(same), keepdims=False)
