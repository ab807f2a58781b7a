"""Sums, extremes and products over groups of rows. Rows whose id is not that of a segment belong to none, as
TensorFlow has it on GPUs."""

import jax.numpy as jnp

from tapeflow.core.errors import invalid
from tapeflow.engines.xla.math.reduction import highest, long, lowest, wide

from .indexing import WRITE, rows_at, taken


def _into(start, x, ids, num_segments):
    """What rows are combined into: `start` everywhere, at the segment of each row."""
    if x.shape[: ids.ndim] != ids.shape:
        raise invalid(
            f"data of shape {x.shape} does not start with the shape {ids.shape} of segment_ids: every row needs one "
            "id."
        )
    return rows_at(jnp.full((num_segments, *x.shape[ids.ndim :]), start, x.dtype), ids)


def flat_segments(ids, num_segments):
    starts = jnp.arange(len(ids), dtype=long()) * num_segments
    flat = ids + starts.reshape(-1, *[1] * (ids.ndim - 1))
    return jnp.where((ids < 0) | (ids >= num_segments), -1, flat)


def segment_sum(x, ids, num_segments):
    rows = wide(x)
    return _into(0, rows, ids, num_segments).add(rows, **WRITE).astype(x.dtype)


def gather_or_zero(x, ids):
    return taken(x, ids)


def segment_max(x, ids, num_segments, empty):
    return _or_empty(_into(lowest(x.dtype), x, ids, num_segments).max(x, **WRITE), ids, empty)


def segment_min(x, ids, num_segments, empty):
    return _or_empty(_into(highest(x.dtype), x, ids, num_segments).min(x, **WRITE), ids, empty)


def _or_empty(out, ids, empty):
    """`empty` for the segments that no row belongs to."""
    used = rows_at(jnp.zeros(len(out), bool), ids).set(True, **WRITE)
    return jnp.where(used.reshape(-1, *[1] * (out.ndim - 1)), out, jnp.asarray(empty, out.dtype))


def segment_prod(x, ids, num_segments):
    return _into(1, x, ids, num_segments).multiply(x, **WRITE)


def segment_order(ids):
    *leading, count = ids.shape
    order = jnp.argsort(ids, stable=True)
    places = jnp.broadcast_to(jnp.arange(count, dtype=ids.dtype), ids.shape)
    back = jnp.put_along_axis(jnp.zeros_like(ids), order, places, -1, inplace=False)
    together = jnp.take_along_axis(ids, order, -1)
    change = together[..., 1:] != together[..., :-1]
    edge = jnp.ones((*leading, min(count, 1)), bool)
    return order.astype(ids.dtype), back, jnp.concatenate([edge, change], -1), jnp.concatenate([change, edge], -1)
