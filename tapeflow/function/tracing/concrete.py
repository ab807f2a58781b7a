"""Concrete functions: a Python function traced for one signature: its graph, its captures, variables it assigns."""

import copy
import functools
import inspect
import re
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.devices import raw
from tapeflow.core.dtypes import int32
from tapeflow.core.errors import ValueNeeded, invalid
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.listeners import board
from tapeflow.core.primitive import Spec
from tapeflow.core.random.streams import fresh_key
from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import Known, computed, numbers
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.saving import describing

from .arguments.binding import Binding
from .arguments.described import signature_text, spec_text, structure_text
from .arguments.function_types import FunctionType
from .arguments.modified import check_unmodified, snapshot
from .first_values import needed, value_in_region
from .graph import Graph, SymbolicTensor
from .late_sizes import OtherSizes
from .regions import enclosing_graphs

_ACQUIRE, _RELEASE = methodcaller("acquire"), methodcaller("release")
_ALL: Callable[[Any], None] = deque(maxlen=0).extend
MOST_TRACES_BY_VALUES = 8  # of one function, where Python asks for sizes that depend on values; then it runs as Python
MOST_VERSIONS = 64  # of one trace, for different sizes; the oldest goes


class ConcreteFunction:
    """One trace. Called with the tensors among the arguments, it gives what the Python function returned, computed.

    >>> double = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([2], tf.float32))
    >>> double(tf.constant([1., 2.])).numpy()
    array([2., 4.], dtype=float32)
    """

    signature: inspect.Signature | None = None  # where there is no Python function that would say

    def __init__(
        self,
        python_function: Any,
        traced: Any,
        structure: Any,
        positions: list[int],
        specs: list,
        name: str,
        jit: bool,
        autograph: bool,
    ) -> None:
        """`traced` is the function as AutoGraph converted it. `structure` are the arguments, (positional, keyword); of
        its leaves those at `positions` are tensors, with these `specs`, in which sizes may be None."""
        self.name, self.structure, self.tensor_positions, self.specs = name, structure, positions, specs
        self.python_function, self.traced, self.jit, self.autograph = python_function, traced, jit, autograph
        self.graph = Graph()
        self.assigned: list[Any] = []
        self.as_python = False  # not traced: Python needs values of tensors,
        self.why = ""  # for what
        self.sizes: list[tuple[int, int, int]] = []  # those not known: which argument, which axis, which number
        self.versions: dict[tuple, ConcreteFunction] = {}  # by the sizes
        self.other_traces: list[ConcreteFunction] = []  # for sizes that depend on values
        self.structured_outputs: Any = None
        self.result_indices: list[int | None] = []

    def trace(self, now: list[Tensor] | None, may_create: bool) -> int:
        """Run the Python function; returns how many variables it made. `now` are the arguments of the call that it is
        for."""
        self.graph = graph = Graph(enclosing_graphs())
        graph.may_create, graph.compiles, graph.autograph = may_create, self.jit, self.autograph
        graph.evaluate = lambda symbol: self._evaluated(symbol, now)
        graph.measures = lambda symbol: self._measured(symbol, now)
        leaves = opened(self.structure)
        names, self.sizes, parts = opened_paths(self.structure), [], parts_of_composites(self.structure)
        for n, (k, spec) in enumerate(zip(self.tensor_positions, self.specs)):
            if parts[k] and not self.jit:  # a plan for all sizes
                leaves[k] = graph.argument(Spec(shape=tuple(spec.shape), dtype=spec.dtype))
                graph.measure(leaves[k])
            else:
                leaves[k] = graph.argument(self._sized(spec, n, None if now is None else now[n]))
            graph.names[leaves[k].index] = getattr(spec, "name", None) or argument_name(self.python_function, names[k])
        with entered(graph.frame()):
            args, kwargs = closed(self.structure, leaves)
            self.structured_outputs = self._called(self.traced, args, kwargs)
            results = [self._result(leaf) for leaf in opened(self.structured_outputs)]
            self.result_indices = [None if r is None else graph.index_of(r) for r in results]
            graph.guard()
        graph.evaluate = graph.measures = None
        del leaves, args, kwargs, results
        graph.finalize()
        self._complete()
        return graph.created

    def _called(self, function: Any, args: tuple, kwargs: dict) -> Any:
        before = snapshot((args, kwargs))
        out = function(*args, **kwargs)
        check_unmodified(self.python_function, before, (args, kwargs))
        return out

    def runs_as_python(self, why: str) -> None:
        self.as_python, self.sizes, self.why = True, [], why
        self.structured_outputs, self.result_indices = None, []

    def _complete(self) -> None:
        """The graph is written, and `result_indices` says where its results are: make a function of it."""
        graph, outputs = self.graph, [p for p in self.result_indices if p is not None]
        # In one order in all functions: threads lock them in it.
        self.assigned = [v for _, v in sorted(graph.assigned.items())]
        self.locks = [v._lock for v in self.assigned]
        self.count = len(outputs)
        finals = [graph.latest[v.serial] for v in self.assigned]
        if any(node.prim.apart for node in graph.nodes):
            self.jit = False
        self.function = GraphFunction(graph, self._input_indices(), outputs + finals, self.name, self.jit)
        self.function.may_refuse = True
        self.function.donated = [graph.reads[v.serial][1] for v in self.assigned if v.serial in graph.reads]
        self.alone = len(outputs) == 1 and isinstance(self.structured_outputs, (Tensor, Variable))
        self._learn_inputs()
        words = [""] * len(outputs) + [v.name.removesuffix(":0") for v in self.assigned]
        graph.text = functools.partial(describing.text, self.function, words)

    def _sized(self, spec: Any, n: int, now: Tensor | None) -> Spec:
        """The specification of argument `n`, with objects in the place of sizes that are not known."""
        shape = list(spec.shape)
        for axis, size in enumerate(shape):
            if size is None:
                shape[axis] = self.graph.size(None if now is None else tuple(now.sizes)[axis])
                self.sizes.append((n, axis, shape[axis].number))
        return Spec(shape=tuple(shape), dtype=spec.dtype)

    def at(self, tensors: list[Tensor]) -> "ConcreteFunction | None":
        """This function for tensors of these sizes; None if what Python did while it was traced would be different for
        them."""
        if self.as_python:
            return self
        if any(d not in (None, size) for spec, t in zip(self.specs, tensors) for d, size in zip(spec.shape, t.sizes)):
            return None
        if not self.sizes:
            return self
        sizes = Known({number: tuple(tensors[n].sizes)[axis] for n, axis, number in self.sizes})
        key = tuple(sizes.values())
        if key not in self.versions:
            if not self.serves(sizes):
                return None
            made = copy.copy(self)
            try:
                function = self.function.specialized(sizes)
            except OtherSizes:  # a size that depended on values is known by these, and Python was told otherwise
                return None
            made.function, made.sizes, made.other_traces = function, [], []
            return self._version(key, made)
        return self.versions[key]

    def serves(self, sizes: Known) -> bool:
        """Would Python have decided the same for these sizes? What depends on values is asked when the graph runs.

        Args:
            sizes: Those that the signature leaves open, by number.
        """
        late = self.graph.relied_on.late
        return all(
            computed(question, sizes) == answer
            for question, answer in self.graph.relied_on
            if not late or late.isdisjoint(numbers(question))
        )

    def _version(self, sizes: tuple, made: "ConcreteFunction") -> "ConcreteFunction":
        while len(self.versions) >= MOST_VERSIONS:
            self.versions.pop(next(iter(self.versions)), None)
        self.versions[sizes] = made
        return made

    def _input_indices(self) -> list[int]:
        graph = self.graph
        outside = (
            [p for _, p in graph.captures.values()]
            + [p for _, p in graph.reads.values()]
            + [p for _, p in graph.keys_drawn]
        )
        return graph.inputs + outside

    def _input_tensors(self, tensors: list[Tensor], later: Any = ()) -> list[Tensor]:
        """The arguments, what the graph captured, the variables' values and new keys for random numbers. `later`:
        variables to be read when others cannot change them."""
        found: list[Any] = [*tensors, *self.captured]
        for variable in self.read:
            found.append(None if variable.serial in later else variable.value())
        for site, _ in self.graph.keys_drawn:
            found.append(fresh_key(site))
        return found

    def _learn_inputs(self) -> None:
        self.captured = [tensor for tensor, _ in self.graph.captures.values()]
        self.read = [variable for variable, _ in self.graph.reads.values()]
        first = len(self.graph.inputs) + len(self.captured)
        self.replaced = [
            (first + k, variable) for k, variable in enumerate(self.read) if variable.serial in self.graph.assigned
        ]

    def _evaluated(self, symbol: SymbolicTensor, now: list[Tensor] | None) -> Any:
        if not symbol.belongs_to(self.graph):
            return value_in_region(symbol, self.name)
        self._learn_inputs()
        if now is None:
            if not needed(self.graph, symbol).isdisjoint(self.graph.inputs):
                raise invalid("A variable's first value depends on an argument, which has no value without a call.")
            now = [EagerTensor(np.zeros((), s.dtype)) for s in self.specs]  # nobody reads them
        with entered(_EAGER):
            function = GraphFunction(self.graph, self._input_indices(), [symbol.index], self.name, effects=False)
            [value] = function(self._input_tensors(now))
        return raw(value)

    def _measured(self, symbol: Tensor, now: list[Tensor] | None) -> int | None:
        """A late size in the call that the trace is for; None where it cannot be computed yet. Keys of random numbers
        are not drawn for it: with any, it is as likely."""
        graph = self.graph
        if symbol._graph is not graph:
            return None
        read = {p for node in graph.leading_to((), [symbol.index], effects=False) for p in node.inputs}
        known: dict[int, Tensor | None] = dict(zip(graph.inputs, now or [None] * len(graph.inputs)))
        known |= {p: t for t, p in graph.captures.values()} | {p: v.value() for v, p in graph.reads.values()}
        known |= {p: EagerTensor(np.zeros(3, np.uint64)) for _, p in graph.keys_drawn}
        known = {p: known[p] for p in known.keys() & (read | {symbol.index})}
        if not all(isinstance(t, EagerTensor) for t in known.values()):
            return None
        try:
            with entered(_EAGER):
                function = GraphFunction(graph, list(known), [symbol.index], self.name, effects=False)
                return int(raw(function(list(known.values()))[0]))
        except Exception:  # it is raised again when the function runs
            return None

    def _result(self, leaf: Any) -> Tensor | None:
        if leaf is None or isinstance(leaf, Tensor):
            return leaf
        if isinstance(leaf, Variable):
            return leaf.value()
        if isinstance(leaf, TensorShape) and leaf.is_fully_defined():
            return to_tensor(list(leaf), int32)
        if is_convertible(leaf) and not isinstance(leaf, TensorShape):
            return to_tensor(leaf)
        raise TypeError(
            f"{self.name}, a tf.function, must return tensors (or numbers, or None), it returned {leaf!r} of type "
            f"{type(leaf).__name__}."
        )

    def run(self, tensors: list[Tensor]) -> Any:
        if board.seats:
            for listener in board.listeners():
                listener.before_run(self)
        if self.sizes:
            version = self.at(tensors) or self._traced_again(tensors)
            return version.run(tensors)
        if not self.as_python:
            try:
                return self._packed(self._computed(tensors))
            except ValueNeeded:  # a user's backward function, which is traced when a tape watches
                if current().executor is not None:
                    raise
                self.as_python = True
            except OtherSizes:
                return self._for_other_sizes(tensors)
        return self._run_as_python(tensors)

    def _run_as_python(self, tensors: list[Tensor]) -> Any:
        leaves = opened(self.structure)
        for k, tensor in zip(self.tensor_positions, tensors):
            leaves[k] = tensor
        args, kwargs = closed(self.structure, leaves)
        token = in_function.set(True)
        try:
            out = self._called(self.python_function, args, kwargs)
        finally:
            in_function.reset(token)
        return closed(out, [self._result(leaf) for leaf in opened(out)])

    def _for_other_sizes(self, tensors: list[Tensor]) -> Any:
        """What the function gives where sizes that depend on values are others than this trace is right for."""
        for trace in self.other_traces:
            try:
                return trace._packed(trace._computed(tensors))
            except OtherSizes:
                continue
        if current().executor is None and len(self.other_traces) < MOST_TRACES_BY_VALUES:
            made = self._traced_again(tensors)
            if not made.as_python:
                self.other_traces.append(made)
                try:
                    return made._packed(made._computed(tensors))
                except OtherSizes:  # they differ from one iteration of a loop to the next
                    pass
        self.as_python = current().executor is None
        return self._run_as_python(tensors)

    def _traced_again(self, tensors: list[Tensor]) -> "ConcreteFunction":
        """For sizes that this trace is not right for."""
        made = ConcreteFunction(
            self.python_function,
            self.traced,
            self.structure,
            self.tensor_positions,
            self.specs,
            self.name,
            self.jit,
            self.autograph,
        )
        try:
            made.trace(tensors, may_create=False)
        except ValueNeeded:
            made.as_python, made.sizes = True, []
        return self._version(tuple([tuple(tensors[n].sizes)[axis] for n, axis, _ in self.sizes]), made.at(tensors))

    def _computed(self, tensors: list[Tensor]) -> list[Tensor]:
        """The outputs; what was assigned is stored."""
        if not self.assigned:
            return self.function(self._input_tensors(tensors))
        if current().executor is not None:
            found = self.function(self._input_tensors(tensors))
            for variable, value in zip(self.assigned, found[self.count :]):
                variable.put_value(value, read_value=False)
            return found[: self.count]
        # What is not assigned is read first: two functions that each read what the other assigns would wait for each
        # other.
        values = self._input_tensors(tensors, self.graph.assigned)
        locks: list = []  # those that were taken: the function that takes one says so, with no instruction in between
        free = map(_RELEASE, locks)
        try:
            locks.extend(
                filter(_ACQUIRE, self.locks)
            )  # no other thread changes them in between: its change would be lost
            for k, variable in self.replaced:
                values[k] = variable._to_be_replaced() if self.jit else variable.value()
            return self.function(values, self.assigned)
        finally:
            _ALL(free)

    def _packed(self, found: list[Tensor]) -> Any:
        """The outputs as the Python function returned them."""
        if self.alone:
            return found[0]
        rest = iter(found)
        return closed(self.structured_outputs, [None if p is None else next(rest) for p in self.result_indices])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Called like the function that was traced, or with the tensors among its arguments alone. What else it was
        traced for stays."""
        names = [self.graph.names.get(p, "argument") for p in self.graph.inputs[: len(self.specs)]]
        return self.run(self.binding.tensors(args, kwargs, self.specs, names))

    @property
    def function_type(self) -> FunctionType:
        """What the function takes and gives, parameter by parameter."""
        found = self.binding.parameters(self.specs)
        captures = {} if self.as_python else {id(t): spec_text(t) for t in self.captured_inputs}
        return FunctionType.of(
            [(n, getattr(inspect.Parameter, kind), what, False) for n, kind, what in found],
            None if self.as_python else self._results_text(),
            captures,
        )

    @property
    def inference_fn(self) -> "ConcreteFunction":
        """What runs where nobody differentiates: the function itself."""
        return self

    @functools.cached_property
    def binding(self) -> Binding:
        signature = self.signature or inspect.signature(self.python_function)
        return Binding(self.name, signature, self.structure, opened(self.structure), self.tensor_positions)

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Nothing is left to do: a graph holds the functions that it calls by themselves, not by their names.

        Args:
            g: Taken and not used.
            overwrite: Taken and not used.
        """

    add_gradient_functions_to_graph = add_to_graph

    # ---- what it is made of

    def compiler_text(self, tensors: list[Tensor], stage: str) -> str:
        version = self.at(tensors) or self._traced_again(tensors)
        return version.function.program.text(version._input_tensors(tensors), stage)

    @property
    def variables(self) -> tuple[Any, ...]:
        return tuple({v.serial: v for v in [*(v for v, _ in self.graph.reads.values()), *self.assigned]}.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)

    if TYPE_CHECKING:  # `tapeflow.api.control.function`, which knows specifications, gives it to the class

        @property
        def structured_input_signature(self) -> tuple[Any, ...]: ...

    @property
    def captured_inputs(self) -> list[Any]:
        return [*(tensor for tensor, _ in self.graph.captures.values()), *self.variables]

    @property
    def inputs(self) -> list[SymbolicTensor]:
        return [self.graph.symbols[p] for p in self.function.inputs]

    @property
    def outputs(self) -> list[SymbolicTensor]:
        return [self.graph.symbols[p] for p in self.result_indices if p is not None]

    output_shapes = property(
        lambda self: self._of_outputs(lambda t: TensorShape(None) if t is None else t.get_shape())
    )
    output_dtypes = property(lambda self: self._of_outputs(lambda t: None if t is None else t.dtype))

    def _of_outputs(self, what: Callable) -> Any:
        """A structure like the result's, with `what` of each tensor in its place."""
        if self.as_python:
            raise ValueError(f"{self.name} runs as plain Python: what it returns is known when it has run. {self.why}")
        tensors = iter([None if p is None else self.graph.symbols[p] for p in self.result_indices])

        def one(leaf: Any) -> Any:
            first, *_ = [next(tensors) for _ in opened(leaf)]
            return what(first)

        return nest.map_structure(one, self.structured_outputs)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The arguments, what comes out, and what is taken from outside, as text.

        Args:
            verbose: All of it; otherwise `repr` of the function.
        """
        if not verbose:
            return repr(self)
        captures = [] if self.as_python else [(id(t), spec_text(t)) for t in self.captured_inputs]
        return signature_text(self.binding.parameters(self.specs), self._results_text(), captures)

    def _results_text(self) -> str:
        if self.as_python:
            return "what the Python function returns"
        tensors = iter([None if p is None else self.graph.symbols[p].spec for p in self.result_indices])
        text = lambda spec: "Literal[None]" if spec is None else spec_text(spec)
        return structure_text(self.structured_outputs, lambda _: text(next(tensors)), composites=True)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return (
            f"<ConcreteFunction {self.name}{self.binding.text(self.specs)} -> {self._results_text()} at {id(self):#x}>"
        )


# Does a tf.function run that cannot be a graph, so that its Python runs? What could be a graph inside still may.
in_function: ContextVar[bool] = context_variable("tapeflow_in_function", False)

_EAGER = Frame()  # for what is computed while a function is traced


def opened(structure: Any) -> list:
    """The leaves, with composites and their specs as the tensors, or the specs, that they are made of."""
    leaves = nest.flatten(structure)
    return nest.walked(structure, composites=True) if any(map(nest.is_composite, leaves)) else leaves


def parts_of_composites(structure: Any) -> list[bool]:
    """For each of the `opened` leaves: is it a part of a composite?"""
    found: list[bool] = []
    for leaf in nest.flatten(structure):
        composite = nest.is_composite(leaf)
        found += [composite] * (len(nest.walked(leaf, composites=True)) if composite else 1)
    return found


def opened_paths(structure: Any) -> list[str]:
    """The path of each of the `opened` leaves: that of the composite for its parts."""
    paths, leaves = nest.paths(structure), nest.flatten(structure)
    if not any(map(nest.is_composite, leaves)):
        return paths
    return [path for path, leaf in zip(paths, leaves) for _ in nest.walked(leaf, composites=True)]


def closed(structure: Any, leaves: list) -> Any:
    """The inverse of `opened`."""
    if any(map(nest.is_composite, nest.flatten(structure))):
        return nest.packed(structure, iter(leaves), composites=True)
    return nest.pack_as(structure, leaves)


def argument_name(function: Any, path: str) -> str:
    """What the leaf of (positional, keyword) arguments at `path` is called in the program: `x`, or `x_0` for a part of
    it."""
    parts = re.findall(r"[^\[\]'\".]+", path)  # of `[0][1].x`, too: the fields of a named tuple
    if parts[0] == "0" and len(parts) > 1:
        names = list(inspect.signature(function).parameters)
        parts[1] = names[min(int(parts[1]), len(names) - 1)] if names else parts[1]
    return "_".join(parts[1:]) or "argument"
