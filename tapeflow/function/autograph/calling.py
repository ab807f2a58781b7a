"""Calls in converted code: the user's functions are converted too, and Python's builtins take symbolic tensors."""

import builtins
import functools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from tapeflow.core.dtypes import float32, int32
from tapeflow.core.errors import user_line
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

from . import convert
from .containers import check_method, made
from .ranges import range_, range_for_loop
from .symbolic import is_scalar, is_symbolic, rows, tracing, truth

CALLS_FOR_USERS = True  # errors are about what is called, not about this


def called(function: Any) -> Any:
    """What is called in place of a function."""
    kind = type(function)
    if kind is BuiltinFunctionType:
        if type(function.__self__) in _CHANGEABLE:
            check_method(function)
        return _BUILTINS.get(function, function) if function.__self__ is builtins else function
    if kind is type:
        return _BUILTINS.get(function, function)
    if kind is FunctionType or kind is MethodType:
        if convert.is_ours(function):
            return functools.partial(_with_converted_arguments, function)
        return convert.converted(function)
    return function if isinstance(function, type) else convert.converted(function)


def called_for_loop(function: Any) -> Any:
    """The same, where the result is only iterated over."""
    if type(function) is FunctionType and function.__qualname__ == "range" and convert.is_ours(function):
        return functools.partial(_range_or_tensor, function)
    return called(function)


def _range_or_tensor(function: Callable, *args: Any, **kwargs: Any) -> Any:
    found = range_for_loop(*args, **kwargs) if tracing() else None
    return function(*args, **kwargs) if found is None else found


def _with_converted_arguments(function: Callable, *args: Any, **kwargs: Any) -> Any:
    """A function of ours that is given functions of the user's: `tf.map_fn(step, x)`."""
    if any(type(a) is FunctionType for a in args):
        args = tuple([convert.converted(a) if type(a) is FunctionType else a for a in args])
    if kwargs and any(type(a) is FunctionType for a in kwargs.values()):
        kwargs = {name: convert.converted(a) if type(a) is FunctionType else a for name, a in kwargs.items()}
    return function(*args, **kwargs)


# ---- functions of Python's


def _int(*args: Any) -> Any:
    return _cast(args[0], int32) if len(args) == 1 and is_symbolic(args[0]) else int(*args)


def _float(*args: Any) -> Any:
    return _cast(args[0], float32) if args and is_symbolic(args[0]) else float(*args)


def _bool(*args: Any) -> Any:
    return truth(args[0]) if args and is_symbolic(args[0]) else bool(*args)


def _cast(value: Any, dtype: Any) -> Tensor:
    tensor = value.value() if isinstance(value, Variable) else value
    if tensor.sizes.num_elements() != 1:
        raise TypeError(
            f"Only tensors of one element become Python numbers, got shape {tuple(tensor.shape)}, at {user_line()}."
        )
    tensor = ops.reshape(tensor, shape=()) if tensor.ndim else tensor
    return tensor if tensor.dtype is dtype else ops.cast(tensor, dtype=dtype.np)


def _over_rows(function: Callable) -> Callable:
    """A function of Python's that iterates over its arguments."""

    @functools.wraps(function, updated=())
    def of_rows(*args: Any, **kwargs: Any) -> Any:
        return function(*[rows(a) if isinstance(a, (Tensor, Variable)) else a for a in args], **kwargs)

    return of_rows


def _making(function: Callable) -> Callable:
    """One that makes a list or the like."""
    make = _over_rows(function)
    return lambda *args, **kwargs: made(make(*args, **kwargs))


def _map(function: Callable, *iterables: Any) -> Any:
    return map(called(function), *[rows(values) for values in iterables])


def _filter(function: Any, iterable: Any) -> Any:
    return filter(function and called(function), rows(iterable))


def _sum(values: Any, /, start: Any = 0) -> Any:
    if not is_symbolic(values):
        return sum(values, start)
    total = ops.reduce_sum(values, axis=(0,), keepdims=False)
    return total if type(start) is int and start == 0 else start + total


def _all(values: Any) -> Any:
    return _every(values, ops.logical_and, False)


def _any(values: Any) -> Any:
    return _every(values, ops.logical_or, True)


def _every(values: Any, join: Callable, ends: bool) -> Any:
    together: Any = not ends
    for value in rows(values):
        if is_symbolic(value):
            value = truth(value)
            together = value if together is (not ends) else join(together, value)
        elif bool(value) is ends:
            return ends
    return together


def _max(*args: Any, **kwargs: Any) -> Any:
    return _extreme(max, ops.maximum, ops.reduce_max, args, kwargs)


def _min(*args: Any, **kwargs: Any) -> Any:
    return _extreme(min, ops.minimum, ops.reduce_min, args, kwargs)


def _extreme(function: Callable, of_two: Callable, of_all: Callable, args: tuple, kwargs: dict) -> Any:
    values: Any = args if len(args) != 1 else args[0]
    if not kwargs and is_symbolic(values) and values.sizes.rank == 1:
        return of_all(values, axis=(0,), keepdims=False)
    if (
        not kwargs
        and isinstance(values, (list, tuple))
        and any(map(is_symbolic, values))
        and all(map(is_scalar, values))
    ):
        return functools.reduce(of_two, values)
    return function(*args, **kwargs)


_CHANGEABLE = {list, dict, set, deque, OrderedDict, defaultdict}
_BUILTINS: dict[Any, Callable] = {
    range: range_, int: _int, float: _float, bool: _bool, sum: _sum, all: _all, any: _any, max: _max, min: _min,
    map: _map, filter: _filter, enumerate: _over_rows(enumerate), zip: _over_rows(zip), reversed: _over_rows(reversed),
    tuple: _over_rows(tuple), iter: _over_rows(iter), list: _making(list), set: _making(set), dict: _making(dict),
    sorted: _making(sorted),
}  # fmt: skip
