"""Sums, products, quotients, powers: the operators of a tensor."""

import operator


from tapeflow.core.dtypes import INEXACT, NUMERIC
from tapeflow.core.errors import InvalidArgumentError

from .families import broadcasting, elementwise


def _op(python_operator, name):
    """NumPy's scalars (rank 0) multiply in 40 ns by the operator and in 500 by the ufunc; arrays do not care."""
    return {"numpy": python_operator, "jax": name}


# ---- sums and products

add = broadcasting(
    "add(a, b)",
    kernel=_op(operator.add, "add"),
    vjp={"a": lambda g: g, "b": lambda g: g},
    clash=InvalidArgumentError,
)
sub = broadcasting("sub(a, b)", kernel=_op(operator.sub, "subtract"), vjp={"a": lambda g: g, "b": lambda g: -g})
mul = broadcasting(
    "mul(a, b)", kernel=_op(operator.mul, "multiply"), vjp={"a": lambda g, b: g * b, "b": lambda g, a: g * a}
)
neg = elementwise("neg(x)", kernel=_op(operator.neg, "negative"), vjp=lambda g: -g, dtypes=NUMERIC)
