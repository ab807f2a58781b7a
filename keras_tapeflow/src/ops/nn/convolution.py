"""Convolutions. Kernels are (*window, channels in, channels out); a kernel with fewer channels than the input works in
groups."""

from typing import Any

from keras.src.backend.common.backend_utils import compute_conv_transpose_padding_args_for_jax
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.config import standardize_data_format

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from ..core import dense_tensor as convert_to_tensor

_LAYOUTS = {"channels_last": ("NWC", "NHWC", "NDHWC"), "channels_first": ("NCW", "NCHW", "NCDHW")}


def layout(x: Tensor, data_format: str | None) -> str:
    """Keras' name of a layout, as tapeflow writes it for a tensor of this rank."""
    if x.ndim not in (3, 4, 5):
        raise ValueError(
            "A batch of images has rank 3, 4 or 5: one to three dimensions of space, and channels. Received a shape "
            f"of {tuple(x.shape)}."
        )
    return _LAYOUTS[standardize_data_format(data_format)][x.ndim - 3]


def _pair(inputs: Any, kernel: Any) -> tuple[Tensor, Tensor]:
    """Both, in their common dtype."""
    inputs, kernel = convert_to_tensor(inputs), convert_to_tensor(kernel)
    dtype = result_type(inputs.dtype, kernel.dtype)
    return convert_to_tensor(inputs, dtype), convert_to_tensor(kernel, dtype)


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    x, w = _pair(inputs, kernel)
    return _convolved(x, w, strides, padding, layout(x, data_format), dilation_rate)


def _convolved(x: Tensor, w: Tensor, strides: Any, padding: str, data_format: str, dilations: Any) -> Tensor:
    channels = x.sizes[1 if data_format.startswith("NC") else -1]
    if channels % w.sizes[-2] or w.sizes[-1] % (channels // w.sizes[-2]):
        raise ValueError(
            "The number of input channels must be evenly divisible by kernel's in_channels, and that of filters by "
            f"the number of groups. Received: an input of shape {tuple(x.shape)} in the layout {data_format}, a "
            f"kernel of shape {tuple(w.shape)}."
        )
    return tf.nn.convolution(
        x, w, strides=strides, padding=padding.upper(), data_format=data_format, dilations=dilations
    )


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Each channel has filters of its own: as many groups as channels."""
    x, w = _pair(inputs, kernel)
    *window, channels, multiplier = w.sizes
    w = tf.reshape(w, [*window, 1, channels * multiplier])
    return _convolved(x, w, strides, padding, layout(x, data_format), dilation_rate)


def separable_conv(
    inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None, dilation_rate=1
):
    between = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(between, pointwise_kernel, 1, "valid", data_format)


def conv_transpose(inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1):
    """What `conv` does to gradients. Kernels are (*window, channels out, channels in)."""
    x, w = _pair(inputs, kernel)
    first = layout(x, data_format).startswith("NC")
    rank = x.ndim - 2
    each = lambda n: (n,) * rank if isinstance(n, int) else tuple(n)
    strides, dilations, window = each(strides), each(dilation_rate), tuple(w.sizes[:-2])
    around = compute_conv_transpose_padding_args_for_jax(
        input_shape=tuple(x.sizes),
        kernel_shape=tuple(w.sizes),
        strides=strides,
        padding=padding,
        output_padding=output_padding,
        dilation_rate=dilations,
    )
    if first:
        x = tf.transpose(x, [0, *range(2, rank + 2), 1])
    # Keras says how wide a border the result's windows see; ours is what the convolution, whose transpose this is,
    # would add.
    size, borders, outside = [], [], []
    for n, k, s, d, (before, after) in zip(x.sizes[1:-1], window, strides, dilations, around):
        reach = (k - 1) * d
        low = reach - before
        whole = (n - 1) * s + 1 + before + after - reach
        found = whole + min(low, 0)
        high = (n - 1) * s + reach + 1 - found - max(low, 0)
        extra = max(0, -high - s + 1)  # no window reaches these
        outside.append((max(-low, 0), extra))
        size.append(found - extra)
        borders.append((max(low, 0), max(high, 0)))
    y = ops.conv_input_grad(
        x, w, size=tuple(size), strides=strides, padding=tuple(borders), dilations=dilations, groups=1
    )
    if any(map(any, outside)):
        y = tf.pad(y, [(0, 0), *outside, (0, 0)])
    return tf.transpose(y, [0, rank + 1, *range(1, rank + 1)]) if first else y
