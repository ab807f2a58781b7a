"""The NumPy plan: a graph as one straight-line Python function on arrays; by liveness, arrays are freed or overwritten
after their last use.

No tensors, no dispatch: kernels are called with arrays, by names that hold nothing else. Large arrays are let go of
after their last use, or written over by the operation that used them last.
"""

import math
import operator
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapeflow.core.apply import describe, explained
from tapeflow.core.errors import OpError, ValueNeeded
from tapeflow.core.primitive import Primitive
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.sizes import Size, alike
from tapeflow.core.tensor import EagerTensor
from tapeflow.function.tracing.graph import Graph, Node

from .cleaning import Cleaned, kernel_of
from .fusing import Fused, fused

_LARGE = 4096  # elements from which on it is worth a statement to let go, or to write over

# Kernels that are Python's own operators: how they are written, and what writes over its first argument.
_OPERATORS: dict[Any, tuple[str, Any]] = {
    operator.add: ("{} + {}", np.add), operator.sub: ("{} - {}", np.subtract), operator.mul: ("{} * {}", np.multiply),
    operator.truediv: ("{} / {}", np.true_divide), operator.neg: ("-{}", np.negative),
}  # fmt: skip


def compiled(
    graph: Graph,
    inputs: list[int],
    outputs: list[int],
    name: str,
    effects: bool = False,
    after_nodes: Callable | None = None,
    state: int = 0,
) -> Callable:
    """A function from the arrays at `inputs` to a tuple of those at `outputs`. `state`: so many of the first inputs
    are what the first outputs were in the iteration of a loop before. Some the plan writes over: it says so by
    `owned`."""
    clean = Cleaned(graph, inputs, outputs, effects)
    if after_nodes is None:
        clean.nodes = fused(clean)
    in_place = _written_in_place(clean, inputs[:state]) if after_nodes is None else {}
    env = {f"t{p}": array for p, array in clean.held.items()}
    kernels = [node.prim.kernel if type(node.prim) is Fused else kernel_of(node, graph) for node in clean.nodes]
    lifetimes = _Lifetimes(graph, clean, kernels, {*inputs, *clean.outputs, *clean.held})
    lines, lines_of = [f"def run({', '.join(f't{p}' for p in inputs)}):"], {}
    if after_nodes is not None:
        env["after"] = after_nodes(clean.nodes)
    for k, (node, kernel) in enumerate(zip(clean.nodes, kernels)):
        over = {} if after_nodes else {"out": in_place[k]} if k in in_place else lifetimes.written_over(k)
        lines.append(f"    {_statement(k, node, kernel, over, env)}")
        lines_of[len(lines)] = node
        if after_nodes is not None:  # who looks wants to see everything
            lines.append(f"    after({k})")
        elif gone := lifetimes.gone_after(k):
            lines.append(f"    del {', '.join(f't{p}' for p in gone)}")
    lines.append(f"    return ({''.join(f't{p}, ' for p in clean.outputs)})")
    exec(compile("\n".join(lines), f"<plan of {name}>", "exec"), env)
    inner = env["run"]
    _LINES[id(inner.__code__)] = lines_of
    run = _guarded(inner)
    run.inner, run.source = inner, "\n".join(lines)  # `inner` is for plans that run others
    run.owned = [k for k, p in enumerate(inputs[:state]) if p in in_place.values()]
    weakref.finalize(run, _LINES.pop, id(inner.__code__), None)
    return run


def _written_in_place(clean: Cleaned, state: list[int]) -> dict[int, int]:
    """By node, the state that it may change in place: what the iteration before gave for it, which nobody else reads
    now, and what it makes of it is the state of the next iteration and nothing else."""
    readers = Counter([p for node in clean.nodes for p in node.inputs])
    given, found = Counter(clean.outputs), {}
    for k, node in enumerate(clean.nodes):
        if node.prim.over is None:
            continue
        [made], before = node.outputs, node.inputs[node.prim.inputs.index(node.prim.over)]
        if before not in state or clean.outputs[state.index(before)] != made:
            continue
        if readers[before] == given[made] == 1 and not readers[made] and not given[before]:
            found[k] = before
    return found


def _statement(k: int, node: Node, kernel: Callable, over: dict[str, int], env: dict) -> str:
    """`over`: by the keyword that says so, the input whose memory an output gets."""
    targets = ", ".join(f"t{p}" for p in node.outputs) + ("," if node.several and len(node.outputs) == 1 else "")
    arguments = [f"t{p}" for p in node.inputs]
    text, ufunc = _OPERATORS.get(kernel, (None, kernel))
    if text is not None and not over:
        return f"{targets} = {text.format(*arguments)}"
    env[f"k{k}"] = ufunc
    for name, value in node.params.items():
        if type(value) in (int, bool, str, type(None)):
            arguments.append(f"{name}={value!r}")
        else:
            env[f"p{k}_{name}"] = value
            arguments.append(f"{name}=p{k}_{name}")
    arguments += [f"{keyword}=t{p}" for keyword, p in over.items()]
    call = f"k{k}({', '.join(arguments)})"
    return f"{targets} = {call}" if targets else call


class _Lifetimes:
    """When values are used last, and which memory is free then. An operation may give back a view of what it takes,
    unless it is known to make something new: NumPy's ufuncs, and primitives that say so."""

    def __init__(self, graph: Graph, clean: Cleaned, kernels: list, kept: set[int]) -> None:
        self.graph, self.nodes, self.kept = graph, clean.nodes, kept
        self.ufunc = [isinstance(_OPERATORS.get(kernel, (None, kernel))[1], np.ufunc) for kernel in kernels]
        self.last: dict[int, int] = {}
        self.new: set[int] = set()
        for k, node in enumerate(self.nodes):
            if self._makes_new(k):
                self.new.update(node.outputs)
            self.last.update(dict.fromkeys((*node.outputs, *node.inputs), k))
        # What may be a view keeps the memory of what it was made of busy; a view of a view, through it.
        self.busy_until = {p: math.inf if p in kept else k for p, k in self.last.items()}
        for k in reversed(range(len(self.nodes))):
            node = self.nodes[k]
            if not self._makes_new(k):
                until = max([self.busy_until[p] for p in node.outputs], default=0)
                self.busy_until.update({p: max(self.busy_until[p], until) for p in node.inputs})
        self.taken: set[int] = set()

    def _makes_new(self, k: int) -> bool:
        return self.ufunc[k] or self.nodes[k].prim.makes_new

    def written_over(self, k: int) -> dict[str, int]:
        """Inputs of node `k` whose memory nobody needs after it, and that is just what outputs need: by keywords of
        the kernel."""
        node = self.nodes[k]
        if type(node.prim) is Fused:
            pairs = zip(node.outputs, node.prim.free)
            found = {f"y{n}": self._taken_by(k, out, free) for n, (out, free) in enumerate(pairs)}
        else:
            found = {"out": self._taken_by(k, node.outputs[0], node.inputs)} if self.ufunc[k] else {}
        return {keyword: p for keyword, p in found.items() if p is not None}

    def _taken_by(self, k: int, output: int, inputs: Iterable[int]) -> int | None:
        out = self.graph.symbols[output].spec
        for p in inputs:
            spec = self.graph.symbols[p].spec
            fits = alike(spec.shape, out.shape) and spec.dtype == out.dtype and _elements(spec) >= _LARGE
            if fits and p in self.new and p not in self.taken and self.busy_until[p] <= k:
                self.taken.add(p)
                return p
        return None

    def gone_after(self, k: int) -> list[int]:
        """Large values that node `k` is the last to use."""
        node = self.nodes[k]
        here = {*node.inputs, *node.outputs} - self.kept
        return sorted(p for p in here if self.last[p] == k and _elements(self.graph.symbols[p].spec) >= _LARGE)


def _elements(spec: Any) -> float:
    """How many; very many if that is known only when the plan runs."""
    return math.inf if any(type(d) is Size for d in spec.shape) else math.prod(d or 0 for d in spec.shape)


def located(node: Node, args: tuple, error: Exception) -> Exception:
    """The error with the operation and the line, unless it says so already: one from inside a loop."""
    if not isinstance(error, OpError):
        return explained(node.prim, args, node.params, error, node.line)
    if isinstance(error, ValueNeeded) or " at " in error.message:
        return error
    where = (
        describe(node.prim, args, node.params, node.line) if isinstance(node.prim, Primitive) else f"At {node.line}"
    )
    return type(error)(None, None, f"{error.message}\n  {where}")


_LINES: dict[
    int, dict[int, Node]
] = {}  # by the identity of a plan's code (equal ones are not the same), the operations of its lines


def _guarded(run: Callable) -> Callable:
    """Errors of kernels name the operation and the line of the user's program, also where a plan runs others."""

    def guarded(*arrays: Any) -> tuple:
        try:
            with quiet():
                return run(*arrays)
        except (ValueError, TypeError, IndexError, MemoryError, np.linalg.LinAlgError, OpError) as error:
            trace, place = error.__traceback__, None
            while trace is not None:
                if id(trace.tb_frame.f_code) in _LINES:
                    place = trace
                trace = trace.tb_next
            node = None if place is None else _LINES[id(place.tb_frame.f_code)].get(place.tb_lineno)
            if node is None:
                raise
            values = place.tb_frame.f_globals | place.tb_frame.f_locals  # constants are global
            args = [EagerTensor(values[f"t{p}"]) for p in node.inputs if f"t{p}" in values]
            placed = located(node, tuple(args), error)
            if placed is error:
                raise
            raise placed from (error.__cause__ if isinstance(error, OpError) else error)

    return guarded
