"""Image filters: Gaussian blur, elastic transform, Sobel edges."""

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ...random import normal
from ..core import cast, dense_tensor as convert_to_tensor
from ..shapes import sizes
from .layout import as_batch, as_images, check_option, narrowed, wide, with_channels_last
from .sampling import AFFINE_TRANSFORM_FILL_MODES, AFFINE_TRANSFORM_INTERPOLATIONS, interpolated


def gaussian_blur(images, kernel_size=(3, 3), sigma=(1.0, 1.0), data_format=None):
    """First numbers are about width, second ones about height. Beyond the borders it is black."""
    x = as_images(images)
    dtype = wide(x)
    width, height = [int(size) for size in kernel_size]
    across, down = tf.unstack(convert_to_tensor(sigma, dtype))

    def blurred(x: Tensor) -> Tensor:
        for bell, shape in ((_bell(height, down), [height, 1, 1, 1]), (_bell(width, across), [1, width, 1, 1])):
            filters = tf.tile(tf.reshape(bell, shape), [1, 1, sizes(x)[-1], 1])
            x = tf.nn.depthwise_conv2d(x, filters, [1, 1, 1, 1], "SAME")
        return x

    return narrowed(with_channels_last(cast(x, dtype), lambda x: as_batch(x, blurred), data_format), x.dtype)


def _bell(size: int, sigma: Tensor) -> Tensor:
    at = tf.range(size, dtype=sigma.dtype) - (size - 1) / 2
    bell = tf.exp(-0.5 * tf.square(at / sigma))
    return bell / tf.reduce_sum(bell)


def elastic_transform(
    images,
    alpha=20.0,
    sigma=5.0,
    interpolation="bilinear",
    fill_mode="reflect",
    fill_value=0.0,
    seed=None,
    data_format=None,
):
    """Each pixel is looked up `alpha` times a smooth random displacement away; `sigma` says how strong and how
    smooth."""
    check_option("interpolation", interpolation, AFFINE_TRANSFORM_INTERPOLATIONS)
    check_option("fill_mode", fill_mode, AFFINE_TRANSFORM_FILL_MODES)
    x = as_images(images)
    dtype = wide(x) if x.dtype.is_floating else "float32"
    alpha, sigma = convert_to_tensor(alpha, dtype), convert_to_tensor(sigma, dtype)
    order = AFFINE_TRANSFORM_INTERPOLATIONS[interpolation]

    def bent(x: Tensor) -> Tensor:
        count, height, width, channels = sizes(x)
        noise = normal((2, count, height, width), dtype=dtype, seed=seed) * sigma
        noise = tf.matmul(tf.matmul(_smoothing(height, sigma), noise), _smoothing(width, sigma))
        down, right = tf.unstack(alpha * noise)
        positions = [tf.range(height, dtype=dtype)[:, None] + down, tf.range(width, dtype=dtype) + right]
        first = tf.reshape(tf.range(count) * (height * width), [-1, 1, 1])
        return interpolated(
            tf.reshape(x, [-1, channels]), (height, width), positions, order, fill_mode, fill_value, first
        )

    return with_channels_last(x, lambda x: as_batch(x, bent), data_format)


def _smoothing(size: int, sigma: Tensor) -> Tensor:
    """The matrix that blurs a line over three standard deviations to each side. (Its size does not depend on their
    value, which a graph does not know.)"""
    sigma = tf.maximum(sigma, 1e-6)
    bell = lambda away: tf.where(
        tf.abs(away) <= tf.floor(3 * sigma), tf.exp(-0.5 * tf.square(away / sigma)), tf.zeros_like(away)
    )
    line = tf.range(size, dtype=sigma.dtype)
    whole = tf.reduce_sum(bell(tf.range(-4 * size, 4 * size + 1, dtype=sigma.dtype)))
    return bell(line[:, None] - line) / whole


def sobel_edges(images, data_format=None):
    x = convert_to_tensor(images)
    if x.ndim != 4:
        raise ValueError(
            f"Invalid images rank: expected rank 4 (batch of images). Received: images.shape={tuple(x.shape)}"
        )
    if not x.dtype.is_floating:
        return narrowed(sobel_edges(cast(x, wide(x)), data_format), x.dtype)
    slopes = lambda k: with_channels_last(x, lambda x: tf.image.sobel_edges(x)[..., k], data_format)
    return tf.stack([slopes(0), slopes(1)], axis=-1)
