"""Reading parts of a tensor: slices with constant bounds, rows by index, elements by mask.

An `index` is a tuple of ints, (start, stop, step) triples, None for a new axis and Ellipsis: like NumPy's, but hashable.
"""

import math

import numpy as np

from tapeflow.core.dtypes import ANY, BOOL, INDEX, INTEGER
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import CUT, NO_RULE, Spec, primitive
from tapeflow.core.slices import SparseGradient


def zeros(shape, dtype):
    """Zeros of any dtype; empty strings for strings."""
    return np.zeros(shape, dtype) if dtype.kind != "O" else np.full(shape, b"", object)


def boxed(element):
    """A string comes out of an array bare; everything else as an array or a NumPy scalar."""
    return np.array(element, object) if type(element) is bytes else element


# ---- slices


def as_numpy_index(index):
    return tuple([slice(*i) if type(i) is tuple else i for i in index])


def _indexed_shape(x, index):
    return Spec(shape=np.broadcast_to(False, x.shape)[as_numpy_index(index)].shape, dtype=x.dtype)


getitem = primitive(
    "getitem(x, *, index)",
    kernel=lambda x, index: boxed(x[as_numpy_index(index)]),
    shape=_indexed_shape,
    vjp=lambda ops, g, x_shape, index: ops.unslice(g, index=index, shape=x_shape),
)


def _unslice_numpy(x, index, shape):
    out = zeros(shape, x.dtype)
    out[as_numpy_index(index)] = x
    return out


# The adjoint of getitem: zeros, with `x` where the slice was.
unslice = primitive(
    "unslice(x, *, index, shape)",
    kernel={"numpy": _unslice_numpy},
    shape=lambda x, index, shape: Spec(shape=shape, dtype=x.dtype),
    vjp=lambda ops, g, index: ops.getitem(g, index=index),
)

# ---- rows by index


def _gather_numpy(x, indices, axis):
    """NumPy lets negative indices count from the end. Read as unsigned they are out of range: a check that costs no pass."""
    if indices.dtype == np.int32:
        found = indices.view(np.uint32)
    else:
        found = indices
        if indices.size and indices.min() < 0:
            raise _out_of_range(indices, x.shape[axis])
    try:
        return boxed(x.take(found, axis))
    except IndexError:
        raise _out_of_range(indices, x.shape[axis]) from None


def _out_of_range(indices, size):
    flat = np.ravel(indices)
    bad = int(np.flatnonzero((flat < 0) | (flat >= size))[0])
    return invalid(
        f"indices[{', '.join(str(i) for i in np.unravel_index(bad, indices.shape))}] = {flat[bad]} is not in [0, {size})"
        + (": negative indices do not count from the end here." if flat[bad] < 0 else "")
    )


def _gather_shape(x, indices, axis):
    return Spec(shape=(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), dtype=x.dtype)


def _take_vjp(ops, g, x_shape, indices, axis):
    """The rows are added into zeros, with `axis` moved to the front for it."""
    rank = len(indices.shape)
    if axis:
        g = ops.transpose(g, perm=(*range(axis, axis + rank), *range(axis), *range(axis + rank, len(g.shape))))
    summed = ops.unsorted_segment_sum(g, indices, num_segments=x_shape[axis])
    return ops.transpose(summed, perm=(*range(1, axis + 1), 0, *range(axis + 1, len(x_shape)))) if axis else summed


def _gather_vjp(ops, g, x_shape, indices, axis):
    """Rows along the first axis come back as rows."""
    if axis:
        return _take_vjp(ops, g, x_shape, indices, axis)
    count = 1
    for d in indices.shape:
        count *= d
    return SparseGradient(ops.reshape(g, shape=(count, *x_shape[1:])), ops.reshape(indices, shape=(count,)), x_shape)


_ROWS = {"x": ANY, "indices": INDEX}

# Rows of `x` along `axis`. Their gradient is sparse along the first axis (`tf.IndexedSlices`); that of `take` is always dense.
gather = primitive(
    "gather(x, indices, *, axis)",
    kernel={"numpy": _gather_numpy}, shape=_gather_shape, vjp={"x": _gather_vjp}, dtypes=_ROWS, sparse=True,
)  # fmt: skip
take = primitive(
    "take(x, indices, *, axis)",
    kernel={"numpy": _gather_numpy}, shape=_gather_shape, vjp={"x": _take_vjp}, dtypes=_ROWS,
)  # fmt: skip


def _flat_rows_numpy(indices, batch_dims, size):
    if indices.size and not (indices.min() >= 0 and indices.max() < size):
        raise _out_of_range(indices, size)
    batch = indices.shape[:batch_dims]
    starts = np.arange(math.prod(batch), dtype=np.int64) * size
    return indices + starts.reshape(batch + (1,) * (indices.ndim - batch_dims))


# Row numbers within each batch element, as row numbers in all batch elements laid end to end, `size` rows each.
flat_rows = primitive(
    "flat_rows(indices, *, batch_dims, size)",
    kernel={"numpy": _flat_rows_numpy},
    shape=lambda indices, batch_dims, size: Spec(shape=indices.shape, dtype=np.int64),
    vjp=CUT,
    dtypes=INDEX,
)


def _ravel_index_numpy(indices, dims):
    sizes = np.array(dims, indices.dtype)
    if indices.size and not (indices.min() >= 0 and (indices < sizes).all()):
        rows = indices.reshape(-1, len(dims))
        bad = int(np.flatnonzero(((rows < 0) | (rows >= sizes)).any(1))[0])
        where = np.unravel_index(bad, indices.shape[:-1]) if indices.ndim > 1 else ()
        raise invalid(f"indices[{', '.join(map(str, where))}] = {rows[bad].tolist()} does not index into shape {dims}")
    strides = np.cumprod((1, *dims[:0:-1]))[::-1] if dims else np.zeros(0, np.int64)
    return indices @ strides.astype(np.int64)


# Indices of elements, one for each axis along the last axis of `indices`, as positions in the flattened tensor.
ravel_index = primitive(
    "ravel_index(indices, *, dims)",
    kernel={"numpy": _ravel_index_numpy},
    shape=lambda indices, dims: Spec(shape=indices.shape[:-1], dtype=np.int64),
    vjp=CUT,
    dtypes=INDEX,
)

unravel_index = primitive(
    "unravel_index(x, *, dims)",
    kernel={"numpy": lambda x, dims: np.stack(np.unravel_index(x, dims)).astype(x.dtype)},
    shape=lambda x, dims: Spec(shape=(len(dims), *x.shape), dtype=x.dtype),
    vjp=CUT,
    dtypes=INDEX,
)

# ---- elements by mask

# The elements of `x` where `condition`, whose axes are the first of `x`, is true.
compress = primitive(
    "compress(x, condition)",
    kernel={"numpy": lambda x, condition: x[condition]},
    shape=lambda x, condition: Spec(shape=(None, *x.shape[len(condition.shape) :]), dtype=x.dtype),
    vjp={"x": lambda ops, g, condition: ops.uncompress(g, condition)},
    dtypes={"x": ANY, "condition": BOOL},
)


def _uncompress_numpy(x, condition):
    out = zeros(condition.shape + x.shape[1:], x.dtype)
    out[condition] = x
    return out


# The adjoint of compress: zeros, with the rows of `x` where `condition` is true.
uncompress = primitive(
    "uncompress(x, condition)",
    kernel={"numpy": _uncompress_numpy},
    shape=lambda x, condition: Spec(shape=condition.shape + x.shape[1:], dtype=x.dtype),
    vjp={"x": lambda ops, g, condition: ops.compress(g, condition)},
    dtypes={"x": ANY, "condition": BOOL},
)

# The index of every element that is not zero, one row each.
nonzero = primitive(
    "nonzero(x)",
    kernel={"numpy": lambda x: np.argwhere(x).astype(np.int64, copy=False)},
    shape=lambda x: Spec(shape=(None, len(x.shape)), dtype=np.int64),
    vjp=NO_RULE,
)


def _one_hot(xp, indices, depth, axis):
    shape = indices.shape
    return indices.reshape(*shape[:axis], 1, *shape[axis:]) == xp.arange(depth).reshape((depth,) + (1,) * (len(shape) - axis))


# True at the index, along a new `axis` of size `depth`.
one_hot = primitive(
    "one_hot(indices, *, depth, axis)",
    kernel=_one_hot,
    shape=lambda indices, depth, axis: Spec(shape=(*indices.shape[:axis], depth, *indices.shape[axis:]), dtype=bool),
    vjp=CUT,
    dtypes=INTEGER,
)
