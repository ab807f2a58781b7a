"""Elementwise functions of one tensor."""

from collections.abc import Callable

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from ..sparse_rules import KINDS, rule_of
from .common import cast, counting, floating, named, numpy_function, result, tensor


def _floating(name: str, compute: Callable) -> Callable:
    rule = rule_of(name)

    def function(x):
        return rule(function, x) if type(x) in KINDS else compute(floating(x))

    return named(function, name)


def _numeric(name: str, compute: Callable) -> Callable:
    """Takes numbers as they are, truths as 0 and 1."""
    rule = rule_of(name)

    def function(x):
        return rule(function, x) if type(x) in KINDS else compute(counting(x))

    return named(function, name)


def _as_it_is(name: str, compute: Callable) -> Callable:
    rule = rule_of(name)

    def function(x):
        return rule(function, x) if type(x) in KINDS else compute(tensor(x))

    return named(function, name)


# ---- exponentials, logarithms, roots

exp = _floating("exp", ops.exp)
expm1 = _floating("expm1", ops.expm1)
exp2 = _floating("exp2", numpy_function("exp2"))
log = _floating("log", ops.log)
log1p = _floating("log1p", ops.log1p)
log2 = _floating("log2", numpy_function("log2"))
log10 = _floating("log10", numpy_function("log10"))
sqrt = _floating("sqrt", ops.sqrt)
cbrt = _floating("cbrt", numpy_function("cbrt"))
reciprocal = _floating("reciprocal", ops.reciprocal)
i0 = _floating("i0", tf.math.bessel_i0)

# ---- trigonometry

sin = _floating("sin", ops.sin)
cos = _floating("cos", ops.cos)
tan = _floating("tan", ops.tan)
arcsin = _floating("arcsin", ops.asin)
arccos = _floating("arccos", ops.acos)
arctan = _floating("arctan", ops.atan)
sinh = _floating("sinh", ops.sinh)
cosh = _floating("cosh", ops.cosh)
tanh = _floating("tanh", ops.tanh)
arcsinh = _floating("arcsinh", ops.asinh)
arccosh = _floating("arccosh", ops.acosh)
arctanh = _floating("arctanh", ops.atanh)
sinc = _floating("sinc", numpy_function("sinc"))
deg2rad = _floating("deg2rad", lambda x: x * (np.pi / 180))
rad2deg = _floating("rad2deg", lambda x: x * (180 / np.pi))

# ---- signs and sizes


def _absolute(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "bu" else ops.abs(x)


absolute = _as_it_is("absolute", _absolute)
abs = _as_it_is("abs", _absolute)
fabs = _floating("fabs", ops.abs)
negative = _numeric("negative", lambda x: ops.neg(x) if not x.dtype.is_unsigned else ops.sub(ops.zeros_like(x), x))
sign = _numeric("sign", ops.sign)
square = _numeric("square", ops.square)

# ---- steps


def _trunc(x: Tensor) -> Tensor:
    return numpy_function("trunc")(x)


floor = _floating("floor", ops.floor)
ceil = _floating("ceil", ops.ceil)
trunc = _as_it_is("trunc", _trunc)


def round(x, decimals=0):
    x = counting(x)
    if x.dtype.is_inexact:
        return numpy_function("round")(x, decimals)
    if decimals >= 0:
        return x
    return cast(numpy_function("round")(cast(x, tf.float64), decimals), x.dtype)


# ---- complex numbers


conjugate = _as_it_is("conjugate", numpy_function("conjugate"))
conj = _as_it_is("conj", numpy_function("conjugate"))
real = _as_it_is("real", numpy_function("real"))
imag = _as_it_is("imag", numpy_function("imag"))
angle = _floating("angle", numpy_function("angle"))

# ---- as tensors


def array(x, dtype=None):
    return tensor(x, dtype)


copy = _as_it_is("copy", ops.identity)


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    return numpy_function("nan_to_num")(tensor(x), nan=nan, posinf=posinf, neginf=neginf)


def view(x, dtype=None):
    """The same bytes read as another dtype; the last axis grows or shrinks with the number of bytes."""
    x = tensor(x)
    wanted = x.dtype if dtype is None else result(dtype) if dtype in (int, float, bool) else tf.as_dtype(dtype)
    if x.dtype is wanted:
        return x
    ratio, *lead = x.dtype.size / wanted.size, *x.sizes[:-1]
    if ratio == 1:
        return tf.bitcast(x, wanted)
    if not x.ndim:
        raise ValueError(f"A scalar of dtype {x.dtype.name} cannot be viewed as {wanted.name}: their sizes differ.")
    last = x.sizes[-1]
    if ratio > 1:
        return tf.reshape(tf.bitcast(x, wanted), [*lead, last * int(ratio)])
    if last % int(1 / ratio):
        raise ValueError(
            f"The last axis of shape {tuple(x.shape)} cannot be viewed as {wanted.name}: it does not hold whole ones."
        )
    return tf.bitcast(tf.reshape(x, [*lead, last // int(1 / ratio), int(1 / ratio)]), wanted)
