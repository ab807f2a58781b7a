"""The first values of variables that a traced function makes: they are computed at once, from what is written of its
graph so far."""

from typing import Any

from tapeflow.core.devices import raw
from tapeflow.core.errors import invalid
from tapeflow.core.frames import Frame, entered
from tapeflow.core.random.streams import fresh_key
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.running.calls import GraphFunction

from .graph import Graph
from .symbols import SymbolicTensor

_EAGER = Frame()


def needed(graph: Graph, symbol: SymbolicTensor) -> set[int]:
    """The indices of the symbol and of all that it is computed from."""
    nodes = graph.leading_to((), [symbol.index], effects=False)
    return {symbol.index, *[p for node in nodes for p in node.inputs]}


def value_in_region(symbol: SymbolicTensor, name: str) -> Any:
    """The array of a symbol in the body of a branch or a loop: of what the body is given nothing is known before it
    runs, of what it takes from outside everything."""
    graph = symbol._graph
    used = needed(graph, symbol)
    if not used.isdisjoint(graph.inputs):
        raise invalid("A variable's first value depends on what a loop or a branch is given when it runs.")
    with entered(_EAGER):
        given = {p: _now(tensor) for tensor, p in graph.captures.values() if p in used}
        given.update({p: variable.value() for variable, p in graph.reads.values() if p in used})
        given.update({p: fresh_key(site) for site, p in graph.keys_drawn if p in used})
        function = GraphFunction(graph, list(given), [symbol.index], name, effects=False)
        [value] = function(list(given.values()))
    return raw(value)


def _now(tensor: Tensor) -> Tensor:
    return EagerTensor(tensor._graph.evaluate(tensor)) if isinstance(tensor, SymbolicTensor) else tensor
