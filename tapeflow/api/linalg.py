"""`tf.linalg`: products, diagonals, norms, decompositions and solvers, all of them on batches of matrices."""

from .building import eye
from .clipping import global_norm
from .einsum import einsum
from .norms import norm, normalize
from .products import adjoint, cross, matmul, matrix_transpose, matvec, tensordot
from .reductions import l2_normalize

__all__ = [
    "adjoint",
    "cross",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "tensordot",
]
