"""What images are: three axes, or four with a batch; colours last or in front of height and width; integers or
floats."""

from collections.abc import Callable, Collection
from typing import Any

from keras.src.backend.common import standardize_dtype
from keras.src.backend.config import standardize_data_format

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import cast, dense_tensor as convert_to_tensor


def as_images(images: Any) -> Tensor:
    x = convert_to_tensor(images)
    if x.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received: "
            f"images.shape={tuple(x.shape)}"
        )
    return x


def channels_first(data_format: Any) -> bool:
    return standardize_data_format(data_format) == "channels_first"


def with_channels_last(x: Tensor, function: Callable, data_format: Any) -> Tensor:
    """`function` of images, which wants their colours on the last axis, and leaves them there."""
    if not channels_first(data_format):
        return function(x)
    lead = list(range(x.ndim - 3))
    k = len(lead)
    y = function(tf.transpose(x, [*lead, k + 1, k + 2, k]))
    return tf.transpose(y, [*lead, k + 2, k, k + 1])


def as_batch(x: Tensor, function: Callable) -> Tensor:
    """`function` of a batch of images, for one image, too."""
    return function(x) if x.ndim == 4 else tf.squeeze(function(x[None]), 0)


def wide(*tensors: Tensor) -> str:
    """The dtype to compute in: positions and sums need more than 16 bits, and integers of more than 16 more than
    32."""
    names = [standardize_dtype(t.dtype) for t in tensors]
    return "float64" if any(name in ("float64", "int32", "int64", "uint32", "uint64") for name in names) else "float32"


def narrowed(y: Tensor, dtype: Any) -> Tensor:
    """Back in a dtype of one's own: rounded, where it is one of integers."""
    if y.dtype is dtype:
        return y
    return tf.saturate_cast(tf.round(y), dtype) if dtype.is_integer else cast(y, dtype)


def check_option(name: str, given: Any, allowed: Collection) -> None:
    if given not in allowed:
        raise ValueError(
            f"Invalid value for argument `{name}`. Expected of one {set(allowed)}. Received: {name}={given}"
        )
