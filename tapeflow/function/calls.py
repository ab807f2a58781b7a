"""Graphs as functions of tensors: run by a plan, one record for a tape, replayed where somebody else executes.

A call under a tape is told of as one operation. Its forward run also returns what the backward run will read, and nothing else stays
alive. Backward runs are graphs, too, made once, so gradients of gradients are calls of calls.
"""

from functools import cached_property
from typing import Any

from tapeflow.core.apply import tell
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import current, entered
from tapeflow.core.push import Push
from tapeflow.core.slices import IndexedSlices, SparseGradient
from tapeflow.core.streams import fresh_key
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.transforms.custom_gradient import Rule
from tapeflow.transforms.forward import ForwardAccumulator

from . import plan, xla
from .graph import Graph


class GraphFunction:
    """What a graph computes at `outputs` from values at `inputs`."""

    def __init__(self, graph: Graph, inputs: list[int], outputs: list[int], name: str, jit: bool = False) -> None:
        """`jit`: compile by XLA instead of running by NumPy."""
        self.graph, self.inputs, self.outputs, self.name, self.jit = graph, inputs, outputs, name, jit
        self.derivatives: dict[int, Derivative | None] = {}
        self.may_refuse = False  # a caller can run Python instead, where users' backward functions have values

    @cached_property
    def run(self) -> Any:
        engine = xla if self.jit else plan
        return engine.compiled(self.graph, self.inputs, self.outputs, self.name)

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        frame = current()
        if frame.executor is not None:
            return self.graph.replay(dict(zip(self.inputs, tensors)), self.outputs)
        if frame.observers:
            mask = 0
            for observer in frame.observers:
                watched = observer.watched
                for k, t in enumerate(tensors):
                    if t._id in watched and t.dtype.is_inexact:
                        mask |= 1 << k
            if mask:
                return self._recorded(tensors, mask)
        return [EagerTensor(a) for a in self.run(*[t._array for t in tensors])]

    def _recorded(self, tensors: list[Tensor], mask: int) -> list[Tensor]:
        if mask not in self.derivatives:
            try:
                self.derivatives[mask] = Derivative(self, mask)
            except ValueNeeded:  # a backward rule cannot be part of a graph
                if self.may_refuse and any(node.prim.body is not None for node in self.graph.nodes):
                    raise
                self.derivatives[mask] = None
        derivative = self.derivatives[mask]
        if derivative is None:
            return self.graph.replay(dict(zip(self.inputs, tensors)), self.outputs)
        outs = tuple([EagerTensor(a) for a in derivative.forward.run(*[t._array for t in tensors])])
        tell(current().observers, CallRule(derivative, tensors, outs), tuple(tensors), {}, outs)
        return list(outs[: len(self.outputs)])

    @cached_property
    def specs(self) -> list:
        return [self.graph.symbols[p]._spec for p in self.inputs]


class Derivative:
    """The forward graph that also gives what the backward graph reads, and the backward graphs; for the inputs in `mask`."""

    def __init__(self, function: GraphFunction, mask: int) -> None:
        self.function = function
        self.wanted = [k for k in range(len(function.inputs)) if mask >> k & 1]
        self.graph = graph = Graph()
        self.xs = [graph.argument(spec) for spec in function.specs]
        with entered(graph.frame()), GradientTape(persistent=True, watch_accessed_variables=False) as self.tape:
            self.tape.watch([self.xs[k] for k in self.wanted])
            outs = function.graph.replay(dict(zip(function.inputs, self.xs)), function.outputs)
            self.outs = [graph.symbols[graph.place(y)] for y in outs]
        self.backwards: dict[tuple, Any] = {}
        self.pushes: dict[tuple, Any] = {}
        self.forward_nodes = len(graph.nodes)
        self.kept: list[int] = []
        places = [graph.place(y) for y in self.outs]
        before = self.forward_nodes
        self.backward(tuple([y.dtype.is_inexact for y in self.outs]))
        if graph.assigned:
            raise ValueNeeded("A user's backward function assigns to a variable, which a graph of gradients alone does not.")
        made = {p for node in graph.nodes[:before] for p in node.outputs}
        reads = {p for node in graph.nodes[before:] for p in node.inputs} | {
            p for b in self.backwards.values() for p in b[0].outputs
        }
        self.kept = sorted(reads & made - set(places))
        self.backwards.clear()
        name = f"{function.name} under a tape"
        self.forward = GraphFunction(graph, [x._place for x in self.xs], places + self.kept, name, function.jit)

    def backward(self, given: tuple[bool, ...]) -> tuple[GraphFunction, list[tuple[int, bool]], list[int]]:
        """(The graph from inputs, outputs, what is kept, and the gradients of those outputs that are `given`; which inputs of the
        function get one, and whether as slices)."""
        if given not in self.backwards:
            graph = self.graph
            everything = [*self.outs, *[graph.symbols[p] for p in self.kept]]
            targets = [y for y, there in zip(everything, given) if there]
            with entered(graph.frame()):
                seeds = [graph.new(y._spec) for y in targets]
                sources = [self.xs[k] for k in self.wanted]
                found = self.tape.gradient(targets, sources, output_gradients=seeds) if targets else [None] * len(sources)
            # Slices are two outputs: an embedding's gradient is not as large as the embedding.
            reached = [(k, isinstance(g, IndexedSlices)) for k, g in zip(self.wanted, found) if g is not None]
            found = [t for g in found for t in ((g.values, g.indices) if isinstance(g, IndexedSlices) else (g,))]
            inputs = [*[x._place for x in self.xs], *[graph.place(y) for y in everything], *[s._place for s in seeds]]
            # Users' backward functions read variables when they run, and draw numbers.
            unique = list(dict.fromkeys([*inputs, *[p for _, p in graph.reads.values()], *[p for _, p in graph.keys_drawn]]))
            made = GraphFunction(
                graph, unique, [graph.place(g) for g in found if g is not None], f"the gradient of {self.function.name}",
                self.function.jit,
            )  # fmt: skip
            self.backwards[given] = made, reached, inputs
        return self.backwards[given]

    def pushed(self, wanted: tuple[int, ...]) -> tuple[GraphFunction, list[int]]:
        """(The graph from the inputs, and the tangents of those `wanted`, to tangents of outputs and what is kept; of which of them)."""
        if wanted not in self.pushes:
            graph = Graph()
            xs = [graph.argument(spec) for spec in self.function.specs]
            ts = [graph.argument(self.function.specs[k]) for k in wanted]
            with entered(graph.frame()), ForwardAccumulator([xs[k] for k in wanted], ts) as accumulator:
                outs = self.graph.replay(dict(zip(self.forward.inputs, xs)), self.forward.outputs, self.forward_nodes)
            found = accumulator.jvp(outs)
            connected = [k for k, t in enumerate(found) if t is not None]
            places = [graph.place(found[k]) for k in connected]
            made = GraphFunction(graph, graph.inputs, places, f"the tangent of {self.function.name}", self.function.jit)
            self.pushes[wanted] = made, connected
        return self.pushes[wanted]


class CallRule(Rule):
    """How the outputs of a call come from its inputs."""

    body = None  # not a user's rule, which may be anything
    takes_none = True

    def __init__(self, derivative: Derivative, inputs: list[Tensor], outs: tuple) -> None:
        self.name, self.derivative = derivative.function.name, derivative
        self.inputs, self.outs = inputs, outs

    def gradients(self, gs: tuple) -> list:
        function, reached, places = self.derivative.backward(tuple([g is not None for g in gs]))
        values = dict(zip(places, [*self.inputs, *self.outs, *[g for g in gs if g is not None]]))
        graph, wanted = self.derivative.graph, set(function.inputs)
        values |= {p: v.value() for v, p in graph.reads.values() if p in wanted}
        values |= {p: fresh_key(seed) for seed, p in graph.keys_drawn if p in wanted}
        results = iter(function([values[p] for p in function.inputs]))
        found = {}
        for k, sliced in reached:
            g = next(results)
            found[k] = SparseGradient(g, next(results), tuple(self.inputs[k].shape)) if sliced else g
        return [found.get(k) for k in range(len(self.inputs))]

    def push(self, mask: int, count: int) -> Push:
        wanted = [k for k in range(count) if mask >> k & 1]
        function, connected = self.derivative.pushed(tuple(wanted))
        several = len(self.outs)

        def run(ops: Any, ts: list, y: Any, p: dict, *x: Tensor) -> tuple:
            found = dict(zip(connected, function([*x, *[ts[k] for k in wanted]])))
            return tuple([found.get(k) for k in range(several)])

        return Push(run, 0)
