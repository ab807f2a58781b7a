"""StableHLO from a graph of primitives: the kernels of the XLA engine, written down by jax instead of run."""

import logging
from collections.abc import Callable
from typing import Any

from tapeflow.core.contracts import Operation
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.primitive import REGISTRY, Spec
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.sizes import Known, Size, specialized
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop
from tapeflow.function.running.xla_plan import NoKernel
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.graph import Node

from .compositions import COMPOSITIONS
from .lowering import CannotBeExported, Program, check_weight, lowered, missing, part


def program_of(function: ConcreteFunction) -> Any:
    """A `jax.export.Exported` that computes what the function does: a tuple of its results.

    Kernels may ask how large something is, to choose a way. Where nobody knows, their compositions do without.
    """
    known = set(REGISTRY)
    while True:
        try:
            return _exported(function, known)
        except _Asked as error:
            known.discard(error.name)


class _Asked(Exception):
    """A kernel that cannot be written down, of a primitive that has a composition."""

    def __init__(self, name: str) -> None:
        self.name = name


def _exported(function: ConcreteFunction, known: set[str]) -> Any:
    portable = loaded("tapeflow.engines.xla.portable")
    program = lowered(function, known, "StableHLO")
    check_weight(program, "StableHLO")
    for index in (*program.inputs, *program.outputs):
        if program.spec(index).dtype.kind == "O":
            raise CannotBeExported(f"{function.name} cannot be exported to StableHLO: it takes or returns texts.")
    sizes = Known(zip([s.number for s in program.graph.sizes], portable.symbols(len(program.graph.sizes))))
    run = _traceable(program, sizes)
    specs = [(specialized(tuple(s.shape), sizes), s.dtype) for s in map(program.spec, program.inputs)]
    try:
        made = portable.exported(run, specs, function.name)
    except NoKernel as error:
        raise CannotBeExported(f"{function.name} cannot be exported to StableHLO: {error.message}") from None
    except portable.Unportable as error:
        raise CannotBeExported(
            f"{function.name} cannot be exported to StableHLO: it needs a library of the platform, whose calls are "
            f"not the same in all its versions ({error})."
        ) from None
    if without := [name for name in portable.PLATFORMS if name not in made.platforms]:
        logging.getLogger("tapeflow").warning(
            "%s is exported to StableHLO for %s alone: it has operations that %s do not have.",
            function.name, ", ".join(made.platforms), ", ".join(without),
        )  # fmt: skip
    return made


def _traceable(program: Program, sizes: Known) -> Callable:
    xla = loaded("tapeflow.engines.xla")
    kernels = [_kernel(xla, program, node, sizes) for node in program.nodes]

    def run(*arrays: Any) -> tuple[Any, ...]:
        values = {p: xla.constant(array) for p, array in program.held.items()} | dict(zip(program.inputs, arrays))
        for node, kernel in zip(program.nodes, kernels):
            params = {name: specialized(value, sizes) for name, value in node.params.items()}
            out = _called(program, kernel, node, [values[p] for p in node.inputs], params)
            values.update(zip(node.outputs, out if node.several else (out,)))
        return tuple([values[p] for p in program.outputs])

    return run


def _kernel(xla: Any, program: Program, node: Node, sizes: Known) -> Callable:
    prim: Operation = node.prim
    try:
        if isinstance(prim, Choice):
            return _choice(prim, program, sizes)
        if isinstance(prim, Loop):
            return _loop(prim, program, sizes)
        return xla.kernel(prim)
    except (NotImplementedError, AttributeError):
        why = "works on texts, calls Python, or gives a result whose size depends on values, and XLA has none of these"
        raise missing(program.name, node, "StableHLO", why) from None


def _choice(flow: Choice, program: Program, sizes: Known) -> Callable:
    engine = loaded("tapeflow.engines.xla.flow")
    branches = [_traceable(part(b, program), sizes) for b in flow.branches]
    differ = any(None in spec.shape for spec in flow.specs())
    return lambda index, *arrays: engine.choice(index, branches, arrays, differ)


def _loop(flow: Loop, program: Program, sizes: Known) -> Callable:
    engine = loaded("tapeflow.engines.xla.flow")
    inner = part(flow.step, program)
    step = _traceable(inner, sizes)
    going = [] if flow.cond is None else [_traceable(part(flow.cond, program), sizes)]
    with_sizes = lambda s: Spec(shape=specialized(tuple(s.shape), sizes), dtype=s.dtype)
    emitted = [with_sizes(inner.spec(p)) for p in inner.outputs[flow.state :]]
    limit = specialized(flow.limit, sizes)

    def run(most: Any, *arrays: Any) -> tuple[Any, ...]:
        return engine.loop(step, going, most, *flow.split(arrays), emitted, limit, flow.backwards)

    return run


def _called(program: Program, kernel: Callable, node: Node, args: list, params: dict) -> Any:
    try:
        return kernel(*args, **params)
    except (CannotBeExported, NoKernel, _Asked):
        raise
    except Exception as error:
        if node.prim.name in COMPOSITIONS and node.prim.name in program.graph.available:
            raise _Asked(node.prim.name) from None
        first = (error.message if isinstance(error, InvalidArgumentError) else str(error)).strip().split("\n")[0]
        open_sizes = any(type(d) is Size for p in node.inputs for d in program.spec(p).shape)
        hint = "; say all sizes in the signature, such as tf.TensorSpec([32, 3])" if open_sizes else ""
        raise missing(program.name, node, "StableHLO", f"fails: {first}{hint}") from error
