"""`reshape`, `transpose`, `moveaxis`, `diagonal`, `tril`, `rot90`, …"""

import math

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of

from .common import axes, numpy_function, shape_of, tensor
from .creation import arange


def reshape(x, newshape):
    return tf.reshape(tensor(x), newshape if isinstance(newshape, (tuple, list)) else shape_of(newshape))


def ravel(x):
    x = tensor(x)
    return ops.reshape(x, shape=(x.sizes.num_elements(),))


def squeeze(x, axis=None):
    return numpy_function("squeeze")(tensor(x), axis)


def expand_dims(x, axis):
    x = tensor(x)
    return tf.expand_dims(x, axis) if type(axis) is int else numpy_function("expand_dims")(x, axis)


def broadcast_to(x, shape):
    return ops.broadcast_to(tensor(x), shape=shape_of(shape))


def transpose(x, axes=None):
    return tf.transpose(tensor(x), axes if axes is None else list(axes))


def moveaxis(x, source, destination):
    return numpy_function("moveaxis")(tensor(x), source, destination)


def swapaxes(x, axis1, axis2):
    return numpy_function("swapaxes")(tensor(x), axis1, axis2)


# ---- turned and shifted


def flip(x, axis=None):
    x = tensor(x)
    return ops.flip(x, axis=axes(axis, x.ndim))


def fliplr(x):
    return flip(x, 1)


def flipud(x):
    return flip(x, 0)


def rot90(array, k=1, axes=(0, 1)):
    array = tensor(array)
    if array.ndim < 2:
        raise ValueError(f"rot90 turns a plane: it needs two axes or more, got shape {tuple(array.shape)}.")
    if len(axes) != 2 or axes[0] % array.ndim == axes[1] % array.ndim:
        raise ValueError(f"rot90 needs two different axes to turn, got axes={axes} for shape {tuple(array.shape)}.")
    return numpy_function("rot90")(array, k, tuple(axes))


def roll(x, shift, axis=None):
    x = tensor(x)
    if not isinstance(shift, Tensor):
        return numpy_function("roll")(x, shift, axis)
    if axis is None:
        return ops.reshape(roll(ravel(x), shift, 0), shape=tuple(sizes_of(x)))
    places = axes(axis, x.ndim)
    shifts = tf.unstack(tf.broadcast_to(shift, [len(places)]))
    for place, by in zip(places, shifts):  # by how much may be known only later
        size = sizes_of(x)[place]
        x = ops.take(x, ops.floormod(tf.range(size, dtype=by.dtype) - by, tensor(size, by.dtype)), axis=place)
    return x


# ---- diagonals and triangles


def diag(x, k=0):
    x = tensor(x)
    if x.ndim not in (1, 2):
        raise ValueError(
            f"diag takes a vector or a matrix, got shape {tuple(x.shape)}. For stacks of matrices use diagonal."
        )
    return numpy_function("diag")(x, k)


def diagflat(x, k=0):
    return diag(ravel(x), k)


def diagonal(x, offset=0, axis1=0, axis2=1):
    return numpy_function("diagonal")(tensor(x), offset, axis1, axis2)


def tril(x, k=0):
    x = tensor(x)
    return ops.where(_lower(x, k), x, ops.zeros_like(x))


def triu(x, k=0):
    x = tensor(x)
    return ops.where(_lower(x, k - 1), ops.zeros_like(x), x)


def _lower(x: Tensor, k: int) -> Tensor:
    """Where the lower triangle is, up to diagonal `k`."""
    rows, columns = (arange(n) for n in x.sizes[-2:])
    return ops.less_equal(columns, rows[:, None] + k)


def unravel_index(indices, shape):
    """Places in a flattened tensor, as places along its axes; negative ones count from the end."""
    indices, sizes = tensor(indices), shape_of(shape)
    rest = ops.floormod(indices, tensor(math.prod(sizes), indices.dtype))
    found = []
    for size in reversed(sizes):
        count = tensor(size, indices.dtype)
        found.append(ops.floormod(rest, count))
        rest = ops.floordiv(rest, count)
    return tuple(found[::-1])
