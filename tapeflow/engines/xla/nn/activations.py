"""Activation functions."""

import jax.numpy as jnp

from tapeflow.engines.xla.math.special import normal_cdf


def relu(x):
    return jnp.maximum(x, 0)


def gelu(x):
    wide = x if x.dtype in (jnp.float32, jnp.float64) else x.astype(jnp.float32)
    return (wide * normal_cdf(wide)).astype(x.dtype)


def gelu_grad(dy, x):
    wide = x if x.dtype in (jnp.float32, jnp.float64) else x.astype(jnp.float32)
    density = jnp.exp(wide * wide * -0.5) * (0.5 / jnp.pi) ** 0.5
    return (dy * (normal_cdf(wide) + wide * density)).astype(dy.dtype)


def softmax_grad(dy, output, axis):
    product = dy * output
    return ((dy - _total(product, axis)) * output).astype(dy.dtype)


def _shifted(x, axis):
    return x - jnp.max(x, axis=axis, keepdims=True, initial=-jnp.inf)


def _total(x, axis):
    """The sum of what may be half precision, in single."""
    wide = jnp.float32 if x.dtype.itemsize == 2 else x.dtype
    return jnp.sum(x, axis=axis, keepdims=True, dtype=wide)


def softmax(x, axis):
    out = jnp.exp(_shifted(x, axis))
    return (out / _total(out, axis)).astype(x.dtype)


def log_softmax(x, axis):
    out = _shifted(x, axis)
    return (out - jnp.log(_total(jnp.exp(out), axis))).astype(x.dtype)


def log_softmax_grad(dy, output, axis):
    return (dy - jnp.exp(output) * _total(dy, axis)).astype(dy.dtype)
