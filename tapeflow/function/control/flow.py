"""Operations with graphs inside: the conditional (`tf.cond`, `tf.switch_case`), and what loops share with it
(`loops.py`).

A `Flow` stands where a primitive stands, in a node, on a tape, under a map. Its rules are not declared but made: the
derivative of a choice is a choice between the derivatives of its branches. Values that the backward run reads come
from a version of the operation that `extends` it, by outputs more; it is written down when a gradient is asked for,
and when the graph is cleaned it takes the place of the other (see `cleaning.py`).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tapeflow.core.apply import tell
from tapeflow.core.contracts import Operation
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.record import Inside, Pushforward, Recorder
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.sizes import Size
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.running import xla_plan as xla
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph, SymbolicTensor
from tapeflow.function.tracing.late_sizes import OtherSizes, constant_size, with_known
from tapeflow.transforms.custom_gradient import joint_recorder
from tapeflow.transforms.forward import ForwardAccumulator
from tapeflow.vectorize.mapped import Vectorizer


class Flow(Operation):
    """What stands in the place of a primitive where an operation has graphs inside. It takes and gives several
    tensors."""

    takes_none = hides_sizes = extensible = True
    result, outputs = "any", ("*",)
    extends: "Flow | None" = None
    _specialized: tuple = None, None  # the sizes it was last specialized for, and what came of it

    # ---- each kind of flow says

    def run(self, *arrays: Any) -> tuple[Any, ...]:
        """On NumPy arrays."""
        raise NotImplementedError

    def on_xla(self, engine: Any) -> Callable:
        """A function of JAX arrays."""
        raise NotImplementedError

    def specs(self) -> list[Spec]:
        """Of the outputs."""
        raise NotImplementedError

    def pulled(self, gs: Sequence, xs: Sequence, ys: Sequence, wanted: tuple[int, ...]) -> list:
        """The gradients of the inputs `wanted`."""
        raise NotImplementedError

    def inside(self, wanted: tuple[int, ...]) -> Iterable[Inside]:
        """What is in it, from the inputs `wanted`: its branches, or the body of the loop."""
        return ()

    def pushed(self, ts: list, xs: Sequence) -> Sequence:
        """The tangents of the outputs."""
        raise NotImplementedError

    def batch(self, op: Callable, args: list, batched: list[bool], params: dict) -> tuple:
        """All rows at once."""
        raise NotImplementedError

    def silent(self) -> "Flow":
        """The same without what happens besides what it computes."""
        return self

    def with_sizes(self, sizes: Any, extends: "Flow | None") -> "Flow":
        """The same, where sizes that were not known are these, by number."""
        raise NotImplementedError

    def fitted(self, args: Sequence[Tensor]) -> dict[int, int]:
        """The late sizes inside that these arguments tell, by number."""
        return {}

    # ---- what is asked of primitives

    def specialized(self, sizes: Any) -> "Flow":
        """The same for these sizes. It is one for all nodes of a graph, as the operation itself is."""
        key = tuple(sizes.items())
        if self._specialized[0] != key:
            extends = None if self.extends is None else self.extends.specialized(sizes)
            self._specialized = key, self.with_sizes(sizes, extends)
        return self._specialized[1]

    def opened(self, args: list, sizes: Any) -> tuple[Operation, list, Any]:
        traced = current().executor is not None  # else the arrays tell
        return super().opened(args, with_known(sizes, self.fitted(args) if traced else {}))

    def entry(self, *args: Tensor) -> tuple:
        frame = current()
        if frame.executor is None:
            with quiet():
                out = tuple([EagerTensor(o) for o in self.run(*[a.array for a in args])])
        else:
            known = (
                frame.executor.existing(self, args)
                if self.extends is not None and isinstance(frame.executor, Graph)
                else None
            )
            out = frame.executor.execute(self, args, {}) if known is None else known
        tell(frame.observers, self, args, {}, out)
        return out

    def on(self, engine: str, xp: Any, named: Any = None) -> Callable:
        if engine == "numpy":
            return self.run
        return self.on_xla(loaded("tapeflow.engines.xla.flow"))  # an extra: only who asks for XLA needs jax

    def infer(self, specs: list[Spec], params: dict) -> tuple:
        return tuple(self.specs())

    def recorder(self, mask: int, count: int) -> Recorder | None:
        return joint_recorder(
            lambda g, saved, wanted: self.pulled(g, saved[0], saved[1], wanted),
            lambda x, y: (x, y),
            mask,
            count,
            self.name,
            self._inside,
        )

    def _inside(self, wanted: tuple[int, ...]) -> tuple[Inside, ...]:
        try:
            return tuple([part._replace(again=self.extends is not None) for part in self.inside(wanted)])
        except (ValueNeeded, OtherSizes):  # a user's backward rule, say, that cannot be part of a graph
            return ()

    def pushforward(self, mask: int, count: int) -> Pushforward:
        return Pushforward(lambda ops, ts, y, p, *x: tuple(self.pushed(ts, x)), 0)

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Choice(Flow):
    """`branches[index](*operands)`. An index beyond the last branch means the last."""

    def __init__(self, branches: list[GraphFunction], name: str, extends: "Choice | None" = None) -> None:
        self.branches, self.name, self.extends = branches, name, extends
        self.has_effect = any(b.has_effect for b in branches)
        self.derivatives: dict[Any, Any] = {}

    def run(self, index: Any, *arrays: Any) -> tuple[Any, ...]:
        k = int(index)
        return self.branches[k if 0 <= k < len(self.branches) else -1].run.inner(*arrays)

    def on_xla(self, engine: Any) -> Callable:
        branches = [xla.traceable(b.graph, b.inputs, b.outputs, b.has_effect) for b in self.branches]
        differ = any(None in spec.shape for spec in self.specs())
        return lambda index, *arrays: engine.choice(index, branches, arrays, differ)

    def specs(self) -> list[Spec]:
        return [_common(one) for one in zip(*[[b.graph.symbols[p].spec for p in b.outputs] for b in self.branches])]

    def parts(self) -> list[tuple[str, GraphFunction]]:
        return [(b.name, b) for b in self.branches]

    def silent(self) -> "Choice":
        return Choice([b.silent() for b in self.branches], self.name) if self.has_effect else self

    def with_sizes(self, sizes: Any, extends: Any) -> "Choice":
        return Choice([b.specialized(sizes) for b in self.branches], self.name, extends)

    def fitted(self, args: Sequence[Tensor]) -> dict[int, int]:
        return {n: size for b in self.branches for n, size in told(b, args[1:]).items()}

    # ---- backwards

    def pulled(self, gs: Sequence, xs: Sequence, ys: Sequence, wanted: tuple[int, ...]) -> list:
        given = tuple([g is not None for g in gs])
        key = wanted, given
        if key not in self.derivatives:
            self.derivatives[key] = self._derivative(wanted, given)
        forward, backward, read, reached = self.derivatives[key]
        kept = forward.entry(*xs)[len(ys) :]
        everything = [*xs[1:], *ys, *kept, *[g for g in gs if g is not None]]
        found = iter(backward.entry(xs[0], *[everything[k] for k in read]))
        return [next(found) if there else None for there in reached]

    def inside(self, wanted: tuple[int, ...]) -> Iterable[Inside]:
        return [part_of(b, wanted, sum(1 << k - 1 for k in wanted)) for b in self.branches]

    def _derivative(
        self, wanted: tuple[int, ...], given: tuple[bool, ...]
    ) -> tuple["Choice", "Choice", list[int], list[bool]]:
        """(The choice that also gives what the backward one reads; the one from operands, outputs, that, and gradients
        to gradients of the operands; which of these it reads; which of the wanted get a gradient)."""
        sides = [b.derivative(sum(1 << k - 1 for k in wanted)) for b in self.branches]
        gradients_of_sides = [side.gradients(given + (False,) * len(side.kept)) for side in sides]
        reached = [any(found[k] is not None for _, found in gradients_of_sides) for k in range(len(wanted))]
        kept = [side.graph.symbols[p].spec for side in sides for p in side.kept]
        forwards, backwards, start = [], [], 0
        for branch, side, (seeds, found) in zip(self.branches, sides, gradients_of_sides):
            graph, end = side.graph, start + len(side.kept)
            if graph.reads or graph.keys_drawn:
                raise ValueNeeded("A user's backward function in a branch reads a variable or draws random numbers.")
            xs, ys = [x.index for x in side.xs], [y.index for y in side.outs]
            with entered(graph.frame()):
                fill = [zeros(s) for s in kept]  # for what the other branches keep
                dense = [as_dense(g, side.xs[k - 1]) for g, k, there in zip(found, wanted, reached) if there]
                own = [graph.index_of(t) for t in fill[:start]] + side.kept + [graph.index_of(t) for t in fill[end:]]
                results = [graph.index_of(t) for t in dense]
            forwards.append(GraphFunction(graph, xs, ys + own, branch.name))
            indices = (
                xs
                + ys
                + [graph.new(s).index for s in kept[:start]]
                + side.kept
                + [graph.new(s).index for s in kept[end:]]
            )
            inputs = distinct(graph, indices + [s.index for s in seeds])
            backwards.append(GraphFunction(graph, inputs, results, f"the gradient of {branch.name}", effects=False))
            start = end
        used = [f.read_inputs() for f in backwards]
        read = [k for k in range(len(backwards[0].inputs)) if any(k in indices for indices in used)]
        for function in backwards:
            function.inputs = [function.inputs[k] for k in read]
        backward = Choice(backwards, f"the gradient of {self.name}")
        return Choice(forwards, self.name, extends=self), backward, read, reached

    # ---- forwards, and in rows

    def pushed(self, ts: list, xs: Sequence) -> Sequence:
        there = tuple([k for k, t in enumerate(ts) if t is not None])
        key = "push", there
        if key not in self.derivatives:
            sides = [tangents(b, [k - 1 for k in there]) for b in self.branches]
            self.derivatives[key] = Choice(sides, f"the tangent of {self.name}")
        found = iter(self.derivatives[key].entry(*xs, *[ts[k] for k in there]))
        return [next(found) if is_inexact(s) else None for s in self.specs()]

    def batch(self, op: Callable, args: list, batched: list[bool], params: dict) -> tuple:
        size = next(a.sizes[0] for a, b in zip(args, batched) if b)
        branches = [in_rows(b, batched[1:], size) for b in self.branches]
        if not batched[0]:
            return Choice(branches, self.name).entry(*args)
        out: Any = None  # rows choose differently: all branches run
        for k, branch in enumerate(branches):
            made = branch.replay(args[1:])
            if out is None:
                out = made
                continue
            index = ops.cast(args[0], dtype=np.dtype("int32"))
            chosen = ops.equal(index, np.int32(k))
            if k == len(branches) - 1:
                chosen = ops.logical_or(ops.less(index, np.int32(0)), ops.greater_equal(index, np.int32(k)))
            shaped = [ops.reshape(chosen, shape=(size,) + (1,) * (y.ndim - 1)) for y in made]
            out = [ops.where(c, a, b) for c, a, b in zip(shaped, made, out)]
        return tuple(out)


def part_of(function: GraphFunction, wanted: Sequence[int], mask: int) -> Inside:
    """A branch or a body, from its operands `wanted` (an operation's first input is its own) by those in `mask`."""
    (found,) = function.derivative(mask).inside(tuple([k - 1 for k in wanted]))
    return found._replace(name=function.name)


def told(function: GraphFunction, args: Sequence[Tensor], changing: int = 0, rows: int = 0) -> dict[int, int]:
    """Late sizes in a graph, by number, as its arguments tell them: by their shapes, and by what is in them. The first
    of them may change from one iteration to the next, by `rows` the iterations go."""
    graph = function.graph
    if not graph.relied_on.late:
        return {}
    found: dict[int, int | None] = {}
    values = graph.late_by_index()
    for k, (p, spec, x) in enumerate(zip(function.inputs, function.specs, args)):
        row = changing <= k < changing + rows
        pairs = list(zip(spec.shape, tuple(x.sizes)[row:]))
        if k < changing:
            after = graph.symbols[function.outputs[k]].spec.shape
            pairs = [(d, size if _stays(d, size, later) else None) for (d, size), later in zip(pairs, after)]
        elif p in values and not row:
            found.setdefault(values[p], constant_size(x))
        for d, size in pairs:
            if type(d) is Size and d.expression.operation == "size" and d.number in graph.relied_on.late:
                agrees = type(size) is int and found.get(d.number, size) == size
                found[d.number] = size if agrees else None
    return {number: size for number, size in found.items() if size is not None}


def _stays(size: Any, first: Any, later: Any) -> bool:
    """Is a late size, `first` at first, the same after an iteration?"""
    if type(later) is Size:
        return type(size) is Size and later.expression is size.expression
    return later == first


def is_inexact(spec: Spec) -> bool:
    return BY_NUMPY[np.dtype(spec.dtype)].is_inexact


# ---- graphs made from graphs


def zeros(spec: Spec) -> Tensor:
    """As a node, which takes no room. Where a size is not known it is 1, which fits all."""
    return ops.broadcast_to(
        EagerTensor(np.zeros((), spec.dtype)), shape=tuple([1 if d is None else d for d in spec.shape])
    )


def _common(specs: Sequence[Spec]) -> Spec:
    """Of a value that has one of these: None for sizes that differ."""
    shapes = zip(*[s.shape for s in specs])
    return Spec(
        shape=tuple([sizes[0] if all(d == sizes[0] for d in sizes) else None for sizes in shapes]),
        dtype=specs[0].dtype,
    )


def as_dense(gradient: Any, x: SymbolicTensor) -> Tensor:
    """A gradient of `x` that is there, and not as slices."""
    if gradient is None:
        return ops.zeros_like(x) if None in x.spec.shape else zeros(x.spec)
    return gradient.dense() if isinstance(gradient, IndexedSlices) else gradient


def distinct(graph: Graph, indices: list[int]) -> list[int]:
    """The indices, each once; where one is there again another, which nobody reads."""
    seen: set[int] = set()
    out = []
    for p in indices:
        out.append(graph.new(graph.symbols[p].spec).index if p in seen else p)
        seen.add(p)
    return out


def tangents(function: GraphFunction, wanted: Sequence[int]) -> GraphFunction:
    """From the inputs and the tangents of those `wanted` to the tangents of the outputs that have one."""
    graph = Graph()
    xs = [graph.argument(s) for s in function.specs]
    ts = [graph.argument(function.specs[k]) for k in wanted]
    with entered(graph.frame()):
        found = pushed_through(function, xs, dict(zip(wanted, ts)))[1]
        indices = [graph.index_of(t) for t in found if t is not None]
    return GraphFunction(graph, graph.inputs, indices, f"the tangent of {function.name}", effects=False)


def pushed_through(
    function: GraphFunction, xs: list, ts: dict[int, Tensor]
) -> tuple[list[Tensor], list[Tensor | None]]:
    """(The outputs; their tangents, zeros if need be, None for whole numbers), in the current frame."""
    with ForwardAccumulator([xs[k] for k in ts], list(ts.values())) as accumulator:
        outs = [ops.identity(y) for y in function.replay(xs)]
    found = [accumulator.jvp(y, unconnected_gradients="zero") if y.dtype.is_inexact else None for y in outs]
    return outs, found


def in_rows(
    function: GraphFunction, batched: Sequence[bool], size: int, results: Sequence[bool] | None = None
) -> GraphFunction:
    """The function for `size` rows at once: of the inputs that are `batched`, to the `results` that are (all of
    them)."""
    graph, rows, outs = _mapped(function, batched, size)
    with entered(graph.frame()):
        flags = [True] * len(outs) if results is None else results
        indices = [graph.index_of(rows.rows(y) if b else y) for y, b in zip(outs, flags)]
    return GraphFunction(graph, graph.inputs, indices, function.name)


def mapped_outputs(function: GraphFunction, batched: Sequence[bool], size: int) -> list[bool]:
    """Which outputs differ from row to row, if the inputs that are `batched` do."""
    _, rows, outs = _mapped(function, batched, size)
    return [rows.owns(y) for y in outs]


def _mapped(function: GraphFunction, batched: Sequence[bool], size: int) -> tuple[Graph, Vectorizer, list[Tensor]]:
    graph, rows = Graph(), Vectorizer(size, "different")
    of_all = lambda s: Spec(shape=(size, *s.shape), dtype=s.dtype)
    xs = [graph.argument(of_all(s) if b else s) for s, b in zip(function.specs, batched)]
    with entered(graph.frame()), entered(rows.frame()):
        values: dict[int, Tensor] = {p: rows.mapped(x) if b else x for p, x, b in zip(function.inputs, xs, batched)}
        outs = function.graph.replay(values, function.outputs)
    return graph, rows, outs
