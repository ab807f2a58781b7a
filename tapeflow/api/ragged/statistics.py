"""What primitives that look at whole rows do with ragged tensors: variance, log-sum-exp, running sums and products.
Importing this installs them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from .tensor import RULES, RaggedTensor


def _groups(x: RaggedTensor, axes: tuple) -> tuple[np.ndarray, int]:
    """(For each of the flat values the number of its group, how many there are): those that differ only along ragged
    axes among `axes` are in one."""
    places = x._places()
    kept = places[:, [k for k in range(places.shape[1]) if k not in axes]]
    if not kept.size:
        return np.zeros(len(places), np.int64), 1
    rows, ids = np.unique(kept, axis=0, return_inverse=True)
    return ids.reshape(-1), len(rows)


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
    total = ops.unsorted_segment_sum(flat, EagerTensor(ids), num_segments=count)
    many = np.maximum(np.bincount(ids, minlength=count), 1).astype(flat.dtype.np)
    mean = ops.div(total, EagerTensor(many.reshape(-1, *[1] * (flat.ndim - 1))))
    if inner:
        mean = ops.reduce_mean(mean, axis=inner, keepdims=True)
    deviation = flat - ops.take(mean, EagerTensor(ids), axis=0)
    return ops.reduce_mean(x.with_flat_values(ops.square(deviation)), **params)


def _logsumexp(apply: Callable, args: tuple, params: dict) -> Any:
    """Less the largest value of each group, so that nothing overflows."""
    x = args[0]
    if _whole(x, params):
        return _of_all(apply, x)
    flat, (ids, count), inner = x.flat_values, _groups(x, params["axis"]), _inner(x, params["axis"])
    most = ops.unsorted_segment_max(flat, EagerTensor(ids), num_segments=count, empty=flat.dtype.min)
    if inner:
        most = ops.reduce_max(most, axis=inner, keepdims=True)
    shifted = ops.exp(flat - ops.take(_finite(most), EagerTensor(ids), axis=0))
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
    places = x._places()
    rows = np.ravel_multi_index(places.T, shape[:outer]) if places.size else np.zeros(0, np.int64)
    found = ops.reshape(apply(filled, **params), shape=(int(np.prod(shape[:outer])), *shape[outer:]))
    return x.with_flat_values(ops.take(found, EagerTensor(rows), axis=0))


RULES |= {"reduce_variance": _variance, "reduce_logsumexp": _logsumexp, "cumsum": _running, "cumprod": _running}
