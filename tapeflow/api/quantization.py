"""`tf.quantization`: values rounded to few levels, with gradients that pass through as if they were not."""

from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.tensor_like import TensorLike

from .arguments import one_axis
from .arrays.clipping import clip_by_value
from .math.reductions import reduce_max, reduce_min

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
]


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs` clipped to [min, max] and rounded to one of 2**num_bits levels, of which one is exactly 0.

    The range is moved a little so that 0 is a level. The gradient is 1 inside the range and 0 outside.

    Args:
        num_bits: How many bits a level takes, from 2 to 16.

    Raises:
        InvalidArgumentError: If `min` is not smaller than `max`.

    >>> tf.quantization.fake_quant_with_min_max_args([-2., 0.3, 0.7, 2.], 0., 3., num_bits=2).numpy()
    array([0., 0., 1., 2.], dtype=float32)
    """
    if not min < max:
        raise invalid(f"min has to be smaller than max, was: {min} >= {max}")
    return _fake(inputs, to_tensor(float(min)), to_tensor(float(max)), num_bits, narrow_range)


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_args`, with a range that is learned: values outside send their gradient to `min` or
    `max`.

    Args:
        num_bits: How many bits a level takes, from 2 to 16.

    >>> low, high = tf.Variable(-1.), tf.Variable(1.)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.quantization.fake_quant_with_min_max_vars([-5., 0.2, 3., 4.], low, high)
    >>> [g.numpy() for g in tape.gradient(y, [low, high])]
    [np.float32(1.0), np.float32(2.0)]
    """
    return _fake(inputs, to_tensor(min, float32), to_tensor(max, float32), num_bits, narrow_range)


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_vars`, with one range for each position of the last axis.

    Args:
        min: The lower ends, one for each position of the last axis.
        max: The upper ends, one for each position of the last axis.
        num_bits: How many bits a level takes, from 2 to 16.

    >>> x = tf.constant([[-5., 0.5], [0.3, 9.]])
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [-1., 0.], [2., 3.], num_bits=2).numpy()
    array([[-1.,  1.],
           [ 0.,  3.]], dtype=float32)
    """
    low, high = to_tensor(min, float32), to_tensor(max, float32)
    inputs = as_tensor(inputs)
    if low.sizes != (inputs.sizes[-1],) or high.sizes != (inputs.sizes[-1],):
        raise invalid(
            f"min and max must have one entry for each of the {inputs.shape[-1]} channels of the last axis; their "
            f"shapes are {tuple(low.shape)} and {tuple(high.shape)}."
        )
    return _fake(inputs, low, high, num_bits, narrow_range)


def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`input` rounded to the levels of a symmetric `num_bits` integer grid and back to floats.

    The range is [input_min, input_max] with `range_given`, else that of the input (of each slice along `axis`). The
    gradient is 1 where the input lies between `input_min` and `input_max`.

    Args:
        input_min: The lower end of the range.
        input_max: The upper end of the range.
        signed_input: False takes the levels from 0 up.
        num_bits: How many bits a level takes.
        range_given: False takes the range of the input.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        axis: An axis whose slices have ranges of their own; None: one range for all.

    >>> tf.quantization.quantize_and_dequantize_v2([-9., 0.3, 2.6], -4., 3., num_bits=3, range_given=True).numpy()
    array([-4.,  0.,  3.], dtype=float32)
    """
    x = as_tensor(input)
    low, high = to_tensor(input_min, x.dtype), to_tensor(input_max, x.dtype)
    if axis is not None:
        axis = one_axis(axis, x.ndim)
        others = [a for a in range(x.ndim) if a != axis]
        along = tuple(sizes_of(x)[a] if a == axis else 1 for a in range(x.ndim))
        spread = lambda bound: ops.reshape(bound, shape=along) if bound.ndim else bound
        low, high = spread(low), spread(high)
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise ValueError(f"round_mode must be 'HALF_TO_EVEN' or 'HALF_UP', got {round_mode!r}.")
    used_low, used_high = ops.stop_gradient(low), ops.stop_gradient(high)
    if not range_given:
        over = None if axis is None else others
        cut = ops.stop_gradient(x)
        used_low = reduce_min(cut, over, keepdims=axis is not None)
        used_high = reduce_max(cut, over, keepdims=axis is not None)
    levels_low = -(2 ** (num_bits - 1)) + bool(narrow_range) if signed_input else 0
    levels_high = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    scale = _symmetric_scale(used_low, used_high, levels_low, levels_high)
    clipped = ops.maximum(ops.minimum(ops.stop_gradient(x), levels_high / scale), levels_low / scale)
    grid = ops.round(clipped * scale) if round_mode == "HALF_TO_EVEN" else ops.floor(clipped * scale + 0.5)
    through = ops.where(ops.logical_and(x >= low, x <= high), x, ops.stop_gradient(x))
    return ops.stop_gradient(grid / scale) + (through - ops.stop_gradient(x))  # the difference is exactly 0


quantize_and_dequantize = quantize_and_dequantize_v2


def _symmetric_scale(low: Tensor, high: Tensor, levels_low: int, levels_high: int) -> Tensor:
    """Levels per unit, chosen so that both ends of the range fit on the grid."""
    largest = np.finfo(high.dtype.np).max  # for a range that ends at zero
    from_high = ops.where(high > 0, levels_high / high, largest)
    if not levels_low:
        return from_high
    from_low = ops.where(low < 0, levels_low / low, largest)
    return ops.where(low * levels_high >= high * levels_low, from_high, from_low)


def _fake(inputs: Any, low: Tensor, high: Tensor, num_bits: int, narrow_range: bool) -> Tensor:
    if not 2 <= num_bits <= 16:
        raise invalid(f"num_bits must be from 2 to 16, got {num_bits}.")
    x = to_tensor(inputs, float32)
    levels = 2**num_bits - 1 - bool(narrow_range)
    scale = ops.stop_gradient((high - low) / float(levels))
    zero = ops.round(clip_by_value(ops.stop_gradient(-low) / scale, 0.0, float(levels)))
    nudged_low, nudged_high = -zero * scale, (float(levels) - zero) * scale
    # The bounds are what the caller gave as far as gradients go, and the nudged ones as values.
    through = lambda bound, value: bound + ops.stop_gradient(value - bound)
    clipped = clip_by_value(x, through(low, nudged_low), through(high, nudged_high))
    grid = ops.floor((clipped - nudged_low) * (1.0 / scale) - zero + 0.5) * scale  # halves go up from zero
    return ops.stop_gradient(grid) + (clipped - ops.stop_gradient(clipped))  # the difference is exactly 0
