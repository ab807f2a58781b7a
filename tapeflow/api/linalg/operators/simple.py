"""Operators whose matrix is given as it is: whole, its diagonal, its triangle."""

from typing import Any

import numpy as np

from tapeflow.api import linalg, math
from tapeflow.api.arrays.building import eye, one_hot, zeros
from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.indexing import gather
from tapeflow.api.arrays.joining import concat
from tapeflow.api.arrays.properties import shape
from tapeflow.api.arrays.shaping import broadcast_to, expand_dims
from tapeflow.api.assertions.values import assert_equal, assert_less, assert_positive
from tapeflow.api.math.complex_numbers import conj, imag, real
from tapeflow.api.signal.fourier import ifft
from tapeflow.api.variables.module import Module
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, complex64, float32, int32
from tapeflow.core.errors import invalid
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .base import LinearOperator, together

__all__ = [
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorIdentity", "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity", "LinearOperatorZeros", "given",
]  # fmt: skip


def given(value: Any) -> Any:
    """A variable, which gradients go to, and a module that stands for a tensor as they are; else as a tensor."""
    stands_for_one = isinstance(value, Module) and hasattr(value, "dtype") and hasattr(value, "shape")
    return value if hasattr(value, "assign") or stands_for_one else as_tensor(value)


def _nowhere_zero(diag: Tensor) -> None:
    sizes = math.abs(diag)
    assert_less(zeros([], sizes.dtype), sizes, "Singular operator:  Diagonal contained zero values.")


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix without a structure.

    Args:
        matrix: The matrices, in the last two axes.

    >>> tf.linalg.LinearOperatorFullMatrix([[2., 1.], [0., 1.]]).matvec([1., 1.]).numpy()
    array([3., 1.], dtype=float32)
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self._matrix = given(matrix)
        super().__init__(
            self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> TensorShape:
        return TensorShape(sizes_of(self._matrix))

    def _shape_tensor(self) -> Tensor:
        return shape(self._matrix)

    def _to_dense(self) -> Tensor:
        return as_tensor(self._matrix)


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix.

    Args:
        diag: The diagonals, along the last axis.

    >>> tf.linalg.LinearOperatorDiag([1., 2.]).to_dense().numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """

    def __init__(
        self,
        diag: Any,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self._diag = given(diag)
        if sizes_of(self._diag).rank == 0:
            raise ValueError(f"Argument diag must have at least 1 dimensions. Found: {diag!r}")
        if is_self_adjoint is None and not self._diag.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def diag(self) -> Tensor:
        """The diagonal."""
        return self._diag

    def _shape(self) -> TensorShape:
        sizes = sizes_of(self._diag)
        return TensorShape([*sizes, sizes[-1]]) if sizes.rank is not None else TensorShape(None)

    def _shape_tensor(self) -> Tensor:
        sizes = shape(self._diag)
        return concat([sizes, sizes[-1:]], 0)

    def _assert_non_singular(self) -> None:
        _nowhere_zero(as_tensor(self._diag))

    def _assert_positive_definite(self) -> None:
        diag = as_tensor(self._diag)
        if diag.dtype.is_complex:
            self.assert_self_adjoint()
            diag = real(diag)
        assert_positive(
            diag, "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        )

    def _assert_self_adjoint(self) -> None:
        diag = as_tensor(self._diag)
        if diag.dtype.is_complex:
            assert_equal(
                imag(diag),
                zeros([], real(diag).dtype),
                "This diagonal operator contained non-zero imaginary values.  Thus it was not self-adjoint.",
            )

    def _to_dense(self) -> Tensor:
        return linalg.diag(as_tensor(self._diag))

    def _scaled(self, adjoint: bool) -> Tensor:
        diag = as_tensor(self._diag)
        return expand_dims(conj(diag) if adjoint else diag, -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._scaled(adjoint) * (linalg.adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return (linalg.adjoint(rhs) if adjoint_arg else rhs) / self._scaled(adjoint)

    def _diag_part(self) -> Tensor:
        return as_tensor(self._diag)

    def _eigvals(self) -> Tensor:
        return as_tensor(self._diag)

    def _determinant(self) -> Tensor:
        return math.reduce_prod(as_tensor(self._diag), -1)

    def _log_abs_determinant(self) -> Tensor:
        return math.reduce_sum(math.log(math.abs(as_tensor(self._diag))), -1)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        return LinearOperatorDiag(1 / as_tensor(self._diag), True, self.is_self_adjoint, self.is_positive_definite)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        self._must_have_cholesky()
        return LinearOperatorDiag(math.sqrt(as_tensor(self._diag)), True, True, True)


class LinearOperatorScaledIdentity(LinearOperatorDiag):
    """A number times the identity.

    Args:
        num_rows: How many rows and columns there are.
        multiplier: The number, or a batch of them.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, multiplier=3.).matvec([1., 2.]).numpy()
    array([3., 6.], dtype=float32)
    """

    def __init__(
        self, num_rows: Any, multiplier: Any, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
        is_square=True, assert_proper_shapes=False, name=None,
    ) -> None:  # fmt: skip
        self.multiplier, self._rows = given(multiplier), int(num_rows)
        if is_self_adjoint is None and not self.multiplier.dtype.is_complex:
            is_self_adjoint = True
        LinearOperator.__init__(
            self, self.multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    @property
    def _diag(self) -> Tensor:
        multiplier = as_tensor(self.multiplier)
        return broadcast_to(expand_dims(multiplier, -1), [*multiplier.sizes, self._rows])

    def _assert_non_singular(self) -> None:
        assert_positive(math.abs(as_tensor(self.multiplier)), "LinearOperator was singular.")

    def _assert_positive_definite(self) -> None:
        assert_positive(real(as_tensor(self.multiplier)), "LinearOperator was not positive definite.")


class LinearOperatorIdentity(LinearOperatorDiag):
    """The identity.

    Args:
        num_rows: How many rows and columns there are.
        batch_shape: The axes before them; None: none.
        dtype: That of the matrix; None: float32.

    >>> tf.linalg.LinearOperatorIdentity(2).matvec([1., 2.]).numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self, num_rows: Any, batch_shape: Any = None, dtype: Any = None, is_non_singular=True, is_self_adjoint=True,
        is_positive_definite=True, is_square=True, assert_proper_shapes=False, name=None,
    ) -> None:  # fmt: skip
        self._rows, self._batch = int(num_rows), [] if batch_shape is None else [int(n) for n in batch_shape]
        LinearOperator.__init__(
            self, dtype or float32, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    @property
    def _diag(self) -> Tensor:
        return as_tensor(np.ones([*self._batch, self._rows], self.dtype.np))


class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros.

    Args:
        num_rows: How many rows there are.
        num_columns: How many columns; None: as many as rows.
        batch_shape: The axes before them; None: none.
        dtype: That of the matrix; None: float32.

    >>> tf.linalg.LinearOperatorZeros(2).matvec([1., 2.]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(
        self, num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = None,
        is_non_singular=False, is_self_adjoint=True, is_positive_definite=False, is_square=True,
        assert_proper_shapes=False, name=None,
    ) -> None:  # fmt: skip
        columns = num_rows if num_columns is None else num_columns
        self._sizes = [*(batch_shape or []), int(num_rows), int(columns)]
        super().__init__(
            dtype or float32, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    def _to_dense(self) -> Tensor:
        return zeros(self._sizes, self.dtype)

    def _assert_non_singular(self) -> None:
        raise invalid("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> None:
        raise invalid("Zero operators are always non-positive definite.")


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix; what is above the diagonal is not read.

    Args:
        tril: Matrices, of which what is above the diagonal is not read.

    >>> tf.linalg.LinearOperatorLowerTriangular([[2., 9.], [1., 1.]]).solvevec([2., 2.]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self._tril = given(tril)
        super().__init__(self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def tril(self) -> Tensor:
        """The triangle."""
        return self._tril

    def _shape(self) -> TensorShape:
        return TensorShape(sizes_of(self._tril))

    def _shape_tensor(self) -> Tensor:
        return shape(self._tril)

    def _assert_non_singular(self) -> None:
        _nowhere_zero(self.diag_part())

    def _to_dense(self) -> Tensor:
        return linalg.band_part(as_tensor(self._tril), -1, 0)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        matrix, rhs = together(self.to_dense(), linalg.adjoint(rhs) if adjoint_arg else rhs)
        return linalg.triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)

    def _diag_part(self) -> Tensor:
        return linalg.diag_part(as_tensor(self._tril))

    def _get_diag(self) -> Tensor:
        """For operators derived from it, by TensorFlow's name."""
        return self.diag_part()

    def _eigvals(self) -> Tensor:
        return self.diag_part()

    def _determinant(self) -> Tensor:
        return math.reduce_prod(self.diag_part(), -1)

    def _log_abs_determinant(self) -> Tensor:
        return math.reduce_sum(math.log(math.abs(self.diag_part())), -1)
