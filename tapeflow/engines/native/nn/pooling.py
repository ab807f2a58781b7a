"""Maxima and sums of windows of images, and the ways back."""

import ctypes
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, POINTER, at, fits, function
from tapeflow.engines.native.nn import convolutions
from tapeflow.engines.numpy.nn.windows import output_size

_max_pool, _unpool = [function(name, POINTER, POINTER, POINTER, COUNT, POINTER) for name in ("max_pool", "unpool")]


def _windows(shape: tuple, window: tuple, strides: tuple, padding: tuple, dilations: tuple) -> tuple | None:
    """(The shape of what there is one of for each window, the numbers that the library wants); None for others than
    windows over the two middle axes."""
    if len(shape) != 4 or not all(shape):
        return None
    outer = [(params[0], params[3]) for params in (window, strides, dilations)]
    if outer != [(1, 1)] * 3 or any(map(any, (padding[0], padding[3]))) or window[1] * window[2] > 256:
        return None
    full = [n + lo + hi for n, (lo, hi) in zip(shape, padding)]
    count = tuple(output_size(full, window, strides, dilations))
    if min(count) < 1:
        return None
    numbers = (*shape[1:], *count[1:3], *window[1:3], *strides[1:3], *dilations[1:3], padding[1][0], padding[2][0])
    return count, (ctypes.c_int64 * 13)(*numbers)


def max_pool(x: Any, **geometry: Any) -> Any:
    if _max_pool is None or not fits(x) or (found := _windows(x.shape, **geometry)) is None:
        return None
    count, windows = found
    largest, origin = np.empty(count, x.dtype), np.empty(count, np.uint8)
    _max_pool(at(x), at(largest), at(origin), count[0], windows)
    return largest, origin


def unpool(x: Any, origin: Any, shape: tuple, **geometry: Any) -> Any:
    if _unpool is None or not fits(x) or origin.dtype != np.uint8 or origin.shape != x.shape:
        return None
    found = _windows(tuple(shape), **geometry) if origin.flags.c_contiguous else None
    if found is None or found[0] != x.shape:
        return None
    tiled = geometry["strides"] == geometry["window"] and not any(map(any, geometry["padding"]))
    tiled = tiled and tuple(n * k for n, k in zip(x.shape, geometry["window"])) == tuple(shape)
    out = (np.empty if tiled else np.zeros)(shape, x.dtype)  # windows side by side write everything
    _unpool(at(x), at(origin), at(out), x.shape[0], found[1])
    return out


# ---- sums: convolutions of each channel with ones


def window_sum(x: Any, *, window: tuple, strides: tuple, padding: tuple, dilations: tuple) -> Any:
    if (ones := _ones(x.shape[-1:], window, strides, padding, dilations)) is None:
        return None
    return convolutions.conv(x, ones, **_inside(strides, padding, dilations), groups=x.shape[-1])


def window_spread(x: Any, *, shape: tuple, window: tuple, strides: tuple, padding: tuple, dilations: tuple) -> Any:
    if (ones := _ones(shape[-1:], window, strides, padding, dilations)) is None or len(shape) != len(x.shape):
        return None
    return convolutions.conv_input_grad(
        x, ones, size=shape[1:-1], **_inside(strides, padding, dilations), groups=shape[-1]
    )


def _ones(channels: tuple, *geometry: tuple) -> Any:
    """A filter for each channel; None for other windows than over one or two middle axes."""
    window = geometry[0]
    outer = [(params[0], params[-1]) for params in geometry]
    if len(window) not in (3, 4) or outer != [(1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1)]:
        return None
    return np.ones((*window[1:-1], 1, *channels), np.float32)


def _inside(strides: tuple, padding: tuple, dilations: tuple) -> dict:
    return {"strides": strides[1:-1], "padding": padding[1:-1], "dilations": dilations[1:-1]}
