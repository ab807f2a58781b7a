"""TensorFlow's graphs from ours: an interpretation that writes each primitive as TensorFlow's operators.

A concrete function becomes a function of a library; its variables are handles that it is given.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.contracts import Operation
from tapeflow.core.primitive import Spec
from tapeflow.core.sizes import Expression
from tapeflow.export.lowering import CannotBeExported, Program, Unsupported, lowered, missing, unique
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.graph import Node
from tapeflow.function.tracing.late_sizes import Sized, SizeOf
from tapeflow.ops.arrays.tables import Entries

from . import flow, mathematics, networks, random, rules
from .body import RESOURCE, Body, Function, Kind, Library, Value, kind
from .refused import REFUSED

RULES: dict[str, Callable] = {**rules.RULES, **mathematics.RULES, **networks.RULES, **random.RULES}
KIND = "TensorFlow's format"
_PLACES = "where in a window the largest element is, which only gradients and tf.nn.max_pool_with_argmax need"


class Written(NamedTuple):
    """A function in a library: its name, the variables and then the tables that it is given after its arguments, and
    the specifications of these and of its results."""

    name: Function
    variables: list[Any]
    tables: list[Entries]
    arguments: list[Spec]
    results: list[Spec]


def program_of(function: ConcreteFunction) -> Program:
    """The graph of a function, of primitives that TensorFlow has."""
    return lowered(function, RULES, KIND, stateful=True)


def written(library: Library, program: Program, name: str, arguments: Sequence[str]) -> Written:
    """Add a program to a library.

    Args:
        arguments: What its tensors are called.
    """
    body = Body(library)
    given = []
    for index, argument in zip(program.inputs, arguments):
        spec = program.spec(index)
        value = Value(unique(_plain(argument), body.used), kind(spec.dtype), tuple(spec.shape))
        body.values[index] = value
        body.known_sizes(value)
        given.append((value.ref, value))
    handles: dict[int, Value] = {}
    variables = {v.serial: v for v in [*program.variables.values(), *program.final.values()]}
    for serial, variable in variables.items():
        handles[serial] = Value(unique(_plain(variable.name.removesuffix(":0")), body.used), RESOURCE)
        given.append((handles[serial].ref, handles[serial]))
    tables = list({table.content: table for table in flow.tables_of(program.nodes)}.values())
    for table in tables:
        body.tables[table.content] = handle = Value(unique("table", body.used), RESOURCE)
        given.append((handle.ref, handle))
    reads = []
    for index, variable in program.variables.items():
        spec = program.spec(index)
        read = body.ReadVariableOp(handles[variable.serial], dtype=Kind(kind(spec.dtype)))
        reads.append(body.nodes[-1].name)
        body.values[index] = Value(read.ref, read.kind, tuple(spec.shape))
    for index in program.keys:
        if any(index in node.inputs for node in program.nodes):
            body.values[index], body.changes = random.fresh_key(body), True
    try:
        found = _write(body, program)
        count = len(found) - len(program.final)
        outputs = [(unique(f"output_{k}", body.used), body.Identity(y)) for k, y in enumerate(found[:count])]
    except Unsupported as error:
        raise CannotBeExported(f"{program.name} cannot be exported to {KIND}: it {error}.") from None
    for place, variable in program.final.items():
        body.after.append(body.AssignVariableOp(handles[variable.serial], found[place], control=reads))
        body.changes = True
    body.changes = body.changes or bool(variables)
    own = library.name(name)
    library.add(body.function(own, given, outputs))
    specs = [program.spec(p) for p in program.inputs], [program.spec(p) for p in program.outputs[:count]]
    return Written(own, list(variables.values()), tables, *specs)


def calling(
    library: Library, done: Written, name: str, inputs: Mapping[str, int], outputs: Mapping[str, int]
) -> Function:
    """Add a function to a library that calls another one: with tensors and results in another order, under other
    names. `inputs`, `outputs`: for each name, which of those of the other function it is."""
    body = Body(library)
    place = {index: argument for argument, index in inputs.items()}
    values = {k: Value(unique(_plain(place[k]), body.used), kind(s.dtype)) for k, s in enumerate(done.arguments)}
    given = [values[index] for index in inputs.values()]
    handles = [
        Value(unique(f"captured_{k}", body.used), RESOURCE) for k in range(len(done.variables) + len(done.tables))
    ]
    found = body.StatefulPartitionedCall(
        [*[values[k] for k in range(len(values))], *handles], Tout=[Kind(kind(s.dtype)) for s in done.results],
        f=done.name,
    )  # fmt: skip
    body.after.append(body.nodes[-1].name)
    body.changes = True
    results = [(unique(_plain(n), body.used), body.Identity(found[k])) for n, k in outputs.items()]
    own = library.name(name)
    return library.add(body.function(own, [(v.ref, v) for v in [*given, *handles]], results))


def _plain(name: str) -> str:
    text = "".join(c if c.isascii() and c.isalnum() or c == "_" else "_" for c in name)
    return text if text[:1].isalpha() else f"x{text}"


def _write(body: Body, program: Program) -> list[Value]:
    """The nodes of a program; its outputs."""
    for node in program.nodes:
        try:
            made = _operators(body, program, node)
        except (Unsupported, NotImplementedError) as error:
            raise missing(program.name, node, KIND, str(error)) from None
        for index, value in zip(node.outputs, made):
            if value is None:
                continue
            value = body.values[index] = Value(value.ref, value.kind, tuple(program.spec(index).shape))
            body.known_sizes(value)
            for number, symbol in program.graph.late.items():
                if symbol is not None and symbol.index == index:
                    wide = body.Cast(value, DstT=np.dtype(np.int64))
                    body.known[Expression("size", number)] = body.Reshape(wide, np.array([1], np.int64))
    for p in program.outputs:
        if p not in body.values and p not in program.held:
            raise CannotBeExported(f"{program.name} cannot be exported to {KIND}: it returns {_PLACES}.")
    return [body.of(program, p) for p in program.outputs]


def _operators(body: Body, program: Program, node: Node) -> Sequence[Any]:
    prim: Operation = node.prim
    for p in node.inputs:
        if p not in body.values and p not in program.held:
            raise Unsupported(f"reads {_PLACES}")
    inputs = [body.of(program, p) for p in node.inputs]
    if isinstance(prim, SizeOf):
        return [body.Squeeze(body.size_of(inputs[0], prim.axis), squeeze_dims=[0])]
    if isinstance(prim, Sized):
        inputs, prim = inputs[: -len(prim.sizes)], prim.sized
    if isinstance(prim, Choice):
        return flow.choice(body, program, prim, inputs, _write)
    if isinstance(prim, Loop):
        return flow.loop(body, program, prim, inputs, _write)
    if prim.name not in RULES:
        raise Unsupported(REFUSED.get(prim.name, "calls Python, which a file cannot hold: do it outside of it"))
    made = RULES[prim.name](body, *inputs, **node.params)
    return made if node.several else [made]
