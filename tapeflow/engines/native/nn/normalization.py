"""Moments and normalisation with them (see `ops/nn/normalization.py`).

The library takes an array as (outer, rows, width), with one mean for each place in (outer, width). So the axes that a
mean is over must stand side by side; what lies over others, too, is made of several parts, which are few.
"""

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.engines.native.calling import COUNT, POINTER, at, fits, function
from tapeflow.engines.numpy.nn.normalization import summed

_SHORTEST = 8  # rows that are worth a mean of their own; numbers side by side that are worth a vector

_ROWS_OF_BLOCK = 128  # as in the library
_ZERO = np.zeros(1, np.float32)

_moments: Any = function("moments", *[POINTER] * 4, *[COUNT] * 3)
_centred: Any = function("centred", *[POINTER] * 5, *[COUNT] * 3)
_centred_grad: Any = function("centred_grad", *[POINTER] * 7, *[COUNT] * 3)
_layer_norm: Any = function("layer_norm", *[POINTER] * 6, *[COUNT] * 2)
_layer_norm_grad: Any = function("layer_norm_grad", *[POINTER] * 9, *[COUNT] * 2)


@lru_cache(maxsize=1024)
def _laid_out(shape: tuple, one: tuple) -> tuple | None:
    """((outer, rows, width), the shape of what there is one of for each outer and width): the rows are the longest run
    of axes of `shape` that are 1 in `one`. None where that would be no gain."""
    one = (1,) * (len(shape) - len(one)) + one
    if len(one) != len(shape) or any(n not in (1, size) for n, size in zip(one, shape)):
        return None
    runs, start = [], None
    for axis, (size, n) in enumerate(zip(shape, one)):
        if n == size != 1:
            start = None
        elif start is None:
            start = axis
            runs.append((axis, axis + 1))
        else:
            runs[-1] = (start, axis + 1)
    if not runs:
        return None
    first, last = max(runs, key=lambda run: prod(shape[run[0] : run[1]]))
    outer, rows, width = prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])
    if rows < _SHORTEST or 1 < width < _SHORTEST or not outer:
        return None
    return (outer, rows, width), (*shape[:first], *(1,) * (last - first), *shape[last:])


@lru_cache(maxsize=1024)
def _rows_and_places(shape: tuple, of_rows: tuple, of_places: tuple) -> tuple | None:
    """(rows, width) where there is one number of a kind for each row, and one of another for each place in it."""
    of_rows = (1,) * (len(shape) - len(of_rows)) + of_rows
    of_places = (1,) * (len(shape) - len(of_places)) + of_places
    for axis in range(1, len(shape)):
        if of_rows == (*shape[:axis], *(1,) * (len(shape) - axis)) and of_places == (*(1,) * axis, *shape[axis:]):
            return prod(shape[:axis]), prod(shape[axis:])
    return None


def _block_sums(outer: int, rows: int, width: int) -> np.ndarray:
    """Room for the sums of blocks; those of single rows need none."""
    return np.empty(2 * outer * -(-rows // _ROWS_OF_BLOCK) * width if width > 1 else 0, np.float32)


def _full(x: Any, shape: tuple) -> np.ndarray:
    """One after the other, for each place."""
    if type(x) is np.ndarray and x.shape == shape and x.flags.c_contiguous and x.flags.aligned:
        return x
    return np.ascontiguousarray(np.broadcast_to(x, shape))


def moments(x: Any, axis: tuple, keepdims: bool) -> Any:
    if _moments is None or not fits(x) or not x.size:
        return None
    found = _laid_out(x.shape, tuple([1 if a in axis else n for a, n in enumerate(x.shape)]))
    if found is None:
        return None
    layout, shape = found
    mean, variance = np.empty(shape, np.float32), np.empty(shape, np.float32)
    parts = _block_sums(*layout)
    _moments(at(x), at(parts), at(mean), at(variance), *layout)
    rest = tuple([a for a in axis if shape[a] != 1])
    if rest:  # parts of equal size
        of_parts = mean.astype(np.float64)
        whole = of_parts.mean(rest, keepdims=True)
        squares = np.square(of_parts - whole).mean(rest, keepdims=True)
        variance = (variance.mean(rest, np.float64, keepdims=True) + squares).astype(np.float32)
        mean = whole.astype(np.float32)
    if keepdims:
        return mean, variance
    left = tuple([n for a, n in enumerate(x.shape) if a not in axis])
    return mean.reshape(left), variance.reshape(left)


def centred(x: Any, mean: Any, factor: Any, start: Any) -> Any:
    if _centred is None or not fits(x) or not mean.dtype == factor.dtype == start.dtype == np.float32:
        return None
    found = _laid_out(x.shape, broadcast_shapes(mean.shape, factor.shape, start.shape))
    if found is None:
        return None
    layout, shape = found
    mean, factor, start = _full(mean, shape), _full(factor, shape), _full(start, shape)
    out = np.empty_like(x)
    _centred(at(x), at(mean), at(factor), at(start), at(out), *layout)
    return out


def batch_norm(x: Any, mean: Any, variance: Any, scale: Any, offset: Any, epsilon: float) -> Any:
    if _centred is None or not fits(x) or mean.shape != variance.shape:
        return None
    factor = 1 / np.sqrt(variance + epsilon)
    places = scale.shape if scale.shape == offset.shape else broadcast_shapes(scale.shape, offset.shape)
    layer = _rows_and_places(x.shape, mean.shape, places)
    if layer is None:  # by the formula of NumPy's kernel, to which infinities are the same
        product = factor * scale
        return centred(x, _ZERO, product, offset - mean * product)
    mean, scale, offset = _full(mean, mean.shape), _full(scale, places), _full(offset, places)
    out = np.empty_like(x)
    _layer_norm(at(x), at(mean), at(factor), at(scale), at(offset), at(out), *layer)
    return out


def batch_norm_grad(dy: Any, x: Any, mean: Any, variance: Any, scale: Any, offset_shape: tuple, epsilon: float) -> Any:
    if _centred_grad is None or not fits(dy, x) or dy.shape != x.shape or mean.shape != variance.shape:
        return None
    factor = 1 / np.sqrt(variance + epsilon)
    places = scale.shape if scale.shape == offset_shape else broadcast_shapes(scale.shape, offset_shape)
    layer = _rows_and_places(x.shape, mean.shape, places)
    if layer is not None:
        *others, of_scale, of_offset = _layer_norm_gradients(dy, x, mean, factor, _full(scale, places), *layer)
        return *others, summed(of_scale, scale.shape), summed(of_offset, offset_shape)
    found = _laid_out(x.shape, broadcast_shapes(mean.shape, places))
    if found is None:
        return None
    layout, shape = found
    product = factor * scale
    out, parts = np.empty_like(x), _block_sums(*layout)
    sums = np.empty((2, *shape), np.float32)
    full_mean, full_product = _full(mean, shape), _full(product, shape)
    _centred_grad(at(dy), at(x), at(full_mean), at(full_product), at(out), at(parts), at(sums), *layout)
    total, moved = sums
    return (
        out,
        summed(total * -product, mean.shape),
        summed(moved * product, mean.shape) * np.square(factor) * np.float32(-0.5),
        summed(moved * factor, scale.shape),
        summed(total, offset_shape),
    )


def _layer_norm_gradients(dy: Any, x: Any, mean: Any, factor: Any, scale: Any, rows: int, width: int) -> tuple:
    mean = _full(mean, mean.shape)
    out, parts = np.empty_like(x), np.empty(2 * -(-rows // _ROWS_OF_BLOCK) * width, np.float32)
    sums, of_places = np.empty((2, *mean.shape), np.float32), np.empty((2, *scale.shape), np.float32)
    _layer_norm_grad(*map(at, (dy, x, mean, factor, scale, out, parts, sums, of_places)), rows, width)
    of_offset, of_scale = of_places
    total, moved = sums
    return out, -total, moved * (factor * factor * factor) * np.float32(-0.5), of_scale, of_offset
