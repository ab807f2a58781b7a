"""NumPy's `concatenate`, `stack`, `split`, `repeat`, `tile`, `roll`, `pad`, … on tensors."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.api.interop.promotion import promoted, tensor
from tapeflow.core.apply import array_of
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .registry import axes, like_numpy, numpy_dtype, one_axis
from .shaping import atleast_1d, atleast_2d, atleast_3d, ravel, reshape, swapaxes

_MATRIX = "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"

# ---- joining and splitting


def _common(arrays: Any, dtype: Any = None) -> list[Tensor]:
    xs = list(arrays)
    wanted = numpy_dtype(dtype)
    return promoted(*xs) if wanted is None else [tensor(x, wanted) for x in xs]


@like_numpy("([[1.0, 2.0]], [[3.0, 4.0]]), axis=1", "concat")
def concatenate(
    arrays: Sequence[Any], /, axis: int | None = 0, out: None = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Tensor:
    """Joined along an axis; flattened first if it is None."""
    xs = _common(arrays, dtype)
    if axis is None:
        xs, axis = [ravel(x) for x in xs], 0
    return ops.concat(*xs, axis=one_axis(axis, len(xs[0].sizes)))


@like_numpy("([1.0, 2.0], [3.0, 4.0]), axis=1")
def stack(
    arrays: Sequence[Any], axis: int = 0, out: None = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Tensor:
    """Joined along a new axis."""
    xs = _common(arrays, dtype)
    return ops.stack(*xs, axis=one_axis(axis, len(xs[0].sizes) + 1))


@like_numpy("([1.0, 2.0], [3.0, 4.0])")
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
    """Joined along the first axis; vectors are rows."""
    return concatenate([atleast_2d(x) for x in _common(tup, dtype)], 0)


@like_numpy("([1.0, 2.0], [3.0, 4.0])")
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
    """Joined along the second axis; vectors end to end."""
    xs = [atleast_1d(x) for x in _common(tup, dtype)]
    return concatenate(xs, 0 if len(xs[0].sizes) == 1 else 1)


@like_numpy("([1.0, 2.0], [3.0, 4.0])")
def dstack(tup: Sequence[Any]) -> Tensor:
    """Joined along the third axis."""
    return concatenate([atleast_3d(x) for x in _common(tup)], 2)


@like_numpy("([1.0, 2.0], [3.0, 4.0])")
def column_stack(tup: Sequence[Any]) -> Tensor:
    """Vectors as the columns of a matrix."""
    return concatenate([ops.reshape(x, shape=(*x.sizes, 1)) if len(x.sizes) < 2 else x for x in _common(tup)], 1)


@like_numpy("[1.0, 2.0], [3.0]")
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """With `values` at the end."""
    return concatenate([arr, values], axis)


@like_numpy("[1.0, 2.0, 3.0, 4.0, 5.0], 2", check="len({ours}) == len({theirs})")
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Cut into parts of nearly equal size, or before the indices given."""
    ary = tensor(ary)
    axis = one_axis(axis, len(ary.sizes))
    total = ary.sizes[axis]
    if np.ndim(indices_or_sections) == 0:
        parts = int(indices_or_sections)
        sizes = [total // parts + (i < total % parts) for i in range(parts)]
        edges = np.cumsum([0, *sizes])
    else:
        edges = np.array([0, *(int(i) for i in indices_or_sections), total])
    cut = lambda a, b: ops.getitem(ary, index=(*[(None, None, None)] * axis, (a, b, None)))
    return [cut(int(a), int(b)) for a, b in pairwise(edges)]


@like_numpy("np.array([1.0, 2.0, 3.0, 4.0]), 2", check="len({ours}) == len({theirs})")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Cut into equal parts, or before the indices given."""
    ary = tensor(ary)
    if np.ndim(indices_or_sections) == 0 and ary.sizes[axis] % int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@like_numpy("np.ones((2, 3)), 3", check="len({ours}) == len({theirs})")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Cut along the second axis; a vector along its only one."""
    return split(ary, indices_or_sections, 0 if len(tensor(ary).sizes) == 1 else 1)


@like_numpy("np.ones((1, 2, 4)), 2", check="len({ours}) == len({theirs})")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Cut along the third axis."""
    return split(ary, indices_or_sections, 2)


@like_numpy("np.ones((2, 3)), 2", check="len({ours}) == len({theirs})")
def vsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Cut along the first axis."""
    return split(ary, indices_or_sections, 0)


@like_numpy("np.ones((2, 3))", check="len({ours}) == len({theirs})")
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis.

    Returns:
        The slices.
    """
    x = tensor(x)
    return ops.unstack(x, axis=one_axis(axis, len(x.sizes)))


# ---- repeating, turning, filling


@like_numpy("[1.0, 2.0], (2, 2)")
def tile(A: Any, reps: Any) -> Tensor:
    """Laid out several times along each axis."""
    A = tensor(A)
    reps = (int(reps),) if np.ndim(reps) == 0 else tuple(int(r) for r in reps)
    rank = max(len(A.sizes), len(reps))
    return tf.tile(
        ops.reshape(A, shape=(1,) * (rank - len(A.sizes)) + tuple(A.sizes)), (1,) * (rank - len(reps)) + reps
    )


@like_numpy("[1.0, 2.0], [2, 3]")
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element several times."""
    a = tensor(a)
    if axis is None:
        a, axis = ravel(a), 0
    axis = one_axis(axis, len(a.sizes))
    return tf.repeat(a, repeats, axis)


@like_numpy(_MATRIX + ", 1")
def flip(m: Any, axis: Any = None) -> Tensor:
    """Reversed along axes; along all without `axis`."""
    m = tensor(m)
    return ops.flip(m, axis=axes(axis, len(m.sizes)))


@like_numpy(_MATRIX)
def fliplr(m: Any) -> Tensor:
    """Reversed along the second axis."""
    return flip(m, 1)


@like_numpy(_MATRIX)
def flipud(m: Any) -> Tensor:
    """Reversed along the first axis."""
    return flip(m, 0)


@like_numpy(_MATRIX)
def rot90(m: Any, k: int = 1, axes: tuple[Any, ...] = (0, 1)) -> Tensor:
    """Turned by `k` times 90 degrees in the plane of two axes.

    Args:
        k: How many times.
        axes: The plane, from the first axis to the second.
    """
    k %= 4
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    if k == 1:
        return swapaxes(flip(m, axes[1]), *axes)
    return flip(swapaxes(m, *axes), axes[1]) if k else tensor(m)


@like_numpy(_MATRIX + ", 1, axis=1")
def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """Shifted along axes, what leaves at one end coming in at the other."""
    a = tensor(a)
    if axis is None:
        return reshape(roll(ravel(a), shift, 0), tuple(a.sizes))
    places = axes(axis, len(a.sizes))
    shifts = [int(s) for s in np.broadcast_to(shift, (len(places),))]
    return tf.roll(a, shifts, list(places))


@like_numpy("[1.0, 2.0], (1, 2), constant_values=9.0")
def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Tensor:
    """With more elements at the ends of each axis: constants, edges, reflections, or the other end again.

    Args:
        mode: `constant`, `reflect`, `symmetric`, `edge` or `wrap`.
    """
    array = tensor(array)
    widths = np.broadcast_to(array_of(pad_width), (len(array.sizes), 2)).astype(int)
    if mode == "constant":
        if np.ndim(constant_values):
            raise ValueError("constant_values must be one number for all sides.")
        return tf.pad(array, widths.tolist(), constant_values=tensor(constant_values, array.dtype))
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise ValueError(f"mode={mode!r} is not one of constant, edge, reflect, symmetric, wrap.")
    for axis, (before, after) in enumerate(widths):
        index = np.pad(np.arange(array.sizes[axis]), (before, after), mode=mode)
        array = ops.take(array, tensor(index), axis=axis)
    return array
