"""Pooling over windows of any dimensions of an array, channels or not: every parameter has one entry per dimension.

A maximum remembers which of its window's elements it came from, as one byte, and that is all its rule reads. Sums and
maxima go over the window's positions, each a strided view of the whole array: a few passes in place of a window per
element.
"""

import math

import numpy as np

from tapeflow.core.dtypes import INTEGER, NUMERIC, REAL
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import same_sizes, spreads
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive, recorded as ops
from tapeflow.engines.numpy.nn.windows import output_size, positions, reach
from tapeflow.ops.batching import all_batched, apart, end_to_end, rows_from, rows_to, spread


def _padded(x, padding, value):
    if not any(map(any, padding)):
        return x
    out = np.full([n + lo + hi for n, (lo, hi) in zip(x.shape, padding)], value, x.dtype)
    out[_inside(x.shape, padding)] = x
    return out


def _inside(shape, padding):
    return tuple([slice(lo, lo + n) for n, (lo, _) in zip(shape, padding)])


def _pooled_shape(shape, window, strides, padding, dilations):
    if len(shape) != len(window):
        raise invalid(
            f"windows of size {tuple(window)} need a tensor of rank {len(window)}, got shape {tuple(shape)}."
        )
    full = [None if n is None else n + lo + hi for n, (lo, hi) in zip(shape, padding)]
    return output_size(full, window, strides, dilations)


def _check_origin(origin, shape):
    if not spreads(tuple(origin.shape), tuple(shape)):
        raise invalid(f"origins of shape {tuple(origin.shape)} do not go with {tuple(shape)} windows.")


def _unpooled_shape(x, origin=None, *, shape, **geometry):
    """Of what `x` has one element per window of."""
    want = _pooled_shape(shape, **geometry)
    if not same_sizes(tuple(x.shape), want):
        raise invalid(
            f"a tensor of shape {tuple(shape)} has {want} windows, which {tuple(x.shape)} does not have one element "
            "each for."
        )
    if origin is not None:
        _check_origin(origin, x.shape)
    return Spec(shape=shape, dtype=x.dtype)


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


# ---- rows in a map: one more dimension, with a window of one row

_ONE_ROW = {"window": 1, "strides": 1, "padding": (0, 0), "dilations": 1}


def _grown(params, size):
    longer = {n: (one, *params[n]) for n, one in _ONE_ROW.items()}
    return params | longer | ({"shape": (size, *params["shape"])} if "shape" in params else {})


def _rows(op, args, batched, params):
    return op(*args, **_grown(params, args[0].shape[0]))


def _rows_with_origin(op, args, batched, params):
    """Origins that are the same for all rows are looked at once: an axis of size 1 goes with any number of rows."""
    x, origin = args
    if not batched[0]:
        x = spread(x, origin.shape[0])
    if not batched[1]:
        origin = ops.reshape(origin, shape=(1, *origin.shape))
    return op(x, origin, **_grown(params, x.shape[0]))


# ---- maxima


def _lowest(dtype):
    return -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min


def _code(window):
    """The smallest dtype that counts the elements of a window."""
    return np.dtype(np.uint8 if math.prod(window) <= 256 else np.int32)


def _max_pool(x, window, strides, padding, dilations):
    x = _padded(x, padding, _lowest(x.dtype))
    count = output_size(x.shape, window, strides, dilations)
    code = _code(window).type
    best, origin = None, np.zeros(count, code)
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


def _max_pool_shape(x, window, strides, padding, dilations):
    count = _pooled_shape(x.shape, window, strides, padding, dilations)
    return Spec(shape=count, dtype=x.dtype), Spec(shape=count, dtype=_code(window))


max_pool = primitive(
    "max_pool(x, *, window, strides, padding, dilations)",
    kernel={"numpy": _max_pool, "jax": "nn.pooling.max_pool"},
    shape=_max_pool_shape,
    outputs=("largest", "origin"),
    vjp=lambda ops, g, origin, x_shape, window, strides, padding, dilations: ops.unpool(
        g[0], origin, shape=x_shape, window=window, strides=strides, padding=padding, dilations=dilations
    ),
    jvp=lambda ops, t, origin, window, strides, padding, dilations: (
        ops.pick(t, origin, window=window, strides=strides, padding=padding, dilations=dilations),
        None,
    ),
    batch=_rows,
    dtypes=REAL,
    makes_new=True,
)


def _unpool(x, origin, shape, window, strides, padding, dilations):
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


# Each element goes back to where its maximum was found; elements that meet are added.
unpool = primitive(
    "unpool(x, origin, *, shape, window, strides, padding, dilations)",
    kernel={"numpy": _unpool, "jax": "nn.pooling.unpool"},
    shape=_unpooled_shape,
    vjp={
        "x": lambda ops, g, origin, window, strides, padding, dilations: ops.pick(
            g, origin, window=window, strides=strides, padding=padding, dilations=dilations
        )
    },
    jvp=LINEAR,
    batch=_rows_with_origin,
    dtypes={"x": NUMERIC, "origin": INTEGER},
    makes_new=True,
)


def _pick(x, origin, window, strides, padding, dilations):
    x = _padded(x, padding, 0)
    count = output_size(x.shape, window, strides, dilations)
    out = np.zeros(count, x.dtype)
    for k, (_, seen) in enumerate(positions(window, count, strides, dilations)):
        np.copyto(out, x[seen], where=origin == k)
    return out


def _pick_shape(x, origin, **geometry):
    shape = _pooled_shape(x.shape, **geometry)
    _check_origin(origin, shape)
    return Spec(shape=shape, dtype=x.dtype)


# The element of each window that `origin` names: the transpose of unpool.
pick = primitive(
    "pick(x, origin, *, window, strides, padding, dilations)",
    kernel={"numpy": _pick, "jax": "nn.pooling.pick"},
    shape=_pick_shape,
    vjp={
        "x": lambda ops, g, origin, x_shape, window, strides, padding, dilations: ops.unpool(
            g, origin, shape=x_shape, window=window, strides=strides, padding=padding, dilations=dilations
        )
    },
    jvp=LINEAR,
    batch=_rows_with_origin,
    dtypes={"x": NUMERIC, "origin": INTEGER},
)


def _origin_index(origin, shape, batch, dtype, window, strides, padding, dilations):
    """Where in the flattened array (in its own flattened element of the batch, unless `batch`) each maximum was."""
    inside = np.unravel_index(origin, window)
    place = np.meshgrid(*map(np.arange, origin.shape), indexing="ij", sparse=True)
    found = [
        np.clip(p * s + o * d - lo, 0, n - 1)
        for p, s, o, d, (lo, _), n in zip(place, strides, inside, dilations, padding, shape)
    ]
    flat = np.ravel_multi_index(found, shape) if batch else np.ravel_multi_index(found[1:], shape[1:])
    return np.broadcast_to(flat, origin.shape).astype(dtype)


def _origin_index_rows(op, args, batched, params):
    """Rows take the place of the batch, which an index can leave out; or rows and batch become one."""
    [origin] = args
    size, examples, *_ = origin.shape
    if params["batch"]:
        return op(origin, **_grown(params, size) | {"batch": False})
    shape = (size * params["shape"][0], *params["shape"][1:])
    return apart(op(end_to_end(origin), **params | {"shape": shape}), size, examples)


def _origin_index_shape(origin, shape, batch, dtype, **geometry):
    if len(origin.shape) != len(shape):
        raise invalid(
            f"origins of shape {tuple(origin.shape)} do not go with a tensor of shape {tuple(shape)}: they have the "
            "same rank."
        )
    return Spec(shape=origin.shape, dtype=dtype)


origin_index = primitive(
    "origin_index(origin, *, shape, batch, dtype, window, strides, padding, dilations)",
    kernel={"numpy": _origin_index, "jax": "nn.pooling.origin_index"},
    shape=_origin_index_shape,
    vjp=CUT,
    batch=_origin_index_rows,
    dtypes=INTEGER,
)


def _dilation_origin(x, w, window, strides, padding, dilations):
    x = _padded(x, padding, _lowest(x.dtype))
    count = output_size(x.shape, window, strides, dilations)
    code = _code(window).type
    best, origin = None, np.zeros(count, code)
    for k, (offset, seen) in enumerate(positions(window, count, strides, dilations)):
        candidate = x[seen] + w[offset[1:3]]
        if best is not None:
            origin[(candidate > best) | ((candidate != candidate) & (best == best))] = code(
                k
            )  # the first NaN is larger than all
            candidate = np.maximum(best, candidate)
        best = candidate
    return origin


def _dilation_origin_rows(op, args, batched, params):
    """Rows of images are more images; where the filters have rows, both have more channels."""
    if not batched[1]:
        x, w = args
        return apart(op(end_to_end(x), w, **params), *x.shape[:2])
    x, w = all_batched(args, batched)
    size, channels = w.shape[0], w.shape[-1]
    found = op(_more_channels(x), _more_channels(w), **params)
    return rows_from(ops.reshape(found, shape=(*found.shape[:-1], size, channels)), len(found.shape) - 1)


def _more_channels(x):
    return ops.reshape(rows_to(x, len(x.shape) - 2), shape=(*x.shape[1:-1], x.shape[0] * x.shape[-1]))


def _dilation_shape(x, w, window, **geometry):
    want = (*window[1:3], *x.shape[3:])
    if len(x.shape) != 4 or not same_sizes(tuple(w.shape), want):
        raise invalid(
            f"images of shape {tuple(x.shape)} do not go with a filter of shape {tuple(w.shape)}: it needs a number "
            "for each channel."
        )
    return Spec(shape=_pooled_shape(x.shape, window, **geometry), dtype=_code(window))


# Where in each window image + filter is largest; the values follow by picking.
dilation_origin = primitive(
    "dilation_origin(x, w, *, window, strides, padding, dilations)",
    kernel={"numpy": _dilation_origin, "jax": "nn.pooling.dilation_origin"},
    shape=_dilation_shape,
    vjp=CUT,
    batch=_dilation_origin_rows,
    dtypes=REAL,
)


# ---- sums


def _window_sum(x, window, strides, padding, dilations):
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 and x.dtype.kind not in "iu" else x
    wide = _padded(wide, padding, 0)
    count = output_size(wide.shape, window, strides, dilations)
    total = np.zeros(count, wide.dtype)
    for part in _each_seen(wide, count, window, strides, dilations):
        total += part
    return total.astype(x.dtype, copy=False)


window_sum = primitive(
    "window_sum(x, *, window, strides, padding, dilations)",
    kernel={"numpy": _window_sum, "jax": "nn.pooling.window_sum"},
    shape=lambda x, window, strides, padding, dilations: Spec(
        shape=_pooled_shape(x.shape, window, strides, padding, dilations), dtype=x.dtype
    ),
    vjp=lambda ops, g, x_shape, window, strides, padding, dilations: ops.window_spread(
        g, shape=x_shape, window=window, strides=strides, padding=padding, dilations=dilations
    ),
    jvp=LINEAR,
    batch=_rows,
    dtypes=NUMERIC,
    makes_new=True,
)


def _window_spread(x, shape, window, strides, padding, dilations):
    out = _canvas(x, shape, window, strides, padding, dilations)
    for _, seen in positions(window, x.shape, strides, dilations):
        out[seen] += x
    return out[_inside(shape, padding)]


# The transpose of window_sum: every element of a window gets what its window has.
window_spread = primitive(
    "window_spread(x, *, shape, window, strides, padding, dilations)",
    kernel={"numpy": _window_spread, "jax": "nn.pooling.window_spread"},
    shape=_unpooled_shape,
    vjp=lambda ops, g, window, strides, padding, dilations: ops.window_sum(
        g, window=window, strides=strides, padding=padding, dilations=dilations
    ),
    jvp=LINEAR,
    batch=_rows,
    dtypes=NUMERIC,
    makes_new=True,
)
