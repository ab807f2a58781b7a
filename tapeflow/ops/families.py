"""Families of primitives: `elementwise`, `broadcasting`, `reduction`, … declare what fifty operations share."""

from collections.abc import Callable
from typing import Any

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import FLOATING, INEXACT, NUMERIC
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.ops.broadcasting import LIKE_NUMPY

# ---- shape rules


def same_shape(x: Spec, *_: Any, **__: Any) -> Spec:
    return x


def broadcast_shape(a: Spec, *others: Spec, **__: Any) -> Spec:
    return Spec(shape=broadcast_shapes(a.shape, *[b.shape for b in others]), dtype=a.dtype)


def reduced(shape: tuple, axis: tuple[int, ...], keepdims: bool) -> tuple:
    return tuple(1 if i in axis else d for i, d in enumerate(shape) if keepdims or i not in axis)


# ---- kernels


def scalar_op(python_operator: Callable, name: str) -> dict[str, Any]:
    """NumPy's scalars (rank 0) multiply in 40 ns by the operator and in 500 by the ufunc; arrays do not care."""
    return {"numpy": python_operator, "jax": name}


# ---- families


def elementwise(signature: str, *, kernel: Any, vjp: Any, dtypes: Any = INEXACT, **rules: Any) -> Callable:
    """One input, one output of the same shape and dtype."""
    return primitive(
        signature, kernel=kernel, vjp=vjp, dtypes=dtypes, elementwise=True, **{"shape": same_shape, **rules}
    )


def broadcasting(signature: str, *, kernel: Any, vjp: Any, dtypes: Any = NUMERIC, **rules: Any) -> Callable:
    """Inputs that broadcast against each other and share a dtype."""
    return primitive(
        signature,
        kernel=kernel,
        vjp=vjp,
        dtypes=dtypes,
        elementwise=True,
        broadcasts=LIKE_NUMPY,
        **{"shape": broadcast_shape, **rules},
    )


def comparison(signature: str, *, kernel: Any, dtypes: Any, **rules: Any) -> Callable:
    """Inputs that broadcast, a bool output: no gradient."""
    shape = lambda *specs, **_: Spec(shape=broadcast_shape(*specs).shape, dtype=bool)
    return primitive(signature, kernel=kernel, vjp=CUT, dtypes=dtypes, elementwise=True, **{"shape": shape, **rules})


def step(signature: str, *, kernel: Any, dtypes: Any = FLOATING) -> Callable:
    """Piecewise constant: TensorFlow cuts the path here."""
    return elementwise(signature, kernel=kernel, vjp=CUT, dtypes=dtypes)
