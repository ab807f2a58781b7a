"""Signatures at run time: programs that compare them with TensorFlow's find no annotations."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def unannotated(function: F) -> F:
    """`inspect.signature` of the function shows names and defaults alone. Checkers read the source, and
    `__annotations__` stay.

    >>> from tapeflow.core.signatures import unannotated
    >>> @unannotated
    ... def double(x: float) -> float:
    ...     return 2 * x
    >>> import inspect
    >>> inspect.signature(double)
    <Signature (x)>
    """
    known = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in known.parameters.values()]
    plain = known.replace(parameters=bare, return_annotation=known.empty)
    function.__signature__ = plain  # type: ignore[attr-defined]
    return function
