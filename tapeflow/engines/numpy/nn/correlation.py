"""Kernels of convolution and its two transposes on arrays, for one or several sets of filters.

Images are (rows, batch, *space, channels) and filters (rows, *window, channels in, channels out): each row of images
has filters of its own, and all that share filters are one row. Groups are rows, too. All three come down to matrix
products on the windows of the images, laid side by side for a few images at a time: a block that stays in the cache
costs hardly more than the product itself (measured for 64 images 16x16x32 and 64 filters 3x3: 5.5 ms, the bare product
4.7, all windows at once 6.3, one product per window position 7.8).
"""

import math
from itertools import product
from typing import Any

import numpy as np

from .windows import output_size, positions, reach

_BLOCK = 1 << 19  # elements of windows at a time
_SHORT = 12  # elements side by side below which windows are laid out position by position
_FEW = 4096  # elements of all windows up to which it does not matter
_WHOLE = (slice(None),) * 3


def padded(x, padding):
    """`x` with its inner dimensions padded by zeros; a negative amount cuts off. Contiguous."""
    if not any(map(any, padding)):
        return np.ascontiguousarray(x)
    sizes = x.shape[-1 - len(padding) : -1]
    lead = x.shape[: -1 - len(padding)]
    out = np.zeros((*lead, *[n + lo + hi for n, (lo, hi) in zip(sizes, padding)], x.shape[-1]), x.dtype)
    target = [slice(max(lo, 0), n + lo + min(hi, 0)) for n, (lo, hi) in zip(sizes, padding)]
    source = [slice(max(-lo, 0), n - max(-hi, 0)) for n, (lo, hi) in zip(sizes, padding)]
    to: Any = (..., *target, slice(None))
    out[to] = x[(..., *source, slice(None))]
    return out


# ---- windows as rows of matrices


def _windows(x, window, strides, dilations):
    """A view (rows, batch, *positions, *window, channels) of the padded images `x`."""
    count = output_size(x.shape[2:-1], window, strides, dilations)
    step = x.strides[2:-1]
    by = (
        *x.strides[:2],
        *[b * s for b, s in zip(step, strides)],
        *[b * d for b, d in zip(step, dilations)],
        x.strides[-1],
    )
    return np.ndarray((*x.shape[:2], *count, *window, x.shape[-1]), x.dtype, x, 0, by)


def _blocks(windows, rank):
    """(where, windows as a matrix for each row), block by block: some rows, some images of one row, or some lines of
    one large image. The matrices are used again for the next block."""
    shape, columns = windows.shape, math.prod(windows.shape[rank + 2 :])
    if math.prod(shape[rank + 2 : -1]) == 1 and windows.flags.c_contiguous:  # a window of one element: no need to copy
        yield _WHOLE, windows.reshape(shape[0], math.prod(shape[1 : rank + 2]), columns)
        return
    laid_out = _by_position if windows.size > _FEW and _run(windows) < _SHORT else _by_window
    if windows.size <= _BLOCK:
        yield _WHOLE, laid_out(windows, rank, columns, None)
        return
    steps: list[int] = []
    size = math.prod(shape[3:])
    for n in shape[2::-1]:
        steps.insert(0, max(1, min(n, _BLOCK // max(1, size))))
        size *= n
    buffer = np.empty(math.prod(steps) * math.prod(shape[3:]), windows.dtype)
    for start in product(*[range(0, n, step) for n, step in zip(shape, steps)]):
        where = tuple([slice(a, a + step) for a, step in zip(start, steps)])
        yield where, laid_out(windows[where], rank, columns, buffer)


def _run(windows):
    """How many elements at the end of a window lie side by side."""
    return windows.shape[-1] * (
        windows.shape[-2] if windows.strides[-2] == windows.shape[-1] * windows.itemsize else 1
    )


def _by_window(some, rank, columns, buffer):
    out = np.empty(some.shape, some.dtype) if buffer is None else buffer[: some.size].reshape(some.shape)
    np.copyto(out, some)
    return out.reshape(len(out), math.prod(out.shape[1 : rank + 2]), columns)


def _by_position(some, rank, columns, buffer):
    """The same matrices, column by column: up to seven times faster where windows are made of short runs."""
    lead, inner = some.shape[: rank + 2], some.shape[rank + 2 :]
    shape = (lead[0], *inner, *lead[1:])
    out = np.empty(shape, some.dtype) if buffer is None else buffer[: some.size].reshape(shape)
    for offset in product(*map(range, inner)):
        place: Any = (slice(None), *offset)
        out[place] = some[(..., *offset)]
    return out.reshape(lead[0], columns, math.prod(lead[1:])).swapaxes(1, 2)


# ---- products of matrices with many rows
#
# Small ones are computed in slabs of rows. Up to about a million multiplications BLAS neither rearranges its arguments
# nor starts threads. A product of 12544x64 and 64x16 takes 0.23 ms in slabs; at once it takes 0.31 by one thread, 0.20
# by two on idle cores, and milliseconds where other programs keep them busy: its threads wait for each other. Larger
# ones are worth the threads.

_MULTIPLICATIONS = 1_000_000  # in a slab
_SMALL = 16_000_000  # in all
_ROWS = 200  # that a slab needs to be worth it


def _slabs(a, columns):
    """(how many slabs, rows in each) for products of the one matrix `a` with `columns` columns; 0 slabs where it does
    not pay."""
    rows = _MULTIPLICATIONS // max(1, a.shape[2] * columns)
    return (a.shape[1] // rows, rows) if len(a) == 1 and rows >= _ROWS and a.size * columns <= _SMALL else (0, 0)


def _multiply(a, b, out):
    """a b, for each row"""
    count, rows = _slabs(a, b.shape[2])
    whole = count * rows
    if count:
        np.matmul(a[0, :whole].reshape(count, rows, -1), b[0], out=out[0, :whole].reshape(count, rows, -1))
    if whole < a.shape[1]:
        np.matmul(a[:, whole:], b, out=out[:, whole:])


def _multiply_transposed(a, b):
    """aᵀ b, for each row"""
    count, rows = _slabs(a, b.shape[2])
    whole = count * rows
    out = a[:, whole:].swapaxes(1, 2) @ b[:, whole:]
    if count:
        parts = a[0, :whole].reshape(count, rows, -1).swapaxes(1, 2) @ b[0, :whole].reshape(count, rows, -1)
        out += np.add.reduce(parts, 0)
    return out


# ---- groups


def by_group(function, a, b, groups):
    """`function` of the groups as rows; the groups of all three arrays are parts of their last axis."""
    out = function(_apart(a, groups), _apart(b, groups))
    out = np.moveaxis(out.reshape(len(a), groups, *out.shape[1:]), 1, -2)
    return out.reshape(*out.shape[:-2], groups * out.shape[-1])


def _apart(x, groups):
    x = np.moveaxis(x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups), -2, 1)
    return np.ascontiguousarray(x).reshape(len(x) * groups, *x.shape[2:])


# ---- convolution


def correlate(x, w, strides, dilations):
    rank = w.ndim - 3
    windows = _windows(x, w.shape[1:-2], strides, dilations)
    matrices = w.reshape(len(w), math.prod(w.shape[1:-1]), w.shape[-1])
    out = np.empty((*windows.shape[: rank + 2], w.shape[-1]), x.dtype)
    for where, block in _blocks(windows, rank):
        _multiply(block, matrices[where[0]], out[where].reshape(*block.shape[:2], w.shape[-1]))
    return out


def correlate_depthwise(x, w, strides, dilations):
    """One input channel per group: multiply and add, window position by window position."""
    window, channels = w.shape[1:-2], x.shape[-1]
    count = output_size(x.shape[2:-1], window, strides, dilations)
    w = _by_channel(w, channels)
    out = np.zeros((*x.shape[:2], *count, channels, w.shape[-1]), x.dtype)
    for offset, seen in positions(window, count, strides, dilations):
        out += x[(slice(None), slice(None), *seen, slice(None), None)] * w[offset]
    return out.reshape(*out.shape[:-2], channels * w.shape[-1])


def _by_channel(w, channels):
    """Depthwise filters as (*window, rows, 1, ..., channels, multiplier), in line with (rows, batch, *space, channels,
    multiplier)."""
    window = w.shape[1:-2]
    moved = np.moveaxis(w.reshape(len(w), *window, channels, w.shape[-1] // channels), 0, -3)
    return moved.reshape(*window, len(w), *(1,) * (1 + len(window)), *moved.shape[-2:])


# ---- its transpose in the images


def spread(dy, w, size, strides, padding, dilations):
    """With strides of 1 a convolution with the filters turned round; otherwise each window position adds its share."""
    rank = len(size)
    window, count = w.shape[1:-2], dy.shape[2:-1]
    w = np.swapaxes(w, -1, -2)
    if all(s == 1 for s in strides):
        around = [(k - 1 - lo, n - o + lo) for k, n, o, (lo, _) in zip(reach(window, dilations), size, count, padding)]
        return correlate(padded(dy, around), w[(slice(None), *[slice(None, None, -1)] * rank)], strides, dilations)
    if all(d == 1 for d in dilations) and not any(k % s for k, s in zip(window, strides)):
        return _spread_by_phase(dy, w, size, strides, padding)
    out = _canvas(dy, w.shape[-1], size, window, strides, padding, dilations)
    pixels = dy.reshape(len(dy), math.prod(dy.shape[1:-1]), dy.shape[-1])
    for offset, seen in positions(window, count, strides, dilations):
        out[(slice(None), slice(None), *seen)] += (pixels @ w[(slice(None), *offset)]).reshape(
            *dy.shape[:-1], w.shape[-1]
        )
    return out[_inside(size, padding)]


def _spread_by_phase(dy, w, size, strides, padding):
    """Filters that are whole strides long: pixels at the same distance from the last multiple of the strides get their
    shares from the same part of the filters. So all of them together are one convolution with stride 1, of as many
    times more channels: half again to three times faster than window position by position."""
    rank, (rows, *window, _, channels) = len(size), w.shape
    fits = [k // s for k, s in zip(window, strides)]
    parts = w.reshape(rows, *[n for pair in zip(fits, strides) for n in pair], *w.shape[-2:])
    # (rows, window part by part, channels in, distance, channels out), the parts in opposite order
    order = (0, *range(1, 2 * rank, 2), 2 * rank + 1, *range(2, 2 * rank + 1, 2), 2 * rank + 2)
    parts = parts.transpose(order)[(slice(None), *[slice(None, None, -1)] * rank)]
    filters = parts.reshape(rows, *fits, w.shape[-2], math.prod(strides) * channels)
    out = correlate(padded(dy, [(f - 1, f - 1) for f in fits]), filters, (1,) * rank, (1,) * rank)
    out = out.reshape(*out.shape[:-1], *strides, channels)
    order = (0, 1, *[axis for i in range(rank) for axis in (2 + i, 2 + rank + i)], 2 * rank + 2)
    out = out.transpose(order).reshape(*dy.shape[:2], *[n * s for n, s in zip(out.shape[2:], strides)], channels)
    return padded(out, [(-lo, lo + n - have) for n, (lo, _), have in zip(size, padding, out.shape[2:])])


def spread_depthwise(dy, w, size, strides, padding, dilations, groups):
    window = w.shape[1:-2]
    w = _by_channel(w, groups)
    out = _canvas(dy, groups, size, window, strides, padding, dilations)
    split = dy.reshape(*dy.shape[:-1], groups, w.shape[-1])
    for offset, seen in positions(window, dy.shape[2:-1], strides, dilations):
        share = split * w[offset]
        out[(slice(None), slice(None), *seen)] += share[..., 0] if w.shape[-1] == 1 else np.add.reduce(share, -1)
    return out[_inside(size, padding)]


def _canvas(dy, channels, size, window, strides, padding, dilations):
    """Zeros in the size of the padded images."""
    far = [(o - 1) * s + k for o, s, k in zip(dy.shape[2:-1], strides, reach(window, dilations))]
    return np.zeros(
        (*dy.shape[:2], *[max(f, lo + n) for f, n, (lo, _) in zip(far, size, padding)], channels), dy.dtype
    )


def _inside(size, padding):
    return (slice(None), slice(None), *[slice(lo, lo + n) for n, (lo, _) in zip(size, padding)])


# ---- its transpose in the filters


def products(x, dy, window, strides, dilations):
    rank = len(window)
    dy = np.ascontiguousarray(dy)
    windows = _windows(x, window, strides, dilations)
    windows = windows[tuple(map(slice, dy.shape[:-1]))]  # a transpose may leave the last positions out
    out = np.zeros((len(x), math.prod(window) * x.shape[-1], dy.shape[-1]), x.dtype)
    for where, block in _blocks(windows, rank):
        out[where[0]] += _multiply_transposed(block, dy[where].reshape(*block.shape[:2], dy.shape[-1]))
    return out.reshape(len(x), *window, x.shape[-1], dy.shape[-1])


def products_depthwise(x, dy, window, strides, dilations):
    channels = x.shape[-1]
    split = dy.reshape(*dy.shape[:-1], channels, dy.shape[-1] // channels)
    out = np.empty((*window, len(x), channels, split.shape[-1]), x.dtype)
    axes = tuple(range(1, dy.ndim - 1))
    for offset, seen in positions(window, dy.shape[2:-1], strides, dilations):
        out[offset] = np.add.reduce(x[(slice(None), slice(None), *seen, slice(None), None)] * split, axes)
    out = np.moveaxis(out, len(window), 0)
    return out.reshape(len(x), *window, 1, dy.shape[-1])
