"""Moving, finding and grouping elements, as other primitives."""

import math
from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor

_ALL = (None, None, None)
_INT = np.dtype(np.int64)


def counted(size, dtype=_INT):
    """0, 1, … up to a size, which may be unknown."""
    if type(size) is int:
        return EagerTensor(np.arange(size, dtype=dtype))
    ones = ops.broadcast_to(EagerTensor(np.ones((), dtype)), shape=(size,))
    return ops.cumsum(ones, axis=0, exclusive=True, reverse=False)


def _part(x, axis, start, stop, step=1):
    return ops.getitem(x, index=(*[_ALL] * axis, (start, stop, step)))


def _rank(x):
    return len(x.sizes)


def _in_rank(x, rank, axis=0):
    """A vector along one axis of `rank`."""
    return ops.reshape(x, shape=tuple([x.sizes[0] if k == axis else 1 for k in range(rank)]))


def _roll(x, shift, axis):
    for by, along in zip(shift, axis):
        size = x.sizes[along]
        if type(size) is int:
            by = by % max(size, 1)
        if by:
            x = ops.concat(_part(x, along, -by, None), _part(x, along, None, -by), axis=along)
    return x


def _shift(x, axis, by):
    kept = _part(x, axis, None, -by) if by > 0 else _part(x, axis, -by, None)
    gap = ops.zeros_like(_part(x, axis, None, by) if by > 0 else _part(x, axis, by, None))
    return ops.concat(gap, kept, axis=axis) if by > 0 else ops.concat(kept, gap, axis=axis)


def _one_hot(indices, depth, axis):
    indices = ops.cast(indices, dtype=_INT)  # the depth may be more than a narrow dtype holds
    rank = _rank(indices) + 1
    shape = tuple(indices.sizes)
    places = _in_rank(counted(depth), rank, axis)
    return ops.equal(ops.reshape(indices, shape=(*shape[:axis], 1, *shape[axis:])), places)


def _flat_rows(indices, batch_dims, size):
    shape = tuple(indices.sizes)
    starts = counted(math.prod(shape[:batch_dims])) * ops.size_tensor(sizes=size, dtype=_INT)
    starts = ops.reshape(starts, shape=(*shape[:batch_dims], *[1] * (len(shape) - batch_dims)))
    return ops.cast(indices, dtype=_INT) + starts


def _strides(dims):
    found = [1]
    for d in dims[:0:-1]:
        found.append(found[-1] * d)
    return found[::-1][: len(dims)]


def _ravel_index(indices, dims):
    wide = ops.cast(indices, dtype=_INT)
    return ops.reduce_sum(
        wide * ops.size_tensor(sizes=tuple(_strides(dims)), dtype=_INT), axis=(_rank(indices) - 1,), keepdims=False
    )


def _unravel_index(x, dims):
    if not dims:
        return ops.broadcast_to(ops.zeros_like(x), shape=(0, *x.sizes))
    found = []
    for stride, size in zip(_strides(dims), dims):
        whole = ops.floordiv(x, ops.size_tensor(sizes=stride, dtype=x.dtype.np))
        found.append(ops.floormod(whole, ops.size_tensor(sizes=size, dtype=x.dtype.np)))
    return ops.stack(*found, axis=0)


def _unstack(x, axis):
    return tuple([ops.getitem(x, index=(*[_ALL] * axis, k)) for k in range(int(x.sizes[axis]))])


def _stack(*xs, axis):
    return ops.concat(*[ops.getitem(x, index=(*[_ALL] * axis, None)) for x in xs], axis=axis)


def _split(x, sizes, axis):
    found, start = [], 0
    for size in sizes:
        found.append(_part(x, axis, start, start + size))
        start = start + size
    return tuple(found)


def _reverse_sequence(x, lengths, seq_axis, batch_axis):
    """Each row is read at length - 1 - place, or at the place itself behind its length."""
    rank = _rank(x)
    place = _in_rank(counted(x.sizes[seq_axis]), rank, seq_axis)
    length = _in_rank(ops.cast(lengths, dtype=_INT), rank, batch_axis)
    order = ops.where(place < length, length - 1 - place, place)
    last = tuple([k for k in range(rank) if k != seq_axis] + [seq_axis])
    back = tuple(np.argsort(last).tolist())
    moved = ops.transpose(x, perm=last)
    found = ops.take_along(moved, ops.broadcast_to(ops.transpose(order, perm=last), shape=tuple(moved.sizes)))
    return ops.transpose(found, perm=back)


def _sort(x, descending):
    return ops.top_k(x, k=x.sizes[-1])[0] if descending else ops.take_along(x, ops.argsort(x, descending=False))


def _argsort(x, descending):
    """Ascending is descending read backwards twice, so that equal elements keep their order."""
    size = x.sizes[-1]
    if descending:
        return ops.top_k(x, k=size)[1]
    last = (_rank(x) - 1,)
    order = ops.top_k(ops.flip(x, axis=last), k=size)[1]
    return ops.size_tensor(sizes=size, dtype=np.dtype(np.int32)) - 1 - ops.flip(order, axis=last)


def _in_top_k(predictions, targets, k):
    classes = predictions.sizes[1]
    valid = ops.logical_and(targets >= 0, ops.less(targets, ops.size_tensor(sizes=classes, dtype=targets.dtype.np)))
    there = ops.where(valid, targets, ops.zeros_like(targets))
    mine = ops.take_along(predictions, ops.getitem(there, index=(_ALL, None)))
    finite = ops.is_finite(predictions)
    ahead = ops.cast(ops.logical_and(predictions > mine, finite), dtype=np.dtype(np.int32))
    few = ops.reduce_sum(ahead, axis=(1,), keepdims=False) < k
    all_finite = ops.reduce_all(finite, axis=(1,), keepdims=False)
    found = ops.is_finite(ops.getitem(mine, index=(_ALL, 0)))
    return ops.logical_and(ops.logical_and(valid, found), ops.logical_and(all_finite, few))


def _bincount(x, size):
    flat = ops.reshape(x, shape=(math.prod(x.sizes),))
    hits = ops.cast(ops.one_hot(flat, depth=size, axis=1), dtype=_INT)
    return ops.reduce_sum(hits, axis=(0,), keepdims=False)


def _histogram_bins(x, low, high, size):
    kind = x.dtype.np
    wide = kind if kind.kind == "f" else np.dtype(np.float64)
    x, low, high = [ops.cast(t, dtype=wide) for t in (x, low, high)]
    count = ops.size_tensor(sizes=size, dtype=np.dtype(np.int32))
    steps = ops.floor((x - low) / (high - low) * ops.cast(count, dtype=wide))
    steps = ops.where(ops.is_nan(steps), ops.zeros_like(steps), steps)
    inside = ops.minimum(ops.maximum(steps, 0.0), ops.cast(count - 1, dtype=wide))
    return ops.cast(inside, dtype=np.dtype(np.int32))


def _searchsorted(x, values, side):
    """How many elements of its row come before a value."""
    rank = _rank(values)
    row = _in_rank(x, rank + 1, rank) if _rank(x) == 1 else ops.getitem(x, index=(..., None, _ALL))
    value = ops.getitem(values, index=(*[_ALL] * rank, None))
    before = ops.less(row, value) if side == "left" else ops.less_equal(row, value)
    return ops.reduce_sum(ops.cast(before, dtype=np.dtype(np.int32)), axis=(rank,), keepdims=False)


def _band_part(x, lower, upper):
    rows, cols = x.sizes[-2], x.sizes[-1]
    offset = _in_rank(counted(cols), 2, 1) - _in_rank(counted(rows), 2, 0)
    keep = ops.equal(ops.zeros_like(offset), 0)
    if lower >= 0:
        keep = ops.logical_and(keep, ops.greater_equal(offset, -lower))
    if upper >= 0:
        keep = ops.logical_and(keep, ops.less_equal(offset, upper))
    return ops.where(keep, x, ops.zeros_like(x))


def _diag_part(x, k, align):
    """Elements by their position in the flattened matrix; unused places are 0."""
    from tapeflow.ops.linalg.products import diagonal_places

    *batch, rows, cols = x.sizes
    if not type(rows) is type(cols) is int:
        raise NotImplementedError("a diagonal of a matrix of unknown size")
    flat, packed, shape = diagonal_places(rows, cols, k, align)
    source = np.zeros(math.prod(shape), np.int64)
    there = np.zeros(math.prod(shape), bool)
    source[packed], there[packed] = flat, True
    found = ops.take(ops.reshape(x, shape=(*batch, rows * cols)), EagerTensor(source), axis=len(batch))
    if not there.all():
        found = ops.where(EagerTensor(there), found, ops.zeros_like(found))
    return ops.reshape(found, shape=(*batch, *shape))


def _diag_matrix(x, k, rows, cols, align):
    from tapeflow.ops.linalg.products import diagonal_places

    if not type(rows) is type(cols) is int:
        raise NotImplementedError("a matrix of unknown size with a given diagonal")
    flat, packed, shape = diagonal_places(rows, cols, k, align)
    batch = tuple(x.sizes)[: len(x.sizes) - len(shape)]
    x = ops.broadcast_to(x, shape=(*batch, *shape))
    source, there = np.zeros(rows * cols, np.int64), np.zeros(rows * cols, bool)
    source[flat], there[flat] = packed, True
    found = ops.take(ops.reshape(x, shape=(*batch, math.prod(shape))), EagerTensor(source), axis=len(batch))
    found = ops.where(EagerTensor(there), found, ops.zeros_like(found))
    return ops.reshape(found, shape=(*batch, rows, cols))


def _gather_or_zero(x, ids):
    outside = ids < 0
    found = ops.take(x, ops.where(outside, ops.zeros_like(ids), ids), axis=0)
    mask = ops.reshape(outside, shape=(*outside.sizes, *[1] * (_rank(x) - 1)))
    return ops.where(mask, ops.zeros_like(found), found)


def _flat_segments(ids, num_segments):
    shape = tuple(ids.sizes)
    starts = counted(shape[0]) * ops.size_tensor(sizes=num_segments, dtype=_INT)
    wide = ops.cast(ids, dtype=_INT)
    return ops.where(wide < 0, ops.zeros_like(wide) - 1, wide + _in_rank(starts, len(shape)))


def _clear_rows(x, ids):
    return ops.scatter_update(x, ids, ops.zeros_like(ops.take(x, ids, axis=0)))


def _true_places(x, batch_dims):
    if batch_dims:
        raise NotImplementedError("places that are true, row by row")
    flat = ops.reshape(x, shape=(math.prod(x.sizes),))
    return ops.getitem(ops.nonzero(flat), index=(_ALL, 0))


def _unslice(x, index, shape):
    """Zeros joined to the part, axis by axis."""
    if len(index) > len(shape) or any(type(i) is not tuple or i[2] not in (None, 1) for i in index):
        raise NotImplementedError("a part with steps, new axes or single places")
    if len(x.sizes) != len(shape):
        raise NotImplementedError("a part that is filled with fewer axes")
    zero = EagerTensor(np.zeros((), x.dtype.np) if x.dtype.np.kind != "O" else np.array(b"", object))
    for axis, (start, stop, _) in enumerate(index):
        before, after = 0 if start is None else start, 0 if stop is None else shape[axis] - stop
        if any(type(d) is not int or d < 0 for d in (before, after)) or type(stop) is int and stop < before:
            raise NotImplementedError("a part whose place is not known")
        if type(x.sizes[axis]) is int and type(shape[axis]) is int and x.sizes[axis] != shape[axis] - before - after:
            raise NotImplementedError("a part that one row fills")
        rest = tuple(x.sizes)
        gap = lambda size, rest=rest, axis=axis: ops.broadcast_to(
            ops.reshape(zero, shape=(1,) * len(rest)), shape=(*rest[:axis], size, *rest[axis + 1 :])
        )
        parts = [*([gap(before)] if before else []), x, *([gap(after)] if after else [])]
        x = ops.concat(*parts, axis=axis) if len(parts) > 1 else x
    return ops.identity(x)


TABLE: dict[str, Any] = {
    "roll": _roll,
    "shift": _shift,
    "one_hot": _one_hot,
    "flat_rows": _flat_rows,
    "ravel_index": _ravel_index,
    "unravel_index": _unravel_index,
    "unstack": _unstack,
    "stack": _stack,
    "split": _split,
    "take": lambda x, indices, axis: ops.gather(x, indices, axis=axis),
    "reverse_sequence": _reverse_sequence,
    "sort": _sort,
    "argsort": _argsort,
    "in_top_k": _in_top_k,
    "bincount": _bincount,
    "histogram_bins": _histogram_bins,
    "searchsorted": _searchsorted,
    "invert_permutation": lambda x: ops.cast(ops.argsort(x, descending=False), dtype=x.dtype.np),
    "band_part": _band_part,
    "diag_part": _diag_part,
    "diag_matrix": _diag_matrix,
    "unslice": _unslice,
    "gather_or_zero": _gather_or_zero,
    "flat_segments": _flat_segments,
    "clear_rows": _clear_rows,
    "true_places": _true_places,
    "stop_gradient": lambda x: ops.identity(x),
    "assigned": lambda x, variable: ops.identity(x),
    "check_numerics": lambda x, message: ops.identity(x),
}
