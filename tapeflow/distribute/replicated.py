"""The operation of a graph that is a function run by all replicas: one program of XLA for a mesh of devices."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from tapeflow.core.devices import Device, Mesh
from tapeflow.core.frames import entered
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.record import Inside
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.tensor import EagerTensor
from tapeflow.function.control.flow import Flow, as_dense, in_rows, is_inexact, tangents
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.running.xla_plan import NoKernel, traceable
from tapeflow.function.tracing.graph import Graph
from tapeflow.ops.batching import spread
from tapeflow.tape.gradient_tape import GradientTape

from .bundles import bundled
from .turns import Turns


def mesh_of(places: Sequence[Device]) -> Mesh | None:
    """The mesh of a strategy's devices, if XLA is installed and has them."""
    if hasattr(places, "mesh"):
        return places.mesh
    try:
        return loaded("tapeflow.engines.xla.replicas").mesh(places)
    except ImportError:
        return None


class Replicated(Flow):
    """`function` on each of several devices. It takes one tensor for each input that is `shared`, and otherwise one
    for each replica, and gives results in the same way: one of what is the `same` in all replicas."""

    extensible = hides_sizes = False
    apart = True

    def __init__(
        self, function: GraphFunction, shared: Sequence[bool], same: Sequence[bool], places: Sequence[Device]
    ) -> None:
        self.function, self.shared, self.same, self.places = function, list(shared), list(same), places
        self.count = len(places)  # of those here
        self.name = f"{function.name} of {self.count} replicas"
        self.derivatives: dict[Any, Any] = {}

    # ---- running

    def run(self, *arrays: Any) -> tuple[Any, ...]:
        if self.compiled is None:
            return self._by_turns(arrays)
        return tuple(self._flat(self.compiled(*self._grouped(arrays, self.shared)), self.same))

    @cached_property
    def compiled(self) -> Callable | None:
        """The program; None where XLA has no kernel for an operation."""
        f, mesh = bundled(self.function), mesh_of(self.places)
        try:
            local = traceable(f.graph, f.inputs, f.outputs)
        except NoKernel:
            return None
        texts = any(f.graph.symbols[p].spec.dtype.kind == "O" for p in (*f.inputs, *f.outputs))
        if texts or mesh is None:
            return None
        return loaded("tapeflow.engines.xla.replicas").program(local, mesh, self.shared, self.same)

    def _by_turns(self, arrays: tuple) -> tuple:
        given = self._grouped(arrays, self.shared)

        def of(k: int) -> Callable:
            own = [EagerTensor(a if whole else a[k]) for a, whole in zip(given, self.shared)]
            return lambda _: [y.array for y in self.function.replay(own)]

        found = Turns(self.places).run([of(k) for k in range(self.count)])
        return tuple(self._flat([ys[0] if s else list(ys) for s, ys in zip(self.same, zip(*found))], self.same))

    def on_xla(self, engine: Any) -> Callable:
        raise NotImplementedError  # it is compiled by itself

    def _grouped(self, values: Sequence, whole: Sequence[bool]) -> list:
        """One value, or a list of one for each replica, from all of them one after the other."""
        rest = iter(values)
        return [next(rest) if w else [next(rest) for _ in range(self.count)] for w in whole]

    def _flat(self, values: Sequence, whole: Sequence[bool]) -> list:
        return [v for value, w in zip(values, whole) for v in ([value] if w else value)]

    # ---- what is known of it

    def specs(self) -> list[Spec]:
        symbols = self.function.graph.symbols
        found = [symbols[p].spec for p in self.function.outputs]
        return self._flat([s if w else [s] * self.count for s, w in zip(found, self.same)], self.same)

    def parts(self) -> list[tuple[str, Any]]:
        return [("replica", self.function)]

    def with_sizes(self, sizes: Any, extends: Any) -> "Replicated":
        return Replicated(self.function.specialized(sizes), self.shared, self.same, self.places)

    def inside(self, wanted: tuple[int, ...]) -> list[Inside]:
        """What the replicas run, once. It reads what each of them does."""
        owners = self._flat([i if w else [i] * self.count for i, w in enumerate(self.shared)], self.shared)
        mask = sum(1 << i for i in {owners[j] for j in wanted})
        (found,) = self.function.derivative(mask).inside(tuple([owners[j] for j in wanted]))
        return [found._replace(name="replica")]

    # ---- derivatives

    def pulled(self, gs: Sequence, xs: Sequence, ys: Sequence, wanted: tuple[int, ...]) -> list:
        owners = self._flat(
            [(i, None) if w else [(i, k) for k in range(self.count)] for i, w in enumerate(self.shared)], self.shared
        )
        local = sorted({owners[j][0] for j in wanted})
        outs = [g if w else (g if any(v is not None for v in g) else None) for g, w in self._with(gs, self.same)]
        outs = [k for k, g in enumerate(outs) if g is not None]
        key = tuple(local), tuple(outs)
        if key not in self.derivatives:
            self.derivatives[key] = self._backward(local, outs)
        backward, reached = self.derivatives[key]
        given = [self._seeds(g, w, y) for (g, w), y in zip(self._with(gs, self.same), self._grouped(ys, self.same))]
        found = backward.entry(*xs, *[v for k in outs for v in given[k]]) if reached else ()
        of_input = dict(zip(reached, self._grouped(found, [False] * len(reached))))
        gradients = []
        for j in wanted:
            i, k = owners[j]
            each = of_input.get(i)
            gradients.append(None if each is None else ops.add_n(*each) if k is None else each[k])
        return gradients

    def _with(self, values: Sequence, whole: Sequence[bool]) -> list[tuple[Any, bool]]:
        return list(zip(self._grouped(values, whole), whole))

    def _seeds(self, g: Any, whole: bool, y: Any) -> list:
        """A gradient for each replica's result. One that is the same in all is the first one's."""
        gs, ys = ([g, *[None] * (self.count - 1)], [y] * self.count) if whole else (g, y)
        return [ops.zeros_like(y) if g is None else g for g, y in zip(gs, ys)]

    def _backward(self, wanted: list[int], outs: list[int]) -> tuple["Replicated", list[int]]:
        """(From the inputs and the gradients of these outputs to gradients; of which of the wanted inputs)."""
        function, graph = self.function, Graph()
        xs = [graph.argument(spec) for spec in function.specs]
        seeds = [graph.argument(function.graph.symbols[function.outputs[k]].spec) for k in outs]
        with entered(graph.frame()), GradientTape(watch_accessed_variables=False) as tape:
            sources = [xs[i] for i in wanted if is_inexact(xs[i].spec)]
            tape.watch(sources)
            found = function.replay(xs)
            gradients = tape.gradient([found[k] for k in outs], sources, output_gradients=seeds)
            dense = [(x, as_dense(g, x)) for x, g in zip(sources, gradients) if g is not None]
            results = [graph.index_of(g) for _, g in dense]
        reached = [next(i for i in wanted if xs[i] is x) for x, _ in dense]
        name = f"the gradient of {function.name}"
        made = GraphFunction(graph, graph.inputs, results, name, effects=False)
        return Replicated(made, [*self.shared, *[False] * len(seeds)], [False] * len(results), self.places), reached

    def pushed(self, ts: list, xs: Sequence) -> Sequence:
        given = self._with(ts, self.shared)
        there = [i for i, (t, w) in enumerate(given) if (t is not None if w else any(v is not None for v in t))]
        key = "push", tuple(there)
        inexact = [is_inexact(self.function.graph.symbols[p].spec) for p in self.function.outputs]
        if key not in self.derivatives:
            same = [s for s, real in zip(self.same, inexact) if real]
            pushed = tangents(self.function, there)
            self.derivatives[key] = Replicated(
                pushed, [*self.shared, *[self.shared[i] for i in there]], same, self.places
            )
        values = self._grouped(xs, self.shared)
        more = []
        for i in there:
            (t, whole), x = given[i], values[i]
            more += [t] if whole else [ops.zeros_like(b) if a is None else a for a, b in zip(t, x)]
        moved = self.derivatives[key]
        found = iter(moved._grouped(moved.entry(*xs, *more), moved.same))
        nothing = lambda whole: None if whole else [None] * self.count
        return self._flat([next(found) if real else nothing(s) for s, real in zip(self.same, inexact)], self.same)

    # ---- rows

    def batch(self, op: Callable, args: list, batched: list[bool], params: dict) -> tuple:
        size = next(a.sizes[0] for a, b in zip(args, batched) if b)
        flags = [f if w else any(f) for f, w in self._with(batched, self.shared)]
        wide = []
        for value, which, whole, rows in zip(
            self._grouped(args, self.shared), self._grouped(batched, self.shared), self.shared, flags
        ):
            each = [(value, which)] if whole else list(zip(value, which))
            wide += [spread(a, size) if rows and not b else a for a, b in each]
        return Replicated(in_rows(self.function, flags, size), self.shared, self.same, self.places).entry(*wide)
