"""Keras functions that keep a sparse tensor sparse, and how. All others take it as a dense one.

A rule computes with the function for dense tensors, on the values of entries, so that dtypes are the same. `RULES`
says which function goes by which rule. A dense argument costs a look at its type, at most.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices

from .core import dense_tensor
from .sparse import (
    KINDS,
    SparseTensor,
    as_sparse,
    dense,
    on_values,
    picked,
    places,
    read,
    spread,
    summed,
    values_at,
    with_entries,
)
from .sparse_classes import counted
from .sparse_products import product

# ---- functions of one tensor


def _on_values(function: Callable, x: Any, *args: Any, **kwargs: Any) -> Any:
    """0 stays 0, so that entries are all there is to compute."""
    x = summed(x)
    return (
        on_values(lambda values: function(values, *args, **kwargs), x)
        if type(x) in KINDS
        else function(x, *args, **kwargs)
    )


def _linear(function: Callable, x: Any) -> Any:
    """So is this, and entries at one place need not be added up before."""
    return on_values(function, x)


def _binned(function: Callable, x: Any, bins: Any) -> Any:
    """0 stays 0 where no bin ends at or below it."""
    return function(dense(x), bins) if np.any(function(0, bins)) else _on_values(function, x, bins)


def _moved(function: Callable, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The entries of another shape; NumPy says which, of an array that takes no memory."""
    if type(x) is IndexedSlices:
        return function(dense(x), *args, **kwargs)
    if function.__name__ in ("reshape", "transpose"):
        return getattr(tf.sparse, function.__name__)(x, *args, *kwargs.values())
    of_numpy = getattr(np, function.__name__)
    return tf.sparse.reshape(x, of_numpy(np.broadcast_to(np.int8(0), tuple(x.shape)), *args, **kwargs).shape)


def _reduced(function: Callable, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A sum over axes is sparse, a mean a sum that is divided. Of slices it is dense."""
    rank = len(x.shape)
    axes = (
        tuple(range(rank)) if axis is None else tuple([a % rank for a in ((axis,) if isinstance(axis, int) else axis)])
    )
    if type(x) is IndexedSlices:
        return function(dense(x), axis, keepdims)
    if function.__name__ == "nansum":
        x = on_values(lambda values: tf.where(tf.math.is_nan(values), tf.zeros_like(values), values), x)
    x = on_values(lambda values: dense_tensor(values, function(values[:1]).dtype), x)
    total = tf.sparse.reduce_sum(x, axes, keepdims, output_is_sparse=True) if axes else x
    if function.__name__ != "mean":
        return total
    count = np.prod([x.shape[a] for a in axes], initial=1)
    return on_values(lambda values: values / dense_tensor(count, values.dtype), total)


# ---- functions of two


def _together(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Both as sparse or dense tensors; sparse ones of the same kind and shape, in which they meet. Numbers, which have
    no dtype, stay so."""
    x1, x2 = (x if type(x) in (bool, int, float) else as_sparse(x) or dense_tensor(x) for x in (x1, x2))
    shape = tuple(broadcast_shapes(*[tuple(np.shape(x)) for x in (x1, x2)]))
    x1, x2 = (summed(spread(x, shape)) if type(x) in KINDS else x for x in (x1, x2))
    if type(x1) in KINDS and type(x2) in KINDS and type(x1) is not type(x2):
        x1, x2 = (dense(x) if type(x) is IndexedSlices else x for x in (x1, x2))
    return x1, x2


def _union(function: Callable, x1: Any, x2: Any) -> Any:
    """Of sparse tensors sparse, with entries where either has one."""
    x1, x2 = _together(x1, x2)
    if type(x1) not in KINDS or type(x2) not in KINDS:
        return function(dense(x1), dense(x2))
    either = np.union1d(places(x1), places(x2))
    return with_entries(x1, either, function(values_at(x1, either), values_at(x2, either)))


def _product(function: Callable, x1: Any, x2: Any) -> Any:
    """Sparse, with entries where all that are sparse have one."""
    if _scales(x2, x1):
        return on_values(lambda values: function(values, x2), x1)
    if _scales(x1, x2):
        return on_values(lambda values: function(x1, values), x2)
    x1, x2 = _together(x1, x2)
    kinds = [type(x) for x in (x1, x2)]
    if all(kind not in KINDS for kind in kinds):
        return function(x1, x2)
    if kinds[0] is kinds[1]:
        both = np.intersect1d(places(x1), places(x2))
        return with_entries(x1, both, function(picked(x1, both), picked(x2, both)))
    like = x1 if kinds[0] in KINDS else x2
    at = places(like)
    return like._with_differentiable(
        function(*[like._differentiable if x is like else read(x, like, at) for x in (x1, x2)])
    )


def _quotient(function: Callable, x1: Any, x2: Any) -> Any:
    """By a dense tensor sparse, with entries also where 0 divided by that is not 0; by a sparse one dense."""
    if _scales(x2, x1) and not _spoils_zero(function, x2):
        return on_values(lambda values: function(values, x2), x1)
    x1, x2 = _together(x1, x2)
    if type(x1) not in KINDS or type(x2) in KINDS:
        return function(dense(x1), dense(x2))
    x2 = dense_tensor(x2)
    spoilt = np.asarray(function(ops.zeros_like(x2), x2).array) != 0
    spoilt = np.broadcast_to(spoilt, tuple(x1.shape))
    extra = spoilt.ravel() if type(x1) is SparseTensor else spoilt.reshape(len(spoilt), -1).any(1)
    at = np.union1d(places(x1), np.flatnonzero(extra))
    return with_entries(x1, at, function(values_at(x1, at), read(x2, x1, at)))


def _scales(factor: Any, x: Any) -> bool:
    """Is it a number, by which every value of a sparse tensor is multiplied or divided?"""
    return type(x) in KINDS and type(factor) not in KINDS and not len(np.shape(factor))


def _spoils_zero(function: Callable, number: Any) -> bool:
    """Is 0 divided by the number no 0? Of a number that only a run will know it is not expected."""
    try:
        return bool(np.any(np.asarray(function(0.0, number).array)))
    except ValueNeeded:
        return False


# ---- functions of many


def _joined(function: Callable, xs: Any, axis: int = 0) -> Any:
    """Sparse when all are."""
    found = [as_sparse(x) for x in xs]
    if axis is None or any(type(x) is not SparseTensor for x in found):
        return function([dense(x) for x in xs], axis)
    dtype = function([x.values[:0] for x in found]).dtype
    return tf.sparse.concat(axis, [on_values(lambda values: dense_tensor(values, dtype), x) for x in found])


# ---- which function goes by which rule

RULES: dict[Callable, str] = {
    _on_values: "abs absolute arcsin arcsinh arctan arctanh ceil expm1 fabs floor log1p round sign signbit sin sinh "
    "sqrt square tan tanh"
    " zeros_like",
    _linear: "conj conjugate copy imag negative real",
    _binned: "digitize",
    _moved: "expand_dims reshape squeeze transpose",
    _reduced: "mean nansum sum",
    _union: "add fmax fmin maximum minimum subtract",
    _product: "multiply",
    _quotient: "divide divide_no_nan true_divide",
    product: "matmul",
    _joined: "concatenate",
    counted: "bincount",
}
_BY_NAME = {name: rule for rule, names in RULES.items() for name in names.split()}


def _as_dense(function: Callable, *args: Any) -> Any:
    return function(*map(dense, args))


def rule_of(name: str) -> Callable:
    """What a function of this name does where an argument is sparse: `rule(function, *args)`."""
    return _BY_NAME.get(name, _as_dense)


# Functions that do not ask for their rule themselves, after they have seen that their arguments are dense.
_GUARDED = (
    "bincount concatenate digitize expand_dims mean nansum reshape round signbit squeeze sum transpose zeros_like"
)


def keep_sparse(functions: dict[str, Any]) -> None:
    """Puts the rules in front of these functions."""
    for name in _GUARDED.split():
        functions[name] = functools.wraps(functions[name])(_guarded(functions[name], rule_of(name)))


def _guarded(function: Callable, rule: Callable) -> Callable:
    if rule is _reduced:

        def guarded(x, axis=None, keepdims=False):
            return rule(function, x, axis, keepdims) if type(x) in KINDS else function(x, axis, keepdims)

    elif rule is _joined:

        def guarded(xs, axis=0):
            sparse = type(xs) in (list, tuple) and not KINDS.isdisjoint(map(type, xs))
            return rule(function, xs, axis) if sparse else function(xs, axis)

    elif rule is counted:

        def guarded(x, weights=None, minlength=0, sparse=False):
            found = functools.partial(rule, function) if sparse or type(x) in KINDS else function
            return found(x, weights, minlength)

    else:

        def guarded(x, *args, **kwargs):
            return rule(function, x, *args, **kwargs) if type(x) in KINDS else function(x, *args, **kwargs)

    return guarded
