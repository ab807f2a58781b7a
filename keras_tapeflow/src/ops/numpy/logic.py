"""Comparisons and predicates (`isclose`, `isnan`, …), `where` and `select`."""

from collections.abc import Callable

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import sizes_of

from .common import common, named, numpy_function, ordered_axes, tensor, truth


def _question(name: str) -> Callable:
    ask = numpy_function(name)

    def function(x):
        return ask(tensor(x))

    return named(function, name)


isfinite = _question("isfinite")
isinf = _question("isinf")
isnan = _question("isnan")
isreal = _question("isreal")


def _infinite(name: str, value: float) -> Callable:
    def function(x):
        x = tensor(x)
        return ops.equal(x, tensor(value, x.dtype)) if x.dtype.is_floating else tf.zeros(sizes_of(x), tf.bool)

    return named(function, name)


isneginf = _infinite("isneginf", -np.inf)
isposinf = _infinite("isposinf", np.inf)


def signbit(x):
    x = tensor(x)
    return tf.zeros(sizes_of(x), tf.bool) if x.dtype.is_bool else numpy_function("signbit")(x)


# ---- logic


def logical_and(x1, x2):
    return ops.logical_and(truth(x1), truth(x2))


def logical_or(x1, x2):
    return ops.logical_or(truth(x1), truth(x2))


def logical_xor(x1, x2):
    return ops.logical_xor(truth(x1), truth(x2))


def logical_not(x):
    return ops.logical_not(truth(x))


def all(x, axis=None, keepdims=False):
    x = truth(x)
    return ops.reduce_all(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def any(x, axis=None, keepdims=False):
    x = truth(x)
    return ops.reduce_any(x, axis=ordered_axes(axis, x.ndim), keepdims=keepdims)


def count_nonzero(x, axis=None):
    x = ops.cast(truth(x), dtype=np.dtype("int32"))
    return ops.reduce_sum(x, axis=ordered_axes(axis, x.ndim), keepdims=False)


# ---- choices


def where(condition, x1=None, x2=None):
    condition = truth(condition)
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise ValueError(
            "`x1` and `x2` either both should be `None`, to ask where the condition holds, or both be given."
        )
    return ops.where(condition, *common(x1, x2))


def nonzero(x):
    """The places of elements that are not zero, one tensor for each axis."""
    found = ops.cast(ops.nonzero(truth(x)), dtype=np.dtype("int32"))
    return tuple(ops.unstack(found, axis=1))


def select(condlist, choicelist, default=0):
    *choices, found = common(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices))):
        found = ops.where(truth(condition), choice, found)
    return found


def isin(x1, x2, assume_unique=False, invert=False):
    a, b = common(x1, x2)
    b = tf.reshape(b, [-1])
    found = ops.reduce_any(ops.equal(tf.expand_dims(a, -1), b), axis=(a.ndim,), keepdims=False)
    return ops.logical_not(found) if invert else found
