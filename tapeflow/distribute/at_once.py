"""`strategy.run` in a `tf.function`: the function is traced once for all replicas, and is one operation of the graph.

Which replica it is traced for is a symbol then. Where the program asks for more than that allows (for the number, for
all values in a `merge_call`, for parts of unlike shapes), `NotAtOnce` says so, and each replica is traced by itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.contracts import Operation
from tapeflow.core.errors import user_line
from tapeflow.core.frames import current
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.random.streams import fresh_key
from tapeflow.core.runtime.replicas import Replica
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.policies import VariableAggregation
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph, SymbolicTensor
from tapeflow.function.tracing.regions import Region
from tapeflow.ops.collectives import all_gather, all_reduce

from .combining import differing, floating
from .contexts import entered_context
from .replicated import Replicated, mesh_of
from .values import NotAtOnce, OfReplica, PerReplica, regrouped
from .variables import MirroredVariable, SyncOnReadVariable, remember_total


class TracedReplica(Replica):
    """All replicas, while their function is traced."""

    def __init__(self, strategy: Any, number: Tensor, varying: set[int]) -> None:
        self.strategy, self.id, self.count = strategy, number, strategy.num_replicas_in_sync
        self.graph: Graph = current().executor  # type: ignore[assignment]
        self.same: dict[int, Any] = {}  # what merge_call gave, by identity
        self.of_each, self.seen = varying, 0  # values that differ, by index, among those that so many nodes give

    def merge(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        self._check_outermost()
        wrapped = lambda leaf: OfReplica(leaf) if isinstance(leaf, Tensor) else leaf
        with entered_context(self.strategy, across=True):
            args, kwargs = nest.map_structure(wrapped, (args, kwargs))
            found = function(self.strategy, *args, **kwargs)
        found = nest.map_structure(lambda leaf: leaf.local if isinstance(leaf, OfReplica) else leaf, found)
        for leaf in nest.flatten(found):
            if isinstance(leaf, SymbolicTensor) and not self.varies(leaf):
                self.same[id(leaf)] = leaf
        return found

    def update(self, variable: Any, given: Any, aggregation: Any, apply: Callable[[Any], Any]) -> None:
        self._check_outermost()
        both = given if isinstance(given, tuple) else (given,)
        if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            found = tuple([self._of_first(v) for v in both])
        elif aggregation is not VariableAggregation.SUM and not any(map(self.varies, both)):
            found = both
        elif aggregation is VariableAggregation.NONE:
            raise differing(variable.name)
        elif len(both) == 2:
            values, indices = both
            if not indices.ndim or values.ndim < indices.ndim:
                raise NotAtOnce("Parts of a variable are changed by single numbers.")
            mean = aggregation is VariableAggregation.MEAN
            found = self._gathered(values / self.count if mean else values), self._gathered(indices)
        else:
            found = (all_reduce(given, count=self.count, mean=aggregation is VariableAggregation.MEAN),)
        with entered_context(self.strategy, across=True):
            apply(found if isinstance(given, tuple) else found[0])

    def created(self, make: Callable[[], Any]) -> Any:
        return make()

    def _of_first(self, x: Tensor) -> Tensor:
        if not self.varies(x):
            return x
        return all_reduce(
            ops.where(ops.equal(self.id, np.int32(0)), x, ops.zeros_like(x)), count=self.count, mean=False
        )

    def _gathered(self, x: Tensor) -> Tensor:
        return all_gather(x, axis=0, count=self.count)

    def _check_outermost(self) -> None:
        """Not in a branch or loop, whose graph is another one."""
        if current().executor is not self.graph:
            raise NotAtOnce(f"Replicas meet in a branch or a loop, at {user_line()}.")

    # ---- what differs from replica to replica

    def varies(self, tensor: Any) -> bool:
        return _of_graph(tensor, self.graph) and tensor.index in self.varying()

    def varying(self) -> set[int]:
        """The values that may differ, by index."""
        graph, found = self.graph, self.of_each
        found.update([p for _, p in graph.keys_drawn])
        found.update([p for v, p in graph.reads.values() if isinstance(v, SyncOnReadVariable)])
        for node in graph.nodes[self.seen :]:
            differs = not found.isdisjoint(node.inputs)
            if differs and node.prim.across is None and _has_collective(node.prim):
                raise RuntimeError(
                    f"A collective is in a branch or loop ({node.prim.name}), at {node.line}, which replicas may take "
                    "differently: those that came to it would wait for ever. Call it outside, for all replicas."
                )
            if differs and (node.prim.across is None or not node.prim.across.same):
                found.update(node.outputs)
        self.seen = len(graph.nodes)
        return found


def _has_collective(prim: Operation) -> bool:
    return any(
        node.prim.across is not None or _has_collective(node.prim)
        for _, part in prim.parts()
        for node in part.graph.nodes
    )


def run_at_once(strategy: Any, function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """`function` for all replicas, as one operation of the graph that is being traced. Raises NotAtOnce."""
    count = strategy.num_replicas_in_sync
    if mesh_of(strategy.places) is None:
        raise NotAtOnce("XLA is not installed, or does not have all of the devices.")
    structure, numbers = (args, kwargs), strategy.numbers
    if len(numbers) < count:  # what this process gives is the value of its own replicas
        structure = nest.map_structure(
            lambda leaf: PerReplica([leaf] * len(numbers)) if isinstance(leaf, Tensor) else leaf, structure
        )
    own = [leaf for leaf in nest.flatten(structure) if isinstance(leaf, PerReplica)]
    if not all(leaf.even for leaf in own):
        raise NotAtOnce("The replicas of other workers have values of other shapes.")
    specs = [Spec(shape=(), dtype=np.dtype("int32")), *[_common_spec(leaf, len(numbers)) for leaf in own]]
    out: dict[str, Any] = {}

    def traced(number: Tensor, *locals_: Tensor) -> list:
        rest = iter(locals_)
        mine = nest.map_structure(lambda leaf: next(rest) if isinstance(leaf, PerReplica) else leaf, structure)
        graph: Any = current().executor
        graph.own_key = lambda key: ops.take(ops.split_key(key, count=count), number, axis=0)
        replica = out["replica"] = TracedReplica(strategy, number, {n.index for n in (number, *locals_)})
        with entered_context(strategy, replica=replica):
            out["structure"] = function(*mine[0], **mine[1])
            out["totals"] = [] if len(numbers) == count else _totals(graph, count)
        out["leaves"] = nest.walked(out["structure"], composites=True)
        return [leaf for leaf in out["leaves"] if _of_graph(leaf, graph)] + [total for _, total in out["totals"]]

    region = Region(traced, specs)
    graph, replica = region.graph, out["replica"]
    if any(node.prim.has_effect for node in graph.nodes):
        raise NotAtOnce("It prints, asserts, or calls Python.")
    others = [v for v in graph.assigned.values() if not isinstance(v, (MirroredVariable, SyncOnReadVariable))]
    if others:
        raise NotAtOnce(f"Replicas assign to variable '{others[0].name}', which is of no strategy.")
    replica.varying()  # refuses what would hang
    function_, operands, shared = _inputs(graph, own, count, numbers)
    results = [region.index_of(leaf) for leaf in out["leaves"] if _of_graph(leaf, graph)]
    same = [id(leaf) in replica.same for leaf in out["leaves"] if _of_graph(leaf, graph)]
    totals = [region.index_of(total) for _, total in out["totals"]]
    same += [True] * len(totals)
    assigned = list(graph.assigned.values())
    finals = [graph.latest[v.serial] for v in assigned]
    same += [isinstance(v, MirroredVariable) for v in assigned]
    name = getattr(function, "__name__", "function")
    made = Replicated(GraphFunction(graph, function_, results + totals + finals, name), shared, same, strategy.places)
    found = made.entry(*operands)
    rest = iter(found)
    grouped = [next(rest) if one else [next(rest) for _ in numbers] for one in same]
    for variable, value in zip(assigned, grouped[len(results) + len(totals) :]):
        if isinstance(variable, MirroredVariable):
            variable.put_value(value, read_value=False)
        else:
            for part, own_value in zip(variable.values, value):
                part.put_value(own_value, read_value=False)
    for (variable, _), total in zip(out["totals"], grouped[len(results) :]):
        remember_total(variable, current().executor, total)
    return regrouped([_of_one(k, out, graph, grouped) for k in range(len(numbers))])


def _totals(graph: Graph, count: int) -> list[tuple[Any, Tensor]]:
    """What variables of each replica, which the function has changed, are for all: most are read after it, metrics for
    example, and here they are exchanged with gradients."""
    found = []
    for variable in list(graph.assigned.values()):
        mean = variable.aggregation is VariableAggregation.MEAN
        summed = mean or variable.aggregation is VariableAggregation.SUM
        if isinstance(variable, SyncOnReadVariable) and summed and variable.dtype.kind in "iuf":
            own = variable.value()
            total = all_reduce(floating(own) if mean else own, count=count, mean=mean)
            found.append((variable, ops.cast(total, dtype=variable.dtype.np)))
    return found


def _of_graph(leaf: Any, graph: Graph) -> bool:
    return isinstance(leaf, SymbolicTensor) and leaf.belongs_to(graph)


def _of_one(k: int, out: dict, graph: Graph, grouped: list) -> Any:
    """What replica `k` gives."""
    found = iter(grouped)

    def one(leaf: Any) -> Any:
        if _of_graph(leaf, graph):
            value = next(found)
            return value[k] if isinstance(value, list) else value
        return EagerTensor(leaf.array) if type(leaf) is EagerTensor else leaf

    return nest.packed(out["structure"], iter(list(map(one, out["leaves"]))), composites=True)


def _common_spec(value: PerReplica, count: int) -> Spec:
    """The shape and dtype that the values of all replicas have."""
    if len(value.values) != count:
        raise ValueError(f"A value of {len(value.values)} replicas was given to a strategy of {count}.")
    first = value.values[0]
    for v in value.values:
        if not isinstance(v, Tensor) or v.dtype is not first.dtype or tuple(v.sizes) != tuple(first.sizes):
            raise NotAtOnce("Replicas have values of different shapes, or no tensors.")
        if any(type(d) is not int for d in v.sizes):
            raise NotAtOnce("A size is not known.")
    return Spec(shape=tuple(first.sizes), dtype=first.dtype.np)


def _inputs(
    graph: Graph, own: list[PerReplica], count: int, numbers: Sequence[int]
) -> tuple[list[int], list[Tensor], list[bool]]:
    """(The indices of the graph's inputs; the tensors for them, one after the other; which are for all replicas)."""
    inputs, shared = list(graph.inputs), [False] * len(graph.inputs)
    operands: list[Tensor] = []
    operands += [EagerTensor(np.int32(k)) for k in numbers]
    operands += [v for leaf in own for v in leaf.values]

    def add(index: int, values: list, for_all: bool) -> None:
        inputs.append(index)
        operands.extend(values)
        shared.append(for_all)

    for tensor, index in graph.captures.values():
        add(index, [tensor], True)
    for variable, index in graph.reads.values():
        each = isinstance(variable, SyncOnReadVariable)
        parts = [part.value() for part in variable.values] if each else [variable.value()]
        add(index, parts, not each)
    for site, index in graph.keys_drawn:
        keys = ops.unstack(ops.split_key(fresh_key(site), count=count), axis=0)
        add(index, [keys[k] for k in numbers], False)
    return inputs, operands, shared
