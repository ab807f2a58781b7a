"""One step of training, testing or predicting as a function of batches: eager at first, then a graph, then perhaps
compiled.

Tracing costs more than a step or two, and compiling far more than that; a test that trains for one step should pay for
neither. So the first step runs as it is, the next as a NumPy plan, and after some dozens XLA is tried, where
`jit_compile="auto"` leaves the choice to us: both are timed, and the faster one stays, for all later steps with the
same graph. The log says which. No result depends on the choice, but for rounding: both draw the same random numbers.
"""

import logging
import time
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any

import numpy as np
from keras.src import tree

from tapeflow.api.config.kept import state as _state
from tapeflow.core.devices import Serving
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.random.streams import Places
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.polymorphic import Function

from . import distribution_lib
from .ops.core import convert_to_numpy, convert_to_tensor
from .ops.sparse import SparseTensor

_EAGER = 1  # steps before the function is traced
_TRIED_AFTER = 20  # steps by the plan before it is timed
_ROWS, _LENGTH = 3, 8  # rows of steps that are timed, of each
# a compiled step that takes so much longer will do: it lets the next batch be made meanwhile, of which short rows show
# little
_EQUAL = 1.1
_WORTH = 7e-4  # seconds a step takes, from which on compiling may pay

AUTO = "auto"
_choices: dict[Hashable, str] = {}  # which engine graphs were found to be faster on, for as long as the program runs


class Step:
    """`function(batch)` for each of a list of batches; what the last one gives."""

    def __init__(
        self, function: Callable, jit: Any, eagerly: bool, warm: int = _EAGER, merge: Callable | None = None,
        retracing: Any = "batch",
    ) -> None:  # fmt: skip
        """`jit`: True, False or AUTO. `merge` puts the results of several batches together; without it the last one
        counts. `retracing`: the `reduce_retracing` of the functions."""
        self.function, self.jit, self.eagerly, self.left, self.merge = function, jit, eagerly, warm, merge
        self.retracing = retracing
        self.graph: Hashable = None
        self.plan: Any = None
        self.program: Any = None
        self.before = _TRIED_AFTER
        self.places, self.shapes = (
            Places(),
            None,
        )  # where the function draws random numbers, for batches like the first
        self.trials = {"plan": Trial(), "program": Trial()}
        self.chosen: str | None = None

    def __call__(self, batches: list) -> Any:
        results = [self._one(batch) for batch in batches]
        return results[-1] if self.merge is None or len(results) == 1 else self.merge(results)

    def _one(self, batch: Any) -> Any:
        if distribution_lib.in_use() is not None and not self.eagerly:
            return self._on_mesh(batch)
        if self.eagerly:
            return self.function(tree.map_structure(_as_tensor, batch))
        if self.left > 0:
            self.left -= 1
            batch = tree.map_structure(_as_tensor, batch)
            self.shapes = self.shapes or _shapes(batch)
            with self.places.eagerly() if _shapes(batch) == self.shapes else nullcontext():
                return self.function(batch)
        batch = tree.map_structure(_as_input, batch)
        if any(
            type(part) is SparseTensor for part in tree.flatten(batch)
        ):  # how many entries there are differs from batch to batch
            return self.function(batch)
        if self.plan is None:
            self.plan, self.program = (
                Function(self._as_graph, None, False, jit, self.retracing) for jit in (False, True)
            )
            if self.jit is not AUTO:
                self.chosen = "program" if self.jit and _has_xla() else "plan"
            elif _state["deterministic"]:  # no clock decides
                self.chosen = "plan"
        if self.chosen is not None:
            return getattr(self, "plan" if Serving.lost and self.jit is AUTO else self.chosen)(batch)
        return self._tried(batch)

    def _as_graph(self, batch: Any) -> Any:
        with self.places.traced() if _shapes(batch) == self.shapes else nullcontext():
            return self.function(batch)

    def _on_mesh(self, batch: Any) -> Any:
        """On several devices XLA computes, from the first step on: what is divided among them is not to be computed
        by operations that wait for all of them each."""
        if self.plan is None:
            self.plan, self.program = (Function(self._as_graph, None, False, jit, "batch") for jit in (False, True))
            self.chosen = "plan"
        return self.plan(tree.map_structure(_as_input, batch))

    def _tried(self, batch: Any) -> Any:
        plan, program = self.trials.values()
        if self.before > 0:
            out = self.plan(batch)
            if self.before == _TRIED_AFTER:
                self.graph = _described(self.plan)
                self.chosen = _choices.get(self.graph)
            self.before -= 1
            return out
        if plan.count < _LENGTH:
            return plan.timed(self.plan, batch)
        if plan.best < _WORTH or not _has_xla():
            return self._chosen("plan", batch)
        if self.before == 0:
            self.before = -1
            try:
                return self.program(batch)  # compiles
            except InvalidArgumentError:  # it prints, or writes summaries: not for XLA
                return self._chosen("plan", batch)
        if plan.done and program.done:
            return self._chosen("program" if program.best < _EQUAL * plan.best else "plan", batch)
        # In turn, row by row: what else the machine does slows both.
        if program.count < plan.count and not plan.count % _LENGTH:
            return program.timed(self.program, batch)
        return plan.timed(self.plan, batch)

    def _chosen(self, which: str, batch: Any) -> Any:
        self.chosen = which
        _choices[self.graph] = which
        engine = {"plan": "a NumPy plan", "program": "XLA"}[which]
        logging.getLogger("tapeflow").info(
            "Keras steps run by %s from now on, which was faster; so will others with this graph.", engine
        )
        return getattr(self, which)(batch)


class Trial:
    """How long a step takes, from one to the next: the best of a few rows. Steps of one row do not wait for each
    other, as in earnest."""

    def __init__(self) -> None:
        self.count, self.begun, self.best = 0, 0.0, float("inf")

    @property
    def done(self) -> bool:
        return self.count == _ROWS * _LENGTH

    def timed(self, step: Callable, batch: Any) -> Any:
        out = step(batch)
        self.count += 1
        place = self.count % _LENGTH
        if place in (0, 1):
            tree.map_structure(convert_to_numpy, out)  # a compiled step may not have ended yet
            now = time.perf_counter()
            if place == 1:  # the first is not timed: it fetches the variables from where the other has left them
                self.begun = now
            else:
                self.best = min(self.best, (now - self.begun) / (_LENGTH - 1))
        return out


def _described(function: Function) -> Hashable:
    """The operations of a function's trace, with the shapes and dtypes of their results."""
    traces = [trace.graph for trace in function._traces.values() if trace.graph is not None]
    spec = lambda graph, place: (graph.symbols[place].spec.shape, str(graph.symbols[place].spec.dtype))
    nodes = [(node.prim.name, *[spec(graph, p) for p in node.outputs]) for graph in traces for node in graph.nodes]
    return hash(tuple(nodes)) if nodes else object()


def _shapes(batch: Any) -> list:
    return [tuple(part.shape) for part in tree.flatten(batch) if isinstance(part, Tensor)]


def _as_tensor(x: Any) -> Any:
    return None if x is None else convert_to_tensor(x)


def _as_input(x: Any) -> Any:
    """For a graph, which does not keep its arguments: an array need not be copied."""
    return EagerTensor(x) if type(x) is np.ndarray and x.dtype.kind in "fiub" else _as_tensor(x)


def _has_xla() -> bool:
    if Serving.lost:
        return False
    try:
        import jax  # noqa: F401
    except ImportError:
        return False
    return True
