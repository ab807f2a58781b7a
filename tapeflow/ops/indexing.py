"""Reading parts of a tensor: slices with constant bounds, and rows by index.

An `index` is a tuple of ints, (start, stop, step) triples, None for a new axis and Ellipsis: like NumPy's, but hashable.
"""

import numpy as np

from tapeflow.core.dtypes import ANY, INDEX
from tapeflow.core.primitive import Spec, primitive
from tapeflow.core.slices import SparseGradient


def as_numpy_index(index):
    return tuple(slice(*i) if isinstance(i, tuple) else i for i in index)


def _indexed_shape(x, index):
    return Spec(shape=np.empty(x.shape, bool)[as_numpy_index(index)].shape, dtype=x.dtype)


getitem = primitive(
    "getitem(x, *, index)",
    kernel=lambda xp, x, index: x[as_numpy_index(index)],
    shape=_indexed_shape,
    vjp=lambda ops, g, x_shape, index: ops.unslice(g, index=index, shape=x_shape),
)


def _unslice_numpy(x, index, shape):
    out = np.zeros(shape, x.dtype)
    out[as_numpy_index(index)] = x
    return out


# The adjoint of getitem: zeros, with `g` where the slice was.
unslice = primitive(
    "unslice(x, *, index, shape)",
    kernel={"numpy": _unslice_numpy},
    shape=lambda x, index, shape: Spec(shape=shape, dtype=x.dtype),
    vjp=lambda ops, g, index: ops.getitem(g, index=index),
)


def _gather_vjp(ops, g, x_shape, indices, axis):
    """Rows along the first axis come back as rows; along another axis they are added into zeros."""
    flat = ops.reshape(indices, shape=(int(np.prod(indices.shape)),))
    tail = x_shape[axis + 1 :]
    if axis == 0:
        return SparseGradient(ops.reshape(g, shape=(flat.shape[0], *tail)), flat, x_shape)
    rank = len(indices.shape)
    perm = (*range(axis, axis + rank), *range(axis), *range(axis + rank, len(g.shape)))
    rows = ops.reshape(ops.transpose(g, perm=perm), shape=(flat.shape[0], *x_shape[:axis], *tail))
    summed = ops.unsorted_segment_sum(rows, flat, num_segments=x_shape[axis])
    back = (*range(1, axis + 1), 0, *range(axis + 1, len(x_shape)))
    return ops.transpose(summed, perm=back)


# Rows of `x` along `axis`. The public function checks the range of the indices.
gather = primitive(
    "gather(x, indices, *, axis)",
    kernel=lambda xp, x, indices, axis: xp.take(x, indices, axis=axis),
    shape=lambda x, indices, axis: Spec(shape=(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), dtype=x.dtype),
    vjp={"x": _gather_vjp},
    dtypes={"x": ANY, "indices": INDEX},
)
