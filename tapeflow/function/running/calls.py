"""Calls of graphs with tensors: run by a plan, one record on a tape with a graph for its gradient, inlined where
another graph is being traced.

A call under a tape is told of as one operation. Its forward run also returns what the backward run will read, and
nothing else stays alive. Backward runs are graphs, too, made once, so gradients of gradients are calls of calls.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.core.apply import tell
from tapeflow.core.contracts import Observer, Operation
from tapeflow.core.devices import DeviceTensor
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.listeners import board
from tapeflow.core.primitive import Spec
from tapeflow.core.random.streams import fresh_key
from tapeflow.core.record import Inside, Pushforward
from tapeflow.core.sizes import specialized
from tapeflow.core.slices import IndexedSlices, SparseGradient
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.commits import stored
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.graph import Graph, SymbolicTensor
from tapeflow.function.tracing.late_sizes import OtherSizes
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.transforms.custom_gradient import Rule
from tapeflow.transforms.forward import ForwardAccumulator

from . import numpy_plan as plan, xla_plan as xla


class GraphFunction:
    """What a graph computes at `outputs` from values at `inputs`."""

    def __init__(
        self, graph: Graph, inputs: list[int], outputs: list[int], name: str, jit: bool = False, effects: bool = True
    ) -> None:
        """`jit`: compile by XLA instead of running by NumPy. `effects`: what the graph prints is printed; not by its
        derivatives."""
        self.graph, self.inputs, self.outputs, self.name, self.jit = graph, inputs, outputs, name, jit
        self.has_effect = effects and any(node.prim.has_effect for node in graph.nodes)
        self.donated: Collection[
            int
        ] = ()  # the indices of values that are not needed after a call: of variables that get others
        self.host_only = False
        self.derivatives: dict[int, Derivative] = {}
        self._step: Any = None  # the plan for a loop
        self.looked_at: dict[Callable, Callable] = {}  # plans that call somebody between their nodes
        self.may_refuse = False  # a caller can run Python instead, where users' backward functions have values

    @property
    def run(self) -> Any:
        """On NumPy's arrays."""
        after_nodes = board.after_nodes() if board.seats else None
        return self._run if after_nodes is None else self._looked_at(after_nodes)

    @cached_property
    def _run(self) -> Any:
        return self._compiled(None)

    def stepping(self, state: int) -> tuple[Callable, Sequence[int]]:
        """For a loop with so much state: (an iteration, the parts of the state that it changes in place)."""
        if board.seats and board.after_nodes() is not None:
            return self.run.inner, ()
        if self._step is None:
            self._step = self._compiled(None, state)
        return self._step.inner, self._step.owned

    def _looked_at(self, after_nodes: Callable) -> Any:
        if after_nodes not in self.looked_at:
            self.looked_at[after_nodes] = self._compiled(after_nodes)
        return self.looked_at[after_nodes]

    def _compiled(self, after_nodes: Callable | None, state: int = 0) -> Any:
        with self.graph.lock:  # a backward graph is written in the same graph, perhaps now, by another thread
            return plan.compiled(self.graph, self.inputs, self.outputs, self.name, self.has_effect, after_nodes, state)

    @cached_property
    def program(self) -> Any:
        """On tensors, wherever they are: compiled by XLA."""
        with self.graph.lock:
            return xla.compiled(self.graph, self.inputs, self.outputs, self.name, self.has_effect, self.donated)

    def compute(self, tensors: Sequence[Tensor], assigned: Sequence[Variable] = ()) -> list[Tensor]:
        """Run it now, and tell nobody: by NumPy, unless XLA was asked for, or something is on a device. `assigned`:
        see `__call__`."""
        if board.seats and board.after_nodes() is not None:
            return self._looked_through(tensors, assigned)
        if not self.jit:
            device = current().device
            # No generator: what is raised while one is closed, Ctrl-C for example, is lost.
            if (device is None or device.is_host) and DeviceTensor not in map(type, tensors) or self.host_only:
                return stored([EagerTensor(a) for a in self.run(*[t.array for t in tensors])], assigned)
            try:
                return self.program.on_tensors(tensors, assigned)
            except xla.NoKernel:  # strings, or Python: what XLA cannot have is computed on the host, as eagerly
                self.host_only = True
                return self.compute(tensors, assigned)
        return self.program.on_tensors(tensors, assigned)

    def _looked_through(self, tensors: Sequence[Tensor], assigned: Sequence[Variable]) -> list[Tensor]:
        """The results, of which somebody looks at every value on the way. Where XLA computes, that is done where a
        result is not finite: by the NumPy plan, which raises."""
        if not self.jit and DeviceTensor not in map(type, tensors):
            return stored([EagerTensor(a) for a in self.run(*[t.array for t in tensors])], assigned)
        found = self.program.on_tensors(tensors)
        if not all(np.isfinite(y.array).all() for y in found if y.dtype.is_inexact):
            self.silent().run(*[t.array for t in tensors])
        return stored(found, assigned)

    def __call__(self, tensors: Sequence[Tensor], assigned: Sequence[Variable] = ()) -> list[Tensor]:
        """The results. The last ones become the values of `assigned` instead, variables whose locks the caller has: of
        all or of none."""
        frame = current()
        if frame.executor is not None:
            return self.replay(tensors)
        if frame.observers:
            mask = 0
            for observer in frame.observers:
                watched = observer.watched
                for k, t in enumerate(tensors):
                    if t.serial in watched and t.dtype.is_inexact:
                        mask |= 1 << k
            if mask and any(o.differentiates for o in frame.observers):
                if any(o.looks_inside for o in frame.observers):
                    return stored(self.replay(tensors), assigned)
                return stored(self._recorded(tensors, mask), assigned)
            if mask:
                outs = self.compute(tensors)
                tell(frame.observers, Call(self.name), tuple(tensors), {}, tuple(outs))
                return stored(outs, assigned)
        return self.compute(tensors, assigned)

    def derivative(self, mask: int) -> "Derivative":
        """By the inputs in `mask`; made once."""
        if mask not in self.derivatives:
            self.derivatives[mask] = Derivative(self, mask)
        return self.derivatives[mask]

    def _recorded(self, tensors: Sequence[Tensor], mask: int) -> list[Tensor]:
        try:
            derivative = self.derivative(mask)
        except (ValueNeeded, OtherSizes):  # a backward rule cannot be part of a graph
            if self.may_refuse and any(node.prim.body is not None for node in self.graph.nodes):
                raise
            return self.replay(tensors)
        outs = tuple(derivative.forward.compute(tensors))
        tell(current().observers, CallRule(derivative, tensors, outs), tuple(tensors), {}, outs)
        return list(outs[: len(self.outputs)])

    def replay(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """What the function computes, in the current frame, operation by operation."""
        return self.graph.replay(dict(zip(self.inputs, tensors)), self.outputs, self.has_effect)

    def read_inputs(self) -> set[int]:
        """Which of the inputs the outputs depend on, by number."""
        nodes = self.graph.leading_to(self.inputs, self.outputs, self.has_effect)
        read = {p for node in nodes for p in node.inputs} | set(self.outputs)
        return {k for k, p in enumerate(self.inputs) if p in read}

    def silent(self) -> "GraphFunction":
        """The same, and nothing happens."""
        return (
            GraphFunction(self.graph, self.inputs, self.outputs, self.name, self.jit, False)
            if self.has_effect
            else self
        )

    def specialized(self, sizes: Any) -> "GraphFunction":
        """The function for sizes, by number, that were not known when it was traced."""
        graph = Graph()
        graph.compiles = self.graph.compiles
        xs = [graph.argument(Spec(shape=specialized(s.shape, sizes), dtype=s.dtype)) for s in self.specs]
        with entered(graph.frame()):
            outs = self.graph.replay(dict(zip(self.inputs, xs)), self.outputs, self.has_effect, sizes)
            indices = [graph.index_of(y) for y in outs]
        made = GraphFunction(graph, graph.inputs, indices, self.name, self.jit)
        made.may_refuse = self.may_refuse
        made.donated = [graph.inputs[k] for k, p in enumerate(self.inputs) if p in self.donated]
        return made

    @cached_property
    def specs(self) -> list:
        return [self.graph.symbols[p].spec for p in self.inputs]


class Call(Operation):
    """A call of a function, for observers that do not differentiate: it only hands on what its own operations have
    made."""

    moves = True

    def __init__(self, name: str) -> None:
        self.name = name


class Derivative:
    """The forward graph that also gives what the backward graph reads, and the backward graphs; for the inputs in
    `mask`."""

    def __init__(self, function: GraphFunction, mask: int) -> None:
        self.function = function
        self.wanted = [k for k in range(len(function.inputs)) if mask >> k & 1]
        self.graph = graph = Graph()
        self.xs = [graph.argument(spec) for spec in function.specs]
        with entered(graph.frame()), GradientTape(persistent=True, watch_accessed_variables=False) as self.tape:
            self.tape.watch([self.xs[k] for k in self.wanted])
            outs = function.replay(self.xs)
            self.outs = [graph.symbols[graph.index_of(y)] for y in outs]
        self.recording = self.tape._recording
        self.backwards: dict[tuple, Any] = {}
        self.pushforwards: dict[tuple, Any] = {}
        self.kept: list[int] = []
        self.kept = self._read_by_backward()
        name = f"{function.name} under a tape"
        indices = [y.index for y in self.outs] + self.kept
        self.forward = GraphFunction(graph, [x.index for x in self.xs], indices, name, function.jit)

    def _read_by_backward(self) -> list[int]:
        """The indices of what the backward graph reads and the forward graph computes, besides the outputs."""
        graph, before = self.graph, len(self.graph.nodes)
        flows = [node for node in graph.nodes if node.prim.extensible]
        observers = (_Extensions(self.recording),) if flows else ()
        _, found = self.gradients(tuple([y.dtype.is_inexact for y in self.outs]), observers)
        if graph.assigned:
            raise ValueNeeded(
                "A user's backward function assigns to a variable, which a graph of gradients alone does not."
            )
        given = {(node.prim.root(), node.inputs) for node in flows}
        # Loops and branches that keep a history take the place of those that do not: they run in the forward graph.
        ahead = [n for n in graph.nodes[before:] if n.prim.extends is not None and (n.prim.root(), n.inputs) in given]
        behind = [n for n in graph.nodes[before:] if not any(n is a for a in ahead)]
        made = {p for node in [*graph.nodes[:before], *ahead] for p in node.outputs}
        reads = {p for node in behind for p in node.inputs} | {graph.index_of(t) for g in found for t in _parts(g)}
        return sorted(reads & made - {y.index for y in self.outs})

    def gradients(self, given: tuple[bool, ...], observers: tuple = ()) -> tuple[list[SymbolicTensor], list]:
        """(Symbols for the gradients of those outputs that are `given`; the gradients of the wanted inputs), in the
        graph."""
        everything = [*self.outs, *[self.graph.symbols[p] for p in self.kept]]
        targets = [y for y, there in zip(everything, given) if there]
        with entered(Frame(self.graph, observers)):
            seeds = [self.graph.new(y.spec) for y in targets]
            sources = [self.xs[k] for k in self.wanted]
            found = self.tape.gradient(targets, sources, output_gradients=seeds) if targets else [None] * len(sources)
        return seeds, found

    def backward(self, given: tuple[bool, ...]) -> tuple[GraphFunction, list[tuple[int, bool]], list[int]]:
        """(The graph from inputs, outputs, what is kept, and the gradients of those outputs that are `given`; which
        inputs of the function get one, and whether as slices)."""
        with self.graph.lock:
            if given not in self.backwards:
                self.backwards[given] = self._backward(given)
            return self.backwards[given]

    def _backward(self, given: tuple[bool, ...]) -> tuple[GraphFunction, list[tuple[int, bool]], list[int]]:
        graph = self.graph
        seeds, found = self.gradients(given)
        # Slices are two outputs: an embedding's gradient is not as large as the embedding.
        reached = [(k, isinstance(g, IndexedSlices)) for k, g in zip(self.wanted, found) if g is not None]
        found = [t for g in found for t in _parts(g)]
        inputs = [x.index for x in self.xs] + [y.index for y in self.outs] + self.kept + [s.index for s in seeds]
        # Users' backward functions read variables when they run, and draw numbers.
        unique = list(
            dict.fromkeys([*inputs, *[p for _, p in graph.reads.values()], *[p for _, p in graph.keys_drawn]])
        )
        made = GraphFunction(
            graph,
            unique,
            [graph.index_of(g) for g in found],
            f"the gradient of {self.function.name}",
            self.function.jit,
            effects=False,
        )
        return made, reached, inputs

    def inside(self, wanted: tuple[int, ...]) -> tuple[Inside]:
        """The operations of the function, between those of its inputs that are `wanted` and its outputs."""
        kept = [self.graph.symbols[p] for p in self.kept]
        inputs = tuple([self.xs[k] for k in wanted])
        return (Inside(self.recording, self.graph, inputs, (*self.outs, *kept), tuple(self.outs)),)

    def pushed(self, wanted: tuple[int, ...]) -> tuple[GraphFunction, list[int]]:
        """(The graph from the inputs, and the tangents of those `wanted`, to tangents of outputs and what is kept; of
        which of them)."""
        if wanted not in self.pushforwards:
            graph = Graph()
            xs = [graph.argument(spec) for spec in self.function.specs]
            ts = [graph.argument(self.function.specs[k]) for k in wanted]
            with entered(graph.frame()), ForwardAccumulator([xs[k] for k in wanted], ts) as accumulator:
                outs = self.forward.replay(xs)
            found = accumulator.jvp(outs)
            connected = [k for k, t in enumerate(found) if t is not None]
            indices = [graph.index_of(found[k]) for k in connected]
            made = GraphFunction(
                graph, graph.inputs, indices, f"the tangent of {self.function.name}", self.function.jit, False
            )
            self.pushforwards[wanted] = made, connected
        return self.pushforwards[wanted]


class _Extensions(Observer):
    """Has a tape know of loops and branches that keep a history, though they are written down only for the backward
    graph: what they keep depends on the inputs too, and gradients of gradients go through it."""

    def __init__(self, recording: Any) -> None:
        self.recording = recording
        self.watched = recording.watched

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        if prim.extends is not None:
            self.recording.see(prim, args, params, out, mask)


def _parts(gradient: Any) -> tuple:
    if gradient is None:
        return ()
    return (gradient.values, gradient.indices) if isinstance(gradient, IndexedSlices) else (gradient,)


class CallRule(Rule):
    """How the outputs of a call come from its inputs."""

    body = None  # not a user's rule, which may be anything
    takes_none = True
    kind = "function"

    def __init__(self, derivative: Derivative, inputs: Sequence[Tensor], outs: tuple) -> None:
        self.name, self.derivative, self.inside = derivative.function.name, derivative, derivative.inside
        self.xs, self.outs = inputs, outs
        self.kept = outs

    def gradients(self, gs: tuple) -> list:
        function, reached, indices = self.derivative.backward(tuple([g is not None for g in gs]))
        values = dict(zip(indices, [*self.xs, *self.outs, *[g for g in gs if g is not None]]))
        graph, wanted = self.derivative.graph, set(function.inputs)
        values |= {p: v.value() for v, p in graph.reads.values() if p in wanted}
        values |= {p: fresh_key(site) for site, p in graph.keys_drawn if p in wanted}
        try:
            results = iter(function([values[p] for p in function.inputs]))
        except OtherSizes:
            return self._by_operations(gs)
        found = {}
        for k, sliced in reached:
            g = next(results)
            found[k] = SparseGradient(g, next(results), tuple(self.xs[k].sizes)) if sliced else g
        return [found.get(k) for k in range(len(self.xs))]

    def _by_operations(self, gs: tuple) -> list:
        """The gradients where a backward graph was written for other sizes, which depend on values."""
        targets = [k for k, g in enumerate(gs[: len(self.derivative.function.outputs)]) if g is not None]
        with GradientTape() as tape:
            tape.watch([self.xs[k] for k in self.derivative.wanted])
            outs = self.derivative.function.replay(self.xs)
        sources = [self.xs[k] for k in self.derivative.wanted]
        found = tape.gradient([outs[k] for k in targets], sources, output_gradients=[gs[k] for k in targets])
        gradients = dict(zip(self.derivative.wanted, found))
        return [gradients.get(k) for k in range(len(self.xs))]

    def pushforward(self, mask: int, count: int) -> Pushforward:
        wanted = [k for k in range(count) if mask >> k & 1]
        function, connected = self.derivative.pushed(tuple(wanted))
        several = len(self.outs)

        def run(ops: Any, ts: list[Any], y: Any, p: dict[Any, Any], *x: Tensor) -> tuple[Any, ...]:
            found = dict(zip(connected, function([*x, *[ts[k] for k in wanted]])))
            return tuple([found.get(k) for k in range(several)])

        return Pushforward(run, 0)
