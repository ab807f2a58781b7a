"""Products of matrices and of tensors."""

from collections.abc import Callable
from typing import Any

from keras.src.backend.common.backend_utils import vectorize_impl

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from ..sparse_rules import KINDS, rule_of
from .common import alike, cast, common, counting, floating, named, numpy_function, tensor


def _factors(*xs: Any) -> tuple[list[Tensor], Any]:
    """The factors in a dtype that multiplies, and the dtype of the product: bytes add up in int32."""
    xs = [tensor(x) for x in xs]
    if len(xs) > 1 and all(x.dtype is tf.int8 for x in xs):
        return [cast(x, tf.int32) for x in xs], tf.int32
    xs = common(*xs)
    return [counting(x) for x in xs], xs[0].dtype


def matmul(x1, x2):
    if alike(x1, x2) and x1.ndim >= 2 and x2.ndim >= 2:
        return ops.matmul(x1, x2)
    if type(x1) in KINDS or type(x2) in KINDS:
        return rule_of("matmul")(matmul, x1, x2)
    (a, b), dtype = _factors(x1, x2)
    if a.ndim >= 2 and b.ndim >= 2:
        return cast(ops.matmul(a, b), dtype)
    return cast(numpy_function("matmul")(a, b), dtype)


def einsum(subscripts, *operands, **kwargs):
    if len(operands) == 2 and alike(*operands):
        return tf.einsum(subscripts, *operands, **kwargs)
    xs, dtype = _factors(*operands)
    return cast(tf.einsum(subscripts, *xs, **kwargs), dtype)


def tensordot(x1, x2, axes=2):
    xs, dtype = _products(x1, x2)
    return cast(numpy_function("tensordot")(*xs, axes), dtype)


def _products(x1: Any, x2: Any) -> tuple[list[Tensor], Any]:
    a, b = common(x1, x2)
    return [counting(a), counting(b)], a.dtype


def _product(name: str) -> Callable:
    def function(x1, x2):
        xs, dtype = _products(x1, x2)
        return cast(numpy_function(name)(*xs), dtype)

    return named(function, name)


dot = _product("dot")
inner = _product("inner")
vdot = _product("vdot")
outer = _product("outer")
kron = _product("kron")


def cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Of vectors of length 3 or 2, whose third number is 0; of two of length 2 the third number of the product
    alone."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = (
        numpy_function("moveaxis")(t, where, -1) for t, where in zip(map(counting, common(x1, x2)), (axisa, axisb))
    )
    if {a.sizes[-1], b.sizes[-1]} - {2, 3}:
        raise ValueError(
            f"`x1` and `x2` must have 2 or 3 numbers along their axes. Received shapes {a.shape} and {b.shape}."
        )
    if a.sizes[-1] == b.sizes[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (t if t.sizes[-1] == 3 else tf.pad(t, [(0, 0)] * (t.ndim - 1) + [(0, 1)]) for t in (a, b))
    return numpy_function("cross")(a, b, axisc=axisc)


def slogdet(x):
    return tuple(numpy_function("linalg.slogdet")(floating(x)))


def vectorize(pyfunc, *, excluded=None, signature=None):
    """`pyfunc` on every element, or on every part of the shape that `signature` names."""
    return vectorize_impl(pyfunc, _mapped, excluded=excluded, signature=signature)


def _mapped(function: Any, in_axes: Any = 0) -> Any:
    return tf.vmap(function, in_axes=tuple(in_axes) if isinstance(in_axes, list) else in_axes)
