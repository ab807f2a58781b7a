"""Pooling over windows of any dimensions of an array, channels or not: every parameter has one entry per dimension.

A maximum remembers which of its window's elements it came from, as one byte, and that is all its rule reads. Sums and
maxima go over the window's positions, each a strided view of the whole array: a few passes in place of a window per
element.
"""

from tapeflow.core.dtypes import INTEGER, NUMERIC, REAL
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import same_sizes, spreads
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive, recorded as ops
from tapeflow.engines.numpy.nn import pooling as kernels
from tapeflow.engines.numpy.nn.windows import output_size
from tapeflow.ops.batching import all_batched, apart, end_to_end, rows_from, rows_to, spread


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


# ---- rows in a map: one more dimension, with a window of one row

_ONE_ROW = {"window": 1, "strides": 1, "padding": (0, 0), "dilations": 1}


def _grown(params, size):
    longer = {n: (one, *params[n]) for n, one in _ONE_ROW.items()}
    return params | longer | ({"shape": (size, *params["shape"])} if "shape" in params else {})


def _rows(op, args, batched, params):
    return op(*args, **_grown(params, args[0].sizes[0]))


def _rows_with_origin(op, args, batched, params):
    """Origins that are the same for all rows are looked at once: an axis of size 1 goes with any number of rows."""
    x, origin = args
    if not batched[0]:
        x = spread(x, origin.sizes[0])
    if not batched[1]:
        origin = ops.reshape(origin, shape=(1, *origin.sizes))
    return op(x, origin, **_grown(params, x.sizes[0]))


# ---- maxima


def _max_pool_shape(x, window, strides, padding, dilations):
    count = _pooled_shape(x.shape, window, strides, padding, dilations)
    return Spec(shape=count, dtype=x.dtype), Spec(shape=count, dtype=kernels.code_dtype(window))


max_pool = primitive(
    "max_pool(x, *, window, strides, padding, dilations)",
    kernel={"numpy": kernels.max_pool, "jax": "nn.pooling.max_pool", "native": "nn.pooling.max_pool"},
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


# Each element goes back to where its maximum was found; elements that meet are added.
unpool = primitive(
    "unpool(x, origin, *, shape, window, strides, padding, dilations)",
    kernel={"numpy": kernels.unpool, "jax": "nn.pooling.unpool", "native": "nn.pooling.unpool"},
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


def _pick_shape(x, origin, **geometry):
    shape = _pooled_shape(x.shape, **geometry)
    _check_origin(origin, shape)
    return Spec(shape=shape, dtype=x.dtype)


# The element of each window that `origin` names: the transpose of unpool.
pick = primitive(
    "pick(x, origin, *, window, strides, padding, dilations)",
    kernel={"numpy": kernels.pick, "jax": "nn.pooling.pick"},
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


def _origin_index_rows(op, args, batched, params):
    """Rows take the place of the batch, which an index can leave out; or rows and batch become one."""
    [origin] = args
    size, examples, *_ = origin.sizes
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
    kernel={"numpy": kernels.origin_index, "jax": "nn.pooling.origin_index"},
    shape=_origin_index_shape,
    vjp=CUT,
    batch=_origin_index_rows,
    dtypes=INTEGER,
)


def _dilation_origin_rows(op, args, batched, params):
    """Rows of images are more images; where the filters have rows, both have more channels."""
    if not batched[1]:
        x, w = args
        return apart(op(end_to_end(x), w, **params), *x.sizes[:2])
    x, w = all_batched(args, batched)
    size, channels = w.sizes[0], w.sizes[-1]
    found = op(_more_channels(x), _more_channels(w), **params)
    return rows_from(ops.reshape(found, shape=(*found.sizes[:-1], size, channels)), len(found.sizes) - 1)


def _more_channels(x):
    return ops.reshape(rows_to(x, len(x.sizes) - 2), shape=(*x.sizes[1:-1], x.sizes[0] * x.sizes[-1]))


def _dilation_shape(x, w, window, **geometry):
    want = (*window[1:3], *x.shape[3:])
    if len(x.shape) != 4 or not same_sizes(tuple(w.shape), want):
        raise invalid(
            f"images of shape {tuple(x.shape)} do not go with a filter of shape {tuple(w.shape)}: it needs a number "
            "for each channel."
        )
    return Spec(shape=_pooled_shape(x.shape, window, **geometry), dtype=kernels.code_dtype(window))


# Where in each window image + filter is largest; the values follow by picking.
dilation_origin = primitive(
    "dilation_origin(x, w, *, window, strides, padding, dilations)",
    kernel={"numpy": kernels.dilation_origin, "jax": "nn.pooling.dilation_origin"},
    shape=_dilation_shape,
    vjp=CUT,
    batch=_dilation_origin_rows,
    dtypes=REAL,
)


# ---- sums


window_sum = primitive(
    "window_sum(x, *, window, strides, padding, dilations)",
    kernel={"numpy": kernels.window_sum, "jax": "nn.pooling.window_sum", "native": "nn.pooling.window_sum"},
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


# The transpose of window_sum: every element of a window gets what its window has.
window_spread = primitive(
    "window_spread(x, *, shape, window, strides, padding, dilations)",
    kernel={"numpy": kernels.window_spread, "jax": "nn.pooling.window_spread", "native": "nn.pooling.window_spread"},
    shape=_unpooled_shape,
    vjp=lambda ops, g, window, strides, padding, dilations: ops.window_sum(
        g, window=window, strides=strides, padding=padding, dilations=dilations
    ),
    jvp=LINEAR,
    batch=_rows,
    dtypes=NUMERIC,
    makes_new=True,
)
