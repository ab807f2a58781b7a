"""Context variables: each thread and each asyncio task has its own.

A new thread starts with the defaults, as in TensorFlow: it sees nothing of the tapes, functions and scopes of who
started it. A context variable gives that by itself, unless threads inherit the context of their starter: free-threaded
Python has them do so, and any from 3.14 on by `-X thread_inherit_context=1`. There a value is known with the thread
that set it, and counts in that thread only: a context that is copied on purpose, and run in another thread (as
`asyncio.to_thread` does), has the defaults as well.
"""

import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar, Token, copy_context
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Thread(threading.local):
    """This thread, as an object: numbers of threads that are gone are given away again."""

    def __init__(self) -> None:
        self.itself = object()


_here = _Thread()


class OwnOfThread(Generic[T]):
    """The part of a `ContextVar` that is used, without what another thread has set."""

    def __init__(self, name: str, default: T) -> None:
        self.default = default
        self.values: ContextVar[tuple[Any, T]] = ContextVar(name, default=(None, default))

    def get(self) -> T:
        thread, value = self.values.get()
        return value if thread is _here.itself else self.default

    def set(self, value: T) -> Token:
        return self.values.set((_here.itself, value))

    def reset(self, token: Token) -> None:
        self.values.reset(token)


INHERITED = bool(
    getattr(sys.flags, "thread_inherit_context", 0)
)  # does a new thread start with the context of its starter?


def context_variable(name: str, default: T) -> "ContextVar[T]":
    """One that a new thread starts without."""
    if INHERITED:
        return OwnOfThread(name, default)  # type: ignore[return-value]
    return ContextVar(name, default=default)


def continued(run: Callable[[], T]) -> Callable[[], T]:
    """`run` in a copy of the context that is here now, whichever thread calls it: it goes on there with the tapes and
    scopes of this one, and what it sets is its own."""
    context, thread = copy_context(), _here.itself

    def inside() -> T:
        before, _here.itself = _here.itself, thread
        try:
            return context.run(run)
        finally:
            _here.itself = before

    return inside
