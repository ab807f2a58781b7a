"""Moments, and normalisation with them."""

from typing import Any

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


# ---- what Keras makes of single operations


def adapt_layers(module: Any) -> None:
    """`keras.ops.layer_normalization` in two operations and not seven. (What scales by the variance alone stays.)"""
    name = "_layer_normalization"
    composed = getattr(module, name)

    def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, rms_scaling=False):
        if rms_scaling:
            return composed(x, gamma, beta, axis, epsilon, rms_scaling)
        wide = _wide(x)
        rank = wide.ndim
        axes = [axis] if isinstance(axis, int) else list(axis)
        across = [n if a in axes or a - rank in axes else 1 for a, n in enumerate(wide.sizes)]
        parts = [_lined(part, across, wide) for part in (beta, gamma)]
        mean, variance = tf.nn.moments(wide, axes, keepdims=True)
        epsilon = module.backend.epsilon() if epsilon is None else epsilon
        return _as(tf.nn.batch_normalization(wide, mean, variance, *parts, epsilon), x)

    setattr(module, name, layer_normalization)


def adapt_groups(module: Any) -> None:
    """`GroupNormalization` in two operations."""

    def apply_normalization(self, reshaped_inputs, input_shape):
        wide = _wide(reshaped_inputs)
        groups = self.axis if self.axis >= 0 else wide.ndim - 1 + self.axis
        mean, variance = tf.nn.moments(wide, [a for a in range(1, wide.ndim) if a != groups], keepdims=True)
        across = self._create_broadcast_shape(input_shape)
        parts = [_lined(part, across, wide) for part in (self.beta, self.gamma)]
        return _as(tf.nn.batch_normalization(wide, mean, variance, *parts, self.epsilon), reshaped_inputs)

    setattr(module.GroupNormalization, "_apply_normalization", apply_normalization)  # noqa: B010


def _wide(x):
    """In single precision, at least."""
    from keras.src.backend.common.dtypes import result_type
    from keras.src.backend.common.variables import standardize_dtype

    return convert_to_tensor(x, result_type(standardize_dtype(x.dtype), "float32"))


def _as(y, x):
    """Back in the dtype of `x`."""
    from keras.src.backend.common.variables import standardize_dtype

    return tf.cast(y, standardize_dtype(x.dtype))


def _lined(part, shape, x):
    """Of each place in `shape`, beside which `x` has other axes."""
    if part is None:
        return None
    part = convert_to_tensor(part, x.dtype)
    fits = part.ndim in (0, x.ndim) or part.ndim == 1 and all(n == 1 for n in shape[:-1])
    return part if fits else tf.reshape(part, shape)
