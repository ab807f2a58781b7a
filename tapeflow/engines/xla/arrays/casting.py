"""Casts between dtypes."""

import jax.numpy as jnp
import numpy as np
from jax import lax


def cast(x, dtype):
    """A float beyond the range of the integers becomes the nearest of them, and NaN 0; on NumPy, whatever the
    processor makes of it."""
    if jnp.iscomplexobj(x) and np.dtype(dtype).kind != "c":
        x = x.real
    return x.astype(dtype)


def bitcast(x, dtype):
    dtype = np.dtype(dtype)
    if x.dtype == dtype:
        return x
    if {x.dtype.kind, dtype.kind}.isdisjoint("bc"):
        return lax.bitcast_convert_type(x, dtype)
    have, want = x.dtype.itemsize, dtype.itemsize
    shape = x.shape if have == want else (*x.shape, have // want) if have > want else x.shape[:-1]
    return _from_bytes(_bytes(x), dtype, shape)


def _bytes(x):
    """XLA has no bits of a bool or of a complex number, only of its parts."""
    if jnp.iscomplexobj(x):
        x = jnp.stack([x.real, x.imag], -1)
    return lax.bitcast_convert_type(x.astype(np.uint8) if x.dtype == bool else x, np.uint8).reshape(-1)


def _from_bytes(x, dtype, shape):
    if dtype.kind == "b":
        return x.reshape(shape) != 0
    if dtype.kind != "c":
        return lax.bitcast_convert_type(
            x.reshape(*shape, dtype.itemsize) if dtype.itemsize > 1 else x.reshape(shape), dtype
        )
    parts = _from_bytes(x, np.dtype(f"float{dtype.itemsize * 4}"), (*shape, 2))
    return lax.complex(parts[..., 0], parts[..., 1])
