"""Writing into rows of a tensor. `ids` are rows of `x`, in range; sums are `unsorted_segment_sum`, see segments.py."""

import math
from functools import partial

import numpy as np

from tapeflow.core.dtypes import ANY, INDEX, REAL
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_rank, same_sizes, spreads
from tapeflow.core.primitive import LINEAR, TOGETHER, primitive, recorded as ops
from tapeflow.core.tensor import sizes_of
from tapeflow.ops.batching import all_batched, apart, end_to_end, rows_from, rows_of, rows_to, spread


def _scatter_rows(op, args, batched, params):
    """Ids that all rows share write whole rows; ids that differ write into all tensors laid end to end. `updates` may
    be missing."""
    rank = len(args[1].sizes) - batched[1]
    if not batched[1]:
        size = rows_of(args, batched)
        x, *updates = [a if b else spread(a, size) for a, b in zip(args[::2], batched[::2])]
        return rows_from(op(rows_to(x, 1), args[1], *[rows_to(u, rank) for u in updates]), 1)
    x, ids, *updates = all_batched(args, batched)
    flat = ops.flat_rows(ids, batch_dims=1, size=x.sizes[1])
    return apart(op(end_to_end(x), end_to_end(flat, rank), *[end_to_end(u, rank) for u in updates]), *x.sizes[:2])


def _written_shape(x, ids, updates=None, fits=spreads):
    check_rank(x, 1)
    rows = (*ids.shape, *x.shape[1:])
    if updates is not None and not fits(tuple(updates.shape), rows):
        raise invalid(
            f"updates of shape {tuple(updates.shape)} do not fit: ids of shape {tuple(ids.shape)} name rows of a "
            f"tensor of shape {tuple(x.shape)}, which together have shape {rows}."
        )
    return x


def _scatter_update_numpy(x, ids, updates, out=None):
    out = np.array(x) if out is None else out
    out[ids] = updates
    return out


# `updates` in place of the rows `ids`. Where an id repeats the last one wins (TensorFlow leaves it open which).
scatter_update = primitive(
    "scatter_update(x, ids, updates)",
    kernel={"numpy": _scatter_update_numpy, "jax": "arrays.scatter.scatter_update"},
    shape=_written_shape,
    vjp={
        "x": lambda ops, g, ids: ops.clear_rows(g, ids),
        "updates": lambda ops, g, ids: ops.take(g, ids, axis=0),
    },
    jvp=TOGETHER,
    batch=_scatter_rows,
    dtypes={"x updates": ANY, "ids": INDEX},
    over="x",
)

# Zeros in place of the rows `ids`.
clear_rows = primitive(
    "clear_rows(x, ids)",
    kernel={"numpy": lambda x, ids: _scatter_update_numpy(x, ids, 0), "jax": "arrays.scatter.clear_rows"},
    shape=_written_shape,
    vjp={"x": lambda ops, g, ids: ops.clear_rows(g, ids)},
    jvp=LINEAR,
    batch=_scatter_rows,
    dtypes={"x": ANY, "ids": INDEX},
)


def _extreme_of_rows(ufunc):
    def kernel(x, ids, updates):
        """Rows are written out to elements: `ufunc.at` takes single indices ten times faster."""
        out = np.array(x, order="C")
        width = math.prod(x.shape[1:])
        elements = (ids.reshape(-1, 1) * width + np.arange(width)).reshape(-1)
        ufunc.at(out.reshape(-1), elements, updates.reshape(-1))
        return out

    return kernel


def _ties(ops, y, x, x_dtype, ids, updates):
    """Which elements of `x` and of the updates equal the result, and how many there are of them at each place."""
    as_number = lambda found: ops.cast(found, dtype=x_dtype)
    in_x, in_updates = as_number(ops.equal(x, y)), as_number(ops.equal(updates, ops.take(y, ids, axis=0)))
    return in_x, in_updates, in_x + ops.unsorted_segment_sum(in_updates, ids, num_segments=sizes_of(y)[0])


def _extreme_vjp(ops, g, y, x, x_dtype, ids, updates):
    """Whatever equals the result shares in its gradient equally."""
    in_x, in_updates, count = _ties(ops, y, x, x_dtype, ids, updates)
    share = g / count
    return share * in_x, ops.take(share, ids, axis=0) * in_updates


def _extreme_jvp_x(ops, t, y, x, x_dtype, ids, updates):
    in_x, _, count = _ties(ops, y, x, x_dtype, ids, updates)
    return t * in_x / count


def _extreme_jvp_updates(ops, t, y, x, x_dtype, ids, updates):
    _, in_updates, count = _ties(ops, y, x, x_dtype, ids, updates)
    return ops.unsorted_segment_sum(t * in_updates, ids, num_segments=y.sizes[0]) / count


_extreme = dict(
    shape=partial(_written_shape, fits=same_sizes),
    vjp={("x", "updates"): _extreme_vjp},
    jvp={"x": _extreme_jvp_x, "updates": _extreme_jvp_updates},
    batch=_scatter_rows,
    dtypes={"x updates": REAL, "ids": INDEX},
)


scatter_max = primitive(
    "scatter_max(x, ids, updates)",
    kernel={"numpy": _extreme_of_rows(np.maximum), "jax": "arrays.scatter.scatter_max"},
    **_extreme,
)
scatter_min = primitive(
    "scatter_min(x, ids, updates)",
    kernel={"numpy": _extreme_of_rows(np.minimum), "jax": "arrays.scatter.scatter_min"},
    **_extreme,
)
