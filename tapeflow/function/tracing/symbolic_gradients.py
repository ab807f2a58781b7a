"""`tf.gradients` and `tf.hessians`: derivatives inside a graph, by its nodes, without a tape."""

from typing import Any

from tapeflow.core import nest
from tapeflow.core.frames import current
from tapeflow.core.tensor import Tensor, identify
from tapeflow.core.variables.variable import Variable
from tapeflow.tape.gradient_tape import GradientTape

from .graph import Graph


def tape_over(graph: Graph, sources: list, stopped: list) -> GradientTape:
    """A tape that has seen the graph's operations from the sources on; what is `stopped` is a constant to it."""
    tape = GradientTape(persistent=True)
    with tape:
        tape.watch(sources)
    recording = tape._recording
    for source in sources:  # nodes know values by their indices, and the tape by the ids of the symbols there
        if not isinstance(source, Variable):
            graph.symbols[graph.index_of(source)].serial = source.serial
        elif source.serial in graph.latest:
            symbol = graph.symbols[graph.latest[source.serial]]
            recording.reads[source.serial].append(symbol.serial or identify(symbol))
            recording.watched.add(symbol.serial)
    cut = {graph.index_of(t) for t in stopped}
    for node in list(graph.nodes):
        indices = (
            node.inputs if node.prim.body is None else node.inputs[: -len(node.outputs)]
        )  # without what a rule stands for
        args = tuple([graph.symbols[p] for p in indices])
        mask = sum(
            1 << k for k, (a, p) in enumerate(zip(args, indices)) if a.serial in recording.watched and p not in cut
        )
        if mask:
            outs = tuple([graph.symbols[p] for p in node.outputs])
            recording.see(node.prim, args, node.params, outs if node.several else outs[0], mask)
    return tape


def gradients(ys: Any, xs: Any, grad_ys: Any, stop_gradients: Any, unconnected_gradients: Any) -> list | None:
    """None outside a graph."""
    graph = current().executor
    if not isinstance(graph, Graph):
        return None
    sources, targets = _flat(xs), [graph.symbols[graph.index_of(y)] for y in _flat(ys)]
    tape = tape_over(graph, sources, _flat(stop_gradients) if stop_gradients is not None else [])
    seeds = None if grad_ys is None else _flat(grad_ys)
    mode = "none" if unconnected_gradients is None else unconnected_gradients
    return tape.gradient(targets, sources, output_gradients=seeds, unconnected_gradients=mode)


def hessians(ys: Any, xs: Any) -> list | None:
    graph = current().executor
    if not isinstance(graph, Graph):
        return None
    out = []
    for x in _flat(xs):
        [slope] = gradients(ys, [x], None, None, None) or [None]
        tape = tape_over(graph, [x], [])
        out.append(tape.jacobian(graph.symbols[graph.index_of(slope)], x))
    return out


def _flat(values: Any) -> list:
    return [values] if isinstance(values, (Tensor, Variable)) else nest.flatten(values)
