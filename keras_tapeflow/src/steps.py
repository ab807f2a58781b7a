"""One step of training, testing or predicting as a function of batches: eager at first, then a graph, then perhaps compiled.

Tracing costs more than a step or two, and compiling far more than that; a test that trains for one step should pay for neither. So the first
step runs as it is, the next as a NumPy plan, and after some dozens XLA is tried, where `jit_compile="auto"` leaves the choice to us: both are
timed, and the faster one stays. The log says which.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from keras.src import tree

from tapeflow.function.polymorphic import Function

from .ops.core import convert_to_tensor

_EAGER = 1  # steps before the function is traced
_TRIED_AFTER = 40  # steps before XLA is tried
_TIMED = 5  # steps of each that are timed
_WORTH = 7e-4  # seconds a step takes, from which on compiling may pay

AUTO = "auto"


class Step:
    """`function(batch)` for each of a list of batches; what the last one gives."""

    def __init__(self, function: Callable, jit: Any, eagerly: bool, warm: int = _EAGER, merge: Callable | None = None) -> None:
        """`jit`: True, False or AUTO. `merge` puts the results of several batches together; without it the last one counts."""
        self.function, self.jit, self.eagerly, self.left, self.merge = function, jit, eagerly, warm, merge
        self.plan: Any = None
        self.program: Any = None
        self.seen = 0
        self.times: dict[str, list[float]] = {"plan": [], "program": []}
        self.chosen: str | None = None

    def __call__(self, batches: list) -> Any:
        results = [self._one(tree.map_structure(_as_tensor, batch)) for batch in batches]
        return results[-1] if self.merge is None or len(results) == 1 else self.merge(results)

    def _one(self, batch: Any) -> Any:
        if self.eagerly or self.left > 0:
            self.left -= 1
            return self.function(batch)
        if self.plan is None:
            self.plan, self.program = (Function(self.function, None, False, jit, "batch") for jit in (False, True))
            if self.jit is not AUTO:
                self.chosen = "program" if self.jit and _has_xla() else "plan"
        if self.chosen is not None:
            return getattr(self, self.chosen)(batch)
        return self._tried(batch)

    def _tried(self, batch: Any) -> Any:
        self.seen += 1
        if self.seen <= _TRIED_AFTER:
            which = "plan"
        else:
            plan, program = self.times["plan"], self.times["program"]
            if sorted(plan)[len(plan) // 2] < _WORTH or not _has_xla():
                return self._settled("plan", batch)
            if len(program) > _TIMED:  # the first one compiled
                faster = min(program[1:]) < min(plan[-_TIMED:])
                return self._settled("program" if faster else "plan", batch)
            which = "program"
        start = time.perf_counter()
        out = getattr(self, which)(batch)
        self.times[which].append(time.perf_counter() - start)
        return out

    def _settled(self, which: str, batch: Any) -> Any:
        self.chosen = which
        engine = {"plan": "a NumPy plan", "program": "XLA"}[which]
        logging.getLogger("tapeflow").info("Keras steps run by %s from now on, which was faster.", engine)
        return getattr(self, which)(batch)


def _as_tensor(x: Any) -> Any:
    return None if x is None else convert_to_tensor(x)


def _has_xla() -> bool:
    try:
        import jax  # noqa: F401
    except ImportError:
        return False
    return True
