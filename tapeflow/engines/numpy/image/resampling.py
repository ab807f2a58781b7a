"""The weights with which resizing mixes lines (rows or columns) of an image.

`weights` is a tuple (method, lines before, lines after, *options). Its taps are two matrices with one row for each new
line: which old lines it is made of, and how much of each. Where a rounded position decides, it is rounded to float32
first, so that ties fall where TensorFlow has them.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

_SMALL = 4096  # entries up to which a dense matrix is faster than a sparse one


@lru_cache(maxsize=256)
def matrix(weights, transposed, dtype):
    """The matrix that takes old lines to new ones: an array when it is small, else a sparse one."""
    index, share = taps(weights)
    _, before, after = weights[:3]
    if before * after <= _SMALL:
        out = np.zeros((after, before), dtype)
        np.add.at(out, (np.arange(after)[:, None], index), share)
        return np.ascontiguousarray(out.T) if transposed else out
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(after), index.shape[1])
    kept = share.ravel() != 0
    out = csr_array((share.ravel()[kept].astype(dtype), (rows[kept], index.ravel()[kept])), shape=(after, before))
    return out.T.tocsr() if transposed else out


def taps(weights):
    """(indices of old lines, their shares), a row for each new line."""
    method, before, after, *options = weights
    if method in _METHODS:
        return _METHODS[method](before, after, *options)
    return _convolved(before, after, *_KERNELS[method], *options)


def _centers(before, after, dtype=np.float64):
    """Where the middle of each new line lies, in old lines; the first old line reaches from 0 to 1."""
    return (np.arange(after, dtype=dtype) + dtype(0.5)) * (dtype(before) / dtype(after))


def nearest(before, after):
    """The old line in which the middle of each new line lies."""
    return np.minimum(_centers(before, after, np.float32).astype(np.int32), before - 1)


def _neighbours(before, after, dtype=np.float64):
    """(the old line whose middle lies before that of each new line, how far on the way to the next one it is)"""
    at = _centers(before, after, dtype) - dtype(0.5)
    low = np.floor(at)
    return low.astype(np.int64), (at - low).astype(np.float64)


def _bilinear(before, after):
    low, share = _neighbours(before, after)
    return np.clip(np.stack([low, low + 1], 1), 0, before - 1), np.stack([1 - share, share], 1)


def _bicubic(before, after):
    """Keys' cubic through four neighbours, tabulated at 1024 places; what lies outside does not count."""
    low, share = _neighbours(before, after, np.float32)
    lines = low[:, None] + np.arange(-1, 3)
    away = np.rint(share * 1024)[:, None] / 1024 - np.arange(-1, 3)
    return _normalised(lines, _keys_cubic(np.abs(away)), before)


def _area(before, after):
    """How much of the old lines each new one covers."""
    scale = before / after
    start, end = np.arange(after) * scale, np.arange(1, after + 1) * scale
    first = np.floor(start).astype(np.int64)
    lines = first[:, None] + np.arange((np.ceil(end).astype(np.int64) - first).max())
    overlap = np.minimum(end[:, None], lines + 1) - np.maximum(start[:, None], lines)
    return np.minimum(lines, before - 1), np.maximum(overlap, 0) / scale


def _gaussian_window(before, after, sigma):
    """A Gaussian over as many lines as fit, without going past the ends."""
    window = np.arange(before - after + 1)
    share = np.exp(-0.5 * ((window - window.mean()) / sigma) ** 2)
    return np.arange(after)[:, None] + window, np.broadcast_to(share / share.sum(), (after, len(window)))


_METHODS: dict[str, Callable[..., Any]] = {
    "bilinear": _bilinear,
    "bicubic": _bicubic,
    "area": _area,
    "gaussian_window": _gaussian_window,
}


def _convolved(before, after, kernel, radius, dtype, antialias=False):
    """The kernel laid on the middle of each new line; with `antialias` as wide as the new line."""
    step = dtype(1) / (dtype(after) / dtype(before))
    at = ((np.arange(after, dtype=dtype) + dtype(0.5)) * step).astype(np.float64)
    width = max(float(step), 1.0) if antialias else 1.0
    first = np.ceil(at - width * radius - 0.5).astype(np.int64)
    last = np.floor(at + width * radius - 0.5).astype(np.int64)
    lines = first[:, None] + np.arange((last - first).max() + 1)
    away = np.abs(lines + 0.5 - at[:, None]) / width
    return _normalised(lines, np.where(lines <= last[:, None], kernel(away), 0), before)


def _normalised(lines, share, before):
    """Shares that add up to 1 within the image."""
    share = np.where((lines >= 0) & (lines < before), share, 0)
    total = share.sum(1, keepdims=True)
    return np.clip(lines, 0, before - 1), share / np.where(total == 0, 1, total)


# ---- kernels: functions of the distance from the middle


def _triangle(x):
    return np.maximum(1 - x, 0)


def _piecewise_cubic(x, b, c):
    """The family of cubics of Mitchell and Netravali (1988)."""
    inner = ((12 - 9 * b - 6 * c) * x + (-18 + 12 * b + 6 * c)) * x * x + (6 - 2 * b)
    outer = (((-b - 6 * c) * x + (6 * b + 30 * c)) * x + (-12 * b - 48 * c)) * x + (8 * b + 24 * c)
    return np.where(x < 1, inner, np.where(x < 2, outer, 0)) / 6


def _keys_cubic(x):
    return _piecewise_cubic(x, 0, 0.5)


def _mitchell_cubic(x):
    return _piecewise_cubic(x, 1 / 3, 1 / 3)


def _lanczos(radius):
    return lambda x: np.where(x <= radius, np.sinc(x) * np.sinc(x / radius), 0)


def _gaussian(x):
    """Three standard deviations to each side."""
    return np.where(x < 1.5, np.exp(-2 * x * x), 0)


# kernel, radius, dtype of positions: the Gaussian ends in a step
_KERNELS = {
    "triangle": (_triangle, 1, np.float64),
    "keyscubic": (_keys_cubic, 2, np.float64),
    "mitchellcubic": (_mitchell_cubic, 2, np.float64),
    "lanczos3": (_lanczos(3), 3, np.float64),
    "lanczos5": (_lanczos(5), 5, np.float64),
    "gaussian": (_gaussian, 1.5, np.float32),
}
