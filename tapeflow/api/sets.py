"""`tf.sets`: the last axis of a tensor as sets; results are sparse, sorted, and without repetitions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.apply import array_of
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor

from .sparse.tensor import SparseTensor

__all__ = ["difference", "intersection", "size", "union"]


def _sets(given: Any) -> tuple[tuple[int, ...], dict[tuple[int, ...], set], np.dtype]:
    """The shape of the axes before the last one, the set at each place in them, and the dtype."""
    if isinstance(given, SparseTensor):
        shape = tuple(array_of(given.dense_shape).tolist()[:-1])
        values = array_of(given.values)
        found: dict[tuple[int, ...], set] = {place: set() for place in np.ndindex(shape)}
        for place, value in zip(array_of(given.indices).tolist(), values.tolist()):
            found[tuple(place[:-1])].add(value)
        return shape, found, values.dtype
    values = array_of(given)
    if values.ndim < 2:
        raise invalid(f"Sets are the rows of a tensor of rank 2 or more, got shape {values.shape}.")
    return (
        values.shape[:-1],
        {place: set(values[place].tolist()) for place in np.ndindex(values.shape[:-1])},
        values.dtype,
    )


def _combined(a: Any, b: Any, operation: Callable[[set, set], set]) -> SparseTensor:
    shape, left, dtype = _sets(a)
    other, right, _ = _sets(b)
    if shape != other:
        raise invalid(f"The sets have different shapes before the last axis: {shape} and {other}.")
    indices, values, longest = [], [], 0
    for place in np.ndindex(shape):
        members = sorted(operation(left[place], right[place]))
        indices += [[*place, k] for k in range(len(members))]
        values += members
        longest = max(longest, len(members))
    where = np.array(indices, np.int64).reshape(-1, len(shape) + 1)
    return SparseTensor(where, EagerTensor(np.array(values, dtype)), np.array([*shape, longest], np.int64))


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in the sets of `a` or of `b`.

    >>> tf.sparse.to_dense(tf.sets.union([[1, 2], [3, 3]], [[2, 5], [1, 3]])).numpy()
    array([[1, 2, 5],
           [1, 3, 0]], dtype=int32)
    """
    return _combined(a, b, set.union)


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in the sets of `a` and of `b`.

    >>> tf.sparse.to_dense(tf.sets.intersection([[1, 2]], [[2, 5]])).numpy()
    array([[2]], dtype=int32)
    """
    return _combined(a, b, set.intersection)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in the sets of `a` and not of `b`; the other way round without `aminusb`.

    Args:
        aminusb: What is in `a` and not in `b`; False: in `b` and not in `a`.

    >>> tf.sparse.to_dense(tf.sets.difference([[1, 2]], [[2, 5]])).numpy()
    array([[1]], dtype=int32)
    """
    return _combined(a, b, set.difference) if aminusb else _combined(b, a, set.difference)


def size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different members the sets of a sparse tensor have.

    Raises:
        TypeError: If `a` is no `tf.SparseTensor`.

    >>> tf.sets.size(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [2, 2])).numpy()
    array([1, 1], dtype=int32)
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"tf.sets.size counts the members of a SparseTensor, got {a!r}.")
    shape, found, _ = _sets(a)
    return EagerTensor(np.array([len(found[place]) for place in np.ndindex(shape)], np.int32).reshape(shape))
