"""`tf.linalg`: products, diagonals, norms, decompositions and solvers, all of them on batches of matrices."""

from .building import eye
from .einsum import einsum
from .norms import norm, normalize
from .products import adjoint, cross, matmul, matrix_transpose, matvec, tensordot

__all__ = [
    "adjoint",
    "cross",
    "einsum",
    "eye",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "tensordot",
]
