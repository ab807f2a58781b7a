"""Serialising traced functions: a graph as JSON, from which `restoring.py` makes the same graph without the Python
function.

Nothing here knows a particular operation: a node is a primitive's name, where its inputs are, and its parameters.
Sizes that are not known stay so, with what the trace relied on.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.primitive import Primitive
from tapeflow.core.sizes import ANY_SIZE, Known
from tapeflow.core.tensor import EagerTensor
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.concrete import ConcreteFunction, closed, opened
from tapeflow.function.tracing.effects import AT_EVERY_RUN, Effect
from tapeflow.function.tracing.graph import Graph, Node
from tapeflow.function.tracing.late_sizes import Relied, Sized, SizeOf
from tapeflow.function.tracing.traced_rules import traced

from .stored_values import CannotBeStored, Writer, steps

_MOST_TRIED = 16  # traces of one function more, for sizes that Python treats differently
_PROBES = (1, 2, 0, 3)  # sizes that programs ask for: does it broadcast, is there anything


class CannotBeSaved(ValueError):
    """A function that no file can hold, and why."""


class FunctionWriter:
    """Writes concrete functions. `store(array)` keeps an array and gives its name, `variable(v)` gives a variable's
    number."""

    def __init__(self, store: Callable[[np.ndarray], str], variable: Callable[[Any], int]) -> None:
        self.store, self.variable = store, variable

    def concrete(self, function: ConcreteFunction, known: Sequence[ConcreteFunction] = ()) -> dict:
        """A function with all the traces that it takes to serve different sizes, some of which are `known`.
        CannotBeStored: an argument is no tensor or number."""
        first = self._trace(function)
        return first | {"others": [self._trace(other) for other in alternatives(function, known)]}

    def _trace(self, function: ConcreteFunction) -> dict:
        if function.as_python:
            raise CannotBeSaved(
                f"{function.name} cannot be saved, since it is not a graph but runs as plain Python. {function.why}"
            )
        graph = function.graph
        read, keys = list(graph.reads.values()), list(graph.keys_drawn)
        finals = [(v, graph.latest[v.serial]) for v in function.assigned]
        inputs = graph.inputs + [p for _, p in read] + [p for _, p in keys]
        outputs = [p for p in function.result_indices if p is not None] + [p for _, p in finals]
        whole = GraphFunction(graph, inputs, outputs, function.name, function.jit)
        part = _GraphWriter(self, function.name)
        described, indices = part.graph(whole)
        writer = Writer(
            self.store, lambda t: {"place": indices.get(graph.index_of(t), 0)}
        )  # only where tensors are matters, not which
        leaves = opened(function.structure)
        for k, index in zip(function.tensor_positions, graph.inputs):
            leaves[k] = graph.symbols[index]
        return {
            "graph": described,
            "flows": part.flows,
            "arguments": writer.value(closed(function.structure, leaves)),
            "tensors": function.tensor_positions,
            "specs": [writer.spec(s) for s in function.specs],
            "names": [graph.names.get(p) for p in graph.inputs],
            "returns": writer.value(_returned(function)),
            "results": [None if p is None else indices[p] for p in function.result_indices],
            "alone": function.alone,
            "variables": [[self.variable(v), indices[p]] for v, p in read],
            "keys": [[*site.described(), indices[p]] for site, p in keys],
            "assigned": [[self.variable(v), indices[p]] for v, p in finals],
            "sizes": [list(size) for size in function.sizes],
            "now": [[s.number, s.now] for s in graph.sizes],
            "late": sorted(graph.relied_on.late),
            "relied_on": _questions(graph.relied_on),
            "jit": function.jit,
        }


def _returned(function: ConcreteFunction) -> Any:
    """What the function returns, with the graph's symbols in the place of variables and numbers, too."""
    leaves, rest = nest.flatten(function.structured_outputs), iter(function.result_indices)
    for k, leaf in enumerate(leaves):
        parts = nest.children(leaf, composites=True) if nest.is_composite(leaf) else None
        taken = [next(rest) for _ in parts or [leaf]]
        if parts is None:
            leaves[k] = None if taken[0] is None else function.graph.symbols[taken[0]]
    return nest.pack_as(function.structured_outputs, leaves)


def _questions(relied_on: list) -> list:
    return [[steps(question), bool(answer)] for question, answer in dict.fromkeys(relied_on)]


class _GraphWriter:
    """The graphs of one concrete function: its own, and those inside of branches and loops."""

    def __init__(self, whole: FunctionWriter, name: str) -> None:
        self.whole, self.name = whole, name
        self.flows: list[dict] = []
        self.numbers: dict[int, int] = {}  # of flows, by identity: an operation and what extends it are known by it
        self.plain = Writer(whole.store)

    def graph(self, function: GraphFunction) -> tuple[dict, dict[int, int]]:
        """(The graph of a function in words; the new indices of its values)."""
        graph, inputs = function.graph, list(function.inputs)
        held = dict(graph.constants)
        held |= {p: t for t, p in graph.captures.values() if isinstance(t, EagerTensor)}
        held = {p: t for p, t in held.items() if p not in set(inputs)}
        nodes = self._nodes(graph, {*inputs, *held}, function)
        indices: dict[int, int] = {}
        for p in [*inputs, *function.outputs, *[p for node in nodes for p in (*node.inputs, *node.outputs)]]:
            indices.setdefault(p, len(indices))
        at = lambda old: [indices[p] for p in old]
        described = {
            "name": function.name,
            "inputs": at(inputs),
            "outputs": at(function.outputs),
            "specs": [self.plain.spec(graph.symbols[p].spec) for p in indices],
            "constants": [
                [indices[p], self.whole.store(np.asarray(t.array))] for p, t in held.items() if p in indices
            ],
            "nodes": [
                [self._operation(n), at(n.inputs), self._params(n), at(n.outputs), n.several, n.line] for n in nodes
            ],
            "jit": function.jit,
            "effects": function.has_effect,
        }
        return described, indices

    def _nodes(self, graph: Graph, given: set[int], function: GraphFunction) -> list[Node]:
        """Those that the outputs need, in order; users' rules as graphs, which take what they read as inputs."""
        wanted, found = set(function.outputs) - given, []
        for node in reversed(graph.nodes):
            if not wanted.isdisjoint(node.outputs) or function.has_effect and node.prim.has_effect:
                if node.prim.body is not None:
                    rule, read = traced(node, graph)
                    own = len(rule.reached)
                    node = node._replace(
                        prim=rule,
                        inputs=(*node.inputs[:own], *read, *node.inputs[len(node.inputs) - len(node.outputs) :]),
                    )
                found.append(node)
                wanted.update([p for p in node.inputs if p not in given])
        return found[::-1]

    def _params(self, node: Node) -> dict:
        try:
            return {name: self.plain.value(value) for name, value in node.params.items()}
        except CannotBeStored as error:
            raise self._refusal(node, f"has a parameter that a file cannot hold: {error}") from None

    def _refusal(self, node: Node, why: str) -> CannotBeSaved:
        return CannotBeSaved(f"{self.name} cannot be saved: {node.prim.name}, at {node.line}, {why}.")

    # ---- operations

    def _operation(self, node: Node) -> Any:
        if isinstance(node.prim, Primitive):
            return node.prim.name
        if isinstance(node.prim, Sized):
            own = self._operation(node._replace(prim=node.prim.sized))
            return {"sized": own, "sizes": [size.number for size in node.prim.sizes]}
        if isinstance(node.prim, SizeOf):
            return {"size_of": node.prim.axis}
        if isinstance(node.prim, Relied):
            sizes = [size.number for size in node.prim.sizes]
            return {"relied_on": steps(node.prim.question), "answer": bool(node.prim.answer), "sizes": sizes}
        if node.prim.body is not None:
            return {"rule": self._rule(node.prim)}
        if isinstance(node.prim, Effect):
            return {"effect": self._effect(node)}
        return {"flow": self._flow(node.prim, node)}

    def _rule(self, rule: Any) -> dict:
        described = {
            "name": rule.name,
            "reached": rule.reached,
            "variables": [self.whole.variable(v) for v in rule.variables],
            "seeds": [site.described() for site in rule.sites],
            "lost": rule.lost,
        }
        return described | ({"graph": self.graph(rule.function)[0]} if rule.function is not None else {})

    def _effect(self, node: Node) -> dict:
        effect = node.prim
        known = [] if effect.recipe is None else [n for n, f in AT_EVERY_RUN.items() if f is effect.recipe.function]
        if not known:
            raise self._refusal(node, "calls Python, and a saved model has none")
        recipe = effect.recipe
        inputs = {id(recipe.leaves[k]): n for n, k in enumerate(recipe.positions)}
        writer = Writer(self.whole.store, lambda t: {"input": inputs[id(t)]})
        try:
            given = writer.value(nest.packed(recipe.structure, iter(recipe.leaves), composites=True))
        except CannotBeStored as error:
            raise self._refusal(node, f"is given what a file cannot hold: {error}") from None
        return {"calls": known[0], "given": given, "name": effect.name, "checks": effect.checks}

    def _flow(self, flow: Any, node: Node) -> int:
        if id(flow) in self.numbers:
            return self.numbers[id(flow)]
        extends = None if flow.extends is None else self._flow(flow.extends, node)
        part = lambda function: None if function is None else self.graph(function)[0]
        if isinstance(flow, Choice):
            described: dict = {"kind": "choice", "branches": [part(b) for b in flow.branches]}
        elif isinstance(flow, Loop):
            described = {
                "kind": "loop",
                "cond": part(flow.cond),
                "body": part(flow.step),
                "state": flow.state,
                "rows": flow.rows,
            }
            described |= {"limit": self.plain.value(flow.limit), "backwards": flow.backwards, "exact": flow.exact}
        else:
            raise self._refusal(node, "is of a kind that files do not know")
        self.flows.append(described | {"name": flow.name, "extends": extends})
        self.numbers[id(flow)] = len(self.flows) - 1
        return self.numbers[id(flow)]


# ---- traces for other sizes


def alternatives(function: ConcreteFunction, known: Sequence[ConcreteFunction] = ()) -> list[ConcreteFunction]:
    """Traces of the same function for sizes that this one does not serve, where Python asked about sizes: is it 1, is
    it 0?"""
    if function.as_python:
        return []
    if not function.sizes:
        return list(getattr(function, "others", function.other_traces))
    if hasattr(function, "others"):  # loaded: it has all there are
        return list(function.others)
    found = [other for other in known if other.graph is not function.graph and len(other.sizes) == len(function.sizes)]
    tried = 0
    for values in _probes(len(function.sizes)):
        if tried == _MOST_TRIED or any(_serves(trace, values) for trace in (function, *found)):
            continue
        tried += 1
        made = ConcreteFunction(
            function.python_function, function.traced, function.structure, function.tensor_positions, function.specs,
            function.name, function.jit, function.autograph,
        )  # fmt: skip
        try:
            made.trace(_examples(function, values), may_create=False)
        except Exception:  # such sizes are an error, or not a graph
            continue
        found.append(made)
    return found


def _serves(function: ConcreteFunction, values: tuple[int, ...]) -> bool:
    """Would Python have decided the same for these sizes?"""
    return function.serves(Known({number: value for (_, _, number), value in zip(function.sizes, values)}))


def _probes(count: int) -> Any:
    """Combinations of sizes to try: all of a few, the same for all of many."""
    if count <= 3:
        return itertools.product((ANY_SIZE, *_PROBES), repeat=count)
    same = [(probe,) * count for probe in (ANY_SIZE, *_PROBES)]
    return same + [tuple([1 if k == n else ANY_SIZE for k in range(count)]) for n in range(count)]


def _examples(function: ConcreteFunction, values: tuple[int, ...]) -> list[EagerTensor]:
    """Tensors of these sizes, which take no room."""
    shapes = [list(s.shape) for s in function.specs]
    for (n, axis, _), value in zip(function.sizes, values):
        shapes[n][axis] = value
    one = lambda dtype: np.zeros((), dtype) if np.dtype(dtype).kind != "O" else np.array(b"", object)
    return [EagerTensor(np.broadcast_to(one(s.dtype), shape)) for s, shape in zip(function.specs, shapes)]
