"""`expose`: how a primitive becomes a public function."""

import operator
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from tapeflow.core import entry
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import INDEX, int64
from tapeflow.core.errors import ValueNeeded, dtype_clash, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Size

F = TypeVar("F", bound=Callable[..., Any])


def expose(primitive: Callable) -> Callable[[F], F]:
    """A decorator that makes the function below it `primitive`, under TensorFlow's name and parameters.

    The function has a docstring for a body, and `name=None` as its last parameter:

        @expose(ops.sin)
        def sin(x: TensorLike, name: str | None = None) -> Tensor:
            \"""Sine of every element. …\"""

    What is called is the primitive's own entry, written again for this signature: the public function costs not one
    call more.
    """

    def replaced(function: F) -> F:
        *inputs, name = function.__code__.co_varnames[: function.__code__.co_argcount]
        if name != "name" or function.__defaults__ != (None,):
            raise TypeError(f"{function.__qualname__}: after the inputs goes `name: str | None = None`")
        called, doc = function.__name__, function.__doc__
        made = entry.write(primitive.primitive, name=called, inputs=tuple(inputs), extra=", name=None", doc=doc)
        made.__annotations__ = function.__annotations__
        made.__module__ = "tapeflow"
        # doctest only looks at functions compiled in the module itself, and at this table
        function.__globals__.setdefault("__test__", {})[called] = doc
        return cast(F, made)

    return replaced


def normal_axis(axis: Any, rank: int, what: str = "axis") -> tuple[int, ...]:
    """`axis` as a sorted tuple of non-negative ints: None means all of them, an int one, a list or tensor several."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, int):
        axes = [axis]
    else:
        axes = axis if isinstance(axis, (list, tuple)) else as_tensor(axis).array.ravel().tolist()
    return tuple(sorted({one_axis(a, rank, what) for a in axes}))


def whole(value: Any, what: str) -> int:
    """A count as an int, or as a size that is known later. A float is a mistake, also 2.0: it comes from a division
    that meant `//`."""
    return _whole(value, what, a_size)


def _whole(value: Any, what: str, number: Callable) -> int:
    try:
        return number(value)
    except ValueNeeded:
        raise
    except TypeError:
        raise dtype_clash(f"{what} must be an integer, got {value!r}.") from None


def wide_indices(indices: Any) -> Any:
    """Indices of a few bits, as those of 64 that primitives take."""
    if indices.dtype.is_integer and indices.dtype.np not in INDEX:
        return ops.cast(indices, dtype=int64.np)
    return indices


def one_axis(axis: Any, rank: int, what: str = "axis") -> int:
    """One axis as a non-negative int."""
    axis = _whole(axis, what, _number)
    if not -rank <= axis < max(rank, 1):
        raise invalid(
            f"{what}={axis} is out of range for a tensor of rank {rank}: it must be from {-rank} to {rank - 1}."
        )
    return axis + rank if axis < 0 else axis


def _numbers(tensor: Any) -> list:
    """What is in a tensor of sizes, some of which may not be known."""
    known = tensor.as_sizes() if hasattr(tensor, "as_sizes") else None
    return (tensor.array if known is None else known).reshape(-1).tolist()


def _number(size: Any) -> Any:
    known = getattr(size, "_known", None)
    size = size if known is None else known.item()
    return size if type(size) is Size else operator.index(size)


def a_size(value: Any) -> Any:
    """A number of elements: an int, or a size that is known later."""
    known = value.as_sizes() if hasattr(value, "as_sizes") else None
    return _number(value if known is None or known.ndim else known.item())


def static_shape(shape: Any, what: str = "A shape") -> tuple[int, ...]:
    """A shape given as ints, a list, a TensorShape or an integer tensor, as a tuple of ints. `what`: where it is
    something else that has the form of a shape."""
    if type(shape) is int:
        return (shape,)
    if isinstance(shape, np.ndarray) and shape.dtype.kind == "f":  # NumPy's [] is of floats, and so is what it joins
        sizes = shape.reshape(-1).tolist()
        shape = [int(d) for d in sizes] if all(d.is_integer() for d in sizes) else sizes
    if not isinstance(shape, (list, tuple)):
        shape = _numbers(as_tensor(shape))
    try:
        return tuple([a_size(d) for d in shape])
    except ValueNeeded:
        raise
    except TypeError:
        if None in tuple(shape):
            raise ValueError(
                f"Cannot use a partially known shape here: {tuple(shape)}. Give all of its sizes."
            ) from None
        if any(isinstance(d, (str, bytes)) for d in shape):
            raise ValueError(
                f"Can't convert Python sequence with mixed types to Tensor. {what} is made of integers, got "
                f"{tuple(shape)}."
            ) from None
        raise dtype_clash(f"{what} is made of integers, got {tuple(shape)}.") from None
