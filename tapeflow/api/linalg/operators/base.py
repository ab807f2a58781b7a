"""What every linear operator can do. All of it follows from its matrix; operators with more structure do some of it
faster."""

from typing import Any

from tapeflow.api import linalg, math
from tapeflow.api.arrays import properties as array
from tapeflow.api.arrays.building import eye
from tapeflow.api.arrays.constants import convert_to_tensor
from tapeflow.api.arrays.shaping import broadcast_to, expand_dims, squeeze
from tapeflow.api.assertions.values import assert_equal, assert_less
from tapeflow.api.variables.module import Module
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor

__all__ = ["LinearOperator", "together"]


class LinearOperator(Module):
    """A matrix, or a batch of them, known by what it does. One's own operator says in `_to_dense` what its matrix is.

    >>> operator = tf.linalg.LinearOperatorDiag([1., 2.])
    >>> operator.matvec([3., 3.]).numpy(), operator.solvevec([3., 4.]).numpy(), operator.determinant().numpy()
    (array([3., 6.], dtype=float32), array([3., 2.], dtype=float32), np.float32(2.0))
    """

    __is_linear_operator__ = True  # for functions of `tf.linalg`, which know nothing of operators

    def __init__(
        self, dtype: Any, graph_parents: Any = None, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str | None = None, parameters: Any = None,
    ) -> None:  # fmt: skip
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        super().__init__(name=name)
        self._dtype, self._square = as_dtype(dtype), is_square
        self._non_singular = True if is_positive_definite else is_non_singular
        self._self_adjoint, self._positive_definite = is_self_adjoint, is_positive_definite
        self.parameters = parameters or {}

    dtype: DType = property(lambda self: self._dtype, doc="Of the matrix.")

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse; None if nobody said."""
        return self._non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own adjoint; None if nobody said."""
        return self._self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether x'Ax > 0; None if nobody said."""
        return self._positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns: what was said, or follows from it; else what the shape says."""
        if self._square or self._non_singular or self._self_adjoint or self._positive_definite:
            return True
        rows, columns = self.range_dimension, self.domain_dimension
        return self._square if None in (rows, columns) else rows == columns

    # ---- what one's own operator says

    def _to_dense(self) -> Tensor:
        if type(self)._matmul is LinearOperator._matmul:
            raise NotImplementedError(
                f"{type(self).__name__} does not say what its matrix is: define _to_dense, or _matmul and _shape."
            )
        batch = self.batch_shape
        rows = self.domain_dimension_tensor()
        return self._matmul(
            eye(rows, batch_shape=batch if batch.is_fully_defined() else self.batch_shape_tensor(), dtype=self.dtype)
        )

    def _shape(self) -> TensorShape:
        return self._to_dense().sizes

    def _shape_tensor(self) -> Tensor:
        return array.shape(self.to_dense())

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        matrix, x = together(self.to_dense(), x)
        return linalg.matmul(matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        matrix, rhs = together(self.to_dense(), rhs)
        if self.is_positive_definite and self.is_self_adjoint:
            return linalg.cholesky_solve(linalg.cholesky(matrix), rhs)
        return linalg.solve(matrix, rhs, adjoint=adjoint)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return squeeze(self._matmul(self._factor(expand_dims(x, -1), adjoint), adjoint), -1)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint), -1)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    def _determinant(self) -> Tensor:
        return linalg.det(self.to_dense())

    def _log_abs_determinant(self) -> Tensor:
        return linalg.slogdet(self.to_dense())[1]

    def _trace(self) -> Tensor:
        return math.reduce_sum(self.diag_part(), -1)

    def _diag_part(self) -> Tensor:
        return linalg.diag_part(self.to_dense())

    def _eigvals(self) -> Tensor:
        return linalg.eigvalsh(self.to_dense())

    def _cond(self) -> Tensor:
        values = linalg.svd(self.to_dense(), compute_uv=False)
        return math.reduce_max(values, -1) / math.reduce_min(values, -1)

    def _assert_non_singular(self) -> None:
        values = linalg.svd(self.to_dense(), compute_uv=False)
        assert_less(
            math.reduce_max(values, -1) * 1e-6, math.reduce_min(values, -1), "Singular matrix up to precision epsilon."
        )

    def _assert_self_adjoint(self) -> None:
        matrix = self.to_dense()
        assert_equal(matrix, linalg.adjoint(matrix), "Matrix was not equal to its adjoint.")

    def _assert_positive_definite(self) -> None:
        self.assert_self_adjoint()
        linalg.cholesky(self.to_dense())

    # ---- shape

    @property
    def shape(self) -> TensorShape:
        """Batch axes, rows and columns."""
        return TensorShape(self._shape())

    @property
    def batch_shape(self) -> TensorShape:
        """The axes before the matrix."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """How many axes the matrix has, with those of the batch."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> Any:
        """The number of columns."""
        return self.shape[-1]

    @property
    def range_dimension(self) -> Any:
        """The number of rows."""
        return self.shape[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape as a tensor."""
        known = self.shape
        return convert_to_tensor(list(known), "int32") if known.is_fully_defined() else self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The axes before the matrix as a tensor."""
        return self.shape_tensor()[:-2]

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """The number of columns as a tensor."""
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """The number of rows as a tensor."""
        return self.shape_tensor()[-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The number of axes as a tensor."""
        return array.size(self.shape_tensor())

    # ---- products and equations

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix."""
        return self._to_dense()

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The matrix times `x`, a matrix or another operator.

        Args:
            x: Matrices, or a `tf.linalg.LinearOperator`.

        Returns:
            A tensor; for an operator the composition of both.

        Raises:
            ValueError: If the operators do not fit together.
        """
        if isinstance(x, LinearOperator):
            from .combined import LinearOperatorComposition

            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            if left.domain_dimension != right.range_dimension:
                raise ValueError(f"Operators are incompatible: {left.shape} times {right.shape}.")
            return LinearOperatorComposition([left, right])
        return self._matmul(self._factor(x, adjoint, adjoint_arg), adjoint, adjoint_arg)

    __matmul__ = matmul

    def __rmatmul__(self, x: Any) -> Tensor:
        return linalg.matmul(x, self)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The matrix times a vector."""
        return self._matvec(self._like(x), adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """`x` such that the matrix times `x` is `rhs`, a matrix or another operator.

        Args:
            rhs: Matrices, or a `tf.linalg.LinearOperator`.

        Returns:
            A tensor; for an operator the composition of the inverse and `rhs`.

        Raises:
            NotImplementedError: If the matrix is not square, or said to be singular.
        """
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if not self.is_square:
            raise NotImplementedError(
                f"Exact solve needs a square matrix; this operator's shape is {tuple(self.shape)}."
            )
        if isinstance(rhs, LinearOperator):
            left, right = self.adjoint() if adjoint else self, rhs.adjoint() if adjoint_arg else rhs
            return left.inverse().matmul(right)
        return self._solve(self._factor(rhs, not adjoint, adjoint_arg), adjoint, adjoint_arg)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        """`x` such that the matrix times `x` is the vector `rhs`.

        Args:
            rhs: Vectors, along the last axis.
        """
        return self._solvevec(self._like(rhs), adjoint)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """The matrix plus `x`."""
        return self._add_to_tensor(self._like(x))

    def _like(self, x: Any) -> Tensor:
        x = x if isinstance(x, Tensor) else to_tensor(x, None if hasattr(x, "dtype") else self.dtype)
        if x.dtype is not self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype!r}. Found: {x.dtype!r}.")
        return x

    def _factor(self, x: Any, adjoint: bool, adjoint_arg: bool = False) -> Tensor:
        """A matrix that this one can be multiplied by: operators that scale rows would broadcast one of another
        size."""
        x = self._like(x)
        if x.ndim is not None and x.ndim < 2:
            raise ValueError(
                f"Expected a matrix, or a batch of them; got shape {tuple(x.shape)}. matvec and solvevec take vectors."
            )
        if type(self)._shape is LinearOperator._shape:
            return x  # known from the whole matrix only, whose product with `x` says so, too
        given, wanted = x.sizes[-1 if adjoint_arg else -2], self.shape[-2 if adjoint else -1]
        if None not in (given, wanted) and given != wanted:
            raise ValueError(
                f"Dimensions {wanted} and {given} are not compatible: {tuple(self.shape)} and {tuple(x.shape)}."
            )
        return x

    # ---- numbers about it

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant."""
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the determinant's absolute value."""
        return self._log_abs_determinant()

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the diagonal."""
        return self._trace()

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The diagonal."""
        return self._diag_part()

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues, of an operator that is known to be its own adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError(
                "Only self-adjoint matrices are supported: say is_self_adjoint=True if this one is."
            )
        return self._eigvals()

    def cond(self, name: str = "cond") -> Tensor:
        """The largest singular value by the smallest one."""
        return self._cond()

    # ---- operators made from it

    def adjoint(self, name: str = "adjoint") -> "LinearOperator":
        """The conjugate transpose."""
        from .combined import LinearOperatorAdjoint

        return self if self.is_self_adjoint else LinearOperatorAdjoint(self)

    H = property(adjoint, doc="The conjugate transpose.")

    def inverse(self, name: str = "inverse") -> "LinearOperator":
        """The operator that solves."""
        from .combined import LinearOperatorInversion

        if self.is_non_singular is False:
            raise ValueError("Cannot take the inverse: this operator says that it is singular.")
        return LinearOperatorInversion(self)

    def cholesky(self, name: str = "cholesky") -> "LinearOperator":
        """The lower triangular factor of an operator that is known to be positive definite and its own adjoint."""
        from .simple import LinearOperatorLowerTriangular

        self._must_have_cholesky()
        return LinearOperatorLowerTriangular(linalg.cholesky(self.to_dense()), is_non_singular=True)

    def _must_have_cholesky(self) -> None:
        if not (self.is_positive_definite and self.is_self_adjoint):
            raise ValueError(
                "Cannot take the Cholesky decomposition: say is_positive_definite=True and is_self_adjoint=True if "
                "it is."
            )

    # ---- checks

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raises InvalidArgumentError if the matrix is singular, or nearly."""
        self._assert_non_singular()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if the matrix is not its own adjoint."""
        self._assert_self_adjoint()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raises InvalidArgumentError if the matrix is not positive definite."""
        self._assert_positive_definite()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: shape {tuple(self.shape)}, {self.dtype.name}>"


def together(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Two batches of matrices with the same batch axes."""
    a, b = as_tensor(a), as_tensor(b)
    batch = array.broadcast_static_shape(a.sizes[:-2], b.sizes[:-2])
    return tuple(x if x.sizes[:-2] == batch else broadcast_to(x, [*batch, *x.sizes[-2:]]) for x in (a, b))
