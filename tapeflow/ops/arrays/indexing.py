"""Reading parts of a tensor: slices with constant bounds, rows by index, elements by mask.

An `index` is a tuple of ints, (start, stop, step) triples, None for a new axis and Ellipsis: like NumPy's, but
hashable.
"""

import math
import operator

import numpy as np

from tapeflow.core.dtypes import ANY, BOOL, INDEX, INTEGER
from tapeflow.core.errors import invalid, uneven_rows
from tapeflow.core.fitting import check_axes, differ, spreads
from tapeflow.core.primitive import CUT, LINEAR, NO_RULE, Spec, primitive, recorded as ops
from tapeflow.core.sizes import Size, brackets, larger, smaller
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import sizes_of
from tapeflow.ops.batching import apart, end_to_end, leading, rows_from, rows_to, shift, spread


def zeros(shape, dtype):
    """Zeros of any dtype; empty strings for strings."""
    return np.zeros(shape, dtype) if dtype.kind != "O" else np.full(shape, b"", object)


def boxed(element):
    """A string comes out of an array bare; everything else as an array or a NumPy scalar."""
    return np.array(element, object) if type(element) is bytes else element


# ---- slices

_ALL = (None, None, None)


def as_numpy_index(index):
    return tuple([slice(*i) if type(i) is tuple else i for i in index])


def _indexed_shape(x, index):
    if any(type(d) is Size for i in (tuple(x.shape), *index) if type(i) is tuple for d in i):
        return Spec(shape=_part_of_unknown(tuple(x.shape), index), dtype=x.dtype)
    try:
        return Spec(shape=np.broadcast_to(False, x.shape)[as_numpy_index(index)].shape, dtype=x.dtype)
    except IndexError as error:
        _part_of_unknown(tuple(x.shape), index)  # which says it in TensorFlow's words
        raise invalid(f"{error}, of shape {tuple(x.shape)}.") from None


def _part_of_unknown(shape, index):
    """The shape of a part, where sizes or bounds are not known. Whether an int is in range is seen when they are."""
    rest = len(shape) - sum([i is not None and i is not ... for i in index])
    if rest < 0:
        rank = len(shape)
        raise invalid(
            f"Index out of range using input dim {rank}; input has only {rank} dims: too many indices for shape "
            f"{shape}."
        )
    at = index.index(...) if ... in index else len(index)
    sizes, out = iter(enumerate(shape)), []
    for i in (*index[:at], *[_ALL] * rest, *index[at + 1 :]):
        axis, size = (None, None) if i is None else next(sizes)
        if i is None or type(i) is tuple:
            out.append(1 if i is None else _length(size, *i))
        elif type(size) is int and type(i) is int and not -size <= i < size:
            raise invalid(f"slice index {i} of dimension {axis} out of bounds. The shape is {shape}.")
    return tuple(out)


def _length(size, start, stop, step):
    """Of a slice. Bounds that are whole axes, or count from an end, are written in the shortest way: so that two parts
    have the same size without a question."""
    if (step or 1) < 0:
        if start is stop is None:
            return size if step == -1 else (size - step - 1) // -step
        return len(range(operator.index(size))[start:stop:step])
    if start is None:
        span = size if stop is None else smaller(stop, size) if stop >= 0 else larger(size + stop, 0)
    elif stop is None:
        span = larger(size - start, 0) if start >= 0 else smaller(-start, size)
    else:
        first, last = [smaller(bound, size) if bound >= 0 else larger(size + bound, 0) for bound in (start, stop)]
        span = larger(last - first, 0)
    return span if step in (None, 1) else (span + step - 1) // step


getitem = primitive(
    "getitem(x, *, index)",
    kernel=lambda x, index: boxed(x[as_numpy_index(index)]),
    shape=_indexed_shape,
    vjp=lambda ops, g, x_shape, index: ops.unslice(g, index=index, shape=x_shape),
    jvp=LINEAR,
    batch=lambda op, args, batched, params: op(*args, index=(_ALL, *params["index"])),
)


def _unslice_numpy(x, index, shape):
    out = zeros(shape, x.dtype)
    out[as_numpy_index(index)] = x
    return out


def _unslice_shape(x, index, shape):
    part = _indexed_shape(Spec(shape=shape, dtype=x.dtype), index).shape
    if not spreads(tuple(x.shape), part):
        raise invalid(
            f"A tensor of shape {tuple(x.shape)} does not fill the part of shape {part} that index {index} has in "
            f"shape {tuple(shape)}."
        )
    return Spec(shape=shape, dtype=x.dtype)


# The adjoint of getitem: zeros, with `x` where the slice was.
unslice = primitive(
    "unslice(x, *, index, shape)",
    kernel={"numpy": _unslice_numpy, "jax": "arrays.indexing.unslice"},
    shape=_unslice_shape,
    vjp=lambda ops, g, index: ops.getitem(g, index=index),
    jvp=LINEAR,
    batch=lambda op, args, batched, params: op(
        *args, index=(_ALL, *params["index"]), shape=(args[0].sizes[0], *params["shape"])
    ),
    makes_new=True,
)

# ---- rows by index


def _gather_numpy(x, indices, axis):
    """NumPy lets negative indices count from the end. Read as unsigned they are out of range: a check that costs no
    pass."""
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
        f"indices[{','.join(str(i) for i in np.unravel_index(bad, indices.shape))}] = {flat[bad]} is not in [0, "
        f"{size})" + (": negative indices do not count from the end here." if flat[bad] < 0 else "")
    )


def _gather_shape(x, indices, axis):
    check_axes(x, axis)
    return Spec(shape=(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), dtype=x.dtype)


def _take_vjp(ops, g, x_shape, indices, axis):
    """The rows are added into zeros, with `axis` moved to the front for it."""
    rank = len(sizes_of(indices))
    if axis:
        g = ops.transpose(g, perm=(*range(axis, axis + rank), *range(axis), *range(axis + rank, len(sizes_of(g)))))
    summed = ops.unsorted_segment_sum(g, indices, num_segments=x_shape[axis])
    return ops.transpose(summed, perm=(*range(1, axis + 1), 0, *range(axis + 1, len(x_shape)))) if axis else summed


def _gather_vjp(ops, g, x_shape, indices, axis):
    """Rows along the first axis come back as rows."""
    if axis:
        return _take_vjp(ops, g, x_shape, indices, axis)
    count = 1
    for d in sizes_of(indices):
        count *= d
    return SparseGradient(ops.reshape(g, shape=(count, *x_shape[1:])), ops.reshape(indices, shape=(count,)), x_shape)


def _gather_rows(op, args, batched, params):
    """Where tensor and indices differ from row to row, all tensors are laid end to end along `axis`, and one gather
    reads from them."""
    (x, indices), axis = args, params["axis"]
    if not batched[1]:
        return op(x, indices, axis=axis + 1)
    if not batched[0]:
        return rows_from(op(x, indices, axis=axis), axis)
    x = rows_to(x, axis)
    size = x.sizes[axis + 1]
    joined = ops.reshape(x, shape=(*x.sizes[:axis], x.sizes[axis] * size, *x.sizes[axis + 2 :]))
    return rows_from(op(joined, flat_rows(indices, batch_dims=1, size=size), axis=axis), axis)


_gathers = dict(
    kernel={"numpy": _gather_numpy, "jax": "arrays.indexing.taken"},
    shape=_gather_shape,
    jvp=LINEAR,
    batch=_gather_rows,
    dtypes={"x": ANY, "indices": INDEX},
    makes_new=True,
)

# Rows of `x` along `axis`. Their gradient is sparse along the first axis (`tf.IndexedSlices`); that of `take` is
# always dense.
gather = primitive("gather(x, indices, *, axis)", vjp={"x": _gather_vjp}, sparse=True, **_gathers)
take = primitive("take(x, indices, *, axis)", vjp={"x": _take_vjp}, **_gathers)


def _flat_rows_numpy(indices, batch_dims, size):
    if indices.size and not (indices.min() >= 0 and indices.max() < size):
        raise _out_of_range(indices, size)
    batch = indices.shape[:batch_dims]
    starts = np.arange(math.prod(batch), dtype=np.int64) * size
    return indices + starts.reshape(batch + (1,) * (indices.ndim - batch_dims))


def trailing(op, args, batched, params):
    """For numbers that go on along the first axes only: the rows become the last axis."""
    rank = len(args[0].sizes)
    return rows_from(op(rows_to(args[0], rank - 1), **params), rank - 1)


# Row numbers within each batch element, as row numbers in all batch elements laid end to end, `size` rows each.
flat_rows = primitive(
    "flat_rows(indices, *, batch_dims, size)",
    kernel={"numpy": _flat_rows_numpy, "jax": "arrays.indexing.flat_rows"},
    shape=lambda indices, batch_dims, size: Spec(shape=indices.shape, dtype=np.int64),
    vjp=CUT,
    batch=trailing,
    dtypes=INDEX,
)


def _ravel_index_numpy(indices, dims):
    sizes = np.array(dims, np.int64)
    if indices.size and not (indices.min() >= 0 and (indices < sizes).all()):
        rows = indices.reshape(-1, len(dims))
        bad = int(np.flatnonzero(((rows < 0) | (rows >= sizes)).any(1))[0])
        where = np.unravel_index(bad, indices.shape[:-1]) if indices.ndim > 1 else ()
        raise invalid(
            f"indices[{','.join(map(str, where))}] = {brackets(rows[bad])} does not index into shape {brackets(dims)}"
        )
    strides = np.cumprod((1, *dims[:0:-1]))[::-1] if dims else np.zeros(0, np.int64)
    return indices @ strides.astype(np.int64)


def _ravel_index_shape(indices, dims):
    if not indices.shape or differ(indices.shape[-1], len(dims)):
        raise invalid(
            f"The last axis of indices of shape {tuple(indices.shape)} must have size {len(dims)}, a number for each "
            f"axis of shape {tuple(dims)}."
        )
    return Spec(shape=indices.shape[:-1], dtype=np.int64)


# Indices of elements, one for each axis along the last axis of `indices`, as positions in the flattened tensor.
ravel_index = primitive(
    "ravel_index(indices, *, dims)",
    kernel={"numpy": _ravel_index_numpy, "jax": "arrays.indexing.ravel_index"},
    shape=_ravel_index_shape,
    vjp=CUT,
    batch=leading,
    dtypes=INDEX,
)

unravel_index = primitive(
    "unravel_index(x, *, dims)",
    kernel=lambda xp, x, dims: xp.stack(xp.unravel_index(x, dims or (1,)))[: len(dims)].astype(x.dtype),
    shape=lambda x, dims: Spec(shape=(len(dims), *x.shape), dtype=x.dtype),
    vjp=CUT,
    batch=lambda op, args, batched, params: rows_from(op(*args, **params), 1),
    dtypes=INDEX,
)

# ---- elements by mask


def _true_places(x, batch_dims):
    rows = x.reshape(*x.shape[:batch_dims], math.prod(x.shape[batch_dims:])) != 0
    counts = np.unique(np.count_nonzero(rows, axis=-1))
    if counts.size > 1:
        raise uneven_rows(f"Some rows have {counts[0]} elements that are true and others up to {counts[-1]}.")
    return np.nonzero(rows)[-1].reshape(*rows.shape[:-1], counts[0] if counts.size else 0)


# Where elements of each batch element are true (or not 0), as positions in it flattened. There must be as many in all
# of them.
true_places = primitive(
    "true_places(x, *, batch_dims)",
    kernel={"numpy": _true_places},
    shape=lambda x, batch_dims: Spec(shape=(*x.shape[:batch_dims], None), dtype=np.int64),
    vjp=CUT,
    batch=shift("batch_dims"),
)


def _compress_rows(op, args, batched, params):
    """One mask serves all rows at once; of masks that differ, the places where they are true are read."""
    x, condition = args
    rank = len(condition.sizes) - batched[1]
    if not batched[1]:
        return rows_from(op(rows_to(x, rank), condition), 1)
    places = true_places(condition, batch_dims=1)
    shape = tuple(x.sizes)[batched[0] :]
    x = ops.reshape(x, shape=(*x.sizes[: batched[0]], math.prod(shape[:rank]), *shape[rank:]))
    return _gather_rows(ops.take, (x, places), batched, {"axis": 0})


def _compress_shape(x, condition):
    if len(condition.shape) > len(x.shape) or any(map(differ, condition.shape, x.shape)):
        raise invalid(
            f"A mask of shape {tuple(condition.shape)} does not go with a tensor of shape {tuple(x.shape)}: its axes "
            "are the first of it."
        )
    return Spec(shape=(None, *x.shape[len(condition.shape) :]), dtype=x.dtype)


# The elements of `x` where `condition`, whose axes are the first of `x`, is true.
compress = primitive(
    "compress(x, condition)",
    kernel={"numpy": lambda x, condition: x[condition]},
    shape=_compress_shape,
    vjp={"x": lambda ops, g, condition: ops.uncompress(g, condition)},
    jvp=LINEAR,
    batch=_compress_rows,
    dtypes={"x": ANY, "condition": BOOL},
)


def _uncompress_numpy(x, condition):
    out = zeros(condition.shape + x.shape[1:], x.dtype)
    out[condition] = x
    return out


def _uncompress_rows(op, args, batched, params):
    x, condition = args
    rank = len(condition.sizes) - batched[1]
    if not batched[1]:
        return rows_from(op(rows_to(x, 1), condition), rank)
    if not batched[0]:
        x = spread(x, condition.sizes[0])
    return apart(op(end_to_end(x), end_to_end(condition, rank)), *condition.sizes)


# The adjoint of compress: zeros, with the rows of `x` where `condition` is true.
uncompress = primitive(
    "uncompress(x, condition)",
    kernel={"numpy": _uncompress_numpy, "jax": "arrays.indexing.uncompress"},
    shape=lambda x, condition: Spec(shape=condition.shape + x.shape[1:], dtype=x.dtype),
    vjp={"x": lambda ops, g, condition: ops.compress(g, condition)},
    jvp=LINEAR,
    batch=_uncompress_rows,
    dtypes={"x": ANY, "condition": BOOL},
)


def _nonzero_rows(op, args, batched, params):
    [x] = args
    index = ops.unravel_index(true_places(x, batch_dims=1), dims=tuple(x.sizes[1:]))
    return ops.transpose(index, perm=(1, 2, 0))


# The index of every element that is not zero, one row each.
nonzero = primitive(
    "nonzero(x)",
    kernel={"numpy": lambda x: np.argwhere(x).astype(np.int64, copy=False)},
    shape=lambda x: Spec(shape=(None, len(x.shape)), dtype=np.int64),
    vjp=NO_RULE,
    batch=_nonzero_rows,
)


def _one_hot(xp, indices, depth, axis):
    shape = indices.shape
    return indices.reshape(*shape[:axis], 1, *shape[axis:]) == xp.arange(depth).reshape(
        (depth,) + (1,) * (len(shape) - axis)
    )


# True at the index, along a new `axis` of size `depth`.
one_hot = primitive(
    "one_hot(indices, *, depth, axis)",
    kernel=_one_hot,
    shape=lambda indices, depth, axis: Spec(shape=(*indices.shape[:axis], depth, *indices.shape[axis:]), dtype=bool),
    vjp=CUT,
    batch=shift("axis"),
    dtypes=INTEGER,
)
