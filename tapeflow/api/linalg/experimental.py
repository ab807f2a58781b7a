"""`tf.linalg.experimental`: conjugate gradients."""

from typing import Any, NamedTuple

from tapeflow.api import linalg, math
from tapeflow.api.arrays.building import zeros_like
from tapeflow.api.arrays.constants import convert_to_tensor
from tapeflow.api.arrays.indexing import where
from tapeflow.core.apply import as_tensor
from tapeflow.core.tensor import Tensor

__all__ = ["conjugate_gradient"]


class CGState(NamedTuple):
    """Where the method stopped: steps, solution, residual, direction, and the residual's square."""

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


def conjugate_gradient(
    operator: Any, rhs: Any, preconditioner: Any = None, x: Any = None, tol: float = 1e-5, max_iter: int = 20,
    name: str = "conjugate_gradient"
) -> CGState:  # fmt: skip
    """Solves `operator x = rhs` for vectors by conjugate gradients, until the residual is `tol` times that of the
    start, or for `max_iter` steps. The operator must be known to be its own adjoint and positive definite.

    Args:
        operator: A `tf.linalg.LinearOperator` that is known to be self-adjoint and positive definite.
        rhs: The right-hand side, a vector.
        preconditioner: An operator close to the inverse of `operator`; None: none.
        tol: Stop when the residual is shorter than this times the length of `rhs`.
        x: Where to start; None: at 0.
        max_iter: Stop after so many steps.

    Raises:
        ValueError: If the operator is not known to be self-adjoint and positive definite.

    >>> A = tf.linalg.LinearOperatorDiag([1., 4.], is_positive_definite=True)
    >>> tf.linalg.experimental.conjugate_gradient(A, [2., 2.]).x.numpy()
    array([2. , 0.5], dtype=float32)
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError(
            "Expected a self-adjoint, positive definite operator: say is_self_adjoint=True and "
            "is_positive_definite=True."
        )
    if preconditioner is not None and not (preconditioner.is_self_adjoint and preconditioner.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite preconditioner.")
    rhs = as_tensor(rhs)
    if x is None:
        x, r = zeros_like(rhs), rhs
    else:
        x = as_tensor(x)
        r = rhs - operator.matvec(x)
    conditioned = lambda r: r if preconditioner is None else preconditioner.matvec(r)
    dot = lambda a, b: math.reduce_sum(a * b, -1)
    p = conditioned(r)
    gamma, bound, steps = dot(r, p), float(tol) * linalg.norm(r, axis=-1), 0
    while steps < int(max_iter) and bool(math.reduce_any(linalg.norm(r, axis=-1) > bound)):
        z = operator.matvec(p)
        curvature = dot(p, z)
        alpha = (gamma / where(curvature == 0, math.reduce_sum(zeros_like(p), -1) + 1, curvature))[
            ..., None
        ]  # a row that is done stays
        x, r = x + alpha * p, r - alpha * z
        q = conditioned(r)
        before, gamma = gamma, dot(r, q)
        p = q + (gamma / where(before == 0, before + 1, before))[..., None] * p
        steps += 1
    return CGState(convert_to_tensor(steps), x, r, p, gamma)
