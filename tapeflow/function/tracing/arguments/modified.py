"""Containers that a traced function modifies in place: an error, since they are copies of the caller's."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tapeflow.core import nest


def snapshot(arguments: Any) -> Any:
    """The arguments in containers of their own; None if there is none that can be modified."""
    args, kwargs = arguments
    if all(nest.children(value) is None for value in [*args, *kwargs.values()]):
        return None
    return nest.map_structure(lambda leaf: leaf, arguments)


def check_unmodified(function: Callable, before: Any, after: Any) -> None:
    """`before` is the snapshot, `after` are the arguments that the function was called with."""
    if before is None or _alike(before, after):
        return
    signature = inspect.signature(function)
    were, are = [signature.bind(*args, **kwargs).arguments for args, kwargs in (before, after)]
    names = ", ".join(name for name in were if not _alike(were[name], are[name]))
    raise ValueError(
        f"{getattr(function, '__qualname__', function)}{signature} should not modify its Python input arguments. "
        f"Modifying a copy is allowed. The following parameter(s) were modified: {names}"
    )


def _alike(a: Any, b: Any) -> bool:
    """The same leaves in containers of the same kind?"""
    if a is b:
        return True
    in_a, in_b = nest.children(a), nest.children(b)
    if in_a is None or in_b is None or type(a) is not type(b) or len(in_a) != len(in_b):
        return False
    if isinstance(a, Mapping) and set(a) != set(b):
        return False
    return all(map(_alike, in_a, in_b))
