"""Inverses, determinants, and systems of linear equations, on batches of matrices."""

from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import finfo

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import convert_group, to_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

from .of_operators import or_operator
from .products import adjoint as _adjoint

__all__ = [
    "banded_triangular_solve", "cholesky_solve", "det", "inv", "logdet", "lstsq", "lu_matrix_inverse",
    "lu_reconstruct", "lu_solve", "pinv", "slogdet", "solve", "triangular_solve", "tridiagonal_matmul",
    "tridiagonal_solve",
]  # fmt: skip


@or_operator(lambda operator, adjoint=False: (operator.adjoint() if adjoint else operator).inverse())
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices (with `adjoint` of their adjoint). A matrix without one raises
    InvalidArgumentError.

    Args:
        adjoint: Invert the adjoint.

    >>> tf.linalg.inv([[2., 0.], [0., 4.]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    inverse = ops.inv(as_tensor(input))
    return _adjoint(inverse) if adjoint else inverse


@or_operator(lambda operator, rhs, adjoint=False: operator.solve(rhs, adjoint))
def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The x with `matrix` x = `rhs` (with `adjoint`: matrixᴴ x = rhs); columns of `rhs` are solved for together.

    Raises:
        InvalidArgumentError: If a matrix is not square, or has no inverse.

    >>> tf.linalg.solve([[3., 1.], [1., 2.]], [[9.], [8.]]).numpy()
    array([[2.],
           [3.]], dtype=float32)
    """
    matrix, rhs = convert_group([matrix, rhs], ops.solve.primitive)
    return ops.solve(_adjoint(matrix) if adjoint else matrix, rhs)


def triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The x with `matrix` x = `rhs`, reading only the lower (or upper) triangle; `adjoint` solves with the adjoint of
    that triangle.

    Args:
        lower: The triangle below the diagonal is read, otherwise the one above it.

    >>> tf.linalg.triangular_solve([[2., 9.], [1., 4.]], [[2.], [9.]]).numpy()  # the 9 above the diagonal is not read
    array([[1.],
           [2.]], dtype=float32)
    """
    matrix, rhs = convert_group([matrix, rhs], ops.triangular_solve.primitive)
    if adjoint and matrix.dtype.is_complex:
        matrix = ops.conj(matrix)
    return ops.triangular_solve(matrix, rhs, lower=bool(lower), transpose=bool(adjoint))


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The x with A x = `rhs`, where `chol` is `tf.linalg.cholesky(A)`.

    Args:
        chol: What `tf.linalg.cholesky` gave.

    >>> tf.linalg.cholesky_solve([[2., 0.], [1., 2.]], [[8.], [9.]]).numpy()
    array([[1.375],
           [1.25 ]], dtype=float32)
    """
    chol, rhs = convert_group([chol, rhs], ops.triangular_solve.primitive)
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def banded_triangular_solve(
    bands: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """`tf.linalg.triangular_solve` for a triangle given by its diagonals, one a row, highest first.

    Diagonals below the main one end at the right of their row, those above it begin at the left.

    Args:
        bands: The diagonals of a triangle, one a row, the highest first.

    >>> tf.linalg.banded_triangular_solve([[1., 2., 3.], [0., 5., 6.]], tf.ones([3, 1])).numpy().ravel().round(3)
    array([ 1.   , -2.   ,  4.333], dtype=float32)
    """
    bands, rhs = convert_group([bands, rhs], ops.triangular_solve.primitive)
    count, n = bands.sizes[-2:]
    k = (1 - count, 0) if lower else (0, count - 1)
    if count == 1:
        bands = ops.reshape(bands, shape=(*bands.sizes[:-2], n))
    matrix = ops.diag_matrix(bands, k=k, rows=n, cols=n, align="LEFT_RIGHT")
    return triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


# ---- from an LU decomposition


def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix of which `tf.linalg.lu` gave `lower_upper` and `perm`.

    >>> tf.linalg.lu_reconstruct([[4., 2.], [0.75, -0.5]], [1, 0]).numpy()
    array([[3., 1.],
           [4., 2.]], dtype=float32)
    """
    lower_upper = as_tensor(lower_upper)
    product = ops.matmul(_unit_lower(lower_upper), ops.band_part(lower_upper, lower=0, upper=-1))
    return _in_order(product, ops.argsort(as_tensor(perm), descending=False))


def lu_solve(
    lower_upper: TensorLike, perm: TensorLike, rhs: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The x with A x = `rhs`, where `lower_upper, perm` is `tf.linalg.lu(A)`.

    >>> tf.linalg.lu_solve(*tf.linalg.lu([[3., 1.], [1., 2.]]), [[9.], [8.]]).numpy().round(4)
    array([[2.],
           [3.]], dtype=float32)
    """
    lower_upper, rhs = convert_group([lower_upper, rhs], ops.triangular_solve.primitive)
    permuted = _in_order(rhs, perm)
    return triangular_solve(lower_upper, triangular_solve(_unit_lower(lower_upper), permuted), lower=False)


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of A, where `lower_upper, perm` is `tf.linalg.lu(A)`.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2., 0.], [0., 4.]])).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    lower_upper = as_tensor(lower_upper)
    return lu_solve(lower_upper, perm, _eye(lower_upper))


def _eye(like: Tensor) -> Tensor:
    return EagerTensor(np.eye(like.sizes[-1], dtype=like.dtype.np))


def _unit_lower(x: Tensor) -> Tensor:
    main = EagerTensor(np.eye(x.sizes[-1], dtype=bool))
    return ops.where(main, ops.zeros_like(x) + 1, ops.band_part(x, lower=-1, upper=0))


def _in_order(x: Tensor, perm: Any) -> Tensor:
    """The rows of each matrix in the order `perm`: moved, not multiplied by zeros and ones, which would spread a
    NaN."""
    perm = as_tensor(perm)
    batch = broadcast_shapes(x.sizes[:-2], perm.sizes[:-1])
    n, columns = x.sizes[-2:]
    x = ops.broadcast_to(x, shape=(*batch, n, columns))
    order = ops.broadcast_to(ops.reshape(perm, shape=(*perm.sizes[:-1], 1, n)), shape=(*batch, columns, n))
    return ops.matrix_transpose(ops.take_along(ops.matrix_transpose(x), order))


# ---- determinants


@or_operator(lambda operator: operator.determinant())
@expose(ops.det)
def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of square matrices. Its gradient, the matrix of cofactors, exists at singular matrices too.

    >>> x = tf.Variable([[1., 1.], [1., 1.]])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.linalg.det(x)
    >>> np.round(tape.gradient(y, x).numpy(), 5)
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """


class LogMatrixDeterminant(NamedTuple):
    """What `tf.linalg.slogdet` gives."""

    sign: Tensor
    log_abs_determinant: Tensor


def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The sign (for complex matrices the phase) and the logarithm of the absolute value of the determinant, which may
    itself be out of range.

    >>> sign, log = tf.linalg.slogdet(-1e20 * tf.eye(3))
    >>> sign.numpy(), log.numpy().round(2)
    (np.float32(-1.0), np.float32(138.16))
    """
    input = as_tensor(input)
    sign, log = ops.slogdet(input)
    return LogMatrixDeterminant(sign, ops.cast(log, dtype=input.dtype.np) if input.dtype.is_complex else log)


@or_operator(lambda operator: operator.log_abs_determinant())
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of symmetric (Hermitian) positive definite matrices, real.

    >>> tf.linalg.logdet([[2., 1.], [1., 3.]]).numpy()
    np.float32(1.609438)
    """
    diagonal = ops.diag_part(ops.cholesky(as_tensor(matrix)), k=(0, 0), align="RIGHT_LEFT")
    if diagonal.dtype.is_complex:
        diagonal = ops.real(diagonal)
    return ops.reduce_sum(ops.log(diagonal), axis=(diagonal.ndim - 1,), keepdims=False) * 2.0


# ---- systems without an exact solution


def lstsq(
    matrix: TensorLike, rhs: TensorLike, l2_regularizer: TensorLike = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The x that makes |`matrix` x - `rhs`|² + `l2_regularizer` |x|² smallest; if several do without a regularizer,
    the shortest.

    `fast=True` solves the normal equations by Cholesky, for matrices of full rank (others raise InvalidArgumentError).
    `fast=False` takes any rank, ignores the regularizer, and has no gradient.

    Args:
        l2_regularizer: A number, at least 0, by which long solutions are made worse.
        fast: Solve by a Cholesky decomposition.

    Raises:
        InvalidArgumentError: With `fast`, if the Cholesky decomposition fails.

    >>> points = tf.constant([[1., 0.], [1., 1.], [1., 2.]])
    >>> tf.linalg.lstsq(points, [[1.], [3.], [5.]]).numpy().round(3)             # intercept and slope
    array([[1.],
           [2.]], dtype=float32)
    """
    matrix, rhs = convert_group([matrix, rhs], ops.matmul.primitive)
    if not fast:
        return ops.least_squares(matrix, rhs)
    rows, cols = matrix.sizes[-2:]
    back = _adjoint(matrix)
    gram = ops.matmul(back, matrix) if rows >= cols else ops.matmul(matrix, back)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer:
        gram = gram + ops.cast(as_tensor(l2_regularizer), dtype=gram.dtype.np) * _eye(gram)
    chol = ops.cholesky(gram)
    return cholesky_solve(chol, ops.matmul(back, rhs)) if rows >= cols else ops.matmul(back, cholesky_solve(chol, rhs))


def pinv(
    a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The Moore-Penrose pseudo-inverse. Singular values up to `rcond` times the largest count as zero; by default
    rounding errors do.

    Its gradient does not go through singular vectors, so repeated singular values do no harm.

    Args:
        rcond: Which singular values count as zero: up to this times the largest; None: 10 rounding errors times the
            longer side.

    Raises:
        TypeError: If `a` is not of a floating or complex dtype.

    >>> tf.linalg.pinv([[1., 1.], [1., 1.]]).numpy().round(4)
    array([[0.25, 0.25],
           [0.25, 0.25]], dtype=float32)
    """
    a = as_tensor(a)
    if not a.dtype.is_inexact:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    real = a.dtype.real_dtype
    if rcond is None:
        rcond = 10.0 * max(a.sizes[-2:]) * float(finfo(real.np).eps)
    return ops.pinv(a, to_tensor(rcond, real))


# ---- tridiagonal matrices


def _compact(diagonals: Any, format: str) -> Tensor:
    """The diagonals as rows (above, main, below), each aligned with the rows of the matrix."""
    if format == "compact":
        compact = as_tensor(diagonals)
    elif format == "matrix":
        compact = ops.diag_part(as_tensor(diagonals), k=(-1, 1), align="LEFT_RIGHT")
    elif format == "sequence":
        above, main, below = convert_group(diagonals)
        n = main.sizes[-1]
        if above.sizes[-1] == n - 1:
            above = ops.unslice(above, index=(Ellipsis, (None, n - 1, None)), shape=(*above.sizes[:-1], n))
        if below.sizes[-1] == n - 1:
            below = ops.unslice(below, index=(Ellipsis, (1, None, None)), shape=(*below.sizes[:-1], n))
        compact = ops.stack(above, main, below, axis=main.ndim - 1)
    else:
        raise ValueError(f"Unrecognized diagonals_format: {format}. It is one of 'compact', 'sequence', 'matrix'.")
    if compact.ndim < 2 or compact.sizes[-2] != 3:
        raise ValueError(f"Expected 3 diagonals in the last axis but one, got shape {tuple(compact.shape)}.")
    return compact


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The x with A x = `rhs` for tridiagonal A, in time proportional to its size; `rhs` is a vector or columns.

    'compact' diagonals are rows (above, main, below), of which the last element of the first and the first of the last
    are not read; a 'sequence' of three tensors and a whole 'matrix' work too. Rows are always pivoted.

    Args:
        transpose_rhs: Transpose `rhs` first.
        conjugate_rhs: Conjugate `rhs` first.
        partial_pivoting: Taken and not used: rows are always exchanged where that is better.
        perturb_singular: Taken and not used.

    Raises:
        ValueError: If `diagonals_format` is another word, or there are not three diagonals.

    >>> tf.linalg.tridiagonal_solve([[1., 1., 0.], [2., 2., 2.], [0., 1., 1.]], [4., 8., 8.]).numpy().round(4)
    array([1., 2., 3.], dtype=float32)
    """
    diagonals = _compact(diagonals, diagonals_format)
    rhs = to_tensor(rhs, None if isinstance(rhs, Tensor) else diagonals.dtype)
    is_vector = rhs.ndim == diagonals.ndim - 1
    if conjugate_rhs and rhs.dtype.is_complex:
        rhs = ops.conj(rhs)
    if is_vector:
        rhs = ops.reshape(rhs, shape=(*rhs.sizes, 1))
    elif transpose_rhs:
        rhs = ops.matrix_transpose(rhs)
    if tuple(rhs.sizes[:-1]) != (*diagonals.sizes[:-2], diagonals.sizes[-1]):
        raise invalid(
            f"Diagonals of shape {tuple(diagonals.shape)} need as many rows in `rhs`, got shape {tuple(rhs.shape)}."
        )
    out = ops.tridiagonal_solve(diagonals, rhs, transpose=False)
    return ops.reshape(out, shape=tuple(out.sizes[:-1])) if is_vector else out


def tridiagonal_matmul(
    diagonals: TensorLike, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """A tridiagonal matrix times `rhs`; the diagonals are given as for `tf.linalg.tridiagonal_solve`.

    >>> tf.linalg.tridiagonal_matmul([[1., 1., 0.], [2., 2., 2.], [0., 1., 1.]], [[1.], [2.], [3.]]).numpy().ravel()
    array([4., 8., 8.], dtype=float32)
    """
    diagonals = _compact(diagonals, diagonals_format)
    rhs = to_tensor(rhs, None if isinstance(rhs, Tensor) else diagonals.dtype)
    axis = rhs.ndim - 2
    neighbours = ops.shift(rhs, axis=axis, by=-1), rhs, ops.shift(rhs, axis=axis, by=1)
    above, main, below = (
        ops.getitem(diagonals, index=(Ellipsis, i, (None, None, None), None)) * x for i, x in enumerate(neighbours)
    )
    return above + main + below
