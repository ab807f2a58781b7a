"""Unconnected gradients: why a source gets None, as far as it is known without preparation.

Paths end rarely, so a tape always notes where they do (`Recording.note`). `tape.explain` tells more after
`tf.debugging.explain_gradients()`.
"""

import enum
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapeflow.core import nest
from tapeflow.core.primitive import recorded
from tapeflow.core.record import Inside
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.variables.variable import Variable, label

from . import seeds
from .recording import Note, Recording, Refused


class UnconnectedGradients(enum.Enum):
    """What `tape.gradient` gives for a source that the target does not depend on.

    >>> [u.value for u in tf.UnconnectedGradients]
    ['none', 'zero']
    """

    NONE = "none"
    ZERO = "zero"


Unconnected: TypeAlias = UnconnectedGradients | str


def gradient_mode(value: Any) -> str:
    if isinstance(value, UnconnectedGradients):
        return value.value
    if value in ("none", "zero", "error"):
        return value
    raise ValueError(
        f"Unknown value for unconnected_gradients: {value!r}. It is 'none', 'zero', 'error' or a "
        "tf.UnconnectedGradients."
    )


class Cause(NamedTuple):
    """One reason: `kind` in a word or two, what happened, at which line of the program (or ""), what to do."""

    kind: str
    text: str
    where: str = ""
    repair: str = ""

    def __str__(self) -> str:
        text = f"{self.text} at {self.where}." if self.where else f"{self.text}."
        return f"{text} {self.repair}" if self.repair else text


def edges(recording: Recording) -> list[tuple[Any, Any]]:
    """(Id or ids of the outputs, of the inputs) of every record: all that is needed of it to know what comes from
    what."""
    return [(out or saved.ids, inputs) for out, inputs, _, saved in recording.records]


def leading_to(graph: list, targets: set[int]) -> set[int]:
    """The ids of everything that these were computed from, they included: one way back over the edges, for all
    sources."""
    needed = targets - {0}
    for out, inputs in reversed(graph):
        if out in needed if type(out) is int else not needed.isdisjoint(out):
            needed.add(inputs) if type(inputs) is int else needed.update(inputs)
    return needed


def coming_from(graph: list, groups: list[set[int]]) -> dict[int, int]:
    """By id, which of the groups it was computed from, as bits: one way over the edges for all of them."""
    bits: dict[int, int] = defaultdict(int)
    for k, group in enumerate(groups):
        for i in group:
            bits[i] |= 1 << k
    for out, inputs in graph:
        come = 0
        for i in (inputs,) if type(inputs) is int else inputs:
            come |= bits.get(i, 0)
        if come:
            for i in (out,) if type(out) is int else out:
                bits[i] |= come
    bits.pop(0, None)  # what has no gradient, of several outputs
    return bits


def error_text(
    recording: Recording, graph: list, targets: list, sources: Any, leaves: list, found: list, refused: Collection = ()
) -> str:
    """One line for each source without a gradient: `unconnected_gradients="error"`."""
    reasons, lines = Reasons(recording, graph, targets, leaves, refused), []
    for k, (name, g) in enumerate(zip(source_names(sources, leaves), found)):
        if g is None:
            lines.append(f"  {name}: {' '.join(map(str, reasons.causes(k)[:5]))}")
    return "No gradient reaches these sources:\n" + "\n".join(lines)


def source_names(sources: Any, leaves: list) -> list[str]:
    """What messages call sources: a variable by its own name, everything else, and what shares a name, by its
    place."""
    names = [label(leaf) if isinstance(leaf, Variable) else "" for leaf in leaves]
    flat = zip(nest.flatten(sources), nest.paths(sources))
    places = [f"source{path}" for source, path in flat for _ in seeds.parts([source])]
    return [
        place if not name else name if names.count(name) == 1 else f"{name} ({place})"
        for name, place in zip(names, places)
    ]


class Reasons:
    """Why nothing arrives at the sources from the targets.

    `refused`: what rules gave None for. `complete`: is the graph still all of it? Who saw more than the tape may add
    to `seen`, the ids of what the targets were computed from, and tell by `line_of` where."""

    def __init__(
        self,
        recording: Recording,
        graph: list,
        targets: list,
        sources: list,
        refused: Collection = (),
        complete: bool = True,
    ) -> None:
        self.recording, self.graph, self.targets, self.refused = recording, graph, targets, refused
        self.complete = complete
        self.sources = list(sources)
        self.seen = {t.serial for t in targets}
        self.line_of: Callable[[int], str] = lambda i: ""

    @cached_property
    def _come_from(self) -> dict[int, int]:
        return coming_from(self.graph, [source_ids(self.recording, source) for source in self.sources])

    def causes(self, k: int) -> list[Cause]:
        """At least one reason for source `k`."""
        recording, source = self.recording, self.sources[k]
        is_variable = isinstance(source, Variable)
        if not source.dtype.is_inexact:
            what = (
                f"it is a {source.dtype.name} {'variable' if is_variable else 'tensor'}; only floating and "
                "complex values have gradients"
            )
            return [Cause("integer source", what, repair="Use a float dtype.")]
        if not any(t.dtype.is_inexact for t in self.targets):
            what = (
                f"the target is {self.targets[0].dtype.name if self.targets else 'empty'}; only floating and "
                "complex values have gradients"
            )
            repair = "Differentiate what it was computed from: a loss, not a label or a count."
            return [Cause("integer target", what, repair=repair)]
        if source.serial not in recording.watched and source.serial not in recording.reads:
            for note in recording.notes:
                if note.reason == "reset" and source.serial in note.made:
                    return [cause_of_note(note)]
        if is_variable and source.serial not in recording.reads:
            return self._noted(k) or [_unread(recording, source)]
        if not is_variable and source.serial not in recording.watched:
            return [_unwatched(recording, source)]
        return self._where_paths_end(k)

    def _where_paths_end(self, k: int) -> list[Cause]:
        here = self._come_from if self.complete else None
        own = source_ids(self.recording, self.sources[k])
        refused = [r for r in self.refused if r.tensor in own] or [
            r for r in self.refused if here is None or here.get(r.tensor, 0) >> k & 1
        ]
        if refused:
            return list(dict.fromkeys(cause for r in refused for cause in _refused(r, self.line_of(r.output))))
        found = self._noted(k)
        watched = [t.serial in self.recording.watched for t in self.targets]
        if not all(watched):
            what = (
                "the target was not computed from it while the tape recorded: it was computed before the tape "
                "opened, after it closed, or from other values"
            )
            return found or [Cause("not recorded", what, repair="Compute the target inside the `with` block.")]
        repair = "Look for a typo, or for a layer that is never called."
        if not found:
            return [Cause("not used", "it is watched, but the target does not use it", repair=repair)]
        if any(self.seen.intersection(note.made) for note in self._notes(k)):
            return found
        return [
            *found,
            Cause(
                "not used", "if that is unrelated to the target, the target does not use this source", repair=repair
            ),
        ]

    def _noted(self, k: int) -> list[Cause]:
        """The ends of paths from source `k`: those that the target is known to come from, if any, else all that may
        be."""
        notes = self._notes(k)
        certain = [note for note in notes if self.seen.intersection(note.made)]
        return list(dict.fromkeys(map(cause_of_note, certain or notes)))

    def _notes(self, k: int) -> list[Note]:
        """What came after the targets had been computed is no reason."""
        latest = max(
            [t.serial if t.serial and not isinstance(t, Variable) else _NEVER for t in self.targets], default=_NEVER
        )
        in_time = [n for n in self.recording.notes if n.when < latest or self.seen.intersection(n.made)]
        return [n for n in in_time if self._come_from.get(n.tensor, 0) >> k & 1]


_NEVER = 1 << 62  # later than everything


def source_ids(recording: Recording, source: Any) -> set[int]:
    """The ids that a source has: a variable also those of its reads."""
    return {source.serial, *recording.reads.get(source.serial, ())} - {0}


def _unread(recording: Recording, variable: Variable) -> Cause:
    if not variable.trainable:
        what = "the variable is not trainable, so it is not watched by itself"
        return Cause("not trainable", what, repair="Call tape.watch(v) first.")
    if not recording.watch_accessed:
        what = "the tape was made with watch_accessed_variables=False, and the variable is not watched"
        return Cause("not watched", what, repair="Call tape.watch(v) first.")
    what = "the variable was not read while the tape recorded (or its value was read before the tape opened)"
    repair = "Read it, or call the model that does, inside the `with` block."
    like = [
        v for v in recording.variables.values() if v.name == variable.name != _NAMELESS and v.shape == variable.shape
    ]
    if len(like) == 1:
        return Cause(
            "another variable",
            f"{what}; another one of its name, {variable.name!r}, was",
            repair="Is that the one you mean?",
        )
    return Cause("not read", what, repair=repair)


_NAMELESS = "Variable:0"


def _unwatched(recording: Recording, tensor: Any) -> Cause:
    if any(_same(tensor, other) for other in recording.kept):
        what = "the tensor is not watched: the one that is watched is another tensor, of the same values"
        return Cause("another tensor", what, repair="Give tape.gradient the very tensor that was given to tape.watch.")
    what = "the tensor is not watched, and was not computed from anything watched"
    return Cause("not watched", what, repair="Call tape.watch(x) before using it.")


def _same(a: Any, b: Any) -> bool:
    known = isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and a.sizes == b.sizes and a.dtype == b.dtype
    return known and np.array_equal(a.array, b.array)


def _refused(refused: Refused, line: str) -> list[Cause]:
    """Of a call, branches and loops, the reasons are those of the tapes over their graphs, with the lines of the
    trace."""
    if refused.inside is None:
        what = f"the {refused.title} gave None for it"
        return [Cause("custom gradient", what, line, "Return a tensor for every argument.")]
    unused = Cause("not used", f"the {refused.title} does not use it for its result", line, "Look for a typo.")
    return _cuts(refused.inside(), refused.position) or [unused]


def _cuts(parts: Iterable[Inside], position: int) -> list[Cause]:
    """Where paths from one of the inputs end, in the parts of an operation and in the parts of those in them."""
    found: list[Cause] = []
    for part in parts:
        graph, source = edges(part.recording), part.inputs[position]
        reasons = Reasons(part.recording, graph, list(part.results), [source])
        found += [cause for cause in reasons.causes(0) if cause.kind not in ("not used", "not recorded")]
        come = coming_from(graph, [{source.serial}])
        for _, inputs, pullback, _ in part.recording.records:
            for k, i in enumerate((inputs,) if type(inputs) is int else inputs):
                if pullback.inside is not None and i in come:
                    found += _cuts(pullback.inside(), k)
    return list(dict.fromkeys(found))


def cause_of_note(note: Note) -> Cause:
    reason, line = note.reason, note.line
    if reason == "reset":
        what = "what the tape watched was forgotten, by tape.reset()"
        return Cause("reset", what, line, "Watch, and compute everything, after that.")
    if reason == "op stop_recording":
        what = "it was used inside stop_recording(), which makes the result a constant"
        return Cause("stop_recording", what, line, "Move the computation out of that block.")
    if reason.startswith("op "):
        declared = getattr(recorded, reason[3:], None)
        kind, what, repair = declared is not None and declared.primitive.cuts or (
            "not differentiable", f"the path is cut: {reason[3:]} is not differentiable",
            "Use a smooth stand-in for it, or give it a gradient with tf.custom_gradient.",
        )  # fmt: skip
        return Cause(kind, what, line, repair)
    if reason.startswith("updating"):  # a moving average, a counter: as it should be
        what = f"its value leaves the tape by {reason}"
        return Cause("state", what, line, "If a gradient should flow there, compute with the value itself.")
    if reason.startswith("assigning"):
        what = f"{reason} is not differentiable (the variable is a fresh leaf afterwards)"
        return Cause("assignment", what, line, "Compute with the value itself instead of the variable.")
    what = f"its value leaves the tape through {reason}"
    return Cause("left the tape", what, line, "Compute on with tf operations.")
