"""Diagonals and bands of matrices: reading, setting and building from them."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group, to_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.ops.linalg.products import diagonal_length, diagonal_places

from .of_operators import or_operator

__all__ = ["band_part", "diag", "diag_part", "set_diag", "tensor_diag", "tensor_diag_part", "trace"]

_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def band_part(input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None) -> Tensor:
    """Matrices with everything set to zero beyond `num_lower` diagonals below and `num_upper` above the main one; -1
    keeps all.

    Args:
        num_lower: How many diagonals below the main one stay; negative: all.
        num_upper: How many diagonals above the main one stay; negative: all.

    >>> x = tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> tf.linalg.band_part(x, -1, 0).numpy()                      # the lower triangle
    array([[1, 0, 0],
           [4, 5, 0],
           [7, 8, 9]], dtype=int32)
    >>> tf.linalg.band_part(x, 0, 1).numpy()
    array([[1, 2, 0],
           [0, 5, 6],
           [0, 0, 9]], dtype=int32)
    """
    input = _matrices(input)
    lower, upper = int(num_lower), int(num_upper)
    for what, number, most, sides in (
        ("num_lower", lower, input.sizes[-2], "rows"),
        ("num_upper", upper, input.sizes[-1], "columns"),
    ):
        if number > most:
            raise invalid(f"{what} must be negative or less or equal to number of {sides} ({most}), got {number}.")
    return ops.band_part(input, lower=max(lower, -1), upper=max(upper, -1))


def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals, and `padding_value` elsewhere.

    `k` is which diagonal it is (positive above the main one), or a pair for a band from the lowest to the highest; a
    band comes one diagonal a row, the highest first, each shifted as `align` says (above, then below the main one).
    Rows and columns are as many as needed, unless given.

    Args:
        diagonal: The diagonals, along the last axis.
        num_rows: How many rows the matrix has; -1: as many as needed.
        num_cols: How many columns it has; -1: as many as needed.

    Raises:
        InvalidArgumentError: If the diagonals do not fit into the matrix.

    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    >>> tf.linalg.diag([[0, 8, 9], [1, 2, 3]], k=(0, 1)).numpy()
    array([[1, 8, 0],
           [0, 2, 9],
           [0, 0, 3]], dtype=int32)
    """
    diagonal = as_tensor(diagonal)
    low, high = band = _band(k)
    if diagonal.ndim < (1 if low == high else 2):
        raise invalid(
            f"diagonal must be at least {1 if low == high else 2}-dim, received shape: {tuple(diagonal.shape)}."
        )
    if low != high and diagonal.sizes[-2] != high - low + 1:
        raise invalid(
            f"k={band} stands for {high - low + 1} diagonals, but the diagonals have shape {tuple(diagonal.shape)}."
        )
    rows, cols = _sides(diagonal.sizes[-1], band, int(num_rows), int(num_cols))
    return _padded(
        ops.diag_matrix(diagonal, k=band, rows=rows, cols=cols, align=_alignment(align)),
        lambda: _on_band(rows, cols, band),
        padding_value,
    )


def _sides(longest: int, band: tuple[int, int], rows: int, cols: int) -> tuple[int, int]:
    """How many rows and columns the matrix has: the fewest that hold the diagonals, and square, unless they are
    given."""
    fewest_rows, fewest_cols = longest - min(band[1], 0), longest + max(band[0], 0)
    if rows == -1 and cols == -1:
        rows = cols = max(fewest_rows, fewest_cols)
    rows, cols = fewest_rows if rows == -1 else rows, fewest_cols if cols == -1 else cols
    for what, have, need in ("rows", rows, fewest_rows), ("columns", cols, fewest_cols):
        if have < need:
            raise invalid(f"The number of {what} is too small: {have} for diagonals that need {need}.")
    if rows != fewest_rows and cols != fewest_cols:
        raise invalid(f"A matrix of {rows} rows and {cols} columns has longer diagonals {band} than {longest}.")
    return rows, cols


@or_operator(lambda operator: operator.diag_part())
def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonal `k` of matrices, or the band of diagonals of a pair `k`, packed as `tf.linalg.diag` takes it.

    Raises:
        InvalidArgumentError: If `input` has less than two axes, or no such diagonal.

    >>> x = tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> tf.linalg.diag_part(x).numpy()
    array([1, 5, 9], dtype=int32)
    >>> tf.linalg.diag_part(x, k=(-1, 1)).numpy()
    array([[0, 2, 6],
           [1, 5, 9],
           [4, 8, 0]], dtype=int32)
    """
    input = _matrices(input)
    rows, cols = input.sizes[-2:]
    band = _band(k, rows, cols)
    align = _alignment(align)
    packed = ops.diag_part(input, k=band, align=align)
    if band[0] == band[1]:
        return packed

    def inside() -> np.ndarray:
        _, used, shape = diagonal_places(rows, cols, band, align)
        mask = np.zeros(prod(shape), bool)
        mask[used] = True
        return mask.reshape(shape)

    return _padded(packed, inside, padding_value)


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with their diagonal (or band) `k` replaced by `diagonal`, packed as `tf.linalg.diag` takes it.

    Args:
        diagonal: The new diagonal, or a band of them.

    Raises:
        InvalidArgumentError: If the shape of `diagonal` is not that of the diagonals.

    >>> tf.linalg.set_diag([[1., 1.], [1., 1.]], [5., 6.]).numpy()
    array([[5., 1.],
           [1., 6.]], dtype=float32)
    """
    input, diagonal = convert_group([input, diagonal])
    input = _matrices(input)
    *batch, rows, cols = input.sizes
    low, high = band = _band(k, rows, cols)
    longest = max(diagonal_length(rows, cols, d) for d in range(low, high + 1))
    wanted = (*batch, longest) if low == high else (*batch, high - low + 1, longest)
    if tuple(diagonal.sizes) != wanted:
        raise invalid(
            f"diagonal must have shape {wanted} for k={k} of matrices of shape {tuple(input.shape)}, got "
            f"{tuple(diagonal.shape)}."
        )
    filled = ops.diag_matrix(diagonal, k=band, rows=rows, cols=cols, align=_alignment(align))
    return ops.where(EagerTensor(_on_band(rows, cols, band)), filled, input)


@or_operator(lambda operator: operator.trace())
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of matrices.

    >>> tf.linalg.trace([[1., 2.], [3., 4.]]).numpy()
    np.float32(5.0)
    """
    diagonal = ops.diag_part(_matrices(x), k=(0, 0), align="RIGHT_LEFT")
    return ops.reduce_sum(diagonal, axis=(diagonal.ndim - 1,), keepdims=False)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` at the places whose two halves of indices are equal, 0 elsewhere.

    Args:
        diagonal: A tensor of any rank.

    >>> tf.linalg.tensor_diag([[1, 2]]).numpy().tolist()                    # y[i, j, i, j] = x[i, j]
    [[[[1, 0]], [[0, 2]]]]
    """
    diagonal = as_tensor(diagonal)
    shape = tuple(diagonal.sizes)
    n = prod(shape)
    return ops.reshape(
        ops.diag_matrix(ops.reshape(diagonal, shape=(n,)), k=(0, 0), rows=n, cols=n, align="RIGHT_LEFT"),
        shape=shape * 2,
    )


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The elements of a tensor of even rank at the places whose two halves of indices are equal.

    >>> tf.linalg.tensor_diag_part(tf.reshape(tf.range(16), [2, 2, 2, 2])).numpy()
    array([[ 0,  5],
           [10, 15]], dtype=int32)
    """
    input = as_tensor(input)
    half = input.ndim // 2
    shape = tuple(input.sizes[:half])
    if not half or input.ndim % 2 or shape != tuple(input.sizes[half:]):
        raise invalid(
            f"Invalid shape {tuple(input.shape)}: the first half of the dimensions must be the same as the second."
        )
    flat = ops.reshape(input, shape=(prod(shape), prod(shape)))
    return ops.reshape(ops.diag_part(flat, k=(0, 0), align="RIGHT_LEFT"), shape=shape)


def _matrices(x: Any) -> Tensor:
    x = as_tensor(x)
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {tuple(x.shape)}.")
    return x


def _band(k: Any, rows: int | None = None, cols: int | None = None) -> tuple[int, int]:
    """`k` as (lowest, highest); checked against the size of the matrix where that is known."""
    ends = static_shape(k)
    low, high = ends[0], ends[-1]
    if low > high:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}.")
    if rows is not None and cols is not None:
        for what, d in ("lower", low), ("upper", high):
            if d and not -rows < d < cols:
                raise invalid(f"{what}_diag_index is out of bound: {d}. It must be between {-rows} and {cols}.")
    return low, high


def _alignment(align: str) -> str:
    if align not in _ALIGNMENTS:
        raise invalid(f"align must be one of {', '.join(_ALIGNMENTS)}, got {align!r}.")
    return align


def _on_band(rows: int, cols: int, band: tuple[int, int]) -> np.ndarray:
    offset = np.arange(cols) - np.arange(rows)[:, None]
    return (band[0] <= offset) & (offset <= band[1])


def _padded(x: Tensor, used: Callable[[], np.ndarray], padding_value: Any) -> Tensor:
    if isinstance(padding_value, (int, float)) and padding_value == 0:
        return x
    return ops.where(EagerTensor(used()), x, to_tensor(padding_value, x.dtype))
