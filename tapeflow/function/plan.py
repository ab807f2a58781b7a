"""The NumPy plan: a graph as one Python function on arrays, a line for each operation.

No tensors, no dispatch: kernels are called with arrays, by names that hold nothing else. What is not needed for the outputs is not computed,
what is computed twice is computed once, and large arrays are let go of after their last use.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapeflow.core.apply import compute, explained
from tapeflow.core.dtypes import ANY, NATIVE
from tapeflow.core.floating import quiet
from tapeflow.core.primitive import Primitive
from tapeflow.core.tensor import EagerTensor

from .graph import Graph, Node

_LARGE = 1024  # elements from which on it is worth a statement to let go


def needed(graph: Graph, inputs: list[int], outputs: list[int], effects: bool = False) -> tuple[list[Node], dict[int, int]]:
    """The nodes that the outputs are computed by, from the inputs, in order; what is the same is there once, and the places of the
    others are mapped to the first's."""
    return _extended(*_shared(graph.leading_to(inputs, outputs, effects)))


def _shared(nodes: list[Node]) -> tuple[list[Node], dict[int, int]]:
    """Common subexpressions once: later nodes read the places of the first."""
    same: dict[int, int] = {}
    seen: dict[Any, Node] = {}
    kept = []
    for node in nodes:
        node = node._replace(inputs=tuple([same.get(p, p) for p in node.inputs]))
        try:
            key = node.prim, node.inputs, tuple(sorted(node.params.items()))
            first = node if node.prim.has_effect else seen.setdefault(key, node)
        except TypeError:  # parameters that cannot be compared
            first = node
        if first is node:
            kept.append(node)
        else:
            same.update(zip(node.outputs, first.outputs))
    return kept, same


def _extended(nodes: list[Node], same: dict[int, int]) -> tuple[list[Node], dict[int, int]]:
    """Loops and branches that give more than another of the same inputs take its place."""
    flows: dict[Any, list[int]] = {}
    for k, node in enumerate(nodes):
        if _is_flow(node.prim):
            flows.setdefault(node.prim.root(), []).append(k)
    flows = {root: places for root, places in flows.items() if len(places) > 1}
    if not flows:
        return nodes, same
    gone: set[int] = set()
    kept = []

    def now(places: Iterable[int]) -> tuple[int, ...]:
        out = []
        for p in places:
            while p in same:  # what was replaced may have been replaced again
                p = same[p]
            out.append(p)
        return tuple(out)

    for k, node in enumerate(nodes):
        if k in gone:
            continue
        node = node._replace(inputs=now(node.inputs))
        for j in flows.get(node.prim.root(), ()) if _is_flow(node.prim) else ():
            other = nodes[j]
            if j > k and j not in gone and _extends(other.prim, node.prim) and now(other.inputs) == node.inputs:
                same.update(zip(node.outputs, other.outputs))
                node = other._replace(inputs=node.inputs)
                gone.add(j)
        kept.append(node)
    return kept, {old: now([old])[0] for old in same}


def _is_flow(prim: Any) -> bool:
    return not isinstance(prim, Primitive) and prim.body is None


def _extends(flow: Any, other: Any) -> bool:
    while flow is not None and flow is not other:
        flow = flow.extends
    return flow is other


def constants(graph: Graph, inputs: list[int]) -> dict[int, Any]:
    """The arrays that the graph itself holds, by place."""
    found = {p: t._array for p, t in graph.constants.items()}
    return found | {p: t._array for t, p in graph.captures.values() if p not in inputs and type(t) is EagerTensor}


def compiled(graph: Graph, inputs: list[int], outputs: list[int], name: str, effects: bool = False) -> Callable:
    """A function from the arrays at `inputs` to a tuple of those at `outputs`."""
    nodes, same = needed(graph, inputs, outputs, effects)
    outputs = [same.get(p, p) for p in outputs]
    last = {p: k for k, node in enumerate(nodes) for p in node.inputs}
    kept = set(inputs) | set(outputs)
    env = {f"t{p}": array for p, array in constants(graph, inputs).items()}
    kept.update(p for _, p in graph.captures.values())
    kept.update(graph.constants)
    lines, lines_of = [f"def run({', '.join(f't{p}' for p in inputs)}):"], {}
    for k, node in enumerate(nodes):
        lines.append(f"    {_statement(k, node, graph, env)}")
        lines_of[len(lines)] = node
        gone = [p for p in {*node.inputs, *node.outputs} - kept if last.get(p, k) == k and _size(graph, p) >= _LARGE]
        if gone:
            lines.append(f"    del {', '.join(f't{p}' for p in gone)}")
    lines.append(f"    return ({''.join(f't{p}, ' for p in outputs)})")
    file = f"<plan of {name}>"
    exec(compile("\n".join(lines), file, "exec"), env)
    return _guarded(env["run"], lines_of, file)


def _statement(k: int, node: Node, graph: Graph, env: dict) -> str:
    targets = ", ".join(f"t{p}" for p in node.outputs) + ("," if node.several and len(node.outputs) == 1 else "")
    if node.prim.body is not None:  # a user's rule: its outputs are what the function computed
        return f"{targets} = {', '.join(f't{p}' for p in node.inputs[len(node.inputs) - len(node.outputs) :])}" + (
            "," if len(node.outputs) == 1 else ""
        )
    env[f"k{k}"] = _kernel(node, graph)
    arguments = [f"t{p}" for p in node.inputs]
    for name, value in node.params.items():
        if type(value) in (int, bool, str, type(None)):
            arguments.append(f"{name}={value!r}")
        else:
            env[f"p{k}_{name}"] = value
            arguments.append(f"{name}=p{k}_{name}")
    return f"{targets} = k{k}({', '.join(arguments)})" if targets else f"k{k}({', '.join(arguments)})"


def _kernel(node: Node, graph: Graph) -> Callable:
    prim = node.prim
    dtypes = {graph.symbols[p]._spec.dtype for p in node.inputs}
    if all(allowed is ANY for _, allowed, _ in prim.groups) or all(d in NATIVE or d.kind == "O" for d in dtypes):
        return prim.on("numpy", np)

    def widened(*arrays: Any, **params: Any) -> Any:
        out = compute(prim, tuple([EagerTensor(a) for a in arrays]), params)
        return tuple([o._array for o in out]) if type(out) is tuple else out._array

    return widened


def _size(graph: Graph, place: int) -> int:
    return math.prod(d or 0 for d in graph.symbols[place]._spec.shape)


def _guarded(run: Callable, lines_of: dict[int, Node], file: str) -> Callable:
    """Errors of kernels name the operation and the line of the user's program."""

    def guarded(*arrays: Any) -> tuple:
        try:
            with quiet():
                return run(*arrays)
        except (ValueError, TypeError, IndexError, np.linalg.LinAlgError) as error:
            trace = error.__traceback__
            while trace is not None and trace.tb_frame.f_code.co_filename != file:
                trace = trace.tb_next
            node = None if trace is None else lines_of.get(trace.tb_lineno)
            if node is None:
                raise
            local = trace.tb_frame.f_locals
            args = [EagerTensor(local[f"t{p}"]) for p in node.inputs if f"t{p}" in local]
            raise explained(node.prim, tuple(args), node.params, error, node.line) from error

    return guarded
