"""An answer of a library to a call, as JSON: {"y": arrays, "g": gradients} or {"error": the exception's type}.

An array is [dtype, shape, numbers], with seven digits and at most 24 of its elements: enough to tell it from a wrong
one, and small.
"""

import numpy as np

from . import derivatives
from .calls import flat
from .compare import EPSILONS, close

KEPT = 24
ROUNDING = 1e-6  # of numbers with seven digits, and some


def answer(tf, call):
    """What `tf` (TensorFlow or tapeflow) makes of the call."""
    try:
        found = {"y": [write(a) for a in flat(call.run(tf, call.tensors(tf)), tf)]}
    except Exception as error:
        return {"error": _type(error)}
    gradient = derivatives.eager(tf, call)
    if gradient is not None:
        found["g"] = (
            [write(a) for a in gradient.arrays] if gradient.error is None else {"error": _type(gradient.error)}
        )
    return found


def write(array):
    values = array.ravel()
    values = values[:: -(-values.size // KEPT)] if values.size > KEPT else values
    if values.dtype.kind in "OSU":
        numbers = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in values.tolist()]
    elif values.dtype.kind in "biu":
        numbers = [int(v) for v in values]
    else:
        parts = np.stack([values.real, values.imag], -1).ravel() if values.dtype.kind == "c" else values
        numbers = [_short(float(v)) for v in parts]
    return ["string" if values.dtype.kind in "OSU" else str(values.dtype), list(array.shape), numbers]


def difference(expected, got, leaves=()):
    """None, or how two answers differ: "error", "type" of the exception, "dtype", "shape", "value", "gradient …"."""
    if "error" in expected or "error" in got:
        if "error" in expected and "error" in got:
            return None if expected["error"] == got["error"] else "type of error"
        return "error"
    how = _arrays(expected["y"], got["y"], leaves)
    if how or "g" not in expected:
        return how
    one, other = expected["g"], got.get("g", [])
    if isinstance(one, dict) or isinstance(other, dict):
        return None if type(one) is type(other) else "gradient's error"
    how = _arrays(one, other, leaves, floor=1.0)  # what cancels leaves rounding
    return how and f"gradient's {how}"


def _arrays(expected, got, leaves, floor=1e-30):
    if len(expected) != len(got):
        return "structure"
    for a, b in zip(expected, got):
        for k, what in enumerate(("dtype", "shape")):
            if a[k] != b[k]:
                return what
        kinds = [EPSILONS[d] for d in (a[0], *leaves) if d in EPSILONS]
        ulps = 256 + ROUNDING / max(kinds) if kinds else 0
        x, y = (
            np.asarray(v[2], object if a[0] == "string" else np.float64 if a[0] in EPSILONS else object)
            for v in (a, b)
        )
        if not (close(x, y, (a[0], *leaves), ulps, floor) if a[0] in EPSILONS else list(x) == list(y)):
            return "value"
    return None


def _short(number):
    rounded = float(f"{number:.7g}")
    return int(rounded) if abs(rounded) < 1e7 and rounded == int(rounded) and str(rounded) != "-0.0" else rounded


def _type(error):
    """The exception's public type: OpError's subclasses by their own name, others by that of Python's class."""
    return type(error).__name__.strip("_")
