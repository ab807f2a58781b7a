"""The distributions, from an explicit key: what `tf.random.*`, `tf.random.stateless_*` and `tf.random.Generator` share."""

from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .public import static_shape

_FLOATS = (float16, bfloat16, float32, float64)


def checked_shape(shape: Any) -> tuple[int, ...]:
    shape = static_shape(shape)
    if any(d < 0 for d in shape):
        raise invalid(f"A random tensor of shape {shape} cannot be drawn: sizes must be >= 0.")
    return shape


def _affine(drawn: Tensor, shift: Any, scale: Any, dtype: DType) -> Tensor:
    """drawn * scale + shift; nothing to do for the standard values, which are Python numbers nearly always."""
    if not (type(scale) is float and scale == 1.0):
        drawn = drawn * to_tensor(scale, dtype)
    if not (type(shift) is float and shift == 0.0):
        drawn = drawn + to_tensor(shift, dtype)
    return drawn


def _floating(dtype: Any, what: str) -> DType:
    dtype = as_dtype(dtype)
    if dtype not in _FLOATS:
        raise TypeError(f"{what} needs a floating dtype, got {dtype.name}.")
    return dtype


def normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    dtype = _floating(dtype, "A normal distribution")
    return _affine(ops.random_normal(key, shape=checked_shape(shape), dtype=dtype.np), mean, stddev, dtype)


def truncated_normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    dtype = _floating(dtype, "A truncated normal distribution")
    return _affine(ops.random_truncated_normal(key, shape=checked_shape(shape), dtype=dtype.np), mean, stddev, dtype)


def uniform(key: Tensor, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    """Floats between the bounds, or integers: `maxval` excluded. Both bounds None: integers over the whole range of the dtype."""
    dtype, shape = as_dtype(dtype), checked_shape(shape)
    if not dtype.is_integer:
        drawn = ops.random_uniform(key, shape=shape, dtype=dtype.np)
        if maxval is None or (minval is 0 or type(minval) is float and minval == 0.0) and type(maxval) in (int, float) and maxval == 1:  # noqa: F632
            return drawn if minval == 0 and type(minval) is int else _between(drawn, minval, 1.0, dtype)
        return _between(drawn, minval, maxval, dtype)
    if minval is None and maxval is None:
        return ops.random_bits(key, shape=shape, dtype=dtype.np)
    return ops.random_integers(key, to_tensor(minval, dtype), to_tensor(maxval, dtype), shape=shape)
