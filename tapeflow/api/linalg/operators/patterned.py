"""Operators whose matrix follows a pattern: of a permutation, a reflection, diagonals, a spectrum."""

from typing import Any

import numpy as np

from tapeflow.api import linalg
from tapeflow.api.arrays.building import eye, one_hot
from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.indexing import gather
from tapeflow.api.arrays.joining import concat
from tapeflow.api.arrays.shaping import expand_dims
from tapeflow.api.signal.fourier import ifft
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, complex64, float32, int32
from tapeflow.core.tensor import EagerTensor, Tensor

from .base import LinearOperator
from .simple import given

__all__ = [
    "LinearOperatorCirculant", "LinearOperatorHouseholder", "LinearOperatorPermutation", "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
]  # fmt: skip


class LinearOperatorPermutation(LinearOperator):
    """Row `k` of the result is row `perm[k]`.

    Args:
        perm: Every number from 0 to n - 1 once.
        dtype: That of the matrix.

    Raises:
        ValueError: If a number is missing in `perm`.

    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([1., 2., 3.]).numpy()
    array([3., 1., 2.], dtype=float32)
    """

    def __init__(
        self, perm: Any, dtype: Any = float32, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
        is_square=None, name=None
    ) -> None:  # fmt: skip
        self.perm = given(perm)
        if isinstance(self.perm, EagerTensor) and (np.sort(self.perm.numpy()) != np.arange(self.perm.sizes[-1])).any():
            raise ValueError(
                f"Argument perm must hold every number from 0 to {self.perm.sizes[-1] - 1} once, got {perm!r}."
            )
        super().__init__(dtype, None, True, is_self_adjoint, is_positive_definite, True, name)

    def _to_dense(self) -> Tensor:
        perm = as_tensor(self.perm)
        return one_hot(perm, perm.sizes[-1], dtype=self.dtype)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, not adjoint, adjoint_arg)


class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane across `reflection_axis`.

    Args:
        reflection_axis: The vectors that are turned round, along the last axis, of any length but 0.

    >>> tf.linalg.LinearOperatorHouseholder([1., 0.]).matvec([1., 2.]).numpy()
    array([-1., 2.], dtype=float32)
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self.reflection_axis = given(reflection_axis)
        super().__init__(self.reflection_axis.dtype, None, True, True, is_positive_definite, True, name)

    def _to_dense(self) -> Tensor:
        axis = as_tensor(self.reflection_axis)
        unit = expand_dims(axis / expand_dims(linalg.norm(axis, axis=-1), -1), -1)
        return eye(axis.sizes[-1], dtype=self.dtype) - 2 * linalg.matmul(unit, unit, adjoint_b=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)


class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is the same along each diagonal, given by its first column and its first row.

    Args:
        col: The first column.
        row: The first row; its first element is not read.

    >>> tf.linalg.LinearOperatorToeplitz([1., 2.], [1., 5.]).to_dense().numpy()
    array([[1., 5.],
           [2., 1.]], dtype=float32)
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self.col, self.row = given(col), given(row)
        super().__init__(self.col.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    def _to_dense(self) -> Tensor:
        col, row = as_tensor(self.col), as_tensor(self.row)
        size = col.sizes[-1]
        both = concat([col, row[..., 1:]], -1)
        apart = np.arange(size)[:, None] - np.arange(size)[None, :]
        return gather(both, np.where(apart >= 0, apart, size - 1 - apart), axis=-1)


class LinearOperatorTridiag(LinearOperator):
    """A matrix with three diagonals: in the `compact` form the rows of an array; `sequence`, three vectors; `matrix`,
    the matrix.

    Args:
        diagonals: The diagonals above, on and below the main one, in the form that `diagonals_format` names.

    >>> tf.linalg.LinearOperatorTridiag([[5., 0.], [1., 2.], [0., 6.]]).to_dense().numpy()
    array([[1., 5.],
           [6., 2.]], dtype=float32)
    """

    def __init__(
        self, diagonals: Any, diagonals_format: str = "compact", is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=None, name=None,
    ) -> None:  # fmt: skip
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(f"diagonals_format is compact, sequence or matrix, got {diagonals_format!r}.")
        self.diagonals_format = diagonals_format
        self.diagonals = [given(d) for d in diagonals] if diagonals_format == "sequence" else given(diagonals)
        dtype = self.diagonals[1].dtype if diagonals_format == "sequence" else self.diagonals.dtype
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    def _to_dense(self) -> Tensor:
        if self.diagonals_format == "matrix":
            return linalg.band_part(as_tensor(self.diagonals), 1, 1)
        if self.diagonals_format == "sequence":
            above, middle, below = (as_tensor(d) for d in self.diagonals)
        else:
            rows = as_tensor(self.diagonals)
            above, middle, below = rows[..., 0, :], rows[..., 1, :], rows[..., 2, :]
        size = middle.sizes[-1]
        above = above[..., :-1] if above.sizes[-1] == size else above
        below = below[..., 1:] if below.sizes[-1] == size else below
        return linalg.diag(middle) + linalg.diag(above, k=1) + linalg.diag(below, k=-1)


class LinearOperatorCirculant(LinearOperator):
    """A matrix that Fourier's transform makes diagonal: `spectrum` is that diagonal.

    Args:
        spectrum: The eigenvalues, in the order of `tf.signal.fft`.
        input_output_dtype: The dtype of the matrix, and of what it is multiplied by.

    >>> tf.linalg.LinearOperatorCirculant([6., 4.], input_output_dtype=tf.float32).to_dense().numpy()
    array([[5., 1.],
           [1., 5.]], dtype=float32)
    """

    def __init__(
        self, spectrum: Any, input_output_dtype: Any = complex64, is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=True, name=None,
    ) -> None:  # fmt: skip
        self.spectrum = given(spectrum)
        if is_self_adjoint is None and not self.spectrum.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(
            as_dtype(input_output_dtype), None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    def _to_dense(self) -> Tensor:
        spectrum = cast(as_tensor(self.spectrum), complex64 if self.dtype in (float32, complex64) else "complex128")
        size = spectrum.sizes[-1]
        column = cast(ifft(spectrum), self.dtype)
        places = (np.arange(size)[:, None] - np.arange(size)[None, :]) % size
        return gather(column, places.astype(int32.np), axis=-1)

    def _eigvals(self) -> Tensor:
        return as_tensor(self.spectrum)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The first column."""
        return self.to_dense()[..., 0]
