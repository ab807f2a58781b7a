"""NumPy's functions on tensors: how one is declared, and how the rest of the library finds them.

The same functions serve `tf.experimental.numpy`, `np.sin(tensor)` on a tape, and the array API. They take NumPy's
arguments, give NumPy's dtypes, and are compositions of primitives, so that every one of them differentiates.
"""

from collections.abc import Callable
from inspect import cleandoc
from typing import Any

import numpy as np

from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

# By NumPy's name ("sum", "linalg.norm"): the function, and the arguments of the example in its docstring.
FUNCTIONS: dict[str, Callable] = {}
EXAMPLES: dict[str, str] = {}


def like_numpy(
    example: str, *also: str, within: str = "", check: str = "np.allclose({ours}, {theirs})"
) -> Callable[..., Any]:
    """Declare a function under its own name and the names in `also`, as a member of np or of np.<within>.

    The example becomes a doctest that compares with NumPy, and a case of the test that compares values, dtypes and
    gradients.
    """

    def declare(function: Callable) -> Callable:
        space = f"{within}." if within else ""
        name = function.__name__.rstrip("_").removeprefix(f"{within}_")
        for known in (name, *also):
            FUNCTIONS[space + known] = function
            EXAMPLES[space + known] = example
        ours, theirs = f"tf.experimental.numpy.{space}{name}({example})", f"np.{space}{name}({example})"
        # Not indented: from Python 3.13 on a docstring is not, either.
        summary = cleandoc(function.__doc__ or f"NumPy's `np.{space}{name}` on tensors, differentiable.")
        function.__doc__ = f"{summary}\n\n>>> {check.format(ours=ours, theirs=theirs)}\nTrue\n"
        function.__name__ = function.__qualname__ = name
        return function

    return declare


def members(space: str = "") -> dict[str, Callable[..., Any]]:
    """What np, or np.<space>, has of the functions: {"norm": the function, …}."""
    return {
        name: function
        for known, function in FUNCTIONS.items()
        for where, _, name in [known.rpartition(".")]
        if where == space
    }


def numpy_dtype(dtype: Any) -> DType | None:
    """The dtype NumPy means by it: `float` is float64 and `int` is int64 here."""
    if dtype is None or isinstance(dtype, DType):
        return dtype
    return as_dtype(np.dtype(dtype))


def axes(axis: Any, rank: int) -> tuple[int, ...]:
    """NumPy's `axis` as non-negative ints: None for all of them, an int, or several, in the order given."""
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(one_axis(a, rank) for a in given)


def one_axis(axis: Any, rank: int) -> int:
    axis = int(axis)
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return axis % rank


def unwrapped(value: Any) -> Any:
    """Variables as tensors, also inside lists: a read that every tape is told of."""
    if isinstance(value, Variable):
        return value.operand()
    if type(value) in (list, tuple):
        return type(value)(unwrapped(v) for v in value)
    return value


def is_ours(value: Any) -> bool:
    return isinstance(value, (Tensor, Variable))
