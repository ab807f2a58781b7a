"""Resizing images, and scaling and translating them."""

from typing import Any

import tapeflow as tf
from tapeflow.api.image.resize import resampled
from tapeflow.api.image.scaling import KERNELS, scaled_and_translated
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


SCALE_AND_TRANSLATE_METHODS = set(KERNELS)


def scale_and_translate(images, output_shape, scale, translation, spatial_dims, method, antialias=True):
    check_option("method", method, SCALE_AND_TRANSLATE_METHODS)
    x = convert_to_tensor(images)
    dtype = wide(x)
    factors, shifts = [tf.unstack(convert_to_tensor(numbers, dtype)) for numbers in (scale, translation)]
    axes = [axis % x.ndim for axis in spatial_dims]
    before, after = [sizes(x)[axis] for axis in axes], [int(output_shape[axis]) for axis in axes]
    out = scaled_and_translated(cast(x, dtype), axes, before, after, factors, shifts, method, antialias)
    return narrowed(out, x.dtype)
