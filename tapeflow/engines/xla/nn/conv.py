"""Convolution and its two transposes (see `ops/nn/conv.py`), each as one convolution of XLA's.

A transpose is a convolution with the arguments in other roles: strides become gaps between the elements of an
argument, or gaps in the window, and what is padded follows from the size of the result. XLA knows these forms and
takes its fast ways for them.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def _with_rows(kernel):
    """Each row of both arguments by itself, where there are rows: they become groups of one convolution."""

    def run(a, b, strides, **params):
        one = lambda a, b: kernel(a, b, strides, **params)
        return one(a, b) if b.ndim == len(strides) + 2 else jax.vmap(one)(a, b)

    return run


def _images(rank):
    """(batch, channels, *space), as axes."""
    return (0, rank + 1, *range(1, rank + 1))


def _filters(rank):
    """(channels out, channels in, *window), as axes."""
    return (rank + 1, rank, *range(rank))


def _spans(count, strides):
    """How far elements reach that lie `strides` apart."""
    return [(n - 1) * s + 1 if n else 0 for n, s in zip(count, strides)]


def _of_integers(x, w, strides, padding, gaps, dilations, groups):
    """Position by position of the window (*window, channels, outputs): GPUs have no convolution of integers. `gaps`
    are in `x`."""
    x = lax.pad(
        x, jnp.zeros((), x.dtype), [(0, 0, 0), *[(lo, hi, g - 1) for (lo, hi), g in zip(padding, gaps)], (0, 0, 0)]
    )
    reached = [n - k for n, k in zip(x.shape[1:-1], _spans(w.shape, dilations))]
    counts = [max(0, n // s + 1) for n, s in zip(reached, strides)]
    total = jnp.zeros((x.shape[0], *counts, groups, w.shape[-1] // groups), x.dtype)
    for place in np.ndindex(*w.shape[:-2]):
        starts = [k * d for k, d in zip(place, dilations)]
        seen = tuple([slice(a, a + n, s) for a, n, s in zip(starts, _spans(counts, strides), strides)])
        part = x[:, *seen].reshape(*total.shape[:-1], w.shape[-2])
        weights = jnp.moveaxis(w[place].reshape(w.shape[-2], *total.shape[-2:]), 0, 1)  # (groups, channels, outputs)
        total += jnp.sum(part[..., None] * weights, axis=-2, dtype=x.dtype)
    return total.reshape(*total.shape[:-2], w.shape[-1])


def _whole(x):
    return jnp.issubdtype(x.dtype, jnp.integer)


@_with_rows
def conv(x, w, strides, padding, dilations, groups):
    rank = len(strides)
    if _whole(x):
        return _of_integers(x, w, strides, padding, (1,) * rank, dilations, groups)
    return lax.conv_general_dilated(
        x,
        w,
        strides,
        padding,
        rhs_dilation=dilations,
        dimension_numbers=lax.ConvDimensionNumbers(_images(rank), _filters(rank), _images(rank)),
        feature_group_count=groups,
    )


@_with_rows
def conv_input_grad(dy, w, strides, size, padding, dilations, groups):
    rank = len(strides)
    window, channels = w.shape[:rank], w.shape[-2] * groups
    if not (dy.size and w.size):
        return jnp.zeros((dy.shape[0], *size, channels), dy.dtype)
    # (*window, channels, outputs of their group), the window turned round: what comes out are the channels.
    w = w.reshape(*w.shape[:-1], groups, w.shape[-1] // groups)
    w = lax.rev(jnp.moveaxis(w, -2, -3), range(rank)).reshape(*window, channels, -1)
    spans, extents = _spans(dy.shape[1:-1], strides), _spans(window, dilations)
    around = [(k - 1 - lo, n - o + lo) for k, n, o, (lo, _) in zip(extents, size, spans, padding)]
    if _whole(dy):
        return _of_integers(dy, jnp.swapaxes(w, -1, -2), (1,) * rank, around, strides, dilations, groups)
    return lax.conv_general_dilated(
        dy,
        w,
        (1,) * rank,
        around,
        lhs_dilation=strides,
        rhs_dilation=dilations,
        dimension_numbers=lax.ConvDimensionNumbers(_images(rank), (rank, rank + 1, *range(rank)), _images(rank)),
        feature_group_count=groups,
    )


@_with_rows
def conv_filter_grad(x, dy, strides, window, padding, dilations, groups):
    """Examples are what is summed over: they take the place of the channels in, and the channels that of the
    examples."""
    rank = len(strides)
    if not (x.size and dy.size):
        return jnp.zeros((*window, x.shape[-1] // groups, dy.shape[-1]), x.dtype)
    spans, extents = _spans(dy.shape[1:-1], strides), _spans(window, dilations)
    around = [(lo, o + k - 1 - n - lo) for k, n, o, (lo, _) in zip(extents, x.shape[1:-1], spans, padding)]
    space = range(1, rank + 1)
    return lax.conv_general_dilated(
        x,
        dy,
        dilations,
        around,
        rhs_dilation=strides,
        dimension_numbers=lax.ConvDimensionNumbers(
            (rank + 1, 0, *space), (rank + 1, 0, *space), (rank, rank + 1, *range(rank))
        ),
        batch_group_count=groups,
    )
