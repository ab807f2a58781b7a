"""`tf.custom_gradient` in a saved graph: the user's backward function traced to a graph of its own."""

from collections.abc import Sequence
from typing import Any

from tapeflow.core.errors import ValueNeeded, as_its_parent
from tapeflow.core.frames import entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import fresh_key
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.running.calls import GraphFunction
from tapeflow.transforms.custom_gradient import Rule

from .graph import Graph, Node, SymbolicTensor, rule_of


@as_its_parent
class LostGradient(ValueNeeded, LookupError):
    """A backward function that is no graph was wanted, after its Python was gone."""


class TracedRule(Rule):
    """A rule whose backward function is a graph: from the gradients of the outputs, and values that it read, to those
    of the inputs.

    In a node these values are inputs, too, after the function's own; they get no gradient by the rule.
    """

    body = ()  # a rule, and no operation; who is replayed knows what it stands for

    def __init__(
        self,
        name: str,
        function: GraphFunction | None,
        reached: list[bool],
        variables: list,
        sites: list,
        lost: str = "",
    ) -> None:
        """`reached`: which of the function's own inputs get a gradient. `variables`, `sites`: what the backward
        function reads and draws. `lost`: why there is no graph."""
        self.name, self.function, self.reached, self.variables, self.sites, self.lost = (
            name,
            function,
            reached,
            variables,
            sites,
            lost,
        )

    def bound(self, inputs: Sequence[Tensor], sizes: Any) -> "BoundRule":
        """The rule for a node's inputs, in one replay; `sizes` as in `Graph.replay`."""
        function = self.function
        if sizes is not None and function is not None:
            function = function.specialized(sizes)
        return BoundRule(self, function, inputs)


class BoundRule(Rule):
    """A traced rule, and the values that its backward graph reads."""

    def __init__(self, rule: TracedRule, function: GraphFunction | None, inputs: Sequence[Tensor]) -> None:
        self.rule, self.function, self.name = rule, function, rule.name
        self.read, self.more = list(inputs[len(rule.reached) :]), len(inputs) - len(rule.reached)

    def gradients(self, gs: tuple) -> list:
        rule = self.rule
        if self.function is None:
            raise LostGradient(
                f"The gradient of {self.name}, which tf.custom_gradient gave it, was not saved with the model: "
                f"{rule.lost}"
            )
        given = [_zeros(spec) if g is None else g for g, spec in zip(gs, self.function.specs)]
        outside = [v.value() for v in rule.variables] + [fresh_key(site) for site in rule.sites]
        found = iter(self.function([*given, *self.read, *outside]))
        return [next(found) if there else None for there in rule.reached] + [None] * self.more


def _zeros(spec: Any) -> Tensor:
    return ops.broadcast_to(EagerTensor(spec.dtype.type(0)), shape=tuple(spec.shape))


def traced(node: Node, graph: Graph) -> tuple[TracedRule, list[int]]:
    """(The rule of a node as a graph; the indices in the node's graph of the values that it reads)."""
    own = len(node.inputs) - len(node.outputs)
    if isinstance(node.prim, TracedRule):
        return node.prim, list(node.inputs[len(node.prim.reached) : own])
    back = Graph()
    back.sizes, back.relied_on, back.compiles = graph.sizes, graph.relied_on, graph.compiles
    try:
        with entered(back.frame()):
            seeds = [back.argument(graph.symbols[p].spec) for p in node.outputs]
            found = rule_of(node).gradients(tuple(seeds))
            found = [g.dense(ops) if type(g) is SparseGradient else g for g in found]
            indices = [back.index_of(g) for g in found if g is not None]
    except (ValueNeeded, TypeError) as error:
        return TracedRule(node.prim.name, None, [False] * own, [], [], str(error)), []
    read, inner, lost = [], [], "its backward function assigns to a variable." if back.assigned else ""
    for key, (tensor, index) in list(back.captures.items()):
        if isinstance(tensor, SymbolicTensor):
            if tensor._graph is not graph or tensor.index >= min(node.outputs):
                lost = "its backward function uses a tensor from outside of the function."
            read.append(tensor.index)
            inner.append(index)
        else:
            back.constants[index] = back.captures.pop(key)[0]
    if lost:
        return TracedRule(node.prim.name, None, [False] * own, [], [], lost), []
    inputs = back.inputs + inner + [p for _, p in back.reads.values()] + [p for _, p in back.keys_drawn]
    function = GraphFunction(back, inputs, indices, f"the gradient of {node.prim.name}", graph.compiles, effects=False)
    variables = [v for v, _ in back.reads.values()]
    return TracedRule(
        node.prim.name, function, [g is not None for g in found], variables, [s for s, _ in back.keys_drawn]
    ), read
