"""Pooling over windows of a given size, and over as many windows as the result is to have."""

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import dense_tensor as convert_to_tensor
from ..floating import floating
from .convolution import layout


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return _pool(convert_to_tensor(inputs), "MAX", pool_size, strides, padding, data_format)


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return _pool(floating(inputs), "AVG", pool_size, strides, padding, data_format)


def _pool(x: Tensor, kind: str, window: Any, strides: Any, padding: str, data_format: str | None) -> Tensor:
    name = layout(x, data_format)
    window = (window,) * (x.ndim - 2) if isinstance(window, int) else tuple(window)
    return tf.nn.pool(x, window, kind, window if strides is None else strides, padding.upper(), name)


# ---- adaptive: window i of m over n elements goes from floor(i n / m) to ceil((i + 1) n / m)


def adaptive_average_pool(inputs, output_size, data_format=None):
    x = floating(inputs)
    if window := _even_window(x, output_size, data_format):
        return _pool(x, "AVG", window, None, "valid", data_format)
    for axis, count in _axes(x, output_size, data_format):
        first, last = _ends(x.sizes[axis], count)
        place = np.arange(x.sizes[axis])
        share = ((place >= first[:, None]) & (place < last[:, None])) / (last - first)[:, None]
        x = _moved_back(tf.tensordot(x, tf.constant(share.T, x.dtype), [[axis], [0]]), axis)
    return x


def adaptive_max_pool(inputs, output_size, data_format=None):
    x = convert_to_tensor(inputs)
    if window := _even_window(x, output_size, data_format):
        return _pool(x, "MAX", window, None, "valid", data_format)
    for axis, count in _axes(x, output_size, data_format):
        first, last = _ends(x.sizes[axis], count)
        longest = int((last - first).max())
        seen = np.minimum(
            first[:, None] + np.arange(longest), last[:, None] - 1
        )  # short windows see their last element again
        x = tf.reduce_max(tf.gather(x, seen.astype("int32"), axis=axis), axis=axis + 1)
    return x


def _axes(x: Tensor, output_size: Any, data_format: str | None) -> list[tuple[int, int]]:
    """(axis, how many windows along it) for the dimensions of space."""
    start = 2 if layout(x, data_format).startswith("NC") else 1
    sizes = (output_size,) * (x.ndim - 2) if isinstance(output_size, int) else tuple(output_size)
    return [(start + i, n) for i, n in enumerate(sizes)]


def _even_window(x: Tensor, output_size: Any, data_format: str | None) -> tuple | None:
    """The size of windows that do not meet and leave nothing out, if there is one."""
    axes = _axes(x, output_size, data_format)
    return None if any(x.sizes[a] % n for a, n in axes) else tuple([x.sizes[a] // n for a, n in axes])


def _ends(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    at = np.arange(count + 1) * size
    return at[:-1] // count, -(-at[1:] // count)


def _moved_back(x: Tensor, axis: int) -> Tensor:
    """The last axis as number `axis`."""
    last = x.ndim - 1
    return x if axis == last else tf.transpose(x, [*range(axis), last, *range(axis, last)])
