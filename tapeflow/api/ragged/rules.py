"""What primitives do with ragged tensors, and their operators and indexing. Importing this installs them."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.effects import at_every_run

from . import partitions as rows_of
from .partitions import INT as _INT, splits_of
from .tensor import RULES, RaggedTensor


def _rule(*names: str) -> Callable:
    def register(function: Callable) -> Callable:
        for name in names:
            RULES[name] = function
        return function

    return register


# ---- element by element


@_rule("elementwise", "zeros_like", "ones_like")
def _elementwise(apply: Callable, args: tuple, params: dict) -> Any:
    """On the flat values, with what is dense spread over them."""
    first = next(a for a in args if isinstance(a, RaggedTensor))
    flat = [a.flat_values if isinstance(a, RaggedTensor) else _spread(a, first) for a in args]
    for other in args:
        if isinstance(other, RaggedTensor) and other is not first:
            check_same_rows(first, other)
    return first.with_flat_values(apply(*flat, **params))


def check_same_rows(a: RaggedTensor, b: RaggedTensor) -> None:
    pairs = [(p._rows, q._rows) for p, q in zip(a._levels(), b._levels())]
    if len(a._levels()) == len(b._levels()):
        pairs = [(p, q) for p, q in pairs if p is not q]
        if not pairs:
            return
    _check_same_splits(*[[rows_of.tensor_of(r._rows) for r in x._levels()] for x in (a, b)])


@at_every_run(checks=True)
def _check_same_splits(first: list, second: list) -> None:
    splits = [[np.asarray(level.array).tolist() for level in levels] for levels in (first, second)]
    if splits[0] != splits[1]:
        raise invalid(
            f"The rows of two ragged tensors must have the same lengths, got row splits {splits[0]} and {splits[1]}."
        )


def _spread(dense: Any, ragged: RaggedTensor) -> Any:
    """A dense operand as one that broadcasts against the flat values of `ragged`."""
    if not isinstance(dense, Tensor):
        dense = as_tensor(dense) if not isinstance(dense, (bool, int, float, complex, str, bytes)) else dense
    inner = len(ragged.flat_values.sizes) - 1
    if not hasattr(dense, "shape") or len(dense.sizes) <= inner:
        return dense
    outer = ragged.ragged_rank + 1
    shape = tuple(dense.sizes)
    shape = (1,) * (outer + inner - len(shape)) + shape
    if not rows_of.is_known(*[level._rows for level in ragged._levels()]):
        columns = [rows_of.tensor_of(c) for c in ragged._columns()]
        columns = [
            ops.zeros_like(c) if type(size) is int and size == 1 else c for c, size in zip(columns, shape[:outer])
        ]
        flat = ops.reshape(dense, shape=(math.prod(shape[:outer]), *shape[outer:]))
        return ops.take(flat, rows_of.flat_places(columns, shape[:outer]), axis=0)
    places = ragged._places()
    sizes = [len(ragged._splits) - 1, *[set(np.diff(level._splits).tolist()) for level in ragged._levels()]]
    for axis, size in enumerate(shape[:outer]):
        have = sizes[axis] if axis else {sizes[0]}
        if size != 1 and have - {size}:
            raise invalid(
                f"A tensor of shape {tuple(dense.shape)} does not broadcast against a ragged tensor of shape "
                f"{tuple(ragged.shape)}: axis {axis} has size {size} here, and {sorted(have)} there."
            )
        if size == 1:
            places = np.where(np.arange(outer) == axis, 0, places)
    rows = np.ravel_multi_index(places.T, shape[:outer]) if places.size else np.zeros(0, _INT)
    flat = ops.reshape(dense, shape=(int(np.prod(shape[:outer])), *shape[outer:]))
    return ops.take(flat, EagerTensor(rows), axis=0)


# ---- reductions


_SEGMENTS = {
    "reduce_sum": lambda x, ids, n: ops.unsorted_segment_sum(x, ids, num_segments=n),
    "reduce_prod": lambda x, ids, n: ops.unsorted_segment_prod(x, ids, num_segments=n),
    "reduce_max": lambda x, ids, n: ops.unsorted_segment_max(x, ids, num_segments=n, empty=x.dtype.min),
    "reduce_min": lambda x, ids, n: ops.unsorted_segment_min(x, ids, num_segments=n, empty=x.dtype.max),
}


@_rule(*_SEGMENTS)
def _reduction(apply: Callable, args: tuple, params: dict) -> Any:
    x, name = args[0], apply.primitive.name
    if len(params["axis"]) == x.ndim and not params["keepdims"]:
        flat = x.flat_values
        return apply(flat, axis=tuple(range(flat.ndim)), keepdims=False)
    for axis in sorted(params["axis"], reverse=True):
        x = _reduced(x, axis, name)
        if params["keepdims"]:
            x = _expand_dims(x, axis)
    return x


@_rule("reduce_mean")
def _mean(apply: Callable, args: tuple, params: dict) -> Any:
    x = args[0]
    total = ops.reduce_sum(x, **params)
    return total / ops.reduce_sum(ops.zeros_like(x) + 1, **params)


@_rule("reduce_any", "reduce_all")
def _truth(apply: Callable, args: tuple, params: dict) -> Any:
    reduce = ops.reduce_max if apply.primitive.name == "reduce_any" else ops.reduce_min
    return reduce(ops.cast(args[0], dtype=np.dtype("int32")), **params) > 0


def _reduced(x: Any, axis: int, name: str) -> Any:
    """Without one axis."""
    if isinstance(x, Tensor):
        return getattr(ops, name)(x, axis=(axis,), keepdims=False)
    if axis == 0:
        return _merge_rows(x, rows_of.counted(rows_of.row_count(x._rows)) * 0, 1, name)._values
    if axis == 1:
        return _merge_rows(x._values, x._rowids(), rows_of.row_count(x._rows), name)
    return x.with_values(_reduced(x._values, axis - 1, name))


def _merge_rows(x: Any, groups: Any, count: Any, name: str) -> Any:
    """Row `i` goes to group `groups[i]`; the rows of a group are combined element by element, as far as each
    reaches."""
    if isinstance(x, Tensor):
        return _SEGMENTS[name](x, rows_of.tensor_of(rows_of.cast(groups, _INT)), count)
    lengths = rows_of.lengths_of(x._rows)
    if rows_of.is_known(groups, lengths):
        longest = np.zeros(count, _INT)
        np.maximum.at(longest, groups, lengths)
    else:
        of_rows = [rows_of.tensor_of(rows_of.cast(n, _INT)) for n in (lengths, groups)]
        longest = ops.unsorted_segment_max(*of_rows, num_segments=count, empty=0)
    splits, ids = splits_of(longest), x._rowids()
    places = rows_of.picked(splits, rows_of.picked(groups, ids)) + rows_of.cast(rows_of.of_rows(x._rows), _INT)
    merged = _merge_rows(x._values, places, rows_of.number(splits[-1]), name)
    return RaggedTensor(merged, splits, internal=True)


@_rule("softmax")
def _softmax(apply: Callable, args: tuple, params: dict) -> Any:
    """Along an inner axis on the flat values, along the ragged axis within each row."""
    x, axis = args[0], params["axis"] % args[0].ndim
    if axis > x.ragged_rank:
        return x.with_flat_values(apply(x.flat_values, axis=axis - x.ragged_rank))
    if axis != 1 or x.ragged_rank > 1:
        raise ValueError(
            f"softmax of a RaggedTensor of shape {tuple(x.shape)} does not go along axis {axis}, only within rows."
        )
    e = ops.exp(x - ops.stop_gradient(ops.reduce_max(x, axis=(1,), keepdims=True)))
    return ops.div(e, ops.reduce_sum(e, axis=(1,), keepdims=True))


@_rule("flip")
def _flip(apply: Callable, args: tuple, params: dict) -> Any:
    x = args[0]
    axes = params["axis"] if isinstance(params["axis"], tuple) else (params["axis"],)
    return x[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))]


# ---- rows


def take_rows(x: Any, rows: Any) -> Any:
    """The rows of these numbers, of a tensor or a ragged tensor."""
    if isinstance(x, Tensor):
        return ops.take(x, rows_of.tensor_of(rows_of.cast(rows, _INT)), axis=0)
    lengths = rows_of.picked(rows_of.lengths_of(x._rows), rows)
    places = rows_of.ranges(rows_of.picked(x._rows, rows), lengths)
    return RaggedTensor(take_rows(x._values, places), splits_of(lengths), internal=True, uniform=x._uniform)


@_rule("gather", "take")
def _gather(apply: Callable, args: tuple, params: dict) -> Any:
    x, indices = args
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(apply(x, indices.flat_values, **params))
    indices = rows_of.integers(indices)
    if params["axis"] or indices.ndim != 1:
        raise ValueError("Rows of a RaggedTensor are gathered along axis 0 by a vector of row numbers.")
    if not rows_of.is_known(indices, x._rows):
        return take_rows(x, indices)
    count = len(x._splits) - 1
    if ((indices < 0) | (indices >= count)).any():
        raise invalid(f"indices must be from 0 to {count - 1} for {count} rows, got {indices.tolist()}.")
    return take_rows(x, indices)


@_rule("reshape")
def _reshape(apply: Callable, args: tuple, params: dict) -> Any:
    """What `tf.expand_dims` and `tf.squeeze` ask for: one axis of size 1 more, or fewer."""
    x, new = args[0], tuple(params["shape"])
    old = tuple(x.shape)
    for axis in range(len(new)):
        if new[axis] == 1 and old == new[:axis] + new[axis + 1 :]:
            return _expand_dims(x, axis)
    for axis in range(len(old)):
        if old[axis] == 1 and new == old[:axis] + old[axis + 1 :]:
            return _squeeze(x, axis)
    if all(type(size) is int for size in new) and math.prod(new) == math.prod(x.flat_values.sizes):
        return apply(x.flat_values, **params)
    raise ValueError(
        f"A ragged tensor of shape {old} cannot be reshaped to {new}: use its flat_values, or r.to_tensor()."
    )


def _squeeze(x: Any, axis: int) -> Any:
    if isinstance(x, Tensor):
        shape = tuple(x.sizes)
        return ops.reshape(x, shape=shape[:axis] + shape[axis + 1 :])
    return x._values if axis <= 1 else x.with_values(_squeeze(x._values, axis - 1))


@_rule("one_hot")
def _one_hot(apply: Callable, args: tuple, params: dict) -> Any:
    (x,) = args
    if params["axis"] != len(x.shape):
        raise ValueError(f"tf.one_hot of a ragged tensor adds a last axis, {len(x.shape)}; got axis={params['axis']}.")
    flat = x.flat_values
    return x.with_flat_values(apply(flat, depth=params["depth"], axis=len(flat.sizes)))


def _expand_dims(x: Any, axis: int) -> Any:
    if isinstance(x, Tensor):
        shape = tuple(x.sizes)
        return ops.reshape(x, shape=(*shape[:axis], 1, *shape[axis:]))
    if axis > 1:
        return x.with_values(_expand_dims(x._values, axis - 1))
    rows = rows_of.row_count(x._rows)
    count, size = (1, rows) if axis == 0 else (rows, 1)
    made = RaggedTensor.from_uniform_row_length(x, size, nrows=count)
    return made.with_row_splits_dtype(rows_of.dtype_of(x._rows))


@_rule("add_n")
def _sum_of_several(apply: Callable, args: tuple, params: dict) -> Any:
    return functools.reduce(ops.add, args)


@_rule("nonzero")
def _nonzero(apply: Callable, args: tuple, params: dict) -> Any:
    """Where: along the ragged axes, then along those of the flat values."""
    (x,) = args
    found = apply(x.flat_values, **params).array
    return EagerTensor(np.concatenate([x._places()[found[:, 0]], found[:, 1:]], 1))


@_rule("split")
def _split(apply: Callable, args: tuple, params: dict) -> Any:
    """Rows go to pieces; the axes of the flat values are split in them."""
    x, axis, sizes = args[0], params["axis"], params["sizes"]
    if axis > x.ragged_rank:
        return tuple(map(x.with_flat_values, apply(x.flat_values, sizes=sizes, axis=axis - x.ragged_rank)))
    if axis:
        raise ValueError(f"A ragged tensor of shape {tuple(x.shape)} cannot be split along its ragged axis {axis}.")
    ends = np.cumsum([0, *sizes])
    return tuple([take_rows(x, np.arange(a, b)) for a, b in itertools.pairwise(ends)])


@_rule("concat")
def _concat(apply: Callable, args: tuple, params: dict) -> Any:
    found = _concatenated(args, params["axis"])
    splits = {rows_of.dtype_of(p._rows) for p in args if isinstance(p, RaggedTensor)}
    if len(splits) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    return found.with_row_splits_dtype(splits.pop())


def _concatenated(args: tuple, axis: int) -> Any:
    pieces = list(args)
    depth = max(p.ragged_rank for p in pieces if isinstance(p, RaggedTensor))
    pieces = [p if isinstance(p, RaggedTensor) else RaggedTensor.from_tensor(p, ragged_rank=depth) for p in pieces]
    return _joined(pieces, axis)


def _joined(pieces: list, axis: int) -> Any:
    if isinstance(pieces[0], Tensor):
        return ops.concat(*pieces, axis=axis)
    counts = {rows_of.row_count(p._rows) for p in pieces}
    if axis > 0 and len(counts) > 1:
        raise invalid(
            f"Ragged tensors that are joined along axis {axis} must have as many rows, got {sorted(counts)}."
        )
    if axis > 1:
        for p in pieces[1:]:
            _check_same_splits(*[[rows_of.tensor_of(r._rows)] for r in (pieces[0], p)])
        return pieces[0].with_values(_joined([p._values for p in pieces], axis - 1))
    lengths = rows_of.joined(*[rows_of.lengths_of(p._rows) for p in pieces])
    below = RaggedTensor(_joined([p._values for p in pieces], 0), splits_of(lengths), internal=True)
    if axis == 0:
        return below
    rows, count = counts.pop(), len(pieces)
    if type(rows) is int:
        order = np.arange(count * rows).reshape(count, rows).T.reshape(-1)
    else:
        table = ops.reshape(rows_of.counted(rows * count), shape=(count, rows))
        order = ops.reshape(ops.transpose(table, perm=(1, 0)), shape=(rows * count,))
    side_by_side = take_rows(below, order)
    return RaggedTensor(side_by_side._values, side_by_side._rows[::count], internal=True)


@_rule("stack")
def _stack(apply: Callable, args: tuple, params: dict) -> Any:
    axis = params["axis"]
    return ops.concat(*[_expand_dims(piece, axis) for piece in args], axis=axis)


# ---- x[...]


def _getitem(x: Any, key: Any) -> Any:
    return _indexed(x, key if isinstance(key, tuple) else (key,))


def _indexed(x: Any, keys: tuple) -> Any:
    if any(k is Ellipsis for k in keys):
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        missing = x.ndim - sum(k is not None and k is not Ellipsis for k in keys)
        keys = keys[:at] + (slice(None),) * missing + keys[at + 1 :]
    if not keys:
        return x
    if isinstance(x, Tensor):
        return x[keys]
    first, *rest = keys
    rest = tuple(rest)
    if first is None:
        return _expand_dims(_indexed(x, rest), 0)
    if not rows_of.is_known(x._rows):
        return _indexed_by_symbols(x, first, rest)
    count = len(x._splits) - 1
    if isinstance(first, slice):
        rows = x if first == slice(None) else take_rows(x, np.arange(count)[_concrete(first)])
        return _within_rows(rows, rest) if rest else rows
    row = np.asarray(as_tensor(first).array)
    if row.ndim:
        return _indexed(take_rows(x, np.arange(count)[row]), (slice(None), *rest))
    if not -count <= row < count:
        raise IndexError(f"Row key {row} out of bounds: there are {count} rows.")
    start, stop = (int(s) for s in x._splits[row % count : row % count + 2])
    values = x._values
    chosen = (
        ops.getitem(values, index=((start, stop, 1),))
        if isinstance(values, Tensor)
        else take_rows(values, np.arange(start, stop))
    )
    return _indexed(chosen, rest)


def _indexed_by_symbols(x: RaggedTensor, first: Any, rest: tuple) -> Any:
    """In a graph, where the lengths of rows are not known."""
    count = rows_of.row_count(x._rows)
    if isinstance(first, slice):
        if first == slice(None):
            rows = x
        elif type(count) is int:
            rows = take_rows(x, np.arange(count)[_concrete(first)])
        else:
            rows = take_rows(x, ops.getitem(rows_of.counted(count), index=((first.start, first.stop, first.step),)))
        return _within_rows(rows, rest) if rest else rows
    row = rows_of.integers(first)
    if row.ndim:
        return _indexed(take_rows(x, row), (slice(None), *rest))
    row = ops.reshape(rows_of.tensor_of(rows_of.cast(row, _INT)), shape=(1,))
    row = ops.where(ops.less(row, 0), row + rows_of.size_tensor(count, row.dtype), row)
    places = rows_of.ranges(rows_of.picked(x._rows, row), rows_of.picked(rows_of.lengths_of(x._rows), row))
    return _indexed(take_rows(x._values, places), rest)


def _cut_rows(x: RaggedTensor, key: slice) -> RaggedTensor:
    """`x[:, a:b]` in a graph."""
    if key.step not in (None, 1):
        np.asarray(x._splits)  # each row by Python, if it has values
    lengths = rows_of.lengths_of(x._rows)

    def bound(value: Any, default: Any) -> Any:
        if value is None:
            return default
        at = ops.cast(as_tensor(value), dtype=lengths.dtype.np)
        at = ops.where(ops.less(at, 0), lengths + at, ops.zeros_like(lengths) + at)
        return ops.minimum(ops.maximum(at, 0), lengths)

    start, stop = bound(key.start, ops.zeros_like(lengths)), bound(key.stop, lengths)
    kept = ops.maximum(stop - start, 0)
    values = take_rows(x._values, ops.ranges(x._rows[:-1] + start, kept))
    return RaggedTensor(values, splits_of(kept), internal=True)


def _within_rows(x: RaggedTensor, keys: tuple) -> Any:
    """`x[:, keys…]`: the first key acts within each row."""
    first, *rest = keys
    if first is None:
        return _indexed(RaggedTensor.from_uniform_row_length(x, 1), (slice(None), slice(None), *rest))
    if not isinstance(first, slice):
        raise ValueError(
            "Cannot index into an inner ragged dimension: rows differ in length. Use a slice, x[:, i:i + 1]."
        )
    if first != slice(None) and not rows_of.is_known(x._rows):
        x = _cut_rows(x, first)
    elif first != slice(None):
        bounds = x._splits.tolist()
        chosen = [np.arange(a, b)[_concrete(first)] for a, b in itertools.pairwise(bounds)]
        places = np.concatenate(chosen) if chosen else np.zeros(0, _INT)
        x = RaggedTensor(
            take_rows(x._values, places), splits_of(np.array([len(c) for c in chosen], _INT)), internal=True
        )
    return x.with_values(_indexed(x._values, (slice(None), *rest))) if rest else x


def _concrete(key: slice) -> slice:
    return slice(*[None if k is None else int(k) for k in (key.start, key.stop, key.step)])


RaggedTensor.__getitem__ = _getitem

# ---- operators


def _quotient(a: Any, b: Any) -> Any:
    """`/`: integers divide into float64."""
    wide = lambda x: ops.cast(x, dtype=np.dtype("float64")) if not x.dtype.is_inexact else x
    a, b = (x if isinstance(x, float) else wide(as_tensor(x)) for x in (a, b))
    return ops.div(a, b)


def _binary(name: str, function: Callable) -> None:
    setattr(RaggedTensor, f"__{name}__", lambda self, other: function(self, other))
    setattr(RaggedTensor, f"__r{name}__", lambda self, other: function(other, self))


for _name, _primitive in (
    ("add", "add"), ("sub", "sub"), ("mul", "mul"), ("floordiv", "floordiv"), ("mod", "floormod"), ("pow", "pow"),
    ("and", "logical_and"), ("or", "logical_or"), ("xor", "logical_xor"),
):  # fmt: skip
    _binary(_name, lambda a, b, name=_primitive: getattr(ops, name)(a, b))
_binary("truediv", _quotient)
for _name, _primitive in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
    setattr(RaggedTensor, f"__{_name}__", lambda self, other, name=_primitive: getattr(ops, name)(self, other))
RaggedTensor.__eq__ = lambda self, other: False if other is None else ops.equal(self, other)
RaggedTensor.__ne__ = lambda self, other: True if other is None else ops.not_equal(self, other)
RaggedTensor.__neg__ = lambda self: ops.neg(self)
RaggedTensor.__abs__ = lambda self: ops.abs(self)
RaggedTensor.__invert__ = lambda self: ops.logical_not(self)
