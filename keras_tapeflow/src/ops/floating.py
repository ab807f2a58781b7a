"""Tensors of floating numbers, and of one dtype, by Keras' rules of promotion."""

from typing import Any

from keras.src.backend.common.dtypes import result_type

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from .core import dense_tensor as convert_to_tensor


def floating(x: Any) -> Tensor:
    """`x` as a tensor; integers become floating numbers."""
    x = convert_to_tensor(x)
    return x if x.dtype.is_inexact else tf.cast(x, result_type(x.dtype, float))


def alike(*xs: Any) -> list[Tensor]:
    """All as tensors of their common floating dtype."""
    tensors = [convert_to_tensor(x) for x in xs]
    dtype = result_type(*[x.dtype for x in tensors], float)
    return [convert_to_tensor(x, dtype) for x in tensors]
