"""Resizing images, and scaling and translating them."""

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.api.image.resize import resampled
from tapeflow.core.tensor import Tensor

from ..core import cast, dense_tensor as convert_to_tensor
from ..shapes import sizes
from .layout import as_images, channels_first, check_option, narrowed, wide

RESIZE_INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")


def resize(
    images,
    size,
    interpolation="bilinear",
    antialias=False,
    crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False,
    fill_mode="constant",
    fill_value=0.0,
    data_format=None,
):
    """Integers give floats, except for "nearest": Keras rounds."""
    check_option("interpolation", interpolation, RESIZE_INTERPOLATIONS)
    if fill_mode != "constant":
        raise ValueError(
            f"Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        raise ValueError(f"Expected `size` to be a tuple of 2 integers. Received: size={size}")
    x = as_images(images)
    size = tuple(int(n) for n in size)
    top = x.ndim - 2 if channels_first(data_format) else x.ndim - 3
    if crop_to_aspect_ratio:
        x = _cropped(x, size, top)
    elif pad_to_aspect_ratio:
        x = _padded(x, size, top, fill_value)
    if interpolation == "nearest":
        return resampled(x, {top: size[0], top + 1: size[1]}, interpolation)
    floats = cast(x, "float64" if x.dtype.name == "float64" else "float32")
    out = resampled(floats, {top: size[0], top + 1: size[1]}, interpolation, antialias)
    return cast(out, x.dtype) if x.dtype.is_floating else out


def _fitting(x: Tensor, size: tuple, top: int) -> tuple:
    """(Height, width) that have the ratio of `size`, the one with this image's width, the other with its height."""
    height, width = sizes(x)[top : top + 2]
    return int(width * size[0] / size[1]), int(height * size[1] / size[0])


def _cropped(x: Tensor, size: tuple, top: int) -> Tensor:
    """The largest part in the middle that has the ratio of `size`."""
    for axis, fitting in zip((top, top + 1), _fitting(x, size, top)):
        n = int(sizes(x)[axis])
        kept = max(min(n, fitting), 1)
        start = (n - kept) // 2
        if kept < n:
            x = x[(slice(None),) * axis + (slice(start, start + kept),)]
    return x


def _padded(x: Tensor, size: tuple, top: int, fill_value: Any) -> Tensor:
    """In the middle of the smallest frame around it that has the ratio of `size`."""
    sides = [(0, 0)] * x.ndim
    for axis, fitting in zip((top, top + 1), _fitting(x, size, top)):
        more = max(fitting - int(sizes(x)[axis]), 0)
        sides[axis] = (more // 2, more - more // 2)
    return (
        tf.pad(x, sides, constant_values=cast(convert_to_tensor(fill_value), x.dtype)) if any(map(any, sides)) else x
    )


# ---- scaled and moved by numbers that may be computed


def _triangle(x: Tensor) -> Tensor:
    return tf.maximum(1 - x, 0)


def _cubic(x: Tensor) -> Tensor:
    """Keys' cubic."""
    inner = (1.5 * x - 2.5) * x * x + 1
    outer = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return tf.where(x >= 2, tf.zeros_like(x), tf.where(x >= 1, outer, inner))


def _lanczos(radius: int) -> Callable:
    sinc = tf.experimental.numpy.sinc
    return lambda x: tf.where(x >= radius, tf.zeros_like(x), sinc(x) * sinc(x / radius))


_KERNELS = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), _triangle),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
}
SCALE_AND_TRANSLATE_METHODS = set(_KERNELS)


def scale_and_translate(images, output_shape, scale, translation, spatial_dims, method, antialias=True):
    check_option("method", method, SCALE_AND_TRANSLATE_METHODS)
    x = convert_to_tensor(images)
    dtype = wide(x)
    out = cast(x, dtype)
    factors, shifts = [tf.unstack(convert_to_tensor(numbers, dtype)) for numbers in (scale, translation)]
    for axis, factor, shift in zip(spatial_dims, factors, shifts):
        axis %= x.ndim
        mix = _mixture(sizes(x)[axis], int(output_shape[axis]), factor, shift, _KERNELS[method], antialias)
        mixed = tf.tensordot(out, mix, [[axis], [0]])
        order = [*range(axis), x.ndim - 1, *range(axis, x.ndim - 1)]
        out = mixed if axis == x.ndim - 1 else tf.transpose(mixed, order)
    return narrowed(out, x.dtype)


def _mixture(before: int, after: int, factor: Tensor, shift: Tensor, kernel: Callable, antialias: bool) -> Tensor:
    """How much each new line, a column, has of each old one, a row: the kernel around where the middle of the new one
    comes from."""
    step = 1 / factor
    width = tf.maximum(step, 1) if antialias else tf.ones_like(step)
    at = (tf.range(after, dtype=factor.dtype) + 0.5 - shift) * step - 0.5
    share = kernel(tf.abs(at - tf.range(before, dtype=factor.dtype)[:, None]) / width)
    total = tf.reduce_sum(share, axis=0)
    something = tf.abs(total) > 1000 * (1.2e-7 if factor.dtype is tf.float32 else 2.3e-16)
    inside = (at >= -0.5) & (at <= before - 0.5) & something
    return tf.where(inside, share / tf.where(something, total, tf.ones_like(total)), tf.zeros_like(share))
