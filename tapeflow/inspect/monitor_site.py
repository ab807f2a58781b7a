"""One call of `tape.gradient` in a training loop, and what is measured there: eagerly, or by the graph that it is a
part of."""

import math
from collections import deque

import numpy as np

from tapeflow.core.frames import Frame, entered, unobserved
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.control.conditions import cond

from .gradient_numbers import from_squares, numbers, squares, units_of, weight_and_change

_LOOKS = 3  # measurements that a unit is dead in to be dead
# Always the same arrays, one-dimensional: what comes again, XLA is sent once.
_ON, _OFF = EagerTensor(np.array([True])), EagerTensor(np.array([False]))
_ASIDE = Frame()  # for the monitor's own variables, which no tape and no graph of the program should see


class Waiting:
    """A measurement whose update has not been seen yet. It holds what the variables held: they get new arrays then."""

    def __init__(self, step: int, weights: list, found: list | None, runs: float = 0) -> None:
        self.step, self.weights, self.found, self.runs = step, weights, found, runs
        self.once = True  # one gradient was taken since then


class Site:
    """A call of `gradient` by the same variables, again and again."""

    def __init__(self, variables: list[Variable], names: list[str]) -> None:
        self.variables, self.names = variables, names
        self.units: list[int] = []  # of each variable, as its first gradient says
        self.count = self.looks = 0
        self.reached: list[deque] = [
            deque(maxlen=_LOOKS) for _ in variables
        ]  # for each unit, in the last measurements
        self.waiting: Waiting | None = None
        self.armed: Variable | None = None  # does the graph measure in its next run?
        self.found: Variable | None = None  # how often it has, and what it found last

    def is_due(self, every: int) -> bool:
        """Another step; is it one to measure? One that was to be and was not, since a branch was not taken, still
        is."""
        self.count += 1
        return (self.count - 1) % every == 0 or self._is_armed()

    # ---- eagerly

    def _learn_units(self, gradients: list) -> None:
        self.units = self.units or [units_of(v, g) for v, g in zip(self.variables, gradients)]

    def measure(self, gradients: list) -> None:
        self._learn_units(gradients)
        with entered(_ASIDE), quiet():
            found = [numbers(g, units) for g, units in zip(gradients, self.units)]
        self.waiting = Waiting(self.count, self._weights(), found)

    # ---- in a graph

    def measure_in_graph(self, gradients: list) -> None:
        self._learn_units(gradients)
        if self.armed is None:
            with entered(_ASIDE):
                size = 1 + sum(units or 1 for units in self.units)
                self.armed = Variable(_OFF, trainable=False, name="monitor_armed")
                self.found = Variable(np.zeros(size), trainable=False, name="monitor_found")
        with unobserved():  # by tapes of the program
            before = self.found.value()
            count = lambda: ops.add(ops.getitem(before, index=((0, 1, 1),)), np.float64(1))
            measured = lambda: ops.concat(count(), *[squares(g, u) for g, u in zip(gradients, self.units)], axis=0)
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
        return self.armed is not None and self.armed._value is _ON.array

    # ---- updates

    def _weights(self) -> list:
        return [v._value for v in self.variables]

    def complete(self, at_once: bool) -> tuple[int, list[tuple[float, float, float, float]]] | None:
        """The step that was measured, and for each variable the norms of gradient (negative, if there is none), weight
        and update, and the share of dead units; None as long as that cannot be said."""
        waiting = self.waiting
        if waiting is None:
            return None
        if waiting.found is None:
            with entered(_ASIDE):
                found = self.found.numpy()
            if found[0] == waiting.runs:  # nothing was measured
                self.waiting = None if at_once else waiting
                return None
            ends = np.cumsum([1, *[units or 1 for units in self.units]]).tolist()
            waiting.found = [from_squares(found[a:b], units) for a, b, units in zip(ends, ends[1:], self.units)]
            waiting.once = found[0] == waiting.runs + 1
            self.disarm()
        now = self._weights()
        if not at_once and all(new is old for new, old in zip(now, waiting.weights)):
            return None  # gradients are being accumulated
        self.waiting, self.looks = None, self.looks + 1
        rows = []
        with entered(_ASIDE), quiet():
            for k, (norm, reached) in enumerate(waiting.found):
                weight, change = weight_and_change(waiting.weights[k], now[k])
                dead = math.nan if reached is None else self._dead(k, reached)
                rows.append((norm, weight, change if waiting.once else math.nan, dead))
        return waiting.step, rows

    def _dead(self, k: int, reached: np.ndarray) -> float:
        self.reached[k].append(reached)
        for other in self.reached[k]:
            reached = reached | other
        return 1 - int(np.count_nonzero(reached)) / reached.size
