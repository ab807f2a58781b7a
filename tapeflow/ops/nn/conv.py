"""Convolution in any number of dimensions, and its two transposes. Each of the three is the derivative of the other
two.

Images are channels-last, (batch, *space, channels); filters are (*window, channels in / groups, channels out).
`padding` holds a pair (before, after) per dimension. Both may have one more axis in front: then each row of images
goes with filters of its own.
"""

from functools import partial

import numpy as np

from tapeflow.core.dtypes import NUMERIC
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import differ, same_sizes
from tapeflow.core.primitive import LINEAR, Spec, primitive, recorded as ops
from tapeflow.engines.numpy.nn.correlation import (
    by_group,
    correlate,
    correlate_depthwise,
    padded,
    products,
    products_depthwise,
    spread,
    spread_depthwise,
)
from tapeflow.engines.numpy.nn.windows import output_size
from tapeflow.ops.batching import all_batched, apart, end_to_end, merged, rows_from, rows_of, rows_to


def _with_rows(kernel):
    """A kernel on rows, for arrays with and without them; float16 and bfloat16 are multiplied and added up in
    float32."""

    def run(a, b, strides, **params):
        dtype, plain = a.dtype, b.ndim == len(strides) + 2
        a, b = [x.astype(np.float32) if x.dtype.itemsize < 4 and x.dtype.kind not in "iu" else x for x in (a, b)]
        out = kernel(a[None], b[None], strides, **params)[0] if plain else kernel(a, b, strides, **params)
        return out.astype(dtype, copy=False)

    return run


# ---- rows in a map


def _rows(first, second):
    """The rule, given those for rows in the first argument alone and in the second alone."""

    def rule(op, args, batched, params):
        if len(args[0].sizes) - batched[0] > len(params["strides"]) + 2:  # they have rows already
            return merged(op, args, batched, params)
        if all(batched) or not rows_of(args, batched):
            return op(*all_batched(args, batched), **params)
        return (first if batched[0] else second)(op, args, params)

    return rule


def _as_examples(op, args, params):
    """Rows of the first argument: more examples."""
    a, b = args
    return apart(op(end_to_end(a), b, **params), *a.sizes[:2])


def _as_channels(which, axis, out_axis):
    """Rows of argument number `which`: more channels along an axis, and along one of the result. Groups are parts of
    the last axis."""

    def rule(op, args, params):
        parts = lambda axis: params["groups"] if axis == -1 else 1
        size, args = args[which].sizes[0], list(args)
        args[which] = _gathered(args[which], axis, parts(axis))
        return _scattered(op(*args, **params), out_axis, parts(out_axis), size)

    return rule


def _gathered(x, axis, groups):
    """(rows, ..., groups * channels, ...) to (..., groups * rows * channels, ...)"""
    size, *shape = x.sizes
    k = len(shape) + axis
    x = ops.reshape(x, shape=(size, *shape[:k], groups, shape[k] // groups, *shape[k + 1 :]))
    return ops.reshape(rows_to(x, k + 1), shape=(*shape[:k], size * shape[k], *shape[k + 1 :]))


def _scattered(x, axis, groups, size):
    """(..., groups * rows * channels, ...) to (rows, ..., groups * channels, ...)"""
    shape = tuple(x.sizes)
    k, channels = len(shape) + axis, shape[axis] // size
    x = ops.reshape(x, shape=(*shape[:k], groups, size, channels // groups, *shape[k + 1 :]))
    return ops.reshape(rows_from(x, k + 1), shape=(size, *shape[:k], channels, *shape[k + 1 :]))


# ---- convolution


@_with_rows
def _conv(x, w, strides, padding, dilations, groups):
    _check(x.shape[1:], w.shape[1:], groups)
    x = padded(x, padding)
    if groups == 1:
        return correlate(x, w, strides, dilations)
    if w.shape[-2] == 1:
        return correlate_depthwise(x, w, strides, dilations)
    return by_group(partial(correlate, strides=strides, dilations=dilations), x, w, groups)


def _check(images, filters, groups):
    if len(images) != len(filters):
        raise invalid(
            f"images of shape {images} do not go with filters of shape {filters}: they need rank {len(filters)}."
        )
    channels, per_group, out = images[-1], *filters[-2:]
    if not groups or differ(channels, per_group * groups) or out % groups:
        text = f"images with {channels} channels do not go with filters of shape {filters}"
        if groups == 1:
            raise invalid(f"{text}: these take {per_group} channels.")
        raise invalid(
            f"{text} in {groups} groups: these take {per_group * groups} channels, and their number of outputs must "
            "be a multiple of the number of groups."
        )


def _conv_shape(x, w, strides, padding, dilations, groups):
    rank = len(strides)
    _check(tuple(x.shape), tuple(w.shape), groups)
    has_rows = len(w.shape) == rank + 3
    if len(w.shape) != rank + 2 and not has_rows:
        raise invalid(
            f"a convolution in {rank} dimensions needs filters of rank {rank + 2}, got shape {tuple(w.shape)}."
        )
    if has_rows and differ(x.shape[0], w.shape[0]):
        raise invalid(
            f"rows of images of shape {tuple(x.shape)} and of filters of shape {tuple(w.shape)} must be as many."
        )
    sizes = [None if n is None else n + lo + hi for n, (lo, hi) in zip(_inner(x.shape, rank, 1), padding)]
    count = output_size(sizes, _inner(w.shape, rank, 2), strides, dilations)
    return Spec(shape=(*x.shape[: -1 - rank], *count, w.shape[-1]), dtype=x.dtype)


def _inner(shape, rank, after):
    """The `rank` sizes that have `after` others behind them: space of images, window of filters."""
    return tuple(shape[-after - rank : -after])


def _check_result(dy, x, w, **geometry):
    """Is `dy` the gradient of a convolution of these?"""
    want = _conv_shape(x, w, **geometry).shape
    if not same_sizes(tuple(dy.shape), tuple(want)):
        raise invalid(
            f"a convolution of images of shape {tuple(x.shape)} with filters of shape {tuple(w.shape)} has shape "
            f"{tuple(want)}, which is not that of its gradient, {tuple(dy.shape)}."
        )


conv = primitive(
    "conv(x, w, *, strides, padding, dilations, groups)",
    makes_new=True,
    kernel={"numpy": _conv, "jax": "nn.conv.conv", "native": "nn.convolutions.conv"},
    shape=_conv_shape,
    vjp={
        "x": lambda ops, g, w, x_shape, strides, padding, dilations, groups: ops.conv_input_grad(
            g,
            w,
            size=_inner(x_shape, len(strides), 1),
            strides=strides,
            padding=padding,
            dilations=dilations,
            groups=groups,
        ),
        "w": lambda ops, g, x, w_shape, strides, padding, dilations, groups: ops.conv_filter_grad(
            x,
            g,
            window=_inner(w_shape, len(strides), 2),
            strides=strides,
            padding=padding,
            dilations=dilations,
            groups=groups,
        ),
    },
    jvp=LINEAR,
    batch=_rows(_as_examples, _as_channels(1, -1, -1)),
    dtypes=NUMERIC,
)


# ---- its transpose in the images: what tf.nn.conv2d_transpose computes


@_with_rows
def _conv_input_grad(dy, w, strides, size, padding, dilations, groups):
    if groups == 1:
        return spread(dy, w, size, strides, padding, dilations)
    if w.shape[-2] == 1:
        return spread_depthwise(dy, w, size, strides, padding, dilations, groups)
    one = partial(spread, size=size, strides=strides, padding=padding, dilations=dilations)
    return by_group(one, dy, w, groups)


def _input_grad_shape(dy, w, size, **geometry):
    groups = geometry["groups"]
    if len(dy.shape) != len(w.shape):
        raise invalid(
            f"images of shape {tuple(dy.shape)} do not go with filters of shape {tuple(w.shape)}: they need the same "
            "rank."
        )
    x = Spec(shape=(*dy.shape[: -1 - len(size)], *size, w.shape[-2] * groups), dtype=dy.dtype)
    _check_result(dy, x, w, **geometry)
    return x


conv_input_grad = primitive(
    "conv_input_grad(dy, w, *, size, strides, padding, dilations, groups)",
    makes_new=True,
    kernel={"numpy": _conv_input_grad, "jax": "nn.conv.conv_input_grad", "native": "nn.convolutions.conv_input_grad"},
    shape=_input_grad_shape,
    vjp={
        "dy": lambda ops, g, w, strides, padding, dilations, groups: ops.conv(
            g, w, strides=strides, padding=padding, dilations=dilations, groups=groups
        ),
        "w": lambda ops, g, dy, w_shape, strides, padding, dilations, groups: ops.conv_filter_grad(
            g,
            dy,
            window=_inner(w_shape, len(strides), 2),
            strides=strides,
            padding=padding,
            dilations=dilations,
            groups=groups,
        ),
    },
    jvp=LINEAR,
    batch=_rows(_as_examples, _as_channels(1, -2, -1)),
    dtypes=NUMERIC,
)


# ---- its transpose in the filters


@_with_rows
def _conv_filter_grad(x, dy, strides, window, padding, dilations, groups):
    x = padded(x, padding)
    if groups == 1:
        return products(x, dy, window, strides, dilations)
    if groups == x.shape[-1]:
        return products_depthwise(x, dy, window, strides, dilations)
    return by_group(partial(products, window=window, strides=strides, dilations=dilations), x, dy, groups)


def _filter_grad_shape(x, dy, window, **geometry):
    if len(dy.shape) != len(x.shape):
        raise invalid(f"images of shape {tuple(x.shape)} and gradients of shape {tuple(dy.shape)} need the same rank.")
    w = Spec(
        shape=(*x.shape[: -2 - len(window)], *window, x.shape[-1] // geometry["groups"], dy.shape[-1]), dtype=x.dtype
    )
    _check_result(dy, x, w, **geometry)
    return w


conv_filter_grad = primitive(
    "conv_filter_grad(x, dy, *, window, strides, padding, dilations, groups)",
    makes_new=True,
    kernel={
        "numpy": _conv_filter_grad,
        "jax": "nn.conv.conv_filter_grad",
        "native": "nn.convolutions.conv_filter_grad",
    },
    shape=_filter_grad_shape,
    vjp={
        "x": lambda ops, g, dy, x_shape, strides, padding, dilations, groups: ops.conv_input_grad(
            dy,
            g,
            size=_inner(x_shape, len(strides), 1),
            strides=strides,
            padding=padding,
            dilations=dilations,
            groups=groups,
        ),
        "dy": lambda ops, g, x, strides, padding, dilations, groups: ops.conv(
            x, g, strides=strides, padding=padding, dilations=dilations, groups=groups
        ),
    },
    jvp=LINEAR,
    batch=_rows(_as_channels(0, -1, -2), _as_channels(1, -1, -1)),
    dtypes=NUMERIC,
)
