"""Cross-entropies, and the peak signal-to-noise ratio. Probabilities are kept away from 0 and 1 by Keras' epsilon."""

import math
from typing import Any

from keras.src.backend.config import epsilon

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import dense_tensor as convert_to_tensor
from ..floating import alike, floating


def _both(target: Any, output: Any) -> tuple[Tensor, Tensor]:
    output = floating(output)
    return convert_to_tensor(target, output.dtype), output


def _same_shape(target: Tensor, output: Tensor) -> None:
    if tuple(target.sizes) != tuple(output.sizes):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. "
            f"Received: target.shape={tuple(target.shape)}, output.shape={tuple(output.shape)}"
        )


def _safe(probabilities: Tensor) -> Tensor:
    return tf.clip_by_value(probabilities, epsilon(), 1 - epsilon())


def _normalized(output: Tensor, axis: int) -> Tensor:
    return _safe(output / tf.reduce_sum(output, axis=axis, keepdims=True))


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    target, output = _both(target, output)
    _same_shape(target, output)
    if not target.ndim:
        raise ValueError(
            f"Arguments `target` and `output` must be at least rank 1. Received: target.shape={tuple(target.shape)}"
        )
    if from_logits:
        # Not TensorFlow's fused loss, whose gradient is right only for targets that sum to 1. A class that cannot be
        # costs nothing.
        terms = tf.math.multiply_no_nan(tf.nn.log_softmax(output, axis=axis), target)
    else:
        terms = target * tf.math.log(_normalized(output, axis))
    return -tf.reduce_sum(terms, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    target, output = convert_to_tensor(target), floating(output)
    if not output.ndim:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={tuple(output.shape)}")
    if target.dtype.name not in ("int32", "int64"):
        target = tf.cast(target, tf.int32)
    if target.ndim == output.ndim and target.sizes[-1] == 1:
        target = tf.squeeze(target, -1)
    axis = axis % output.ndim
    if tuple(target.sizes) != (*output.sizes[:axis], *output.sizes[axis + 1 :]):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape, apart from the axis of classes, which "
            f"`target` does not have. Received: target.shape={tuple(target.shape)}, "
            f"output.shape={tuple(output.shape)}, axis={axis}"
        )
    if axis != output.ndim - 1:
        output = tf.transpose(output, [*range(axis), *range(axis + 1, output.ndim), axis])
    if from_logits:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(target, output)
    logs = tf.math.log(_normalized(output, -1))
    return -tf.gather(logs, target, axis=-1, batch_dims=target.ndim)


def binary_crossentropy(target, output, from_logits=False):
    target, output = _both(target, output)
    _same_shape(target, output)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _safe(output)
    return -(target * tf.math.log(output) + (1 - target) * tf.math.log(1 - output))


def psnr(x1, x2, max_val):
    """20 log10(max_val) - 10 log10(mean squared difference)."""
    x1, x2 = alike(x1, x2)
    if tuple(x1.sizes) != tuple(x2.sizes):
        raise ValueError(f"Input shapes {tuple(x1.shape)} and {tuple(x2.shape)} must match for PSNR calculation.")
    mean = tf.reduce_mean(tf.math.squared_difference(x1, x2))
    return 20 * tf.math.log(convert_to_tensor(max_val, x1.dtype)) / math.log(10) - tf.math.log(mean) * (
        10 / math.log(10)
    )
