"""`tf.linalg`: products, diagonals, norms, decompositions and solvers, all of them on batches of matrices."""

from .building import eye
from .clipping import global_norm
from .decompositions import cholesky, eig, eigh, eigh_tridiagonal, eigvals, eigvalsh, expm, logm, lu, matrix_rank, qr, sqrtm, svd
from .diagonals import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part, trace
from .einsum import einsum
from .norms import norm, normalize
from .products import adjoint, cross, matmul, matrix_transpose, matvec, tensordot
from .reductions import l2_normalize
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
    "adjoint", "band_part", "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu",
    "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv",
    "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
    "tridiagonal_matmul", "tridiagonal_solve",
]  # fmt: skip
