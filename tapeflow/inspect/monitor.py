"""Watching the gradients of a training loop: norms, updates, dead units; and saying when something is wrong with them.

The monitor hears of every `tape.gradient` by the variables of a model. Where that is traced into a function, it becomes a part of the graph: a
branch that measures at every so many runs, and variables of its own that hold what it found.
"""

import logging
import math
import statistics
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variable import Variable
from tapeflow.function.control import cond
from tapeflow.function.graph import Graph
from tapeflow.tape.recording import Attendants, Recording

DEAD, VANISHING, EXPLODING, TOO_FAST = 0.5, 1e-6, 100.0, 0.1
_UNITS = 4  # dead ones are counted from so many on


class Measured(NamedTuple):
    """One variable at one step."""

    step: int
    name: str
    gradient: float  # the norm
    weight: float  # the norm, before the update
    update: float  # the norm of the update by that of the weight; NaN where it is not known yet
    dead: float  # the share of units that no gradient reached


def label(variable: Variable) -> str:
    """What a program calls it: Keras' path, or its name."""
    return getattr(variable, "_label", None) or variable.name.removesuffix(":0")


class Site:
    """A call of `gradient` by the same variables, again and again."""

    def __init__(self, variables: list[Variable]) -> None:
        self.variables = variables
        self.count = 0  # calls, where Python makes them
        self.names = _distinct([label(v) for v in variables])
        self.counter: Variable | None = None  # of runs of a graph
        self.found: Variable | None = None  # what the graph measured last: a row for each variable
        self.pending: tuple[int, np.ndarray, list[np.ndarray]] | None = None

    # ---- eagerly

    def due(self, every: int) -> bool:
        self.count += 1
        return (self.count - 1) % every == 0

    def measure(self, gradients: list) -> np.ndarray:
        return np.array([_measured(g) for g in gradients])

    # ---- in a graph

    def measure_in_graph(self, gradients: list, every: int) -> None:
        if self.counter is None:
            with entered(Frame()):  # variables of the monitor, not of the program
                self.counter = Variable(np.int64(0), trainable=False, name="monitor_runs")
                self.found = Variable(np.zeros((len(self.variables), 2), np.float32), trainable=False, name="monitor_found")
        runs, found = self.counter, self.found
        before = runs.value()
        due = ops.equal(ops.floormod(before, np.int64(every)), np.int64(0))
        measured = cond(due, lambda: _stacked([_measured_symbol(g) for g in gradients]), found.value)
        found.assign(measured, read_value=False)
        runs.assign(ops.add(before, np.int64(1)), read_value=False)

    # ---- updates

    def remember(self, step: int, found: np.ndarray) -> None:
        self.pending = step, found, [v.numpy() for v in self.variables]

    def complete(self) -> list[Measured]:
        """What was measured before, now that the variables have changed."""
        if self.pending is None:
            return []
        (step, found, weights), self.pending = self.pending, None
        made = []
        for name, variable, (norm, dead), old in zip(self.names, self.variables, found, weights):
            size = _norm(old)
            change = _norm(variable.numpy() - old)
            made.append(Measured(step, name, float(norm), size, change / size if size else math.nan, float(dead)))
        return made


class Monitor:
    """Hears of gradients; `history` has what was measured, `warnings` what was wrong."""

    def __init__(self, every: int = 20) -> None:
        if every < 1:
            raise ValueError(f"every must be at least 1, got {every!r}.")
        self.every = every
        self.sites: dict[tuple, Site] = {}
        self.history: list[list[Measured]] = []
        self.warnings: list[str] = []
        self._steps = 0
        self._warned: set[tuple[str, str]] = set()
        self._norms: dict[str, list[float]] = defaultdict(list)

    def __enter__(self) -> "Monitor":
        Attendants.now = (*Attendants.now, self)
        return self

    def __exit__(self, *_: Any) -> None:
        Attendants.now = tuple(a for a in Attendants.now if a is not self)
        self._complete(self.sites.values())

    def step(self) -> None:
        """One step of a loop whose steps are compiled: such a step is not Python, and nobody hears of it. Eager loops need not call it."""
        self._steps += 1
        inside = [site for site in self.sites.values() if site.counter is not None]
        self._complete(site for site in inside if site.pending is not None)
        if (self._steps - 1) % self.every == 0:
            for site in inside:
                site.remember(self._steps, site.found.numpy())

    # ---- what tapes tell

    def tape_opened(self, recording: Recording) -> None:
        pass

    def tape_watches(self, recording: Recording, value: Any) -> None:
        pass

    def before_walk(self, recording: Recording, records: list) -> list:
        return records

    def after_walk(self, recording: Recording, sources: list, gradients: list) -> None:
        pairs = [(s, g) for s, g in zip(sources, gradients) if isinstance(s, Variable) and g is not None]
        if not pairs:
            return
        variables, found = [s for s, _ in pairs], [g for _, g in pairs]
        site = self.sites.setdefault(tuple([v._id for v in variables]), Site(variables))
        executor = current().executor
        if isinstance(executor, Graph):
            site.measure_in_graph(found, self.every)
        elif executor is None:
            self._complete([site])
            if site.due(self.every):
                site.remember(site.count, site.measure(found))

    # ---- what is made of it

    def _complete(self, sites: Any) -> None:
        for site in sites:
            found = site.complete()
            if found:
                self.history.append(found)
                self._judge(found)
                self.deliver(found)

    def deliver(self, found: list[Measured]) -> None:
        """For who shows it."""

    def _judge(self, found: list[Measured]) -> None:
        largest = max((m.gradient for m in found if math.isfinite(m.gradient)), default=0.0)
        for m in found:
            before = self._norms[m.name]
            if not math.isfinite(m.gradient):
                self._warn(
                    m,
                    "not finite",
                    "its gradient has NaN or infinite entries; tf.debugging.enable_check_numerics() finds the operation",
                )
                continue
            if len(before) >= 3 and m.gradient > EXPLODING * max(statistics.median(before), 1e-30):
                text = f"its gradient explodes: a norm of {m.gradient:.3g} after {statistics.median(before):.3g}; clip it, or lower the learning rate"
                self._warn(m, "exploding", text)
            if m.gradient < VANISHING * largest:
                text = f"its gradient vanishes: a norm of {m.gradient:.3g}, where the largest is {largest:.3g}"
                self._warn(m, "vanishing", text)
            if m.dead > DEAD:
                self._warn(m, "dead", f"{m.dead:.0%} of its units get no gradient at all")
            if m.update > TOO_FAST:
                self._warn(m, "too fast", f"one update changes it by {m.update:.0%}; a thousandth is usual")
            before.append(m.gradient)

    def _warn(self, m: Measured, kind: str, text: str) -> None:
        if (m.name, kind) not in self._warned:
            self._warned.add((m.name, kind))
            self.warnings.append(f"step {m.step}, {m.name}: {text}.")
            logging.getLogger("tapeflow").warning(self.warnings[-1])


# ---- numbers


def _measured(g: Any) -> tuple[float, float]:
    array = np.asarray((g.values if isinstance(g, IndexedSlices) else g)._array)
    array = array.astype(np.float32) if array.dtype.kind == "V" else array
    norm = _norm(array)
    if isinstance(g, IndexedSlices) or not array.ndim or array.shape[-1] < _UNITS:
        return norm, 0.0
    return norm, float(np.mean(~array.any(axis=tuple(range(array.ndim - 1)))))


def _norm(array: np.ndarray) -> float:
    flat = np.asarray(array).ravel()
    flat = flat if flat.dtype in (np.float32, np.float64) else np.abs(flat).astype(np.float32)
    return math.sqrt(float(np.dot(flat, flat)))


def _measured_symbol(g: Any) -> Tensor:
    """The same, as operations."""
    values = g.values if isinstance(g, IndexedSlices) else g
    values = ops.cast(ops.abs(values), dtype=np.dtype(np.float32))
    every = tuple(range(values.ndim))
    norm = ops.sqrt(ops.reduce_sum(ops.mul(values, values), axis=every, keepdims=False))
    dead: Any = ops.mul(norm, np.float32(0))
    if not isinstance(g, IndexedSlices) and values.ndim and values.shape[-1] >= _UNITS:
        largest = ops.reduce_max(values, axis=every[:-1], keepdims=False) if values.ndim > 1 else values
        none = ops.cast(ops.equal(largest, np.float32(0)), dtype=np.dtype(np.float32))
        dead = ops.reduce_mean(none, axis=(0,), keepdims=False)
    return _stacked([norm, dead])


def _stacked(parts: list) -> Tensor:
    return ops.stack(*parts, axis=0)


def _distinct(names: list[str]) -> list[str]:
    """A number after names that come twice."""
    return [f"{n}#{names[:k].count(n) + 1}" if names.count(n) > 1 else n for k, n in enumerate(names)]
