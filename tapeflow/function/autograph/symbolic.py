"""Symbolic tensors in Python statements: which values are symbolic, their truth, their rows, undefined variables."""

from contextvars import ContextVar
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import bool_
from tapeflow.core.errors import user_line
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.graph import Graph, SymbolicTensor

_KNOWN = {bool, int, float, str, type(None), list, tuple, dict, EagerTensor}  # for speed; others are looked at


def tracing() -> bool:
    """Is a graph being written, by whoever executes or below?"""
    frame: Any = current()
    while frame is not None:
        if isinstance(frame.executor, Graph):
            return True
        frame = frame.below
    return False


def is_symbolic(value: Any) -> bool:
    """Does Python's `if` have to wait for it?"""
    kind = type(value)
    if kind is SymbolicTensor:
        return True
    return kind not in _KNOWN and isinstance(value, (Tensor, Variable)) and tracing()


def truth(value: Any) -> Tensor:
    """A single boolean, of a condition that may be any number."""
    tensor = value.value() if isinstance(value, Variable) else to_tensor(value)
    if tensor.sizes.num_elements() != 1:
        raise ValueError(
            f"A condition must be a scalar, got shape {tuple(tensor.shape)}, at {user_line()}. "
            "Say what is meant by tf.reduce_any(x) or tf.reduce_all(x), or choose elements by tf.where."
        )
    tensor = tensor if tensor.dtype is bool_ else ops.cast(tensor, dtype=bool_.np)
    return ops.reshape(tensor, shape=()) if tensor.ndim else tensor


def negated(value: Any) -> Tensor:
    """`not value`; of several booleans, each of them."""
    several = isinstance(value, Tensor) and value.dtype is bool_ and value.ndim
    result = ops.logical_not(value if several else truth(value))
    _last.set((result, value))
    return result


def is_negation_of(test: Any, value: Any) -> bool:
    """Was `test` just now made as `not value`?"""
    result, operand = _last.get()
    return result is test and operand is value


_last: ContextVar[tuple] = context_variable("tapeflow_negated", (None, None))


def rows(values: Any) -> Any:
    """What Python can iterate over: the rows of a tensor, if it is one."""
    if not is_symbolic(values):
        return values
    tensor = values.value() if isinstance(values, Variable) else values
    if not tensor.ndim:
        raise TypeError(f"Cannot iterate over a scalar tensor, at {user_line()}.")
    return list(ops.unstack(tensor, axis=0)) if int(tensor.sizes[0]) else []  # a size that is not known is asked for


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.ndarray, np.generic))


def is_scalar(value: Any) -> bool:
    return value.sizes.rank == 0 if isinstance(value, (Tensor, Variable)) else is_number(value) and not np.ndim(value)


class Undefined:
    """Stands for a variable that has no value yet."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name} has no value>"


class UndefinedReturnValue:
    """Stands for what a function returns, before it does."""


def ld(value: Any) -> Any:
    """The value of a variable, which must have one."""
    if type(value) is Undefined:
        raise UnboundLocalError(f"cannot access local variable '{value.name}' where it is not associated with a value")
    return value


def ldu(read: Any, name: str) -> Any:
    """The value of `self.x` or `d["x"]`, if there is one."""
    try:
        return read()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)
