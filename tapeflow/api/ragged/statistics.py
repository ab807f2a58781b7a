"""What primitives that look at whole rows do with ragged tensors: variance, log-sum-exp, running sums and products.
Importing this installs them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from . import partitions as rows_of
from .tensor import RULES, RaggedTensor


def _groups(x: RaggedTensor, axes: tuple) -> tuple[Any, Any]:
    """(For each of the flat values the number of its group, how many there are): those that differ only along ragged
    axes among `axes` are in one."""
    if x.ragged_rank == 1 and not rows_of.is_known(x._rows):
        return _groups_of_symbols(x, axes)
    places = x._places()
    kept = places[:, [k for k in range(places.shape[1]) if k not in axes]]
    if not kept.size:
        return np.zeros(len(places), np.int64), 1
    rows, ids = np.unique(kept, axis=0, return_inverse=True)
    return ids.reshape(-1), len(rows)


def _groups_of_symbols(x: RaggedTensor, axes: tuple) -> tuple[Any, Any]:
    """The same for rows whose lengths are not known while a function is traced."""
    row, column = _columns(x)
    if 1 in axes:
        return (ops.zeros_like(row), 1) if 0 in axes else (row, rows_of.row_count(x._rows))
    return column, rows_of.longest(rows_of.lengths_of(x._rows))


def _columns(x: RaggedTensor) -> list[Tensor]:
    """Of each of the flat values the row, and the place in it."""
    return [ops.cast(ids, dtype=np.dtype(np.int64)) for ids in (rows_of.row_ids(x._rows), rows_of.of_rows(x._rows))]


def _sizes_of(ids: Any, count: Any, dtype: Any) -> Tensor:
    """How many values each group has; 1 where it has none."""
    if isinstance(ids, np.ndarray):
        return EagerTensor(np.maximum(np.bincount(ids, minlength=count), 1).astype(dtype))
    ones = ops.cast(ops.zeros_like(ids) + 1, dtype=dtype)
    found = ops.unsorted_segment_sum(ones, ids, num_segments=count)
    return ops.maximum(found, EagerTensor(dtype.type(1)))


def _inner(x: RaggedTensor, axes: tuple) -> tuple:
    """Of `axes` those of the flat values' own."""
    return tuple([axis - x.ragged_rank for axis in axes if axis > x.ragged_rank])


def _whole(x: RaggedTensor, params: dict) -> bool:
    return len(params["axis"]) == x.ndim and not params["keepdims"]


def _of_all(apply: Callable, x: RaggedTensor) -> Tensor:
    flat = x.flat_values
    return apply(flat, axis=tuple(range(flat.ndim)), keepdims=False)


def _variance(apply: Callable, args: tuple, params: dict) -> Any:
    """The mean of squared distances: each value from the mean of those that it is reduced with."""
    x, axes = args[0], params["axis"]
    if _whole(x, params):
        return _of_all(apply, x)
    flat, (ids, count), inner = x.flat_values, _groups(x, axes), _inner(x, axes)
    total = ops.unsorted_segment_sum(flat, rows_of.tensor_of(ids), num_segments=count)
    many = _sizes_of(ids, count, flat.dtype.np)
    mean = ops.div(total, ops.reshape(many, shape=(count, *[1] * (flat.ndim - 1))))
    if inner:
        mean = ops.reduce_mean(mean, axis=inner, keepdims=True)
    deviation = flat - ops.take(mean, rows_of.tensor_of(ids), axis=0)
    return ops.reduce_mean(x.with_flat_values(ops.square(deviation)), **params)


def _logsumexp(apply: Callable, args: tuple, params: dict) -> Any:
    """Less the largest value of each group, so that nothing overflows."""
    x = args[0]
    if _whole(x, params):
        return _of_all(apply, x)
    flat, (ids, count), inner = x.flat_values, _groups(x, params["axis"]), _inner(x, params["axis"])
    most = ops.unsorted_segment_max(flat, rows_of.tensor_of(ids), num_segments=count, empty=flat.dtype.min)
    if inner:
        most = ops.reduce_max(most, axis=inner, keepdims=True)
    shifted = ops.exp(flat - ops.take(_finite(most), rows_of.tensor_of(ids), axis=0))
    total = ops.log(ops.reduce_sum(x.with_flat_values(shifted), **params))
    return total + _finite(ops.reduce_max(x, **params))


def _finite(most: Any) -> Any:
    """A constant to shift by: 0 in the place of infinities."""
    most = ops.stop_gradient(most)
    return ops.where(ops.is_finite(most), most, ops.zeros_like(most))


def _running(apply: Callable, args: tuple, params: dict) -> Any:
    """Along a ragged axis on rows filled up with what changes nothing."""
    x, axis = args[0], params["axis"]
    flat, outer = x.flat_values, x.ragged_rank + 1
    if axis >= outer:
        return x.with_flat_values(apply(flat, **{**params, "axis": axis - outer + 1}))
    filled = x.to_tensor(1 if apply.primitive.name == "cumprod" else 0)
    shape = tuple(filled.sizes)
    if outer == 2 and not rows_of.is_known(x._rows):
        rows = rows_of.flat_places(_columns(x), shape[:2])
    else:
        places = x._places()
        flat_rows = np.ravel_multi_index(places.T, shape[:outer]) if places.size else np.zeros(0, np.int64)
        rows = EagerTensor(flat_rows)
    found = ops.reshape(apply(filled, **params), shape=(math.prod(shape[:outer]), *shape[outer:]))
    return x.with_flat_values(ops.take(found, rows, axis=0))


RULES |= {"reduce_variance": _variance, "reduce_logsumexp": _logsumexp, "cumsum": _running, "cumprod": _running}
