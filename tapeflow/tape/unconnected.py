"""Why a source is unconnected: what is known without any preparation, in a form that texts are made of.

Paths end rarely, so a tape always notes where they do (`Recording.note`). `tape.explain` tells more after `tf.debugging.explain_gradients()`.
"""

from typing import Any, NamedTuple

import numpy as np

from tapeflow.core import nest
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.variable import Variable

from .recording import Recording


class Cause(NamedTuple):
    """One reason: `kind` in a word or two, what happened, at which line of the program (or ""), what to do."""

    kind: str
    text: str
    where: str = ""
    repair: str = ""

    def __str__(self) -> str:
        text = f"{self.text} at {self.where}." if self.where else f"{self.text}."
        return f"{text} {self.repair}" if self.repair else text


def edges(recording: Recording) -> list[tuple[list[int], list[int]]]:
    """(output ids, input ids) of every record: taken before the walk, which lets go of the records."""
    as_list = lambda ids: [ids] if isinstance(ids, int) else list(ids)
    return [([out] if out else saved[0], as_list(inputs)) for out, inputs, _, saved in recording.records]


def error_text(recording: Recording, graph: list, targets: list, sources: Any, leaves: list, found: list) -> str:
    """One line for each source without a gradient: `unconnected_gradients="error"`."""
    lines = []
    for name, leaf, g in zip(nest.paths(sources), leaves, found):
        if g is None:
            reasons = causes(recording, graph, targets, leaf)
            lines.append(f"  source{name}: {' '.join(map(str, reasons[:5]))}")
    return "No gradient reaches these sources:\n" + "\n".join(lines)


def causes(recording: Recording, graph: list, targets: list, source: Any) -> list[Cause]:
    """Why nothing arrives at the source; at least one reason."""
    source = getattr(source, "_differentiable", source)
    is_variable = isinstance(source, Variable)
    if not source.dtype.is_inexact:
        what = f"it is a {source.dtype.name} {'variable' if is_variable else 'tensor'}; only floating and complex values have gradients"
        return [Cause("integer source", what, repair="Use a float dtype.")]
    if not any(t.dtype.is_inexact for t in targets):
        what = f"the target is {targets[0].dtype.name if targets else 'empty'}; only floating and complex values have gradients"
        return [Cause("integer target", what, repair="Differentiate what it was computed from: a loss, not a label or a count.")]
    if is_variable:
        ids = recording.reads.get(source._id)
        if ids is None:
            return [_unread(recording, source)]
    else:
        ids = [source._id]
        if source._id not in recording.watched:
            return [_unwatched(recording, source)]
    return _where_paths_end(recording, graph, targets, set(ids))


def _unread(recording: Recording, variable: Variable) -> Cause:
    if not variable.trainable:
        what = "the variable is not trainable, so it is not watched by itself"
        return Cause("not trainable", what, repair="Call tape.watch(v) first.")
    if not recording.watch_accessed:
        what = "the tape was made with watch_accessed_variables=False, and the variable is not watched"
        return Cause("not watched", what, repair="Call tape.watch(v) first.")
    what = "the variable was not read while the tape recorded (or its value was read before the tape opened)"
    repair = "Read it, or call the model that does, inside the `with` block."
    like = [v for v in recording.variables.values() if v.name == variable.name != _NAMELESS and v.shape == variable.shape]
    if len(like) == 1:
        return Cause(
            "another variable", f"{what}; another one of its name, {variable.name!r}, was", repair="Is that the one you mean?"
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
    known = isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and a.shape == b.shape and a.dtype == b.dtype
    return known and np.array_equal(a._array, b._array)


def _where_paths_end(recording: Recording, graph: list, targets: list, reached: set[int]) -> list[Cause]:
    """Go forward from the source."""
    for out, inputs in graph:
        if not reached.isdisjoint(inputs):
            reached.update(out)
    found = {cause_of_note(reason, line): None for tensor_id, reason, line in recording.notes if tensor_id in reached}
    if found:
        return list(found)
    if any(t._id not in recording.watched for t in targets):
        what = (
            "the target was not computed from it while the tape recorded: it was computed before the tape opened, after it closed, "
            "or from other values"
        )
        return [Cause("not recorded", what, repair="Compute the target inside the `with` block.")]
    what = "it is watched, but the target does not use it"
    return [Cause("not used", what, repair="Look for a typing error, or for a layer that is never called.")]


def cause_of_note(reason: str, line: str) -> Cause:
    if reason == "op stop_recording":
        what = "it was used inside stop_recording(), which makes the result a constant"
        return Cause("stop_recording", what, line, "Move the computation out of that block.")
    if reason == "op stop_gradient":
        return Cause("stop_gradient", "stop_gradient() cuts the path", line, "Leave it out if a gradient should flow.")
    if reason == "op cast":
        what = "the cast to an integer or bool is not differentiable: the path is cut"
        return Cause("integer cast", what, line, "Stay with a float dtype.")
    if reason.startswith("op "):
        what = f"{reason[3:]} is not differentiable: the path is cut"
        return Cause(
            "not differentiable", what, line, "Use a smooth stand-in for it, or give it a gradient with tf.custom_gradient."
        )
    if reason.startswith("assigning"):
        what = f"{reason} is not differentiable (the variable is a fresh leaf afterwards)"
        return Cause("assignment", what, line, "Compute with the value itself instead of the variable.")
    if reason.startswith("None from"):
        return Cause(
            "custom gradient", f"the function of {reason[10:]} gave None for it", line, "Return a tensor for every argument."
        )
    what = f"its value leaves the tape through {reason}"
    return Cause("left the tape", what, line, "Compute on with tf operations.")
