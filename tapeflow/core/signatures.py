"""Signatures at run time: programs that compare them with TensorFlow's find no annotations."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


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


def as_one(*parts: type) -> Callable[[C], C]:
    """For a class that is written in several, which nothing else has: Python's messages call all methods its own,
    `Dataset.shuffle()` and not `Selection.shuffle()`.

    >>> from tapeflow.core.signatures import as_one
    >>> class Part:
    ...     def double(self): ...
    >>> @as_one(Part)
    ... class Whole(Part): ...
    >>> Whole.double.__qualname__
    'Whole.double'
    """

    def decorate(cls: C) -> C:
        for part in parts:
            for name, value in vars(part).items():
                function = getattr(value, "__func__", value)
                if inspect.isfunction(function) and function.__qualname__ == f"{part.__qualname__}.{name}":
                    function.__qualname__ = f"{cls.__qualname__}.{name}"
                    function.__module__ = cls.__module__
        return cls

    return decorate
