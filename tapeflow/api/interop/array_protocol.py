"""NumPy's functions on tensors: `np.sin(t)`, `np.sum(t, axis=1)`, `np.concatenate([t, u])`.

While a tape watches an argument they stay on the tape: the function of the same name in `numpy_functions` runs, and
its result is an array that knows its tensor (`TapedArray`). (In TensorFlow they leave it silently, the most common
cause of a `None` gradient.) A NumPy function without a counterpart raises then. When nobody watches, NumPy itself runs
on the values and gives its own arrays, as in TensorFlow.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.api.arrays.operators import BINARY
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

from .numpy_functions import FUNCTIONS
from .taped_array import TapedArray, shown, watched

# `array + tensor` comes here as np.add(array, tensor): the tensor's operator answers, whoever watches.
_OPERATORS = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.divide: "truediv", np.floor_divide: "floordiv",
    np.remainder: "mod", np.power: "pow", np.matmul: "matmul", np.bitwise_and: "and", np.bitwise_or: "or",
    np.bitwise_xor: "xor", np.less: "lt", np.less_equal: "le", np.greater: "gt", np.greater_equal: "ge",
    np.equal: "eq", np.not_equal: "ne",
}  # fmt: skip

# What `ufunc.reduce` and `ufunc.accumulate` are called otherwise.
_REDUCE = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
_ACCUMULATE = {np.add: "cumsum", np.multiply: "cumprod"}

# Functions that only look: there is nothing to differentiate, and a tensor would be no use.
_LOOKING = (
    "allclose array2string array_equal array_equiv array_repr array_str can_cast iscomplexobj isrealobj isscalar "
    "may_share_memory min_scalar_type ndim result_type save savetxt savez savez_compressed shape shares_memory size"
)

# Those of them that need no values, and so may look at a tensor that has one for each row of a vectorised function.
_SHAPES_AND_DTYPES = "can_cast iscomplexobj isrealobj isscalar ndim result_type shape size".split()

# scipy.special's ufuncs by name, and where tf.math has them.
_SPECIAL = {
    "bessel_i0": "i0", "bessel_i0e": "i0e", "bessel_i1": "i1", "bessel_i1e": "i1e", "digamma": "psi digamma",
    "erf": "erf", "erfc": "erfc", "erfcinv": "erfcinv", "erfinv": "erfinv", "igamma": "gammainc",
    "igammac": "gammaincc", "lgamma": "gammaln", "ndtri": "ndtri", "polygamma": "polygamma", "sigmoid": "expit",
    "xlog1py": "xlog1py", "xlogy": "xlogy", "zeta": "zeta", "betainc": "betainc",
}  # fmt: skip


def _array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if (
        method == "__call__"
        and not kwargs
        and len(inputs) == 2
        and ufunc in _OPERATORS
        and isinstance(inputs[0], (np.ndarray, np.generic))
        and isinstance(inputs[1], (Tensor, Variable, IndexedSlices))
    ):
        return BINARY[_OPERATORS[ufunc]](*inputs)
    inputs = tuple(map(_read, inputs))
    if any(isinstance(o, Tensor) for o in kwargs.get("out", ())):
        raise TypeError(
            f"np.{ufunc.__name__}(…, out=tensor): tensors never change. Use the result, or a variable's assign."
        )
    if not watched(inputs):
        return getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
    name = f"np.{ufunc.__name__}" if getattr(np, ufunc.__name__, None) is ufunc else ufunc.__name__
    function = _ufunc_method(ufunc, method)
    if function is None:
        raise _no_counterpart(name if method == "__call__" else f"{name}.{method}", inputs)
    return _called(function, name, inputs, kwargs)


def _ufunc_method(ufunc: np.ufunc, method: str) -> Callable | None:
    if method == "__call__":
        if getattr(np, ufunc.__name__, None) is ufunc:
            return FUNCTIONS.get(ufunc.__name__)
        return next(
            (getattr(tf.math, ours) for ours, theirs in _SPECIAL.items() if ufunc.__name__ in theirs.split()), None
        )
    if method == "reduce" and ufunc in _REDUCE:
        return lambda a, axis=0, **rest: FUNCTIONS[_REDUCE[ufunc]](a, axis, **rest)
    if method == "accumulate" and ufunc in _ACCUMULATE:
        return lambda a, axis=0, **rest: FUNCTIONS[_ACCUMULATE[ufunc]](a, axis, **rest)
    if method == "outer" and ufunc.__name__ in FUNCTIONS:
        return lambda a, b: _outer(FUNCTIONS[ufunc.__name__], a, b)
    return None


def _outer(function: Callable, a: Any, b: Any) -> Tensor:
    return function(FUNCTIONS["reshape"](a, (*np.shape(a), *[1] * np.ndim(b))), b)


def _array_function(self: Any, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
    if not all(issubclass(t, (Tensor, Variable, IndexedSlices, np.ndarray)) for t in types):
        return NotImplemented
    args, kwargs = _mapped(_read, args), {k: _mapped(_read, v) for k, v in kwargs.items()}
    if function.__name__ in _SHAPES_AND_DTYPES:
        return function(*_mapped(_outline, args), **{k: _mapped(_outline, v) for k, v in kwargs.items()})
    if function.__name__ in _LOOKING.split() or not watched((args, list(kwargs.values()))):
        return function(*_mapped(_plain, args), **{k: _mapped(_plain, v) for k, v in kwargs.items()})
    found = _counterparts().get(function)
    if found is None:
        raise _no_counterpart(f"np.{function.__name__}", args)
    return _called(found, f"np.{function.__name__}", args, kwargs)


_COUNTERPARTS: dict[Any, Callable] = {}


def _counterparts() -> dict[Any, Callable]:
    """Our functions by NumPy's function objects; made when first needed."""
    if not _COUNTERPARTS:
        for name, ours in FUNCTIONS.items():
            theirs: Any = np
            for part in name.split("."):
                theirs = getattr(theirs, part, None)
            if theirs is not None:
                _COUNTERPARTS[theirs] = ours
    return _COUNTERPARTS


def _called(function: Callable, name: str, args: Any, kwargs: dict) -> Any:
    if kwargs.get("out") is not None:
        raise TypeError(
            f"{name}(…, out=array) would take its result off the tape that watches an argument. Use the returned "
            "tensor."
        )
    given = {k: v for k, v in kwargs.items() if v is not np._NoValue and k != "out"}
    try:
        return shown(function(*args, **given))
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise TypeError(
                f"{name} of a tensor that a tape watches does not take {', '.join(given)}: {error}"
            ) from None
        raise


def _no_counterpart(name: str, args: Any) -> TypeError:
    _mapped(_plain, args)  # where tensors have no values, that is what is wrong
    return TypeError(
        f"{name} has no differentiable counterpart, and a tape watches its argument: the result would silently be a "
        f"constant. Say so with {name}(x.numpy()) if that is meant, or compute it with tf functions."
    )


# ---- arguments


def _read(value: Any) -> Any:
    """A variable as a tensor of its value, which every tape is told of; slices as their dense form; an array as the
    tensor it shows."""
    if isinstance(value, Variable):
        return value.operand()
    if isinstance(value, TapedArray):
        return value.plain() if value.tensor is None else value.tensor
    return value.dense() if isinstance(value, IndexedSlices) else value


def _plain(value: Any) -> Any:
    """A tensor as a read-only view of its array."""
    if not isinstance(value, Tensor):
        return value
    view = np.asarray(value.array).view()
    view.flags.writeable = False
    return view


def _outline(value: Any) -> Any:
    """A tensor as an array of its shape and dtype."""
    if not isinstance(value, Tensor):
        return value
    return np.broadcast_to(np.zeros((), value.dtype.np), tuple(value.sizes))


def _mapped(function: Callable, value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)([_mapped(function, v) for v in value])
    return function(value)


for _class in (Tensor, Variable, IndexedSlices, TapedArray):
    _class.__array_ufunc__ = _array_ufunc
    _class.__array_function__ = _array_function
