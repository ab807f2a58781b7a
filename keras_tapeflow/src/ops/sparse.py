"""Sparse tensors: what counts as one, how it becomes dense, and where its entries are.

There are two kinds, `tf.SparseTensor` and `tf.IndexedSlices`. To both, an entry is a place, a number, and a value: a
place in the flattened tensor and an element, or a row and all that is in it. Rules for functions are written with
that, in `sparse_rules.py`.
"""

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor

SparseTensor = tf.SparseTensor
KINDS = frozenset({SparseTensor, IndexedSlices})
_OTHERS = ("scipy.sparse", "jax.experimental.sparse")


def as_sparse(x: Any) -> Any:
    """`x` as one of our kinds if it is sparse, of SciPy's and JAX' kinds, too; None otherwise."""
    if type(x) in KINDS:
        return x
    if not is_sparse(x):
        return None
    if hasattr(x, "tocoo"):
        x = x.tocoo()
        return from_entries(np.stack(getattr(x, "coords", None) or (x.row, x.col), 1), x.data, x.shape)
    if getattr(x, "n_batch", 1) or x.n_dense:
        return tf.sparse.from_dense(np.asarray(x.todense()))
    where = np.asarray(x.indices)
    inside = (where < x.shape).all(1)  # what is outside fills the entries up to a fixed number
    return from_entries(where[inside], np.asarray(x.data)[inside], x.shape)


def is_sparse(x: Any) -> bool:
    return type(x) in KINDS or type(x).__module__.startswith(_OTHERS) and hasattr(x, "todense")


def from_entries(where: np.ndarray, values: Any, shape: Any) -> SparseTensor:
    """In any order; entries at one place add up."""
    return summed(SparseTensor(where.astype(np.int64), tf.convert_to_tensor(values), tuple(shape)))


def dense(x: Any) -> Any:
    """A sparse tensor as a dense one; anything else as it is."""
    if type(x) is SparseTensor:
        return tf.sparse.to_dense(summed(x))
    return tf.convert_to_tensor(x) if type(x) is IndexedSlices else x


def on_values(function: Any, x: Any) -> Any:
    """`x` with a function of its values in their place."""
    return x._with_differentiable(function(x._differentiable))


# ---- entries


def places(x: Any) -> np.ndarray | None:
    """The place of each entry. Rows that only a run of the graph will know: None."""
    if type(x) is SparseTensor:
        return x._flat_places().array
    try:
        return np.asarray(x.indices.array)
    except ValueNeeded:
        return None


def with_entries(like: Any, at: np.ndarray, values: Tensor) -> Any:
    """A sparse tensor of the kind and shape of another, with these entries."""
    if type(like) is IndexedSlices:
        return IndexedSlices(values, at, like.dense_shape)
    shape = tuple(like.shape)
    return SparseTensor(
        np.stack(np.unravel_index(at, shape), 1) if shape else np.zeros((len(at), 0), int), values, shape
    )


def summed(x: Any) -> Any:
    """`x` with its entries in ascending order, of which those at one place are added up; dense, where places are not
    known."""
    at = places(x)
    if at is None:
        return dense(x)
    if (np.diff(at) > 0).all():
        return x
    found = np.unique(at)
    return with_entries(x, found, values_at(x, found))


def values_at(x: Any, wanted: np.ndarray) -> Tensor:
    """The values at these places, which are in ascending order and all that `x` has; zero where `x` has none."""
    at = places(x)
    if np.array_equal(at, wanted):
        return x._differentiable
    return ops.unsorted_segment_sum(
        x._differentiable, EagerTensor(np.searchsorted(wanted, at)), num_segments=len(wanted)
    )


def picked(x: Any, wanted: np.ndarray) -> Tensor:
    """The values at some of the places of `x`, which are in ascending order."""
    return ops.take(x._differentiable, EagerTensor(np.searchsorted(places(x), wanted)), axis=0)


def read(tensor: Tensor, like: Any, at: np.ndarray) -> Tensor:
    """What a dense tensor, broadcast to the shape of a sparse one, has at these places."""
    spread = ops.broadcast_to(tensor, shape=tuple(like.shape))
    if type(like) is SparseTensor:
        spread = ops.reshape(spread, shape=(int(np.prod(tuple(like.shape))),))
    return ops.take(spread, EagerTensor(at.astype(np.int64)), axis=0)


def spread(x: Any, shape: tuple) -> Any:
    """A sparse tensor broadcast to a shape: entries repeat along axes of size 1. Slices become dense."""
    if tuple(x.shape) == shape:
        return x
    if type(x) is IndexedSlices:
        return ops.broadcast_to(dense(x), shape=shape)
    own = (1,) * (len(shape) - x.ndim) + tuple(x.shape)
    where = np.pad(x.indices.array, [(0, 0), (len(shape) - x.ndim, 0)])
    which = np.arange(len(where))
    for axis, (old, new) in enumerate(zip(own, shape)):
        if old != new:
            count = len(where)
            where, which = np.repeat(where, new, 0), np.repeat(which, new)
            where[:, axis] = np.tile(np.arange(new), count)
    return summed(SparseTensor(where, ops.take(x.values, EagerTensor(which), axis=0), shape))
