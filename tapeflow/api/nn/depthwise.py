"""Convolutions of each channel by itself: grouped convolutions with one channel to a group."""

from collections.abc import Sequence

from tapeflow.api.arguments import static_shape
from tapeflow.core.convert import convert_group
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import ShapeLike, TensorLike

from .convolution import conv2d, convolve, convolve_back
from .layouts import channels_first, pairs, spatial, to_last


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Each channel convolved with its own filters: (height, width, channels, filters per channel).

    Args:
        filter: The filters: height, width, channels, filters for each channel.

    Raises:
        ValueError: If `filter` does not have rank 4.
        InvalidArgumentError: If the images have another number of channels.

    >>> image = tf.stack([tf.ones([1, 3, 3]), 10 * tf.ones([1, 3, 3])], axis=-1)
    >>> tf.nn.depthwise_conv2d(image, tf.ones([3, 3, 2, 1]), [1, 1, 1, 1], "VALID").numpy().ravel()
    array([ 9., 90.], dtype=float32)
    """
    x, w = convert_group([input, filter])
    if w.ndim != 4:
        raise ValueError(
            "depthwise filters have rank 4, (height, width, channels, filters per channel); got shape "
            f"{tuple(w.shape)}."
        )
    height, width, channels, multiplier = w.sizes
    first = channels_first(data_format, 2)
    if x.sizes[1 if first else -1] != channels:
        raise invalid(
            f"images of shape {tuple(x.shape)} have another number of channels than the filters {tuple(w.shape)}: "
            f"{channels}."
        )
    w = ops.reshape(w, shape=(height, width, 1, channels * multiplier))
    return convolve(x, w, strides, padding, data_format, dilations, 2)


def depthwise_conv2d_backprop_input(
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for its images, given the one for its result.

    Args:
        input_sizes: The shape of the images.
        filter: The filters: height, width, channels, filters for each channel.
        out_backprop: The gradient of the result.

    >>> tf.nn.depthwise_conv2d_backprop_input(
    ...     [1, 2, 2, 1], tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "VALID").numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    w, dy = convert_group([filter, out_backprop])
    height, width, channels, multiplier = w.sizes
    w = ops.reshape(w, shape=(height, width, 1, channels * multiplier))
    return convolve_back(dy, w, input_sizes, strides, padding, data_format, dilations, 2)


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for its filters, given the one for its result.

    Args:
        filter_sizes: The shape of the filters.
        out_backprop: The gradient of the result.

    >>> image = tf.reshape(tf.range(4.), [1, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_filter(
    ...     image, [2, 2, 1, 1], tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "VALID").numpy().ravel()
    array([0., 1., 2., 3.], dtype=float32)
    """
    x, dy = convert_group([input, out_backprop])
    height, width, channels, multiplier = static_shape(filter_sizes)
    first = channels_first(data_format, 2)
    x, dy = to_last(x, first), to_last(dy, first)
    strides, dilations = spatial(strides, 2, first, "strides"), spatial(dilations, 2, first, "dilations")
    padding = pairs(padding, tuple(x.sizes)[1:-1], (height, width), strides, dilations, first)
    grad = ops.conv_filter_grad(
        x, dy, window=(height, width), strides=strides, padding=padding, dilations=dilations, groups=channels
    )
    return ops.reshape(grad, shape=(height, width, channels, multiplier))


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`depthwise_conv2d`, then a 1x1 `conv2d` that mixes the channels.

    Args:
        depthwise_filter: The filters: height, width, channels, filters for each channel.
        pointwise_filter: What mixes the channels: 1, 1, channels in, channels out.

    >>> x, each, mix = tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 3, 1]), tf.ones([1, 1, 3, 5])
    >>> tf.nn.separable_conv2d(x, each, mix, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([12., 12., 12., 12., 12.], dtype=float32)
    """
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(between, pointwise_filter, 1, "VALID", data_format or "NHWC")
