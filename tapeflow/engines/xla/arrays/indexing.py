"""Reading parts of a tensor. An index that is out of range reads zeros and writes nothing, as TensorFlow has it on
GPUs; so does a negative one. Indices into several tensors laid end to end are -1 where they were out of range in
theirs.
"""

import math

import jax.numpy as jnp
from jax import lax

from tapeflow.engines.xla.math.reduction import long

READ = dict(mode="fill", fill_value=0, wrap_negative_indices=False)
WRITE = dict(mode="drop", wrap_negative_indices=False)

# ---- slices


def unslice(x, index, shape):
    """A slice is put back by padding, which XLA joins with what is around it; it would not do so with a scatter."""
    sizes, padding, backwards = [], [], []
    for axis, (item, size) in enumerate(zip(_per_axis(index, len(shape)), shape)):
        if isinstance(item, tuple):
            places = range(size)[slice(*item)]
        else:
            places = range(item % size, item % size + 1)
        if places.step < 0:
            places = places[::-1]
            backwards.append(axis)
        sizes.append(len(places))
        padding.append((places[0], size - 1 - places[-1], places.step - 1) if places else (0, size, 0))
    x = lax.rev(x.reshape(sizes), backwards)
    return lax.pad(x, jnp.zeros((), x.dtype), padding)


def _per_axis(index, rank):
    """One item for each axis of what was sliced: no new axes, and no ellipsis."""
    items = [i for i in index if i is not None]
    at = items.index(...) if ... in items else len(items)
    rest = items[at + 1 :]
    return [*items[:at], *[(None, None, None)] * (rank - at - len(rest)), *rest]


# ---- rows by index


def rows_at(x, indices, axis=0):
    """`x.at` the rows along `axis`. XLA may index with 32 bits: what is beyond them must not come back into the
    range."""
    if indices.dtype.itemsize > 4:
        indices = jnp.clip(indices, -1, x.shape[axis])
    return x.at[(slice(None),) * axis + (indices,)]


def taken(x, indices, axis=0):
    if not x.shape[axis]:
        return jnp.zeros((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)
    return rows_at(x, indices, axis).get(**READ)


def flat_rows(indices, batch_dims, size):
    batch = indices.shape[:batch_dims]
    starts = jnp.arange(math.prod(batch), dtype=long()) * size
    flat = indices + starts.reshape(batch + (1,) * (indices.ndim - batch_dims))
    return jnp.where((indices < 0) | (indices >= size), -1, flat)


def ravel_index(indices, dims):
    position, inside = jnp.zeros(indices.shape[:-1], long()), True
    for k, size in enumerate(dims):
        here = indices[..., k]
        position = position * size + here
        inside = inside & (here >= 0) & (here < size)
    return jnp.where(inside, position, -1)


# ---- elements by mask


def uncompress(x, condition):
    number = jnp.cumsum(condition.reshape(-1)) - 1  # of the row of `x` for each element that is true
    return taken(x, jnp.where(condition, number.reshape(condition.shape), -1))
