"""One switchboard for whoever wants to hear what a program does: of its tapes, their gradients, and the runs of its
functions.

Higher layers put listeners on it (`tf.debugging.explain_gradients`, `tf.debugging.enable_check_numerics`, gradient
monitors, `tf.summary.trace_on`); the layers below tell it what happens, and know nobody by name. A listener is there
for the thread or asyncio task that put it on, as tapes are, or for the whole process, where that is what it promises.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from .runtime.contexts import context_variable
from .runtime.locks import Lock

if TYPE_CHECKING:
    from tapeflow.function.tracing.concrete import ConcreteFunction
    from tapeflow.function.tracing.graph import Node
    from tapeflow.tape.recording import Recording

    from .record import Record


class Listener:
    """What there is to hear of. Who listens overrides what it wants to know."""

    # The number of a listener that writes operations of its own into graphs: what is traced while it listens is not
    # used without it, and the other way round.
    graph_key: int | None = None

    # For the nodes of a plan: a function that is called after each of them is computed, with its number. It is the
    # same for all listeners of a class, since plans that call it are kept.
    after_nodes: "Callable[[list[Node]], Callable[[int], None]] | None" = None

    def tape_opened(self, tape: "Recording") -> None:
        """A tape begins to record. It tells those who listen now of everything else, too, for as long as it lives."""

    def tape_watches(self, tape: "Recording", value: Any) -> None:
        """A tape watches a tensor or variable from now on."""

    def before_walk(self, tape: "Recording", records: "list[Record]") -> "list[Record]":
        """A gradient is asked for. The result is walked in the place of the records."""
        return records

    def after_walk(self, tape: "Recording", sources: list[Any], gradients: list[Any]) -> None:
        """The gradients by these sources were found; None where there is none."""

    def before_run(self, function: "ConcreteFunction") -> None:
        """A traced function is about to run."""


_SEATS: set[int] = set()  # by id: a set adds and discards without a lock


class _Seat:
    """The listeners of a context, and of those that were copied from it: of an asyncio task, say, that outlives the
    block it was started in. It is given up when the last of them is gone."""

    __slots__ = ("listeners",)

    def __init__(self, listeners: tuple[Listener, ...]) -> None:
        self.listeners = listeners
        _SEATS.add(id(self))

    def __del__(self, seats: set[int] = _SEATS) -> None:
        seats.discard(id(self))


class Switchboard:
    """Who listens. `seats` is empty while nobody does, in any thread: hot paths look there first, which takes 5 ns,
    where asking who listens takes 90."""

    __slots__ = ("_everywhere", "_here", "_lock", "seats")

    def __init__(self) -> None:
        self.seats = _SEATS
        self._everywhere: tuple[Listener, ...] = ()
        self._here: ContextVar[_Seat | None] = context_variable("tapeflow_listeners", None)
        self._lock = Lock()

    def listeners(self) -> tuple[Listener, ...]:
        """Whoever hears of what happens here and now."""
        return self._everywhere + self.here()

    # ---- of one context

    def here(self) -> tuple[Listener, ...]:
        """Those of this thread or task alone."""
        seat = self._here.get()
        return () if seat is None else seat.listeners

    def set_here(self, listeners: tuple[Listener, ...]) -> None:
        """From now on these, and no others, are the listeners of this thread or task."""
        self._here.set(_Seat(listeners) if listeners else None)

    # ---- of the process

    def put_everywhere(self, listener: Listener) -> None:
        """From now on it hears all threads."""
        self.seats.add(id(listener))
        with self._lock:
            self._everywhere = (*self._everywhere, listener)

    def take_off(self, listener: Listener) -> None:
        """It hears the other threads no more. (Nothing happens if it did not.)"""
        with self._lock:
            self._everywhere = tuple(other for other in self._everywhere if other is not listener)
        self.seats.discard(id(listener))

    # ---- what they want

    def graph_keys(self) -> tuple[int, ...]:
        """The numbers of those that have a part in graphs."""
        return tuple([x.graph_key for x in self.listeners() if x.graph_key is not None]) if self.seats else ()

    def after_nodes(self) -> "Callable[[list[Node]], Callable[[int], None]] | None":
        """What somebody wants to be called between the nodes of plans."""
        return next((x.after_nodes for x in self.listeners() if x.after_nodes is not None), None)


board = Switchboard()
