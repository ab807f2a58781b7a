"""Moments, and normalisation with them."""

import tapeflow as tf

from ...replicas import averaged
from ..core import dense_tensor as convert_to_tensor
from ..floating import floating


def moments(x, axes, keepdims=False, synchronized=False):
    x = floating(x)
    axes = [axes] if isinstance(axes, int) else list(axes)
    if synchronized:
        return moments_of_all(x, axes, keepdims)
    if x.dtype is not tf.float16:
        return tf.nn.moments(x, axes, keepdims=keepdims)
    # A variance of halves may be beyond the largest of them.
    found = tf.nn.moments(tf.cast(x, tf.float32), axes, keepdims=keepdims)
    return tuple([tf.saturate_cast(part, tf.float16) for part in found])


def moments_of_all(x, axes, keepdims):
    """Of the parts of all replicas, which have equal sizes."""
    wide = tf.cast(x, tf.float32) if x.dtype is tf.float16 else x
    mean = averaged(tf.reduce_mean(wide, axes, keepdims=True))
    variance = averaged(tf.reduce_mean(tf.square(wide - mean), axes, keepdims=True))
    found = [mean, variance] if keepdims else [tf.squeeze(part, axes) for part in (mean, variance)]
    return tuple([tf.saturate_cast(part, x.dtype) if wide is not x else part for part in found])


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=0.001):
    """`mean`, `variance`, `offset` and `scale` have one number for each place along `axis`."""
    x = floating(x)
    shape = [1] * x.ndim
    shape[axis] = x.sizes[axis]
    last = axis in (-1, x.ndim - 1)
    parts = []
    for part in (mean, variance, offset, scale):
        if part is not None:
            part = convert_to_tensor(part, x.dtype)
            part = part if last and part.ndim == 1 else tf.reshape(part, shape)
        parts.append(part)
    return tf.nn.batch_normalization(x, *parts, variance_epsilon=epsilon)
