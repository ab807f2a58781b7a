"""Colour spaces."""

from typing import Any

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import cast
from .layout import as_images, channels_first, narrowed, wide, with_channels_last

_LUMA = (0.2989, 0.5870, 0.1140)  # how bright red, green and blue look


def rgb_to_grayscale(images, data_format=None):
    x = as_images(images)
    axis = x.ndim - 3 if channels_first(data_format) else x.ndim - 1
    if x.sizes[axis] not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: "
            f"images.shape={tuple(x.shape)}"
        )
    if x.sizes[axis] == 1:
        return x
    weights = tf.reshape(tf.constant(_LUMA, wide(x)), [3] + [1] * (x.ndim - 1 - axis))
    return narrowed(tf.reduce_sum(cast(x, weights.dtype) * weights, axis=axis, keepdims=True), x.dtype)


def rgb_to_hsv(images, data_format=None):
    return _converted(images, tf.image.rgb_to_hsv, data_format)


def hsv_to_rgb(images, data_format=None):
    return _converted(images, tf.image.hsv_to_rgb, data_format)


def _converted(images: Any, function: Any, data_format: Any) -> Tensor:
    x = as_images(images)
    if not x.dtype.is_floating:
        raise ValueError(f"Invalid images dtype: expected float dtype. Received: images.dtype={x.dtype.name}")
    count = x.sizes[-3 if channels_first(data_format) else -1]
    if count != 3:
        raise ValueError(f"Input images must have 3 channels, but received images with {count} channels.")
    return cast(with_channels_last(cast(x, wide(x)), function, data_format), x.dtype)
