"""`tape.explain(target, sources)`: for each source, is it connected, and if not, why, where, and what to do."""

from collections.abc import Iterator
from typing import Any

from tapeflow.core import nest
from tapeflow.core.variable import Variable
from tapeflow.tape import seeds, unconnected
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.tape.recording import Recording
from tapeflow.tape.unconnected import Cause

from .witness import Origin, Witness


class SourceReport:
    """What is known of one source: `connected`, and if it is not, `kind`, `reason`, `where` and `repair` of the first of its `causes`."""

    def __init__(self, name: str, source: Any, connected: bool, causes: list[Cause]) -> None:
        self.name, self.source, self.connected, self.causes = name, source, connected, causes

    kind = property(lambda self: self.causes[0].kind if self.causes else "connected", doc="The first cause in a word or two.")
    reason = property(lambda self: self.causes[0].text if self.causes else "", doc="What happened.")
    where = property(
        lambda self: self.causes[0].where if self.causes else "", doc="File and line of the program, or an empty text."
    )
    repair = property(lambda self: self.causes[0].repair if self.causes else "", doc="What to do, in a sentence.")

    def __str__(self) -> str:
        if not self.causes:
            return f"{self.name}: connected."
        head = f"{self.name}: {'connected, but' if self.connected else 'None.'}"
        return "\n".join(
            [head, *[f"  {_capital(c.text)}{f' ({c.where})' if c.where else ''}. {c.repair}".rstrip() for c in self.causes]]
        )

    __repr__ = __str__


class Explanation:
    """One `SourceReport` for each source, in order; printed, a text."""

    def __init__(self, reports: list[SourceReport]) -> None:
        self.reports = reports

    connected = property(lambda self: all(r.connected for r in self.reports), doc="Has every source a gradient?")

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[SourceReport]:
        return iter(self.reports)

    def __getitem__(self, k: int) -> SourceReport:
        return self.reports[k]

    def __str__(self) -> str:
        return "\n".join(map(str, self.reports))

    __repr__ = __str__


def explain(tape: GradientTape, target: Any, sources: Any) -> Explanation:
    """Says for each source whether the target's gradient reaches it, and if not why, at which line, and what to do.

    It can be asked before or after `gradient`, and also of a tape that is spent. After `tf.debugging.explain_gradients()` it knows
    the lines of everything.

    >>> v = tf.Variable(2., name="v")
    >>> with tf.GradientTape() as tape:
    ...     y = tf.stop_gradient(v) * 3.
    >>> report = tape.explain(y, v)[0]
    >>> report.connected, report.kind, report.repair
    (False, 'stop_gradient', 'Leave it out if a gradient should flow.')
    """
    leaves = seeds.checked_sources(sources)
    paths = nest.paths(sources)
    names = [_name(path, leaf) for path, leaf in zip(paths, leaves)]
    recording = tape._recording
    if recording is None:
        cause = Cause(
            "not recorded", "the tape was never entered, so it recorded nothing", repair="Compute the target inside `with tape:`."
        )
        return Explanation([SourceReport(name, leaf, False, [cause]) for name, leaf in zip(names, leaves)])
    targets = [seeds.unwrapped(getattr(t, "_differentiable", t)) for t in nest.flatten(target)]
    looker = _Looker(recording, targets)
    return Explanation([looker.report(name, leaf) for name, leaf in zip(names, leaves)])


class _Looker:
    def __init__(self, recording: Recording, targets: list) -> None:
        self.recording, self.targets = recording, targets
        self.graph = recording.graph if recording.graph is not None else unconnected.edges(recording)
        self.known = not recording.spent or recording.graph is not None  # are the paths still there?
        self.witness: Witness | None = next((a for a in recording.attendants if isinstance(a, Witness)), None)

    def report(self, name: str, source: Any) -> SourceReport:
        plain = getattr(source, "_differentiable", source)
        if self._connected(plain):
            return SourceReport(name, source, True, [])
        found = unconnected.causes(self.recording, self.graph, self._tensors(), source)
        if found[0].kind == "not used" and not self.known and self._answer(plain) is None:
            text = "the tape is spent, and this source was not asked for while it was not"
            found = [Cause("not known", text, repair="Ask before gradient(), or make the tape with persistent=True.")]
        return SourceReport(name, source, False, [self._placed(cause, plain) for cause in found])

    def _tensors(self) -> list:
        return [t.value() if isinstance(t, Variable) else t for t in self.targets]

    def _ids(self, source: Any) -> set[int]:
        if isinstance(source, Variable):
            return {source._id, *self.recording.reads.get(source._id, ())}
        return {source._id}

    def _answer(self, source: Any) -> bool | None:
        """What gradient() found, if it was asked."""
        groups, reached = self.recording.answers or ((), ())
        ids = self._ids(source)
        for k, group in enumerate(groups):
            if ids & set(group):
                return not reached or reached[k]
        return None

    def _connected(self, source: Any) -> bool:
        if not source.dtype.is_inexact:
            return False
        if not self.known:
            return bool(self._answer(source))
        reached = self._ids(source) - {0}
        for out, inputs in self.graph:
            if not reached.isdisjoint(inputs):
                reached.update(out)
        watched = self.recording.watched
        return any((t._id in reached and t._id in watched or t is source) and t.dtype.is_inexact for t in self.targets)

    # ---- with a witness

    def _placed(self, cause: Cause, source: Any) -> Cause:
        """The cause with the line where it happened, and more exactly, as far as a witness knows."""
        if self.witness is None or cause.where:
            return cause
        opened = self.witness.opened.get(id(self.recording))
        if cause.kind == "not read":
            return self._read_before(cause, source, opened)
        if cause.kind == "not watched" and not isinstance(source, Variable):
            return self._made(cause, source)
        if cause.kind in ("not recorded", "not used"):
            return self._used_early(source, opened) or self._target_outside(cause, opened)
        return cause

    def _read_before(self, cause: Cause, variable: Any, opened: Origin | None) -> Cause:
        reads = self.witness.reads.get(variable._id, [])
        if not reads or opened is None:
            return cause
        line = reads[-1].line
        if reads[-1].when < opened.when:
            text = f"the variable was read before the tape opened (at {opened.line}), and its value used from then on"
            return Cause("read too early", text, line, "Read it inside the `with` block.")
        text = "the variable was read only after the tape had closed"
        return Cause("read too late", text, line, "Read it inside the `with` block.")

    def _made(self, cause: Cause, tensor: Any) -> Cause:
        origin = self.witness.origins.get(tensor._id)
        return (
            cause
            if origin is None
            else cause._replace(text=f"{cause.text}; it was made by {origin.operation}", where=origin.line)
        )

    def _used_early(self, source: Any, opened: Origin | None) -> Cause | None:
        """Was the source used for the target, but before the tape watched it?"""
        ids, origins = self._ids(source), self.witness.origins
        watched_at = self.witness.watches.get((id(self.recording), source._id), opened)
        seen, todo = set(), [t._id for t in self.targets]
        while todo:
            origin = origins.get(i := todo.pop())
            if origin is None or i in seen:
                continue
            seen.add(i)
            if ids.intersection(origin.inputs) and watched_at is not None and origin.when < watched_at.when:
                text = f"it was used, by {origin.operation}, before it was watched (at {watched_at.line})"
                return Cause(
                    "used too early",
                    text,
                    origin.line,
                    "Watch it first, and compute everything after that inside the `with` block.",
                )
            todo.extend(origin.inputs)
        return None

    def _target_outside(self, cause: Cause, opened: Origin | None) -> Cause:
        for target in self.targets:
            origin = self.witness.origins.get(target._id)
            if origin is not None and target._id not in self.recording.watched and opened is not None:
                when = "before the tape opened" if origin.when < opened.when else "after the tape closed, or from other values"
                return Cause(
                    "target outside", f"the target was computed, by {origin.operation}, {when}", origin.line, cause.repair
                )
        return cause


def _name(path: str, leaf: Any) -> str:
    own = leaf.name.removesuffix(":0") if isinstance(leaf, Variable) else ""
    return own if own and own != "Variable" else f"source{path}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
