"""Moving elements, parts of tensors, rows by index, sorting."""

from typing import Any

import numpy as np

from tapeflow.core.sizes import Size
from tapeflow.export.lowering import Unsupported

from .builder import Builder, Value, onnx_type

_INT, _INT32 = np.dtype(np.int64), np.dtype(np.int32)
_FAR = np.iinfo(np.int64).max


def transposed(onnx: Builder, x: Value, perm: tuple[int, ...]) -> Value:
    """A constant is turned here and now."""
    if tuple(perm) == tuple(range(len(perm))):
        return x
    if x.array is not None and x.array.dtype.kind != "O":
        return onnx.constant(np.ascontiguousarray(x.array.transpose(perm)), f"{x.name}_turned")
    return onnx.Transpose(x, perm=[int(p) for p in perm])


def _vector(*numbers: int) -> np.ndarray:
    return np.array(numbers, _INT)


def _reshape(onnx: Builder, x: Value, shape: tuple) -> Value:
    return onnx.Reshape(x, onnx.sizes(shape), allowzero=1)


def _getitem(onnx: Builder, x: Value, index: tuple) -> Value:
    """One Slice for all bounds, a Squeeze for ints, an Unsqueeze for new axes."""
    rest = x.rank - sum(i is not None and i is not ... for i in index)
    at = index.index(...) if ... in index else len(index)
    full = (*index[:at], *[(None, None, None)] * rest, *index[at + 1 :])
    bounds: list[tuple] = []
    gone, new, axis, place = [], [], 0, 0
    for i in full:
        if i is None:
            new.append(place)
            place += 1
            continue
        if type(i) is tuple:
            start, stop, step = i
            step = 1 if step is None else int(step)
            if (start, stop, step) != (None, None, 1):
                first = (0 if step > 0 else _FAR) if start is None else start
                last = (_FAR if step > 0 else -_FAR) if stop is None else stop
                bounds.append((axis, first, last, step))
            place += 1
        else:
            bounds.append((axis, i, i + 1 if i != -1 else _FAR, 1))
            gone.append(axis)
        axis += 1
    if bounds:
        axes, starts, stops, steps = zip(*bounds)
        x = onnx.Slice(x, onnx.sizes(starts), onnx.sizes(stops), _vector(*axes), _vector(*steps))
    if gone:
        x = onnx.Squeeze(x, _vector(*gone))
    return onnx.Unsqueeze(x, _vector(*new)) if new else x


def _unslice(onnx: Builder, x: Value, index: tuple, shape: tuple) -> Value:
    """Zeros around the part, for parts without steps."""
    rest = len(shape) - sum(i is not None and i is not ... for i in index)
    at = index.index(...) if ... in index else len(index)
    full = (*index[:at], *[(None, None, None)] * rest, *index[at + 1 :])
    before, after, missing, new = [list[int]() for _ in range(4)]
    place = 0
    for i in full:
        if i is None:
            new.append(place)
            place += 1
            continue
        size = shape[len(before)]
        start, stop, step = i if type(i) is tuple else (i, i + 1 if i != -1 else None, 1)
        if type(size) is Size:  # the whole of it, or all but what is known at the ends
            start = 0 if start is None else start
            gap = 0 if stop is None else size - stop
            if step in (None, 1) and type(start) is type(gap) is int and start >= 0 and type(i) is tuple:
                before.append(start)
                after.append(gap)
                place += 1
                continue
        if step not in (None, 1) or type(size) is Size:
            raise Unsupported("writes into a part with steps, or of unknown size: only gradients of slices do")
        start, stop, _ = slice(start, stop).indices(size) if type(size) is int else (0, 0, 1)
        before.append(start)
        after.append(max(size - max(stop, start), 0) if type(size) is int else 0)
        if type(i) is not tuple:
            missing.append(len(before) - 1)
        else:
            place += 1
    if new:
        raise Unsupported("writes into a part with new axes: only gradients of slices do")
    if missing:
        x = onnx.Unsqueeze(x, _vector(*missing))
    return onnx.Pad(x, _vector(*before, *after), onnx.constant(np.zeros((), x.dtype)))


def _flip(onnx: Builder, x: Value, axis: Any) -> Value:
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    count = len(axes)
    if not count:
        return onnx.Identity(x)
    return onnx.Slice(x, _vector(*[-1] * count), _vector(*[-_FAR] * count), _vector(*axes), _vector(*[-1] * count))


def _stack(onnx: Builder, *xs: Value, axis: int) -> Value:
    return onnx.Concat(*[onnx.Unsqueeze(x, _vector(axis)) for x in xs], axis=axis)


def _split(onnx: Builder, x: Value, sizes: tuple, axis: int) -> tuple:
    return onnx.Split(x, onnx.sizes(sizes), axis=axis, outputs=len(sizes))


def _size_tensor(onnx: Builder, sizes: Any, dtype: Any) -> Value:
    vector = isinstance(sizes, (tuple, list))
    if any(isinstance(d, (tuple, list)) for d in (sizes if vector else ())):
        raise Unsupported("makes a matrix of sizes: make a vector of them")
    found = onnx.sizes(sizes) if vector else onnx.Squeeze(onnx.size(sizes), _vector(0))
    return found if np.dtype(dtype) == _INT else onnx.Cast(found, to=onnx_type(dtype), dtype=np.dtype(dtype))


def _gather(onnx: Builder, x: Value, indices: Value, axis: int) -> Value:
    return onnx.Gather(x, indices, axis=axis)


def _take_along(onnx: Builder, x: Value, indices: Value) -> Value:
    """GatherElements wants rows for rows: leading axes are spread before."""
    if any(type(a) is not type(b) or a != b for a, b in zip(_plain(x.shape[:-1]), _plain(indices.shape[:-1]))):
        raise Unsupported("reads along rows that are spread: use tf.broadcast_to first")
    return onnx.GatherElements(x, indices, axis=x.rank - 1)


def _plain(shape: tuple) -> list:
    return [d.expression if type(d) is Size else d for d in shape]


def _add_along(onnx: Builder, x: Value, indices: Value, size: Any) -> Value:
    zeros = _filled(onnx, 0, x.dtype, onnx.sizes((*x.shape[:-1], size)))
    return onnx.ScatterElements(zeros, indices, x, axis=x.rank - 1, reduction="add")


def _filled(onnx: Builder, number: Any, dtype: Any, shape: Value) -> Value:
    return onnx.Expand(onnx.constant(np.array(number, dtype)), shape)


def _top_k(onnx: Builder, x: Value, k: Any) -> tuple:
    values, indices = onnx.TopK(x, onnx.size(k), axis=x.rank - 1, largest=1, sorted=1, outputs=2)
    indices.dtype = _INT
    return values, onnx.Cast(indices, to=onnx_type(_INT32), dtype=_INT32)


def _unique(onnx: Builder, x: Value) -> tuple:
    _, first, index, count = onnx.Unique(x, sorted=0, outputs=4)
    return first, index, count


def _nonzero(onnx: Builder, x: Value) -> Value:
    if not x.rank:
        raise Unsupported("looks for a number that is not 0 in a scalar, which ONNX takes for a vector")
    return onnx.Transpose(onnx.NonZero(x, dtype=_INT), perm=[1, 0])


def _compress(onnx: Builder, x: Value, condition: Value) -> Value:
    if condition.rank != 1:
        x = onnx.Reshape(x, onnx.Concat(_vector(-1), onnx.sizes(x.shape[condition.rank :]), axis=0))
        condition = onnx.Reshape(condition, _vector(-1))
    return onnx.Compress(x, condition, axis=0)


def _rows(ids: Value, onnx: Builder) -> Value:
    """Ids of rows as ScatterND wants them: one number each, along a last axis."""
    wide = ids if ids.dtype == _INT else onnx.Cast(ids, to=onnx_type(_INT), dtype=_INT)
    return onnx.Unsqueeze(wide, _vector(-1))


def _scatter(reduction: str) -> Any:
    def rule(onnx: Builder, x: Value, ids: Value, updates: Value) -> Value:
        shape = (*ids.shape, *x.shape[1:])
        if _plain(shape) != _plain(updates.shape):
            updates = onnx.Expand(updates, onnx.sizes(shape))
        return onnx.ScatterND(x, _rows(ids, onnx), updates, reduction=reduction)

    return rule


def _segments(reduction: str, start: Any) -> Any:
    """Rows that belong to no segment go to one more, which is cut off."""

    def rule(onnx: Builder, x: Value, ids: Value, num_segments: Any, empty: Any = None) -> Value:
        count = onnx.size(num_segments)
        shape = onnx.sizes(x.shape[len(ids.shape) :]) if len(ids.shape) < x.rank else None
        one_more = onnx.Add(count, _vector(1))
        whole = one_more if shape is None else onnx.Concat(one_more, shape, axis=0)
        number = (start if empty is None else empty) if not callable(start) else start(x.dtype, empty)
        out = _filled(onnx, number, x.dtype, whole)
        rows = _rows(ids, onnx)
        inside = onnx.Less(rows, _vector(0), dtype=np.dtype(bool))
        rows = onnx.Where(inside, onnx.Squeeze(count, _vector(0)), rows, dtype=_INT)
        out = onnx.ScatterND(out, rows, x, reduction=reduction)
        return onnx.Slice(out, _vector(0), count, _vector(0))

    return rule


RULES: dict[str, Any] = {
    "reshape": _reshape,
    "broadcast_to": lambda onnx, x, shape: onnx.Expand(x, onnx.sizes(shape)),
    "transpose": transposed,
    "matrix_transpose": lambda onnx, x: transposed(onnx, x, (*range(x.rank - 2), x.rank - 1, x.rank - 2)),
    "getitem": _getitem,
    "unslice": _unslice,
    "flip": _flip,
    "concat": lambda onnx, *xs, axis: onnx.Concat(*xs, axis=axis),
    "stack": _stack,
    "split": _split,
    "size_tensor": _size_tensor,
    "gather": _gather,
    "take": _gather,
    "take_along": _take_along,
    "add_along": _add_along,
    "top_k": _top_k,
    "unique": _unique,
    "nonzero": _nonzero,
    "compress": _compress,
    "scatter_update": _scatter("none"),
    "scatter_max": _scatter("max"),
    "scatter_min": _scatter("min"),
    "unsorted_segment_sum": _segments("add", 0),
    "unsorted_segment_prod": _segments("mul", 1),
    "contract": lambda onnx, a, b, equation: onnx.Einsum(a, b, equation=equation),
}
