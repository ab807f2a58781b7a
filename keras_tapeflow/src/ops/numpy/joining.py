"""`concatenate`, `stack`, `split`, `repeat`, `tile`, `pad`."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .common import common, numpy_function, one_axis, shape_of, tensor
from .shaping import ravel
from .statistics import median

# ---- joining


def _parts(xs: Any) -> list[Tensor]:
    return common(*(ops.unstack(xs, axis=0) if isinstance(xs, Tensor) else xs))


def concatenate(xs, axis=0):
    xs = _parts(xs)
    if axis is None:
        xs, axis = [ravel(x) for x in xs], 0
    return ops.concat(*xs, axis=one_axis(axis, xs[0].ndim))


def stack(x, axis=0):
    xs = _parts(x)
    return ops.stack(*xs, axis=one_axis(axis, xs[0].ndim + 1))


def append(x1, x2, axis=None):
    return concatenate([x1, x2], axis)


def hstack(xs):
    return numpy_function("hstack")(_parts(xs))


def vstack(xs):
    return numpy_function("vstack")(_parts(xs))


def dstack(xs):
    return numpy_function("dstack")(_parts(xs))


# ---- cutting


def split(x, indices_or_sections, axis=0):
    x = tensor(x)
    if np.ndim(indices_or_sections):
        return array_split(x, indices_or_sections, axis)
    axis, count = one_axis(axis, x.ndim), int(indices_or_sections)
    if x.sizes[axis] % count:
        raise ValueError(
            f"Axis {axis} of shape {tuple(x.shape)} cannot be split into {count} equal parts. See array_split."
        )
    return list(ops.split(x, sizes=(x.sizes[axis] // count,) * count, axis=axis))


def array_split(x, indices_or_sections, axis=0):
    x = tensor(x)
    axis = one_axis(axis, x.ndim)
    size = x.sizes[axis]
    if not np.ndim(indices_or_sections):
        count = int(indices_or_sections)
        return list(ops.split(x, sizes=tuple([size // count + (i < size % count) for i in range(count)]), axis=axis))
    edges = [0, *shape_of(indices_or_sections), size]
    cut = lambda a, b: ops.getitem(x, index=(*[(None, None, None)] * axis, (a, b, None)))
    return [cut(a, b) for a, b in pairwise(edges)]


def hsplit(x, indices_or_sections):
    x = tensor(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def vsplit(x, indices_or_sections):
    return split(x, indices_or_sections, 0)


def dsplit(x, indices_or_sections):
    return split(x, indices_or_sections, 2)


# ---- repeating


def tile(x, repeats):
    x, times = tensor(x), shape_of(repeats)
    rank = max(x.ndim, len(times))
    x = ops.reshape(x, shape=(1,) * (rank - x.ndim) + tuple(x.sizes))
    return tf.tile(x, (1,) * (rank - len(times)) + times)


def repeat(x, repeats, axis=None):
    return tf.repeat(tensor(x), shape_of(repeats), axis)


# ---- filling up


def pad(x, pad_width, mode="constant", constant_values=None):
    """More elements at both ends of each axis: a constant, or made of what is there, as `mode` says."""
    x = tensor(x)
    widths = [tuple(map(int, pair)) for pair in np.broadcast_to(np.asarray(pad_width), (x.ndim, 2))]
    if mode == "constant":
        return _with_constant(x, widths, 0 if constant_values is None else constant_values)
    if constant_values is not None:
        raise ValueError(
            f"Argument `constant_values` can only be provided when `mode == 'constant'`, not with mode={mode!r}: "
            "leave it out."
        )
    if mode == "empty":
        return tf.pad(x, widths)
    for axis, pair in enumerate(widths):
        x = _padded(x, axis, *pair, mode) if pair != (0, 0) else x
    return x


def _with_constant(x: Tensor, widths: list, value: Any) -> Tensor:
    if isinstance(value, (int, float)) and value == 0:
        return tf.pad(x, widths) if not x.dtype.is_bool else tf.cast(tf.pad(tf.cast(x, tf.uint8), widths), tf.bool)
    if np.ndim(value):  # other constants at other sides
        sides = tf.broadcast_to(tensor(value, x.dtype), [x.ndim, 2])
        for axis, (before, after) in enumerate(widths):
            x = _between(x, axis, *[_slab(x, axis, n, sides[axis, i]) for i, n in enumerate((before, after))])
        return x
    return tf.pad(x, widths, constant_values=tensor(value, x.dtype))


def _slab(x: Tensor, axis: int, count: int, values: Tensor) -> Tensor:
    return ops.broadcast_to(values, shape=tuple([count if i == axis else d for i, d in enumerate(x.sizes)]))


def _between(x: Tensor, axis: int, before: Tensor, after: Tensor) -> Tensor:
    return ops.concat(before, x, after, axis=axis)


_OF_ALL: dict[str, Callable] = {
    "maximum": lambda x, axis: ops.reduce_max(x, axis=(axis,), keepdims=True),
    "minimum": lambda x, axis: ops.reduce_min(x, axis=(axis,), keepdims=True),
    "mean": lambda x, axis: ops.reduce_mean(x, axis=(axis,), keepdims=True),
    "median": lambda x, axis: tensor(median(x, axis, keepdims=True), x.dtype),
}


def _padded(x: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    if mode in _OF_ALL:
        values = _OF_ALL[mode](x, axis)
        return _between(x, axis, *[_slab(x, axis, n, values) for n in (before, after)])
    if mode == "linear_ramp":  # down to zero at the outer ends
        first, last = (
            ops.getitem(x, index=(*[(None, None, None)] * axis, edge)) for edge in ((0, 1, None), (-1, None, None))
        )
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        ramp = lambda n: tf.reshape(tensor(np.arange(n) / max(n, 1), x.dtype), shape)
        return _between(x, axis, first * ramp(before), last * tf.reverse(ramp(after), [axis]))
    places = np.pad(np.arange(x.sizes[axis]), (before, after), mode="wrap" if mode == "circular" else mode)
    return ops.take(x, tensor(places.astype(np.int32)), axis=axis)
