"""Pooling (see `ops/nn/pooling.py`), one dimension after the other: a window of 3x3 is 3 + 3 positions in place of 9.

Few positions are looked at as strided views, which XLA fuses into one loop; for many there are reductions, gather and
scatter.
"""

import math
from itertools import product

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.dtypes import canonicalize_dtype

_FEW = 32  # positions that are written out one by one


def _zero(x):
    return jnp.zeros((), x.dtype)


def _padded(x, padding, value):
    return lax.pad(x, jnp.asarray(value, x.dtype), [(lo, hi, 0) for lo, hi in padding])


def _counts(shape, window, strides, dilations):
    return [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(shape, window, strides, dilations)]


def _span(count, stride):
    """How far elements reach that lie `stride` apart."""
    return (count - 1) * stride + 1 if count else 0


def _seen(x, axis, start, count, stride):
    return lax.slice_in_dim(x, start, start + _span(count, stride), stride, axis)


def _along(x, axis, window, strides, dilations):
    """(size of the window, stride, dilation, number of positions) along one axis of a padded array."""
    k, s, d = window[axis], strides[axis], dilations[axis]
    return k, s, d, _counts(x.shape[axis : axis + 1], [k], [s], [d])[0]


# ---- maxima


def _lowest(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _code(window):
    return np.dtype(np.uint8 if math.prod(window) <= 256 else np.int32)


def max_pool(x, window, strides, padding, dilations):
    """From the last axis to the first, each time the first of equals: that is the first in row-major order."""
    best = _padded(x, padding, _lowest(np.dtype(x.dtype)))
    origin = jnp.zeros(best.shape, _code(window))
    for axis in reversed(range(x.ndim)):
        unit = math.prod(window[axis + 1 :])
        best, origin = _best_along(best, origin, axis, unit, *_along(best, axis, window, strides, dilations))
    return best, origin


def _best_along(x, origin, axis, unit, k, s, d, count):
    if k > _FEW:
        return _best_of_many(x, origin, axis, unit, k, s, d, count)
    best = _seen(x, axis, 0, count, s)
    found = _seen(origin, axis, 0, count, s)
    for o in range(1, k):
        candidate = _seen(x, axis, o * d, count, s)
        code = _seen(origin, axis, o * d, count, s) + np.array(o * unit, origin.dtype)
        found = jnp.where(_beats(candidate, best), code, found)
        best = jnp.maximum(best, candidate)
    return best, found


def _beats(candidate, best):
    """Larger, or the first NaN: that is what the maximum gives."""
    return (candidate > best) | ((candidate != candidate) & (best == best))


def _best_of_many(x, origin, axis, unit, k, s, d, count):
    at = np.arange(count)[:, None] * s + np.arange(k) * d
    windows, codes = jnp.take(x, at, axis), jnp.take(origin, at, axis)
    where = jnp.argmax(windows, axis + 1, keepdims=True)
    best, found = [jnp.take_along_axis(v, where, axis + 1) for v in (windows, codes)]
    return best.squeeze(axis + 1), (found + (where * unit).astype(origin.dtype)).squeeze(axis + 1)


def _places(origin, count, window, strides, dilations):
    """Where in the padded array the elements are that `origin` names: an index for each dimension."""
    inside = jnp.unravel_index(origin.astype(jnp.int32), window)
    place = jnp.ogrid[tuple(slice(n) for n in count)]
    return tuple([p.astype(jnp.int32) * s + o * d for p, s, o, d in zip(place, strides, inside, dilations)])


def unpool(x, origin, shape, window, strides, padding, dilations):
    if math.prod(window) > _FEW:
        return _unpool_many(x, origin, shape, window, strides, padding, dilations)
    out = jnp.zeros(shape, x.dtype)
    for code, offset in enumerate(product(*map(range, window))):
        around = []
        for o, n, count, s, d, (lo, _) in zip(offset, shape, x.shape, strides, dilations, padding):
            around.append((o * d - lo, n + lo - o * d - _span(count, s), s - 1))
        out += lax.pad(jnp.where(origin == code, x, _zero(x)), _zero(x), around)
    return out


def _unpool_many(x, origin, shape, window, strides, padding, dilations):
    """Into an array with its padding, which is then cut off."""
    far = [_span(n, s) + (k - 1) * d for n, s, k, d in zip(x.shape, strides, window, dilations)]
    canvas = jnp.zeros([max(f, lo + n) for f, n, (lo, _) in zip(far, shape, padding)], x.dtype)
    canvas = canvas.at[_places(origin, x.shape, window, strides, dilations)].add(x)
    return canvas[tuple([slice(lo, lo + n) for n, (lo, _) in zip(shape, padding)])]


def pick(x, origin, window, strides, padding, dilations):
    x = _padded(x, padding, 0)
    count = _counts(x.shape, window, strides, dilations)
    if math.prod(window) > _FEW:
        return x[_places(origin, count, window, strides, dilations)]
    out = jnp.zeros(count, x.dtype)
    for code, offset in enumerate(product(*map(range, window))):
        out = jnp.where(origin == code, _through(x, offset, count, strides, dilations), out)
    return out


def _through(x, offset, count, strides, dilations):
    """What is seen through one place of the window at all its positions."""
    start = [o * d for o, d in zip(offset, dilations)]
    return lax.slice(x, start, [a + _span(n, s) for a, n, s in zip(start, count, strides)], strides)


def origin_index(origin, shape, batch, dtype, window, strides, padding, dilations):
    places = _places(origin, origin.shape, window, strides, dilations)
    flat = jnp.zeros((), jnp.int32 if math.prod(shape) < 2**31 else int)
    for place, n, (lo, _) in list(zip(places, shape, padding))[0 if batch else 1 :]:
        flat = flat * n + jnp.clip(place - lo, 0, n - 1)
    return jnp.broadcast_to(flat, origin.shape).astype(canonicalize_dtype(dtype))


def dilation_origin(x, w, window, strides, padding, dilations):
    x = _padded(x, padding, _lowest(np.dtype(x.dtype)))
    count = _counts(x.shape, window, strides, dilations)
    best, origin = None, jnp.zeros(count, _code(window))
    for code, offset in enumerate(product(*map(range, window))):
        candidate = _through(x, offset, count, strides, dilations) + w[offset[1:3]]
        if best is not None:
            origin = jnp.where(_beats(candidate, best), np.array(code, origin.dtype), origin)
            candidate = jnp.maximum(best, candidate)
        best = candidate
    return origin


# ---- sums


def window_sum(x, window, strides, padding, dilations):
    dtype = np.dtype(x.dtype)
    wide = x.astype(np.float32) if dtype.itemsize < 4 and dtype.kind not in "iu" else x
    wide = _padded(wide, padding, 0)
    for axis in range(x.ndim):
        wide = _sum_along(wide, axis, *_along(wide, axis, window, strides, dilations))
    return wide.astype(x.dtype)


def _sum_along(x, axis, k, s, d, count):
    if k <= _FEW:
        return sum([_seen(x, axis, o * d, count, s) for o in range(1, k)], _seen(x, axis, 0, count, s))
    on_axis = lambda value: [value if i == axis else 1 for i in range(x.ndim)]
    return lax.reduce_window(x, _zero(x), lax.add, on_axis(k), on_axis(s), "VALID", window_dilation=on_axis(d))


def window_spread(x, shape, window, strides, padding, dilations):
    for axis, (n, k, s, (lo, _), d) in enumerate(zip(shape, window, strides, padding, dilations)):
        x = _spread_along(x, axis, n, k, s, lo, d)
    return x


def _spread_along(x, axis, n, k, s, lo, d):
    count = x.shape[axis]
    if k <= s and d == 1:  # windows that do not meet: each element again and again, then zeros
        tiles = jnp.broadcast_to(jnp.expand_dims(x, axis + 1), (*x.shape[: axis + 1], k, *x.shape[axis + 1 :]))
        tiles = _pad_along(tiles, axis + 1, 0, s - k)
        return _pad_along(
            tiles.reshape(*x.shape[:axis], count * s, *x.shape[axis + 1 :]), axis, -lo, n + lo - count * s
        )
    span = _span(count, s)
    if k <= _FEW:
        return sum([_pad_along(x, axis, o * d - lo, n + lo - o * d - span, s - 1) for o in range(k)])
    return _sum_along(_pad_along(x, axis, (k - 1) * d - lo, n + lo - span, s - 1), axis, k, 1, d, n)


def _pad_along(x, axis, before, after, between=0):
    """Zeros around, and between the elements; a negative number cuts off."""
    around = [(0, 0, 0)] * x.ndim
    around[axis] = (before, after, between)
    return lax.pad(x, _zero(x), around)
