"""The data of a report's page, ready to be written as JSON."""

from collections import Counter
from typing import Any

from tapeflow.core.primitive import LINEAR, REGISTRY
from tapeflow.tape import unconnected
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.tape.recording import Recording

from . import folding, layout, summary, views
from .inside import with_inner
from .profile import Entry
from .provenance import Step, provenance_of

KINDS = ("source", "product", "elementwise", "reduction", "shaping", "function", "other")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_ENDS = 50


def data_of(tape: GradientTape) -> dict[str, Any]:
    """Everything that the page shows."""
    layout.library()  # a missing one is an error before anything is done
    recording, provenance = tape._recording, provenance_of(tape._recording)
    entries = [] if recording is None else _merged(summary.entries_of(tape), recording)
    steps = {} if provenance is None else provenance.steps
    trees = []
    if entries:
        trees.append({"name": "layers", "boxes": views.tree(folding.by_layer(entries), entries)})
        if len({e.line for e in entries}) > 1:
            trees.append({"name": "lines", "boxes": views.tree(folding.by_line(entries), entries)})
    return {
        "seen": provenance is not None,
        "lines": any(e.line for e in entries),
        "message": _message(tape, entries),
        "persistent": tape._persistent,
        "walked": any(e.tensor in steps for e in entries) or bool(recording is not None and recording.spent),
        "variables": 0 if recording is None else len(recording.variables),
        "tensors": 0 if recording is None else len(recording.kept),
        "ends": [] if recording is None else _ends(recording),
        "kinds": KINDS,
        "trees": trees,
        **_columns(entries, steps),
    }


def _message(tape: GradientTape, entries: list[Entry]) -> str:
    recording = tape._recording
    if recording is None:
        return "The tape was never entered: it recorded nothing."
    if not entries and recording.spent:
        return summary.headline(tape)
    return "" if entries else "The tape recorded nothing: no operation used anything that it watches."


def _ends(recording: Recording) -> list[dict[str, Any]]:
    """Where paths end, here and inside functions, branches and loops, each place once. That a layer keeps its moving
    averages is no news."""
    notes = [note for tape in with_inner(recording) for note in tape.notes]
    causes = [unconnected.cause_of_note(note) for note in notes if note.reason != "reset"]
    found = Counter(cause for cause in causes if cause.kind != "state")
    return [
        {"kind": cause.kind, "text": cause.text, "where": cause.where, "repair": cause.repair, "count": n}
        for cause, n in found.most_common(_MOST_ENDS)
    ]


def _merged(entries: list[Entry], recording: Recording) -> list[Entry]:
    """One entry for all reads of a variable in a layer, with its dtype and shape; everything numbered anew."""
    known: dict[int, Any] = {t.serial: t for t in recording.kept}
    for variable in recording.variables.values():
        known.update(dict.fromkeys(recording.reads.get(variable.serial, ()), variable))
    numbers: dict[int, int] = {}
    first: dict[Any, int] = {}
    merged: list[Entry] = []
    for entry in entries:
        value = known.get(entry.tensor)
        if entry.is_source and value is not None:
            key = value.serial, entry.scope
            if key in first:
                numbers[entry.number] = first[key]
                continue
            first[key] = len(merged)
            entry = entry._replace(result=entry.result or f"{value.dtype.name} {tuple(value.shape)}")
        numbers[entry.number] = len(merged)
        merged.append(
            entry._replace(number=len(merged), inputs=tuple(dict.fromkeys(numbers[i] for i in entry.inputs)))
        )
    return merged


def _columns(entries: list[Entry], steps: dict[int, Step]) -> dict[str, Any]:
    """The entries by column; texts are numbers of a list in which each is once. Times in microseconds."""
    texts: dict[str, int] = {"": 0}
    number = lambda text: texts.setdefault(text, len(texts))
    rows = []
    for e in entries:
        step = steps.get(e.tensor)
        rows.append(
            (
                number(e.watched or e.operation),
                KINDS.index(_kind(e)),
                number(e.result),
                number("" if e.line == "an unknown line" else e.line),
                number(e.source),
                number(e.scope),
                e.kept,
                round(e.forward * 1e6, 1),
                None if step is None else round(step.seconds * 1e6, 1),
                None if step is None else _short(step.norm),
                number(_bars(step)),
                [] if step is None or step.histogram is None else [_short(end) for end in step.histogram[1:]],
                list(e.inputs),
            )
        )
    names = (
        "name",
        "kind",
        "result",
        "line",
        "source",
        "scope",
        "kept",
        "forward",
        "backward",
        "norm",
        "bars",
        "range",
        "inputs",
    )
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return {"texts": list(texts), "entries": columns}


def _kind(entry: Entry) -> str:
    """By what the declaration says, so new operations have a colour, too."""
    prim = REGISTRY.get(entry.operation)
    if entry.is_source:
        return "source"
    if prim is None:
        return "function"
    if prim.moves:
        return "shaping"
    if prim.elementwise:
        return "elementwise"
    if "keepdims" in prim.params:
        return "reduction"
    return "product" if prim.jvp == LINEAR and len(prim.inputs) == 2 else "other"


def _short(number: float) -> float | str:
    """Four digits; what JSON has no number for is a text."""
    return float(f"{number:.4g}") if abs(number) < float("inf") else str(number)


def _bars(step: Step | None) -> str:
    """A histogram as a letter for each bar: its height from 0 to z."""
    if step is None or step.histogram is None:
        return ""
    counts = step.histogram[0]
    largest = max(counts) or 1
    return "".join(_DIGITS[-(-35 * count // largest)] for count in counts)
