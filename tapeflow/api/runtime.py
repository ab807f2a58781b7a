"""The system a program runs on: eager or not, names, devices, the log, the time."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import Spec
from tapeflow.core.runtime.scopes import scope as _scope
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.effects import later
from tapeflow.function.tracing.regions import inside_a_graph

__all__ = [
    "executing_eagerly", "get_current_name_scope", "get_logger", "get_static_value", "init_scope", "inside_function",
    "is_symbolic_tensor", "name_scope", "timestamp",
]  # fmt: skip

# ---- mode


def executing_eagerly() -> bool:
    """Whether operations are computed at once, not written into a graph.

    >>> tf.executing_eagerly()
    True
    """
    return current().executor is None


def inside_function() -> bool:
    """Whether a `tf.function` is being traced.

    >>> tf.inside_function()
    False
    """
    return current().executor is not None


@contextmanager
def init_scope() -> Iterator[None]:
    """A context that is eager and that no tape watches: for making variables and constants.

    >>> v = tf.Variable(2.)
    >>> with tf.GradientTape() as tape:
    ...     with tf.init_scope():
    ...         y = v * v
    >>> tape.gradient(y, v) is None
    True
    """
    with entered(Frame()):
        yield


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of a graph, without a value.

    >>> tf.is_symbolic_tensor(tf.constant(1.))
    False
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value as a NumPy array if it is known without running a graph, else None.

    Args:
        tensor: A tensor, also of a graph.
        partial: Taken and not used.

    Returns:
        A NumPy array, or None.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    known = getattr(tensor, "_known", None)  # of whole numbers in a graph
    if known is not None and not any(type(d) is Size for d in known.flat):
        return known.astype(tensor.dtype.np)
    return None if isinstance(tensor, (Tensor, Variable)) else tensor


# ---- names


class name_scope:
    """A context that puts `name/` before the names of what is made in it; scopes nest.

    Args:
        name: What goes before the names of variables made inside.

    >>> with tf.name_scope("model"):
    ...     with tf.name_scope("dense"):
    ...         tf.get_current_name_scope()
    'model/dense'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, got {name!r}.")
        self._name = name
        self._tokens = threading.local()

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self._name

    def __enter__(self) -> str:
        outer = _scope.get()
        if self._name.endswith("/"):
            inner = self._name[:-1]  # an absolute name
        else:
            inner = f"{outer}/{self._name}" if outer and self._name else self._name
        stack = self._tokens.__dict__.setdefault("stack", [])
        depth = len(stack)
        try:
            stack.append(_scope.set(inner))
        except BaseException:  # Ctrl-C: nobody will call __exit__
            _scope.set(outer)
            del stack[depth:]
            raise
        return f"{inner}/" if inner else ""

    def __exit__(self, *_: Any) -> None:
        stack = self._tokens.stack
        token = stack[-1]
        del stack[-1]
        _scope.reset(token)

    def __reduce__(self) -> tuple:
        return name_scope, (self._name,)  # where it is open belongs to a thread, not to the scope


def get_current_name_scope() -> str:
    """The names of the open scopes, joined by slashes.

    >>> tf.get_current_name_scope()
    ''
    """
    return _scope.get()


# ---- log and time


def get_logger() -> logging.Logger:
    """The logger that warnings of this library go to.

    >>> tf.get_logger().name
    'tapeflow'
    """
    return logging.getLogger("tapeflow")


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970, as a float64 tensor; in a graph, those of each run.

    >>> bool(tf.timestamp() > 1.7e9)
    True
    """
    if inside_a_graph():
        [now] = later(_now, (), {}, "tf.timestamp", [Spec(shape=(), dtype=np.dtype(np.float64))])
        return now
    return _now()[0]


def _now() -> tuple[EagerTensor]:
    return (EagerTensor(np.float64(time.time())),)
