"""A graph printed as text: a line for each operation, with the shape of what it gives and the user's line."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.primitive import Spec
from tapeflow.core.sizes import public
from tapeflow.core.tensor import EagerTensor
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph, Node


def text(function: GraphFunction, results: Iterable[str] = (), head: str | None = None, indent: str = "") -> str:
    """`results` are words for the outputs; branches and loops are written out under the operation that they belong
    to."""
    graph = function.graph
    lines = [f"{indent}{head or function.name}({', '.join(_input(graph, p) for p in function.inputs)})"]
    inner = indent + "  "
    rows = [(_call(graph, node), _specs(graph, node.outputs), node) for node in _nodes(function)]
    width = min(max([len(call) for call, _, _ in rows], default=0), 60)
    column = min(max([len(specs) for _, specs, _ in rows], default=0), 40)
    for call, specs, node in rows:
        lines.append(f"{inner}{call:<{width}}  {specs:<{column}}  {node.line}".rstrip())
        for label, part in node.prim.parts():
            lines.append(text(part, head=label, indent=inner + "  "))
    words = list(results) or [""] * len(function.outputs)
    outputs = [f"{word} = {_name(graph, p)}" if word else _name(graph, p) for word, p in zip(words, function.outputs)]
    lines.append(f"{inner}return {', '.join(outputs)}")
    return "\n".join(lines)


def _nodes(function: GraphFunction) -> list[Node]:
    return function.graph.leading_to(function.inputs, function.outputs, function.has_effect)


def _call(graph: Graph, node: Node) -> str:
    arguments = [_name(graph, p) for p in node.inputs] + [
        f"{name}={_short(value)}" for name, value in node.params.items()
    ]
    names = ", ".join(_name(graph, p) for p in node.outputs)
    return f"{names + ' = ' if names else ''}{node.prim.name}({', '.join(arguments)})"


def _name(graph: Graph, index: int) -> str:
    if index in graph.names:
        return graph.names[index]
    captured = next((t for t, p in graph.captures.values() if p == index), None)
    constant = graph.constants.get(index, captured)
    if type(constant) is not EagerTensor:
        return f"%{index}"
    if np.size(constant.array) == 1:
        return str(constant.array) if constant.dtype.kind != "s" else _short(constant.array)
    return f"%{index}"


def _input(graph: Graph, index: int) -> str:
    return f"{_name(graph, index)}: {_spec(graph.symbols[index].spec)}"


def _specs(graph: Graph, indices: Iterable[int]) -> str:
    return ", ".join(_spec(graph.symbols[p].spec) for p in indices)


def _spec(spec: Spec) -> str:
    return f"{BY_NUMPY[np.dtype(spec.dtype)].name}{list(public(tuple(spec.shape)))}"


def _short(value: Any) -> str:
    shown = BY_NUMPY[value].name if isinstance(value, np.dtype) and value in BY_NUMPY else repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."
