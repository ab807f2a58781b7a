"""Bundles: small tensors that replicas sum are exchanged as one.

Each exchange between processes takes its time however small it is (gloo's takes a millisecond or more for every
tensor, also where XLA has combined them into one operation), and a model has two weights for each layer. Large tensors
are exchanged one by one, since putting them together takes longer than it saves.
"""

import math
from collections import defaultdict
from typing import Any

from tapeflow.core.frames import entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph

_SMALL = 1 << 20  # bytes of a tensor that goes with others


def bundled(function: GraphFunction) -> GraphFunction:
    """The same function with as few exchanges as it can do with. Those of one *round* do not wait for each other: as
    many exchanges are before them."""
    old = function.graph
    nodes = old.leading_to(old.known(dict.fromkeys(function.inputs)), function.outputs, function.has_effect)
    rounds: dict[int, int] = defaultdict(int)  # by value: after so many exchanges
    parts: dict[int, tuple[list, dict]] = defaultdict(lambda: ([], defaultdict(list)))  # others, and bundles
    for node in nodes:
        now = max([rounds[p] for p in node.inputs], default=0)
        others, bundles = parts[now]
        if _is_small(old, node):
            spec = old.symbols[node.inputs[0]].spec
            bundles[node.prim.name, spec.dtype, tuple(sorted(node.params.items()))].append(node)
        else:
            others.append(node)
        for p in node.outputs:
            rounds[p] = now + (node.prim.across is not None)
    if not any(len(bundle) > 1 for _, bundles in parts.values() for bundle in bundles.values()):
        return function
    graph = Graph()
    graph.compiles = old.compiles
    xs = [graph.argument(spec) for spec in function.specs]
    with entered(graph.frame()):
        values = old.known(dict(zip(function.inputs, xs)))
        for now in sorted(parts):
            others, bundles = parts[now]
            for node in others:
                values.update(old.replayed(node, values))
            for bundle in bundles.values():
                values.update(_exchanged(bundle, values))
        indices = [graph.index_of(values[p]) for p in function.outputs]
    return GraphFunction(graph, graph.inputs, indices, function.name, function.jit)


def _is_small(graph: Graph, node: Any) -> bool:
    if node.prim.across is None or not node.prim.across.each:
        return False
    spec = graph.symbols[node.inputs[0]].spec
    return None not in spec.shape and math.prod(spec.shape) * spec.dtype.itemsize <= _SMALL


def _exchanged(bundle: list, values: dict[int, Tensor]) -> dict[int, Tensor]:
    """What these operations give, by one."""
    xs = [values[node.inputs[0]] for node in bundle]
    exchange, params = bundle[0].prim.entry, bundle[0].params
    if len(xs) == 1:
        return {bundle[0].outputs[0]: exchange(xs[0], **params)}
    sizes = [x.sizes.num_elements() for x in xs]
    flat = exchange(ops.concat(*[ops.reshape(x, shape=(n,)) for x, n in zip(xs, sizes)], axis=0), **params)
    found, start = {}, 0
    for node, x, n in zip(bundle, xs, sizes):
        part = ops.getitem(flat, index=((start, start + n, 1),))
        found[node.outputs[0]] = ops.reshape(part, shape=tuple(x.sizes))
        start += n
    return found
