"""Branches and loops: the operators If and Loop, with graphs inside that read what is around them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import helper

from tapeflow.export.lowering import Program, Unsupported, part, unique
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop

from .builder import Builder, Value, onnx_type

_BOOL, _INT, _INT32 = np.dtype(bool), np.dtype(np.int64), np.dtype(np.int32)
_FOREVER = np.iinfo(np.int64).max

Write = Callable[[Builder, Program], list]  # writes the nodes of a program, gives its outputs


def choice(onnx: Builder, program: Program, flow: Choice, inputs: Sequence[Value], write: Write) -> Sequence[Value]:
    """One If for two branches; for more, each has the next in its other branch."""
    index, *operands = inputs
    branches = [part(b, program) for b in flow.branches]
    if index.dtype == _BOOL:
        if len(branches) != 2:
            raise Unsupported("chooses among other than two branches by a truth value")
        return _if(onnx, index, [_inline(branches[1], operands, write), _inline(branches[0], operands, write)])
    return _chosen(onnx, index, 0, [_inline(b, operands, write) for b in branches])


def _chosen(onnx: Builder, index: Value, first: int, branches: list[Callable]) -> Sequence[Value]:
    if len(branches) == 1:
        return branches[0](onnx)
    here = onnx.Equal(index, onnx.scalar(first, index), dtype=_BOOL)
    return _if(onnx, here, [branches[0], lambda inner: _chosen(inner, index, first + 1, branches[1:])])


def _if(onnx: Builder, condition: Value, sides: list[Callable]) -> Sequence[Value]:
    graphs, outs = [], []
    for name, side in zip(("then_branch", "else_branch"), sides):
        inner = Builder(onnx)
        outs.append(side(inner))
        graphs.append(graph(inner, name, [], outs[-1]))
    found = onnx.If(condition, then_branch=graphs[0], else_branch=graphs[1], outputs=len(outs[0]))
    for value, one in zip(found, outs[0]):
        value.dtype = one.dtype
    return found


def _inline(program: Program, values: Sequence[Value], write: Write) -> Callable:
    def run(onnx: Builder) -> list[Value]:
        own = Builder(onnx)
        own.nodes, own.values = onnx.nodes, {}
        own.known, own.measured = onnx.known, onnx.measured
        for index, value in zip(program.inputs, values):
            own.values[index] = _as(value, program, index)
        return write(own, program)

    return run


def _as(value: Value, program: Program, index: int) -> Value:
    """The same value with what is known of it where a graph takes it."""
    spec = program.spec(index)
    return Value(value.name, np.dtype(spec.dtype), tuple(spec.shape), value.array)


def graph(onnx: Builder, name: str, inputs: Sequence[Value], outputs: Sequence[Value]) -> Any:
    """A graph inside an operator. Its outputs are its own: what is from outside gets another name."""
    own = [onnx.Identity(y) for y in outputs]
    for y, before in zip(own, outputs):
        y.dtype = before.dtype
    sizes = lambda v: None if v.shape is None else [d if type(d) is int else None for d in v.shape]
    info = lambda v: helper.make_tensor_value_info(v.name, onnx_type(v.dtype), sizes(v))
    return helper.make_graph(
        onnx.nodes, unique(name, onnx.root.used), [info(v) for v in inputs], [info(v) for v in own]
    )


def loop(onnx: Builder, program: Program, flow: Loop, inputs: Sequence[Value], write: Write) -> Sequence[Value]:
    """Loop counts its iterations itself; how many there were is one more value that goes round."""
    most, rest = inputs[0], list(inputs[1:])
    state, rows = rest[: flow.state], rest[flow.state : flow.state + flow.rows]
    operands = rest[flow.state + flow.rows :]
    if flow.cond is not None and flow.rows:
        raise Unsupported("goes over rows and may stop before the last one, and ONNX has one or the other: loop over "
                          "all rows, or use tf.while_loop with an index")  # fmt: skip
    step = part(flow.step, program)
    going = None if flow.cond is None else part(flow.cond, program)
    wide = onnx.Cast(most, to=onnx_type(_INT), dtype=_INT)
    unbounded = onnx.Less(wide, onnx.scalar(0, wide), dtype=_BOOL)
    count = onnx.Where(unbounded, onnx.scalar(_FOREVER, wide), wide, dtype=_INT)
    goes = onnx.constant(np.array(True)) if going is None else _inline(going, [*state, *operands], write)(onnx)[0]
    start = onnx.constant(np.array(0, np.int32))

    inner = Builder(onnx)
    new = lambda dtype, shape=None: Value(unique(f"in_loop_{len(onnx.root.used)}", onnx.root.used), dtype, shape)
    iteration, before, counter = new(_INT, ()), new(_BOOL, ()), new(_INT32, ())
    carried = [new(np.dtype(program_spec.dtype), tuple(program_spec.shape)) for program_spec in _specs(step, flow)]
    at = iteration
    if flow.backwards:
        at = inner.Sub(inner.Sub(wide, inner.scalar(1, wide)), iteration)
    seen = [inner.Gather(row, at, axis=0) for row in rows]
    out = _inline(step, [*carried, *seen, *operands], write)(inner)
    after, emitted = out[: flow.state], out[flow.state :]
    still = before if going is None else _inline(going, [*after, *operands], write)(inner)[0]
    body = graph(
        inner, "body", [iteration, before, *carried, counter],
        [still, *after, inner.Add(counter, inner.scalar(1, counter)), *emitted],
    )  # fmt: skip
    found = onnx.Loop(count, goes, *state, start, body=body, outputs=flow.state + 1 + len(emitted))
    for value, one in zip(found, [*after, counter, *emitted]):
        value.dtype = one.dtype
    last, stacked = found[: flow.state + 1], list(found[flow.state + 1 :])
    if flow.backwards:
        turned = [np.array([k], np.int64) for k in (-1, -_FOREVER, 0, -1)]
        stacked = [onnx.Slice(x, *turned) for x in stacked]
    return (*last, *stacked)


def _specs(step: Program, flow: Loop) -> list:
    return [step.spec(p) for p in step.inputs[: flow.state]]
