"""Moments, and normalisation with them (see `ops/nn/normalization.py`)."""

import jax.numpy as jnp
from jax import lax


def _wide(x):
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def moments(x, axis, keepdims):
    wide = _wide(x)
    mean = jnp.mean(wide, axis, keepdims=True)
    variance = jnp.mean(jnp.square(wide - mean), axis, keepdims=keepdims)
    return mean.reshape(variance.shape).astype(x.dtype), variance.astype(x.dtype)


def centred(x, mean, factor, start):
    return (x - mean) * factor + start


def batch_norm(x, mean, variance, scale, offset, epsilon):
    factor = lax.rsqrt(variance + epsilon) * scale
    return x * factor + (offset - mean * factor)


def _summed(x, shape):
    extra = x.ndim - len(shape)
    axis = (*range(extra), *[a + extra for a, n in enumerate(shape) if n == 1 != x.shape[a + extra]])
    return jnp.sum(_wide(x), axis).astype(x.dtype).reshape(shape)


def batch_norm_grad(dy, x, mean, variance, scale, offset_shape, epsilon):
    factor = lax.rsqrt(variance + epsilon)
    product = factor * scale
    dy = jnp.broadcast_to(dy, jnp.broadcast_shapes(dy.shape, x.shape, product.shape, mean.shape, offset_shape))
    out, moved = dy * product, (x - mean) * dy
    return (
        _summed(out, x.shape),
        -_summed(out, mean.shape),
        _summed(moved * (product * jnp.square(factor)), variance.shape) * -0.5,
        _summed(moved * factor, scale.shape),
        _summed(dy, offset_shape),
    )
