"""Products of matrices."""

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import NUMERIC
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.primitive import Spec, primitive

matrix_transpose = primitive(
    "matrix_transpose(x)",
    kernel=lambda xp, x: xp.swapaxes(x, -1, -2),
    shape=lambda x: Spec(shape=(*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype),
    vjp=lambda ops, g: ops.matrix_transpose(g),
)


def _matmul_shape(a, b):
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise invalid(f"matmul needs matrices, got shapes {a.shape} and {b.shape}")
    return Spec(shape=(*broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), dtype=a.dtype)


def _matmul(xp, a, b):
    if a.ndim < 2 or b.ndim < 2:
        raise invalid(
            f"matmul needs tensors of rank 2 or more, got shapes {a.shape} and {b.shape}. "
            "For vectors use tf.tensordot(a, b, 1), tf.linalg.matvec(a, b) or tf.reduce_sum(a * b)."
        )
    return xp.matmul(a, b)


matmul = primitive(
    "matmul(a, b)",
    kernel=_matmul,
    shape=_matmul_shape,
    vjp={
        "a": lambda ops, g, b: ops.matmul(g, ops.matrix_transpose(b)),
        "b": lambda ops, g, a: ops.matmul(ops.matrix_transpose(a), g),
    },
    dtypes=NUMERIC,
    broadcasts="batch",
    clash=InvalidArgumentError,
)
