"""Sums over groups of rows."""

import numpy as np

from tapeflow.core.dtypes import INDEX, NUMERIC
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import Spec, primitive


def _unsorted_segment_sum(x, ids, num_segments):
    rank = ids.ndim
    flat = np.ravel(ids)
    rows = np.reshape(x, (flat.size, *x.shape[rank:]))
    if flat.size and flat.max() >= num_segments:
        raise invalid(f"index {flat.max()} is not in [0, {num_segments}): it is out of range")
    if flat.size and flat.min() < 0:  # TensorFlow drops rows with negative ids
        rows, flat = rows[flat >= 0], flat[flat >= 0]
    out = np.zeros((num_segments, *rows.shape[1:]), x.dtype)
    np.add.at(out, flat, rows)
    return out


unsorted_segment_sum = primitive(
    "unsorted_segment_sum(x, ids, *, num_segments)",
    kernel={"numpy": _unsorted_segment_sum},
    shape=lambda x, ids, num_segments: Spec(shape=(num_segments, *x.shape[len(ids.shape) :]), dtype=x.dtype),
    vjp={"x": lambda ops, g, ids: ops.gather_or_zero(g, ids)},
    dtypes={"x": NUMERIC, "ids": INDEX},
)


def _gather_or_zero(x, ids):
    out = np.take(x, np.maximum(ids, 0), axis=0)
    if ids.size and ids.min() < 0:
        out[ids < 0] = 0
    return out


# The adjoint of unsorted_segment_sum: each row is that of its segment, zero where the id is negative.
gather_or_zero = primitive(
    "gather_or_zero(x, ids)",
    kernel={"numpy": _gather_or_zero},
    shape=lambda x, ids: Spec(shape=(*ids.shape, *x.shape[1:]), dtype=x.dtype),
    vjp={"x": lambda ops, g, ids, x_shape: ops.unsorted_segment_sum(g, ids, num_segments=x_shape[0])},
    dtypes={"x": NUMERIC, "ids": INDEX},
)
