"""Pooling: the largest element or the mean of every window.

`ksize` and `strides` are a number, one per spatial dimension, or one per dimension of the tensor. Padding never takes
part: a maximum ignores it, a mean divides by the number of real elements.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, ShapeLike, TensorLike
from tapeflow.engines.numpy.nn.windows import output_size

from .layouts import channels_first, everywhere, explicit_padding, named_padding

# ---- maxima


def max_pool(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element of each window, over one to three spatial dimensions. The first of equals gets the gradient.

    Raises:
        InvalidArgumentError: If a size is not positive, or `padding` is another word.

    >>> image = tf.reshape(tf.range(16.), [1, 4, 4, 1])
    >>> tf.nn.max_pool(image, ksize=2, strides=2, padding="VALID").numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)
    """
    x = as_tensor(input)
    return _max_pool(x, ksize, strides, padding, data_format, _rank(x))[0]


def max_pool1d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of (batch, width, channels).

    Raises:
        InvalidArgumentError: If a size is not positive, or `padding` is another word.

    >>> tf.nn.max_pool1d([[[1.], [5.], [2.]]], ksize=2, strides=1, padding="SAME").numpy().ravel()
    array([5., 5., 2.], dtype=float32)
    """
    return _max_pool(as_tensor(input), ksize, strides, padding, data_format, 1)[0]


def max_pool2d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of (batch, height, width, channels).

    Raises:
        InvalidArgumentError: If a size is not positive, or `padding` is another word.

    >>> x = tf.constant([[[[1.], [1.]], [[0.], [1.]]]])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    >>> tape.gradient(y, x).numpy()[0, :, :, 0]                   # the first of three equals
    array([[1., 0.],
           [0., 0.]], dtype=float32)
    """
    return _max_pool(as_tensor(input), ksize, strides, padding, data_format, 2)[0]


def max_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of (batch, depth, height, width, channels).

    Raises:
        InvalidArgumentError: If a size is not positive, or `padding` is another word.

    >>> tf.nn.max_pool3d(tf.reshape(tf.range(8.), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([7.], dtype=float32)
    """
    return _max_pool(as_tensor(input), ksize, strides, padding, data_format, 3)[0]


def max_pool_with_argmax(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    output_dtype: DTypeLike = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d`, and where each maximum was: its index in the flattened image, or in the flattened batch.

    Args:
        output_dtype: The dtype of the indices, int32 or int64.
        include_batch_in_index: Number the places of the whole batch, not of each image.

    Returns:
        The maxima, and where each of them was.

    Raises:
        ValueError: If `data_format` is not `NHWC`.

    >>> largest, where = tf.nn.max_pool_with_argmax([[[[3.], [9.]], [[4.], [1.]]]], 2, 2, "VALID")
    >>> largest.numpy().ravel(), where.numpy().ravel()
    (array([9.], dtype=float32), array([1]))
    """
    x = as_tensor(input)
    if channels_first(data_format, 2):
        raise ValueError(
            "max_pool_with_argmax takes data_format='NHWC' only: its indices are those of (height, width, channels)."
        )
    params = _parameters(x, ksize, strides, padding, data_format, 2)
    largest, origin = ops.max_pool(x, **params)
    where = ops.origin_index(
        origin, shape=tuple(x.sizes), batch=bool(include_batch_in_index), dtype=as_dtype(output_dtype).np, **params
    )
    return largest, where


def _max_pool(
    x: Tensor, ksize: Any, strides: Any, padding: Any, data_format: str | None, rank: int
) -> tuple[Tensor, Tensor]:
    return ops.max_pool(x, **_parameters(x, ksize, strides, padding, data_format, rank))


# ---- means


def avg_pool(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window, over one to three spatial dimensions.

    Raises:
        InvalidArgumentError: If `input` is not of a floating dtype, or its rank is another.

    >>> image = tf.reshape(tf.range(16.), [1, 4, 4, 1])
    >>> tf.nn.avg_pool(image, ksize=2, strides=2, padding="VALID").numpy()[0, :, :, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)
    """
    x = as_tensor(input)
    return _avg_pool(x, ksize, strides, padding, data_format, _rank(x))


def avg_pool1d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (batch, width, channels).

    Raises:
        InvalidArgumentError: If `input` is not of a floating dtype, or its rank is another.

    >>> tf.nn.avg_pool1d([[[1.], [5.], [2.]]], ksize=2, strides=1, padding="SAME").numpy().ravel()
    array([3. , 3.5, 2. ], dtype=float32)
    """
    return _avg_pool(as_tensor(input), ksize, strides, padding, data_format, 1)


def avg_pool2d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (batch, height, width, channels).

    Raises:
        InvalidArgumentError: If `input` is not of a floating dtype, or its rank is another.

    >>> tf.nn.avg_pool2d(tf.ones([1, 3, 3, 1]), 2, 2, "SAME").numpy().ravel()          # padding does not count
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _avg_pool(as_tensor(input), ksize, strides, padding, data_format, 2)


def avg_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (batch, depth, height, width, channels).

    Raises:
        InvalidArgumentError: If `input` is not of a floating dtype, or its rank is another.

    >>> tf.nn.avg_pool3d(tf.reshape(tf.range(8.), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([3.5], dtype=float32)
    """
    return _avg_pool(as_tensor(input), ksize, strides, padding, data_format, 3)


def _avg_pool(
    x: Tensor, ksize: Any, strides: Any, padding: Any, data_format: str | None, rank: int, dilations: Any = None
) -> Tensor:
    if not x.dtype.is_floating:
        raise invalid(
            f"the mean of windows takes floating tensors, not {x.dtype.name}. Cast it first: tf.cast(x, tf.float32)."
        )
    params = _parameters(x, ksize, strides, padding, data_format, rank, dilations)
    if x.dtype.size < 4:  # a sum of halves may be beyond what a half can hold
        return ops.cast(_mean(ops.cast(x, dtype="float32"), **params), dtype=x.dtype.np)
    return _mean(x, **params)


def _mean(x: Tensor, window: tuple, strides: tuple, padding: tuple, dilations: tuple) -> Tensor:
    total = ops.window_sum(x, window=window, strides=strides, padding=padding, dilations=dilations)
    if not any(map(any, padding)):
        return total / int(np.prod(window))
    counts = np.ones((), x.dtype.np)
    for n, k, s, (lo, hi), d in zip(x.sizes, window, strides, padding, dilations):
        if (k, s, lo, hi) == (1, 1, 0, 0):  # also where nobody knows how many
            counts = counts[..., None]
            continue
        starts = np.arange(output_size([n + lo + hi], [k], [s], [d])[0]) * s - lo
        seen = starts[:, None] + np.arange(k) * d
        counts = counts[..., None] * ((seen >= 0) & (seen < n)).sum(1).astype(x.dtype.np)
    return total / EagerTensor(counts)


# ---- both


def pool(
    input: TensorLike,
    window_shape: ShapeLike,
    pooling_type: str,
    strides: int | Sequence[int] | None = None,
    padding: str | Sequence[Sequence[int]] = "VALID",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Pooling of type "MAX" or "AVG"; windows may have gaps (`dilations`).

    Args:
        window_shape: The size of a window, a number for each spatial axis.
        pooling_type: `"MAX"` or `"AVG"`.

    Raises:
        ValueError: If `pooling_type` is another word.

    >>> signal = tf.reshape(tf.constant([1., 2., 3., 4.]), [1, 4, 1])
    >>> tf.nn.pool(signal, [2], "AVG", dilations=[2]).numpy().ravel()          # means of x[i] and x[i + 2]
    array([2., 3.], dtype=float32)
    """
    x = as_tensor(input)
    rank = len(static_shape(window_shape))
    if pooling_type == "AVG":
        return _avg_pool(x, window_shape, strides, padding, data_format, rank, dilations)
    if pooling_type != "MAX":
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', got {pooling_type!r}.")
    return ops.max_pool(x, **_parameters(x, window_shape, strides, padding, data_format, rank, dilations))[0]


# ---- how arguments become parameters


def _rank(x: Tensor) -> int:
    if x.ndim not in (3, 4, 5):
        raise ValueError(
            f"input must have rank 3, 4 or 5, a batch of images with channels; got shape {tuple(x.shape)}."
        )
    return x.ndim - 2


def _parameters(
    x: Tensor, ksize: Any, strides: Any, padding: Any, data_format: str | None, rank: int, dilations: Any = None
) -> dict:
    """The parameters of the primitives, which have one entry for every dimension of the tensor."""
    if x.ndim != rank + 2:
        raise invalid(
            f"input must have rank {rank + 2}, (batch, {rank} spatial dimension(s), channels); got shape "
            f"{tuple(x.shape)}."
        )
    first = channels_first(data_format, rank)
    window, strides = everywhere(ksize, rank, first, "ksize"), everywhere(strides, rank, first, "strides")
    dilations = everywhere(dilations, rank, first, "dilations")
    shape = tuple(x.sizes)
    found = named_padding(padding, shape, window, strides, dilations)
    if found is None:
        found = explicit_padding(padding, rank)
        if any(max(pair) >= k for pair, k in zip(found, window) if any(pair)):
            raise invalid(
                f"explicit padding {found} must be smaller than the window {window}: a window of padding alone has "
                "no maximum."
            )
    return dict(window=window, strides=strides, padding=found, dilations=dilations)
