"""NumPy kernels of `ops/arrays/segments.py`: sums, extremes and products over groups of rows."""

import math

import numpy as np

from tapeflow.core.errors import invalid
from tapeflow.core.fitting import differ

_MANY = 16384  # elements from which the sparse product is worth its 20 microseconds
_SPARSE = frozenset(np.dtype(t) for t in ("float32", "float64", "complex64", "complex128", "int32", "int64"))


def _rows(x, ids, num_segments):
    """`x` as a matrix of rows and the ids as a vector, checked, without the rows that belong to no segment."""
    check_start(x.shape, ids.shape)
    rows, ids = x.reshape(ids.size, math.prod(x.shape[ids.ndim :])), ids.reshape(-1)
    _check_range(ids, num_segments)
    if ids.size and ids.min() < 0:
        kept = ids >= 0
        rows, ids = rows[kept], ids[kept]
    return rows, ids


def check_start(shape, of_ids):
    if len(of_ids) > len(shape) or any(map(differ, shape, of_ids)):
        raise invalid(
            f"data of shape {shape} does not start with the shape {of_ids} of segment_ids: every row needs one id."
        )


def _check_range(ids, num_segments):
    if ids.size and ids.max() >= num_segments:
        raise invalid(
            f"segment id {ids.max()} is out of range: num_segments={num_segments} allows ids from 0 to "
            f"{num_segments - 1}."
        )


def _combine(ufunc, out, rows, ids):
    """Combine every row into that of its segment in `out`, in place."""
    width = out.shape[1]
    elements = ids if width == 1 else (ids.astype(np.int64)[:, None] * width + np.arange(width)).reshape(-1)
    ufunc.at(out.reshape(-1), elements, rows.reshape(-1))
    return out


def flat_segments(ids, num_segments):
    _check_range(ids, num_segments)
    starts = np.arange(len(ids), dtype=np.int64) * num_segments
    return np.where(ids < 0, -1, ids + starts.reshape(-1, *[1] * (ids.ndim - 1)))


def segment_sum(x, ids, num_segments):
    rows, flat = _rows(x, ids, num_segments)
    shape = (num_segments, *x.shape[ids.ndim :])
    if rows.size >= _MANY and rows.shape[1] > 1 and x.dtype in _SPARSE:
        from scipy.sparse import csc_array

        ones = np.ones(flat.size, x.dtype)
        return (
            csc_array((ones, flat, np.arange(flat.size + 1, dtype=flat.dtype)), shape=(num_segments, flat.size)) @ rows
        ).reshape(shape)
    out = np.zeros((num_segments, rows.shape[1]), np.float32 if x.dtype == np.float16 else x.dtype)
    return _combine(np.add, out, rows, flat).astype(x.dtype, copy=False).reshape(shape)


def gather_or_zero(x, ids):
    out = np.take(x, np.maximum(ids, 0), axis=0)
    if ids.size and ids.min() < 0:
        out[ids < 0] = 0
    return out


def segment_extreme(ufunc, sign):
    def kernel(x, ids, num_segments, empty):
        rows, flat = _rows(x, ids, num_segments)
        start = sign * np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max if sign > 0 else np.iinfo(x.dtype).min
        out = _combine(ufunc, np.full((num_segments, rows.shape[1]), start, x.dtype), rows, flat)
        out[np.bincount(flat, minlength=num_segments) == 0] = empty
        return out.reshape(num_segments, *x.shape[ids.ndim :])

    return kernel


def segment_prod(x, ids, num_segments):
    rows, flat = _rows(x, ids, num_segments)
    out = _combine(np.multiply, np.ones((num_segments, rows.shape[1]), x.dtype), rows, flat)
    return out.reshape(num_segments, *x.shape[ids.ndim :])


def segment_order(ids):
    *leading, count = ids.shape
    order = np.argsort(ids, kind="stable").astype(ids.dtype)
    back = np.empty_like(order)
    np.put_along_axis(back, order, np.broadcast_to(np.arange(count, dtype=ids.dtype), ids.shape), -1)
    together = np.take_along_axis(ids, order, -1)
    change = together[..., 1:] != together[..., :-1]
    edge = np.ones((*leading, min(count, 1)), bool)
    return order, back, np.concatenate([edge, change], -1), np.concatenate([change, edge], -1)
