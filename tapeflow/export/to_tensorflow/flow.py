"""Branches and loops: operators whose parts are functions of the library, given all that they read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeflow.core.sizes import Expression, Size, numbers
from tapeflow.export.lowering import Program, Unsupported, part, unique
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop
from tapeflow.function.tracing.late_sizes import Sized
from tapeflow.ops.arrays.tables import Entries

from .body import Body, Function, Kind, Value, kind, shape

_BOOL, _INT, _INT32 = np.dtype(bool), np.dtype(np.int64), np.dtype(np.int32)

Write = Callable[[Body, Program], list]  # writes the nodes of a program, gives its outputs


def choice(tf: Body, program: Program, flow: Choice, inputs: Sequence[Value], write: Write) -> Sequence[Value]:
    index, *operands = inputs
    parts = [part(b, program) for b in flow.branches]
    shared = _shared(tf, parts)
    values = [*operands, *[value for _, value in shared]]
    functions, outs = [], []
    for one in parts:
        body, given = _inside(tf, one, operands, shared)
        outs.append(write(body, one))
        functions.append(_added(tf, flow.name, body, given, outs[-1]))
    kinds = [Kind(v.kind) for v in outs[0]]
    if index.kind == kind(_BOOL):
        if len(functions) != 2:
            raise Unsupported("chooses among other than two branches by a truth value")
        return tf.StatelessIf(index, values, Tout=kinds, then_branch=functions[1], else_branch=functions[0])
    return tf.StatelessCase(tf.Cast(index, DstT=_INT32), values, Tout=kinds, branches=functions)


def _shared(tf: Body, parts: Sequence[Program]) -> list[tuple[Any, Value]]:
    """Sizes that are not known, and tables, that functions read: they are more of what they are given."""
    found: set[int] = set()
    for one in parts:
        for node in one.nodes:
            found |= {n for value in node.params.values() for n in numbers(value)}
        for symbol in one.graph.symbols:
            found |= {n for d in symbol.spec.shape if type(d) is Size for n in numbers(d)}
    own = {n for one in parts for n in one.graph.late}
    expressions = [Expression("size", n) for n in sorted(found - own)]
    there = [e for e in expressions if e in tf.known or e.parts[0] in tf.measured]
    tables = dict.fromkeys([table.content for one in parts for table in tables_of(one.nodes)])
    return [*[(e, tf._size(e)) for e in there], *[(content, tf.tables[content]) for content in tables]]


def _tell(body: Body, what: Any, value: Value) -> None:
    """That this is a size, or a table."""
    if isinstance(what, Expression):
        body.known[what] = value
    else:
        body.tables[what] = value


def tables_of(nodes: Sequence[Any]) -> Iterator[Entries]:
    """Those that nodes read, and graphs inside of them."""
    for node in nodes:
        yield from [value for value in node.params.values() if isinstance(value, Entries)]
        prim = node.prim.sized if isinstance(node.prim, Sized) else node.prim
        inside = prim.branches if isinstance(prim, Choice) else ()
        for function in (prim.step, prim.cond) if isinstance(prim, Loop) else inside:
            if function is not None:
                yield from tables_of(function.graph.nodes)


def _inside(
    tf: Body, program: Program, operands: Sequence[Value], shared: Sequence[tuple[Any, Value]]
) -> tuple[Body, list[tuple[str, Value]]]:
    """The body of a function, and what it is given."""
    body = Body(tf.library)
    given = []
    for k, (index, operand) in enumerate(zip(program.inputs, operands)):
        value = Value(unique(f"operand_{k}", body.used), operand.kind, tuple(program.spec(index).shape))
        body.values[index] = value
        given.append((value.ref, value))
    for k, (what, outside) in enumerate(shared):
        value = Value(unique(f"shared_{k}", body.used), outside.kind, (1,))
        _tell(body, what, value)
        given.append((value.ref, value))
    return body, given


def _added(tf: Body, name: str, body: Body, given: Sequence[tuple[str, Value]], outputs: Sequence[Value]) -> Function:
    results = [(f"result_{k}", body.Identity(y)) for k, y in enumerate(outputs)]
    return tf.library.add(body.function(unique(_plain(name), tf.library.used), given, results))


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name) or "function"


def loop(tf: Body, program: Program, flow: Loop, inputs: Sequence[Value], write: Write) -> Sequence[Value]:
    """What goes round: the state, how many iterations there were, lists of what they emitted; then what stays: the
    bound, rows, operands and sizes."""
    most, rest = inputs[0], list(inputs[1:])
    if flow.cond is not None and flow.rows:
        raise Unsupported("goes over rows and may stop before the last one: loop over all rows, or use tf.while_loop "
                          "with an index")  # fmt: skip
    step = part(flow.step, program)
    going = None if flow.cond is None else part(flow.cond, program)
    shared = _shared(tf, [step] if going is None else [step, going])
    emitted = [step.spec(p) for p in step.outputs[flow.state :]]
    lists = [tf.EmptyTensorList(np.int32(-1), np.int32(-1), element_dtype=np.dtype(s.dtype)) for s in emitted]
    state, fixed = rest[: flow.state], rest[flow.state :]
    round_ = [*state, tf.constant(np.array(0, np.int32)), *lists, most, *fixed, *[v for _, v in shared]]

    def parameters(body: Body) -> list[Value]:
        return [
            Value(unique(f"{'state' if k < flow.state else 'given'}_{k}", body.used), v.kind)
            for k, v in enumerate(round_)
        ]

    def parted(values: Sequence[Value]) -> tuple[list, Value, list, Value, list, list]:
        a, b = flow.state, flow.state + 1 + len(emitted)
        end = len(values) - len(shared)
        return (
            list(values[:a]), values[a], list(values[a + 1 : b]), values[b], list(values[b + 1 : end]),
            list(values[end:]),
        )  # fmt: skip

    def seen(body: Body, one: Program, values: Sequence[Value], own: Sequence[Value]) -> None:
        for index, value in zip(one.inputs, values):
            body.values[index] = Value(value.ref, value.kind, tuple(one.spec(index).shape))
        for (what, _), value in zip(shared, own):
            _tell(body, what, value)

    body = Body(tf.library)
    given = parameters(body)
    now, count, kept, bound, others, own = parted(given)
    rows, operands = others[: flow.rows], others[flow.rows :]
    at = count if not flow.backwards else body.Sub(body.Sub(bound, np.int32(1)), count)
    read = [body.GatherV2(row, at, np.int32(0)) for row in rows]
    seen(body, step, [*now, *read, *operands], own)
    out = write(body, step)
    longer = [body.TensorListPushBack(h, y) for h, y in zip(kept, out[flow.state :])]
    after = [*out[: flow.state], body.AddV2(count, np.int32(1)), *longer, bound, *others, *own]
    step_function = _added(tf, f"{flow.name} body", body, [(v.ref, v) for v in given], after)

    test = Body(tf.library)
    given = parameters(test)
    now, count, _, bound, others, own = parted(given)
    goes = test.LogicalOr(test.Less(count, bound), test.Less(bound, np.int32(0)))
    if going is not None:
        seen(test, going, [*now, *others[flow.rows :]], own)
        goes = test.LogicalAnd(goes, write(test, going)[0])
    condition = _added(tf, f"{flow.name} condition", test, [(v.ref, v) for v in given], [goes])

    found = tf.StatelessWhile(round_, cond=condition, body=step_function, output_shapes=[shape(None)] * len(round_))
    stacked = []
    for handle, spec in zip(found[flow.state + 1 :], emitted):
        sizes_of = tf.sizes([d if d is not None else -1 for d in spec.shape])
        stack = tf.TensorListStack(
            handle, tf.Cast(sizes_of, DstT=_INT32) if spec.shape else np.zeros(0, np.int32),
            element_dtype=np.dtype(spec.dtype), num_elements=-1,
        )  # fmt: skip
        stacked.append(tf.ReverseV2(stack, np.array([0], np.int32)) if flow.backwards else stack)
    return [*found[: flow.state + 1], *stacked]
