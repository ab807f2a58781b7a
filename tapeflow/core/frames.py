"""Frames: who executes an operation, and who watches.

One executor is in charge (eager when there is none) and any number of observers are told of every operation
afterwards. The current frame is a context variable, so threads and asyncio tasks each have their own.
"""

import itertools
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from .contracts import Executor, Observer
from .runtime.contexts import context_variable

if TYPE_CHECKING:
    from .devices import Device

_serial = itertools.count(1).__next__


class Frame:
    """`executor` is None for eager. What executors and observers are is in `core.contracts`.

    `below` is the frame that the executor runs its operations in. Those who watch there see these operations; of
    variables that are read, and of values that leave, they hear here: `audience` is everybody who does.

    `device` is the one that `tf.device` has named, where results are wanted (`core.devices`); None leaves it to the
    arguments. `eager` says that NumPy computes, unless an argument is elsewhere: what entries ask for."""

    __slots__ = ("eager", "executor", "observers", "below", "audience", "device", "serial")

    def __init__(
        self,
        executor: Executor | None = None,
        observers: tuple[Observer, ...] = (),
        below: "Frame | None" = None,
        device: "Device | None" = None,
    ) -> None:
        self.eager = executor is None and (device is None or device.is_host)
        self.executor, self.observers, self.device, self.serial = executor, observers, device, _serial()
        self.below = below
        self.audience: tuple[Observer, ...] = observers if below is None else below.audience + observers

    def watched_by(self, observer: Observer) -> "Frame":
        return Frame(self.executor, (*self.observers, observer), self.below, self.device)

    def without(self, observer: Observer) -> "Frame":
        return Frame(self.executor, tuple(o for o in self.observers if o is not observer), self.below, self.device)

    def exchanged(self, observer: Observer, other: Observer) -> "Frame":
        """`other` in the place of an observer, in whichever of the frames below it watches."""
        if observer not in self.audience:
            return self
        below = None if self.below is None else self.below.exchanged(observer, other)
        return Frame(self.executor, tuple(other if o is observer else o for o in self.observers), below, self.device)

    def on(self, device: "Device | None") -> "Frame":
        """The same, where `device` is named."""
        return Frame(self.executor, self.observers, self.below, device)

    def silent(self) -> "Frame":
        """The same executors, with nobody watching."""
        return Frame(self.executor, (), None if self.below is None else self.below.silent(), self.device)


_NOBODY = Frame()  # eager, and nobody watches: where every thread and task begins
_frame: ContextVar[Frame] = context_variable("tapeflow_frame", _NOBODY)
current = _frame.get
enter = _frame.set


class entered:
    """`with entered(frame):` runs the block in that frame. (A class: half the cost of a generator.)"""

    __slots__ = ("frame", "token")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __enter__(self) -> Frame:
        before = _frame.get()
        try:
            self.token = _frame.set(self.frame)
        except BaseException:  # Ctrl-C: nobody will call __exit__
            _frame.set(before)
            raise
        return self.frame

    def __exit__(self, *_: Any) -> None:
        _frame.reset(self.token)


def below() -> entered:
    """The frame below, for executors that work in it."""
    frame = current().below
    assert frame is not None, "the executor of this frame works in one below"
    return entered(frame)


def has_an_effect(what: str, once: bool = False) -> None:
    """Something is about to happen that no graph can hold: whoever executes may have to refuse it. `once`: it must not
    happen once for each replica."""
    executor = _frame.get().executor
    if executor is not None:
        if once:
            executor.happens_once(what)
        executor.effect(what)


def unobserved() -> entered:
    """The current frame with nobody watching."""
    frame = current()
    return entered(frame.silent() if frame.audience else frame)
