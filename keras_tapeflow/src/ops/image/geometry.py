"""Affine and perspective transforms of images. Keras' maps lead from the new image to the old one."""

from typing import Any

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import cast, dense_tensor as convert_to_tensor
from ..shapes import sizes
from .layout import as_batch, as_images, check_option, wide, with_channels_last
from .sampling import AFFINE_TRANSFORM_FILL_MODES, AFFINE_TRANSFORM_INTERPOLATIONS, interpolated


def affine_transform(
    images, transform, interpolation="bilinear", fill_mode="constant", fill_value=0, data_format=None
):
    """The new image's (x, y) shows (a0 x + a1 y + a2, b0 x + b1 y + b2) / (c0 x + c1 y + 1), as on TensorFlow."""
    check_option("interpolation", interpolation, AFFINE_TRANSFORM_INTERPOLATIONS)
    check_option("fill_mode", fill_mode, AFFINE_TRANSFORM_FILL_MODES)
    x, maps = as_images(images), convert_to_tensor(transform)
    if maps.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). "
            f"Received input with shape: transform.shape={tuple(maps.shape)}"
        )
    return _projected(x, maps, interpolation, fill_mode, fill_value, data_format)


def perspective_transform(images, start_points, end_points, interpolation="bilinear", fill_value=0, data_format=None):
    check_option("interpolation", interpolation, AFFINE_TRANSFORM_INTERPOLATIONS)
    x, starts, ends = as_images(images), convert_to_tensor(start_points), convert_to_tensor(end_points)
    for name, points in (("start_points", starts), ("end_points", ends)):
        if points.ndim not in (2, 3) or tuple(points.sizes)[-2:] != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. Received shape: "
                f"{tuple(points.shape)}"
            )
    return _projected(x, _homographies(starts, ends), interpolation, "constant", fill_value, data_format)


def compute_homography_matrix(start_points, end_points):
    """The eight numbers of the maps that take four end points to four start points, a row for each of N."""
    starts, ends = convert_to_tensor(start_points), convert_to_tensor(end_points)
    found = _homographies(starts, ends)
    return cast(found, starts.dtype) if starts.dtype.is_floating else found


def _homographies(starts: Tensor, ends: Tensor) -> Tensor:
    dtype = wide(starts, ends) if starts.dtype.is_floating else "float32"
    starts, ends = [cast(p if p.ndim == 3 else p[None], dtype) for p in (starts, ends)]
    (x, y), (to_x, to_y) = tf.unstack(ends, axis=-1), tf.unstack(starts, axis=-1)
    one, zero = tf.ones_like(x), tf.zeros_like(x)
    across = tf.stack([x, y, one, zero, zero, zero, -to_x * x, -to_x * y], -1)
    down = tf.stack([zero, zero, zero, x, y, one, -to_y * x, -to_y * y], -1)
    equations = tf.reshape(tf.stack([across, down], 2), [-1, 8, 8])  # two for each of the four points
    return tf.squeeze(tf.linalg.solve(equations, tf.reshape(tf.stack([to_x, to_y], 2), [-1, 8, 1])), -1)


def _projected(
    x: Tensor, maps: Tensor, interpolation: str, fill_mode: str, fill_value: Any, data_format: Any
) -> Tensor:
    order = AFFINE_TRANSFORM_INTERPOLATIONS[interpolation]
    if x.dtype.name == "float64" or maps.dtype.name == "float64":
        maps = cast(maps, "float64")
    elif maps.dtype.name != "float32":
        maps = cast(maps, "float32")

    def of_batch(x: Tensor) -> Tensor:
        count, height, width, channels = sizes(x)
        a0, a1, a2, b0, b1, b2, c0, c1 = tf.unstack(tf.reshape(maps, [-1, 8, 1, 1]), axis=1)
        right, down = tf.range(width, dtype=maps.dtype), tf.range(height, dtype=maps.dtype)[:, None]
        depth = c0 * right + c1 * down + 1
        positions = [(b0 * right + b1 * down + b2) / depth, (a0 * right + a1 * down + a2) / depth]
        positions = [
            tf.where(tf.math.is_finite(p), p, tf.constant(-2, p.dtype)) for p in positions
        ]  # the horizon: nothing is there
        first = tf.reshape(tf.range(count) * (height * width), [-1, 1, 1])
        pixels = tf.reshape(x, [-1, channels])
        return interpolated(pixels, (height, width), positions, order, fill_mode, fill_value, first)

    return with_channels_last(x, lambda x: as_batch(x, of_batch), data_format)
