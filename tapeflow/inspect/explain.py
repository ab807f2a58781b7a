"""`tape.explain(target, sources)`: for each source, is it connected, and if not, why, where, and what to do."""

from collections.abc import Iterator
from typing import Any

from tapeflow.core.frames import unobserved
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.variables.variable import Variable
from tapeflow.tape import seeds, unconnected
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.tape.recording import End, Recording
from tapeflow.tape.unconnected import Cause, Reasons
from tapeflow.tape.walk import walk

from .notebook import explanation_html
from .provenance import Origin, provenance_of


class SourceReport:
    """What is known of one source: `connected`, and if it is not, `kind`, `reason`, `where` and `repair` of the first
    of its `causes`."""

    def __init__(self, name: str, source: Any, connected: bool, causes: list[Cause]) -> None:
        self.name, self.source, self.connected, self.causes = name, source, connected, causes

    @property
    def kind(self) -> str:
        """The first cause in a word or two; "connected" if there is none."""
        return self.causes[0].kind if self.causes else "connected"

    @property
    def reason(self) -> str:
        """What happened."""
        return self.causes[0].text if self.causes else ""

    @property
    def where(self) -> str:
        """File and line of the program, or an empty text."""
        return self.causes[0].where if self.causes else ""

    @property
    def repair(self) -> str:
        """What to do, in a sentence."""
        return self.causes[0].repair if self.causes else ""

    def __str__(self) -> str:
        if not self.causes:
            return f"{self.name}: connected."
        head = f"{self.name}: {'connected, but' if self.connected else 'None.'}"
        return "\n".join(
            [
                head,
                *[
                    f"  {_capital(c.text)}{f' ({c.where})' if c.where else ''}. {c.repair}".rstrip()
                    for c in self.causes
                ],
            ]
        )

    __repr__ = __str__


class Explanation:
    """One `SourceReport` for each source, in order; printed, a text."""

    def __init__(self, reports: list[SourceReport]) -> None:
        self.reports = reports

    @property
    def connected(self) -> bool:
        """Has every source a gradient?"""
        return all(r.connected for r in self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[SourceReport]:
        return iter(self.reports)

    def __getitem__(self, k: int) -> SourceReport:
        return self.reports[k]

    def __str__(self) -> str:
        return "\n".join(map(str, self.reports))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A table, in Jupyter."""
        return explanation_html(self)


def explain(tape: GradientTape, target: Any, sources: Any) -> Explanation:
    """`tape.explain`."""
    leaves = seeds.checked_sources(sources)
    names = unconnected.source_names(sources, leaves)
    recording = tape._recording
    if recording is None:
        cause = Cause(
            "not recorded",
            "the tape was never entered, so it recorded nothing",
            repair="Compute the target inside `with tape:`.",
        )
        return Explanation([SourceReport(name, leaf, False, [cause]) for name, leaf in zip(names, leaves)])
    looker = _Looker(recording, seeds.checked_targets(target), leaves)
    return Explanation([looker.report(k, name) for k, name in enumerate(names)])


class _Looker:
    def __init__(self, recording: Recording, targets: list, sources: list) -> None:
        self.recording, self.targets, self.sources = recording, targets, sources
        self.provenance = provenance_of(recording)
        self.end = None if recording.end is None else End(*recording.end)
        kept = None if self.end is None else self.end.graph
        graph = kept if kept is not None else unconnected.edges(recording)
        self.known = not recording.spent or kept is not None  # are the paths still there?
        self.leading = unconnected.leading_to(graph, {t.serial for t in targets if t.dtype.is_inexact})
        self.tried = self._tried()
        refused = self.tried.refused if self.tried is not None else ()
        self.reasons = Reasons(recording, graph, targets, sources, refused, complete=self.known)
        if self.provenance is not None:
            self.reasons.seen.update(self.provenance.leading_to(self.leading))
            self.reasons.line_of = self.provenance.line_of

    def _tried(self) -> End | None:
        """What a walk found, or finds now: there are rules that may give None."""
        recording, targets = self.recording, self.targets
        if recording.spent:
            asked = self.end is not None and {t.serial for t in targets} == set(self.end.targets)
            return self.end if asked else None
        if not any(pullback.unusual for _, _, pullback, _ in recording.records):
            return None
        keep = {i for source in self.sources for i in self._ids(source)}
        try:
            with unobserved(), quiet():
                start = seeds.seeds(targets, targets, None)
                grads = {t.serial: seeds.own(g) for t, g in zip(targets, start) if g is not None and t.serial}
                refused = walk(recording.records, grads, keep, False, recording.complex, consume=False)
        except Exception:  # of a user's function, say: gradient() will tell
            return None
        return End((), keep, tuple(grads), refused, None)

    def report(self, k: int, name: str) -> SourceReport:
        source = self.sources[k]
        if self._connected(source):
            return SourceReport(name, source, True, [])
        found = self.reasons.causes(k)
        if found[0].kind in ("not used", "not recorded") and not self.known and not self._was_asked(source):
            text = "the tape is spent, and what is known of it does not say whether the target comes from this source"
            found = [Cause("not known", text, repair="Ask before gradient(), or make the tape with persistent=True.")]
        return SourceReport(name, source, False, [self._placed(cause, source) for cause in found])

    def _ids(self, source: Any) -> set[int]:
        return unconnected.source_ids(self.recording, source)

    def _was_asked(self, source: Any) -> bool:
        return self.tried is not None and not self.tried.sources.isdisjoint(self._ids(source))

    def _connected(self, source: Any) -> bool:
        if not source.dtype.is_inexact:
            return False
        if self._was_asked(source):
            return not self._ids(source).isdisjoint(self.tried.reached)
        if any(t is source for t in self.targets):
            return True
        return self.known and not self.leading.isdisjoint(self._ids(source) & self.recording.watched)

    # ---- with provenance

    def _placed(self, cause: Cause, source: Any) -> Cause:
        """The cause with the line where it happened, and more exactly, as far as the provenance is known."""
        if self.provenance is None or cause.where:
            return cause
        opened = self.provenance.tapes[self.recording].opened
        if cause.kind == "not read":
            return self._read_before(cause, source, opened)
        if cause.kind == "not watched" and not isinstance(source, Variable):
            return self._made(cause, source)
        if cause.kind in ("not recorded", "not used"):
            return self._used_early(source, opened) or self._target_outside(cause, opened)
        return cause

    def _read_before(self, cause: Cause, variable: Any, opened: Origin) -> Cause:
        read = self.provenance.reads.get(variable.serial)
        if read is None:
            return cause
        if read.when < opened.when:
            text = f"the variable was read before the tape opened (at {opened.line}), and its value used from then on"
            return Cause("read too early", text, read.line, "Read it inside the `with` block.")
        text = "the variable was read only after the tape had closed"
        return Cause("read too late", text, read.line, "Read it inside the `with` block.")

    def _made(self, cause: Cause, tensor: Any) -> Cause:
        origin = self.provenance.origins.get(tensor.serial)
        return (
            cause
            if origin is None
            else cause._replace(text=f"{cause.text}; it was made by {origin.operation}", where=origin.line)
        )

    def _used_early(self, source: Any, opened: Origin) -> Cause | None:
        """Was the source used for the target, but before the tape watched it?"""
        ids, origins = self._ids(source), self.provenance.origins
        by_itself = (
            isinstance(source, Variable) and self.recording.watch_accessed
        )  # from the first read on, which is earlier
        watched_at = opened if by_itself else self.provenance.tapes[self.recording].watches.get(source.serial, opened)
        for i in self.provenance.leading_to({t.serial for t in self.targets}):
            origin = origins.get(i)
            if origin is None or ids.isdisjoint(origin.inputs) or origin.when > watched_at.when:
                continue
            if origin.operation == "read":
                text = f"the target was computed from what was read before the tape opened (at {opened.line})"
                return Cause("read too early", text, origin.line, "Read it inside the `with` block.")
            text = f"it was used, by {origin.operation}, before it was watched (at {watched_at.line})"
            repair = "Watch it first, and compute everything after that inside the `with` block."
            return Cause("used too early", text, origin.line, repair)
        return None

    def _target_outside(self, cause: Cause, opened: Origin) -> Cause:
        for target in self.targets:
            origin = self.provenance.origins.get(target.serial)
            if origin is not None and target.serial not in self.recording.watched:
                when = (
                    "before the tape opened"
                    if origin.when < opened.when
                    else "after the tape closed, or from other values"
                )
                return Cause(
                    "target outside",
                    f"the target was computed, by {origin.operation}, {when}",
                    origin.line,
                    cause.repair,
                )
        return cause


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
