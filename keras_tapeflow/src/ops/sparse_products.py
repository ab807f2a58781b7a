"""Products of matrices of which some are sparse."""

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from .core import dense_tensor
from .sparse import KINDS, SparseTensor, as_sparse, dense


def product(function: Callable, x1: Any, x2: Any) -> Any:
    """Of two sparse tensors sparse. The gradient of a dense matrix that is multiplied has just the rows that were
    needed."""
    x1, x2 = (as_sparse(x) or dense_tensor(x) for x in (x1, x2))
    kinds = type(x1), type(x2)
    if (
        kinds == (SparseTensor, SparseTensor)
        and x1.ndim == x2.ndim > 1
        and tuple(x1.shape)[:-2] == tuple(x2.shape)[:-2]
    ):
        return _sparse_product(function, x1, x2)
    if kinds[0] is SparseTensor and kinds[1] not in KINDS and x1.ndim == x2.ndim == 2 and x1.shape[1] == x2.sizes[0]:
        return _times_matrix(function, x1, x2)
    return function(dense(x1), dense(x2))


def _times_matrix(function: Callable, x: SparseTensor, matrix: Tensor) -> Tensor:
    rows, columns = x.indices.array.T
    needed, which = np.unique(columns, return_inverse=True)
    dtype = function(tf.zeros([1, 1], x.dtype), tf.zeros([1, 1], matrix.dtype)).dtype
    part = ops.gather(matrix, EagerTensor(needed), axis=0)
    values, part = dense_tensor(x.values, dtype), dense_tensor(part, dtype)
    return ops.sparse_matmul(
        values, part, *(EagerTensor(np.ascontiguousarray(i)) for i in (rows, which)), num_rows=x.shape[0]
    )


def _sparse_product(function: Callable, x1: SparseTensor, x2: SparseTensor) -> SparseTensor:
    """Every entry of one meets those of the other that have the same inner index; what lands at one place adds up."""
    *lead, count, inner = x1.shape
    if inner != x2.shape[-2]:
        raise ValueError(
            f"Inner sizes of a product must agree. Received shapes {tuple(x1.shape)} and {tuple(x2.shape)}."
        )
    (w1, w2), width = (x1.indices.array, x2.indices.array), x2.shape[-1]
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
