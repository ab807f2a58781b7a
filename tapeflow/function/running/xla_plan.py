"""The XLA plan: a graph lowered to kernels of `jax` (the extra `xla`) and compiled as a whole."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, cast

from tapeflow.core.errors import InvalidArgumentError, OpError, as_its_parent, invalid
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.commits import stored
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.graph import Graph, Node

from .cleaning import Cleaned
from .numpy_plan import located

if TYPE_CHECKING:
    from tapeflow.function.tracing.effects import Effect


@as_its_parent
class NoKernel(InvalidArgumentError):  # an operation of the graph is not one that XLA can have
    __doc__ = InvalidArgumentError.__doc__


def compiled(
    graph: Graph,
    inputs: list[int],
    outputs: list[int],
    name: str,
    effects: bool = False,
    donated: Collection[int] = (),
) -> Any:
    """A function from the arrays at `inputs` to those at `outputs`, and by its `on_tensors` from tensors to tensors.
    XLA compiles it when it is first called on a device.

    `donated` are the indices of variables' values that other values replace after the call: they need not be there any
    longer.
    """
    loaded("tapeflow.engines.xla.programs")  # an extra: only who asks for XLA needs jax
    from tapeflow.engines.xla.programs import Program

    checks = [node for node in graph.leading_to(inputs, outputs, effects) if node.prim.has_effect and node.prim.checks]
    checked = [p for node in checks for p in node.inputs]
    run = traceable(graph, inputs, outputs + checked, effects)
    for p in {*inputs, *outputs}:
        if graph.symbols[p].spec.dtype.kind == "O":
            raise NoKernel(
                None, None, f"XLA cannot compile {name}: {graph.symbols[p]} is a text. Leave jit_compile=True out."
            )
    if checks:  # after one that fails, variables have the values that they had
        return Checked(Program(run, name), checks, len(outputs))
    return Program(run, name, [k for k, index in enumerate(inputs) if index in donated])


class Checked:
    """A program and the assertions of its graph. XLA cannot raise: what they look at is given back too, and looked at
    afterwards."""

    def __init__(self, program: Any, checks: list[Node], count: int) -> None:
        self.program, self.checks, self.count, self.text = program, checks, count, program.text

    def on_tensors(self, tensors: Sequence[Tensor], assigned: Sequence[Variable] = ()) -> list[Tensor]:
        found = self.program.on_tensors(tensors)
        rest = iter(found[self.count :])
        for node in self.checks:
            args = [next(rest) for _ in node.inputs]
            try:
                cast("Effect", node.prim).run(*[x.array for x in args])
            except OpError as error:
                raise located(node, tuple(args), error) from None
        return stored(found[: self.count], assigned)


def traceable(graph: Graph, inputs: list[int], outputs: list[int], effects: bool = False) -> Callable:
    """The same as a function of JAX arrays, to be called while something is compiled: graphs inside others are."""
    loaded("tapeflow.engines.xla")
    from tapeflow.engines import xla

    clean = Cleaned(graph, inputs, outputs, effects, fold=False)
    kernels = [_kernel(xla, node) for node in clean.nodes]

    def run(*arrays: Any) -> tuple[Any, ...]:
        values = {p: xla.constant(array) for p, array in clean.held.items()} | dict(zip(inputs, arrays))
        for node, kernel in zip(clean.nodes, kernels):
            out = _called(kernel, node, [values[p] for p in node.inputs])
            values.update(zip(node.outputs, out if node.several else (out,)))
        return tuple([values[p] for p in clean.outputs])

    return run


def _kernel(xla: Any, node: Node) -> Callable:
    try:
        return xla.kernel(node.prim)
    except NotImplementedError:
        raise NoKernel(
            None, None,
            f"XLA cannot compile {node.prim.name}, at {node.line}: it works on strings, or the size of its result "
            "depends on values. Leave jit_compile=True out, or move it out of the function.",
        ) from None  # fmt: skip


def _called(kernel: Callable, node: Node, args: list) -> Any:
    try:
        return kernel(*args, **node.params)
    except OpError as error:
        raise type(error)(
            None, None, error.message if " at " in error.message else f"{error.message}, at {node.line}"
        ) from None
    except Exception as error:
        shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in args)
        raise invalid(f"XLA cannot compile {node.prim.name}({shapes}), at {node.line}: {error}") from error
