"""Why a source is unconnected: the text behind `unconnected_gradients="error"`."""

from typing import Any

from tapeflow.core import nest
from tapeflow.core.variable import Variable

from .recording import Recording


def edges(recording: Recording) -> list[tuple[list[int], list[int]]]:
    """(output ids, input ids) of every record: taken before the walk, which lets go of the records."""
    as_list = lambda ids: [ids] if isinstance(ids, int) else list(ids)
    return [([out] if out else saved[0], as_list(inputs)) for out, inputs, _, saved in recording.records]


def explain(recording: Recording, graph: list, targets: list, sources: Any, leaves: list, found: list) -> str:
    """One line for each source without a gradient, with the reason and the repair."""
    names = nest.paths(sources)
    lines = [
        f"  source{name}: {_reason(recording, graph, targets, leaf)}" for name, leaf, g in zip(names, leaves, found) if g is None
    ]
    return "No gradient reaches these sources:\n" + "\n".join(lines)


def _reason(recording: Recording, graph: list, targets: list, source: Any) -> str:
    source = getattr(source, "_differentiable", source)
    what = "variable" if isinstance(source, Variable) else "tensor"
    if not source.dtype.is_inexact:
        return f"it is a {source.dtype.name} {what}; only floating and complex values have gradients. Use a float dtype."
    if not any(t.dtype.is_inexact for t in targets):
        return f"the target is {targets[0].dtype.name if targets else 'empty'}; only floating and complex values have gradients."
    if isinstance(source, Variable):
        ids = recording.reads.get(source._id)
        if ids is None:
            if not source.trainable:
                return "the variable is not trainable, so it is not watched by itself. Call tape.watch(v) first."
            if not recording.watch_accessed:
                return "the tape was made with watch_accessed_variables=False. Call tape.watch(v) first."
            return "the variable was not read while the tape recorded (or its value was read before the tape opened)."
    else:
        ids = [source._id]
        if source._id not in recording.watched:
            return "the tensor is not watched, and was not computed from anything watched. Call tape.watch(x) before using it."
    return _follow(recording, graph, targets, set(ids))


def _follow(recording: Recording, graph: list, targets: list, reached: set[int]) -> str:
    """Go forward from the source; say where the paths end."""
    for out, inputs in graph:
        if not reached.isdisjoint(inputs):
            reached.update(out)
    ends: list[str] = []
    for tensor_id, reason, line in recording.notes:
        if tensor_id in reached:
            text = f"{_WORDS.get(reason) or _default(reason)} at {line}"
            if text not in ends:
                ends.append(text)
    unrecorded = [t for t in targets if t._id not in recording.watched]
    after = (
        "the target was not computed from it while the tape recorded: it was computed before the tape opened, after it closed, "
        "or from other values. Compute the target inside the `with` block"
    )
    if ends:
        return "every path from it ends: " + "; ".join(ends[:5]) + "."
    if unrecorded:
        return after + "."
    return "it is watched, but the target does not use it."


_WORDS = {
    "op stop_recording": "it was used inside stop_recording(), which makes the result a constant,",
    "op stop_gradient": "stop_gradient() cuts it",
}


def _default(reason: str) -> str:
    if reason.startswith("op "):
        return f"{reason[3:]} is not differentiable: cut"
    if reason.startswith("assigning"):
        return f"{reason} is not differentiable (the variable is a fresh leaf afterwards)"
    return f"it leaves the tape through {reason}"
