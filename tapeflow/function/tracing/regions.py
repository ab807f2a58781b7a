"""Subgraphs: the bodies of branches and loops, traced to graphs of their own, and what they capture from outside."""

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.core import nest
from tapeflow.core.composite import Composite
from tapeflow.core.contracts import LoopVariable
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import Spec
from tapeflow.core.random.streams import fresh_key
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

from .graph import Graph


class Region:
    """A function traced in a graph of its own, from `arguments` to `leaves`; `structure` is what it returned."""

    def __init__(self, function: Callable, specs: Sequence[Spec] = (), pack: Callable = lambda *xs: xs) -> None:
        """The function is called with what `pack` makes of a symbol for each of the specs; sizes that are None there
        are known when it runs."""
        self.graph = graph = Graph(enclosing_graphs())
        outer = graph.within[-1]
        graph.may_create, graph.evaluate, graph.compiles = outer.may_create, outer.evaluate, outer.compiles
        graph.autograph, graph.sizes, graph.relied_on = outer.autograph, outer.sizes, outer.relied_on
        graph.own_key = outer.own_key
        arguments = [graph.argument(spec) for spec in specs]
        for argument in arguments:
            graph.measure(argument)
        with entered(graph.frame()):
            self.structure = function(*pack(*arguments))
            self.leaves = [_value(leaf) for leaf in nest.walked(self.structure, composites=True)]
            for leaf in self.leaves:  # one from outside is captured by being returned
                if isinstance(leaf, Tensor):
                    graph.index_of(leaf)
                elif isinstance(leaf, LoopVariable) and leaf.__is_known__():
                    graph.index_of(leaf.__entries__())
            graph.guard()
        outer.created += graph.created
        graph.finalize()

    def index_of(self, leaf: Tensor) -> int:
        with entered(self.graph.frame()):
            return self.graph.index_of(leaf)


def _value(leaf: Any) -> Any:
    """A leaf of what a region returns: a tensor if it can be one."""
    if leaf is None or isinstance(leaf, Tensor):
        return leaf
    if isinstance(leaf, LoopVariable):  # a TensorArray, as it is now
        return leaf.__with_entries__(leaf.__entries__()) if leaf.__is_known__() else leaf
    if isinstance(leaf, Variable):
        return leaf.value()
    return to_tensor(leaf) if is_convertible(leaf) and not isinstance(leaf, Composite) else leaf


def enclosing_graph() -> Graph | None:
    """The graph that the current frame's operations are written to in the end, if there is one."""
    frame: Frame | None = current()
    while frame is not None:
        if isinstance(frame.executor, Graph):
            return frame.executor
        frame = frame.below
    return None


def enclosing_graphs() -> tuple[Graph, ...]:
    """That graph and those around it."""
    graph = enclosing_graph()
    return () if graph is None else (*(graph.within or ()), graph)


def inside_a_graph() -> bool:
    return enclosing_graph() is not None


def operands(graphs: list[Graph], but: Sequence[Variable] = ()) -> tuple[list[Tensor], list[list[int]]]:
    """(What graphs take from outside, as tensors of the current frame; for each graph the indices of these): captured
    tensors and the values of variables, except those of some."""
    found: list[Tensor] = []
    indices: list[list[int]] = [[] for _ in graphs]

    def add(tensor: Tensor, own: list[int | None]) -> None:
        found.append(tensor)
        spec = Spec(shape=tuple(tensor.sizes), dtype=tensor.dtype.np)
        for graph, column, index in zip(graphs, indices, own):
            column.append(graph.new(spec).index if index is None else index)

    for key, tensor in {k: t for g in graphs for k, (t, _) in g.captures.items()}.items():
        add(tensor, [g.captures[key][1] if key in g.captures else None for g in graphs])
    left_out = {v.serial for v in but}
    for key, variable in {k: v for g in graphs for k, (v, _) in g.reads.items()}.items():
        if key not in left_out:
            add(variable.value(), [g.reads[key][1] if key in g.reads else None for g in graphs])
    return found, indices


def keys(graphs: list[Graph]) -> tuple[list[Tensor], list[list[int]]]:
    """The same for keys of random numbers: each is drawn anew."""
    found: list[Tensor] = []
    indices: list[list[int]] = [[] for _ in graphs]
    for graph in graphs:
        for site, index in graph.keys_drawn:
            key = fresh_key(site)
            found.append(key)
            spec = graph.symbols[index].spec
            for other, column in zip(graphs, indices):
                column.append(index if other is graph else other.new(spec).index)
    return found, indices
