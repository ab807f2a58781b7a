"""Assertions about values and types, the part of `tf.debugging` that programs use most. They return None, and raise
when they do not hold.

Inside a vectorised function an assertion about values is about those of all rows.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapeflow.api.strings.formatting import tensor_text
from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.convert import convert_group, to_tensor
from tapeflow.core.dtypes import DType, as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime import settings
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_same_float_dtype",
    "assert_type",
    "check_numerics",
    "disable_traceback_filtering",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]

# ---- two tensors, element by element


@at_every_run(checks=True)
def _compared(symbol: str, primitive: str, x: Any, y: Any, message: str | None, summarize: int | None) -> None:
    x, y = convert_group([x, y])
    result = getattr(ops, primitive)(x, y)
    held = values_of(result)
    if held.all():
        return
    shown = 3 if summarize is None else summarize if summarize >= 0 else held.size
    lines = [message] if message else []
    lines.append(f"Condition x {symbol} y did not hold.")
    a, b = (np.broadcast_to(values, held.shape) for values in _aligned(x, y))
    if held.ndim:
        where = np.argwhere(~held)
        lines.append(f"At {len(where)} of {held.size} elements; the first are:")
        lines += [
            f"  at {_place(i.tolist(), result.ndim)}: x = {tensor_text(a[tuple(i)])}, y = {tensor_text(b[tuple(i)])}"
            for i in where[:shown]
        ]
    lines.append(f"x has shape {tuple(x.shape)}: {tensor_text(values_of(x), shown)}")
    lines.append(f"y has shape {tuple(y.shape)}: {tensor_text(values_of(y), shown)}")
    raise invalid("\n".join(lines))


def _aligned(*tensors: Tensor) -> list[np.ndarray]:
    """The values of tensors that broadcast; rows of a vectorised function are leading axes of all that differ in
    them."""
    if any(type(t) is MappedTensor for t in tensors):
        shape = broadcast_shapes(*[t.sizes for t in tensors])
        tensors = tuple(ops.broadcast_to(t, shape=shape) for t in tensors)
    return [values_of(t) for t in tensors]


def _place(index: list[int], rank: int) -> str:
    """Of an element; in a vectorised function, of which row too."""
    split = len(index) - rank
    rows, own = index[:split], tuple(index[split:])
    row = f"row {rows[0] if len(rows) == 1 else tuple(rows)}, " if rows else ""
    return f"{row}{own}"


def assert_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x == y` everywhere, with broadcasting.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_equal(tf.constant([2, 2]), 2)
    >>> tf.debugging.assert_equal([1, 2], [1, 3], message="labels differ")
    Traceback (most recent call last):
    tapeflow.errors.InvalidArgumentError: labels differ
    Condition x == y did not hold.
    At 1 of 2 elements; the first are:
      at (1,): x = 2, y = 3
    x has shape (2,): [1 2]
    y has shape (2,): [1 3]
    """
    _compared("==", "equal", x, y, message, summarize)


def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x != y` everywhere.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_none_equal([1., 2.], 0.)
    """
    _compared("!=", "not_equal", x, y, message, summarize)


def assert_less(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x < y` everywhere.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_less([1, 2], 3)
    """
    _compared("<", "less", x, y, message, summarize)


def assert_less_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x <= y` everywhere.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_less_equal([1, 3], 3)
    """
    _compared("<=", "less_equal", x, y, message, summarize)


def assert_greater(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x > y` everywhere.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_greater([4, 5], 3)
    """
    _compared(">", "greater", x, y, message, summarize)


def assert_greater_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless `x >= y` everywhere.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_greater_equal([3, 5], 3)
    """
    _compared(">=", "greater_equal", x, y, message, summarize)


@at_every_run(checks=True)
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises InvalidArgumentError unless `|x - y| <= atol + rtol * |y|` everywhere; both are 10 epsilon of the dtype
    by default.

    Args:
        rtol: How far apart they may be, times the size of `y`; None: 10 epsilon.
        atol: How far apart they may be; None: 10 epsilon.

    Raises:
        InvalidArgumentError: If they are further apart anywhere.

    >>> tf.debugging.assert_near(1., 1.0000001)
    >>> tf.debugging.assert_near([1., 2.], [1., 2.1], atol=0.2)
    """
    x, y = convert_group([x, y])
    if not x.dtype.is_inexact:
        raise ValueError(f"assert_near compares floating and complex tensors, got {x.dtype.name}; use assert_equal.")
    epsilon = 10 * float(_finfo(x.dtype.real_dtype).eps)
    tolerance = lambda given: to_tensor(epsilon if given is None else given, x.dtype.real_dtype).array
    wide = np.float64 if not x.dtype.is_complex else np.complex128
    a, b = (values.astype(wide) for values in _aligned(x, y))
    relative, absolute = float(tolerance(rtol)), float(tolerance(atol))
    with np.errstate(all="ignore"):
        near = np.asarray((np.abs(a - b) <= absolute + relative * np.abs(b)) | (a == b))
    if not near.all():
        worst = np.abs((a - b)[~near] if near.ndim else a - b).max()
        shown = [tensor_text(values_of(t), summarize or 3) for t in (x, y)]
        raise invalid(
            (f"{message}\n" if message else "")
            + f"x and y not equal to tolerance rtol = {relative:g}, atol = {absolute:g} at {int((~near).sum())} of "
            f"{near.size} "
            f"elements; the largest difference is {worst:g}.\nx: {shown[0]}\ny: {shown[1]}"
        )


def _finfo(dtype: DType) -> Any:
    import ml_dtypes

    return ml_dtypes.finfo(dtype.np)


# ---- the sign of one tensor


@at_every_run(checks=True)
def _signed(symbol: str, test: Callable, x: Any, message: str | None, summarize: int | None) -> None:
    x = as_tensor(x)
    values = values_of(x)
    if not np.all(test(values)):
        raise invalid(
            (f"{message}\n" if message else "")
            + f"Condition x {symbol} 0 did not hold element-wise:\nx of shape {tuple(x.shape)} and dtype "
            f"{x.dtype.name} = "
            f"{tensor_text(values, 3 if summarize is None else summarize)}"
        )


def assert_positive(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises InvalidArgumentError unless every element is greater than 0. (An empty tensor passes.)

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_positive([0.1, 3.])
    """
    _signed(">", lambda a: a > 0, x, message, summarize)


def assert_negative(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises InvalidArgumentError unless every element is less than 0.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_negative([-0.1, -3.])
    """
    _signed("<", lambda a: a < 0, x, message, summarize)


def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless every element is at least 0.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_non_negative([0., 3.])
    """
    _signed(">=", lambda a: a >= 0, x, message, summarize)


def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises InvalidArgumentError unless every element is at most 0.

    Raises:
        InvalidArgumentError: If it is not so for some element.

    >>> tf.debugging.assert_non_positive([0., -3.])
    """
    _signed("<=", lambda a: a <= 0, x, message, summarize)


# ---- finite


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; raises InvalidArgumentError if an element is infinite or NaN. Gradients pass unchecked.

    Raises:
        InvalidArgumentError: If an element is NaN or infinite.

    >>> tf.debugging.check_numerics(tf.constant([1., 2.]), "activations").numpy()
    array([1., 2.], dtype=float32)
    >>> tf.debugging.check_numerics(tf.constant([1., np.inf]), "activations")
    Traceback (most recent call last):
    tapeflow.errors.InvalidArgumentError: activations : Tensor had Inf values (1 of 2 elements).
    """
    return ops.check_numerics(tensor, message=str(message))


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The same as `check_numerics`: the tensor itself, if all its elements are finite.

    Raises:
        InvalidArgumentError: If an element is NaN or infinite.

    >>> tf.debugging.assert_all_finite([0.5], "loss").numpy()
    array([0.5], dtype=float32)
    """
    return ops.check_numerics(x, message=str(message))


@at_every_run(checks=True)
def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raises InvalidArgumentError with the tensors in `data` unless `condition` is true.

    Args:
        data: What the error shows when the condition is false.

    Raises:
        InvalidArgumentError: If `condition` is false.

    >>> tf.debugging.Assert(tf.reduce_all(tf.constant([1, 2]) > 0), ["all are positive"])
    """
    if not (values_of(condition).all() if type(condition) is MappedTensor else bool(condition)):
        shown = [tensor_text(values_of(as_tensor(d)), 3 if summarize is None else summarize) for d in data]
        raise invalid("Expected the condition to be true. Data: " + "; ".join(shown))


# ---- types


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless the tensor is of this dtype.

    Args:
        tf_type: The dtype.

    Raises:
        TypeError: If it is another.

    >>> tf.debugging.assert_type(tf.constant(1.), tf.float32)
    """
    tensor, wanted = as_tensor(tensor), as_dtype(tf_type)
    if tensor.dtype is not wanted:
        raise TypeError(f"{message or ''} tensor must be of type {wanted!r}; got {tensor.dtype!r}".strip())


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless the tensor is of an integer dtype.

    Raises:
        TypeError: If it is of another dtype.

    >>> tf.debugging.assert_integer(tf.constant([1, 2]))
    """
    x = as_tensor(x)
    if not x.dtype.is_integer:
        raise TypeError(f'{message or ""} Expected "x" to be integer type. Found: tensor of dtype {x.dtype!r}'.strip())


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The floating dtype that all `tensors` share (`dtype`, if given); raises ValueError when there is none.

    Args:
        dtype: The dtype that is expected; None: that of the first.

    Raises:
        ValueError: If dtypes differ, or are not floating.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.), tf.constant([2.])])
    tf.float32
    """
    found = None if dtype is None else as_dtype(dtype)
    for tensor in tensors or ():
        if found is None:
            found = tensor.dtype
        elif tensor.dtype is not found:
            raise ValueError(
                f"A tensor of {tensor.dtype!r} must be of the same type as the others, {found!r}. Convert it with "
                "tf.cast."
            )
    found = float32 if found is None else found
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found!r}.")
    return found


def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError for a tensor, array, string or anything else that is not a plain collection of tensors.

    Raises:
        TypeError: If it cannot be iterated over, or is a tensor, an array or a string.

    >>> tf.debugging.assert_proper_iterable([tf.constant(1.)])
    """
    if isinstance(values, (Tensor, Variable, CompositeTensor, np.ndarray, str, bytes)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable. Found: {type(values)}')
    if not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be iterable. Found: {type(values)}')


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers: not of strings or bools, and not a variable.

    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(tf.constant("a"))
    (True, False)
    """
    return isinstance(tensor, Tensor) and tensor.dtype.kind in "fciu"


# ---- settings


_settings = {"log_device_placement": False}


def set_log_device_placement(enabled: bool) -> None:
    """Accepted for programs that call it; nothing is logged.

    Args:
        enabled: What `get_log_device_placement` gives from now on.

    >>> tf.debugging.set_log_device_placement(False)
    """
    _settings["log_device_placement"] = bool(enabled)


def get_log_device_placement() -> bool:
    """The value last passed to `set_log_device_placement`.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _settings["log_device_placement"]


def enable_traceback_filtering() -> None:
    """Hides frames of tapeflow in tracebacks, so that they end at the line of the program. This is the default.

    It changes what Python and IPython show; the error itself keeps all frames, for a debugger.

    >>> tf.debugging.enable_traceback_filtering()
    """
    settings.traceback_filtering = True


def disable_traceback_filtering() -> None:
    """Shows full tracebacks, with frames of tapeflow and the underlying errors of NumPy.

    >>> tf.debugging.disable_traceback_filtering(); tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    settings.traceback_filtering = False


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks hide frames of tapeflow.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return settings.traceback_filtering
