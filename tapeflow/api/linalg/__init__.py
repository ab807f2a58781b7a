"""`tf.linalg`: products, diagonals, norms, decompositions and solvers, all of them on batches of matrices."""

from importlib import import_module
from typing import Any

from tapeflow.api.arrays.building import eye
from tapeflow.api.arrays.clipping import global_norm
from tapeflow.api.math.reductions import l2_normalize

from .decompositions import (
    cholesky,
    eig,
    eigh,
    eigh_tridiagonal,
    eigvals,
    eigvalsh,
    expm,
    logm,
    lu,
    matrix_rank,
    qr,
    sqrtm,
    svd,
)
from .diagonals import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part, trace
from .einsum import einsum
from .norms import norm, normalize
from .products import adjoint, cross, matmul, matrix_transpose, matvec, tensordot
from .solvers import (
    banded_triangular_solve,
    cholesky_solve,
    det,
    inv,
    logdet,
    lstsq,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    pinv,
    slogdet,
    solve,
    triangular_solve,
    tridiagonal_matmul,
    tridiagonal_solve,
)

__all__ = [
    "adjoint", "band_part", "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag",
    "diag_part", "eig", "eigh", "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm",
    "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve",
    "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet",
    "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
    "tridiagonal_matmul", "tridiagonal_solve",
]  # fmt: skip

matrix_square_root = sqrtm  # the name in `tf` itself

# Operators, and what works with them: few programs use them, so they are imported on first use.
_LATER = frozenset(
    """LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular LinearOperatorCirculant
    LinearOperatorComposition LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity
    LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate LinearOperatorLowerTriangular
    LinearOperatorPermutation LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros""".split()
)


def __getattr__(name: str) -> Any:
    if name == "experimental":
        return globals().setdefault(name, import_module(f"{__name__}.experimental"))
    if name in _LATER:
        return globals().setdefault(name, getattr(import_module(f"{__name__}.operators"), name))
    raise AttributeError(f"module 'tf.linalg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, "experimental"})
