"""Moments and normalisations of `tf.nn`."""

import math
from typing import Any

import numpy as np

from tapeflow.api.math.division import divide_no_nan
from tapeflow.api.math.reductions import axes_of
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group, to_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AxisLike, TensorLike

from .layouts import channels_first

# ---- moments


def moments(
    x: TensorLike, axes: AxisLike, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over `axes`. Half-precision inputs are added up in float32. `shift` is not needed and not
    used.

    Args:
        axes: Over which axes.
        shift: Taken and not used.

    Returns:
        The mean and the variance.

    >>> mean, variance = tf.nn.moments([[1., 10.], [3., 30.]], axes=[0])
    >>> mean.numpy(), variance.numpy()
    (array([ 2., 20.], dtype=float32), array([  1., 100.], dtype=float32))
    """
    x = as_tensor(x)
    axis, keepdims = axes_of(axes, x.ndim), bool(keepdims)
    mean, variance = ops.moments(_wide(x), axis=axis, keepdims=keepdims)
    return _cast(mean, x), _cast(variance, x)


def weighted_moments(
    x: TensorLike, axes: AxisLike, frequency_weights: TensorLike, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over `axes` with a weight for each element: a weight of 2 counts like the element twice.

    Args:
        axes: Over which axes.
        frequency_weights: How often each element counts.

    Returns:
        The mean and the variance.

    >>> mean, variance = tf.nn.weighted_moments([1., 4.], [0], [2., 1.])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(2.0))
    """
    x = as_tensor(x)
    weights = as_tensor(frequency_weights)
    if weights.dtype.is_integer:
        weights = _cast(weights, x)
    if weights.dtype is not x.dtype:
        raise invalid(
            f"frequency_weights are {weights.dtype.name}, x is {x.dtype.name}; cast one: tf.cast(frequency_weights, "
            "x.dtype)."
        )
    wide, weights = _wide(x), _wide(weights)
    axis = axes_of(axes, x.ndim)
    weights = weights + ops.zeros_like(wide)  # one weight for each element, broadcast
    total = ops.reduce_sum(weights, axis=axis, keepdims=True)
    mean = divide_no_nan(ops.reduce_sum(weights * wide, axis=axis, keepdims=True), total)
    variance = divide_no_nan(ops.reduce_sum(weights * ops.square(wide - mean), axis=axis, keepdims=True), total)
    if not keepdims:
        shape = tuple(n for i, n in enumerate(mean.sizes) if i not in axis)
        mean, variance = ops.reshape(mean, shape=shape), ops.reshape(variance, shape=shape)
    return _cast(mean, x), _cast(variance, x)


def sufficient_statistics(
    x: TensorLike, axes: AxisLike, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What moments are made of: the number of elements over `axes`, Σ(x - shift), Σ(x - shift)², and the shift.

    Args:
        axes: Over which axes.
        shift: What is subtracted first; None: nothing.

    Returns:
        The number of elements, their sum, the sum of their squares, and the shift.

    >>> count, total, squares, shift = tf.nn.sufficient_statistics([1., 2., 3.], [0])
    >>> count.numpy(), total.numpy(), squares.numpy(), shift
    (np.float32(3.0), np.float32(6.0), np.float32(14.0), None)
    """
    x = as_tensor(x)
    axis, keepdims = axes_of(axes, x.ndim), bool(keepdims)
    count = EagerTensor(x.dtype.np.type(np.prod([x.sizes[a] for a in axis])))
    if shift is not None:
        shift = to_tensor(shift, x.dtype)
        x = x - shift
    total = ops.reduce_sum(x, axis=axis, keepdims=keepdims)
    return count, total, ops.reduce_sum(ops.square(x), axis=axis, keepdims=keepdims), shift


def normalize_moments(
    counts: TensorLike, mean_ss: TensorLike, variance_ss: TensorLike, shift: TensorLike | None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what `sufficient_statistics` gives, which can be added up over batches before.

    Args:
        counts: The number of elements.
        mean_ss: Their sum.
        variance_ss: The sum of their squares.
        shift: What was subtracted from them; None: nothing.

    Returns:
        The mean and the variance.

    >>> mean, variance = tf.nn.normalize_moments(3., 6., 14., None)
    >>> mean.numpy(), variance.numpy().round(4)
    (np.float32(2.0), np.float32(0.6667))
    """
    total, squares = convert_group([mean_ss, variance_ss])
    share = 1 / to_tensor(counts, None if isinstance(counts, Tensor) else total.dtype)
    shifted = total * share
    mean = shifted if shift is None else shifted + to_tensor(shift, total.dtype)
    return mean, squares * share - ops.square(shifted)


# ---- normalisations


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """scale (x - mean) / sqrt(variance + variance_epsilon) + offset; `offset` and `scale` may be None.

    Mean, variance, offset and scale broadcast against `x`, so this serves batch, layer and instance normalisation
    alike.

    Args:
        mean: What is subtracted.
        variance: What is divided by, before the root is taken.
        offset: What is added at the end, or None.
        scale: What is multiplied by, or None.
        variance_epsilon: A small number that is added to the variance.

    >>> x = tf.constant([[1., 10.], [3., 30.]])
    >>> mean, variance = tf.nn.moments(x, axes=[0])
    >>> tf.nn.batch_normalization(x, mean, variance, offset=None, scale=None, variance_epsilon=0.).numpy()
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """
    x = as_tensor(x)
    mean, variance = convert_group([mean, variance])
    parts = _of_one_dtype(x, mean, scale, offset)
    if parts is not None and isinstance(variance_epsilon, (int, float, np.floating)):
        return ops.batch_norm(x, mean, variance, *parts, epsilon=float(variance_epsilon))
    factor = ops.rsqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    start = -mean * factor if offset is None else offset - mean * factor
    return x * _cast(factor, x) + _cast(start, x)


def _of_one_dtype(x: Tensor, mean: Tensor, scale: Any, offset: Any) -> list | None:
    """The scale and the offset, if all are single, or all double: what mixes dtypes, or is computed in halves, is
    rounded in between."""
    if x.dtype is not mean.dtype or not x.dtype.is_floating or x.dtype.size < 4:
        return None
    parts = []
    for part, nothing in ((scale, 1), (offset, 0)):
        if part is None:
            part = EagerTensor(x.dtype.np.type(nothing))
        elif isinstance(part, np.ndarray) or not hasattr(part, "dtype"):
            part = to_tensor(part, x.dtype)
        else:
            part = as_tensor(part)
        if part.dtype is not x.dtype:
            return None
        parts.append(part)
    return parts


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` with offset `beta`, and scale `gamma` if `scale_after_normalization`.

    Args:
        mean: What is subtracted.
        variance: What is divided by, before the root is taken.
        beta: What is added at the end.
        gamma: What is multiplied by.
        variance_epsilon: A small number that is added to the variance.
        scale_after_normalization: Multiply by `gamma`.

    >>> mean, variance, beta, gamma = [1., 1.], [1., 1.], [0., 0.], [1., 9.]
    >>> tf.nn.batch_norm_with_global_normalization([[2., 4.]], mean, variance, beta, gamma, 0., True).numpy()
    array([[ 1., 27.]], dtype=float32)
    """
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalisation over all dimensions but the channels: (normalised, mean, variance).

    In training the moments are the batch's, and the variance given back is divided by n - 1; with
    `exponential_avg_factor` below 1 they come back mixed into the given `mean` and `variance`. Otherwise the given
    ones are used.

    Returns:
        The normalised values, the mean and the variance.

    >>> x = tf.reshape(tf.constant([1., 2., 4., 8.]), [1, 2, 2, 1])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.], [0.])
    >>> mean.numpy(), variance.numpy().round(3)
    (array([3.75], dtype=float32), array([9.583], dtype=float32))
    """
    x, scale, offset = as_tensor(x), as_tensor(scale), as_tensor(offset)
    rank = x.ndim - 2
    first = channels_first(data_format, rank)
    channel = 1 if first else x.ndim - 1
    axis = tuple(a for a in range(x.ndim) if a != channel)
    shape = tuple(n if a == channel else 1 for a, n in enumerate(x.sizes))
    along = lambda v: ops.reshape(v, shape=shape) if first else v
    if not is_training:
        if mean is None or variance is None:
            raise ValueError(
                "`mean` and `variance` must be given when is_training is False: they are what is normalised with."
            )
        mean, variance = as_tensor(mean), as_tensor(variance)
        y = batch_normalization(x, along(mean), along(variance), along(offset), along(scale), epsilon)
        return y, mean, variance
    wide = _wide(x)
    batch_mean, batch_variance = ops.moments(wide, axis=axis, keepdims=False)
    y = batch_normalization(wide, along(batch_mean), along(batch_variance), along(offset), along(scale), epsilon)
    batch_variance = batch_variance * _unbiased([x.sizes[a] for a in axis], batch_variance)
    if exponential_avg_factor != 1.0 and mean is not None and variance is not None:
        keep = 1.0 - exponential_avg_factor
        batch_mean = as_tensor(mean) * keep + batch_mean * exponential_avg_factor
        batch_variance = as_tensor(variance) * keep + batch_variance * exponential_avg_factor
    return _cast(y, x), batch_mean, batch_variance


def _unbiased(sizes: list, like: Tensor) -> Any:
    """n / (n - 1) for a variance of n numbers."""
    count = math.prod(sizes)
    if type(count) is not Size:
        return count / max(count - 1, 1)
    n = ops.cast(ops.size_tensor(sizes=count, dtype=np.dtype(np.int32)), dtype=like.dtype.np)
    return n / ops.maximum(n - 1, 1)


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """x / (bias + alpha Σ x²) ** beta, the sum over the channels at most `depth_radius` away.

    Args:
        depth_radius: How many channels on each side count.
        bias: What is added to the sum.
        alpha: The factor of the sum.
        beta: The power.

    Raises:
        InvalidArgumentError: If `input` does not have rank 4.

    >>> tf.nn.local_response_normalization(tf.constant([[[[1., 2.]]]]), depth_radius=0).numpy()
    array([[[[0.70710677, 0.8944272 ]]]], dtype=float32)
    """
    x = as_tensor(input)
    if x.ndim != 4:
        raise invalid(
            f"local_response_normalization needs rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}."
        )
    r = int(depth_radius)
    near = ops.window_sum(
        ops.square(x),
        window=(1, 1, 1, 2 * r + 1),
        strides=(1,) * 4,
        padding=((0, 0), (0, 0), (0, 0), (r, r)),
        dilations=(1,) * 4,
    )
    return x * (bias + alpha * near) ** -beta


lrn = local_response_normalization


def _wide(x: Tensor) -> Tensor:
    return ops.cast(x, dtype="float32") if x.dtype.is_floating and x.dtype.size < 4 else x


def _cast(x: Tensor, like: Tensor) -> Tensor:
    return x if x.dtype is like.dtype else ops.cast(x, dtype=like.dtype.np)
