"""What a call is held to without TensorFlow: all interpretations agree."""

import zlib
from collections import Counter
from dataclasses import dataclass

from . import derivatives, interpretations
from .compare import Outcome, disagreement

# How often each comparison is made; those that compile take a hundred times as long as those that do not.
SHARES = {
    "plan": 0.5,
    "open shapes": 0.2,
    "xla": 0.08,
    "map": 0.5,
    "gradient": 0.6,
    "second gradient": 0.3,
    "forward": 0.4,
    "gradient in a function": 0.25,
}
_DERIVATIVES = {"gradient": derivatives.reverse, "second gradient": derivatives.second, "forward": derivatives.forward}
_RERUNS = {"plan": interpretations.plan, "open shapes": interpretations.open_shapes}


@dataclass
class Disagreement:
    """One comparison that failed: `kind` is the interpretation, `how` as in `compare.disagreement`."""

    call: object
    kind: str
    how: str
    expected: str
    got: str

    def __str__(self):
        return (
            f"{self.call.name} · {self.kind} · {self.how}\n    {self.call}\n    expected {self.expected}\n    got "
            f"     {self.got}"
        )


def check(tf, call, kinds=None, counts=None):
    """The disagreements among the interpretations of a call. `kinds`: which (all of them), `counts`: a Counter of
    comparisons made."""
    counts = Counter() if counts is None else counts
    found = []
    reference = None
    for kind in kinds or SHARES:
        if kind == "xla":
            checked = interpretations.without_denormals(call)
            pair = interpretations.eager(tf, checked), interpretations.xla(tf, checked)
        elif kind in _RERUNS:
            if kind == "open shapes" and not interpretations.dense(call):
                continue
            reference = reference or interpretations.eager(tf, call)
            pair, checked = (reference, _RERUNS[kind](tf, call)), call
        elif kind == "map":
            pair, checked = interpretations.mapped(tf, call) if interpretations.dense(call) else None, call
        elif kind == "gradient in a function":
            pair, checked = derivatives.compiled(tf, call), call
        else:
            checked = derivatives.smooth(call)
            pair = _derivative(tf, checked, kind) if checked else None
        if pair is None:
            continue
        counts[kind] += 1
        how = disagreement(*pair, {leaf.dtype for leaf in checked.leaves})
        if how:
            found.append(Disagreement(checked, kind, how, *map(str, pair)))
    return found


def chosen(call):
    """The comparisons that are made for this call when time is short: a share of each kind, decided by the call's
    text."""
    return [kind for kind, share in SHARES.items() if zlib.crc32(f"{kind} {call}".encode()) % 1000 < 1000 * share]


def _derivative(tf, call, kind):
    if interpretations.eager(tf, call).error is not None:
        return None
    try:
        return _DERIVATIVES[kind](tf, call)
    except Exception as error:  # in the reference: a slope that cannot be computed is "gradient"'s to report
        return (Outcome([]), Outcome(None, error)) if kind == "gradient" else None
