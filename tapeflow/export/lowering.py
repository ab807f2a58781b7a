"""Functions as programs that a format can write down: graphs of only those primitives that it has a rule for.

An operation without a rule is written as others, by its composition (see `compositions`): a `Lowering` is a graph that
replays another one and puts compositions in the place of what the format does not know. It asks nothing of a primitive
but its name.
"""

import logging
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.contracts import Operation
from tapeflow.core.frames import entered
from tapeflow.core.primitive import Spec
from tapeflow.core.runtime.scopes import replayed
from tapeflow.core.sizes import Expression, Known, specialized
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.running.cleaning import Cleaned
from tapeflow.function.saving.writing import alternatives
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.graph import Graph, Node

from .compositions import COMPOSITIONS


class CannotBeExported(ValueError):
    """A function that a format has no words for: which operation, at which line, and what to do."""


class Unsupported(Exception):
    """A rule raises it for parameters or dtypes that the format does not have."""


class Lowering(Graph):
    """Writes a program down with the primitives of a format, those that are `available` by name, alone."""

    def __init__(
        self, available: Collection[str], refusal: str, within: tuple[Graph, ...] | None = None
    ) -> None:  # fmt: skip
        """`refusal` begins the error: "f cannot be exported to ONNX"."""
        super().__init__(within)
        self.available, self.refusal = available, refusal

    def execute(self, prim: Operation, args: tuple[Any, ...], params: dict[Any, Any]) -> Any:
        if prim.name in self.available or prim.name not in COMPOSITIONS:
            return super().execute(prim, args, params)
        try:
            return COMPOSITIONS[prim.name](*args, **params)
        except (NotImplementedError, TypeError) as error:  # for these parameters, or this dtype, there is none
            node = replayed.get()
            where = "" if node is None else f", at {node.line}"
            what = "" if isinstance(error, NotImplementedError) else "these dtypes: "
            why = f"{what}{str(error).splitlines()[0].rstrip('.')}"
            raise CannotBeExported(f"{self.refusal}: {prim.name}{where}, has no operator there for {why}.") from None


class Program(NamedTuple):
    """What is written down. `held`: constants, by index; `names`: those of values that have one in the user's
    program; `variables`: by the index of the value that they are read as."""

    name: str
    graph: Lowering
    inputs: list[int]
    outputs: tuple[int, ...]
    nodes: list[Node]
    held: dict[int, np.ndarray]
    names: dict[int, str]
    variables: dict[int, Any]
    final: dict[int, Any]  # by the position of the output, variables that are assigned it
    left_out: list[Node]  # what is printed or checked
    keys: list[int]  # for random numbers, new ones in each call

    def spec(self, index: int) -> Spec:
        return self.graph.symbols[index].spec


def lowered(function: ConcreteFunction, known: Collection[str], kind: str, stateful: bool = False) -> Program:
    """A concrete function as a program of `known` primitives.

    Args:
        function: Traced, with sizes that may be unknown.
        known: The names of primitives that the format has.
        kind: What the format is called, for errors.
        stateful: The format has variables, which are inputs and outputs then, else their values are constants; and
            random numbers.
    """
    if function.as_python:
        raise CannotBeExported(
            f"{function.name} cannot be exported to {kind}, since it is not a graph but runs as plain Python. "
            f"{function.why}"
        )
    if not stateful and not any(p is not None for p in function.result_indices):
        raise CannotBeExported(f"{function.name} cannot be exported to {kind}: it returns no tensor.")
    traced, graph = function.graph, Lowering(known, f"{function.name} cannot be exported to {kind}")
    if function.assigned and not stateful:
        changed = ", ".join(repr(v.name) for v in function.assigned)
        raise CannotBeExported(
            f"{function.name} cannot be exported to {kind}: it assigns to {changed}, and {kind} has no variables. "
            "Make what changes an argument and a result of the function, or export a function that only computes "
            "(training=False)."
        )
    sizes = _sizes(function, graph)
    spec_of = lambda p: _with_sizes(traced.symbols[p].spec, sizes)
    values: dict[int, Any] = {p: graph.argument(spec_of(p)) for p in traced.inputs}
    names = {values[p].index: traced.names.get(p, "argument") for p in traced.inputs}
    inputs, variables = list(graph.inputs), {}
    kept: list[Tensor] = []  # so that identities stay theirs
    for tensor, p in traced.captures.values():
        values[p] = _held(tensor)
    for variable, p in traced.reads.values():
        if stateful:
            values[p] = graph.new(spec_of(p))
            variables[values[p].index] = variable
        else:
            values[p] = _held(variable.value())
        kept.append(values[p])
    outputs = list(function.function.outputs)
    drawn = [p for _, p in traced.keys_drawn]
    keys = []
    if stateful:
        values |= {p: graph.new(spec_of(p)) for p in drawn}
        keys = [values[p].index for p in drawn]
    for node in () if stateful else traced.leading_to({*values, *traced.constants}, outputs, False):
        if not set(drawn).isdisjoint(node.inputs):
            raise CannotBeExported(
                f"{function.name} cannot be exported to {kind}: {node.prim.name}, at {node.line}, draws random "
                "numbers, which other frameworks draw differently. Make them an argument of the function, or export "
                "a function that draws none (training=False)."
            )
    _check_sizes(function, kind)
    left_out = [n for n in traced.nodes if n.prim.has_effect and not n.outputs and not n.prim.guards]
    with entered(graph.frame()):
        made = traced.replay(values, outputs, sizes=sizes)
        indices = [graph.index_of(t) for t in made]
    for variable, p in traced.reads.values():
        captured = graph.captures.get(id(values[p]))
        if captured is not None:
            names[captured[1]] = variable.name.removesuffix(":0")
        elif stateful:
            names[values[p].index] = variable.name.removesuffix(":0")
    clean = Cleaned(graph, inputs + list(variables) + keys, indices)
    final = {function.count + k: v for k, v in enumerate(function.assigned)}
    return Program(
        function.name, graph, inputs, clean.outputs, clean.nodes, clean.held, names, variables, final, left_out, keys
    )


MOST = 2**31 - 1  # bytes of one protocol buffer, or of one program of XLA


def check_weight(program: Program, kind: str) -> None:
    """Refuse what does not fit into one file, before it is put together."""
    weight = sum(array.nbytes for array in program.held.values())
    if weight > MOST:
        raise CannotBeExported(
            f"{program.name} cannot be exported to {kind}: it has {weight / 2**30:.1f} GB of weights, and one file "
            'holds 2. Export parts of it, or save it with format="tensorflow", which has weights in own files.'
        )


def part(function: GraphFunction, program: Program) -> Program:
    """A graph inside of an operation of a program: a branch, or the body of a loop."""
    outer = program.graph
    graph = Lowering(outer.available, outer.refusal, (outer, *(outer.within or ())))
    xs: list[Tensor] = [graph.argument(spec) for spec in function.specs]
    with entered(graph.frame()):
        made = function.graph.replay(dict(zip(function.inputs, xs)), function.outputs)
        indices = [graph.index_of(t) for t in made]
    clean = Cleaned(graph, list(graph.inputs), indices)
    return Program(
        function.name, graph, list(graph.inputs), clean.outputs, clean.nodes, clean.held, {}, {}, {}, [], []
    )


def missing(function: str, node: Node, kind: str, why: str) -> CannotBeExported:
    """The error for an operation that a format does not have."""
    return CannotBeExported(f"{function} cannot be exported to {kind}: {node.prim.name}, at {node.line}, {why}.")


def unique(name: str, used: set[str]) -> str:
    """A name that nothing else has: `name`, `name_1`, …"""
    found, k = name, 0
    while found in used:
        k += 1
        found = f"{name}_{k}"
    used.add(found)
    return found


def output_names(function: ConcreteFunction) -> list[str]:
    """What the results are called: the keys of a dictionary, or `output_0`, …"""
    found = function.structured_outputs
    count = sum(p is not None for p in function.result_indices)
    if isinstance(found, dict) and len(found) == count and all(isinstance(k, str) for k in found):
        return sorted(found)
    return [f"output_{k}" for k in range(count)]


_ORDINARY = 1680, 2520, 17, 24  # sizes that are nothing special


def _check_sizes(function: ConcreteFunction, kind: str) -> None:
    """A file has one program. Where Python was told what a size is, it is right for that one alone; where it does
    something else for a size of 1, say so."""
    numbers = [number for _, _, number in function.sizes]
    if numbers and not any(function.serves(Known(dict.fromkeys(numbers, size))) for size in _ORDINARY):
        raise CannotBeExported(
            f"{function.name} cannot be exported to {kind} for sizes that its signature leaves open: Python asks how "
            "large they are (a loop over the rows of a tensor does, or len and int of a size). Say them in the "
            "signature, as in tf.TensorSpec([32, 3])."
        )
    operations = lambda f: [(node.prim.name, repr(node.params)) for node in f.graph.nodes]
    for other in alternatives(function):
        serves = any(other.serves(Known({number: size for _, _, number in other.sizes})) for size in (1, 2, 3))
        if serves and operations(other) != operations(function):
            logging.getLogger("tapeflow").warning(
                "%s is exported to %s as it is for most sizes: Python asks for sizes that the signature leaves open, "
                "and does something else for some (such as 0 or 1). Say these sizes in the signature if they occur.",
                function.name,
                kind,
            )
            return


def _sizes(function: ConcreteFunction, graph: Graph) -> Known:
    """Sizes of the program, for those that the trace does not know: one for those that it took to be the same."""
    traced, first = function.graph.relied_on, dict[int, int]()

    def root(number: int) -> int:
        while number in first:
            number = first[number]
        return number

    for question, answer in traced:
        if not answer or question.operation != "==":
            continue
        own = [root(p.parts[0]) for p in question.parts if type(p) is Expression and p.operation == "size"]
        if len(own) == 2 and own[0] != own[1]:
            first[max(own)] = min(own)
    found: dict[int, Any] = {}
    for _, _, number in function.sizes:
        if root(number) not in found:
            found[root(number)] = graph.size(None)
            graph.relied_on.now[graph.sizes[-1].number] = traced.now[number]
        found[number] = found[root(number)]
    return Known(found)


def _held(tensor: Tensor) -> EagerTensor:
    return EagerTensor(np.asarray(tensor.array))


def _with_sizes(spec: Spec, sizes: Known) -> Spec:
    return Spec(shape=specialized(tuple(spec.shape), sizes), dtype=spec.dtype)
