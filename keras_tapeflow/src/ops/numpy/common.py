"""What Keras' NumPy functions share: dtypes by Keras' rules, axes, and the library's NumPy functions by name."""

from functools import lru_cache
from typing import Any

import numpy as np
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.config import floatx

from tapeflow.api.arguments import static_shape
from tapeflow.api.interop.numpy_functions import FUNCTIONS
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor

from ..core import dense_tensor as convert_to_tensor

# Numbers without a dtype of their own: they take that of what they meet.
_NUMBERS = frozenset({bool, int, float, complex})
_REAL = frozenset({int, float})
_KINDS = {Size: int, complex: "complex64"}


def tensor(x: Any, dtype: Any = None) -> Tensor:
    """`x` as a tensor, cast to `dtype` if there is one."""
    if isinstance(x, Tensor):
        return x if dtype is None else cast(x, as_dtype(dtype))
    if dtype is not None and type(x) in _NUMBERS:  # whatever the number: 2 is a truth, 1.5 the integer 1, as in NumPy
        dtype = as_dtype(dtype)
        return EagerTensor(dtype.np.type(x) if dtype.kind == "f" else np.asarray(x).astype(dtype.np)[()])
    if isinstance(x, Size):
        return cast(to_tensor(x), as_dtype(dtype or "int32"))
    return convert_to_tensor(x, dtype.name if isinstance(dtype, DType) else dtype)


def cast(x: Tensor, dtype: DType) -> Tensor:
    return x if x.dtype is dtype else ops.cast(x, dtype=dtype.np)


@lru_cache(None)
def _result(default: str, kinds: tuple) -> DType:
    return as_dtype(result_type(*kinds))


def result(*kinds: Any) -> DType:
    """The dtype in which things of these kinds meet: names of dtypes, or types of Python's numbers."""
    return _result(floatx(), kinds)


def kind(x: Any) -> Any:
    """What a value says about the dtype of a result: its own, or the type of a Python number, which gives way."""
    return x.dtype.name if isinstance(x, Tensor) else _KINDS.get(type(x)) or type(x)


def common(*xs: Any, also: tuple = ()) -> list[Tensor]:
    """Tensors of one dtype; `also=(float,)` makes it a floating one."""
    if len(xs) == 2 and not also:  # by far the most frequent
        a, b = xs
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype is b.dtype:
            return [a, b]
    xs = tuple([x if isinstance(x, (Tensor, Size)) or type(x) in _NUMBERS else convert_to_tensor(x) for x in xs])
    dtype = result(*[kind(x) for x in xs], *also)
    return [tensor(x, dtype) for x in xs]


def alike(a: Any, b: Any) -> bool:
    """Are both floating (or complex) tensors of one dtype? Then they meet as they are."""
    return isinstance(a, Tensor) and isinstance(b, Tensor) and (dtype := a.dtype) is b.dtype and dtype.kind in "fc"


def takes_number(x: Any, number: Any) -> bool:
    """Does the number just become one of the tensor's kind? Primitives know how, in a fifth of the time."""
    return type(number) in _REAL and isinstance(x, Tensor) and x.dtype.kind == "f"


def floating(x: Any) -> Tensor:
    """As a tensor of floating or complex numbers."""
    x = tensor(x)
    return x if x.dtype.is_inexact else cast(x, result(x.dtype.name, float))


def counting(x: Any) -> Tensor:
    """Truths as numbers, 0 and 1."""
    x = tensor(x)
    return ops.cast(x, dtype=np.dtype("int32")) if x.dtype.is_bool else x


def truth(x: Any) -> Tensor:
    x = tensor(x)
    return x if x.dtype.is_bool else ops.not_equal(x, ops.zeros_like(x))


def one_axis(axis: Any, rank: int) -> int:
    axis = int(axis)
    if not -rank <= axis < rank:
        raise ValueError(
            f"axis {axis} is out of bounds for a tensor with {rank} axes: give one from {-rank} to {rank - 1}."
        )
    return axis % rank


def axes(axis: Any, rank: int) -> tuple[int, ...]:
    """None for all axes, a number, or several, as non-negative numbers in their order."""
    if axis is None:
        return tuple(range(rank))
    if type(axis) is int:
        return (one_axis(axis, rank),)
    return tuple([one_axis(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))])


def ordered_axes(axis: Any, rank: int) -> tuple[int, ...]:
    found = axes(axis, rank)
    return found if len(found) < 2 else tuple(sorted(found))


def shape_of(shape: Any) -> tuple:
    """A shape as Keras gives it: a number, several, or a tensor of them."""
    if isinstance(shape, (int, np.integer, Size)):
        return (shape,)
    return static_shape(shape)


def numpy_function(name: str) -> Any:
    """NumPy's function of this name on tensors, with NumPy's dtypes: give it tensors of the dtype that Keras wants."""
    return FUNCTIONS[name]


def named(function: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    return function
