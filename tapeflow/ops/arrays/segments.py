"""Sums, extremes and products over groups of rows. Row k of `x` belongs to segment `ids[k]`; rows with a negative id
to none.

Indices of rows are written out as indices of elements, since `ufunc.at` takes those in 2 ns an element and rows in 10
to 100. Sums of many elements are a product with a sparse matrix of ones: ten times faster again.
"""

import numpy as np

from tapeflow.core.dtypes import INDEX, NUMERIC, REAL
from tapeflow.core.fitting import along_last, check_rank
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.arrays import segments as kernels
from tapeflow.ops.batching import all_batched, apart, end_to_end, leading, rows_from, rows_to

from .indexing import trailing


def _segments_shape(x, ids, num_segments, **_):
    kernels.check_start(tuple(x.shape), tuple(ids.shape))
    return Spec(shape=(num_segments, *x.shape[len(ids.shape) :]), dtype=x.dtype)


# ---- several sets of segments at once


# Segments of each element along the first axis, as segments of all elements laid end to end; negative ids are -1.
flat_segments = primitive(
    "flat_segments(ids, *, num_segments)",
    kernel={"numpy": kernels.flat_segments, "jax": "arrays.segments.flat_segments"},
    shape=lambda ids, num_segments: Spec(shape=along_last(ids).shape, dtype=np.dtype(np.int64)),
    vjp=CUT,
    batch=trailing,
    dtypes=INDEX,
)


def _segment_rows(op, args, batched, params):
    """One set of ids takes the rows as part of what it groups; ids that differ make the segments of all rows one long
    list."""
    (x, ids), count = args, params["num_segments"]
    kernels.check_start(tuple(x.sizes)[batched[0] :], tuple(ids.sizes)[batched[1] :])
    if not batched[1]:
        return rows_from(op(rows_to(x, len(ids.sizes)), ids, **params), 1)
    x, ids = all_batched(args, batched)
    size, rank = ids.sizes[0], len(ids.sizes) - 1
    flat = end_to_end(flat_segments(ids, num_segments=count), rank)
    return apart(op(end_to_end(x, rank), flat, **params | {"num_segments": size * count}), size, count)


# ---- sums


unsorted_segment_sum = primitive(
    "unsorted_segment_sum(x, ids, *, num_segments)",
    kernel={
        "numpy": kernels.segment_sum,
        "jax": "arrays.segments.segment_sum",
        "native": "arrays.rows.segment_sum",
    },
    shape=_segments_shape,
    vjp={"x": lambda ops, g, ids: ops.gather_or_zero(g, ids)},
    jvp=LINEAR,
    batch=_segment_rows,
    dtypes={"x": NUMERIC, "ids": INDEX},
    makes_new=True,
)


def _gather_or_zero_rows(op, args, batched, params):
    x, ids = args
    if not batched[1]:
        return rows_from(op(rows_to(x, 1), ids), len(ids.sizes))
    return op(end_to_end(x), flat_segments(ids, num_segments=x.sizes[1])) if batched[0] else op(x, ids)


def _gather_or_zero_shape(x, ids):
    check_rank(x, 1)
    return Spec(shape=(*ids.shape, *x.shape[1:]), dtype=x.dtype)


# The adjoint of unsorted_segment_sum: each row is that of its segment, zero where the id is negative.
gather_or_zero = primitive(
    "gather_or_zero(x, ids)",
    kernel={"numpy": kernels.gather_or_zero, "jax": "arrays.segments.gather_or_zero"},
    shape=_gather_or_zero_shape,
    vjp={"x": lambda ops, g, ids, x_shape: ops.unsorted_segment_sum(g, ids, num_segments=x_shape[0])},
    jvp=LINEAR,
    batch=_gather_or_zero_rows,
    dtypes={"x": NUMERIC, "ids": INDEX},
)

# ---- extremes: `empty` is the value of a segment without rows


def _ties(ops, x, ids, y, x_dtype, num_segments):
    """Which elements are the extreme of their segment, and how many each segment has, at least 1."""
    ties = ops.cast(ops.equal(x, ops.gather_or_zero(y, ids)), dtype=x_dtype)
    return ties, ops.maximum(ops.unsorted_segment_sum(ties, ids, num_segments=num_segments), 1.0)


def _segment_extreme_vjp(ops, g, x, ids, y, x_dtype, num_segments):
    """Rows that tie share equally, element by element."""
    ties, count = _ties(ops, x, ids, y, x_dtype, num_segments)
    return ties * ops.gather_or_zero(g / count, ids)


def _segment_extreme_jvp(ops, t, x, ids, y, x_dtype, num_segments):
    ties, count = _ties(ops, x, ids, y, x_dtype, num_segments)
    return ops.unsorted_segment_sum(t * ties, ids, num_segments=num_segments) / count


unsorted_segment_max = primitive(
    "unsorted_segment_max(x, ids, *, num_segments, empty)",
    kernel={"numpy": kernels.segment_extreme(np.maximum, -1), "jax": "arrays.segments.segment_max"},
    shape=_segments_shape,
    vjp={"x": _segment_extreme_vjp},
    jvp=_segment_extreme_jvp,
    batch=_segment_rows,
    dtypes={"x": REAL, "ids": INDEX},
)
unsorted_segment_min = primitive(
    "unsorted_segment_min(x, ids, *, num_segments, empty)",
    kernel={"numpy": kernels.segment_extreme(np.minimum, 1), "jax": "arrays.segments.segment_min"},
    shape=_segments_shape,
    vjp={"x": _segment_extreme_vjp},
    jvp=_segment_extreme_jvp,
    batch=_segment_rows,
    dtypes={"x": REAL, "ids": INDEX},
)

# ---- products


def _others(ops, x, ids):
    """For each row the product of the others of its segment: those before times those after, in the order of the
    segments."""
    order, back, first, last = ops.segment_order(ids)
    rows = ops.gather(x, order, axis=0)
    before = _running_product(ops, rows, first, 1)
    after = _running_product(ops, rows, last, -1)
    return ops.gather(before * after, back, axis=0)


def _running_product(ops, rows, start, step):
    """Of the rows before each (after, if `step` is -1), beginning with 1 at every `start`."""
    start = ops.broadcast_to(
        ops.reshape(start, shape=(*sizes_of(start), *[1] * (len(sizes_of(rows)) - 1))), shape=tuple(sizes_of(rows))
    )
    zeros = ops.zeros_like(rows)
    factor = ops.where(start, zeros, ops.shift(rows, axis=0, by=step))
    return ops.linear_scan(factor, ops.where(start, zeros + 1, zeros), axis=0, reverse=step < 0)


# `ids` is a vector here.
unsorted_segment_prod = primitive(
    "unsorted_segment_prod(x, ids, *, num_segments)",
    kernel={"numpy": kernels.segment_prod, "jax": "arrays.segments.segment_prod"},
    shape=_segments_shape,
    vjp={"x": lambda ops, g, x, ids: _others(ops, x, ids) * ops.gather_or_zero(g, ids)},
    jvp=lambda ops, t, x, ids, num_segments: ops.unsorted_segment_sum(
        t * _others(ops, x, ids), ids, num_segments=num_segments
    ),
    batch=_segment_rows,
    dtypes={"x": NUMERIC, "ids": INDEX},
)


def _order_shape(ids):
    check_rank(ids, 1)
    edges = Spec(shape=ids.shape, dtype=np.dtype(bool))
    return ids, ids, edges, edges


# Which rows to take to have segments together, the way back, and where segments begin and end in that order. Along the
# last axis.
segment_order = primitive(
    "segment_order(ids)",
    kernel={"numpy": kernels.segment_order, "jax": "arrays.segments.segment_order"},
    shape=_order_shape,
    vjp=CUT,
    batch=leading,
    dtypes=INDEX,
    outputs=("order", "back", "first", "last"),
)
