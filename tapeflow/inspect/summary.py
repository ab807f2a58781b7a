"""`tape.summary()`: what a tape recorded, as a table of text."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from tapeflow.core.variables.variable import label
from tapeflow.tape.gradient_tape import GradientTape

from . import profile
from .inside import Opened, origins_here
from .profile import Entry
from .provenance import Provenance, provenance_of

_MOST_ROWS = 12
_EAGER = "(outside functions)"  # where lines are known after explain_gradients() alone
_WHEN_TO_ASK = "Ask before gradient(), or call tf.debugging.explain_gradients() before the tape opens."


def entries_of(tape: GradientTape) -> list[Entry]:
    """What the tape holds; of a spent one what it held before, where that was kept."""
    recording = tape._recording
    if recording is None:
        return []
    provenance = provenance_of(recording)
    if recording.spent and provenance is not None:
        entries = provenance.tapes[recording].profile or []
    else:
        left = getattr(recording, "remains", []) if recording.spent else profile.skeletons(recording.records)
        opened = Opened(left, origins_here() if provenance is None else provenance.origins)
        entries = profile.of_skeletons(opened.skeletons, opened.origins, opened.same)
    names = {
        i: label(v) or "Variable" for v in recording.variables.values() for i in recording.reads.get(v.serial, ())
    }
    return [e._replace(watched=names.get(e.tensor, e.watched)) if e.is_source else e for e in entries]


def summary(tape: GradientTape, print_fn: Callable[[str], Any] | None = None) -> None:
    """`tape.summary`."""
    (print_fn or print)(text(tape))


def text(tape: GradientTape) -> str:
    blocks = ["\n".join(_aligned(table)) for table in tables(tape)]
    return "\n".join([headline(tape), "\n\n".join(blocks)]).rstrip("\n")


def headline(tape: GradientTape) -> str:
    """How many operations, what they keep, what is watched."""
    recording = tape._recording
    if recording is None:
        return "The tape was never entered: it recorded nothing."
    watched = f"{_counted(len(recording.variables), 'variable')}, {_counted(len(recording.kept), 'tensor')}"
    entries = [e for e in entries_of(tape) if not e.is_source]
    if recording.spent and not entries and (count := recording.count()):
        what = f"it knew how {_counted(count, 'value')} were computed, and let go of that. Watched: {watched}"
        return f"The tape is spent: {what}. {_WHEN_TO_ASK}"
    kept = f"{size_text(sum(e.kept for e in entries))} {'were ' * recording.spent}kept for the backward walk"
    return f"{_counted(len(entries), 'operation')} recorded, {kept}; watched: {watched}"


def tables(tape: GradientTape) -> list[list[list[str]]]:
    """By operation, and, where they are known, by line and by layer: rows of cells, the first the headings."""
    entries = [e for e in entries_of(tape) if not e.is_source]
    provenance = provenance_of(tape._recording)
    if not entries:
        return []
    found = [_table(entries, provenance, "operation", lambda e: e.operation)]
    if any(e.line for e in entries):
        found.append(_table(entries, provenance, "line", lambda e: f"{e.line}  {e.source}"[:70] if e.line else _EAGER))
    if any(e.scope for e in entries):
        found.append(_table(entries, provenance, "layer or scope", lambda e: e.scope or "(outside)"))
    return found


def _table(
    entries: list[Entry], provenance: Provenance | None, title: str, key: Callable[[Entry], str]
) -> list[list[str]]:
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[key(entry)].append(entry)
    largest = sorted(groups.items(), key=lambda item: -sum(e.kept for e in item[1]))
    head = [title, "count", "kept"] + (["forward", "backward"] if provenance is not None else [])
    rows = [[name, *_cells(members, provenance)] for name, members in largest[:_MOST_ROWS]]
    if rest := largest[_MOST_ROWS:]:
        rows.append([f"({len(rest)} more)", *_cells([e for _, members in rest for e in members], provenance)])
    return [head, *rows]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    line = lambda row: "  ".join(
        [row[0].ljust(widths[0]), *[cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]]
    )
    return [line(row).rstrip() for row in rows]


def _cells(members: list[Entry], provenance: Provenance | None) -> list[str]:
    cells = [str(len(members)), size_text(sum(e.kept for e in members))]
    if provenance is not None:
        steps = [provenance.steps[e.tensor].seconds for e in members if e.tensor in provenance.steps]
        forward = sum(e.forward for e in members)
        cells += [time_text(forward) if forward else "–", time_text(sum(steps)) if steps else "–"]
    return cells


def size_text(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1000
    raise AssertionError


def time_text(seconds: float) -> str:
    return (
        f"{seconds * 1e6:.0f} µs"
        if seconds < 1e-3
        else f"{seconds * 1e3:.1f} ms"
        if seconds < 1
        else f"{seconds:.2f} s"
    )


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
