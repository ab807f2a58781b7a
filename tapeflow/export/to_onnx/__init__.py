"""ONNX from a graph of primitives: an interpretation that writes each down as operators.

Each family of primitives has its rules in a file of its own. What has none is written by its composition; what has
neither is in `refused`, with the reason.
"""

import logging
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx as _onnx
from onnx import helper

from tapeflow.core.contracts import Operation
from tapeflow.core.sizes import Expression, Size
from tapeflow.export.lowering import (
    CannotBeExported,
    Program,
    Unsupported,
    check_weight,
    lowered,
    missing,
    output_names,
    unique,
)
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.graph import Node
from tapeflow.function.tracing.late_sizes import Sized, SizeOf

from . import arrays, elementwise, flow, networks, strings
from .builder import Builder, Value, onnx_type
from .refused import REFUSED

RULES: dict[str, Callable] = {**elementwise.RULES, **arrays.RULES, **networks.RULES, **strings.RULES}

OPSET = 23  # what runtimes of the last two years read
_IR, _CLASSICAL_OPSET = 11, 3
_PLACES = "where in a window the largest element is, which only gradients and tf.nn.max_pool_with_argmax need"


def model(function: ConcreteFunction, name: str | None = None) -> Any:
    """An `onnx.ModelProto` that computes what the function does, for the sizes that its signature leaves open.

    CannotBeExported: an operation that ONNX does not have, a variable that is assigned, random numbers.
    """
    program = lowered(function, RULES, "ONNX")
    check_weight(program, "ONNX")
    for node in program.left_out:
        logging.getLogger("tapeflow").info(
            "ONNX cannot print or check: %s, at %s, is left out.", node.prim.name, node.line
        )
    root = Builder()
    try:
        inputs = [_argument(root, program, index) for index in program.inputs]
        results = _written(root, program)
        outputs = [_result(root, y, name) for y, name in zip(results, output_names(function))]
        infos = [
            helper.make_tensor_value_info(y.name, onnx_type(y.dtype), _dimensions(program, program.spec(p).shape))
            for y, p in zip(outputs, program.outputs)
        ]
        given = [
            helper.make_tensor_value_info(x.name, onnx_type(x.dtype), _dimensions(program, x.shape)) for x in inputs
        ]
    except Unsupported as error:
        raise CannotBeExported(f"{function.name} cannot be exported to ONNX: it {error}.") from None
    read = _read(root.nodes)
    graph = helper.make_graph(
        root.nodes, re.sub(r"\W", "_", name or function.name), given, infos,
        [t for t in root.initializers if t.name in read],
    )  # fmt: skip
    domains = {"": OPSET} | ({strings.CLASSICAL: _CLASSICAL_OPSET} if strings.CLASSICAL in root.domains else {})
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid(*one) for one in domains.items()], ir_version=_IR,
        producer_name="tapeflow",
    )  # fmt: skip
    _onnx.checker.check_model(made, full_check=False)
    return made


def _argument(root: Builder, program: Program, index: int) -> Value:
    spec = program.spec(index)
    name = unique(program.names.get(index, "argument"), root.used)
    value = root.values[index] = Value(name, np.dtype(spec.dtype), tuple(spec.shape))
    root.known_sizes(value)
    return value


def _result(root: Builder, value: Value, name: str) -> Value:
    """A result has its own name: it may be an argument, a constant, or another result."""
    made = root.Identity(value)
    final = unique(name, root.used)
    root.nodes[-1].output[0] = final
    return Value(final, made.dtype)


def _dimensions(program: Program, shape: Sequence[Any]) -> list:
    """Sizes that are not known have names: one for each, so that equal ones are seen to be equal."""
    names = {size.number: f"n{k}" for k, size in enumerate(program.graph.sizes)}
    return [_named(d.expression, names) if type(d) is Size else d for d in shape]


def _named(size: Any, names: dict[int, str]) -> str:
    if type(size) is not Expression:
        return str(size)
    if size.operation == "size":
        return names.get(size.parts[0], f"n_{size.parts[0]}")
    a, b = [_named(p, names) for p in size.parts]
    return f"{size.operation}({a}, {b})" if size.operation in ("max", "min") else f"({a} {size.operation} {b})"


def _written(onnx: Builder, program: Program) -> list[Value]:
    """The nodes of a program; its outputs."""
    for node in program.nodes:
        try:
            made = _operators(onnx, program, node)
        except (Unsupported, NotImplementedError) as error:
            raise missing(program.name, node, "ONNX", str(error)) from None
        for index, value in zip(node.outputs, made):
            spec = program.spec(index)
            if value is not None:
                value = Value(value.name, np.dtype(spec.dtype), tuple(spec.shape), value.array)
                onnx.values[index] = value
                onnx.known_sizes(value)
                _late(onnx, program, index, value)
    for p in program.outputs:
        if p not in onnx.values and p not in program.held:
            raise CannotBeExported(f"{program.name} cannot be exported to ONNX: it returns {_PLACES}.")
    return [onnx.of(program, p) for p in program.outputs]


def _late(onnx: Builder, program: Program, index: int, value: Value) -> None:
    """A number that the program computes, and that sizes are made of."""
    for number, symbol in program.graph.late.items():
        if symbol is not None and symbol.index == index:
            wide = onnx.Cast(value, to=onnx_type(np.int64), dtype=np.dtype(np.int64))
            onnx.known[Expression("size", number)] = onnx.Reshape(wide, np.array([1], np.int64))


def _operators(onnx: Builder, program: Program, node: Node) -> Sequence[Any]:
    prim: Operation = node.prim
    inputs = [_input(onnx, program, node, p) for p in node.inputs]
    if isinstance(prim, SizeOf):
        return [onnx.Squeeze(onnx.size_of(inputs[0], prim.axis), np.array([0], np.int64))]
    if isinstance(prim, Sized):
        inputs, prim = inputs[: -len(prim.sizes)], prim.sized
    if isinstance(prim, Choice):
        return flow.choice(onnx, program, prim, inputs, _written)
    if isinstance(prim, Loop):
        return flow.loop(onnx, program, prim, inputs, _written)
    if prim.name not in RULES:
        raise Unsupported(REFUSED.get(prim.name, "calls Python, which a file cannot hold: do it outside of it"))
    made = RULES[prim.name](onnx, *inputs, **node.params)
    return made if node.several else [made]


def _input(onnx: Builder, program: Program, node: Node, index: int) -> Value:
    if index not in onnx.values and index not in program.held:
        raise missing(program.name, node, "ONNX", f"reads {_PLACES}")
    return onnx.of(program, index)


def _read(nodes: Any) -> set[str]:
    """The names that nodes read, those in graphs inside of them, too."""
    found: set[str] = set()
    for node in nodes:
        found.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found |= _read(attribute.g.node)
    return found
