"""Vectorisation of a loop, its batching rule: under `tf.vectorized_map` or in a Jacobian one loop serves all rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.frames import entered
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph
from tapeflow.ops.batching import spread

from .flow import in_rows, mapped_outputs

_INT = np.dtype("int32")


class LoopRows:
    """A loop inside a map: one loop for all rows. Where rows end at different times, those that have ended keep their
    state."""

    def __init__(self, loop: Any, batched: list[bool], size: int) -> None:
        self.loop, self.size = loop, size
        self.own_most, flags = batched[0], batched[1:]
        first = loop.state + loop.rows
        state, self.of_rows, operands = flags[: loop.state], flags[loop.state : first], flags[first:]
        while True:  # state that is the same for all rows at first may not stay so
            after = mapped_outputs(loop.step, [*state, *self.of_rows, *operands], size)
            grown = [a or b for a, b in zip(state, after)]
            if grown == state:
                break
            state = grown
        self.apart = self.own_most or loop.cond is not None and mapped_outputs(loop.cond, [*state, *operands], size)[0]
        if self.apart:
            state = [True] * loop.state
            after = mapped_outputs(loop.step, [*state, *self.of_rows, *operands], size)
        self.of_state, self.emitted = state, [*state, *after[loop.state :]][loop.state :]
        if self.apart:
            if loop.cond is None:  # what is emitted depends on whether the row is still there
                self.emitted = [True] * len(self.emitted)
            self.rows = self._apart(state, operands)
            return
        step = in_rows(loop.step, [*state, *self.of_rows, *operands], size, [*state, *self.emitted])
        going = None if loop.cond is None else in_rows(loop.cond, [*state, *operands], size, [False])
        self.rows = loop.another(going, step, loop.state, loop.rows, loop.name)

    def _apart(self, state: list[bool], operands: list[bool]) -> Any:
        """More state: how far each row is, and how many iterations there were; one operand more: how many each row may
        have."""
        loop, size = self.loop, self.size
        step = in_rows(loop.step, [*state, *self.of_rows, *operands], size, [*state, *self.emitted])
        going = None if loop.cond is None else in_rows(loop.cond, [*state, *operands], size)
        ints = Spec(shape=(size,), dtype=_INT), Spec(shape=(), dtype=_INT), Spec(shape=(), dtype=_INT)

        def alive(xs: list, k: Tensor, most: Tensor, top: Tensor, of: list) -> Tensor:
            at = ops.sub(ops.sub(top, 1), k) if loop.backwards else k
            now = ops.logical_or(ops.less(at, most), ops.less(most, 0))
            if going is not None:
                [holds] = going.replay([*xs, *of])
                now = ops.logical_and(now, holds)
            return now

        def graph_of(function: Callable, with_rows: bool) -> GraphFunction:
            graph, specs, s = Graph(), step.specs, loop.state
            xs = [graph.argument(spec) for spec in specs[:s]]
            counts, k = graph.argument(ints[0]), graph.argument(ints[1])
            rows = [graph.argument(spec) for spec in specs[s : s + loop.rows]] if with_rows else []
            of = [graph.argument(spec) for spec in specs[s + loop.rows :]]
            most, top = graph.argument(ints[0]), graph.argument(ints[2])
            with entered(graph.frame()):
                indices = [graph.index_of(t) for t in function(xs, counts, k, rows, of, most, top)]
            return GraphFunction(graph, graph.inputs, indices, loop.step.name)

        def whole_step(xs: list, counts: Tensor, k: Tensor, rows: list, of: list, most: Tensor, top: Tensor) -> list:
            now = alive(xs, k, most, top, of)
            shaped = lambda y: ops.reshape(now, shape=(size,) + (1,) * (y.ndim - 1))
            seen = xs
            if (
                going is not None
            ):  # rows that have ended follow one that goes on: an index is in range there, a root has a slope
                other = ops.argmax(ops.cast(now, dtype=_INT), axis=0, dtype=_INT)
                seen = [ops.where(shaped(x), x, ops.take(x, other, axis=0)) for x in xs]
            out = step.replay([*seen, *rows, *of])
            kept = [ops.where(shaped(y), y, x) for x, y in zip(xs, out)]
            emitted = out[loop.state :]
            if going is None:  # gradients of rows: none where there was no iteration
                emitted = [ops.where(shaped(y), y, ops.zeros_like(y)) for y in emitted]
            return [*kept, ops.add(counts, ops.cast(now, dtype=_INT)), ops.add(k, 1), *emitted]

        def any_alive(xs: list, counts: Tensor, k: Tensor, rows: list, of: list, most: Tensor, top: Tensor) -> list:
            return [ops.reduce_any(alive(xs, k, most, top, of), axis=(0,), keepdims=False)]

        # A loop that only counts runs as often as the row with the most: no need to ask.
        cond = None if loop.cond is None else graph_of(any_alive, False)
        return loop.another(cond, graph_of(whole_step, True), loop.state + 2, loop.rows, loop.name, exact=False)

    def run(self, args: list[Any]) -> tuple[Any, ...]:
        loop, size = self.loop, self.size
        most, (state, rows, operands) = args[0], loop.split(args[1:])
        state = [spread(x, size) if b and not was else x for x, b, was in zip(state, self.of_state, self._were(args))]
        rows = [_swapped(row) if b else row for row, b in zip(rows, self.of_rows)]
        if not self.apart:
            out = list(self.rows.entry(most, *state, *rows, *operands))
        else:
            top, most = (_largest(most), most) if self.own_most else (most, spread(most, size))
            zero = EagerTensor(np.int32(0))
            counts = ops.broadcast_to(zero, shape=(size,))
            out = list(self.rows.entry(top, *state, counts, zero, *rows, *operands, most, top))
            del out[loop.state + 1 : loop.state + 3]  # the number of all iterations, twice
        flags = [*self.of_state, self.apart, *self.emitted]
        stacked = lambda n, y: _swapped(y) if n > loop.state else y
        return tuple([stacked(n, y) if b else spread(y, size) for n, (y, b) in enumerate(zip(out, flags))])

    def _were(self, args: list) -> list[bool]:
        return [len(a.sizes) != len(s.shape) for a, s in zip(args[1:], self.loop.step.specs)]


def _largest(most: Tensor) -> Tensor:
    """Of the bounds of all rows; -1, for none, is the largest of all."""
    unbounded = ops.reduce_any(ops.less(most, 0), axis=(0,), keepdims=False)
    return ops.where(unbounded, EagerTensor(np.int32(-1)), ops.reduce_max(most, axis=(0,), keepdims=False))


def _swapped(stack: Tensor) -> Tensor:
    """Rows of a map first, iterations second; and back."""
    return ops.transpose(stack, perm=(1, 0, *range(2, stack.ndim)))
