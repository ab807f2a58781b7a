"""Convolutions of images with filters that all examples share, in one dimension or two, and the ways back."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import POINTER, at, fits, function
from tapeflow.engines.numpy.nn.windows import reach

_NARROW = 3  # channels of a result: fewer leave too much of a vector empty, and NumPy is as fast or faster


def called(call: Callable | None) -> Callable:
    """A function of the library as one of arrays: it fills an array of a shape. None if it has no memory for it."""
    if call is not None:
        call.restype = ctypes.c_int  # type: ignore[attr-defined]

    def run(a: Any, b: Any, shape: tuple, geometry: Any) -> Any:
        if call is None or geometry is None or shape[-1] < _NARROW:
            return None
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        if not fits(a, b):
            return None
        out = np.empty(shape, np.float32)
        return None if call(at(a), at(b), at(out), geometry) else out

    return run


def _both(name: str) -> dict[bool, Callable]:
    """Of filters that see all channels, and of filters that see one each."""
    return {
        depthwise: called(function(full, POINTER, POINTER, POINTER, POINTER))
        for depthwise, full in ((False, name), (True, name.replace("conv", "conv_depthwise")))
    }


_conv, _input_grad, _filter_grad = map(_both, ("conv", "conv_input_grad", "conv_filter_grad"))


def _planar(values: Any, one: Any) -> tuple:
    """With a second dimension where there is only one."""
    return tuple(values) if len(values) == 2 else (one, *values)


def _geometry(
    images: tuple, window: tuple, outputs: int, count: tuple, strides: tuple, padding: tuple, dilations: tuple
) -> Any:
    """What the library wants to know; None for what it does not do."""
    if len(strides) not in (1, 2):
        return None
    size, count, window = [_planar(n, 1) for n in (images[1:-1], count, window)]
    strides, dilations = [_planar(n, 1) for n in (strides, dilations)]
    padding = _planar(padding, (0, 0))
    if min(images[0], images[-1], outputs, *size, *count, *window) < 1:
        return None
    before = (padding[0][0], padding[1][0])
    numbers = (images[0], *size, images[-1], *count, outputs, *window, *strides, *dilations, *before)
    return (ctypes.c_int64 * len(numbers))(*numbers)


def _positions(size: tuple, window: tuple, strides: tuple, padding: tuple, dilations: tuple) -> tuple:
    return tuple(
        [(n + lo + hi - k) // s + 1 for n, (lo, hi), k, s in zip(size, padding, reach(window, dilations), strides)]
    )


def conv(x: Any, w: Any, *, strides: tuple, padding: tuple, dilations: tuple, groups: int) -> Any:
    if not x.ndim == w.ndim == len(strides) + 2 or not _grouped(x.shape[-1], w.shape[-2], w.shape[-1], groups):
        return None
    count = _positions(x.shape[1:-1], w.shape[:-2], strides, padding, dilations)
    geometry = _geometry(x.shape, w.shape[:-2], w.shape[-1], count, strides, padding, dilations)
    return _conv[groups > 1](x, w, (len(x), *count, w.shape[-1]), geometry)


def conv_input_grad(
    dy: Any, w: Any, *, size: tuple, strides: tuple, padding: tuple, dilations: tuple, groups: int
) -> Any:
    if not dy.ndim == w.ndim == len(strides) + 2 or dy.shape[-1] != w.shape[-1]:
        return None
    shape = (len(dy), *size, w.shape[-2] * groups)
    if not _grouped(shape[-1], w.shape[-2], w.shape[-1], groups) or (groups > 1 and w.shape[-1] != groups):
        return None  # several filters for a channel, whose shares would have to be added up
    geometry = _geometry(shape, w.shape[:-2], w.shape[-1], dy.shape[1:-1], strides, padding, dilations)
    return _input_grad[groups > 1](dy, w, shape, geometry)


def conv_filter_grad(
    x: Any, dy: Any, *, window: tuple, strides: tuple, padding: tuple, dilations: tuple, groups: int
) -> Any:
    if not x.ndim == dy.ndim == len(strides) + 2 or len(dy) != len(x) or groups < 1:
        return None
    shape = (*window, x.shape[-1] // groups, dy.shape[-1])
    if not _grouped(x.shape[-1], x.shape[-1] // groups, dy.shape[-1], groups):
        return None
    geometry = _geometry(x.shape, window, dy.shape[-1], dy.shape[1:-1], strides, padding, dilations)
    return _filter_grad[groups > 1](x, dy, shape, geometry)


def _grouped(channels: int, inner: int, outer: int, groups: int) -> bool:
    """Do filters of `inner` channels go with these, and does the library know them: one group, or one channel each?"""
    return (
        groups == 1 and channels == inner or groups > 1 and inner == 1 and channels == groups and outer % groups == 0
    )
