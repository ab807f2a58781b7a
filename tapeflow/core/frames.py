"""Frames: who executes an operation, and who watches.

One executor is in charge (eager when there is none) and any number of observers are told of every operation afterwards.
The current frame is a context variable, so threads and asyncio tasks each have their own.
"""

import itertools
from contextvars import ContextVar
from typing import Any

_serial = itertools.count(1).__next__


class Frame:
    """`executor` is None for eager. An observer has `watched`, a container of tensor ids; `see(prim, args, params, out, mask)` is
    called for each operation on a watched tensor (bit k of `mask`: argument k is), `read(variable, tensor)` for each read of a
    variable, `left(value, how)` when a value leaves the library. A tape also shows its list of `records`, which entries append
    to directly; others have None there.

    `beyond` are the observers of the frame that the executor runs its operations in. They see those operations there; of
    variables that are read, and of values that leave, they hear here: `audience` is everybody who does."""

    __slots__ = ("eager", "executor", "observers", "beyond", "audience", "serial")

    def __init__(self, executor: Any = None, observers: tuple = (), beyond: tuple = ()) -> None:
        self.eager, self.executor, self.observers, self.serial = executor is None, executor, observers, _serial()
        self.beyond, self.audience = beyond, beyond + observers

    def watched_by(self, observer: Any) -> "Frame":
        return Frame(self.executor, (*self.observers, observer), self.beyond)

    def without(self, observer: Any) -> "Frame":
        return Frame(self.executor, tuple(o for o in self.observers if o is not observer), self.beyond)


_NOBODY = Frame()  # eager, and nobody watches: where every thread and task begins
_frame: ContextVar[Frame] = ContextVar("tapeflow_frame", default=_NOBODY)
current = _frame.get
enter = _frame.set


class entered:
    """`with entered(frame):` runs the block in that frame. (A class: half the cost of a generator.)"""

    __slots__ = ("frame", "token")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __enter__(self) -> Frame:
        self.token = _frame.set(self.frame)
        return self.frame

    def __exit__(self, *_: Any) -> None:
        _frame.reset(self.token)


def unobserved() -> entered:
    """The current frame with nobody watching."""
    frame = current()
    return entered(Frame(frame.executor) if frame.audience else frame)
