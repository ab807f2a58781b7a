"""NumPy kernels of `ops/nn/pooling.py`: maxima and sums of windows, and what leads back from them."""

import math
from typing import Any

import numpy as np

from tapeflow.engines.numpy.nn.windows import output_size, positions, reach


def _padded(x, padding, value):
    if not any(map(any, padding)):
        return x
    out = np.full([n + lo + hi for n, (lo, hi) in zip(x.shape, padding)], value, x.dtype)
    out[_inside(x.shape, padding)] = x
    return out


def _inside(shape, padding):
    return tuple([slice(lo, lo + n) for n, (lo, _) in zip(shape, padding)])


def _canvas(x, shape, window, strides, padding, dilations):
    """Zeros in the size of the padded array of which `x` has one element per window."""
    far = [(n - 1) * s + k for n, s, k in zip(x.shape, strides, reach(window, dilations))]
    return np.zeros([max(f, lo + n) for f, n, (lo, _) in zip(far, shape, padding)], x.dtype)


def _pixels(*arrays):
    """The arrays with all channels of a pixel as one element, if all have the same that way: moved as a whole, few
    channels are three times faster, and many not slower. (A window over the channels leaves fewer of them.)"""
    channels, size = arrays[0].shape[-1], arrays[0].itemsize
    if channels < 2 or any(a.shape[-1] != channels or a.strides[-1] != size for a in arrays):
        return arrays
    pixel = np.dtype((np.void, channels * size))
    return [a.view(pixel)[..., 0] for a in arrays]


def _each_seen(x, count, window, strides, dilations):
    """What is seen through each position of the window, one after the other in the same array."""
    out = np.empty(count, x.dtype)
    source, target = _pixels(x, out)
    for _, seen in positions(window, count, strides, dilations):
        target[...] = source[seen[: source.ndim]]
        yield out


def _lowest(dtype):
    return -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min


def code_dtype(window):
    """The smallest dtype that counts the elements of a window."""
    return np.dtype(np.uint8 if math.prod(window) <= 256 else np.int32)


def max_pool(x, window, strides, padding, dilations):
    x = _padded(x, padding, _lowest(x.dtype))
    count = output_size(x.shape, window, strides, dilations)
    code = code_dtype(window).type
    best: Any = None
    origin = np.zeros(count, code)
    for k, candidate in enumerate(_each_seen(x, count, window, strides, dilations)):
        if best is None:
            best = candidate.copy()
            continue
        larger = (candidate > best).view(np.uint8)  # the first of equals stays
        np.maximum(best, candidate, out=best)
        # A masked store, `origin[larger] = k`, takes four times as long.
        np.maximum(origin, larger * code(k), out=origin)
    if best.dtype.kind == "f" and np.isnan(best.sum()):  # compared with a NaN, nothing is larger
        _point_to_nan(origin, _each_seen(x, count, window, strides, dilations))
    return best, origin


def _point_to_nan(origin, candidates):
    """The maximum of a window with a NaN is that NaN, the first of them: so its origin is there."""
    found = np.zeros(origin.shape, bool)
    for k, candidate in enumerate(candidates):
        here = np.isnan(candidate) & ~found
        origin[here] = k
        found |= here


def unpool(x, origin, shape, window, strides, padding, dilations):
    out = _canvas(x, shape, window, strides, padding, dilations)
    if all(s >= k for s, k in zip(strides, reach(window, dilations))):  # windows that do not meet
        part = np.empty(x.shape, x.dtype)
        source, target = _pixels(part, out)
        for k, (_, seen) in enumerate(positions(window, x.shape, strides, dilations)):
            np.multiply(x, origin == k, out=part)
            target[seen[: target.ndim]] = source
    else:
        for k, (_, seen) in enumerate(positions(window, x.shape, strides, dilations)):
            out[seen] += x * (origin == k)
    return out[_inside(shape, padding)]


def pick(x, origin, window, strides, padding, dilations):
    x = _padded(x, padding, 0)
    count = output_size(x.shape, window, strides, dilations)
    out = np.zeros(count, x.dtype)
    for k, (_, seen) in enumerate(positions(window, count, strides, dilations)):
        np.copyto(out, x[seen], where=origin == k)
    return out


def origin_index(origin, shape, batch, dtype, window, strides, padding, dilations):
    """Where in the flattened array (in its own flattened element of the batch, unless `batch`) each maximum was."""
    inside = np.unravel_index(origin, window)
    place = np.meshgrid(*map(np.arange, origin.shape), indexing="ij", sparse=True)
    found = [
        np.clip(p * s + o * d - lo, 0, n - 1)
        for p, s, o, d, (lo, _), n in zip(place, strides, inside, dilations, padding, shape)
    ]
    flat = np.ravel_multi_index(found, shape) if batch else np.ravel_multi_index(found[1:], shape[1:])
    return np.broadcast_to(flat, origin.shape).astype(dtype)


def dilation_origin(x, w, window, strides, padding, dilations):
    x = _padded(x, padding, _lowest(x.dtype))
    count = output_size(x.shape, window, strides, dilations)
    code = code_dtype(window).type
    best: Any = None
    origin = np.zeros(count, code)
    for k, (offset, seen) in enumerate(positions(window, count, strides, dilations)):
        candidate = x[seen] + w[offset[1:3]]
        if best is not None:
            origin[(candidate > best) | ((candidate != candidate) & (best == best))] = code(
                k
            )  # the first NaN is larger than all
            candidate = np.maximum(best, candidate)
        best = candidate
    return origin


def window_sum(x, window, strides, padding, dilations):
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 and x.dtype.kind not in "iu" else x
    wide = _padded(wide, padding, 0)
    count = output_size(wide.shape, window, strides, dilations)
    total = np.zeros(count, wide.dtype)
    for part in _each_seen(wide, count, window, strides, dilations):
        total += part
    return total.astype(x.dtype, copy=False)


def window_spread(x, shape, window, strides, padding, dilations):
    out = _canvas(x, shape, window, strides, padding, dilations)
    for _, seen in positions(window, x.shape, strides, dilations):
        out[seen] += x
    return out[_inside(shape, padding)]
