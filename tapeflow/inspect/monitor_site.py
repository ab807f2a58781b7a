"""One call of `tape.gradient` in a training loop, and what is measured there: eagerly, or by the graph that it is a part of."""

import math
from collections import deque

import numpy as np

from tapeflow.core.frames import Frame, entered, unobserved
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.variable import Variable
from tapeflow.function.control import cond

from .gradient_numbers import as_operations, numbers, units_of, weight_and_change

_LOOKS = 3  # measurements that a unit is dead in to be dead
# Always the same arrays, one-dimensional: what comes again, XLA is sent once.
_ON, _OFF = EagerTensor(np.array([True])), EagerTensor(np.array([False]))
_ASIDE = Frame()  # for the monitor's own variables, which no tape and no graph of the program should see


class Waiting:
    """A measurement whose update has not been seen yet. It holds what the variables held: they get new arrays then."""

    def __init__(self, step: int, weights: list, found: np.ndarray | None, runs: float = 0) -> None:
        self.step, self.weights, self.found, self.runs = step, weights, found, runs
        self.once = True  # one gradient was taken since then


class Site:
    """A call of `gradient` by the same variables, again and again."""

    def __init__(self, variables: list[Variable], gradients: list, names: list[str]) -> None:
        self.variables, self.names = variables, names
        self.units = [units_of(v, g) for v, g in zip(variables, gradients)]
        self.count = self.looks = 0
        self.reached: list[deque] = [deque(maxlen=_LOOKS) for _ in variables]  # for each unit, in the last measurements
        self.waiting: Waiting | None = None
        self.armed: Variable | None = None  # does the graph measure in its next run?
        self.found: Variable | None = None  # how often it has, and what it found last

    def is_due(self, every: int) -> bool:
        """Another step; is it one to measure? One that was to be and was not, since a branch was not taken, still is."""
        self.count += 1
        return (self.count - 1) % every == 0 or self._is_armed()

    # ---- eagerly

    def measure(self, gradients: list) -> None:
        with entered(_ASIDE):
            found = np.concatenate([numbers(g, units) for g, units in zip(gradients, self.units)])
        self.waiting = Waiting(self.count, self._weights(), found)

    # ---- in a graph

    def measure_in_graph(self, gradients: list) -> None:
        if self.armed is None:
            with entered(_ASIDE):
                size = 1 + len(self.variables) + sum(self.units)
                self.armed = Variable(_OFF, trainable=False, name="monitor_armed")
                self.found = Variable(np.zeros(size, np.float32), trainable=False, name="monitor_found")
        with unobserved():  # by tapes of the program
            before = self.found.value()
            count = lambda: ops.add(ops.getitem(before, index=((0, 1, 1),)), np.float32(1))
            measured = lambda: ops.concat(count(), *[as_operations(g, u) for g, u in zip(gradients, self.units)], axis=0)
            self.found.assign(cond(self.armed.value(), measured, lambda: before), read_value=False)

    def arm(self) -> None:
        """The next run measures."""
        with entered(_ASIDE):
            self.armed.assign(_ON, read_value=False)
            runs = float(self.found.numpy()[0])
        self.waiting = Waiting(self.count, self._weights(), None, runs)

    def disarm(self) -> None:
        if self._is_armed():
            with entered(_ASIDE):
                self.armed.assign(_OFF, read_value=False)

    def _is_armed(self) -> bool:
        return self.armed is not None and self.armed._value is _ON._array

    # ---- updates

    def _weights(self) -> list:
        return [v._value for v in self.variables]

    def complete(self, at_once: bool) -> tuple[int, list[tuple[float, float, float, float]]] | None:
        """The step that was measured, and for each variable the norms of gradient, weight and update, and the share of dead units; None as
        long as that cannot be said."""
        waiting = self.waiting
        if waiting is None:
            return None
        if waiting.found is None:
            with entered(_ASIDE):
                runs, *found = self.found.numpy().tolist()
            if runs == waiting.runs:  # nothing was measured
                self.waiting = None if at_once else waiting
                return None
            waiting.found, waiting.once = np.array(found), runs == waiting.runs + 1
            self.disarm()
        now = self._weights()
        if not at_once and all(new is old for new, old in zip(now, waiting.weights)):
            return None  # gradients are being accumulated
        self.waiting, self.looks = None, self.looks + 1
        rows, place = [], 0
        with entered(_ASIDE):
            for k, (old, new, units) in enumerate(zip(waiting.weights, now, self.units)):
                part = waiting.found[place : place + 1 + units]
                place += 1 + units
                weight, change = weight_and_change(old, new)
                dead = self._dead(k, part[1:] != 0) if units else math.nan
                rows.append((float(part[0]), weight, change if waiting.once else math.nan, dead))
        return waiting.step, rows

    def _dead(self, k: int, reached: np.ndarray) -> float:
        self.reached[k].append(reached)
        return float(np.mean(~np.any(self.reached[k], axis=0)))
