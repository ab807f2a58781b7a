"""JPEG compression noise as data augmentation: `tf.image.adjust_jpeg_quality`, `random_jpeg_quality`."""

from typing import Any

from tapeflow.api.random import uniform
from tapeflow.api.random.stateless import stateless_uniform
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import int32, uint8
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike

from .color import convert_image_dtype
from .files import decode_jpeg, encode_jpeg


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """The image after it was a JPEG of this quality, 0 to 100.

    Args:
        image: One image, (height, width, channels).
        jpeg_quality: From 0, the worst, to 100.

    >>> tf.image.adjust_jpeg_quality(tf.fill([8, 8, 3], 0.5), 75).dtype
    tf.float32
    """
    image = as_tensor(image)
    encoded = encode_jpeg(convert_image_dtype(image, uint8, saturate=True), quality=int(jpeg_quality))
    return convert_image_dtype(
        decode_jpeg(encoded, image.sizes[-1], dct_method=dct_method), image.dtype, saturate=True
    )


def random_jpeg_quality(image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None) -> Tensor:
    """`adjust_jpeg_quality` with a quality drawn from `min_jpeg_quality` up to, without, `max_jpeg_quality`.

    Args:
        image: One image, (height, width, channels).

    >>> tf.image.random_jpeg_quality(tf.fill([8, 8, 3], 0.5), 60, 90).shape
    TensorShape([8, 8, 3])
    """
    low, high = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, uniform([], low, high, dtype=int32, seed=seed))


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """`adjust_jpeg_quality` with a quality that depends on the seed alone.

    Args:
        image: One image, (height, width, channels).
        seed: A pair of integers, from which all numbers follow.

    >>> tf.image.stateless_random_jpeg_quality(tf.fill([8, 8, 3], 0.5), 60, 90, seed=[1, 2]).shape
    TensorShape([8, 8, 3])
    """
    low, high = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, stateless_uniform([], seed, low, high, dtype=int32))


def _qualities(low: int, high: int) -> tuple[int, int]:
    if not (0 <= low <= 100 and 0 <= high <= 100):
        raise ValueError(f"jpeg encoding range must be between 0 and 100, got {low} to {high}.")
    if low >= high:
        raise ValueError(f"`min_jpeg_quality` must be less than `max_jpeg_quality`, got {low} and {high}.")
    return low, high
