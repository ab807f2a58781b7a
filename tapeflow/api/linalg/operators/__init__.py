"""`tf.linalg.LinearOperator…`: matrices with a structure, which many operations make use of."""

from .base import LinearOperator
from .combined import (
    LinearOperatorAdjoint,
    LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular,
    LinearOperatorComposition,
    LinearOperatorInversion,
    LinearOperatorKronecker,
    LinearOperatorLowRankUpdate,
)
from .patterned import (
    LinearOperatorCirculant,
    LinearOperatorHouseholder,
    LinearOperatorPermutation,
    LinearOperatorToeplitz,
    LinearOperatorTridiag,
)
from .simple import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
    LinearOperatorLowerTriangular,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)

__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant", "LinearOperatorComposition", "LinearOperatorDiag", "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder", "LinearOperatorIdentity", "LinearOperatorInversion", "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate", "LinearOperatorLowerTriangular", "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity", "LinearOperatorToeplitz", "LinearOperatorTridiag", "LinearOperatorZeros",
]  # fmt: skip
