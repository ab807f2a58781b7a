"""What may stand for a tensor, as types for annotations: a function of numbers takes a `TensorLike`, one of strings a
`TextLike`, and one that does not care what the elements are an `AnyTensorLike`. Dtypes, shapes and axes have their
own.

They are made with `TypeAliasType`, so that signatures show their names and not what is in them. Lists are not
followed to their elements: `list` is invariant, so that a `list[float]` is no list of anything else; and a `str`
would be a sequence of itself.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from typing_extensions import TypeAliasType

from .composite import Composite
from .dtypes import DType
from .slices import IndexedSlices
from .tensor import Tensor
from .variables.variable import Variable


@runtime_checkable
class SupportsTensor(Protocol):
    """Anything with `__tf_tensor__`."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor: ...


@runtime_checkable
class SupportsArray(Protocol):
    """Anything that NumPy makes an array of: other libraries' arrays, Keras' variables."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


TensorLike = TypeAliasType(
    "TensorLike",
    Tensor
    | Variable
    | IndexedSlices
    | Composite
    | SupportsTensor
    | SupportsArray
    | np.ndarray[Any, Any]
    | np.generic
    | bool
    | int
    | float
    | complex
    | list[Any]
    | tuple[Any, ...]
    | range,
)

TextLike = TypeAliasType(
    "TextLike",
    Tensor
    | Variable
    | Composite
    | SupportsTensor
    | SupportsArray
    | np.ndarray[Any, Any]
    | np.generic
    | str
    | bytes
    | list[Any]
    | tuple[Any, ...],
)

AnyTensorLike = TypeAliasType("AnyTensorLike", TensorLike | TextLike)

DTypeLike = TypeAliasType("DTypeLike", DType | np.dtype[Any] | type[Any] | str | int)

ShapeLike = TypeAliasType(
    "ShapeLike", int | np.integer[Any] | list[Any] | tuple[Any, ...] | Tensor | Variable | np.ndarray[Any, Any]
)

AxisLike = TypeAliasType("AxisLike", int | np.integer[Any] | Sequence[int] | Tensor | Variable | np.ndarray[Any, Any])
