"""Activation functions. Integers become floating numbers, except where the result is made of the input's own
numbers."""

from typing import Any

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import dense_tensor as convert_to_tensor
from ..floating import floating

# ---- rectifiers


def relu(x):
    return tf.nn.relu(convert_to_tensor(x))


def relu6(x):
    return tf.nn.relu6(convert_to_tensor(x))


def leaky_relu(x, negative_slope=0.2):
    return tf.nn.leaky_relu(floating(x), alpha=negative_slope)


def threshold(x, threshold, default_value):
    x = convert_to_tensor(x)
    return tf.where(x > convert_to_tensor(threshold, x.dtype), x, convert_to_tensor(default_value, x.dtype))


def hard_tanh(x):
    return tf.clip_by_value(convert_to_tensor(x), -1, 1)


def hard_sigmoid(x):
    return tf.nn.relu6(floating(x) + 3) / 6


def hard_silu(x):
    x = floating(x)
    return x * hard_sigmoid(x)


def sparse_sigmoid(x):
    return tf.clip_by_value(floating(x), -1, 1) * 0.5 + 0.5


def sparse_plus(x):
    """The integral of `sparse_sigmoid`: a parabola between 0, below -1, and x, above 1."""
    x = floating(x)
    return tf.square(tf.clip_by_value(x, -1, 1) + 1) * 0.25 + tf.nn.relu(x - 1)


# ---- shrinking


def hard_shrink(x, threshold=0.5):
    x = convert_to_tensor(x)
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


def soft_shrink(x, threshold=0.5):
    x = floating(x)
    return x - tf.clip_by_value(x, -threshold, threshold)


def tanh_shrink(x):
    x = floating(x)
    return x - tf.tanh(x)


# ---- exponential ones


def sigmoid(x):
    return tf.sigmoid(floating(x))


def tanh(x):
    return tf.tanh(floating(x))


def softplus(x):
    return tf.nn.softplus(floating(x))


def log_sigmoid(x):
    return tf.math.log_sigmoid(floating(x))


def silu(x):
    return tf.nn.silu(floating(x))


def gelu(x, approximate=True):
    return tf.nn.gelu(floating(x), approximate=approximate)


def selu(x):
    return tf.nn.selu(floating(x))


def elu(x, alpha=1.0):
    x = floating(x)
    y = tf.nn.elu(x)
    return y if alpha == 1 else y * alpha + tf.nn.relu(x) * (1 - alpha)


def celu(x, alpha=1.0):
    x = floating(x)
    return tf.nn.elu(x) if alpha == 1 else tf.nn.relu(x) + (tf.nn.elu(x / alpha) - tf.nn.relu(x / alpha)) * alpha


# ---- algebraic ones


def softsign(x):
    return tf.nn.softsign(floating(x))


def squareplus(x, b=4):
    x = floating(x)
    return (x + tf.sqrt(tf.square(x) + b)) * 0.5


# ---- along axes


def glu(x, axis=-1):
    x = floating(x)
    if x.sizes[axis] % 2:
        raise ValueError(
            f"The axis that `glu` halves must have an even size. Received: axis={axis} of an input of shape "
            f"{tuple(x.shape)}."
        )
    value, gate = tf.split(x, 2, axis=axis)
    return value * tf.sigmoid(gate)


def softmax(x, axis=-1):
    return _along(tf.nn.softmax, floating(x), axis)


def log_softmax(x, axis=-1):
    return _along(tf.nn.log_softmax, floating(x), axis)


def _along(function: Any, x: Tensor, axis: Any) -> Tensor:
    """`function` along one axis, or along several as if they were one."""
    if isinstance(axis, int):
        return function(x, axis=axis)
    axes = range(x.ndim) if axis is None else [a % x.ndim for a in axis]
    order = [a for a in range(x.ndim) if a not in axes] + list(axes)
    moved = tf.transpose(x, order)
    flat = tf.reshape(moved, [*moved.sizes[: x.ndim - len(axes)], -1])
    back = sorted(range(x.ndim), key=order.__getitem__)
    return tf.transpose(tf.reshape(function(flat, axis=-1), moved.sizes), back)


def sparsemax(x, axis=-1):
    """The nearest point to `x` whose elements are not negative and sum to 1.

    It is `x` less a number, cut at 0. Which elements stay is found by sorting; the number is that by which these sum
    to 1, and as a function of them it has the right gradient.
    """
    x = floating(x)
    values = tf.stop_gradient(x)
    largest_first = tf.sort(values, axis=axis, direction="DESCENDING")
    shape = [1] * x.ndim
    shape[axis] = x.sizes[axis]
    count = tf.reshape(tf.range(1, x.sizes[axis] + 1, dtype=x.dtype), shape)
    fits = 1 + count * largest_first > tf.cumsum(largest_first, axis=axis)
    smallest = tf.reduce_min(tf.where(fits, largest_first, x.dtype.max), axis=axis, keepdims=True)
    stays = tf.cast(values >= smallest, x.dtype)
    excess = tf.reduce_sum(x * stays, axis=axis, keepdims=True) - 1
    return tf.nn.relu(x - excess / tf.reduce_sum(stays, axis=axis, keepdims=True))
