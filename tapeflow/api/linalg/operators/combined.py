"""Operators made of others: products, inverses, blocks."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from tapeflow.api import linalg, math
from tapeflow.api.arrays.building import zeros
from tapeflow.api.arrays.joining import concat
from tapeflow.api.arrays.properties import broadcast_static_shape
from tapeflow.api.arrays.shaping import broadcast_to, reshape
from tapeflow.core.apply import as_tensor
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor

from .base import LinearOperator, together
from .simple import LinearOperatorDiag, LinearOperatorIdentity, given

__all__ = [
    "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorComposition", "LinearOperatorInversion", "LinearOperatorKronecker", "LinearOperatorLowRankUpdate",
]  # fmt: skip


class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of an operator.

    Args:
        operator: A `tf.linalg.LinearOperator`.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1., 2.], [0., 1.]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).matvec([1., 1.]).numpy()
    array([1., 3.], dtype=float32)
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self.operator = operator
        known = operator.is_non_singular if is_non_singular is None else is_non_singular
        super().__init__(operator.dtype, None, known, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> TensorShape:
        *batch, rows, columns = self.operator.shape
        return TensorShape([*batch, columns, rows])

    def _to_dense(self) -> Tensor:
        return linalg.adjoint(self.operator.to_dense())

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator._matmul(x, not adjoint, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator._solve(rhs, not adjoint, adjoint_arg)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        return self.operator


class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator: its product solves, and solving multiplies.

    Args:
        operator: A `tf.linalg.LinearOperator`.

    >>> tf.linalg.LinearOperatorDiag([2., 4.]).inverse().matvec([2., 2.]).numpy()
    array([1. , 0.5], dtype=float32)
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ) -> None:
        self.operator = operator
        super().__init__(
            operator.dtype, None, True, operator.is_self_adjoint, operator.is_positive_definite, True, name
        )

    def _shape(self) -> TensorShape:
        return self.operator.shape

    def _to_dense(self) -> Tensor:
        return linalg.inv(self.operator.to_dense())

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator._solve(x, adjoint, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator._matmul(rhs, adjoint, adjoint_arg)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        return self.operator


class _OfSeveral(LinearOperator):
    """Made of a list of operators."""

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=None, name=None,
    ) -> None:  # fmt: skip
        self.operators = list(operators)
        if not self.operators:
            raise ValueError("Expected a non-empty list of operators.")
        if len({o.dtype for o in self.operators}) > 1:
            raise TypeError(
                f"Expected all operators to have the same dtype, got {[o.dtype.name for o in self.operators]}."
            )
        if is_non_singular is None and all(o.is_non_singular for o in self.operators):
            is_non_singular = True
        super().__init__(
            self.operators[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )


class LinearOperatorComposition(_OfSeveral):
    """The product of operators, which applies the last one first.

    Args:
        operators: The factors, from left to right.

    >>> half, swap = tf.linalg.LinearOperatorDiag([.5, .5]), tf.linalg.LinearOperatorPermutation([1, 0])
    >>> tf.linalg.LinearOperatorComposition([half, swap]).matvec([2., 4.]).numpy()
    array([2., 1.], dtype=float32)
    """

    def _shape(self) -> TensorShape:
        batch = reduce(broadcast_static_shape, [o.batch_shape for o in self.operators])
        return TensorShape([*batch, self.operators[0].range_dimension, self.operators[-1].domain_dimension])

    def _to_dense(self) -> Tensor:
        return reduce(lambda a, b: linalg.matmul(*together(a, b)), [o.to_dense() for o in self.operators])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = linalg.adjoint(x) if adjoint_arg else x
        for operator in self.operators if adjoint else reversed(self.operators):
            x = operator._matmul(x, adjoint)
        return x

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if not all(o.is_square for o in self.operators):
            return super()._solve(rhs, adjoint, adjoint_arg)
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        for operator in reversed(self.operators) if adjoint else self.operators:
            rhs = operator._solve(rhs, adjoint)
        return rhs


class LinearOperatorKronecker(_OfSeveral):
    """The Kronecker product of operators.

    Args:
        operators: The factors, from left to right.

    >>> one, two = tf.linalg.LinearOperatorFullMatrix([[1., 2.]]), tf.linalg.LinearOperatorFullMatrix([[1., 10.]])
    >>> tf.linalg.LinearOperatorKronecker([one, two]).to_dense().numpy()
    array([[ 1., 10., 2., 20.]], dtype=float32)
    """

    def _to_dense(self) -> Tensor:
        return reduce(_kronecker, [o.to_dense() for o in self.operators])


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    a, b = together(a, b)
    *batch, m, n = a.sizes
    p, q = b.sizes[-2:]
    return reshape(a[..., :, None, :, None] * b[..., None, :, None, :], [*batch, m * p, n * q])


class LinearOperatorBlockDiag(_OfSeveral):
    """Operators along the diagonal.

    Args:
        operators: The blocks, square or not, from the first rows to the last.

    >>> one = tf.linalg.LinearOperatorDiag([2.])
    >>> tf.linalg.LinearOperatorBlockDiag([one, one]).to_dense().numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """

    def _to_dense(self) -> Tensor:
        return _blocks([[o if k == n else None for n in range(k + 1)] for k, o in enumerate(self.operators)])


class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Operators in rows of growing length: those on the diagonal, and those below it.

    Args:
        operators: The rows of blocks: the k-th row has k of them, the last of which lies on the diagonal.

    >>> one = tf.linalg.LinearOperatorDiag([2.])
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [one, one]]).to_dense().numpy()
    array([[2., 0.],
           [2., 2.]], dtype=float32)
    """

    def __init__(
        self, operators: Sequence[Sequence[LinearOperator]], is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=None, name=None,
    ) -> None:  # fmt: skip
        self.operators = [list(row) for row in operators]
        if [len(row) for row in self.operators] != list(range(1, len(self.operators) + 1)):
            raise ValueError(
                f"Row k of the blocks has k operators, got rows of {[len(row) for row in self.operators]}."
            )
        super().__init__(
            self.operators[0][0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    def _to_dense(self) -> Tensor:
        return _blocks(self.operators)


def _blocks(rows: list[list[LinearOperator | None]]) -> Tensor:
    """The matrix of blocks below and on the diagonal; None is zeros."""
    known = [o for row in rows for o in row if o is not None]
    batch = list(reduce(broadcast_static_shape, [o.batch_shape for o in known]))
    heights, widths = [row[-1].range_dimension for row in rows], [row[-1].domain_dimension for row in rows]

    def block(k: int, n: int) -> Tensor:
        operator = rows[k][n] if n < len(rows[k]) else None
        size = [*batch, heights[k], widths[n]]
        return zeros(size, known[0].dtype) if operator is None else broadcast_to(operator.to_dense(), size)

    return concat([concat([block(k, n) for n in range(len(rows))], -1) for k in range(len(rows))], -2)


class LinearOperatorLowRankUpdate(LinearOperator):
    """`L + U D V'` of an operator L, thin matrices U and V (the same as U by default) and a diagonal D (ones by
    default).

    Args:
        base_operator: L, a `tf.linalg.LinearOperator`.
        u: U, matrices of few columns.
        diag_update: The diagonal D; None: ones.
        v: V, of the shape of `u`; None: the same as `u`.
        is_diag_update_positive: Whether D > 0; None: not known.

    >>> base = tf.linalg.LinearOperatorDiag([1., 1.])
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.], [2.]]).to_dense().numpy()
    array([[2., 2.],
           [2., 5.]], dtype=float32)
    """

    def __init__(
        self, base_operator: LinearOperator, u: Any, diag_update: Any = None, v: Any = None,
        is_diag_update_positive: bool | None = None, is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=None, name=None,
    ) -> None:  # fmt: skip
        self.base_operator, self.u = base_operator, given(u)
        self.v = self.u if v is None else given(v)
        self.diag_update = None if diag_update is None else given(diag_update)
        self.is_diag_update_positive = True if diag_update is None else is_diag_update_positive
        if v is None:  # what is added is its own adjoint, too, and positive where the diagonal is
            if is_self_adjoint is None and base_operator.is_self_adjoint and not base_operator.dtype.is_complex:
                is_self_adjoint = True
            if is_positive_definite is None and base_operator.is_positive_definite and self.is_diag_update_positive:
                is_positive_definite = True
        super().__init__(
            base_operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    @property
    def diag_operator(self) -> LinearOperator:
        """D."""
        if self.diag_update is None:
            return LinearOperatorIdentity(self.u.shape[-1], dtype=self.dtype)
        return LinearOperatorDiag(self.diag_update, is_positive_definite=self.is_diag_update_positive)

    def _scaled(self) -> Tensor:
        u = as_tensor(self.u)
        return u if self.diag_update is None else u * as_tensor(self.diag_update)[..., None, :]

    def _to_dense(self) -> Tensor:
        return self.base_operator.to_dense() + linalg.matmul(
            *together(self._scaled(), linalg.adjoint(as_tensor(self.v)))
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = (as_tensor(self.v), self._scaled())[:: 1 if adjoint else -1]
        thin = linalg.matmul(*together(linalg.adjoint(right), linalg.adjoint(x) if adjoint_arg else x))
        return math.add(self.base_operator._matmul(x, adjoint, adjoint_arg), linalg.matmul(*together(left, thin)))
