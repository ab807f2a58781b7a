"""Watching the gradients of a training loop: norms, updates, dead units; and saying when something is wrong with them.

The monitor hears of every `tape.gradient` by the variables of a model. Where that is traced into a function, it
becomes a part of the graph: a branch that measures in the runs that the monitor wants, and a variable of its own that
holds what it found.
"""

import logging
import math
import statistics
import sys
import weakref
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from tapeflow.core.frames import current
from tapeflow.core.listeners import Listener, board
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.tensor import next_id
from tapeflow.core.variables.variable import Variable, label
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.graph import Graph
from tapeflow.tape import gradient_tape
from tapeflow.tape.recording import Recording

from .monitor_site import Site

DEAD, VANISHING, EXPLODING, HUGE, TOO_FAST = 0.5, 1e-6, 100.0, 1e7, 0.1
_LOOKS = 3  # measurements before anything is called dead, or is compared with what was before
_RECENT = 50  # norms of a variable that are remembered to compare with
_IN_FULL = 3  # warnings of one kind, of one measurement, that are logged
_TAPE = vars(gradient_tape)
_MOST = 200_000  # of the history; the older half goes


class Measured(NamedTuple):
    """One variable at one step."""

    step: int
    name: str
    gradient: float  # the norm
    weight: float  # the norm, before the update
    update: float  # the norm of the update by that of the weight; NaN where that is 0, or where nobody knows it
    dead: float  # the share of units that got no gradient in the last three measurements; NaN for tables of rows, say


class Monitor(Listener):
    """Hears of gradients, in all threads; `history` has what was measured, `warnings` what was wrong."""

    def __init__(self, every: int = 20) -> None:
        if not isinstance(every, int) or every < 1:
            raise ValueError(f"every must be a whole number of steps, at least 1; got {every!r}.")
        self.every = every
        self.history: list[Measured] = []
        self.warnings: list[str] = []
        self.notes: dict[str, str] = {}  # by name: what is wrong now, in a word
        self.norms: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_RECENT))
        self._sites: dict[tuple, Site] = {}
        self._in_graphs: weakref.WeakKeyDictionary[Graph, list[Site]] = weakref.WeakKeyDictionary()
        self._names: set[str] = set()
        self._warned: set[tuple[str, str]] = set()
        self._new: dict[str, list[str]] = {}  # names of one measurement, by what is wrong
        self._steps = 0
        self.graph_key = next_id()
        self._lock = Lock()  # tapes of other threads are heard, too

    def __enter__(self) -> Self:
        if self in board.listeners():
            raise RuntimeError("This gradient monitor is on already. Make another one for a block inside.")
        try:
            board.put_everywhere(self)
            self.begin()
        except BaseException:  # nobody will call __exit__
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            try:
                board.take_off(self)
            except BaseException:  # Ctrl-C, perhaps before it was done
                board.take_off(self)
                raise
            with self._lock:
                for site in self._sites.values():
                    self._complete(site, at_once=True)
                    site.disarm()
        finally:
            self.end()

    def step(self) -> None:
        """A step of the loop is done, its update too: what was measured is shown now, and not only when the next step
        begins."""
        with self._lock:
            self._steps += 1
            for site in list(self._sites.values()):
                self._complete(site)
            if self._steps == _LOOKS and not self._sites:
                logging.getLogger("tapeflow").warning(
                    "The gradient monitor has seen %d steps, but no gradient of a variable. Call "
                    "tape.gradient(loss, variables) inside the `with` of the monitor; of a function, "
                    "get_concrete_function(...) too: one that was made before does not know of it.",
                    self._steps,
                )

    # ---- for who shows it

    def begin(self) -> None:
        """The monitor is on."""

    def deliver(self, found: list[Measured]) -> None:
        """These were measured."""

    def end(self) -> None:
        """Nothing more will be measured."""

    # ---- what tapes tell

    def after_walk(self, tape: Recording, sources: list[Any], gradients: list[Any]) -> None:
        executor = current().executor
        if executor is not None and not isinstance(executor, Graph) or self not in board.listeners():
            return  # rows of a Jacobian; or it is over
        with self._lock:
            place = _caller()
            site = self._sites.get((*place, *[s.serial for s in sources])) or self._site(place, sources)
            if site is None:
                return
            if executor is None:
                if site.waiting is not None:
                    self._complete(site)
                if not site.is_due(self.every):  # most calls end here; they cost some microseconds
                    return
                self._complete(site, at_once=True)
            found = [g for s, g in zip(sources, gradients) if isinstance(s, Variable)]
            if executor is None:
                site.measure(found)
                return
            site.measure_in_graph(found)
            for graph in (*(executor.within or ()), executor):
                self._belongs(site, graph)

    def _site(self, place: tuple[str, int], sources: list) -> Site | None:
        """Of the variables among the sources, which may be all that are the same in the next step."""
        variables = [s for s in sources if isinstance(s, Variable)]
        key = (*place, *[v.serial for v in variables])
        if variables and key not in self._sites:
            self._sites[key] = Site(variables, self._distinct([label(v) or "Variable" for v in variables]))
        return self._sites.get(key)

    def _distinct(self, names: Iterable[str]) -> list[str]:
        """Names that no other variable has here, nor the same one in another place: `kernel`, `kernel#2`."""
        made = []
        for name in names:
            number, numbered = 1, name
            while numbered in self._names:
                number += 1
                numbered = f"{name}#{number}"
            self._names.add(numbered)
            made.append(numbered)
        return made

    # ---- what functions tell

    def _belongs(self, site: Site, graph: Graph) -> None:
        inside = self._in_graphs.setdefault(graph, [])
        if site not in inside:
            inside.append(site)

    def before_run(self, function: ConcreteFunction) -> None:
        sites = self._in_graphs.get(function.graph)
        if (
            sites is None or function.sizes or function.as_python
        ):  # (with open sizes, it is told again when they are known)
            return
        executor = current().executor
        with self._lock:
            if isinstance(executor, Graph):
                for site in sites:
                    self._belongs(site, executor)
            elif executor is None:
                for site in sites:
                    if site.waiting is not None:
                        self._complete(site)
                    if site.is_due(self.every):
                        self._complete(site, at_once=True)
                        site.arm()

    # ---- what is made of it

    def _complete(self, site: Site, at_once: bool = False) -> None:
        """What was measured, if the update has been made since; `at_once`: or has not."""
        done = site.complete(at_once)
        if done is None:
            return
        step, rows = done
        found = [
            Measured(step, name, norm, weight, change / weight if weight else math.nan, dead)
            for name, (norm, weight, change, dead) in zip(site.names, rows)
            if norm >= 0 or norm != norm
        ]
        if not found:  # they were all None
            return
        self._judge(found, site)
        self.history += found
        if len(self.history) > _MOST:
            del self.history[: _MOST // 2]
        self.deliver(found)

    def _judge(self, found: list[Measured], site: Site) -> None:
        huge = {m.name for m in found if m.gradient > HUGE * max(m.weight, 1.0)}
        largest = max((m.gradient for m in found if math.isfinite(m.gradient) and m.name not in huge), default=0.0)
        variables = dict(zip(site.names, site.variables))
        self._new = defaultdict(list)
        for m in found:
            before = self.norms[m.name]
            usual = math.inf  # nothing is larger
            if len(before) >= _LOOKS and m.gradient > EXPLODING * min(
                before
            ):  # or it is not either of the median, which takes longer
                usual = statistics.median(before)
            self.notes.pop(m.name, None)
            if not math.isfinite(m.gradient):
                text = (
                    "its gradient has NaN or infinite entries; tf.debugging.enable_check_numerics() finds the "
                    "operation"
                )
                self._warn(m, "not finite", text)
                continue
            # Biases begin at 0, where any update is a large one.
            if m.update > TOO_FAST and variables[m.name].ndim > 1:
                text = f"one update changes it by {m.update:.0%}; a thousandth is usual. Lower the learning rate"
                self._warn(m, "too fast", text)
            if m.gradient > EXPLODING * max(usual, 1e-30):
                after = f"a norm of {m.gradient:.3g} after {usual:.3g}"
                self._warn(m, "exploding", f"its gradient explodes: {after}; clip it, or lower the learning rate")
            elif m.name in huge:
                size = f"a norm of {m.gradient:.3g}, of a weight of norm {m.weight:.3g}"
                self._warn(m, "exploding", f"its gradient explodes: {size}; clip it, or begin with smaller weights")
            if m.dead > DEAD and site.looks >= _LOOKS:
                self._warn(m, "dead", f"{m.dead:.0%} of its units got no gradient in the last {_LOOKS} measurements")
            elif m.gradient == 0:  # once may be chance
                if len(before) >= _LOOKS - 1 and not any(list(before)[-_LOOKS + 1 :]):
                    self._warn(
                        m,
                        "zero",
                        f"its gradient was exactly 0 in the last {_LOOKS} measurements: it has no effect on the loss",
                    )
            elif m.gradient < VANISHING * largest:
                text = f"its gradient vanishes: a norm of {m.gradient:.3g}, where the largest is {largest:.3g}"
                self._warn(m, "vanishing", text)
            before.append(m.gradient)
        self._log(found[0].step)

    def _warn(self, m: Measured, kind: str, text: str) -> None:
        self.notes[m.name] = f"{self.notes[m.name]}, {kind}" if m.name in self.notes else kind
        if (m.name, kind) not in self._warned:
            self._warned.add((m.name, kind))
            self.warnings.append(f"step {m.step}, {m.name}: {text}.")
            self._new[kind].append(m.name)
            if len(self._new[kind]) <= _IN_FULL:
                logging.getLogger("tapeflow").warning("Gradients: %s", self.warnings[-1])

    def _log(self, step: int) -> None:
        """Of many that are wrong in one way, the first few are in the log, and how many more."""
        for kind, names in self._new.items():
            if len(names) > _IN_FULL:
                logging.getLogger("tapeflow").warning(
                    "Gradients: step %d, %s: %d more, the last is %s.", step, kind, len(names) - _IN_FULL, names[-1]
                )


def _caller() -> tuple[str, int]:
    """The line that asked for gradients: two of one step are not the same."""
    frame = sys._getframe(2)
    while frame.f_globals is _TAPE and frame.f_back is not None:
        frame = frame.f_back
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tapeflow."):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
