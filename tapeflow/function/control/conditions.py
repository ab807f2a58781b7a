"""`tf.cond`, `tf.switch_case`, `tf.while_loop` and `tf.scan` inside a `tf.function`, where conditions are symbolic.

The user's functions are traced once each, into regions, and one node stands for all of it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import spec_of
from tapeflow.core.contracts import LoopVariable
from tapeflow.core.errors import InvalidArgumentError, ValueNeeded, user_line
from tapeflow.core.frames import entered
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.random.streams import Site, fresh_key
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import alike
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Node, SymbolicTensor
from tapeflow.function.tracing.regions import Region, inside_a_graph, keys, operands

from .flow import Choice
from .loops import Loop

_BOOL, _INT = np.dtype("bool"), np.dtype("int32")


def has_no_value(tensor: Any) -> bool:
    """Is it a symbol, or rows of one: will its value be known only when a graph runs?"""
    while hasattr(tensor, "held") and not isinstance(tensor, EagerTensor):
        tensor = tensor.held
    return type(tensor) is SymbolicTensor and inside_a_graph()


# ---- branches


def cond(pred: Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any]) -> Any:
    """`true_fn()` or `false_fn()`, as `pred`, a symbol, will say."""
    if pred.sizes.num_elements() != 1:
        raise ValueError(
            f"The condition of an `if` or of tf.cond must be a scalar bool, got shape {tuple(pred.shape)}, at "
            f"{user_line()}. Use tf.reduce_any(x) or tf.reduce_all(x)."
        )
    if pred.dtype.np != _BOOL:
        raise InvalidArgumentError(
            None,
            None,
            f"The condition of tf.cond in a tf.function must be bool, got {pred.dtype.name}, at {user_line()}. "
            "Compare it: x != 0.",
        )
    return choose(_single(pred), {"false_fn": false_fn, "true_fn": true_fn}, "cond")


def choose(index: Tensor, functions: dict[str, Callable], name: str) -> Any:
    """What the function number `index`, a symbol, gives; beyond the last one, the last."""
    regions = [Region(function) for function in functions.values()]
    last, graphs = regions[-1], [r.graph for r in regions]
    for label, region in zip(functions, regions):
        _check_branches(last, region, list(functions)[-1], label, name)
    variables = list({i: v for g in graphs for i, v in sorted(g.assigned.items())}.values())
    for graph in graphs:
        for variable in variables:
            if variable.serial not in graph.assigned:  # it keeps its value there
                graph.read(variable)
    inputs, indices = operands(graphs)
    drawn, drawn_indices = keys(graphs)
    arrays = [k for k, leaf in enumerate(last.leaves) if _is_carried(leaf)]
    branches = []
    for label, region, own in zip(functions, regions, map(list.__add__, indices, drawn_indices)):
        outputs = [region.index_of(_held(region.leaves[k])) for k in arrays]
        outputs += [region.graph.latest[v.serial] for v in variables]
        branches.append(GraphFunction(region.graph, own, outputs, f"{label} of {name}"))
    out = _measured(Choice(branches, name).entry(index, *inputs, *drawn))
    for variable, value in zip(variables, out[len(arrays) :]):
        variable.put_value(value, read_value=False)
    leaves = list(last.leaves)
    for k, value in zip(arrays, out):
        leaves[k] = _like(leaves[k], value)
    return nest.packed(last.structure, iter(leaves), composites=True)


def _check_branches(one: Region, other: Region, label: str, other_label: str, name: str) -> None:
    try:
        nest.compare(one.structure, other.structure, composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{label} and {other_label} of {name} must return the same structure, at {user_line()}. {error}"
        ) from None
    for path, a, b in zip(nest.paths(one.structure) if len(one.leaves) > 1 else [""], one.leaves, other.leaves):
        where = f"{label} and {other_label} of {name} differ{' in ' + path if path else ''}, at {user_line()}: "
        if not _is_carried(a) or not _is_carried(b):
            if a is not b and not (isinstance(a, (str, bytes)) and a == b):
                raise TypeError(
                    f"{where}one gives {a!r}, the other {b!r}. Both must give a tensor, or the same object."
                )
            continue
        a, b = _held(a), _held(b)
        if a.dtype is not b.dtype:
            raise TypeError(f"{where}one gives {a.dtype.name}, the other {b.dtype.name}. Use tf.cast in one of them.")
        same = alike(a.sizes, b.sizes) or a.ndim == b.ndim and not one.graph.compiles
        if not same and tuple(a.sizes) != tuple(b.sizes):
            raise ValueNeeded(f"{where}one gives shape {tuple(a.shape)}, the other {tuple(b.shape)}.")


def _measured(tensors: Sequence) -> Sequence:
    """Where the sizes of tensors differ from branch to branch or change in a loop, a graph knows them when it runs."""
    for tensor in tensors:
        if type(tensor) is SymbolicTensor:
            tensor._graph.measure(tensor)
    return tensors


# ---- what goes through: tensors, and TensorArrays as the tensor of their entries


def _is_carried(leaf: Any) -> bool:
    return isinstance(leaf, (Tensor, LoopVariable))


def _held(leaf: Any) -> Tensor:
    return leaf if isinstance(leaf, Tensor) else leaf.__entries__()


def _like(leaf: Any, value: Tensor) -> Any:
    """`value` in the place of what `leaf` is."""
    return value if isinstance(leaf, Tensor) else leaf.__with_entries__(value)


# ---- loops


def while_loop(
    cond: Callable[..., Any] | None, body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    maximum_iterations: Any = None, name: str = "while_loop", rows: Sequence[Tensor] = (),
) -> Any:  # fmt: skip
    """`loop_vars`, a tuple or list of structures, after `body` was applied as long as `cond` holds; without one, as
    often as `maximum_iterations` says.

    `rows` are tensors with one first axis: each iteration gets the next of each, after the loop variables.
    """
    first = nest.walked(nest.map_structure(_loop_value, loop_vars), composites=True)
    _learn_shapes(body, loop_vars, first, rows)
    start, count = [_held(leaf) for leaf in first], len(first)
    free = _free_axes(loop_vars, first, start, shape_invariants)
    own = [_opened(_spec(t), axes) for t, axes in zip(start, free)]
    pack = lambda *xs: nest.packed(loop_vars, iter([_like(a, x) for a, x in zip(first, xs)]), composites=True)
    holds = None if cond is None else Region(lambda *xs: _single(cond(*xs)), own, pack)
    specs = own + [_spec(t, rows=True) for t in rows]
    step = Region(lambda *xs: _listed(body(*xs)), specs, lambda *xs: (*pack(*xs[:count]), *xs[count:]))
    if holds is not None:
        _check_condition(holds)
    _check_iteration(loop_vars, first, step, free)
    most, limit = _bound(maximum_iterations)
    outs = [step.index_of(_held(leaf)) for leaf in step.leaves]
    found = _run(holds, step, start, rows, outs, [], most, limit, name)[:count]
    return nest.packed(loop_vars, iter([_like(a, x) for a, x in zip(step.leaves, found)]), composites=True)


def over_rows(
    function: Callable, state: Any, rows: Sequence[Tensor], backwards: bool, name: str
) -> tuple[Any, list[Tensor]]:
    """(The last state; the stacked tensors) of `function(state, tensors) -> (state, tensors)` over the rows of tensors
    with one first axis."""
    first = [_held(_loop_value(leaf)) for leaf in nest.walked(state, composites=True)]
    specs = [_spec(t) for t in first] + [_spec(t, rows=True) for t in rows]
    count, size = len(first), rows[0].sizes[0]

    def pack(*xs: Tensor) -> tuple:
        return nest.packed(state, iter(xs[:count]), composites=True), list(xs[count:])

    step = Region(function, specs, pack)
    after, emitted = step.leaves[:count], step.leaves[count:]
    for before, now in zip(first, after):
        if before.dtype is not now.dtype or tuple(before.sizes) != tuple(now.sizes):
            raise ValueNeeded(f"The state of {name} changes its shape or dtype, at {user_line()}.")
    indices = [[step.index_of(t) for t in some] for some in (after, emitted)]
    found = _run(None, step, first, rows, *indices, ops.size_tensor(sizes=size, dtype=_INT), size, name, backwards)
    return nest.packed(state, iter(found[:count]), composites=True), list(found[count + 1 :])


def _run(
    holds: Region | None, step: Region, start: list, rows: Sequence, outs: list[int], emitted: list[int], most: Tensor,
    limit: int | None, name: str, backwards: bool = False,
) -> tuple:  # fmt: skip
    """Write the loop down. Variables that the body assigns, and keys that it draws, are more of its state."""
    graph, graphs = step.graph, [step.graph] if holds is None else [step.graph, holds.graph]
    if holds is not None and (holds.graph.assigned or holds.graph.keys_drawn):
        raise ValueNeeded(f"The condition of {name} assigns to a variable or draws random numbers, at {user_line()}.")
    variables = [v for _, v in sorted(graph.assigned.items())]
    finals = [graph.latest[v.serial] for v in variables]
    sites = [site for site, _ in graph.keys_drawn]
    next_keys = [(index, _renewed_key(step, site, index)) for site, index in graph.keys_drawn]
    graph.keys_drawn = []
    values = [v.value() for v in variables]
    from_outside, indices = operands(graphs, but=variables)
    count, arguments = len(start), graph.inputs
    own = [_read_in_iteration(step, v) for v in variables]
    state = [*arguments[:count], *[index for index, _ in own], *[index for index, _ in next_keys]]
    inputs = [*state, *arguments[count:], *indices[0], *[first for _, first in own]]
    body = GraphFunction(graph, inputs, [*outs, *finals, *[p for _, p in next_keys], *emitted], f"the body of {name}")
    condition = None
    if holds is not None:
        other = holds.graph
        of_variables = [
            other.reads[v.serial][1] if v.serial in other.reads else other.new(_spec(x)).index
            for v, x in zip(variables, values)
        ]
        of_keys = [other.new(graph.symbols[p].spec).index for p, _ in next_keys]
        unused = [other.new(_spec(x)).index for x in values]
        all_inputs = [*other.inputs, *of_variables, *of_keys, *indices[1], *unused]
        condition = GraphFunction(other, all_inputs, [holds.index_of(holds.leaves[0])], f"the condition of {name}")
    loop = Loop(condition, body, len(state), len(rows), limit, name, backwards)
    drawn = [fresh_key(Site(site.seeds, _LOOP, site.number)) for site in sites]
    out = loop.entry(most, *start, *values, *drawn, *rows, *from_outside, *values)
    _measured(out[: len(state)])
    for variable, value in zip(variables, out[count:]):
        variable.put_value(value, read_value=False)
    return (*out[:count], *out[len(state) :])


def _spec(tensor: Tensor, rows: bool = False) -> Spec:
    """Of a tensor, or of one of its rows."""
    return Spec(shape=tuple(tensor.sizes)[rows:], dtype=tensor.dtype.np)


def _read_in_iteration(step: Region, variable: Any) -> tuple[int, int]:
    """(The index of what an iteration finds in a variable; of what was there before the loop). Reads are of the first,
    but gradients go to the variable, not to what another iteration assigned."""
    graph = step.graph
    spec = graph.symbols[graph.latest[variable.serial]].spec
    now, first = graph.new(spec), graph.new(spec)
    if variable.serial in graph.reads:
        index = graph.reads[variable.serial][1]
        graph.nodes.insert(0, Node(ops.assigned.primitive, (now.index, first.index), {}, (index,), False, ""))
    return now.index, first.index


_LOOP = 2**40  # blocks that a random operation in a loop reserves for all its iterations


def _renewed_key(step: Region, site: Site, index: int) -> int:
    """The index of the next iteration's key: where the blocks of this one end."""
    graph = step.graph
    with entered(graph.frame()):
        return graph.index_of(ops.advance_key(graph.symbols[index], blocks=site.blocks))


def _loop_value(leaf: Any) -> Any:
    return leaf if isinstance(leaf, LoopVariable) or nest.is_composite(leaf) else as_tensor(leaf)


def _listed(given: Any) -> Any:
    return given if isinstance(given, (list, tuple)) else [given]


def _learn_shapes(body: Callable, loop_vars: Any, first: list, rows: Sequence[Tensor]) -> None:
    """TensorArrays that nothing was written to yet have a shape once an iteration writes: try one."""
    arrays = [isinstance(a, LoopVariable) for a in first]
    if all(a.__is_known__() for a, is_array in zip(first, arrays) if is_array):
        return

    def pack(*xs: Tensor) -> Any:
        rest = iter(xs)
        own = [a.__on_trial__() if is_array else next(rest) for a, is_array in zip(first, arrays)]
        return (*nest.packed(loop_vars, iter(own), composites=True), *rest)

    specs = [_spec(a) for a, is_array in zip(first, arrays) if not is_array]
    Region(body, specs + [_spec(t, rows=True) for t in rows], pack)


def _bound(maximum_iterations: Any) -> tuple[Tensor, int | None]:
    if maximum_iterations is None:
        return EagerTensor(np.int32(-1)), None
    if isinstance(maximum_iterations, Variable):  # a variable, which may be another number by the time the loop runs
        maximum_iterations = maximum_iterations.value()
    if isinstance(maximum_iterations, Tensor) and has_no_value(maximum_iterations):
        return ops.maximum(ops.cast(maximum_iterations, dtype=_INT), 0), None
    limit = max(int(maximum_iterations), 0)
    return EagerTensor(np.int32(limit)), limit


def _single(truth: Any) -> Any:
    """A condition that is one value, as a scalar."""
    return (
        ops.reshape(truth, shape=())
        if isinstance(truth, Tensor) and truth.ndim and truth.sizes.num_elements() == 1
        else truth
    )


def _check_condition(holds: Region) -> None:
    [leaf] = holds.leaves if len(holds.leaves) == 1 else [None]
    if not isinstance(leaf, Tensor):
        raise TypeError(f"The condition of a loop must return a bool, got {holds.structure!r}, at {user_line()}.")
    if leaf.dtype.np != _BOOL or leaf.ndim:
        raise ValueError(
            f"The condition of a loop must be a scalar bool, got {leaf.dtype.name} of shape {tuple(leaf.shape)}, at "
            f"{user_line()}."
        )


def _free_axes(loop_vars: Any, first: list, start: list[Tensor], invariants: Any) -> list[Sequence[int]]:
    """For each tensor of the state the axes along which an iteration may change its size: those that an invariant or
    the spec of a composite leaves open, and the first one of a TensorArray that grows."""
    outside = list(loop_vars) if isinstance(loop_vars, (list, tuple)) else loop_vars
    values = nest.flatten(outside)
    said = [None] * len(values) if invariants is None else nest.flatten(invariants)
    said = said if len(said) == len(values) else [None] * len(values)
    shapes: list[Any] = []
    for value, shape in zip(values, said):
        if nest.is_composite(value):
            shapes += [spec.shape for spec in nest.walked(spec_of(value), composites=True)]
        elif getattr(value, "dynamic_size", False):
            shapes.append((None, *[0] * (start[len(shapes)].ndim - 1)))
        else:
            shapes.append(() if shape is None else TensorShape(getattr(shape, "shape", shape)))
    for number, (shape, tensor) in enumerate(zip(shapes, start)):
        if isinstance(shape, TensorShape) and shape.rank not in (None, 0, tensor.ndim):
            raise ValueError(
                f"The shape invariant of loop variable number {number}, {shape}, does not fit its shape "
                f"{tuple(tensor.shape)}, at {user_line()}."
            )
        if isinstance(shape, TensorShape) and shape.rank is None:
            raise ValueNeeded(f"The rank of loop variable number {number} may change, at {user_line()}.")
    return [[axis for axis, size in enumerate(shape) if size is None] for shape in shapes]


def _opened(spec: Spec, axes: Sequence[int]) -> Spec:
    """The specification with None along these axes."""
    return Spec(shape=tuple([None if k in axes else d for k, d in enumerate(spec.shape)]), dtype=spec.dtype)


def _check_iteration(loop_vars: Any, first: list, step: Region, free: list) -> None:
    try:
        nest.compare(list(loop_vars), list(step.structure), composites=True)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"The body of a loop must return the loop variables' structure, at {user_line()}. {error}"
        ) from None
    paths = nest.paths(list(loop_vars))
    for k, (before, after) in enumerate(zip(first, step.leaves)):
        which = f"Loop variable number {k}{paths[k] if k < len(paths) else ''}, at {user_line()},"
        if not _is_carried(after):
            raise TypeError(f"{which} is {after!r} after an iteration. A loop variable is a tensor.")
        before, after = _held(before), _held(after)
        if before.dtype is not after.dtype:
            raise TypeError(
                f"{which} is {before.dtype.name} before the loop, but {after.dtype.name} after an iteration. Use "
                "tf.cast."
            )
        if free[k] and step.graph.compiles:
            raise ValueNeeded(f"{which} changes its shape.")
        kept = [d for axis, d in enumerate(before.sizes) if axis not in free[k]]
        left = [d for axis, d in enumerate(after.sizes) if axis not in free[k]]
        if before.ndim != after.ndim or not alike(tuple(kept), tuple(left)) and kept != left:
            raise ValueError(
                f"{which} has shape {tuple(before.shape)} before the loop, but {tuple(after.shape)} after an "
                "iteration. Say by `shape_invariants` which sizes may change: tf.TensorShape([None, ...])."
            )
