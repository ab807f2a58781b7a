"""Sorting and searching: sort, top_k, argmax, unique, searchsorted, counts. Along the last axis, unless there is a
parameter `axis`.

Equal elements keep their order, ascending and descending: the first of them comes first.
"""

import math
from typing import Any

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import ANY, BOOL, FLOATING, INDEX, INTEGER, NUMERIC, REAL
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import along_last, check_axes, check_exact_rank, check_rank, check_same, same_sizes
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive, recorded as ops
from tapeflow.ops.batching import aligned, leading, merged, shift, spread

# ---- sort

# The order is found again for the gradient: sorting alone is several times faster than finding the order.
sort = primitive(
    "sort(x, *, descending)",
    kernel=lambda xp, x, descending: xp.flip(xp.sort(x), -1) if descending else xp.sort(x),
    shape=along_last,
    vjp=lambda ops, g, x, x_shape, descending: ops.add_along(
        g, ops.argsort(x, descending=descending), size=x_shape[-1]
    ),
    jvp=lambda ops, t, x, descending: ops.take_along(t, ops.argsort(x, descending=descending)),
    batch=leading,
    dtypes=REAL,
)


def _argsort(xp, x, descending):
    if not descending:
        return xp.argsort(x, stable=True).astype(np.int32)
    # Read backwards twice, so that equal elements end up in their own order.
    return (x.shape[-1] - 1 - xp.flip(xp.argsort(xp.flip(x, -1), stable=True), -1)).astype(np.int32)


argsort = primitive(
    "argsort(x, *, descending)",
    kernel=_argsort,
    shape=lambda x, descending: Spec(shape=along_last(x).shape, dtype=np.int32),
    vjp=CUT,
    batch=leading,
    dtypes=REAL,
)


def _take_along_shape(x, indices):
    check_rank(x, 1)
    if len(x.shape) != len(indices.shape):
        raise invalid(
            f"Indices of shape {tuple(indices.shape)} into the rows of shape {tuple(x.shape)} must have the same rank."
        )
    return Spec(shape=(*broadcast_shapes(x.shape[:-1], indices.shape[:-1]), indices.shape[-1]), dtype=x.dtype)


# One element of each row for each index in that row.
take_along = primitive(
    "take_along(x, indices)",
    kernel=lambda xp, x, indices: xp.take_along_axis(x, indices, axis=-1),
    shape=_take_along_shape,
    vjp={"x": lambda ops, g, indices, x_shape: ops.add_along(g, indices, size=x_shape[-1])},
    jvp=LINEAR,
    batch=leading,
    dtypes={"x": ANY, "indices": INDEX},
)


def _add_along_numpy(x, indices, size):
    out = np.zeros((*x.shape[:-1], size), x.dtype)
    np.add.at(out.reshape(-1), _elements(indices, size).reshape(-1), np.reshape(x, -1))
    return out


def _elements(indices, size):
    """Indices into rows of `size` elements, as positions among all elements."""
    if indices.ndim == 1:
        return indices
    rows = indices.shape[:-1]
    return indices + (np.arange(math.prod(rows), dtype=np.int64) * size).reshape(*rows, 1)


def _add_along_shape(x, indices, size):
    check_rank(x, 1)
    check_same("Elements and their indices", x.shape, indices.shape)
    return Spec(shape=(*x.shape[:-1], size), dtype=x.dtype)


# The adjoint of take_along: each element of `x` is added at its index to a row of `size` zeros.
add_along = primitive(
    "add_along(x, indices, *, size)",
    kernel={"numpy": _add_along_numpy, "jax": "arrays.sorting.add_along"},
    shape=_add_along_shape,
    vjp={"x": lambda ops, g, indices: ops.take_along(g, indices)},
    jvp=LINEAR,
    batch=leading,
    dtypes={"x": NUMERIC, "indices": INDEX},
)

# ---- the largest


def _top_k_numpy(x, k):
    n = x.shape[-1]
    order = _few_largest(x, n, k) if k and n >= 64 and 4 * k <= n else _argsort(np, x, True)[..., :k]
    return x.reshape(-1).take(_elements(order, n)), order


def _few_largest(x, n, k):
    """Sorts only the elements that reach the k-th largest, which a partition finds ten times faster than a sort."""
    rows = x.reshape(-1, n)
    reach = ~(rows < np.partition(rows, n - k)[:, n - k, None])  # true for nan
    some: Any = np.flatnonzero(reach)
    if some.size == k * len(rows):
        some = some.reshape(-1, k)
        order = _argsort(np, rows.reshape(-1).take(some), True)
        found = some.reshape(-1).take(_elements(order, k)) % n
    else:  # some are equal to the k-th largest, and the first of them count
        found = np.empty((len(rows), k), np.int32)
        for row, elements, out in zip(rows, reach, found):
            some = np.flatnonzero(elements)
            out[:] = some[_argsort(np, row[some], True)[:k]]
    return found.reshape(*x.shape[:-1], k).astype(np.int32)


def _top_k_shape(x, k):
    check_rank(x, 1)
    if x.shape[-1] is not None and x.shape[-1] < k:
        raise invalid(
            f"input must have at least k columns. Had {x.shape[-1]}, needed {k}, got shape {tuple(x.shape)}."
        )
    shape = (*x.shape[:-1], k)
    return Spec(shape=shape, dtype=x.dtype), Spec(shape=shape, dtype=np.int32)


top_k = primitive(
    "top_k(x, *, k)",
    kernel={"numpy": _top_k_numpy, "jax": "arrays.sorting.top_k"},
    shape=_top_k_shape,
    vjp=lambda ops, g, indices, x_shape: ops.add_along(g[0], indices, size=x_shape[-1]),
    jvp=lambda ops, t, indices: (ops.take_along(t, indices), None),
    batch=leading,
    dtypes=REAL,
    outputs=("values", "indices"),
)


def _in_top_k(xp, predictions, targets, k):
    classes = predictions.shape[1]
    if not classes:
        return xp.zeros(targets.shape, bool)
    valid = (targets >= 0) & (targets < classes)
    mine = xp.take_along_axis(predictions, xp.where(valid, targets, 0)[:, None], 1)
    finite = xp.isfinite(predictions)
    ahead = (predictions > mine) & finite
    return valid & xp.isfinite(mine[:, 0]) & finite.all(1) & (ahead.sum(1) < k)


def _in_top_k_shape(predictions, targets, k):
    check_exact_rank(predictions, 2, "predictions")
    check_same("targets and the rows of predictions", targets.shape, predictions.shape[:1])
    return Spec(shape=targets.shape, dtype=bool)


in_top_k = primitive(
    "in_top_k(predictions, targets, *, k)",
    kernel=_in_top_k,
    shape=_in_top_k_shape,
    vjp=CUT,
    batch=merged,
    dtypes={"predictions": FLOATING, "targets": INDEX},
)


def _nothing_there(x, axis):
    return invalid(f"Reduction axis {axis} is empty in shape {tuple(x.shape)}: there is no element to point to.")


def _arg_extreme(name, worst):
    def kernel(x, axis, dtype):
        """NumPy gives the first nan; here nan never wins."""
        if not x.shape[axis]:
            raise _nothing_there(x, axis)
        if x.dtype.kind == "f" and x.size and np.isnan(x.max()):
            x = np.where(np.isnan(x), x.dtype.type(worst), x)
        return getattr(x, name)(axis).astype(dtype)

    return kernel


def _arg_shape(x, axis, dtype):
    check_axes(x, axis)
    if x.shape[axis] is not None and not x.shape[axis]:
        raise _nothing_there(x, axis)
    return Spec(shape=(*x.shape[:axis], *x.shape[axis + 1 :]), dtype=dtype)


_arg = dict(shape=_arg_shape, vjp=CUT, batch=shift("axis"), dtypes=REAL | BOOL)

argmax = primitive(
    "argmax(x, *, axis, dtype)",
    kernel={"numpy": _arg_extreme("argmax", -np.inf), "jax": "arrays.sorting.argmax"},
    **_arg,
)
argmin = primitive(
    "argmin(x, *, axis, dtype)",
    kernel={"numpy": _arg_extreme("argmin", np.inf), "jax": "arrays.sorting.argmin"},
    **_arg,
)

# ---- equal elements


def _unique_numpy(x):
    _, first, index, count = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[index.reshape(-1)], count[order]


def _unique_shape(x):
    check_exact_rank(x, 1)
    return tuple([Spec(shape=s, dtype=np.int64) for s in ((None,), x.shape, (None,))])


# Of the different elements of a vector, by first occurrence: where each is first, which of them every element is, how
# many.
unique = primitive(
    "unique(x)",
    kernel={"numpy": _unique_numpy},
    shape=_unique_shape,
    vjp=CUT,
    outputs=("first", "index", "count"),
)


def _bincount_numpy(x, size):
    flat = x.reshape(-1)
    return np.bincount(flat[flat < size], minlength=size).astype(np.int64, copy=False)


def _bincount_rows(op, args, batched, params):
    """All rows are counted at once, each in bins of its own. One bin more takes what is too large, lest it fall to the
    next row."""
    [x], size = args, params["size"]
    rows = x.sizes[0]
    flat = ops.cast(ops.reshape(x, shape=(rows, math.prod(x.sizes[1:]))), dtype=np.dtype(np.int64))
    bins = ops.flat_rows(ops.minimum(flat, size), batch_dims=1, size=size + 1)
    counts = ops.reshape(op(bins, size=rows * (size + 1)), shape=(rows, size + 1))
    return ops.getitem(counts, index=((None, None, None), (0, size, 1)))


# How often each of 0 … size - 1 occurs; what is larger does not count.
bincount = primitive(
    "bincount(x, *, size)",
    kernel={"numpy": _bincount_numpy, "jax": "arrays.sorting.bincount"},
    shape=lambda x, size: Spec(shape=(size,), dtype=np.int64),
    vjp=CUT,
    batch=_bincount_rows,
    dtypes=INTEGER,
)


def _histogram_bins_numpy(x, low, high, size):
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise invalid("Histogram values must not contain NaN: there is no bin for it.")
    return _histogram_bins(np, x, low, high, size)


def _histogram_bins(xp, x, low, high, size):
    steps = xp.floor((x - low) / (high - low) * size)
    return xp.clip(xp.where(xp.isnan(steps), 0, steps), 0, size - 1).astype(np.int32)


# The number of the bin of each element, of `size` equal bins from `low` to `high`; elements outside are in the first
# or last.
histogram_bins = primitive(
    "histogram_bins(x, low, high, *, size)",
    kernel={"numpy": _histogram_bins_numpy, "jax": _histogram_bins},
    shape=lambda x, low, high, size: Spec(shape=x.shape, dtype=np.int32),
    vjp=CUT,
    batch=aligned,
    dtypes=REAL,
)

# ---- search


def _searchsorted_numpy(x, values, side):
    if x.ndim == 1:
        return np.searchsorted(x, values, side).astype(np.int32)
    count = math.prod(x.shape[:-1])
    rows, wanted = x.reshape(count, x.shape[-1]), values.reshape(count, values.shape[-1])
    found = [np.searchsorted(row, value, side) for row, value in zip(rows, wanted)]
    return np.array(found, np.int32).reshape(values.shape)


def _searchsorted_rows(op, args, batched, params):
    (x, values), size = args, args[not batched[0]].sizes[0]
    if not batched[0]:
        return op(x if len(x.sizes) == 1 else spread(x, size), values, **params)
    values = values if batched[1] else spread(values, size)
    if len(x.sizes) > 2:
        return op(x, values, **params)
    shape = tuple(values.sizes)
    return ops.reshape(op(x, ops.reshape(values, shape=(size, math.prod(shape[1:]))), **params), shape=shape)


def _searchsorted_shape(x, values, side):
    check_rank(x, 1)
    if len(x.shape) > 1 and not same_sizes(tuple(x.shape[:-1]), tuple(values.shape[:-1])):
        raise invalid(
            "Leading dimensions of sorted rows and of what is searched in them must match, got shapes "
            f"{tuple(x.shape)} and {tuple(values.shape)}."
        )
    return Spec(shape=values.shape, dtype=np.int32)


# Where each value would go in its sorted row. A vector serves as the row of all values.
searchsorted = primitive(
    "searchsorted(x, values, *, side)",
    kernel={"numpy": _searchsorted_numpy, "jax": "arrays.sorting.searchsorted"},
    shape=_searchsorted_shape,
    vjp=CUT,
    batch=_searchsorted_rows,
    dtypes=REAL,
)


def _check_vector(shape):
    if len(shape) != 1:
        raise invalid(f"A permutation is a vector, got shape {shape}.")


def _invert_permutation_numpy(x):
    _check_vector(x.shape)
    out = np.full_like(x, -1)
    if x.size and x.min() >= 0 and x.max() < x.size:
        out[x] = np.arange(x.size, dtype=x.dtype)
    if x.size and out.min() < 0:
        raise invalid(
            f"{x.tolist() if x.size <= 20 else 'x'} is not a permutation of 0 to {x.size - 1}: each number must be "
            "there once."
        )
    return out


def _invert_rows(op, args, batched, params):
    """Permutations laid end to end are one of all elements; within each the places count from 0 again."""
    [x] = args
    _check_vector(tuple(x.sizes[1:]))
    rows, size = x.sizes
    out = op(ops.reshape(ops.flat_rows(x, batch_dims=1, size=size), shape=(rows * size,)))
    return ops.cast(ops.floormod(ops.reshape(out, shape=(rows, size)), max(size, 1)), dtype=x.dtype.np)


def _invert_shape(x):
    _check_vector(tuple(x.shape))
    return x


invert_permutation = primitive(
    "invert_permutation(x)",
    kernel={"numpy": _invert_permutation_numpy, "jax": "arrays.sorting.invert_permutation"},
    shape=_invert_shape,
    vjp=CUT,
    batch=_invert_rows,
    dtypes=INDEX,
)
