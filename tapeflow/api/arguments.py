"""How a primitive becomes a public function."""

import operator
import sys
from collections.abc import Callable
from typing import Any

from tapeflow.core import entry
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import ValueNeeded, dtype_clash, invalid
from tapeflow.core.sizes import Size


def expose(function: Callable, signature: str, doc: str) -> Callable:
    """The primitive behind `function` under TensorFlow's name and argument names, plus `name=None`, with a docstring.

    It is the primitive's own entry, written again for this signature: the public function costs not one call more.

        sin = expose(ops.sin, "sin(x)", "Sine of every element. …")
    """
    name, _, inputs = signature.partition("(")
    names = tuple(s.strip() for s in inputs.rstrip(")").split(","))
    made = entry.write(function.primitive, name=name, inputs=names, extra=", name=None", doc=doc)
    made.__module__ = "tapeflow"
    # doctest only looks at functions compiled in the module itself, and at this table
    sys._getframe(1).f_globals.setdefault("__test__", {})[name] = doc
    return made


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
    """A count or an axis as an int. A float is a mistake, also 2.0: it comes from a division that meant `//`."""
    try:
        return _number(value)
    except ValueNeeded:
        raise
    except TypeError:
        raise dtype_clash(f"{what} must be an integer, got {value!r}.") from None


def one_axis(axis: Any, rank: int, what: str = "axis") -> int:
    """One axis as a non-negative int."""
    axis = whole(axis, what)
    if not -rank <= axis < max(rank, 1):
        raise invalid(
            f"{what}={axis} is out of range for a tensor of rank {rank}: it must be from {-rank} to {rank - 1}."
        )
    return axis + rank if axis < 0 else axis


def _numbers(tensor: Any) -> list:
    """What is in a tensor of sizes, some of which may not be known."""
    known = getattr(tensor, "_known", None)
    return (tensor.array if known is None else known).reshape(-1).tolist()


def _number(size: Any) -> Any:
    known = getattr(size, "_known", None)
    size = size if known is None else known.item()
    return size if type(size) is Size else operator.index(size)


def static_shape(shape: Any) -> tuple[int, ...]:
    """A shape given as ints, a list, a TensorShape or an integer tensor, as a tuple of ints."""
    if type(shape) is int:
        return (shape,)
    if not isinstance(shape, (list, tuple)):
        shape = _numbers(as_tensor(shape))
    try:
        return tuple([_number(d) for d in shape])
    except ValueNeeded:
        raise
    except TypeError:
        if None in tuple(shape):
            raise ValueError(
                f"Cannot use a partially known shape here: {tuple(shape)}. Give all of its sizes."
            ) from None
        raise dtype_clash(f"A shape is made of integers, got {tuple(shape)}.") from None
