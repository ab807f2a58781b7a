"""Class numbers as sparse vectors, and counted."""

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .core import dense_tensor
from .sparse import KINDS, SparseTensor, dense, places, read


def counted(function: Callable, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """As a sparse tensor. Of one that is sparse itself the entries alone are counted."""
    x, weights = (x if type(x) in KINDS else None if x is None else dense_tensor(x) for x in (x, weights))
    if type(x) is SparseTensor:
        lead, numbers = x.indices.array[:, :-1], x.values.array
        weights = (
            None
            if weights is None
            else weights.values
            if type(weights) is SparseTensor
            else read(dense(weights), x, places(x))
        )
    else:
        x, weights = dense(x), None if weights is None else tf.reshape(dense(weights), [-1])
        lead, numbers = np.indices(tuple(x.sizes)).reshape(x.ndim, -1).T[:, :-1], x.array.ravel()
    size = max(int(numbers.max(initial=-1)) + 1, int(minlength))
    shape = (*sizes_of(x)[:-1], size)
    at, which = np.unique(np.ravel_multi_index((*lead.T, numbers.astype(np.int64)), shape), return_inverse=True)
    one = np.ones(1, np.int32)
    dtype = (
        function(one, None if weights is None else weights[:1]).dtype
        if weights is None or len(numbers)
        else weights.dtype
    )
    weights = tf.ones([len(numbers)], dtype) if weights is None else dense_tensor(weights, dtype)
    total = ops.unsorted_segment_sum(weights, EagerTensor(which), num_segments=len(at))
    return SparseTensor(np.stack(np.unravel_index(at, shape), 1), total, shape)


def one_hot(x: Tensor, num_classes: int, axis: int, dtype: Any) -> SparseTensor:
    """A 1 at each class number along a new axis."""
    numbers = np.asarray(x.array).astype(np.int64)
    where = np.argwhere((numbers >= 0) & (numbers < num_classes))
    axis = axis % (numbers.ndim + 1)
    shape = (*numbers.shape[:axis], int(num_classes), *numbers.shape[axis:])
    found = np.insert(where, axis, numbers[tuple(where.T)], 1)
    return tf.sparse.reorder(SparseTensor(found, tf.ones([len(found)], dtype), shape))


def multi_hot(x: Tensor, num_classes: int, axis: int, dtype: Any) -> SparseTensor:
    """A 1 for each class of an example, whose numbers are along axis 1 of what `one_hot` gives (0 of a vector)."""
    hot, over = one_hot(x, num_classes, axis, dtype), 1 if x.ndim > 1 else 0
    where = np.unique(np.delete(hot.indices.array, over, 1), axis=0)
    return SparseTensor(where, tf.ones([len(where)], dtype), np.delete(tuple(hot.shape), over))
