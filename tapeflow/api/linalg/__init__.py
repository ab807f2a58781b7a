"""`tf.linalg`: products, diagonals, norms, decompositions and solvers, all of them on batches of matrices."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tapeflow.api.arrays.building import (
    eye as eye,
)
from tapeflow.api.arrays.clipping import (
    global_norm as global_norm,
)
from tapeflow.api.linalg.decompositions import (
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigh_tridiagonal as eigh_tridiagonal,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    expm as expm,
    logm as logm,
    lu as lu,
    matrix_rank as matrix_rank,
    qr as qr,
    sqrtm as sqrtm,
    svd as svd,
)
from tapeflow.api.linalg.diagonals import (
    band_part as band_part,
    diag as diag,
    diag_part as diag_part,
    set_diag as set_diag,
    tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part,
    trace as trace,
)
from tapeflow.api.linalg.einsum import (
    einsum as einsum,
)
from tapeflow.api.linalg.norms import (
    norm as norm,
    normalize as normalize,
)
from tapeflow.api.linalg.products import (
    adjoint as adjoint,
    cross as cross,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    matvec as matvec,
    tensordot as tensordot,
)
from tapeflow.api.linalg.solvers import (
    banded_triangular_solve as banded_triangular_solve,
    cholesky_solve as cholesky_solve,
    det as det,
    inv as inv,
    logdet as logdet,
    lstsq as lstsq,
    lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct,
    lu_solve as lu_solve,
    pinv as pinv,
    slogdet as slogdet,
    solve as solve,
    triangular_solve as triangular_solve,
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from tapeflow.api.math.reductions import (
    l2_normalize as l2_normalize,
)

__all__ = [
    "adjoint", "band_part", "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag",
    "diag_part", "eig", "eigh", "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm",
    "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve",
    "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet",
    "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
    "tridiagonal_matmul", "tridiagonal_solve",
]  # fmt: skip

if TYPE_CHECKING:
    from tapeflow.api.linalg.operators import (
        LinearOperator as LinearOperator,
        LinearOperatorAdjoint as LinearOperatorAdjoint,
        LinearOperatorBlockDiag as LinearOperatorBlockDiag,
        LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
        LinearOperatorCirculant as LinearOperatorCirculant,
        LinearOperatorComposition as LinearOperatorComposition,
        LinearOperatorDiag as LinearOperatorDiag,
        LinearOperatorFullMatrix as LinearOperatorFullMatrix,
        LinearOperatorHouseholder as LinearOperatorHouseholder,
        LinearOperatorIdentity as LinearOperatorIdentity,
        LinearOperatorInversion as LinearOperatorInversion,
        LinearOperatorKronecker as LinearOperatorKronecker,
        LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
        LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
        LinearOperatorPermutation as LinearOperatorPermutation,
        LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
        LinearOperatorToeplitz as LinearOperatorToeplitz,
        LinearOperatorTridiag as LinearOperatorTridiag,
        LinearOperatorZeros as LinearOperatorZeros,
    )

    from . import experimental as experimental

# Operators, and what works with them: few programs use them, so they are imported on first use.
_LATER = frozenset(
    """LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular
    LinearOperatorCirculant LinearOperatorComposition LinearOperatorDiag LinearOperatorFullMatrix
    LinearOperatorHouseholder LinearOperatorIdentity LinearOperatorInversion LinearOperatorKronecker
    LinearOperatorLowRankUpdate LinearOperatorLowerTriangular LinearOperatorPermutation LinearOperatorScaledIdentity
    LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros""".split()
)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "experimental":
            return globals().setdefault(name, import_module(f"{__name__}.experimental"))
        if name in _LATER:
            return globals().setdefault(name, getattr(import_module(f"{__name__}.operators"), name))
        raise AttributeError(f"module 'tf.linalg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, "experimental"})
