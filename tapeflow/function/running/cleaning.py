"""Graph optimisation: dead code elimination, common subexpression elimination, constant folding, algebraic
simplification.

What a primitive changes and what it does not is part of its declaration (`unchanged`, `neutral`, `merges`). Nothing
here alters a result, not that of NaN or of a negative zero either.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow.core.apply import compute
from tapeflow.core.dtypes import ANY, NATIVE
from tapeflow.core.primitive import Primitive
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.sizes import Size, alike, numbers
from tapeflow.core.tensor import EagerTensor
from tapeflow.function.tracing.graph import Graph, Node

_FOLDED = 1 << 16  # elements up to which a constant is computed before the run


def constants(graph: Graph, inputs: Iterable[int]) -> dict[int, Any]:
    """The arrays that the graph itself holds, by index."""
    found = {p: t.array for p, t in graph.constants.items()}
    given = set(inputs)
    return found | {p: t.array for t, p in graph.captures.values() if p not in given and isinstance(t, EagerTensor)}


class Cleaned:
    """The nodes that compute the outputs of a graph from its inputs, in order; `same` says where a value is that has
    no index of its own any more, `held` are the constants, some of them computed here."""

    def __init__(
        self, graph: Graph, inputs: list[int], outputs: list[int], effects: bool = False, fold: bool = True
    ) -> None:
        self.graph, self.same = graph, {}
        self.held = constants(graph, inputs)
        nodes = graph.leading_to(inputs, outputs, effects)
        nodes = self._extended(self._shared(self._simplified(nodes, fold)), effects)
        self.outputs = self.now(outputs)
        self.nodes = self._used(nodes, set(inputs))
        used = {p for node in self.nodes for p in node.inputs} | set(self.outputs)
        self.held = {p: array for p, array in self.held.items() if p in used}

    def now(self, indices: Iterable[int]) -> tuple[int, ...]:
        """Where values are."""
        same, out = self.same, []
        for p in indices:
            while p in same:
                p = same[p]
            out.append(p)
        return tuple(out)

    def _used(self, nodes: list[Node], given: set[int]) -> list[Node]:
        """Without those whose only readers were left out."""
        wanted, kept = set(self.outputs), []
        for node in reversed(nodes):
            if node.prim.has_effect or not wanted.isdisjoint(node.outputs):
                kept.append(node)
                wanted.update(node.inputs)
        return kept[::-1]

    # ---- one by one

    def _simplified(self, nodes: list[Node], fold: bool) -> list[Node]:
        """Without operations that change nothing; those of constants computed; two that are one merged."""
        kept: list[Node] = []
        makers: dict[int, Node] = {}
        for node in nodes:
            node = node._replace(inputs=self.now(node.inputs))
            if not isinstance(node.prim, Primitive):
                if node.prim.body is not None:  # a user's rule: its outputs are what the function computed
                    self.same.update(zip(node.outputs, node.inputs[len(node.inputs) - len(node.outputs) :]))
                    continue
            elif not node.several:
                node = self._merged(node, makers)
                again = self._unchanged(node)
                if again is not None:
                    self.same[node.outputs[0]] = again
                    continue
                if fold and self._folded(node):
                    continue
                makers[node.outputs[0]] = node
            kept.append(node)
        return kept

    def _merged(self, node: Node, makers: dict[int, Node]) -> Node:
        """A reshape of a reshape is a reshape."""
        inner = makers.get(node.inputs[0]) if node.prim.merges is not None and len(node.inputs) == 1 else None
        if inner is None or inner.prim is not node.prim:
            return node
        return node._replace(inputs=inner.inputs, params=node.prim.merges(inner.params, node.params))

    def _unchanged(self, node: Node) -> int | None:
        """The index of the input that the operation gives back."""
        prim, symbols = node.prim, self.graph.symbols
        out = symbols[node.outputs[0]].spec
        as_out = lambda p: alike(symbols[p].spec.shape, out.shape) and symbols[p].spec.dtype == out.dtype
        if (
            prim.unchanged is not None
            and as_out(node.inputs[0])
            and (prim.unchanged is True or prim.unchanged(**node.params))
        ):
            return node.inputs[0]
        for name, value in prim.neutral.items():
            k = prim.inputs.index(name)
            constant, other = self.held.get(node.inputs[k]), node.inputs[1 - k]
            if constant is not None and as_out(other) and _all_are(constant, value):
                return other
        return None

    def _folded(self, node: Node) -> bool:
        """Computed now, if everything it takes is there and what comes out is small."""
        if not all(p in self.held for p in node.inputs) or not _is_small(
            self.graph.symbols[node.outputs[0]].spec.shape
        ):
            return False
        if any(map(numbers, node.params.values())):  # sizes that are not known yet
            return False
        try:
            with quiet():
                found = kernel_of(node, self.graph)(*[self.held[p] for p in node.inputs], **node.params)
        except Exception:  # it will be raised when it runs, if it runs
            return False
        self.held[node.outputs[0]] = found
        return True

    # ---- two that are the same

    def _shared(self, nodes: list[Node]) -> list[Node]:
        """Common subexpressions once: later nodes read the outputs of the first."""
        seen: dict[Any, Node] = {}
        kept = []
        for node in nodes:
            node = node._replace(inputs=self.now(node.inputs))
            try:
                key = (
                    node.prim,
                    node.inputs,
                    tuple(sorted((name, _exactly(value)) for name, value in node.params.items())),
                )
                first = node if node.prim.has_effect else seen.setdefault(key, node)
            except TypeError:  # parameters that cannot be compared
                first = node
            if first is node:
                kept.append(node)
            else:
                self.same.update(zip(node.outputs, first.outputs))
        return kept

    def _extended(self, nodes: list[Node], effects: bool) -> list[Node]:
        """Loops and branches that give more than another of the same inputs take its place; what they print is printed
        once."""
        flows: dict[Any, list[int]] = {}
        for k, node in enumerate(nodes):
            if not isinstance(node.prim, Primitive):
                flows.setdefault(node.prim.root(), []).append(k)
        if all(len(indices) == 1 for indices in flows.values()) and not any(flow.has_effect for flow in flows):
            return nodes
        gone: set[int] = set()
        kept = []
        for k, node in enumerate(nodes):
            if k in gone:
                continue
            node = node._replace(inputs=self.now(node.inputs))
            again = node.prim.has_effect and (not effects or node.prim.extends is not None)
            for j in flows[node.prim.root()] if not isinstance(node.prim, Primitive) else ():
                other = nodes[j]
                if (
                    j > k
                    and j not in gone
                    and _extends(other.prim, node.prim)
                    and self.now(other.inputs) == node.inputs
                ):
                    self.same.update(zip(node.outputs, other.outputs))
                    node = other._replace(inputs=node.inputs)
                    gone.add(j)
            kept.append(node._replace(prim=node.prim.silent()) if again else node)
        return kept


def _extends(flow: Any, other: Any) -> bool:
    while flow is not None and flow is not other:
        flow = flow.extends
    return flow is other


def _exactly(value: Any) -> Any:
    """Equal only to what is the same: 1 is not True, and 0.0 is not -0.0."""
    if type(value) in (tuple, list):
        return tuple(map(_exactly, value))
    if type(value) is Size:
        return Size, value.expression
    return type(value), repr(value) if type(value) in (float, complex) else value


def _all_are(array: Any, value: int) -> bool:
    """Complex numbers do not count: inf * (1 + 0j) is inf + nan j."""
    if array.dtype.kind == "c" or not _is_small(np.shape(array)) or not np.all(array == value):
        return False
    return bool(value) or not np.any(np.signbit(array.astype(np.float64)))  # x - (-0.0) is not x where x is -0.0


def _is_small(shape: Any) -> bool:
    size = 1
    for d in shape:
        if type(d) is Size:
            return False
        size *= d or 0
    return size <= _FOLDED


def kernel_of(node: Node, graph: Graph) -> Any:
    """The NumPy kernel for these dtypes: narrow floats are computed in a wider type, as eagerly."""
    prim = node.prim
    if prim.sized is not None:
        inner = kernel_of(node._replace(prim=prim.sized, inputs=node.inputs[: -len(prim.sizes)]), graph)
        return prim.around(inner)
    dtypes = {graph.symbols[p].spec.dtype for p in node.inputs}
    if all(allowed is ANY for _, allowed, _ in prim.groups) or all(d in NATIVE or d.kind == "O" for d in dtypes):
        return prim.on("numpy", np)

    def widened(*arrays: Any, **params: Any) -> Any:
        out = compute(prim, tuple([EagerTensor(a) for a in arrays]), params)
        return tuple([o.array for o in out]) if type(out) is tuple else out.array

    return widened
