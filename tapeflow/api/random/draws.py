"""The distributions, from an explicit key: what `tf.random.*`, `tf.random.stateless_*` and `tf.random.Generator`
share."""

import math
import numbers
from typing import Any

import numpy as np
from ml_dtypes import finfo

from tapeflow.api.arguments import static_shape, whole
from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import RESERVED, Draw, fresh_key
from tapeflow.core.sizes import holds
from tapeflow.core.tensor import EagerTensor, Tensor

from . import threefry

FLOATS = (float16, bfloat16, float32, float64)
FULL_RANGE = (int32, int64, uint32, uint64)


def sizes(shape: Any) -> tuple[int, ...]:
    """The shape of a result, checked."""
    if type(shape) is int:  # also in normal(2, 3), which is meant for two sizes
        raise invalid(
            f"shape must be a vector of sizes, got the number {shape}. Give a list: [{shape}], and [{shape}, n] for "
            "two axes."
        )
    shape = static_shape(shape)
    if any(d < 0 for d in shape):
        raise invalid(f"Dimension {min(shape)} must be >= 0, in the shape {shape}.")
    return shape


_ANY = 2**40  # blocks for a shape that is not known yet


def reserved(shape: tuple, each: int = RESERVED) -> int:
    """How many blocks a draw of this shape reserves."""
    return math.prod(shape) * each if all(type(d) is int for d in shape) else _ANY


def next_key(seed: Any, kind: str, count: Any, dtype: Any = None, each: int = RESERVED) -> Tensor:
    """The next key of the program's stream, for an operation that draws `count` numbers. Those with a `seed` of their
    own have a counter for each kind and dtype."""
    seed = None if seed is None else int(seed)  # TensorFlow cuts off fractions, too
    blocks = reserved((count,), each)
    return fresh_key(Draw(seed, blocks, (kind, dtype)))


def _is(value: Any, number: float) -> bool:
    """Is it this number, as a Python number? (Tensors are not looked into.)"""
    return isinstance(value, numbers.Real) and value == number


def _floating(dtype: Any) -> DType:
    dtype = as_dtype(dtype)
    if dtype not in FLOATS:
        raise TypeError(
            f"This distribution is drawn in a floating dtype, got {dtype.name}. Cast the result if you need "
            f"{dtype.name}."
        )
    return dtype


def _affine(drawn: Tensor, shift: Any, scale: Any, dtype: DType) -> Tensor:
    if not _is(scale, 1):
        drawn = drawn * to_tensor(scale, dtype)
    return drawn if _is(shift, 0) else drawn + to_tensor(shift, dtype)


def by(key: Tensor) -> Any:
    """What draws by this key: its length says by which algorithm."""
    return threefry if threefry.is_key(key) else ops


def normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    dtype = _floating(dtype)
    return _affine(by(key).random_normal(key, shape=sizes(shape), dtype=dtype.np), mean, stddev, dtype)


def truncated_normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    dtype = _floating(dtype)
    return _affine(by(key).random_truncated_normal(key, shape=sizes(shape), dtype=dtype.np), mean, stddev, dtype)


def uniform(key: Tensor, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    """Floats or integers from `minval` up to but without `maxval`; integers of the whole range if both are None."""
    dtype, shape = as_dtype(dtype), sizes(shape)
    if dtype.is_integer:
        if minval is None and maxval is None:
            return by(key).random_bits(key, shape=shape, dtype=dtype.np)
        return by(key).random_integers(key, to_tensor(minval, dtype), to_tensor(maxval, dtype), shape=shape)
    drawn = by(key).random_uniform(key, shape=shape, dtype=dtype.np)
    if _is(minval, 0) and (maxval is None or _is(maxval, 1)):
        return drawn
    low, high = to_tensor(minval, dtype), to_tensor(1.0 if maxval is None else maxval, dtype)
    scaled = drawn * (high - low) + low
    if type(low) is type(high) is EagerTensor and not _may_round_up(low.array, high.array):
        return scaled
    # Where the bounds have more digits than what is between them, a number may be rounded up to the upper one.
    at_the_top = ops.logical_and(ops.greater_equal(scaled, high), ops.less(low, high))
    return ops.where(at_the_top, ops.stop_gradient(_below(high)), scaled)


def _below(high: Tensor) -> Tensor:
    """One of the next two numbers below: three quarters of a step down, rounded."""
    step = float(finfo(high.dtype.np).eps) * 0.75
    return high - ops.abs(high) * to_tensor(step, high.dtype)


def _may_round_up(low: np.ndarray, high: np.ndarray) -> bool:
    """Is the largest number that is drawn, scaled, as large as the upper bound? Rounded after each step, and also once
    at the end."""
    dtype = low.dtype.type
    largest = dtype(1) - dtype(finfo(dtype).eps)
    exact = np.longdouble(largest) * (high.astype(np.longdouble) - low) + low
    reached = (largest * (high - low) + low >= high) | (exact.astype(low.dtype) >= high)
    return bool((reached & (low < high)).any())


def gamma(key: Tensor, shape: tuple[int, ...], alpha: Tensor, beta: Tensor | None) -> Tensor:
    """`shape` is the whole shape of the result; `alpha` and `beta` broadcast to its end."""
    tail = broadcast_shapes(alpha.sizes, () if beta is None else beta.sizes)
    drawn = ops.random_gamma(key, ops.broadcast_to(alpha, shape=shape), lead=len(shape) - len(tail))
    if beta is None:
        return drawn
    return ops.maximum(
        drawn / beta, float(np.finfo(np.float32 if drawn.dtype in (float32, bfloat16) else drawn.dtype.np).tiny)
    )


def poisson(key: Tensor, shape: tuple[int, ...], rate: Tensor, dtype: Any) -> Tensor:
    lead = len(shape) - rate.ndim
    return ops.random_poisson(key, ops.broadcast_to(rate, shape=shape), lead=lead, dtype=as_dtype(dtype).np)


def binomial(key: Tensor, shape: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    counts, probs, shape = as_tensor(counts), as_tensor(probs), sizes(shape)
    counts = ops.cast(counts, dtype=probs.dtype.np)
    tail = broadcast_shapes(counts.sizes, probs.sizes)
    ends_with(shape, tail)
    counts, probs = [ops.broadcast_to(x, shape=shape) for x in (counts, probs)]
    return ops.random_binomial(key, counts, probs, lead=len(shape) - len(tail), dtype=as_dtype(dtype).np)


def categorical(key: Tensor, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    logits, count = as_tensor(logits), whole(num_samples, "num_samples")
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, [batch, classes], got shape {tuple(logits.shape)}.")
    if count < 0:
        raise invalid(f"num_samples should be non-negative, got {count}.")
    if not logits.sizes[1]:
        raise invalid("num_classes should be positive, got 0: there is nothing to choose from.")
    return ops.random_categorical(key, logits, num_samples=count, dtype=as_dtype(dtype or int64).np)


def shuffle(key: Tensor, value: Any) -> Tensor:
    value = as_tensor(value)
    if not value.ndim:
        return value
    order = ops.random_permutation(key, size=value.sizes[0])
    if value.dtype.is_inexact:  # as a dense gradient: every row has one
        return ops.gather_or_zero(value, order)
    return ops.gather(value, order, axis=0)


def ends_with(shape: tuple[int, ...], tail: tuple[int, ...]) -> None:
    pairs = list(zip(reversed(shape), reversed(tail)))
    if len(tail) > len(shape) or not holds(lambda: all(t in (1, s) for s, t in pairs), shape, tail):
        raise invalid(
            f"Shape passed in must end with broadcasted shape: {shape} does not end with {tail}, the shape of the "
            "parameters."
        )
