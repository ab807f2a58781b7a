"""Colours: conversions between colour spaces and dtypes, and adjustments. All of it has gradients, of every order.

Colours are the last axis. Integers stand for numbers between 0 and 1: 255 in uint8 is 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast, saturate_cast
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float16, float32, float64
from tapeflow.core.errors import dtype_clash, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """The same picture in another dtype: the largest integer corresponds to 1.0. `saturate` keeps what is out of range
    at the limits.

    Args:
        image: An image of integers, or of floats from 0 to 1.
        dtype: The dtype to convert to.
        saturate: True keeps values that the dtype does not have at its limits; they wrap around otherwise.

    Raises:
        AttributeError: If one of the dtypes is neither integer nor float.

    >>> tf.image.convert_image_dtype(tf.constant([0, 51, 255], tf.uint8), tf.float32).numpy().round(4)
    array([0. , 0.2, 1. ], dtype=float32)
    >>> tf.image.convert_image_dtype([0., 0.5, 1.2], tf.uint8, saturate=True).numpy()
    array([  0, 127, 255], dtype=uint8)
    """
    x, dtype = as_tensor(image), as_dtype(dtype)
    old, to = x.dtype, saturate_cast if saturate else cast
    if not ((old.is_floating or old.is_integer) and (dtype.is_floating or dtype.is_integer)):
        raise AttributeError(f"images are integers or floats; cannot convert {old.name} to {dtype.name}.")
    if old is dtype:
        return ops.identity(x)
    if old.is_integer and dtype.is_integer:
        if old.max > dtype.max:
            return to(ops.floordiv(x, (old.max + 1) // (dtype.max + 1)), dtype)
        return to(x, dtype) * ((dtype.max + 1) // (old.max + 1))
    if old.is_floating and dtype.is_floating:
        return cast(x, dtype)
    if old.is_integer:
        return cast(x, dtype) * (1.0 / old.max)
    x = cast(x, float32) if dtype.size > old.size else x  # float16 ends at 65504
    return to(x * (dtype.max + 0.5), dtype)


def _in_floats(image: Any) -> tuple[Tensor, Callable]:
    """The image between 0 and 1 in a dtype to compute in, and the way back to its own."""
    x = as_tensor(image)
    if x.dtype in (float16, float32, float64):
        return x, lambda y: y
    return convert_image_dtype(x, float32), lambda y: convert_image_dtype(y, x.dtype, saturate=True)


def _colours(image: Any, floats: bool = True) -> Tensor:
    x = as_tensor(image)
    if floats and not x.dtype.is_floating:
        raise dtype_clash(
            f"floats are needed here, got {x.dtype.name}. Convert first: tf.image.convert_image_dtype(image, "
            "tf.float32)."
        )
    if not x.ndim or x.sizes[-1] != 3:
        raise invalid(
            f"the last dimension must be 3, for red, green and blue (or the like); got shape {tuple(x.shape)}."
        )
    return x


# ---- linear conversions

_GREY = (0.2989, 0.5870, 0.1140)  # how bright red, green and blue are
_YIQ = ((0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955))
_FROM_YIQ = ((1.0, 1.0, 1.0), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
_YUV = ((0.299, -0.14714119, 0.61497538), (0.587, -0.28886916, -0.51496512), (0.114, 0.43601035, -0.10001026))
_FROM_YUV = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))


def _mixed(images: Any, matrix: tuple) -> Tensor:
    """Each pixel times a matrix, as one product."""
    x = _colours(images)
    rows = ops.reshape(x, shape=(int(np.prod(x.sizes[:-1])), 3))
    return ops.reshape(ops.matmul(rows, to_tensor(matrix, x.dtype)), shape=(*x.sizes[:-1], len(matrix[0])))


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """How bright each pixel is; the last dimension becomes 1.

    Args:
        images: Colours: red, green and blue in the last axis. Integers will do.

    >>> tf.image.rgb_to_grayscale([[1., 0., 0.], [0., 1., 0.]]).numpy()
    array([[0.2989],
           [0.587 ]], dtype=float32)
    """
    x, back = _in_floats(_colours(images, floats=False))
    return back(_mixed(x, tuple((w,) for w in _GREY)))


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Grey as red, green and blue; the last dimension, 1, becomes 3.

    Args:
        images: Grey in the last axis, of size 1.

    Raises:
        ValueError: If the last size is not 1.

    >>> tf.image.grayscale_to_rgb([[0.5]]).numpy()
    array([[0.5, 0.5, 0.5]], dtype=float32)
    """
    x = as_tensor(images)
    if not x.ndim or x.sizes[-1] != 1:
        raise ValueError(f"Last dimension of a grayscale image should be size 1, got shape {tuple(x.shape)}.")
    return ops.broadcast_to(x, shape=(*x.sizes[:-1], 3))


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Brightness and two colour differences, in-phase and quadrature (NTSC).

    Args:
        images: Colours in floats: red, green and blue in the last axis.

    Raises:
        InvalidArgumentError: If they are integers, or the last size is not 3.

    >>> tf.image.rgb_to_yiq([[1., 0., 0.]]).numpy().round(4)
    array([[0.299 , 0.5959, 0.2115]], dtype=float32)
    """
    return _mixed(images, _YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of `rgb_to_yiq`.

    Args:
        images: Colours in floats: the three components in the last axis.

    Raises:
        InvalidArgumentError: If they are integers, or the last size is not 3.

    >>> tf.image.yiq_to_rgb(tf.image.rgb_to_yiq([[0.2, 0.4, 0.8]])).numpy().round(4)
    array([[0.2, 0.4, 0.8]], dtype=float32)
    """
    return _mixed(images, _FROM_YIQ)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Brightness and two colour differences, blue and red (PAL).

    Args:
        images: Colours in floats: red, green and blue in the last axis.

    Raises:
        InvalidArgumentError: If they are integers, or the last size is not 3.

    >>> tf.image.rgb_to_yuv([[1., 1., 1.]]).numpy().round(3) + 0.
    array([[1., 0., 0.]], dtype=float32)
    """
    return _mixed(images, _YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of `rgb_to_yuv`.

    Args:
        images: Colours in floats: the three components in the last axis.

    Raises:
        InvalidArgumentError: If they are integers, or the last size is not 3.

    >>> tf.image.yuv_to_rgb(tf.image.rgb_to_yuv([[0.2, 0.4, 0.8]])).numpy().round(4)
    array([[0.2, 0.4, 0.8]], dtype=float32)
    """
    return _mixed(images, _FROM_YUV)


# ---- hue


def _hue(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(hue between 0 and 1, largest, smallest) of red, green and blue.

    Among equals red is called the largest and blue the smallest, and they get the gradient; grey has hue 0, with slope
    0.
    """
    r, g, b = ops.unstack(x, axis=x.ndim - 1)
    red = ops.logical_and(r >= g, r >= b)
    green = ops.logical_and(ops.logical_not(red), g >= b)
    largest = ops.where(red, r, ops.where(green, g, b))
    blue_least = ops.logical_and(b <= r, b <= g)
    smallest = ops.where(blue_least, b, ops.where(g <= r, g, r))
    across = ops.where(red, g - b, ops.where(green, b - r, r - g))
    hue = ops.divide_no_nan(across, (largest - smallest) * 6.0)
    third = lambda number: ops.cast(number, dtype=x.dtype.np)
    start = ops.where(red, third(hue < 0.0), ops.where(green, third(green) / 3.0, third(largest == b) * 2.0 / 3.0))
    return hue + start, largest, smallest


def _ramps(hue: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """How red, green and blue the pure colour of a hue between 0 and 1 is."""
    at = hue * 6.0
    limit = lambda x: ops.clip(x, 0.0, 1.0)[0]
    return limit(ops.abs(at - 3.0) - 1.0), limit(2.0 - ops.abs(at - 2.0)), limit(2.0 - ops.abs(at - 4.0))


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value, each between 0 and 1, of colours between 0 and 1.

    Args:
        images: Colours in floats: red, green and blue in the last axis.

    Raises:
        InvalidArgumentError: If they are integers, or the last size is not 3.

    >>> tf.image.rgb_to_hsv([[1., 0., 0.], [0., 0., 0.5]]).numpy().round(3)
    array([[0.   , 1.   , 1.   ],
           [0.667, 1.   , 0.5  ]], dtype=float32)
    """
    x = _colours(images)
    hue, largest, smallest = _hue(x)
    saturation = ops.where(largest > 0.0, ops.divide_no_nan(largest - smallest, largest), 0.0)
    return ops.stack(hue, saturation, largest, axis=x.ndim - 1)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue of hue, saturation and value.

    Args:
        images: Colours in floats: the three components in the last axis.

    Raises:
        InvalidArgumentError: If they are integers, or the last size is not 3.

    >>> hsv = tf.constant([0.5, 0.2, 0.1])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(hsv)
    ...     rgb = tf.image.hsv_to_rgb(hsv)
    >>> tape.jacobian(rgb, hsv).numpy().round(3)[:, 2]                           # brighter: each in its proportion
    array([0.8, 1. , 1. ], dtype=float32)
    """
    x = _colours(images)
    hue, saturation, value = ops.unstack(x, axis=x.ndim - 1)
    return ops.stack(*[(1.0 - saturation + saturation * ramp) * value for ramp in _ramps(hue)], axis=x.ndim - 1)


# ---- adjustments


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """The image with `delta` added; integers stay in their range.

    Args:
        delta: What is added, in units in which 1 is the largest integer of the dtype.

    >>> tf.image.adjust_brightness(tf.constant([[[0, 100, 250]]], tf.uint8), 0.1).numpy().ravel()
    array([ 25, 125, 255], dtype=uint8)
    """
    x, back = _in_floats(image)
    return back(x + cast(delta, x.dtype))


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Distances from the mean of each channel of each image, times `contrast_factor`.

    Args:
        contrast_factor: Above 1 for more contrast, below 1 for less.

    >>> tf.image.adjust_contrast([[[0.2], [0.4]]], 3.).numpy().ravel().round(3)
    array([0. , 0.6], dtype=float32)
    """
    x, back = _in_floats(images)
    _at_least_image(x, invalid)
    mean = ops.reduce_mean(x, axis=(x.ndim - 3, x.ndim - 2), keepdims=True)
    return back((x - mean) * cast(contrast_factor, x.dtype) + mean)


def _at_least_image(x: Tensor, error: Callable = ValueError) -> None:
    if x.ndim < 3:
        raise error(f"'image' (shape {tuple(x.shape)}) must be at least three-dimensional: height, width, channels.")


def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """`gain * image ** gamma`.

    Args:
        gamma: The power, 0 or more.
        gain: The factor.

    Raises:
        ValueError: If `gamma` is negative.

    >>> tf.image.adjust_gamma([[[0.25], [0.81]]], gamma=0.5).numpy().ravel()
    array([0.5, 0.9], dtype=float32)
    """
    if isinstance(gamma, (int, float)):
        if gamma < 0:
            raise ValueError(f"Gamma should be a non-negative real number, got {gamma}.")
    elif bool(ops.reduce_any(as_tensor(gamma) < 0, axis=tuple(range(as_tensor(gamma).ndim)), keepdims=False)):
        raise invalid(f"Gamma should be a non-negative real number, got {gamma}.")
    x, back = _in_floats(image)
    return back(ops.pow(x, cast(gamma, x.dtype)) * cast(gain, x.dtype))


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Colours turned round the colour circle: 1 is a full turn. Grey stays as it is, and its gradient passes
    unchanged.

    Args:
        delta: How far to turn, from -1 to 1.

    >>> tf.image.adjust_hue([[[1., 0., 0.]]], 1 / 3).numpy().round(3)
    array([[[0., 1., 0.]]], dtype=float32)
    """
    x, back = _in_floats(image)
    _at_least_image(_colours(x), invalid)
    delta = cast(delta, x.dtype)
    if isinstance(delta, EagerTensor) and not -1 <= float(delta) <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {float(delta)}.")
    hue, largest, smallest = _hue(x)
    span = largest - smallest
    turned = ops.stack(*[smallest + span * ramp for ramp in _ramps(ops.floormod(hue + delta, 1.0))], axis=x.ndim - 1)
    grey = ops.reshape(ops.equal(span, 0.0), shape=(*span.sizes, 1))
    return back(ops.where(grey, x, turned))


def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """The saturation of each pixel times a factor, at most 1: distances of the colours from the largest of them grow
    by it.

    Args:
        saturation_factor: 0 makes it grey, 1 leaves it as it is.

    >>> tf.image.adjust_saturation([[[0.4, 0.6, 0.8]]], 1.5).numpy().round(3)
    array([[[0.2, 0.5, 0.8]]], dtype=float32)
    """
    x, back = _in_floats(image)
    _at_least_image(_colours(x), invalid)
    factor = cast(saturation_factor, x.dtype)
    largest = ops.reduce_max(x, axis=(x.ndim - 1,), keepdims=True)
    span = largest - ops.reduce_min(x, axis=(x.ndim - 1,), keepdims=True)
    room = ops.divide_no_nan(largest, span)  # the factor that makes the smallest colour 0
    limited = ops.where(ops.logical_or(factor < room, span == 0.0), factor, room)
    factor = ops.where(largest > 0.0, ops.maximum(limited, 0.0), 0.0)
    return back(largest - factor * (largest - x))


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and variance 1, as float32. (Flat images are divided by 1 / sqrt(number of values)
    instead of 0.)

    >>> tf.image.per_image_standardization([[[1.], [3.]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    x = cast(image, np.float32)
    _at_least_image(x)
    axes = tuple(range(x.ndim - 3, x.ndim))
    mean = ops.reduce_mean(x, axis=axes, keepdims=True)
    deviation = ops.sqrt(ops.reduce_variance(x, axis=axes, keepdims=True))
    count = x.sizes[-1] * x.sizes[-2] * x.sizes[-3]
    return (x - mean) / ops.maximum(deviation, 1.0 / count**0.5 if count else 1.0)
