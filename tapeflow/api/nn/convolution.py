"""Convolutions of `tf.nn`. All of them are calls of three primitives: conv, its transpose in the images, its transpose
in the filters.

Padding is "SAME", "VALID" or explicit pairs; strides and dilations are a number, one per spatial dimension, or one per
dimension of the tensor. Filters that take fewer channels than the images have make a grouped convolution.
"""

from collections.abc import Sequence
from typing import Any

from tapeflow.api.arguments import static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.tensor_like import ShapeLike, TensorLike
from tapeflow.engines.numpy.nn.windows import output_size

from .layouts import channels_first, from_last, pairs, spatial, to_last


def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int] | None = None,
    padding: str | Sequence[Sequence[int]] = "VALID",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over one, two or three spatial dimensions, as many as the filters say.

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If the channels are no multiple of those the filters take, or `padding` is another word.

    >>> signal = tf.reshape(tf.constant([1., 2., 4., 8.]), [1, 4, 1])
    >>> difference = tf.reshape(tf.constant([-1., 1.]), [2, 1, 1])
    >>> tf.nn.convolution(signal, difference).numpy().ravel()
    array([1., 2., 4.], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve(x, w, strides, padding, data_format, dilations, _rank(w))


def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolution of (batch, width, channels) with filters (width, channels in, channels out).

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If the channels are no multiple of those the filters take, or `padding` is another word.

    >>> tf.nn.conv1d(tf.ones([1, 5, 1]), tf.ones([3, 1, 1]), stride=1, padding="SAME").numpy().ravel()
    array([2., 3., 3., 3., 2.], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve(x, w, stride, padding, data_format, dilations, 1)


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolution of (batch, height, width, channels) with filters (height, width, channels in, channels out).

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If the channels are no multiple of those the filters take, or `padding` is another word.

    >>> image = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve(x, w, strides, padding, data_format, dilations, 2)


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolution of (batch, depth, height, width, channels) with filters (depth, height, width, channels in, channels
    out).

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If the channels are no multiple of those the filters take, or `padding` is another word.

    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 3]), strides=1, padding="VALID").numpy().ravel()
    array([8., 8., 8.], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve(x, w, strides, padding, data_format, dilations, 3)


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str | Sequence[Sequence[int]], name: str | None = None
) -> Tensor:
    """`conv2d` with `rate - 1` gaps between the taps of the filters.

    Args:
        rate: The distance between the taps of the filters; 1: no gaps.

    >>> tf.nn.atrous_conv2d(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 1]), rate=2, padding="VALID").shape
    TensorShape([1, 1, 1, 1])
    """
    x, w = convert_group([value, filters])
    return convolve(x, w, 1, padding, "NHWC", rate, 2)


# ---- transposes


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `convolution` over one, two or three spatial dimensions; filters are (…, channels out, channels
    in).

    Args:
        filters: The filters: the spatial axes, then the channels out and the channels in.

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If no convolution leads from `output_shape` to the shape of `input`.

    >>> tf.nn.conv_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], strides=2).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve_back(x, w, output_shape, strides, padding, data_format, dilations, _rank(w))


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`: from one number per window back to a signal. Filters are (width, channels out,
    channels in).

    Args:
        filters: The filters: the spatial axes, then the channels out and the channels in.

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If no convolution leads from `output_shape` to the shape of `input`.

    >>> kernel = tf.reshape(tf.constant([1., 2., 1.]), [3, 1, 1])
    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), kernel, [1, 5, 1], strides=2, padding="VALID").numpy().ravel()
    array([1., 2., 2., 2., 1.], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve_back(x, w, output_shape, strides, padding, data_format, dilations, 1)


def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`, often used to enlarge images. Filters are (height, width, channels out, channels in).

    Args:
        filters: The filters: the spatial axes, then the channels out and the channels in.

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If no convolution leads from `output_shape` to the shape of `input`.

    >>> small = tf.constant([[[[1.], [2.]]]])
    >>> tf.nn.conv2d_transpose(small, tf.ones([2, 2, 1, 1]), [1, 2, 4, 1], strides=2).numpy()[0, :, :, 0]
    array([[1., 1., 2., 2.],
           [1., 1., 2., 2.]], dtype=float32)
    """
    x, w = convert_group([input, filters])
    return convolve_back(x, w, output_shape, strides, padding, data_format, dilations, 2)


def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d`. Filters are (depth, height, width, channels out, channels in).

    Args:
        filters: The filters: the spatial axes, then the channels out and the channels in.

    Raises:
        ValueError: If the rank of `input` or `filters` is another.
        InvalidArgumentError: If no convolution leads from `output_shape` to the shape of `input`.

    >>> one = tf.ones([1, 1, 1, 1, 1])
    >>> tf.nn.conv3d_transpose(one, tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], strides=2).numpy().sum()
    np.float32(8.0)
    """
    x, w = convert_group([input, filters])
    return convolve_back(x, w, output_shape, strides, padding, data_format, dilations, 3)


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: int,
    padding: str | Sequence[Sequence[int]],
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`.

    Args:
        rate: The distance between the taps of the filters; 1: no gaps.

    >>> one, kernel = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.atrous_conv2d_transpose(one, kernel, [1, 3, 3, 1], rate=2, padding="VALID").numpy()[0, :, :, 0]
    array([[1., 0., 1.],
           [0., 0., 0.],
           [1., 0., 1.]], dtype=float32)
    """
    x, w = convert_group([value, filters])
    return convolve_back(x, w, output_shape, 1, padding, "NHWC", rate, 2)


# ---- how arguments become parameters


def _rank(w: Tensor) -> int:
    if w.ndim not in (3, 4, 5):
        raise ValueError(
            "filters have rank 3, 4 or 5, one to three spatial dimensions and channels in and out; got shape "
            f"{tuple(w.shape)}."
        )
    return w.ndim - 2


def convolve(
    x: Tensor, w: Tensor, strides: Any, padding: Any, data_format: str | None, dilations: Any, rank: int
) -> Tensor:
    if w.ndim != rank + 2:
        raise ValueError(
            f"filters must have rank {rank + 2}, {rank} spatial dimension(s) and channels in and out; got shape "
            f"{tuple(w.shape)}."
        )
    if x.ndim < rank + 2:
        raise ValueError(
            f"input must have rank {rank + 2} or more, a batch of images with channels; got shape {tuple(x.shape)}."
        )
    outer = tuple(x.sizes)[: x.ndim - rank - 1]  # several batch dimensions count as one
    if len(outer) > 1:
        x = ops.reshape(x, shape=(_product(outer), *x.sizes[len(outer) :]))
    first = channels_first(data_format, rank)
    x = to_last(x, first)
    strides, dilations = spatial(strides, rank, first, "strides"), spatial(dilations, rank, first, "dilations")
    padding = pairs(padding, tuple(x.sizes)[1:-1], tuple(w.sizes)[:-2], strides, dilations, first)
    groups = _groups(x.sizes[-1], w, None if first else x.sizes[1])
    y = from_last(ops.conv(x, w, strides=strides, padding=padding, dilations=dilations, groups=groups), first)
    return ops.reshape(y, shape=(*outer, *y.sizes[1:])) if len(outer) > 1 else y


def convolve_back(
    x: Tensor,
    w: Tensor,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    rank: int,
) -> Tensor:
    if x.ndim != rank + 2 or w.ndim != rank + 2:
        raise ValueError(
            f"input and filters must have rank {rank + 2}, got shapes {tuple(x.shape)} and {tuple(w.shape)}."
        )
    first = channels_first(data_format, rank)
    x = to_last(x, first)
    strides, dilations = spatial(strides, rank, first, "strides"), spatial(dilations, rank, first, "dilations")
    shape = static_shape(output_shape)
    if len(shape) == rank:
        size, channels = shape, sizes_of(w)[-2]
    elif len(shape) == rank + 2:
        size, channels = (shape[2:], shape[1]) if first else (shape[1:-1], shape[-1])
        if shape[0] not in (-1, x.sizes[0]):
            raise invalid(f"output_shape {shape} has another batch size than the input: {x.shape[0]}.")
    else:
        raise ValueError(f"output_shape must hold {rank + 2} numbers, got {shape}.")
    groups = _groups(channels, w)
    window = tuple(w.sizes)[:-2]
    padding = pairs(padding, size, window, strides, dilations, first)
    count = output_size([n + lo + hi for n, (lo, hi) in zip(size, padding)], window, strides, dilations)
    if (*count, w.sizes[-1]) != tuple(x.sizes)[1:]:
        raise invalid(
            f"input of shape {tuple(x.shape)} (channels last) does not come from images of size {size}: with these "
            f"strides and this padding their convolution has size {count} and {w.shape[-1]} channels. Change "
            "output_shape or padding."
        )
    y = ops.conv_input_grad(x, w, size=size, strides=strides, padding=padding, dilations=dilations, groups=groups)
    return from_last(y, first)


def _groups(channels: int, w: Tensor, second: Any = None) -> int:
    """In how many groups filters take these channels: one, or several if the channels are several times as many.
    `second` is the second size of images whose channels should be last."""
    depth, out = w.sizes[-2], w.sizes[-1]
    if not depth or channels % depth:
        raise invalid(
            f"input depth must be evenly divisible by filter depth: {channels} vs {depth}. "
            + _channels(channels, w, second)
        )
    groups = channels // depth
    if groups != 1 and groups and out % groups:  # TensorFlow's sentence is of groups, for which nobody asked
        raise invalid(_channels(channels, w, second))
    return groups


def _channels(channels: int, w: Tensor, second: Any) -> str:
    depth = w.sizes[-2]
    text = (
        f"The images have {channels} channels, but filters of shape {tuple(w.shape)} take {depth}: their last size "
        f"but one should be {channels}."
    )
    if type(second) is int and second == depth:
        axes = [0, *range(2, w.ndim), 1]
        text += f" If the images have their channels first, put them last: tf.transpose(images, {axes})."
    return text


def _product(sizes: tuple) -> int:
    out = 1
    for n in sizes:
        out *= n
    return out
