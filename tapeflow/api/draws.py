"""The distributions, from an explicit key: what `tf.random.*`, `tf.random.stateless_*` and `tf.random.Generator` share."""

import numbers
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .public import static_shape, whole

FLOATS = (float16, bfloat16, float32, float64)
FULL_RANGE = (int32, int64, uint32, uint64)


def sizes(shape: Any) -> tuple[int, ...]:
    """The shape of a result, checked."""
    shape = static_shape(shape)
    if any(d < 0 for d in shape):
        raise invalid(f"A random tensor of shape {shape} cannot be drawn: sizes must be >= 0.")
    return shape


def _is(value: Any, number: float) -> bool:
    """Is it this number, as a Python number? (Tensors are not looked into.)"""
    return isinstance(value, numbers.Real) and value == number


def _floating(dtype: Any) -> DType:
    dtype = as_dtype(dtype)
    if dtype not in FLOATS:
        raise TypeError(
            f"This distribution is drawn in a floating dtype, got {dtype.name}. Cast the result if you need {dtype.name}."
        )
    return dtype


def _affine(drawn: Tensor, shift: Any, scale: Any, dtype: DType) -> Tensor:
    if not _is(scale, 1):
        drawn = drawn * to_tensor(scale, dtype)
    return drawn if _is(shift, 0) else drawn + to_tensor(shift, dtype)


def normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    dtype = _floating(dtype)
    return _affine(ops.random_normal(key, shape=sizes(shape), dtype=dtype.np), mean, stddev, dtype)


def truncated_normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    dtype = _floating(dtype)
    return _affine(ops.random_truncated_normal(key, shape=sizes(shape), dtype=dtype.np), mean, stddev, dtype)


def uniform(key: Tensor, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    """Floats or integers from `minval` up to but without `maxval`; integers of the whole range if both are None."""
    dtype, shape = as_dtype(dtype), sizes(shape)
    if dtype.is_integer:
        if minval is None and maxval is None:
            return ops.random_bits(key, shape=shape, dtype=dtype.np)
        return ops.random_integers(key, to_tensor(minval, dtype), to_tensor(maxval, dtype), shape=shape)
    drawn = ops.random_uniform(key, shape=shape, dtype=dtype.np)
    if _is(minval, 0) and (maxval is None or _is(maxval, 1)):
        return drawn
    low, high = to_tensor(minval, dtype), to_tensor(1.0 if maxval is None else maxval, dtype)
    return drawn * (high - low) + low


def gamma(key: Tensor, shape: tuple[int, ...], alpha: Tensor, beta: Tensor | None) -> Tensor:
    """`shape` is the whole shape of the result; `alpha` and `beta` broadcast to it."""
    drawn = ops.random_gamma(key, ops.broadcast_to(alpha, shape=shape))
    if beta is None:
        return drawn
    return ops.maximum(drawn / beta, float(np.finfo(np.float32 if drawn.dtype in (float32, bfloat16) else drawn.dtype.np).tiny))


def poisson(key: Tensor, shape: tuple[int, ...], rate: Tensor, dtype: Any) -> Tensor:
    return ops.random_poisson(key, ops.broadcast_to(rate, shape=shape), dtype=as_dtype(dtype).np)


def binomial(key: Tensor, shape: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    counts, probs, shape = as_tensor(counts), as_tensor(probs), sizes(shape)
    ends_with(shape, broadcast_shapes(counts.shape, probs.shape))
    return ops.random_binomial(key, counts, probs, shape=shape, dtype=as_dtype(dtype).np)


def categorical(key: Tensor, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    logits, count = as_tensor(logits), whole(num_samples, "num_samples")
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, [batch, classes], got shape {tuple(logits.shape)}.")
    if count < 0:
        raise invalid(f"num_samples should be non-negative, got {count}.")
    if not logits.shape[1]:
        raise invalid("num_classes should be positive, got 0: there is nothing to choose from.")
    return ops.random_categorical(key, logits, num_samples=count, dtype=as_dtype(dtype or int64).np)


def shuffle(key: Tensor, value: Any) -> Tensor:
    value = as_tensor(value)
    if not value.ndim:
        return value
    order = ops.random_permutation(key, size=value.shape[0])
    if value.dtype.is_inexact:  # as a dense gradient: every row has one
        return ops.gather_or_zero(value, order)
    return ops.gather(value, order, axis=0)


def ends_with(shape: tuple[int, ...], tail: tuple[int, ...]) -> None:
    fits = len(tail) <= len(shape) and all(t in (1, s) for s, t in zip(reversed(shape), reversed(tail)))
    if not fits:
        raise invalid(
            f"Shape passed in must end with broadcasted shape: {shape} does not end with {tail}, the shape of the parameters."
        )
