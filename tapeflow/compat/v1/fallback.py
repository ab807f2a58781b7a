"""Falling back from `tf.compat.v1` to the names of version 2, and errors for names that need its graphs."""

import sys
from collections.abc import Callable
from typing import Any


def falling_back_to(path: str, own: dict[str, str] | None = None) -> Callable[[str], Any]:
    """A module's `__getattr__`: names that it does not have are those of `tf.<path>`. `own`: of version 1 alone, with
    their places in version 2."""

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if own is not None and name in own:
            return found(own[name])
        return getattr(found(path), name)

    return __getattr__


def found(path: str) -> Any:
    """What is at `math.log` of `tf`; `tf` itself for nothing."""
    value: Any = sys.modules["tapeflow"]
    for part in filter(None, path.split(".")):
        value = getattr(value, part)
    return value


def lookup(new: Any, old: Any, name: str, old_name: str) -> Any:
    """The value of an argument that has two names, of which one may be given."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{name}' and '{old_name}'.")
    return old


def graphs_only(name: str, instead: str) -> Callable:
    """A function that cannot work where operations are eager."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError(
            f"tf.compat.v1.{name} builds a graph of TensorFlow 1, which is not there: operations run at once. "
            f"{instead}"
        )

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = f"Raises RuntimeError, since there are no graphs of version 1. {instead}"
    return refuse
