"""Recording: the observer behind a `GradientTape`, which appends a record for each operation on a watched tensor.

A record (`core.record.Record`) holds the tensors that the rules read and nothing else. Tensors are known by their ids.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow.core.contracts import Observer, Operation
from tapeflow.core.devices import DeviceTensor
from tapeflow.core.dtypes import NATIVE, DType
from tapeflow.core.errors import user_line
from tapeflow.core.listeners import Listener, board
from tapeflow.core.record import Inside, Record, SeveralOutputs
from tapeflow.core.tensor import EagerTensor, identify, next_id

_MOST_NOTES = 10_000
_ON_ARRAYS = {EagerTensor}


class Note(NamedTuple):
    """A path ends: at which tensor (or variable), by what, on which line, when (of the counter that numbers tensors),
    and what was made there (or forgotten, by `tape.reset()`), by ids."""

    tensor: int
    reason: str
    line: str
    when: int
    made: tuple[int, ...]


class Refused(NamedTuple):
    """A rule gave None for a tensor, its input `position`: at which output, and what it belongs to; of a call, what is
    inside."""

    tensor: int
    output: int
    title: str
    inside: Callable[[], tuple[Inside, ...]] | None
    position: int


class End(NamedTuple):
    """What is known of a spent tape, all by ids: the targets and the sources it was asked for, what gradients have
    reached; what rules have given None for; and, where paths end, what was computed from what
    (`unconnected.edges`)."""

    targets: tuple[int, ...]
    sources: set[int]
    reached: tuple[int, ...]
    refused: list[Refused]
    graph: list | None


class Remains:
    """What is kept of records that a tape lets go of: nothing, unless somebody looks at spent tapes, and says by `of`
    what of a list of records. (There is one object: to ask a class takes longer.)"""

    __slots__ = ("of",)

    def __init__(self) -> None:
        self.of: Callable[[list[Any]], Any] | None = None


remains = Remains()


class Recording(Observer):
    """The record of one tape."""

    __slots__ = (
        "records", "watched", "kept", "variables", "reads", "watch_accessed", "complex", "on_tensors", "spent",
        "notes", "end", "remains", "listeners", "__weakref__",
    )  # fmt: skip

    def __init__(self, watch_accessed_variables: bool) -> None:
        self.records: list[Any] = []  # of `Record`s, plain tuples most of them
        self.watched: set[int] = set()
        self.kept: list[Any] = []  # watched tensors stay alive as long as the tape
        self.variables: dict[int, Any] = {}
        self.reads: dict[int, list[int]] = {}  # variable id -> ids of the tensors read from it
        self.watch_accessed = watch_accessed_variables
        self.complex = False  # complex numbers are about: the walk conjugates around rules
        # So are values that NumPy's bare kernels do not compute with: bfloat16, float8, or on a device.
        self.on_tensors = False
        self.spent = False
        self.notes: list[Note] = []  # see tape/unconnected.py
        self.end: tuple | None = None  # an `End`, for who asks (made of it, since that takes 200 ns)
        self.listeners: tuple[Listener, ...] = ()
        if board.seats:  # (100 ns less than asking who listens, and looping over nobody)
            self.listeners = board.listeners()
            for listener in self.listeners:
                listener.tape_opened(self)

    # ---- watching

    def watch(self, tensor: Any) -> None:
        self.watched.add(tensor.serial or identify(tensor))
        self.kept.append(tensor)
        self._meet(tensor.dtype)
        self.on_tensors |= type(tensor) is DeviceTensor
        for listener in self.listeners:
            listener.tape_watches(self, tensor)

    def watch_variable(self, variable: Any) -> None:
        """From now on reads of it count."""
        self.variables[variable.serial] = variable
        self.reads.setdefault(variable.serial, [])
        self._meet(variable.dtype)
        for listener in self.listeners:
            listener.tape_watches(self, variable)

    def _meet(self, dtype: DType) -> None:
        if dtype.is_complex:
            self.complex = True
        elif dtype.is_floating and dtype.np not in NATIVE:
            self.on_tensors = True

    def spend(self) -> None:
        """Let go of everything recorded; what was watched is still known."""
        self.spent = True
        if remains.of is not None:
            self.remains = remains.of(self.records)
        self.records.clear()

    def count(self) -> int:
        """Of how many values it knows, or knew before it was spent, how they were computed."""
        return len(self.watched.difference([t.serial for t in self.kept], *self.reads.values()))

    def watches_only(self, ids: set[int]) -> bool:
        """Is everything that was watched, or read from a watched variable, among these? (No `all`: it costs a
        microsecond more.)"""
        for tensor in self.kept:
            if tensor.serial not in ids:
                return False
        return not [reads for reads in self.reads.values() if not ids.issuperset(reads)]

    # ---- the observer

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        """What the entry does not record itself: first uses, several outputs, results of another kind, other
        executors."""
        recorder = prim.recorder(mask, len(args))
        kind = prim.result(**params) if callable(prim.result) else prim.result
        if recorder is None or kind == "cut":
            self.cut(args, prim.name, out)
            return
        several = type(out) is tuple
        results = out if several else (out,)
        if prim.result is not None:  # outputs of another kind than the inputs
            for y in results:
                self._meet(y.dtype)
        new = 0 if several else out.serial or identify(out)
        kinds = {type(t) for t in (*args, *results)}
        on_arrays = kinds == _ON_ARRAYS
        self.on_tensors |= DeviceTensor in kinds
        record = (recorder.record if on_arrays else recorder.record_any)(new, out, params, *args)
        if several:
            record = self._several(out, record, prim.takes_none)
        else:
            self.watched.add(new)
        self.records.append(record)

    def _several(self, outs: tuple, record: tuple, takes_none: bool) -> Record:
        out_ids: list[int] = []
        specs: list[tuple | None] = []
        for out in outs:
            inexact = out.dtype.is_inexact
            if inexact:
                self.watched.add(out.serial or identify(out))
            out_ids.append(out.serial if inexact else 0)
            specs.append(None if takes_none else (tuple(out.sizes), out.dtype.np))
        _, ids, pullback, saved = record
        return Record(0, ids, pullback, SeveralOutputs(out_ids, specs, saved))

    def read(self, variable: Any, tensor: Any) -> None:
        """A variable was read into `tensor`, or only touched (None)."""
        reads = self.reads.get(variable.serial)
        if reads is None:
            if not (self.watch_accessed and variable.trainable):
                return
            self.watch_variable(variable)
            reads = self.reads[variable.serial]
        if tensor is not None and variable.dtype.is_inexact:
            new = tensor.serial or identify(tensor)
            reads.append(new)
            self.watched.add(new)

    def left(self, tensor: Any, how: str) -> None:
        if tensor.serial in self.watched:
            self.note(tensor.serial, how)

    # ---- where paths end

    def cut(self, args: tuple, name: str, out: Any) -> None:
        made = tuple([y.serial or identify(y) for y in (out if type(out) is tuple else (out,))])
        for a in args:
            if a.serial in self.watched:
                self.note(a.serial, f"op {name}", made)

    def note(self, i: int, reason: str, made: tuple[int, ...] = ()) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(Note(i, reason, user_line(), next_id(), made))

    def follow(self, before: "Recording") -> None:
        """This one begins where `before` was given up, by `tape.reset()`."""
        self.note(0, "reset", (*before.watched, *before.reads))


class Pause(Observer):
    """In place of a recording while `stop_recording()` lasts: records nothing, notes what it lets pass."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.watched = recording.watched

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        self.recording.cut(args, "stop_recording", out)

    def read(self, variable: Any, tensor: Any) -> None:
        if self.recording.watch_accessed and variable.trainable or variable.serial in self.recording.reads:
            self.recording.note(variable.serial, "op stop_recording")
