"""Attributes of operations that can have one value here: another one would give other numbers."""

import inspect
from collections.abc import Callable
from typing import Any

from tapeflow.core.errors import UnimplementedError

__all__ = ["CHECKED", "only", "unfit"]

CHECKED = {"bad_indices_policy": ("", "DEFAULT", "ERROR")}  # where indices are out of bounds


def only(function: Callable, **values: tuple) -> Callable:
    """The function with more parameters, of which each takes these values alone; the first is the default."""

    def call(**given: Any) -> Any:
        for name, known in values.items():
            why = unfit(call, name, given.pop(name, known[0]))
            if why is not None:
                raise UnimplementedError(None, None, why)
        return function(**given)

    kind = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(name, kind, default=known[0]) for name, known in values.items()]
    known = [p.replace(kind=kind) for p in inspect.signature(function).parameters.values()]
    call.__signature__ = inspect.Signature([*known, *added])  # type: ignore[attr-defined]
    call.__only__ = values  # type: ignore[attr-defined]
    return call


def unfit(function: Callable, name: str, value: Any) -> str | None:
    """Why an attribute cannot have this value, or None."""
    known = getattr(function, "__only__", {}).get(name)
    if known is None or value in known:
        return None
    return f"its attribute {name}={value!r} has no counterpart here: it can be {' or '.join(map(repr, known))}"
