"""Provenance: an observer of every operation of a program, watched or not, that knows where each tensor came from.

Tapes note by themselves where paths end. Where a tensor was made that no tape has seen, only this observer can say. It
costs some microseconds an operation (`benchmarks/inspection.py`), so `tf.debugging.explain_gradients()` switches it
on.
"""

import itertools
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

from tapeflow.core.contracts import Observer, Operation
from tapeflow.core.errors import line_of, user_place
from tapeflow.core.frames import current, enter
from tapeflow.core.listeners import Listener, board
from tapeflow.core.record import Record
from tapeflow.core.runtime.scopes import open_scope
from tapeflow.core.tensor import identify, next_id
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.graph import Graph
from tapeflow.tape.memory import Everything
from tapeflow.tape.recording import Recording

from . import profile

_MOST = 200_000  # operations; the oldest are forgotten


class Origin(NamedTuple):
    """Where a tensor came from: the operation, of which tensors (by id), where in the program, in which name scope,
    and when: times are of the counter that also numbers tensors."""

    operation: str
    inputs: tuple[int, ...]
    place: tuple[str, int] | None
    scope: str
    when: int
    seconds: float = 0.0  # since the operation before; of one that is traced, none
    result: str = ""  # `float32 (3, 4)`

    @property
    def line(self) -> str:
        return line_of(self.place)


class Step(NamedTuple):
    """One step of a backward walk: how long it took, and the gradient that arrived."""

    seconds: float
    norm: float
    histogram: tuple[list[int], float, float] | None  # counts, from, to


class TapeStory:
    """What is known of one tape: where it was opened, where it began to watch what, by id, and what it held before it
    was spent."""

    def __init__(self, opened: Origin) -> None:
        self.opened = opened
        self.watches: dict[int, Origin] = {}
        self.profile: list | None = None


class Provenance(Observer, Listener):
    """An observer of everything. `origins` by tensor id; of variables it knows the latest read, of tapes a story. It
    holds no values."""

    differentiates = False
    looks_inside = True

    def __init__(self) -> None:
        self.watched = Everything()
        self.origins: dict[int, Origin] = {}
        self.reads: dict[int, Origin] = {}  # the latest of each variable
        self.tapes: WeakKeyDictionary[Recording, TapeStory] = WeakKeyDictionary()
        self.steps: dict[int, Step] = {}  # by the id of what was differentiated
        self.clock = time.perf_counter()

    # ---- the observer

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        seconds = 0.0 if _is_traced() else time.perf_counter() - self.clock
        inputs = tuple([a.serial or identify(a) for a in args])
        outs = out if type(out) is tuple else (out,)
        result = ", ".join(f"{y.dtype.name} {tuple(y.shape)}" for y in outs)
        origin = Origin(prim.name, inputs, user_place(), open_scope(), next_id(), seconds, result)
        for y in outs:
            self.origins[y.serial or identify(y)] = origin
        forget(self.origins)
        self.clock = time.perf_counter()

    def read(self, variable: Variable, tensor: Any) -> None:
        origin = Origin("read", (variable.serial,), user_place(), open_scope(), next_id())
        self.reads[variable.serial] = origin
        forget(self.reads)
        if tensor is not None:
            self.origins[tensor.serial or identify(tensor)] = origin
            forget(self.origins)
        self.clock = time.perf_counter()

    # ---- what it can tell

    def line_of(self, i: int) -> str:
        """Where a tensor was made, or "" where it is not known."""
        return self.origins[i].line if i in self.origins else ""

    def leading_to(self, ids: Iterable[int]) -> dict[int, None]:
        """The ids of everything that these were computed from, they included, the latest first as far as one can
        say."""
        found: dict[int, None] = {}
        todo = list(ids)
        while todo:
            if (i := todo.pop()) not in found:
                found[i] = None
                if i in self.origins:
                    todo.extend(self.origins[i].inputs)
        return found

    # ---- what tapes tell

    def tape_opened(self, tape: Recording) -> None:
        self.tapes[tape] = TapeStory(Origin("tape", (), user_place(), open_scope(), next_id()))

    def tape_watches(self, tape: Recording, value: Any) -> None:
        origin = Origin("watch", (value.serial,), user_place(), open_scope(), next_id())
        self.tapes[tape].watches.setdefault(value.serial, origin)

    def before_walk(self, tape: Recording, records: list) -> list:
        """Records that tell, when they are pulled, how large the gradient is and how long it takes."""
        self.tapes[tape].profile = profile.of_records(tape.records, self)
        return [
            Record(out, ids, pullback.around(partial(self._timed, out, saved)), saved)
            for out, ids, pullback, saved in records
        ]

    def _timed(self, out: int, saved: Any, pull: Callable) -> Callable:
        known_as = out or next(iter(saved.ids), 0)  # one of several outputs, if there are any

        def pulled(ops: Any, g: Any, saved: tuple) -> Any:
            if _is_traced():  # there are no values, and the time says nothing of a run
                return pull(ops, g, saved)
            start = time.perf_counter()
            found = pull(ops, g, saved)
            self.steps[known_as] = Step(time.perf_counter() - start, *profile.statistics(g))
            forget(self.steps)
            self.clock = time.perf_counter()
            return found

        return pulled


def _is_traced() -> bool:
    return isinstance(current().executor, Graph)


def forget(known: dict) -> None:
    """The oldest entries, many at once: a dict that loses its first again and again takes longer and longer to find
    it."""
    if len(known) > _MOST + _MOST // 10:
        for key in list(itertools.islice(known, len(known) - _MOST)):
            known.pop(key, None)


class Attendance(NamedTuple):
    """Who of one kind looks on in a context: at its operations, and as a listener. Only while a function is traced, or
    where a frame was left that had it, are these not the same one."""

    observer: Observer | None
    listener: Any


def attendance(kind: type) -> Attendance:
    """As it is now. (Not of subclasses: a checker is one, and may be there beside one.)"""
    one: Callable[[Any], Any] = lambda there: next((x for x in there if type(x) is kind), None)
    return Attendance(one(current().observers), one(board.here()))


def attend(kind: type, wanted: Attendance) -> None:
    """From now on, in this thread or task, these of the kind look on, and no others; None for nobody."""
    frame, listeners = current(), board.here()
    observed = frame
    for observer in frame.observers:
        if type(observer) is kind and observer is not wanted.observer:
            observed = observed.without(observer)
    if wanted.observer is not None and wanted.observer not in observed.observers:
        observed = observed.watched_by(wanted.observer)
    others = tuple(x for x in listeners if type(x) is not kind)
    try:
        enter(observed)
        board.set_here(others if wanted.listener is None else (*others, wanted.listener))
    except BaseException:  # Ctrl-C: both or nothing
        enter(frame)
        board.set_here(listeners)
        raise


class Switch:
    """Lets one of a kind look on, or nobody, from now on, or for the block of a `with`."""

    _kind: type[Provenance]

    def __init__(self, enabled: bool = True) -> None:
        self._before = attendance(self._kind)
        there = (self._before.listener or self._kind()) if enabled else None
        try:
            attend(self._kind, Attendance(there, there))
        except BaseException:  # Ctrl-C, perhaps when it was done: nobody will call __exit__
            attend(self._kind, self._before)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            attend(self._kind, self._before)
        except BaseException:  # Ctrl-C, perhaps before it was done
            attend(self._kind, self._before)
            raise


class explain_gradients(Switch):
    """Lets `tape.explain`, `tape.summary` and `tape.report` know the line, the time and the memory of every operation.

    It applies to this thread or asyncio task, until `explain_gradients(False)` or for the length of a `with` block.
    Operations take a few microseconds longer.

    Args:
        enabled: False switches it off.

    >>> with tf.debugging.explain_gradients():
    ...     x = tf.constant(2.)
    ...     y = x * x
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         z = y * 3.
    >>> print(tape.explain(z, x)[0].kind)
    used too early
    """

    _kind = Provenance


def provenance_of(recording: Recording | None) -> Provenance | None:
    """Who was there when a tape was opened: one that knows most, if there are several."""
    found = [] if recording is None else [x for x in recording.listeners if isinstance(x, Provenance)]
    return min(found, key=lambda x: type(x) is not Provenance, default=None)
