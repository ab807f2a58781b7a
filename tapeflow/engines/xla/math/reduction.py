"""Reductions. Halves (float16, bfloat16 and smaller) are added up in float32."""

import math

import jax
import jax.numpy as jnp
import numpy as np


def wide(x):
    """`x` in float32 where its floats are narrower than that."""
    return x.astype(jnp.float32) if jnp.issubdtype(x.dtype, jnp.floating) and x.dtype.itemsize < 4 else x


def long():
    """int64, or what stands for it where JAX is not set to 64 bits."""
    return jax.dtypes.canonicalize_dtype(np.int64)


def _count(x, axis):
    return math.prod([x.shape[a] for a in axis])


def reduce_sum(x, axis, keepdims):
    return jnp.sum(wide(x), axis, wide(x).dtype, keepdims=keepdims).astype(x.dtype)


def reduce_mean(x, axis, keepdims):
    if jnp.issubdtype(x.dtype, jnp.integer):
        return _whole_mean(x, axis, keepdims)
    total = jnp.sum(wide(x), axis, wide(x).dtype, keepdims=keepdims)
    return (total / jnp.asarray(_count(x, axis)).astype(total.dtype)).astype(x.dtype)  # symbols of jax, too


def _whole_mean(x, axis, keepdims):
    """Rounded towards zero; 0 for nothing at all."""
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    total = jnp.sum(x, axis, jax.dtypes.canonicalize_dtype(np.int64 if signed else np.uint64), keepdims=keepdims)
    return (jnp.sign(total) * (jnp.abs(total) // max(_count(x, axis), 1))).astype(x.dtype)


def sum_squares(x, axis, keepdims):
    return reduce_sum(jnp.square(wide(x)), axis, keepdims).astype(x.dtype)


def reduce_variance(x, axis, keepdims):
    deviation = wide(x) - reduce_mean(wide(x), axis, True)
    return reduce_mean(jnp.square(deviation), axis, keepdims).astype(x.dtype)


def reduce_prod(x, axis, keepdims):
    return jnp.prod(wide(x), axis, wide(x).dtype, keepdims=keepdims).astype(x.dtype)


def reduce_max(x, axis, keepdims):
    return jnp.max(x, axis, keepdims=keepdims, initial=None if x.size else lowest(x.dtype))


def reduce_min(x, axis, keepdims):
    return jnp.min(x, axis, keepdims=keepdims, initial=None if x.size else highest(x.dtype))


def lowest(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else np.asarray(jnp.iinfo(dtype).min, dtype)


def highest(dtype):
    return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else np.asarray(jnp.iinfo(dtype).max, dtype)


def reduce_logsumexp(x, axis, keepdims):
    top = reduce_max(wide(x), axis, True)
    top = jnp.where(jnp.isfinite(top), top, 0)
    total = jnp.log(reduce_sum(jnp.exp(wide(x) - top), axis, True)) + top
    return (total if keepdims else jnp.squeeze(total, axis)).astype(x.dtype)
