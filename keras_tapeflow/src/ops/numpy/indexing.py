"""`take`, `sort`, `searchsorted`, `bincount`, …: elements by position, sorting, searching, counting."""

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .common import cast, common, counting, numpy_function, one_axis, result, tensor

# ---- taking


def _from_start(indices: Any, size: Any) -> Tensor:
    """Places that count from the start, also those that count from the end (negative ones)."""
    indices = tensor(indices)
    if not indices.dtype.is_integer:
        indices = cast(indices, tf.int32)
    if indices.dtype.is_unsigned:
        return cast(indices, tf.int64 if indices.dtype.size > 2 else tf.int32)
    if indices.dtype.size < 4:  # -1 + size may not fit
        indices = cast(indices, tf.int32)
    if type(indices) is EagerTensor and not (np.less(indices.array, 0)).any():
        return indices
    return ops.where(ops.less(indices, 0), indices + tensor(size, indices.dtype), indices)


def take(x, indices, axis=None):
    x = tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    axis = one_axis(axis, x.ndim)
    # Rows of a table: its gradient has as many rows as were taken, not as the table has.
    return (ops.gather if axis == 0 else ops.take)(x, _from_start(indices, x.sizes[axis]), axis=axis)


def take_along_axis(x, indices, axis=None):
    x = tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    axis = one_axis(axis, x.ndim)
    places = _from_start(indices, x.sizes[axis])
    lead = broadcast_shapes(*[tuple([d for i, d in enumerate(t.sizes) if i != axis]) for t in (x, places)])
    x, places = (numpy_function("moveaxis")(t, axis, -1) if axis != x.ndim - 1 else t for t in (x, places))
    x, places = (
        ops.broadcast_to(t, shape=(*lead, t.sizes[-1])) if tuple(t.sizes[:-1]) != lead else t for t in (x, places)
    )
    found = ops.take_along(x, places)
    return found if axis == x.ndim - 1 else numpy_function("moveaxis")(found, -1, axis)


# ---- sorting


def _sorted(compute: Any, x: Any, axis: int | None, **how: Any) -> Tensor:
    x = tensor(x)
    if axis is None or not x.ndim:
        x, axis = tf.reshape(x, [-1]), 0
    axis = one_axis(axis, x.ndim)
    if axis == x.ndim - 1:
        return compute(x, **how)
    return numpy_function("moveaxis")(compute(numpy_function("moveaxis")(x, axis, -1), **how), -1, axis)


def sort(x, axis=-1):
    x = tensor(x)
    if x.dtype.is_bool:
        return cast(sort(cast(x, tf.uint8), axis), tf.bool)
    return _sorted(ops.sort, x, axis, descending=False)


def argsort(x, axis=-1):
    return cast(_sorted(ops.argsort, counting(x), axis, descending=False), tf.int32)


def argpartition(x, kth, axis=-1):
    """All in order, of which a partition is a part."""
    return argsort(x, axis)


# ---- searching


def searchsorted(sorted_sequence, values, side="left"):
    if side not in ("left", "right"):
        raise ValueError(f"side={side!r} is not one of left, right.")
    ordered, values = common(sorted_sequence, values)
    if ordered.ndim != 1:
        raise ValueError(
            f"searchsorted searches in a vector, got a sequence of shape {tuple(ordered.shape)}. For many sequences "
            "map over them with keras.ops.vectorized_map."
        )
    found = ops.searchsorted(counting(ordered), tf.reshape(counting(values), [-1]), side=side)
    return cast(tf.reshape(found, values.sizes), tf.int32)


def digitize(x, bins):
    """The bin of every element, of bins in ascending or descending order."""
    x, bins = map(counting, common(x, bins))
    if not bins.sizes[0]:
        return tf.zeros(sizes_of(x), tf.int32)
    down = bins.sizes[0] - searchsorted(ops.flip(bins, axis=(0,)), x, "right")
    return tf.where(bins[0] > bins[-1], down, searchsorted(bins, x, "right"))


# ---- counting


def bincount(x, weights=None, minlength=0, sparse=False):
    """`sparse=True`: see `sparse_rules.py`."""
    x = cast(tensor(x), tf.int32)
    dtype = tf.int32
    if weights is not None:
        weights = tensor(weights)
        dtype = result(weights.dtype.name)
    size = max(int(tf.reduce_max(x)) + 1 if x.sizes.num_elements() else 0, int(minlength))
    weights = tf.ones(x.sizes, dtype) if weights is None else cast(weights, dtype)
    if x.ndim == 1:
        return ops.unsorted_segment_sum(weights, x, num_segments=size)
    rows = int(np.prod(x.sizes[:-1]))
    place = tf.reshape(x, [rows, -1]) + tensor(np.arange(rows, dtype=np.int32)[:, None] * size)
    found = ops.unsorted_segment_sum(tf.reshape(weights, [-1]), tf.reshape(place, [-1]), num_segments=rows * size)
    return tf.reshape(found, [*x.sizes[:-1], size])


def histogram(x, bins=10, range=None):
    """How many elements lie in each of `bins` ranges of one width (or between these edges), and the edges."""
    x = tf.reshape(counting(x), [-1])
    points = cast(x, x.dtype if x.dtype.is_inexact else result(x.dtype.name, float))
    if isinstance(bins, int):
        edges = _edges(points, bins, range)
    else:
        edges = tensor(bins, points.dtype)
    count = edges.sizes[0] - 1
    place = searchsorted(edges, points, "right") - 1
    place = ops.where(
        ops.equal(points, edges[-1]), tensor(count - 1, tf.int32), place
    )  # the last edge belongs to the last bin
    place = ops.where(
        ops.logical_and(ops.greater_equal(place, 0), ops.less(place, count)), place, tensor(count, tf.int32)
    )
    found = ops.unsorted_segment_sum(tf.ones(place.sizes, tf.int32), place, num_segments=count + 1)
    return found[:count], edges


def _edges(points: Tensor, bins: int, span: Any) -> Tensor:
    if span is not None:
        low, high = (tensor(edge, points.dtype) for edge in span)
    elif points.sizes[0]:
        low, high = (reduce(points, axis=(0,), keepdims=False) for reduce in (ops.reduce_min, ops.reduce_max))
    else:
        low, high = tensor(0.0, points.dtype), tensor(1.0, points.dtype)
    flat = ops.equal(low, high)
    low, high = ops.where(flat, low - 0.5, low), ops.where(flat, high + 0.5, high)
    return numpy_function("linspace")(low, high, bins + 1)


def unique(
    x,
    sorted=True,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    size=None,
    fill_value=None,
):
    """The different elements, or slices along `axis`, in ascending order; cut or filled up to `size` of them. NaN
    differs from NaN.

    How many there are depends on the values, which a graph does not have: there, `size` has to be given.
    """
    x = tensor(x)
    place = 0 if axis is None else one_axis(axis, x.ndim)
    if axis is None and size is not None:
        found = _unique(tf.reshape(x, [-1]), size, 0 if fill_value is None else fill_value)
        found[2] = tf.reshape(found[2], x.sizes)
    else:
        found = list(numpy_function("unique")(x, True, True, True, axis, equal_nan=False))
        if size is not None:
            found = _sized(*found, place, size, 0 if fill_value is None else fill_value)
    values, *more = found
    more = [cast(t, tf.int32) for t, wanted in zip(more, (return_index, return_inverse, return_counts)) if wanted]
    return (values, *more) if more else values


def _unique(x: Tensor, size: int, fill_value: Any) -> list[Tensor]:
    """Of a vector: `size` values, their first places, the number of its value for each element, how often each
    occurs."""
    count = x.sizes[0]
    if not count:
        return [
            tf.fill([size], tensor(fill_value, x.dtype)),
            tf.zeros([size], tf.int32),
            tf.zeros([0], tf.int32),
            tf.zeros([size], tf.int32),
        ]
    order = argsort(x)
    ordered = ops.take(x, order, axis=0)
    new = ops.concat(tensor([True]), ops.not_equal(ordered[1:], ordered[:-1]), axis=0)
    number = ops.cumsum(cast(new, tf.int32), axis=0, exclusive=False, reverse=False) - 1
    kept = tf.minimum(number, size)  # all that are too many go into one more place, which is cut off
    inverse = tf.scatter_nd(order[:, None], number, [count])
    counts = ops.unsorted_segment_sum(tf.ones([count], tf.int32), kept, num_segments=size + 1)[:size]
    first = tf.math.unsorted_segment_min(order, kept, size + 1)[:size]
    there = ops.greater(counts, 0)
    first = ops.where(there, first, order[0])
    return [ops.where(there, ops.take(x, first, axis=0), tensor(fill_value, x.dtype)), first, inverse, counts]


def _sized(
    values: Tensor, index: Tensor, inverse: Tensor, counts: Tensor, axis: int, size: int, fill_value: Any
) -> list[Tensor]:
    """`size` slices along the axis: the first ones, or all and then `fill_value`."""
    have = values.sizes[axis]
    missing = max(size - have, 0)
    keep = tensor(np.arange(min(size, have), dtype=np.int32))
    values, index, counts = (
        ops.take(values, keep, axis=axis),
        ops.take(index, keep, axis=0),
        ops.take(counts, keep, axis=0),
    )
    filling = tf.fill(
        [missing if i == axis else d for i, d in enumerate(values.sizes)], tensor(fill_value, values.dtype)
    )
    counts = tf.pad(counts, [(0, missing)])
    index = (
        tf.pad(index, [(0, missing)], constant_values=index[0]) if have and missing else tf.pad(index, [(0, missing)])
    )
    return [ops.concat(values, filling, axis=axis), index, inverse, counts]
