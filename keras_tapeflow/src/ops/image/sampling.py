"""Interpolation: values between the elements of a tensor, and beyond its borders."""

import itertools
import operator
from functools import reduce
from typing import Any

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import cast, dense_tensor as convert_to_tensor
from ..shapes import sizes
from .layout import check_option, narrowed, wide

AFFINE_TRANSFORM_INTERPOLATIONS = {"nearest": 0, "bilinear": 1}  # how many elements on each side of a position count
MAP_COORDINATES_FILL_MODES = {"constant", "nearest", "wrap", "mirror", "reflect"}
AFFINE_TRANSFORM_FILL_MODES = MAP_COORDINATES_FILL_MODES


def map_coordinates(inputs, coordinates, order, fill_mode="constant", fill_value=0.0):
    x, at = convert_to_tensor(inputs), convert_to_tensor(coordinates)
    if at.ndim < 2:
        raise ValueError(
            f"Invalid coordinates rank: expected at least rank 2. Received input with shape: {tuple(at.shape)}"
        )
    if at.sizes[0] != x.ndim:
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. "
            f"Received inputs with shape: {tuple(x.shape)} and coordinates with shape: {tuple(at.shape)}"
        )
    if order not in (0, 1):
        raise ValueError(f"Invalid value for argument `order`. Expected one of [0, 1]. Received: order={order}")
    check_option("fill_mode", fill_mode, MAP_COORDINATES_FILL_MODES)
    positions = tf.unstack(at if at.dtype.is_floating and at.dtype.size > 2 else cast(at, wide(at)))
    return interpolated(tf.reshape(x, [-1]), sizes(x), positions, order, fill_mode, fill_value)


def interpolated(
    rows: Tensor,
    grid: tuple,
    positions: list,
    order: int,
    fill_mode: str,
    fill_value: Any,
    first: Tensor | None = None,
) -> Tensor:
    """What stands at `positions`, a tensor for each axis, in a grid of these sizes whose places are `rows` one after
    the other.

    Between places it is a mixture of the places around (`order` 1), or the nearest one (0). `first` is the row at
    which the grid starts.
    """
    dtype = rows.dtype
    if order:
        rows = cast(rows, wide(rows))
    fill = cast(convert_to_tensor(fill_value), rows.dtype)
    strides = [_product(grid[k + 1 :]) for k in range(len(grid))]
    around = [_around(at, n, order, fill_mode, rows.dtype) for at, n in zip(positions, grid)]
    total = None
    for corner in itertools.product(*around):
        index = reduce(
            tf.add, [place * stride if stride > 1 else place for (place, _, _), stride in zip(corner, strides)]
        )
        found = tf.gather(rows, index if first is None else index + first)
        tail = [None] * (rows.ndim - 1)
        over_tail = lambda x: x[(..., *tail)]  # noqa: B023, used at once
        if fill_mode == "constant":
            found = tf.where(over_tail(reduce(tf.logical_and, [inside for _, inside, _ in corner])), found, fill)
        if order:
            found *= over_tail(reduce(tf.multiply, [share for _, _, share in corner]))
        total = found if total is None else total + found
    return narrowed(total, dtype)


def _product(numbers: tuple) -> int:
    return reduce(operator.mul, numbers, 1)


def _around(at: Tensor, size: int, order: int, fill_mode: str, dtype: Any) -> list:
    """The places that count along one axis: (where it is, is it within the grid, its share)."""
    if not order:
        return [(*_within(tf.floor(at + 0.5), size, fill_mode), None)]
    low = tf.stop_gradient(tf.floor(at))
    share = cast(at - low, dtype)  # shares of one place add up to 1 in this dtype
    return [(*_within(low, size, fill_mode), 1 - share), (*_within(low + 1, size, fill_mode), share)]


def _within(place: Tensor, size: int, fill_mode: str) -> tuple:
    inside = (place >= 0) & (place <= size - 1) if fill_mode == "constant" else None
    if fill_mode == "wrap":
        place = tf.math.floormod(place, size)
    elif fill_mode == "reflect":  # there and back: d c b a | a b c d | d c b a
        place = tf.math.floormod(place, 2 * size)
        place = tf.minimum(place, 2 * size - 1 - place)
    elif fill_mode == "mirror" and size > 1:  # c d c b | a b c d | c b a b
        place = tf.math.floormod(place, 2 * size - 2)
        place = tf.minimum(place, 2 * size - 2 - place)
    return cast(tf.clip_by_value(place, 0, size - 1), "int32"), inside
