"""What a tape writes down: the observer behind a GradientTape.

A record is a plain tuple `(output id, input ids, pulls, saved)`; it holds the tensors that the rules read and nothing else.
Tensors are known by their ids. A record with several outputs has id 0 and keeps their ids in `saved`.
"""

from typing import Any

from tapeflow.core.errors import user_line
from tapeflow.core.tensor import next_id

_MOST_NOTES = 10_000


class Recording:
    """The record of one tape. `see`, `read` and `left` are the observer's methods."""

    def __init__(self, watch_accessed_variables: bool) -> None:
        self.records: list[tuple] = []
        self.watched: set[int] = set()
        self.kept: list[Any] = []  # watched tensors stay alive as long as the tape
        self.variables: dict[int, Any] = {}
        self.reads: dict[int, list[int]] = {}  # variable id -> ids of the tensors read from it
        self.watch_accessed = watch_accessed_variables
        self.complex = False
        self.spent = False
        self.notes: list[tuple] = []  # where paths end: (tensor id, reason, line); see tape/unconnected.py

    # ---- watching

    def watch(self, tensor: Any) -> None:
        if not tensor._id:
            tensor._id = next_id()
        self.watched.add(tensor._id)
        self.kept.append(tensor)
        self.complex |= tensor.dtype.is_complex

    def watch_variable(self, variable: Any) -> None:
        """From now on reads of it count."""
        self.variables[variable._id] = variable
        self.reads.setdefault(variable._id, [])

    # ---- the observer

    def see(self, prim: Any, args: tuple, params: dict, out: Any) -> None:
        watched = self.watched
        mask = 0
        if len(args) == 1:
            if args[0]._id in watched:
                mask = 1
        elif len(args) == 2:
            if args[0]._id in watched:
                mask = 1
            if args[1]._id in watched:
                mask += 2
        else:
            bit = 1
            for a in args:
                if a._id in watched:
                    mask |= bit
                bit <<= 1
        if not mask:
            return
        plan = prim.plans.get(mask)
        if plan is None:
            plan = prim.plan(mask, len(args))
        if prim.result is not None:
            kind = prim.result if isinstance(prim.result, str) else prim.result(**params)
            self.complex |= kind == "complex"
            if kind == "cut":
                plan = None
        if plan is None:
            self.cut(args, prim.name, out)
            return
        save_eager, save_any, pulls, positions = plan
        try:
            saved = save_eager(out, args, params)
        except AttributeError:
            saved = save_any(out, args, params)
        ids = [args[i]._id for i in positions]
        if type(out) is tuple:
            self._several(out, ids, pulls, saved)
            return
        new = out._id
        if not new:
            out._id = new = next_id()
        watched.add(new)
        self.records.append((new, ids, pulls, saved))

    def _several(self, outs: tuple, ids: list[int], pulls: Any, saved: tuple) -> None:
        out_ids, specs = [], []
        for out in outs:
            inexact = out.dtype.is_inexact
            if inexact:
                if not out._id:
                    out._id = next_id()
                self.watched.add(out._id)
            out_ids.append(out._id if inexact else 0)
            specs.append((tuple(out.shape), out.dtype.np))
        self.records.append((0, ids, pulls, (out_ids, specs, saved)))

    def read(self, variable: Any, tensor: Any) -> None:
        """A variable was read into `tensor`, or only touched (None)."""
        reads = self.reads.get(variable._id)
        if reads is None:
            if not (self.watch_accessed and variable.trainable):
                return
            self.watch_variable(variable)
            reads = self.reads[variable._id]
        if tensor is not None and variable.dtype.is_inexact:
            if not tensor._id:
                tensor._id = next_id()
            reads.append(tensor._id)
            self.watched.add(tensor._id)
            self.complex |= variable.dtype.is_complex

    def left(self, tensor: Any, how: str) -> None:
        self.note(tensor._id, how)

    # ---- where paths end

    def cut(self, args: tuple, name: str, out: Any) -> None:
        for a in args:
            if a._id in self.watched:
                self.note(a._id, f"op {name}")

    def note(self, tensor_id: int, reason: str) -> None:
        if tensor_id in self.watched and len(self.notes) < _MOST_NOTES:
            self.notes.append((tensor_id, reason, user_line()))


class Pause:
    """In place of a recording while `stop_recording()` lasts: records nothing, notes what it lets pass."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def see(self, prim: Any, args: tuple, params: dict, out: Any) -> None:
        self.recording.cut(args, "stop_recording", out)

    def read(self, variable: Any, tensor: Any) -> None:
        pass

    def left(self, tensor: Any, how: str) -> None:
        pass
