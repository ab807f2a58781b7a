"""The loop (`tf.while_loop`, `tf.scan`) as one operation of a graph, with the graph of its body inside.

A loop has *state*, which each iteration gives anew, *rows*, of which each iteration sees the next, and operands, which
are the same for all. Each iteration may *emit* values, which are stacked. So the gradient of a loop is a loop:
backwards, over rows that are what the iterations of the first one emitted for it, with the gradients of the state as
state.

    inputs    most, state..., rows..., operands...              `most`: how many iterations at most, -1: no bound
    body      state..., one of each rows..., operands...  ->  state..., emitted...
    outputs   state..., count, stacked...                       as long as the rows, if there are any: zeros after
                                                                the last iteration
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core.primitive import Spec
from tapeflow.core.record import Inside
from tapeflow.core.sizes import Size, specialized
from tapeflow.function.running import xla_plan as xla
from tapeflow.function.running.calls import GraphFunction

from .flow import Flow, is_inexact, part_of, told
from .loop_derivatives import LoopGradient, LoopTangent
from .loop_rows import LoopRows

_INT = np.dtype("int32")


class Loop(Flow):
    """`body`, as long as `cond` (of the state and the operands) holds, or just as often as `most` says."""

    def __init__(
        self,
        cond: GraphFunction | None,
        body: GraphFunction,
        state: int,
        rows: int,
        limit: int | None,
        name: str,
        backwards: bool = False,
        extends: "Loop | None" = None,
        exact: bool | None = None,
    ) -> None:
        """`state`, `rows`: how many. `limit`: the most iterations there can be, if that is known; XLA must know it to
        stack. `exact`: there will be just as many."""
        self.cond, self.step, self.state, self.rows, self.limit = cond, body, state, rows, limit
        self.name, self.backwards, self.extends = name, backwards, extends
        self.has_effect = body.has_effect or cond is not None and cond.has_effect
        self.exact = cond is None and limit is not None if exact is None else exact
        self.derivatives: dict[Any, Any] = {}

    def specs(self) -> list[Spec]:
        graph, outputs = self.step.graph, self.step.outputs
        specs = [graph.symbols[p].spec for p in outputs]
        return [
            *specs[: self.state],
            Spec(shape=(), dtype=_INT),
            *[Spec(shape=(None, *s.shape), dtype=s.dtype) for s in specs[self.state :]],
        ]

    def infer(self, specs: list[Spec], params: dict) -> tuple:
        length = specs[1 + self.state].shape[0] if self.rows else self.limit if self.exact else None
        own, more = self.specs()[: self.state + 1], self.specs()[self.state + 1 :]
        return (*own, *[Spec(shape=(length, *s.shape[1:]), dtype=s.dtype) for s in more])

    def split(self, values: Sequence) -> tuple[Sequence, Sequence, Sequence]:
        """State, rows and operands among the inputs after the first."""
        return values[: self.state], values[self.state : self.state + self.rows], values[self.state + self.rows :]

    # ---- running

    def run(self, most: Any, *arrays: Any) -> tuple[Any, ...]:
        state, rows, operands = self.split(arrays)
        most, going = int(most), None if self.cond is None else self.cond.run.inner
        step, owned = self.step.stepping(self.state)
        if owned:
            state = [np.array(value) if k in owned else value for k, value in enumerate(state)]
        emitted: list[list] = [[] for _ in self.step.outputs[self.state :]]
        specs = self.step.specs[self.state : self.state + self.rows]
        # A text comes out of an array bare; a row of uneven ones is an array itself.
        texts = [row.dtype.kind == "O" == np.dtype(spec.dtype).kind and row.ndim > 0 for row, spec in zip(rows, specs)]
        k = 0
        while (k < most or most < 0) and (going is None or going(*state, *operands)[0]):
            at = most - 1 - k if self.backwards else k
            out = step(*state, *[row[at, ...] if text else row[at] for row, text in zip(rows, texts)], *operands)
            state = out[: self.state]
            for column, value in zip(emitted, out[self.state :]):
                column.append(value)
            k += 1
        length = len(rows[0]) if rows else k
        return (*state, np.int32(k), *[self._stack(n, column, length) for n, column in enumerate(emitted)])

    def _stack(self, n: int, values: list, length: int) -> Any:
        """What was emitted, and zeros up to the length. Histories of a loop inside another differ in theirs, and are
        stacked again. What differs in its own size is only read row by row."""
        spec = self.step.graph.symbols[self.step.outputs[self.state + n]].spec
        if self.backwards:
            values.reverse()
        if any(type(d) is Size for d in spec.shape):
            out = np.empty(length, object)
            for place in range(length):
                out[place] = values[place] if place < len(values) else np.zeros([0] * len(spec.shape), spec.dtype)
        elif len(values) == length and length and None not in spec.shape:
            out = np.stack(values)
        else:
            sizes = [max(size) for size in zip(*[value.shape for value in values])]
            out = np.zeros((length, *(sizes if values else [d or 0 for d in spec.shape])), spec.dtype)
            for place, value in enumerate(values):
                corner: tuple = (place, *[slice(d) for d in value.shape])
                out[corner] = value
        values.clear()  # before the next column is copied
        return out

    def on_xla(self, engine: Any) -> Callable:
        functions = [self.step] if self.cond is None else [self.step, self.cond]
        step, *going = [xla.traceable(f.graph, f.inputs, f.outputs, f.has_effect) for f in functions]
        emitted = [self.step.graph.symbols[p].spec for p in self.step.outputs[self.state :]]

        def run(most: Any, *arrays: Any) -> tuple[Any, ...]:
            return engine.loop(step, going, most, *self.split(arrays), emitted, self.limit, self.backwards)

        return run

    # ---- derivatives, and in rows

    def pulled(self, gs: Sequence, xs: Sequence, ys: Sequence, wanted: tuple[int, ...]) -> list:
        key = "pull", wanted, tuple([g is not None for g in gs[self.state + 1 :]])
        if key not in self.derivatives:
            self.derivatives[key] = LoopGradient(self, wanted, key[2])
        return self.derivatives[key].gradients(gs, xs, ys)

    def inside(self, wanted: tuple[int, ...]) -> list[Inside]:
        return [part_of(self.step, wanted, sum(1 << k for k in {*self.inexact_state(), *[k - 1 for k in wanted]}))]

    def pushed(self, ts: list, xs: Sequence) -> Sequence:
        key = "push", tuple([k for k, t in enumerate(ts) if t is not None])
        if key not in self.derivatives:
            self.derivatives[key] = LoopTangent(self, [k - 1 for k in key[1]])
        return self.derivatives[key].tangents(ts, xs)

    def batch(self, op: Callable, args: list, batched: list[bool], params: dict) -> tuple:
        key = "rows", tuple(batched), next(a.sizes[0] for a, b in zip(args, batched) if b)
        if key not in self.derivatives:
            self.derivatives[key] = LoopRows(self, batched, key[2])
        return self.derivatives[key].run(args)

    def parts(self) -> list[tuple[str, GraphFunction]]:
        return [(f.name, f) for f in (self.cond, self.step) if f is not None]

    def silent(self) -> "Loop":
        cond = None if self.cond is None else self.cond.silent()
        return self.another(cond, self.step.silent(), self.state, self.rows, self.name) if self.has_effect else self

    def with_sizes(self, sizes: Any, extends: Any) -> "Loop":
        cond = None if self.cond is None else self.cond.specialized(sizes)
        how = {
            "limit": specialized(self.limit, sizes),
            "backwards": self.backwards,
            "exact": self.exact,
            "extends": extends,
        }
        return Loop(cond, self.step.specialized(sizes), self.state, self.rows, name=self.name, **how)

    def fitted(self, args: Sequence[Any]) -> dict[int, int]:
        return told(self.step, args[1:], self.state, self.rows)

    def another(
        self, cond: GraphFunction | None, body: GraphFunction, state: int, rows: int, name: str, **how: Any
    ) -> "Loop":
        """A loop with as many iterations, at most."""
        return Loop(
            cond, body, state, rows, self.limit, name, **({"backwards": self.backwards, "exact": self.exact} | how)
        )

    def going_among(self, more_state: list[Spec], more_operands: list[Spec]) -> GraphFunction | None:
        """The condition, where there is more state and there are more operands, after its own."""
        if self.cond is None:
            return None
        graph, inputs = self.cond.graph, self.cond.inputs
        new = lambda specs: [graph.new(s).index for s in specs]
        indices = inputs[: self.state] + new(more_state) + inputs[self.state :] + new(more_operands)
        return GraphFunction(graph, indices, self.cond.outputs, self.cond.name, effects=False)

    def inexact_state(self) -> list[int]:
        return [k for k in range(self.state) if is_inexact(self.step.specs[k])]
