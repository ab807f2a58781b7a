"""`np.linalg` on tensors. `linalg.pyi` shows its functions to type checkers.

Written by `scripts/numpy_types.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.interop.numpy_functions.linear import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from tapeflow.core.dtypes import DType
from tapeflow.core.tensor import Tensor

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

def cholesky(
    a: Any,
    /,
    *,
    upper: bool = False,
) -> Tensor:
    """The lower triangular L with L times its adjoint equal to `a`.

    Args:
        upper: Give the upper triangle.
    """

def cond(
    x: Any,
    p: Any = None,
) -> Tensor:
    """How much a solution can change with its data.

    Args:
        p: Which norm: None, 2, -2: by singular values; 1, -1, inf, -inf, `fro`: by the inverse.
    """

def cross(
    a: Any,
    b: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """The vector perpendicular to two vectors of length 3.
    """

def det(
    a: Any,
) -> Tensor:
    """The determinant.
    """

def diagonal(
    x: Any,
    /,
    *,
    offset: int = 0,
) -> Tensor:
    """The diagonal of matrices.
    """

def eig(
    a: Any,
) -> EigResult:
    """Eigenvalues and eigenvectors of a square matrix, complex.
    """

def eigh(
    a: Any,
    UPLO: str = 'L',
) -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix, of which the triangle `UPLO` is read.

    Args:
        UPLO: Which triangle is read: `L` or `U`.
    """

def eigvals(
    a: Any,
) -> Tensor:
    """Eigenvalues of a square matrix, complex.
    """

def eigvalsh(
    a: Any,
    UPLO: str = 'L',
) -> Tensor:
    """Eigenvalues of a symmetric matrix, ascending.

    Args:
        UPLO: Which triangle is read: `L` or `U`.
    """

def inv(
    a: Any,
) -> Tensor:
    """The inverse of a matrix.
    """

def lstsq(
    a: Any,
    b: Any,
    rcond: Any = None,
) -> tuple[Any, ...]:
    """The x that makes |a x - b| smallest; with it the residuals, the rank and the singular values.

    Returns:
        The solution, the residuals, the rank, and the singular values.
    """

def matmul(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """The matrix product; a vector is a row on the left, a column on the right.
    """

def matrix_norm(
    x: Any,
    /,
    *,
    keepdims: bool = False,
    ord: Any = 'fro',
) -> Tensor:
    """The size of matrices: 'fro', 'nuc', 1, 2, inf and their negatives.

    Args:
        ord: Which norm: a number, infinity, for matrices `fro` and `nuc`; None: the Euclidean one.
    """

def matrix_power(
    a: Any,
    n: int,
) -> Tensor:
    """A square matrix multiplied by itself; inverted first if `n` is negative.

    Args:
        n: The power, a whole number.
    """

def matrix_rank(
    A: Any,
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> Tensor:
    """The number of singular values that are not nearly zero.

    Args:
        tol: Which singular values count: larger ones than this; None: what is no rounding error.
    """

def matrix_transpose(
    x: Any,
    /,
) -> Tensor:
    """The last two axes exchanged.
    """

def multi_dot(
    arrays: Any,
    *,
    out: None = None,
) -> Tensor:
    """The product of several matrices.
    """

def norm(
    x: Any,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
) -> Tensor:
    """Length of vectors, or size of matrices: NumPy's `ord`.

    Args:
        ord: Which norm: a number, infinity, for matrices `fro` and `nuc`; None: the Euclidean one.
    """

def outer(
    a: Any,
    b: Any,
    out: None = None,
) -> Tensor:
    """Every product of an element of `a` and one of `b`.
    """

def pinv(
    a: Any,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> Tensor:
    """The pseudo-inverse.
    """

def qr(
    a: Any,
    mode: str = 'reduced',
) -> Any:
    """Orthonormal columns Q and an upper triangle R with Q R equal to `a`.

    Args:
        mode: `reduced`, `complete` or `r`.

    Returns:
        `Q` and `R`; with the mode `r` only `R`.
    """

def slogdet(
    a: Any,
) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its size.
    """

def solve(
    a: Any,
    b: Any,
) -> Tensor:
    """The x with a x = b.
    """

def svd(
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:
    """Singular values, with the vectors on both sides.

    Args:
        compute_uv: Give the vectors, too.

    Returns:
        `U`, `S` and `Vh`; without `compute_uv` only `S`.
    """

def svdvals(
    x: Any,
    /,
) -> Tensor:
    """Singular values, largest first.
    """

def tensordot(
    a: Any,
    b: Any,
    axes: Any = 2,
) -> Tensor:
    """The sum of products over several axes of each.
    """

def trace(
    x: Any,
    /,
    *,
    offset: int = 0,
    dtype: Any = None,
) -> Tensor:
    """The sum of the diagonal of matrices.
    """

def vecdot(
    x1: Any,
    x2: Any,
    /,
    *,
    axis: int = -1,
) -> Tensor:
    """The sum of products along an axis, the first conjugated.
    """

def vector_norm(
    x: Any,
    /,
    *,
    axis: Any = None,
    keepdims: bool = False,
    ord: Any = 2,
) -> Tensor:
    """The length of vectors; of all elements without `axis`.

    Args:
        ord: Which norm: a number, infinity, for matrices `fro` and `nuc`; None: the Euclidean one.
    """
