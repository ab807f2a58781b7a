"""Decompositions of matrices (Cholesky, QR, SVD, eigenvalues), and functions of matrices."""

from typing import Any, Literal, NamedTuple, overload

import numpy as np
from ml_dtypes import finfo

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, int32
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike

from .of_operators import or_operator

__all__ = [
    "cholesky", "eig", "eigh", "eigh_tridiagonal", "eigvals", "eigvalsh", "expm", "logm", "lu", "matrix_rank", "qr",
    "sqrtm", "svd",
]  # fmt: skip


@or_operator(lambda operator: operator.cholesky())
@expose(ops.cholesky)
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with L Lᴴ = `input`, for symmetric (Hermitian) positive definite matrices.

    Only the lower triangle is read; the gradient is symmetric. A matrix that is not positive definite raises
    InvalidArgumentError.

    >>> tf.linalg.cholesky([[4., 2.], [2., 5.]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """


class Qr(NamedTuple):
    """What `tf.linalg.qr` gives: `q` with orthonormal columns, `r` upper triangular."""

    q: Tensor
    r: Tensor


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Matrices as a product of `q`, with orthonormal columns, and an upper triangular `r`; signs are LAPACK's.

    Args:
        full_matrices: Give all columns of `q`; otherwise only as many as the shorter side has.

    Returns:
        `q`, with orthonormal columns, and `r`, upper triangular.

    >>> q, r = tf.linalg.qr([[3., 1.], [4., 2.]])
    >>> np.round((q @ r).numpy(), 5)
    array([[3., 1.],
           [4., 2.]], dtype=float32)
    """
    return Qr(*ops.qr(as_tensor(input), full=bool(full_matrices)))


class Lu(NamedTuple):
    """What `tf.linalg.lu` gives: both triangles in one matrix, and the order of the rows."""

    lu: Tensor
    p: Tensor


def lu(input: TensorLike, output_idx_type: DTypeLike = int32, name: str | None = None) -> Lu:
    """Square matrices with rows in the order `p` as L U: below the diagonal of `lu` lies L (whose diagonal is 1), on
    and above it U.

    It has no gradient; `tf.linalg.solve`, `tf.linalg.inv` and `tf.linalg.det` have.

    Args:
        output_idx_type: The dtype of `p`, int32 or int64.

    Returns:
        `lu`, both triangles in one matrix, and `p`, the order of the rows.

    Raises:
        InvalidArgumentError: If a matrix is not square, or has no inverse.

    >>> tf.linalg.lu([[3., 1.], [4., 2.]])
    Lu(lu=<tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[ 4.  ,  2.  ],
           [ 0.75, -0.5 ]], dtype=float32)>, p=<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 0], dtype=int32)>)
    """
    return Lu(*ops.lu(as_tensor(input), index_dtype=as_dtype(output_idx_type).np))


# ---- eigenvalues


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors (columns) of symmetric or Hermitian matrices.

    Only the lower triangle is read, and the gradient is there too. Eigenvectors of equal eigenvalues have no
    derivative of their own: such pairs add nothing to the gradient, which is right for all that does not depend on the
    choice among them.

    Returns:
        The eigenvalues, and the eigenvectors as columns of matrices.

    >>> values, vectors = tf.linalg.eigh([[2., 1.], [1., 2.]])
    >>> np.round(values.numpy(), 5), np.round(np.abs(vectors.numpy()), 3)
    (array([1., 3.], dtype=float32), array([[0.707, 0.707],
           [0.707, 0.707]], dtype=float32))
    """
    tensor = as_tensor(tensor)
    values, vectors = ops.eigh(tensor)
    return _like(values, tensor), vectors


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Eigenvalues, ascending, of symmetric or Hermitian matrices (of which the lower triangle is read).

    >>> tf.linalg.eigvalsh([[2., 0.], [0., -1.]]).numpy()
    array([-1.,  2.], dtype=float32)
    """
    tensor = as_tensor(tensor)
    return _like(ops.eigvalsh(tensor), tensor)


def _like(values: Tensor, tensor: Tensor) -> Tensor:
    return ops.cast(values, dtype=tensor.dtype.np) if tensor.dtype.is_complex else values


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues and eigenvectors (columns, of length 1) of square matrices.

    Returns:
        The eigenvalues, and the eigenvectors as columns of matrices.

    >>> values, vectors = tf.linalg.eig([[0., 1.], [-1., 0.]])           # a quarter turn
    >>> values.numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    return ops.eig(as_tensor(tensor))


@expose(ops.eigvals)
def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Complex eigenvalues of square matrices.

    >>> tf.linalg.eigvals([[2., 1.], [0., 3.]]).numpy()
    array([2.+0.j, 3.+0.j], dtype=complex64)
    """


def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues (with `eigvals_only=False` eigenvectors too) of the Hermitian matrix with the diagonal `alpha` and
    `beta` above it.

    `select` takes all of them ('a'), those with indices from `select_range[0]` to `[1]` ('i'), or with values in that
    range ('v'). Computed to full precision, so `tol` changes nothing.

    Args:
        alpha: The diagonal.
        beta: The diagonal beside it, one element shorter.
        eigvals_only: Give eigenvalues alone.
        select: `"a"`: all, `"i"`: those with these numbers, `"v"`: those in this range.
        select_range: The first and the last number, or the ends of the range.
        tol: Taken and not used: the result is exact up to rounding.

    Returns:
        The eigenvalues in ascending order; or a pair, with the eigenvectors as columns.

    Raises:
        ValueError: If `select` is another word, or there is no `select_range` for it.

    >>> tf.linalg.eigh_tridiagonal([2., 2., 2.], [1., 1.], select="i", select_range=[1, 1]).numpy()
    array([2.], dtype=float32)
    """
    alpha, beta = as_tensor(alpha), as_tensor(beta)
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select must have a value in {{'a', 'i', 'v'}}, got {select!r}.")
    if select != "a" and select_range is None:
        raise ValueError(f"select={select!r} needs select_range, a pair (lowest, highest).")
    n = alpha.sizes[-1]
    below = ops.conj(beta) if beta.dtype.is_complex else beta
    matrix = ops.diag_matrix(alpha, k=(0, 0), rows=n, cols=n, align="RIGHT_LEFT")
    if n > 1:
        matrix = matrix + ops.diag_matrix(below, k=(-1, -1), rows=n, cols=n, align="RIGHT_LEFT")
    values, vectors = (ops.eigvalsh(matrix), None) if eigvals_only else ops.eigh(matrix)
    if select != "a":
        low, high = (float(r) for r in select_range)
        if select == "v":
            chosen = np.flatnonzero((values.array >= low) & (values.array <= high))
            low, high = (chosen[0], chosen[-1]) if len(chosen) else (0, -1)
        part = (Ellipsis, (int(low), int(high) + 1, None))
        values, vectors = (
            ops.getitem(values, index=part),
            None if vectors is None else ops.getitem(vectors, index=part),
        )
    return values if vectors is None else (values, vectors)


# ---- singular values


@overload
def svd(
    tensor: TensorLike, full_matrices: bool = False, compute_uv: Literal[True] = True, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(tensor: TensorLike, full_matrices: bool, compute_uv: Literal[False], name: str | None = None) -> Tensor: ...
@overload
def svd(
    tensor: TensorLike, full_matrices: bool = False, *, compute_uv: Literal[False], name: str | None = None
) -> Tensor: ...
@overload
def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any: ...
def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values `s`, descending, and vectors `u`, `v` (columns): `tensor` is u · diag(s) · vᴴ. With
    `compute_uv=False` only `s`.

    Signs (or phases) of vectors are LAPACK's. The gradient of `s` alone exists also where values are repeated or zero;
    vectors of equal values have none of their own, see `tf.linalg.eigh`.

    Args:
        full_matrices: Give all columns of `u` and `v`; otherwise only as many as there are singular values.
        compute_uv: Give the vectors, too.

    Returns:
        The triple (s, u, v); without `compute_uv` only s.

    >>> tf.linalg.svd([[0., 2.], [3., 0.]], compute_uv=False).numpy()
    array([3., 2.], dtype=float32)
    >>> s, u, v = tf.linalg.svd(tf.ones([4, 5, 3]))
    >>> s.shape, u.shape, v.shape
    (TensorShape([4, 3]), TensorShape([4, 5, 3]), TensorShape([4, 3, 3]))
    """
    tensor = as_tensor(tensor)
    return ops.svd(tensor, full=bool(full_matrices)) if compute_uv else ops.singular_values(tensor)


def matrix_rank(
    a: TensorLike, tol: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values are above `tol` (by default the largest times the longer side times the dtype's
    precision).

    A `tol` that is a tensor broadcasts against the singular values, which are along the last axis: one for each matrix
    has shape (..., 1).

    Args:
        tol: What is larger counts; None: what is no rounding error.

    Raises:
        TypeError: If `a` is not of a floating or complex dtype.

    >>> tf.linalg.matrix_rank([[1., 2.], [2., 4.]]).numpy()
    np.int32(1)
    """
    a = as_tensor(a)
    if not a.dtype.is_inexact:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    s = ops.singular_values(a)
    if tol is None:
        precision = finfo(s.dtype.np).eps * max(a.sizes[-2:])
        tol = ops.reduce_max(s, axis=(s.ndim - 1,), keepdims=True) * float(precision)
    above = ops.cast(s > tol, dtype=int32.np)
    return ops.reduce_sum(above, axis=(above.ndim - 1,), keepdims=False)


# ---- functions of a matrix


@expose(ops.expm)
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix exponential Σ Aᵏ/k! of square matrices.

    >>> tf.linalg.expm([[0., 1.], [0., 0.]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """


@expose(ops.sqrtm)
def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix whose product with itself is `input`; nan when a real matrix has no real one.

    >>> tf.linalg.sqrtm([[4., 5.], [0., 9.]]).numpy()
    array([[2., 1.],
           [0., 3.]], dtype=float32)
    """


matrix_square_root = sqrtm  # the name in `tf` itself


@expose(ops.logm)
def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix logarithm: the inverse of `tf.linalg.expm`. It has a gradient, as `expm` and `sqrtm` have.

    >>> tf.linalg.logm(tf.constant([[1 + 0j, 1], [0, 1]])).numpy()
    array([[0.+0.j, 1.+0.j],
           [0.+0.j, 0.+0.j]])
    """
