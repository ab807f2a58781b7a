"""Loop fusion: elementwise operations on arrays of one shape, computed together where the native engine is there.

Operations join a group until something else needs what the group computes. Values that nobody outside reads are never
arrays at all.
"""

from collections.abc import Callable, Iterator
from math import prod

from tapeflow.core.contracts import Operation
from tapeflow.engines.native import FLOAT32, fusion
from tapeflow.function.tracing.graph import Graph, Node

from .cleaning import Cleaned

_MOST = 256  # operations of a group
_WORTH = 4, 2, 1024  # so many operations, or fewer on so many elements, take less time together than apart


class Fused(Operation):
    """Several primitives that are computed together. `free`: for each result, the arguments that nothing reads any
    more when it is written."""

    name = "fused"
    makes_new = True

    def __init__(self, kernel: Callable, free: list[set[int]]) -> None:
        self.kernel, self.free = kernel, free


class _Group:
    def __init__(self, shape: tuple) -> None:
        self.shape = shape
        self.nodes: list[Node] = []
        self.spread: dict[int, int | None] = {}
        self.constants: dict[int, float] = {}
        self.made: set[int] = set()


def fused(clean: Cleaned) -> list[Node]:
    """The nodes, with those that are computed together as one."""
    if not fusion.has("add"):
        return clean.nodes
    readers: dict[int, int] = dict.fromkeys(clean.outputs, 1)
    for node in clean.nodes:
        for p in node.inputs:
            readers[p] = readers.get(p, 0) + 1
    return [*_Fusing(clean, readers).scheduled()]


class _Fusing:
    def __init__(self, clean: Cleaned, readers: dict[int, int]) -> None:
        self.clean, self.graph, self.readers = clean, clean.graph, readers
        self.open: dict[tuple, _Group] = {}
        self.group_of: dict[int, _Group] = {}  # by value, the open group that makes it

    def scheduled(self) -> Iterator[Node]:
        """A group comes before the first node that needs it; the others stay in order."""
        for node in self.clean.nodes:
            shape = _shape_of(node, self.graph)
            for p in node.inputs:
                group = self.group_of.get(p)
                if group is not None and (shape != group.shape or len(group.nodes) == _MOST):
                    yield from self._closed(group)
            if shape is None:
                yield node
                continue
            group = self.open.get(shape)
            if group is not None and len(group.nodes) == _MOST:
                yield from self._closed(group)
                group = None
            if group is None:
                group = self.open[shape] = _Group(shape)
            self._join(node, group)
        for group in [*self.open.values()]:
            yield from self._closed(group)

    def _join(self, node: Node, group: _Group) -> None:
        for p in node.inputs:
            if p in group.made or p in group.spread or p in group.constants:
                continue
            held = self.clean.held.get(p)
            if held is not None and held.size == 1:
                group.constants[p] = float(held.reshape(())[()])
            else:
                group.spread[p] = _spread(tuple(self.graph.symbols[p].spec.shape), group.shape)
        [out] = node.outputs
        group.nodes.append(node)
        group.made.add(out)
        self.group_of[out] = group

    def _closed(self, group: _Group) -> list[Node]:
        """What computes the group: one node, if that is worth it."""
        if self.open.get(group.shape) is not group:
            return []
        del self.open[group.shape]
        for p in group.made:
            del self.group_of[p]
        many, few, elements = _WORTH
        count = len(group.nodes)
        if count < few or (count < many and prod(group.shape) < elements):
            return group.nodes
        inside: dict[int, int] = {}
        for node in group.nodes:
            for p in node.inputs:
                inside[p] = inside.get(p, 0) + 1
        results = [p for node in group.nodes for p in node.outputs if self.readers.get(p, 0) > inside.get(p, 0)]
        steps = [fusion.Step(n.prim.name, n.inputs, n.outputs[0]) for n in group.nodes]
        kernel = fusion.expression(steps, group.spread, group.constants, results, group.shape)
        if kernel is None:
            return group.nodes
        first = group.nodes[0]
        whole = Fused(kernel, _free(steps, group.spread, results))
        return [first._replace(prim=whole, inputs=(*group.spread,), params={}, outputs=(*results,), several=True)]


def _shape_of(node: Node, graph: Graph) -> tuple | None:
    """Of what it computes, if it can be part of a group."""
    if not fusion.has(node.prim.name) or node.params or node.several or not node.prim.elementwise:
        return None
    out = graph.symbols[node.outputs[0]].spec
    shape = tuple(out.shape)
    if out.dtype != FLOAT32 or not shape or any(type(d) is not int for d in shape) or prod(shape) < 2:
        return None
    for p in node.inputs:
        spec = graph.symbols[p].spec
        if spec.dtype != FLOAT32 or any(type(d) is not int for d in spec.shape):
            return None
        if _spread(tuple(spec.shape), shape) == -1:
            return None
    return shape


def _spread(shape: tuple, over: tuple) -> int | None:
    """How an operand of this shape goes with a result of that: see `expression`; -1 if it cannot."""
    if shape == over:
        return fusion.ELEMENT_BY_ELEMENT
    if prod(shape) == 1:
        return fusion.ONE_NUMBER if shape else None
    return fusion.ONE_ROW if shape[-1] == over[-1] == prod(shape) else -1


def _free(steps: list[fusion.Step], spread: dict[int, int | None], results: list[int]) -> list[set[int]]:
    last = {p: k for k, step in enumerate(steps) for p in step.inputs}
    written = {step.output: k for k, step in enumerate(steps)}
    whole = [p for p, how in spread.items() if how == fusion.ELEMENT_BY_ELEMENT]
    return [{p for p in whole if last[p] <= written[result]} for result in results]
