"""Sorting and searching. Numbers that are out of range where indices are expected count for nothing: errors on values
cannot be raised here."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from tapeflow.core.errors import invalid
from tapeflow.engines.xla.math.reduction import long, wide

from .indexing import WRITE, rows_at


def add_along(x, indices, size):
    rows = math.prod(x.shape[:-1])
    out = jnp.zeros((rows, size), wide(x).dtype)
    row = jnp.arange(rows)[:, None]
    added = out.at[row, indices.reshape(rows, x.shape[-1])].add(wide(x).reshape(rows, x.shape[-1]), **WRITE)
    return added.reshape(*x.shape[:-1], size).astype(x.dtype)


def top_k(x, k):
    """XLA orders zeros and NaNs by their signs; made one of each first, the first of them comes first."""
    key = x
    if jnp.issubdtype(x.dtype, jnp.floating):
        key = jnp.where(x == 0, jnp.zeros_like(x), jnp.where(jnp.isnan(x), jnp.full_like(x, jnp.nan), x))
    _, order = lax.top_k(key, k)
    return jnp.take_along_axis(x, order, -1), order


def argmax(x, axis, dtype):
    return _pointed_at(jnp.argmax, x, axis, dtype, -jnp.inf)


def argmin(x, axis, dtype):
    return _pointed_at(jnp.argmin, x, axis, dtype, jnp.inf)


def _pointed_at(find, x, axis, dtype, worst):
    """JAX gives the first NaN; here NaN never wins."""
    if not x.shape[axis]:
        raise invalid(f"Reduction axis {axis} is empty in shape {x.shape}: there is no element to point at.")
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = jnp.where(jnp.isnan(x), jnp.asarray(worst, x.dtype), x)
    return find(x, axis).astype(jax.dtypes.canonicalize_dtype(dtype))


def bincount(x, size):
    flat = x.reshape(-1)
    if flat.dtype.itemsize < 4:  # `size` may be beyond a narrow integer
        flat = flat.astype(jnp.int32)
    return jnp.zeros(size, long()).at[jnp.minimum(flat, size)].add(1, **WRITE)


def searchsorted(x, values, side):
    search = lambda row, wanted: jnp.searchsorted(row, wanted, side, method="scan_unrolled").astype(jnp.int32)
    if x.ndim == 1 or not values.size:
        return search(x.reshape(-1), values)
    count = math.prod(x.shape[:-1])
    return jax.vmap(search)(x.reshape(count, x.shape[-1]), values.reshape(count, values.shape[-1])).reshape(
        values.shape
    )


def invert_permutation(x):
    """What is not a permutation leaves -1 where no number leads."""
    if x.ndim != 1:
        raise invalid(f"A permutation is a vector, got shape {x.shape}.")
    return rows_at(jnp.full_like(x, -1), x).set(jnp.arange(x.size, dtype=x.dtype), **WRITE)
