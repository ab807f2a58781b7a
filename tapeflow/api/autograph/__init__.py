"""`tf.autograph`: how `tf.function` reads the code of a function. Its branches and loops may depend on
tensors."""

from collections.abc import Callable
from typing import Any

from tapeflow.function.autograph import public as _public

from . import experimental as experimental

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]


def to_code(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The code that `tf.function` traces in the place of a function's own, to look at.

    Args:
        entity: A Python function.
        recursive: Taken and not used.
        experimental_optional_features: Taken and not used.

    >>> def double(x):
    ...     if x < 1.:
    ...         x = 2. * x
    ...     return x
    >>> "ag__.if_stmt(x < 1.0, if_body, else_body" in tf.autograph.to_code(double)
    True
    """
    return _public.to_code(entity)


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """The function as `tf.function` traces it: called inside a graph, its branches and loops over tensors become part
    of the graph.

    Args:
        entity: A Python function.
        recursive: Taken and not used.
        experimental_optional_features: Taken and not used.

    Returns:
        A function of the same arguments.

    >>> def clipped(x):
    ...     return x if x < 1. else tf.ones_like(x)
    >>> tf.function(tf.autograph.to_graph(clipped), autograph=False)(tf.constant(3.)).numpy()
    np.float32(1.0)
    """
    return _public.to_graph(entity)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """From `level` 1 on, the log `tapeflow` tells which functions are not converted, and why; also to the screen if
    asked.

    Args:
        level: 0: nothing is told.
        alsologtostdout: Show it on the screen, too.

    >>> tf.autograph.set_verbosity(0)
    """
    _public.set_verbosity(level, alsologtostdout)


def trace(*args: Any) -> None:
    """Prints its arguments while a function is traced, not when its graph runs.

    >>> @tf.function
    ... def half(x):
    ...     tf.autograph.trace("traced")
    ...     return x / 2.
    >>> half(tf.constant(1.)).numpy(), half(tf.constant(3.)).numpy()
    traced
    (np.float32(0.5), np.float32(1.5))
    """
    print(*args)
