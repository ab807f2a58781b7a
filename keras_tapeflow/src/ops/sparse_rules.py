"""Which of Keras' functions keep a sparse tensor sparse, and how. All others take it as a dense one.

A rule computes with the function for dense tensors, on the values of entries, so that dtypes are the same. `RULES` says which function goes
by which rule; `keep_sparse` puts the rules in front of the functions. A dense argument costs a look at its type.
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
from tapeflow.core.tensor import EagerTensor, Tensor

from .core import dense_tensor
from .sparse import KINDS, SparseTensor, as_sparse, dense, on_values, picked, places, read, spread, summed, values_at, with_entries

# ---- functions of one tensor


def _on_values(function: Callable, x: Any, *args: Any, **kwargs: Any) -> Any:
    """0 stays 0, so that entries are all there is to compute."""
    x = summed(x)
    return on_values(lambda values: function(values, *args, **kwargs), x) if type(x) in KINDS else function(x, *args, **kwargs)


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
    axes = tuple(range(rank)) if axis is None else tuple([a % rank for a in ((axis,) if isinstance(axis, int) else axis)])
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
    """Both as sparse or dense tensors; sparse ones of the same kind and shape, in which they meet."""
    x1, x2 = (as_sparse(x) or dense_tensor(x) for x in (x1, x2))
    shape = tuple(broadcast_shapes(tuple(x1.shape), tuple(x2.shape)))
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
    return like._with_differentiable(function(*[like._differentiable if x is like else read(x, like, at) for x in (x1, x2)]))


def _quotient(function: Callable, x1: Any, x2: Any) -> Any:
    """By a dense tensor sparse, with entries also where 0 divided by that is not 0; by a sparse one dense."""
    if _scales(x2, x1) and not _spoils_zero(function, x2):
        return on_values(lambda values: function(values, x2), x1)
    x1, x2 = _together(x1, x2)
    if type(x1) not in KINDS or type(x2) in KINDS:
        return function(dense(x1), dense(x2))
    spoilt = np.asarray(function(ops.zeros_like(x2), x2)._array) != 0
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
        return bool(np.any(np.asarray(function(0.0, number)._array)))
    except ValueNeeded:
        return False


def _matmul(function: Callable, x1: Any, x2: Any) -> Any:
    """Of two sparse tensors sparse. The gradient of a dense matrix that is multiplied has just the rows that were needed."""
    x1, x2 = (as_sparse(x) or dense_tensor(x) for x in (x1, x2))
    kinds = type(x1), type(x2)
    if kinds == (SparseTensor, SparseTensor) and x1.ndim == x2.ndim > 1 and tuple(x1.shape)[:-2] == tuple(x2.shape)[:-2]:
        return _sparse_product(function, x1, x2)
    if kinds[0] is SparseTensor and kinds[1] not in KINDS and x1.ndim == x2.ndim == 2 and x1.shape[1] == x2.shape[0]:
        return _times_matrix(function, x1, x2)
    return function(dense(x1), dense(x2))


def _times_matrix(function: Callable, x: SparseTensor, matrix: Tensor) -> Tensor:
    rows, columns = x.indices._array.T
    needed, which = np.unique(columns, return_inverse=True)
    dtype = function(tf.zeros([1, 1], x.dtype), tf.zeros([1, 1], matrix.dtype)).dtype
    part = ops.gather(matrix, EagerTensor(needed), axis=0)
    values, part = dense_tensor(x.values, dtype), dense_tensor(part, dtype)
    return ops.sparse_matmul(values, part, *(EagerTensor(np.ascontiguousarray(i)) for i in (rows, which)), num_rows=x.shape[0])


def _sparse_product(function: Callable, x1: SparseTensor, x2: SparseTensor) -> SparseTensor:
    """Every entry of one meets those of the other that have the same inner index; what lands at one place adds up."""
    *lead, count, inner = x1.shape
    if inner != x2.shape[-2]:
        raise ValueError(f"Inner sizes of a product must agree. Received shapes {tuple(x1.shape)} and {tuple(x2.shape)}.")
    (w1, w2), width = (x1.indices._array, x2.indices._array), x2.shape[-1]
    batch = [np.ravel_multi_index(w[:, :-2].T, lead) if lead else np.zeros(len(w), np.int64) for w in (w1, w2)]
    key1, key2 = batch[0] * inner + w1[:, -1], batch[1] * inner + w2[:, -2]
    order = np.argsort(key2, kind="stable")
    first, end = (np.searchsorted(key2[order], key1, side) for side in ("left", "right"))
    left = np.repeat(np.arange(len(w1)), end - first)
    within = np.arange(len(left)) - np.repeat(np.cumsum(end - first) - (end - first), end - first)
    right = order[np.repeat(first, end - first) + within]
    at, which = np.unique((batch[0][left] * count + w1[left, -2]) * width + w2[right, -1], return_inverse=True)
    pick = lambda x, chosen: ops.take(x.values, EagerTensor(chosen), axis=0)
    pairs = function(pick(x1, left)[:, None, None], pick(x2, right)[:, None, None])[:, 0, 0]
    total = ops.unsorted_segment_sum(pairs, EagerTensor(which), num_segments=len(at))
    shape = (*lead, count, width)
    return SparseTensor(np.stack(np.unravel_index(at, shape), 1), total, shape)


# ---- functions of many, and of class numbers


def _joined(function: Callable, xs: Any, axis: int = 0) -> Any:
    """Sparse when all are."""
    found = [as_sparse(x) for x in xs]
    if axis is None or any(type(x) is not SparseTensor for x in found):
        return function([dense(x) for x in xs], axis)
    dtype = function([x.values[:0] for x in found]).dtype
    return tf.sparse.concat(axis, [on_values(lambda values: dense_tensor(values, dtype), x) for x in found])


def _counted(function: Callable, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """As a sparse tensor. Of one that is sparse itself the entries alone are counted."""
    x, weights = (x if type(x) in KINDS else None if x is None else dense_tensor(x) for x in (x, weights))
    if type(x) is SparseTensor:
        lead, numbers = x.indices._array[:, :-1], x.values._array
        weights = None if weights is None else weights.values if type(weights) is SparseTensor else read(dense(weights), x, places(x))
    else:
        x, weights = dense(x), None if weights is None else tf.reshape(dense(weights), [-1])
        lead, numbers = np.indices(tuple(x.shape)).reshape(x.ndim, -1).T[:, :-1], x._array.ravel()
    size = max(int(numbers.max(initial=-1)) + 1, int(minlength))
    shape = (*x.shape[:-1], size)
    at, which = np.unique(np.ravel_multi_index((*lead.T, numbers.astype(np.int64)), shape), return_inverse=True)
    one = np.ones(1, np.int32)
    dtype = function(one, None if weights is None else weights[:1]).dtype if weights is None or len(numbers) else weights.dtype
    weights = tf.ones([len(numbers)], dtype) if weights is None else dense_tensor(weights, dtype)
    total = ops.unsorted_segment_sum(weights, EagerTensor(which), num_segments=len(at))
    return SparseTensor(np.stack(np.unravel_index(at, shape), 1), total, shape)


def one_hot(x: Tensor, num_classes: int, axis: int, dtype: Any) -> SparseTensor:
    """A 1 at each class number along a new axis."""
    numbers = np.asarray(x._array).astype(np.int64)
    where = np.argwhere((numbers >= 0) & (numbers < num_classes))
    axis = axis % (numbers.ndim + 1)
    shape = (*numbers.shape[:axis], int(num_classes), *numbers.shape[axis:])
    found = np.insert(where, axis, numbers[tuple(where.T)], 1)
    return tf.sparse.reorder(SparseTensor(found, tf.ones([len(found)], dtype), shape))


def multi_hot(x: Tensor, num_classes: int, axis: int, dtype: Any) -> SparseTensor:
    """A 1 for each class of an example, whose numbers are along axis 1 of what `one_hot` gives (0 of a vector)."""
    hot, over = one_hot(x, num_classes, axis, dtype), 1 if x.ndim > 1 else 0
    where = np.unique(np.delete(hot.indices._array, over, 1), axis=0)
    return SparseTensor(where, tf.ones([len(where)], dtype), np.delete(tuple(hot.shape), over))


# ---- which function goes by which rule

RULES: dict[Callable, str] = {
    _on_values: "abs absolute arcsin arcsinh arctan arctanh ceil expm1 fabs floor log1p ones_like round sign signbit sin sinh sqrt square tan tanh"
    " zeros_like",
    _linear: "conj conjugate copy imag negative real",
    _binned: "digitize",
    _moved: "expand_dims reshape squeeze transpose",
    _reduced: "mean nansum sum",
    _union: "add fmax fmin maximum minimum subtract",
    _product: "multiply",
    _quotient: "divide divide_no_nan true_divide",
    _matmul: "matmul",
    _joined: "concatenate",
    _counted: "bincount",
}
_OF_TWO = (_union, _product, _quotient, _matmul)


def keep_sparse(functions: dict[str, Any]) -> None:
    """Puts the rules in front of functions of these names."""
    for rule, names in RULES.items():
        for name in names.split():
            functions[name] = _in_front(rule, functions[name])


def _in_front(rule: Callable, function: Callable) -> Callable:
    if rule in _OF_TWO:

        def guarded(x1, x2):
            if type(x1) in KINDS or type(x2) in KINDS:
                return rule(function, x1, x2)
            return function(x1, x2)

    elif rule is _joined:

        def guarded(xs, axis=0):
            if type(xs) in (list, tuple) and any(type(x) in KINDS for x in xs):
                return rule(function, xs, axis)
            return function(xs, axis)

    elif rule is _counted:

        def guarded(x, weights=None, minlength=0, sparse=False):
            if sparse or type(x) in KINDS:
                return rule(function, x, weights, minlength)
            return function(x, weights, minlength)

    else:

        def guarded(x, *args, **kwargs):
            if type(x) in KINDS:
                return rule(function, x, *args, **kwargs)
            return function(x, *args, **kwargs)

    return functools.wraps(function)(guarded)
