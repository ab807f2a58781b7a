"""What functions of `tf.sparse` do with sparse tensors whose places are not known while a function is traced: the same
by operations of the graph, where `places.py` and `arithmetic.py` compute the places by NumPy."""

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from tapeflow.api.arguments import one_axis, static_shape
from tapeflow.api.arrays.indexing import boolean_mask
from tapeflow.api.ragged.partitions import flat_rows_of
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from .tensor import SparseTensor, as_sparse, columns_of

_INT64 = np.dtype(np.int64)


def or_in_graph(symbolic: Callable) -> Callable:
    """A decorator: where the places of a sparse argument are symbols, `symbolic` answers."""

    def decorated(function: Callable) -> Callable:
        @wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            return (symbolic if has_symbols((*args, *kwargs.values())) else function)(*args, **kwargs)

        return either

    return decorated


def has_symbols(values: Any) -> bool:
    """Is one of them a sparse tensor whose places are symbols?"""
    for value in values:
        if isinstance(value, SparseTensor):
            if not (isinstance(value.indices, EagerTensor) and isinstance(value.dense_shape, EagerTensor)):
                return True
        elif isinstance(value, (list, tuple)) and has_symbols(value):
            return True
    return False


def of_columns(columns: Sequence[Tensor], values: Tensor, sizes: Any) -> SparseTensor:
    """From the places along each axis."""
    where = ops.stack(*columns, axis=1) if columns else _zeros(values.sizes[0], 0)
    return SparseTensor(where, values, ops.size_tensor(sizes=tuple(sizes), dtype=_INT64))


def _zeros(*shape: Any) -> Tensor:
    return ops.broadcast_to(EagerTensor(np.int64(0)), shape=shape)


def unraveled(flat: Tensor, sizes: Any) -> list[Tensor]:
    """The places along each axis, from those in the flattened tensor."""
    columns: list[Tensor] = []
    for size in reversed(tuple(sizes)[1:]):
        count = to_tensor(size, flat.dtype)
        columns.append(ops.floormod(flat, count))
        flat = ops.floordiv(flat, count)
    return [flat, *reversed(columns)] if tuple(sizes) else []


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    sp = as_sparse(sp_input)
    order = ops.argsort(flat_rows_of(sp.indices, sp.sizes), descending=False)
    return SparseTensor(ops.take(sp.indices, order, axis=0), ops.take(sp.values, order, axis=0), sp.dense_shape)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    sp = as_sparse(sp_input)
    order = range(sp.ndim)[::-1] if perm is None else static_shape(perm)
    columns, sizes = columns_of(sp), tuple(sp.sizes)
    return reorder(of_columns([columns[p] for p in order], sp.values, [sizes[p] for p in order]))


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    sp = as_sparse(sp_input)
    wanted = list(static_shape(shape))
    if any(type(d) is int and d == -1 for d in wanted):
        at = wanted.index(-1)
        wanted[at] = math.prod(sp.sizes) // math.prod(wanted[:at] + wanted[at + 1 :])
    if math.prod(wanted) != math.prod(sp.sizes):
        raise invalid(f"Cannot reshape a sparse tensor of shape {tuple(sp.shape)} to shape {wanted}.")
    return of_columns(unraveled(flat_rows_of(sp.indices, sp.sizes), wanted), sp.values, wanted)


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    sp = as_sparse(sp_input)
    columns, sizes = columns_of(sp), list(sp.sizes)
    axis = one_axis(-1 if axis is None else axis, sp.ndim + 1)
    columns.insert(axis, _zeros(sp.values.sizes[0]))
    sizes.insert(axis, 1)
    return of_columns(columns, sp.values, sizes)


def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    pieces = [as_sparse(sp) for sp in sp_inputs]
    axis = one_axis(axis, pieces[0].ndim)
    shapes = [list(sp.sizes) for sp in pieces]
    total = [max(sizes) for sizes in zip(*shapes)] if expand_nonconcat_dims else list(shapes[0])
    total[axis] = sum(sizes[axis] for sizes in shapes)
    for sizes in shapes:
        others = sizes[:axis] + sizes[axis + 1 :]
        if not expand_nonconcat_dims and others != total[:axis] + total[axis + 1 :]:
            raise invalid(
                f"Sparse tensors joined along axis {axis} must agree in the other axes, got shapes {shapes}."
            )
    start, moved = 0, []
    for sp, sizes in zip(pieces, shapes):
        columns = columns_of(sp)
        columns[axis] = columns[axis] + to_tensor(start, int64)
        moved.append(ops.stack(*columns, axis=1))
        start = start + sizes[axis]
    where, values = ops.concat(*moved, axis=0), ops.concat(*[sp.values for sp in pieces], axis=0)
    return reorder(SparseTensor(where, values, ops.size_tensor(sizes=tuple(total), dtype=_INT64)))


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    sp = as_sparse(sp_input)
    low, length = (ops.cast(as_tensor(v), dtype=_INT64) for v in (start, size))
    high = ops.minimum(low + length, sp.dense_shape)
    inside = ops.logical_and(ops.greater_equal(sp.indices, low), ops.less(sp.indices, high))
    kept = retain(sp, ops.reduce_all(inside, axis=(1,), keepdims=False))
    shape = ops.maximum(high - low, EagerTensor(np.int64(0)))
    return SparseTensor(kept.indices - low, kept.values, shape)


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    sp, kept = as_sparse(sp_input), as_tensor(to_retain)
    return SparseTensor(boolean_mask(sp.indices, kept), boolean_mask(sp.values, kept), sp.dense_shape)


def aligned(a: Any, b: Any) -> tuple[Tensor, list[Tensor]]:
    """The places where either has a value, and both with values (or zero) at all of them."""
    a, b = as_sparse(a), as_sparse(b)
    if tuple(a.sizes) != tuple(b.sizes):
        raise invalid(f"Sparse tensors must have the same shape, got {tuple(a.shape)} and {tuple(b.shape)}.")
    places = [flat_rows_of(sp.indices, sp.sizes) for sp in (a, b)]
    ordered = ops.sort(ops.concat(*places, axis=0), descending=False)
    before = ops.concat(EagerTensor(np.array([-1])), ordered, axis=0)[:-1]
    both = boolean_mask(ordered, ops.not_equal(ordered, before))
    count = both.sizes[0]
    spread = [
        ops.unsorted_segment_sum(
            sp.values, ops.cast(ops.searchsorted(both, place, side="left"), dtype=_INT64), num_segments=count
        )
        for sp, place in zip((a, b), places)
    ]
    return ops.stack(*unraveled(both, a.sizes), axis=1), spread


def combined(operation: Callable) -> Callable:
    """The function of two sparse tensors that applies an operation where either has a value."""

    def function(a: Any, b: Any, *rest: Any, **kwargs: Any) -> SparseTensor:
        where, both = aligned(a, b)
        return SparseTensor(where, operation(*both), as_sparse(a).dense_shape)

    return function
