"""The XLA plan: a graph compiled as a whole, by way of `jax` (the extra `xla`)."""

from collections.abc import Callable
from typing import Any

from tapeflow.core.errors import OpError, invalid
from tapeflow.core.tensor import EagerTensor

from .graph import Graph, Node
from .plan import needed


def compiled(graph: Graph, inputs: list[int], outputs: list[int], name: str) -> Callable:
    """A function from the arrays at `inputs` to a tuple of those at `outputs`, which XLA compiles when it is first called."""
    from tapeflow.engines import xla  # an extra: only who asks for XLA needs jax

    nodes, same = needed(graph, inputs, outputs)
    constants = {p: t._array for t, p in graph.captures.values() if p not in inputs and type(t) is EagerTensor}
    kernels = [None if node.prim.body is not None else _kernel(xla, node) for node in nodes]

    def run(*arrays: Any) -> tuple:
        values = constants | dict(zip(inputs, arrays))
        for node, kernel in zip(nodes, kernels):
            args = [values[p] for p in node.inputs]
            if kernel is None:  # a user's rule: its outputs are what the function computed
                out = args[len(args) - len(node.outputs) :]
            else:
                out = _called(kernel, node, args)
            values.update(zip(node.outputs, out if node.several else (out,)))
        return tuple([values[same.get(p, p)] for p in outputs])

    return xla.jitted(run)


def _kernel(xla: Any, node: Node) -> Callable:
    try:
        return xla.kernel(node.prim)
    except NotImplementedError:
        raise invalid(
            f"XLA cannot compile {node.prim.name}, at {node.line}: it works on strings, or the size of its result depends on values. "
            "Leave jit_compile=True out, or move it out of the function."
        ) from None


def _called(kernel: Callable, node: Node, args: list) -> Any:
    try:
        return kernel(*args, **node.params)
    except OpError:
        raise
    except Exception as error:
        shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in args)
        raise invalid(f"XLA cannot compile {node.prim.name}({shapes}), at {node.line}: {error}") from error
