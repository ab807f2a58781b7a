"""`one_hot`, `multi_hot`, `space_to_depth`, `unfold` and `fold`."""

from typing import Any

import numpy as np
from keras.src.backend.config import floatx, standardize_data_format

import tapeflow as tf

from .. import sparse_classes
from ..core import dense_tensor as convert_to_tensor

# ---- classes


def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """A 1 at each class number along a new axis; nothing for numbers that are no class."""
    x = convert_to_tensor(x)
    if sparse:
        return sparse_classes.one_hot(x, num_classes, axis, dtype or floatx())
    if x.dtype.name not in ("int32", "int64", "uint8"):
        x = tf.cast(x, tf.int64)
    return convert_to_tensor(tf.one_hot(x, num_classes, axis=axis, dtype=tf.int8), dtype or floatx())


def multi_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """A 1 for each class that occurs in an example. The numbers of an example are along axis 1; a vector is one
    example."""
    x = convert_to_tensor(x)
    if sparse:
        return sparse_classes.multi_hot(x, num_classes, axis, dtype or floatx())
    hot = one_hot(x, num_classes, axis=axis, dtype="int8")
    return convert_to_tensor(tf.reduce_max(hot, axis=1 if x.ndim > 1 else 0), dtype or floatx())


# ---- blocks


def depth_to_space(x, block_size, data_format="channels_last"):
    return tf.nn.depth_to_space(convert_to_tensor(x), block_size, data_format=_layout(data_format))


def space_to_depth(x, block_size, data_format="channels_last"):
    return tf.nn.space_to_depth(convert_to_tensor(x), block_size, data_format=_layout(data_format))


def _layout(data_format: str) -> str:
    return "NCHW" if standardize_data_format(data_format) == "channels_first" else "NHWC"


# ---- windows


def _two(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _places(size: Any, kernel: Any, dilation: Any, stride: Any) -> np.ndarray:
    """(elements of a window, windows): the index of each in the flattened image of that size."""
    along = []
    for n, k, d, s in zip(size, kernel, dilation, stride):
        starts = np.arange((n - (k - 1) * d - 1) // s + 1) * s
        along.append(np.arange(k)[:, None] * d + starts)
    rows, columns = along
    found = rows[:, None, :, None] * size[1] + columns[None, :, None, :]
    return found.reshape(kernel[0] * kernel[1], -1).astype("int32")


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images (batch, channels, height, width) as columns: (batch, channels * elements of a window,
    windows)."""
    x = convert_to_tensor(input)
    kernel, (high, wide) = _two(kernel_size), _two(padding)
    if high or wide:
        x = tf.pad(x, [(0, 0), (0, 0), (high, high), (wide, wide)])
    batch, channels, *size = x.sizes
    places = _places(size, kernel, _two(dilation), _two(stride))
    columns = tf.gather(tf.reshape(x, [batch, channels, size[0] * size[1]]), places, axis=2)
    return tf.reshape(columns, [batch, channels * places.shape[0], places.shape[1]])


def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns back into images, where windows meet their sum: what `unfold` does to gradients."""
    x = convert_to_tensor(x)
    kernel, pad = _two(kernel_size), _two(padding)
    size = [n + 2 * p for n, p in zip(_two(output_size), pad)]
    places = _places(size, kernel, _two(dilation), _two(stride))
    batch, channels = x.sizes[0], x.sizes[1] // places.shape[0]
    rows = tf.transpose(tf.reshape(x, [batch * channels, places.size]))
    image = tf.math.unsorted_segment_sum(rows, tf.constant(places.ravel()), size[0] * size[1])
    image = tf.reshape(tf.transpose(image), [batch, channels, *size])
    return image[:, :, pad[0] : size[0] - pad[0], pad[1] : size[1] - pad[1]]
