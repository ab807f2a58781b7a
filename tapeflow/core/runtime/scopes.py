"""Which part of a program an operation belongs to: the names of open scopes and layers, and, while a traced function
is replayed, the operation of its graph that runs, which knows its own line and scope."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from .contexts import context_variable

# The names of the open `tf.name_scope`s, joined by slashes: they go before a variable's name.
scope: ContextVar[str] = context_variable("tapeflow_name_scope", "")

_scopes: list[Callable[[], str]] = [scope.get]


class Placed(Protocol):
    """An operation that was written down: its line as a text, the file and line where they are known, its scope."""

    @property
    def line(self) -> str: ...
    @property
    def place(self) -> tuple[str, int] | None: ...
    @property
    def scope(self) -> str: ...


replayed: ContextVar[Placed | None] = context_variable("tapeflow_replayed", None)


def add_scope(name: Callable[[], str]) -> None:
    """Whatever else has names for parts of a program says by this function which one is open: Keras' layers, once and
    for all."""
    _scopes.append(name)


def open_scope() -> str:
    """`model/dense`, or an empty text."""
    node = replayed.get()
    return "/".join(filter(None, [name() for name in _scopes])) if node is None else node.scope
