"""Derivatives of a loop: its pullback (for gradients) and its pushforward (for tangents) are loops too."""

from collections.abc import Sequence
from typing import Any

from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph

from .flow import as_dense, is_inexact, pushed_through


class LoopGradient:
    """Of one loop, by some of its inputs: the loop that also emits what the backward one reads, and the backward
    one."""

    def __init__(self, loop: Any, wanted: tuple[int, ...], given: tuple[bool, ...]) -> None:
        """`given`: which of the stacked outputs have a gradient. All of the state that can have one gets one."""
        self.loop, self.wanted, self.given = loop, [k - 1 for k in wanted], given
        self.inexact = loop.inexact_state()
        first, end = loop.state + loop.rows, len(loop.step.specs)
        self.of_rows = [k for k in self.wanted if loop.state <= k < first]
        self.of_operands = [k for k in self.wanted if first <= k < end]
        side = loop.step.derivative(sum(1 << k for k in {*self.inexact, *self.of_rows, *self.of_operands}))
        graph = side.graph
        if graph.reads or graph.keys_drawn:
            raise ValueNeeded("A user's backward function in a loop reads a variable or draws random numbers.")
        seeded = [is_inexact(y.spec) for y in side.outs[: loop.state]] + list(given) + [False] * len(side.kept)
        seeds, found = side.gradients(tuple(seeded))
        xs = [x.index for x in side.xs]
        gradients = dict(zip(side.wanted, found))
        with entered(graph.frame()):
            totals = [graph.new(loop.step.specs[k]) for k in self.of_operands]
            one = lambda k: as_dense(gradients[k], side.xs[k])
            values = [one(k) for k in self.inexact]
            values += [t if gradients[k] is None else ops.add(t, one(k)) for t, k in zip(totals, self.of_operands)]
            results = [graph.index_of(t) for t in [*values, *[one(k) for k in self.of_rows]]]
        # What the iterations must emit: whatever the backward body reads and is not there at its time.
        there = set(xs[loop.state :]) | {t.index for t in [*seeds, *totals]}
        nodes = graph.leading_to([*xs, *[y.index for y in side.outs], *side.kept, *there], results, effects=False)
        read = {p for node in nodes for p in node.inputs} | set(results)
        of_iteration = {*xs[: loop.state], *[y.index for y in side.outs], *side.kept}
        emitted = sorted((read & of_iteration) - there)
        self.rows_read = [k for k in range(loop.state, first) if xs[k] in read] or self.of_rows[
            :1
        ]  # whose gradients are as long
        outs = [y.index for y in side.outs]
        step = GraphFunction(graph, xs, outs + emitted, loop.step.name)
        self.forward = loop.another(loop.cond, step, loop.state, loop.rows, loop.name, extends=loop)
        count, seeds_of_state = len(self.inexact), [s.index for s in seeds[: len(self.inexact)]]
        inputs = seeds_of_state + [t.index for t in totals]
        inputs += emitted + [xs[k] for k in self.rows_read] + [s.index for s in seeds[count:]] + xs[first:]
        name = f"the gradient of {loop.name}"
        rows = len(emitted) + len(self.rows_read) + len(seeds) - count
        back = GraphFunction(graph, inputs, results, f"the gradient of {loop.step.name}", effects=False)
        self.backward = loop.another(None, back, count + len(totals), rows, name, backwards=not loop.backwards)

    def gradients(self, gs: Sequence, xs: Sequence, ys: Sequence) -> list:
        loop = self.loop
        made = self.forward.entry(*xs)
        *_, operands = loop.split(xs[1:])
        seeds = [ops.zeros_like(ys[k]) if gs[k] is None else gs[k] for k in self.inexact]
        totals = [ops.zeros_like(xs[1 + k]) for k in self.of_operands]
        emitted = made[len(loop.step.outputs) + 1 :]
        stacked = [g for g in gs[loop.state + 1 :] if g is not None]
        out = self.backward.entry(
            made[loop.state], *seeds, *totals, *emitted, *[xs[1 + k] for k in self.rows_read], *stacked, *operands
        )
        found = dict(zip([*self.inexact, *self.of_operands], out))
        found |= zip(self.of_rows, out[self.backward.state + 1 :])
        return [found.get(k) for k in self.wanted]


class LoopTangent:
    """A loop whose state is the state and its tangents, and that emits tangents."""

    def __init__(self, loop: Any, wanted: list[int]) -> None:
        self.loop, self.inexact = loop, loop.inexact_state()
        specs, first = loop.step.specs, loop.state + loop.rows
        groups = range(loop.state), range(loop.state, first), range(first, len(specs))
        self.moving = self.inexact, *[[k for k in wanted if k in group] for group in groups[1:]]
        graph = Graph()
        xs: dict[int, Tensor] = {}
        ts: dict[int, Tensor] = {}
        for group, moving in zip(groups, self.moving):
            xs |= {k: graph.argument(specs[k]) for k in group}
            ts |= {k: graph.argument(specs[k]) for k in moving}
        with entered(graph.frame()):
            outs, found = pushed_through(loop.step, [xs[k] for k in range(len(specs))], ts)
            results = [
                *outs[: loop.state],
                *[found[k] for k in self.inexact],
                *[t for t in found[loop.state :] if t is not None],
            ]
            step = GraphFunction(
                graph, graph.inputs, [graph.index_of(t) for t in results], loop.step.name, effects=False
            )
        going = loop.going_among([specs[k] for k in self.inexact], [specs[k] for k in self.moving[2]])
        state, rows = loop.state + len(self.inexact), loop.rows + len(self.moving[1])
        name = f"the tangent of {loop.name}"
        self.moved = loop.another(going, step, state, rows, name)

    def tangents(self, ts: list, xs: Sequence) -> list:
        loop = self.loop
        given = [
            [ops.zeros_like(xs[1 + k]) if ts[1 + k] is None else ts[1 + k] for k in group] for group in self.moving
        ]
        inputs = [t for xs_, ts_ in zip(loop.split(xs[1:]), given) for t in [*xs_, *ts_]]
        out = self.moved.entry(xs[0], *inputs)
        of_state = dict(zip(self.inexact, out[loop.state :]))
        stacked = iter(out[self.moved.state + 1 :])
        emitted = [next(stacked) if is_inexact(s) else None for s in loop.specs()[loop.state + 1 :]]
        return [*[of_state.get(k) for k in range(loop.state)], None, *emitted]
