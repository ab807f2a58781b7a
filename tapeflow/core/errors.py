"""TensorFlow's exception hierarchy (`tf.errors`), and the words our own errors are made of."""

import os
import sys
from types import FrameType
from typing import Any, TypeVar

from .frames import current
from .runtime.scopes import replayed

__all__ = [
    "AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError",
    "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError",
    "OperatorNotAllowedInGraphError", "OutOfRangeError", "PermissionDeniedError", "ResourceExhaustedError",
    "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError",
]  # fmt: skip


class OpError(Exception):
    """Base of all `tf.errors`. Built as TensorFlow's: `(node_def, op, message)`.

    >>> try:
    ...     tf.ones([2]) + tf.ones([3])
    ... except tf.errors.OpError as error:
    ...     print(type(error).__name__, error.error_code == tf.errors.INVALID_ARGUMENT)
    InvalidArgumentError True
    """

    code: int = 2

    def __init__(
        self, node_def: Any, op: Any = None, message: str | None = None, error_code: int | None = None, *args: Any
    ) -> None:
        if message is None:  # made of a text alone, as other exceptions are: Keras does so to add to it
            node_def, message = None, str(node_def)
        super().__init__(message)
        self.node_def, self.op, self.message = node_def, op, message
        self.error_code = type(self).code if error_code is None else error_code

    experimental_payloads = property(lambda self: {}, doc="What a distributed runtime would add: nothing.")

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        # A class that goes by its parent's name is sent as its parent.
        named = [c for c in type(self).__mro__ if c.__name__ == type(self).__name__]
        return named[-1], (None, None, self.message)


class CancelledError(OpError):
    """The operation was cancelled."""

    code = 1


class UnknownError(OpError):
    """An error whose kind is not known."""

    code = 2


class DeadlineExceededError(OpError):
    """The operation took longer than it was allowed to."""

    code = 4


class NotFoundError(OpError):
    """A file or resource that was asked for does not exist."""

    code = 5


class AlreadyExistsError(OpError):
    """Something that was to be made exists already."""

    code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = 7


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    code = 8


class FailedPreconditionError(OpError):
    """The state does not allow the operation."""

    code = 9


class AbortedError(OpError):
    """The operation was given up, usually because of another one."""

    code = 10


class OutOfRangeError(OpError):
    """Iteration went past the end."""

    code = 11


class UnimplementedError(OpError):
    """The operation is not implemented for these arguments."""

    code = 12


class InternalError(OpError):
    """Something that should not happen did."""

    code = 13


class UnavailableError(OpError):
    """The service or device cannot be reached now."""

    code = 14


class DataLossError(OpError):
    """Stored data is corrupt."""

    code = 15


class UnauthenticatedError(OpError):
    """The caller is not known."""

    code = 16


class InvalidArgumentError(OpError):
    """An argument does not fit: its shape, its dtype or its value."""

    code = 3


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a concrete value."""


# A traceback says where users find them, who search for the name and catch it.
for _name in __all__:
    globals()[_name].__module__ = "tapeflow.errors"

_Kind = TypeVar("_Kind", bound=type[Exception])


def as_its_parent(kind: _Kind) -> _Kind:
    """A class of our own, shown by the name of its first parent, which is what programs know."""
    parent = kind.__bases__[0]
    kind.__module__, kind.__name__, kind.__qualname__ = parent.__module__, parent.__name__, parent.__qualname__
    return kind


@as_its_parent
class ValueNeeded(OperatorNotAllowedInGraphError, AttributeError):
    """Somebody asked for the value of a tensor that does not have one: inside `vectorized_map` it has one for each
    row.

    An AttributeError too, so that `hasattr(x, "numpy")` says no.
    """

    asked_by_python = False  # by the user's own Python: an `if`, float(x)

    def __reduce__(self) -> Any:
        return OperatorNotAllowedInGraphError, self.args


@as_its_parent
class UnevenRows(InvalidArgumentError, ValueNeeded):
    """Inside `vectorized_map` a shape depends on values, and rows have different ones. Computed one by one they may
    still do."""


@as_its_parent
class _DtypeClash(InvalidArgumentError, TypeError):
    """Two dtypes meet that do not mix.

    TensorFlow raises InvalidArgumentError for `tensor + 1.` and TypeError for `1. + tensor`; this one is both, so
    either `except` works whatever the order of the operands.
    """

    def __reduce__(self):
        return dtype_clash, (self.message,)  # by its function: the class goes by its parent's name


@as_its_parent
class _OutOfMemory(ResourceExhaustedError, MemoryError):
    """TensorFlow's error, and Python's: `except` for either finds it."""

    def __reduce__(self):
        return out_of_memory, (self.message,)


def out_of_memory(message: str) -> ResourceExhaustedError:
    return _OutOfMemory(None, None, message)


def invalid(message: str) -> InvalidArgumentError:
    """While a function is traced TensorFlow calls it a ValueError; ours is both, with the user's line."""
    executor = current().executor
    error = None if executor is None else executor.wrong_argument(message)
    return InvalidArgumentError(None, None, message) if error is None else error


def uneven_rows(message: str) -> UnevenRows:
    return UnevenRows(
        None,
        None,
        f"{message} In a vectorised function all rows have the same shape: use tf.where(mask, x, 0) in place of a "
        "selection, or map row by row with tf.map_fn.",
    )


def dtype_clash(message: str) -> InvalidArgumentError:
    """While a function is traced TensorFlow calls it a TypeError; ours is both, by the name that is expected."""
    executor = current().executor
    error = None if executor is None else executor.wrong_dtype(message)
    return _DtypeClash(None, None, message) if error is None else error


def user_call() -> str:
    """The name of the function of ours that the user's code called: `range`. Slow, like `user_line`."""
    frame: FrameType | None = sys._getframe(1)
    called = "an operation"
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("tapeflow.", "optree", "contextlib")):
        if not frame.f_globals.get("CALLS_FOR_USERS"):  # AutoGraph, between them and us
            called = frame.f_code.co_name
        frame = frame.f_back
    return called


# Modules are known by name here to report a line, and for nothing else: what a function does never depends on who
# calls it.
_OURS = ("tapeflow.", "keras_tapeflow.", "keras.src.", "optree", "contextlib")


def user_place() -> tuple[str, int] | None:
    """The file and line of the innermost frame that is not ours; of an operation of a graph, where it was traced.
    Slow: never in a hot path."""
    if (node := replayed.get()) is not None:
        return node.place
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(_OURS):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def user_line() -> str:
    """The same as `file.py:12`, or `Cell In[16], line 3`, for error texts and notes."""
    node = replayed.get()
    return line_of(user_place()) if node is None else node.line


def line_of(place: tuple[str, int] | None) -> str:
    if place is None:
        return "an unknown line"
    cell = _cell(place[0])
    return f"{os.path.basename(place[0])}:{place[1]}" if cell is None else f"{cell}, line {place[1]}"


def _cell(file: str) -> str | None:
    """`Cell In[16]`, in the words of IPython, where the file is a cell of the notebook (or terminal) we are in."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    compiler = getattr(get_ipython and get_ipython(), "compile", None)
    known = getattr(compiler, "format_code_name", lambda _: None)(file)
    return None if known is None else " ".join(known)
