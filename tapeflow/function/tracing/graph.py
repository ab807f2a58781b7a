"""The graph of a traced function, and the tracing executor, which appends nodes to it instead of computing.

Every value has an *index*, a number in the order of creation. A node computes the values at its output indices from
those at its input indices; the order of nodes is the order of the program. Variables are values like others: the first
read is an input of the graph, an assignment puts another value in their place, and what they hold at the end is stored
after a run. So reads and assignments keep their order without being nodes at all.
"""

import html
import re
import weakref
from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.apply import check_dtypes, describe
from tapeflow.core.contracts import BackwardRule, Executor, Operation
from tapeflow.core.convert import remembered_constants
from tapeflow.core.devices import raw
from tapeflow.core.errors import InvalidArgumentError, ValueNeeded, line_of, user_line, user_place
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.random.streams import Draw, Site, fresh_key, shared, site
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.runtime.scopes import open_scope, replayed
from tapeflow.core.sizes import Reliance, Size, estimated, specialized
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.names.attributes import FOR_TENSORS, Absent
from tapeflow.transforms.custom_gradient import Rule

from .graph_sizes import GraphSizes, with_constants
from .operations import Named, Operation as NamedOperation
from .symbols import Later, SymbolicTensor

_LET_GO = EagerTensor(np.zeros(()))  # in the place of a capture, while it is asked whether somebody else holds it


class Node(NamedTuple):
    """One operation: `rule` nodes stand for a user's rule, which says how its outputs come from its inputs, and
    compute nothing."""

    prim: Operation
    inputs: tuple[int, ...]
    params: dict[Any, Any]
    outputs: tuple[int, ...]
    several: bool
    line: str
    place: tuple[str, int] | None = None  # the file and line, where they are known
    scope: str = ""  # of `tf.name_scope` and Keras layers, as "model/dense"


def _also(kind: type[Exception]) -> type[InvalidArgumentError]:
    """What is wrong with an argument, found while tracing: TensorFlow raises another error then than when it runs.
    Ours is both."""
    again = lambda self: (
        _made_again,
        (kind, self.message),
    )  # pickled by its function: the class goes by its parent's name
    return type(
        kind.__name__,
        (InvalidArgumentError, kind),
        {"__doc__": _also.__doc__, "__module__": "builtins", "__reduce__": again},
    )


_WrongDtype, _WrongShape = _also(TypeError), _also(ValueError)


def _made_again(kind: type[Exception], message: str) -> InvalidArgumentError:
    return (_WrongDtype if kind is TypeError else _WrongShape)(None, None, message)


_LINE = re.compile(r" at (\S+:\d+|Cell In\[\d+\], line \d+)")  # in a text, of the user


def _in_this_call(prim: Operation, specs: list, params: dict) -> str:
    """What is wrong, with the sizes of the call that is traced."""
    try:
        prim.infer(specs, params)
    except InvalidArgumentError as error:
        return getattr(error, "found", error.message)
    return ""


class Graph(GraphSizes, Executor):
    """An executor that writes down what the function does."""

    def __init__(self, within: "tuple[Graph, ...] | None" = None) -> None:
        """`within`: the graphs around it, whose symbols it may capture; None: it captures what it is given, and so do
        those inside of it."""
        self.within = within
        self.takes_all: bool = within is None or any(graph.takes_all for graph in within)
        self.lock = Lock()  # for who writes on in a graph that others read
        self.symbols: list[SymbolicTensor] = []
        self.nodes: list[Node] = []
        self.inputs: list[int] = []
        self.captures: dict[int, tuple[Tensor, int]] = {}  # tensors from outside, by identity
        self.constants: dict[int, Tensor] = {}  # what nobody else can have, by index
        self.reads: dict[int, tuple[Any, int]] = {}  # variables, by id, with the index of their first value
        self.latest: dict[int, int] = {}  # what variables hold now
        self.assigned: dict[int, Any] = {}
        self.keys_drawn: list[tuple[Site, int]] = []
        self.unseeded = 0  # random operations without a seed of their own
        self.may_create, self.created = False, 0
        self.compiles = False  # XLA is to compile it
        self.own_key: Any = None  # makes a key of one of several replicas of one for all of them
        self.autograph = True  # Python statements about tensors are part of the graph, or are unrolled
        self.sizes: list[Size] = []  # those that are not known
        self.relied_on = Reliance()  # what the trace is only right for; see `core.sizes`
        self.late: dict[int, SymbolicTensor | None] = {}  # by number, where sizes are that depend on values
        self.guarded: set[tuple] = set()  # what nodes check of what the trace relies on
        self.settled, self.unseen = 0, []  # which questions have been dealt with
        self.measures: Any = None  # computes the value of a size now, as `evaluate`
        self.names: dict[int, str] = {}  # of arguments and variables
        self.used_names: dict[str, int] = {}
        self._operations: Named | None = None
        self.text: Any = None  # writes it down for people, once it is complete
        self.evaluate: Any = None  # computes a symbol now, from the arguments of the call that the trace is for

    def frame(self) -> Frame:
        return Frame(self, tuple([o for o in current().observers if o.looks_inside]))

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that the graph has not given away: `name`, `name_1`, …"""
        count = self.used_names.get(name, 0)
        if mark_as_used:
            self.used_names[name] = count + 1
        return f"{name}_{count}" if count else name

    @property
    def operations(self) -> Named:
        """The operations by name, also of a graph that is being written."""
        if self._operations is None:
            self._operations = Named(self)
        return self._operations.refreshed()

    def get_operations(self) -> list[NamedOperation]:
        """What the function takes and does, in order, after the nodes that were imported."""
        return self.operations.listed()

    def get_operation_by_name(self, name: str) -> NamedOperation:
        """The operation of a name; KeyError if there is none."""
        return self.operations.found(name)

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of a name such as `add:0`: an operation's, and the number of its output.

        Raises:
            KeyError: If there is none.
            ValueError: If the name is not that of a tensor.
        """
        return self.operations.tensor(name)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor of a name such as `add:0`, the operation of one such as `add`; they themselves."""
        if not isinstance(obj, str):
            return obj
        return self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef message, for tools that read it. It needs `protobuf`.

        Args:
            from_version: Taken and not used.
            add_shapes: Whether nodes say the shapes of what they give, as the attribute `_output_shapes`.

        Returns:
            A message `GraphDef`, with a node for each operation, argument, variable and constant. Operations have
            TensorFlow's types where it has them, and static arguments as attributes.

        >>> f = tf.function(lambda x: tf.sin(x) * 2.0)
        >>> message = f.get_concrete_function(tf.TensorSpec([2])).graph.as_graph_def()
        >>> [(node.name, node.op, list(node.input)) for node in message.node]
        [('x', 'Placeholder', []), ('Sin', 'Sin', ['x']), ('Const', 'Const', []), ('mul', 'Mul', ['Sin', 'Const'])]
        """
        written = import_module("tapeflow.io.graph_definitions")  # which is above, and needs an extra
        return written.graph_definition(self, add_shapes)

    def __str__(self) -> str:
        return super().__repr__() if self.text is None else self.text()

    def __repr__(self) -> str:
        """What it takes and how much it does; `print` shows all of it."""
        takes = ", ".join(str(self.symbols[i]) for i in self.inputs)
        return f"<Graph of {len(self.nodes)} operations, of ({takes}); print it for all of them>"

    def _repr_html_(self) -> str:
        """The text of it, in Jupyter."""
        return f"<pre>{html.escape(str(self))}</pre>"

    def is_open(self) -> bool:
        """Is it being traced now, or what is traced now inside of it?"""
        frame: Frame | None = current()
        while frame is not None:
            if isinstance(frame.executor, Graph) and (frame.executor is self or self in (frame.executor.within or ())):
                return True
            frame = frame.below
        return False

    # ---- values

    def new(self, spec: Any) -> SymbolicTensor:
        shape = tuple([self._adopted(d) if type(d) is Size else d for d in spec.shape])
        symbol = SymbolicTensor(self, len(self.symbols), Spec(shape=shape, dtype=np.dtype(spec.dtype)))
        self.symbols.append(symbol)
        return symbol

    def argument(self, spec: Any) -> SymbolicTensor:
        symbol = self.new(spec)
        self.inputs.append(symbol.index)
        return symbol

    def named(self, index: int) -> str:
        """What the value at an index is called: as the argument, or after the operation that computes it."""
        if index in self.names:
            return self.names[index]
        for node in self.nodes:
            if index in node.outputs:
                return f"{node.prim.name}_{index}"
        return f"Placeholder_{index}"

    def twin(self, index: int) -> SymbolicTensor:
        """Another handle on a value, which no tape knows."""
        return SymbolicTensor(self, index, self.symbols[index].spec)

    def index_of(self, tensor: Tensor) -> int:
        """The index of the value of a tensor, which becomes an input of the graph if it comes from outside."""
        if type(tensor) is SymbolicTensor and tensor._graph is self:
            return tensor.index
        entry = self.captures.get(id(tensor))
        if entry is None:
            if not self.takes_all and type(tensor) is SymbolicTensor and tensor._graph not in self.within:
                raise TypeError(
                    f"{tensor} is out of scope and cannot be used here: it belongs to another function (or branch, or "
                    f"loop), and is used at {user_line()}. A symbolic tensor has no value there: return it from that "
                    "function, and use the result."
                )
            entry = self.captures[id(tensor)] = tensor, self.new(Spec(shape=tensor.sizes, dtype=tensor.dtype.np)).index
        return entry[1]

    def finalize(self) -> None:
        """The function has been traced: tensors that only the graph holds are constants. Nobody can watch them, or
        capture them again."""
        remembered = remembered_constants()  # other graphs may hold them, too, but no program
        for key in list(self.captures):
            tensor, index = self.captures[key]
            if type(tensor) is EagerTensor:
                # Let go of it: if it is still there, somebody else has it. (How references are counted differs from
                # Python to Python.)
                array, still = tensor.array, weakref.ref(tensor)
                self.captures[key] = _LET_GO, index
                del tensor
                elsewhere = still()
                if elsewhere is not None and key not in remembered:
                    self.captures[key] = elsewhere, index
                else:
                    self.constants[index] = EagerTensor(array)
                    del self.captures[key]

    # ---- the executor

    def execute(self, prim: Operation, args: tuple[Any, ...], params: dict[Any, Any]) -> Any:
        indices = tuple([self.index_of(a) for a in args])
        specs = [self.symbols[p].spec for p in indices]
        try:
            check_dtypes(prim, args)
        except InvalidArgumentError as error:
            raise _WrongDtype(None, None, error.message) from None
        asked = len(self.relied_on)
        try:
            out = self._inferred(prim, specs, params)
        except InvalidArgumentError as error:
            if isinstance(error, ValueNeeded):
                raise
            found = getattr(error, "found", error.message)
            text = found if _LINE.search(found) else f"{found}\n  {describe(prim, args, params)}"
            if len(self.relied_on) == asked:
                raise _WrongShape(None, None, text) from None
            # A size was asked for that is not known: with others it may be right, and this is about one call.
            now = [Spec(shape=tuple(map(estimated, s.shape)), dtype=s.dtype) for s in specs]
            text = text.replace(found, _in_this_call(prim, now, params) or found)
            shapes = " and ".join([str(s.shape) for s in now])
            raise InvalidArgumentError(None, None, f"{text}\n  In this call they have shapes {shapes}.") from None
        several = isinstance(out, tuple)
        outs = [
            Spec(shape=tuple([d if self._sees(d) else None for d in o.shape]), dtype=o.dtype)
            for o in (out if several else (out,))
        ]
        known = not any(None in s.shape for s in specs)  # sizes of a specification may be unknown; then so are results
        late = known and not prim.hides_sizes and any(None in o.shape for o in outs)
        if late and self.compiles:
            raise ValueNeeded(f"The size of what {prim.name} gives depends on values, at {user_line()}.")
        node, inputs = self._sized(prim, params)
        symbols = tuple([self.new(o) for o in outs])
        self._write(node, indices + inputs, params, tuple([s.index for s in symbols]), several)
        if late:
            for symbol in symbols:
                self.measure(symbol)
        if len(self.relied_on) > asked and self.relied_on.late:
            self.guard()
        self._compute_sizes(prim, args, params, symbols)
        return symbols if several else symbols[0]

    def _inferred(self, prim: Operation, specs: list, params: dict) -> Any:
        """Shape and dtype of what comes out. Sizes that nothing is known of may be taken for others until it fits."""
        while True:
            asked = len(self.relied_on)
            try:
                return prim.infer(specs, params)
            except InvalidArgumentError:
                if not self.relied_on.guessed_better(asked):
                    raise

    def _write(self, prim: Operation, inputs: tuple, params: dict, outputs: tuple, several: bool) -> None:
        """An operation that comes from another graph has its line and scope from there."""
        place, again = user_place(), replayed.get()
        line = line_of(place) if again is None else again.line
        self.nodes.append(Node(prim, inputs, params, outputs, several, line, place, open_scope()))

    def wrong_dtype(self, message: str) -> InvalidArgumentError:
        """What `core.errors.dtype_clash` makes of a message here."""
        return _WrongDtype(None, None, message)

    def wrong_argument(self, message: str) -> InvalidArgumentError:
        """What `core.errors.invalid` makes of a message here. `found`: for who knows more to say."""
        if _LINE.search(message):  # who names the line means this kind of error
            return InvalidArgumentError(None, None, message)
        error = _WrongShape(None, None, f"{message}\n  Found at {user_line()}")
        error.found = message  # type: ignore[attr-defined]
        return error

    def _compute_sizes(self, prim: Operation, args: tuple, params: dict, symbols: tuple) -> None:
        """Where a program computes with sizes (`tf.shape(x)[0] * 2`), say what comes out: it may be a size of
        something else."""
        unknown = any(type(d) is Size for s in symbols for d in s.spec.shape)
        if unknown or any(s.dtype.kind not in "iub" for s in symbols) or prim.kernel is None:
            return
        if any(type(a) is SymbolicTensor and a._made is None for a in args):
            return
        later = Later(prim, args, params, symbols)
        for symbol in symbols:
            symbol._made = later

    def existing(self, prim: Operation, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """What `prim` gives, if it is there with these arguments: as other handles, which no tape knows."""
        indices = tuple([self.index_of(a) for a in args])
        for node in reversed(self.nodes):
            if node.prim is prim and node.inputs == indices:
                return tuple([self.twin(p) for p in node.outputs])
        return None

    def effect(self, what: str) -> None:
        raise ValueNeeded(f"{what} happens at every call, and cannot be part of a graph, at {user_line()}.")

    def initial(self, value: Tensor) -> Any:
        """The array that a new variable starts from: variables are made when the function is traced for the first
        call."""
        if not self.may_create:
            raise ValueError(
                "tf.function only supports variables that are created once, on the first call; a variable was "
                f"created again, at {user_line()}. Create it outside, or keep it: `if self.v is None: self.v = "
                "tf.Variable(...)`."
            )
        self.created += 1
        return raw(value) if isinstance(value, EagerTensor) else self.evaluate(value)

    def read(self, variable: Any) -> SymbolicTensor:
        if variable.serial not in self.reads:
            if not variable._shape.is_fully_defined():  # what is traced holds for one shape
                raise ValueNeeded(f"The shape of variable {variable.name!r} may change, at {user_line()}.")
            index = self.new(Spec(shape=variable._value.shape, dtype=variable.dtype.np)).index
            self.reads[variable.serial] = variable, index
            self.names[index] = variable.name.removesuffix(":0")
            self.latest.setdefault(variable.serial, index)
        first, now = self.reads[variable.serial][1], self.latest[variable.serial]
        if first == now:
            return self.twin(now)
        # What was assigned: gradients go to the variable, not to what was assigned.
        return self.execute(ops.assigned.primitive, (self.symbols[now], self.symbols[first]), {})

    def assign(self, variable: Any, value: Tensor) -> None:
        self.latest[variable.serial] = self.index_of(value)
        self.assigned[variable.serial] = variable

    def constant(self, tensor: Tensor) -> Tensor:
        """One that was just made: it stays what it is until an operation takes it."""
        return tensor

    def fresh_key(self, source: Draw | Site) -> SymbolicTensor:
        """A key that is drawn anew in each run."""
        key = self.new(Spec(shape=(3,), dtype=np.uint64))
        made = site(source, self.unseeded)
        if not self.within:
            made = shared(made, [before for before, _ in self.keys_drawn])
        self.keys_drawn.append((made, key.index))
        self.unseeded += type(source) is Draw and source.seed is None
        return key

    def keys(self, key: Tensor) -> Tensor:
        return key if self.own_key is None else self.own_key(key)

    def announce(self, rule: BackwardRule, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Any) -> None:
        indices = lambda tensors: tuple([self.index_of(t) for t in tensors])
        self._write(rule, indices(inputs) + indices(body), {}, indices(outs), True)

    # ---- a graph inside another

    def leading_to(self, inputs: Iterable[int], outputs: Iterable[int], effects: bool) -> list[Node]:
        """The nodes that the outputs are computed by from the inputs, in order; and those that have an effect."""
        given, found = set(inputs), []
        wanted = set(outputs) - given
        there = self._computable(given) if effects and self.guarded else given
        for node in reversed(self.nodes):
            if node.prim.guards:
                needed = all(p in wanted or p in there for p in node.inputs)
            else:
                needed = not wanted.isdisjoint(node.outputs) or effects and node.prim.has_effect
            if needed:
                found.append(node)
                wanted.update([p for p in node.inputs if p not in given])
        return found[::-1]

    def _computable(self, given: set[int]) -> set[int]:
        """The indices of what can be computed from these."""
        found = given | self.constants.keys() | {p for _, p in self.captures.values()}
        for node in self.nodes:
            if found.issuperset(node.inputs):
                found.update(node.outputs)
        return found

    def replay(
        self, values: dict[int, Tensor], outputs: list[int], effects: bool = False, sizes: Any = None
    ) -> list[Tensor]:
        """What the graph computes, in the current frame, from the tensors at its input indices. `sizes`: what those
        that were not known when it was traced are now, by number."""
        values = self.known(values)
        before = replayed.get()
        late = self.late_by_index() if current().executor is not None else {}
        sizes = with_constants(sizes, late, values)
        try:
            for node in self.leading_to(values, outputs, effects):
                replayed.set(node)
                made = self.replayed(node, values, sizes)
                values.update(made)
                sizes = with_constants(sizes, late, made)
        finally:
            replayed.set(before)
        return [values[p] for p in outputs]

    def known(self, values: dict[int, Tensor]) -> dict[int, Tensor]:
        """The values by index from which the graph can be replayed: these, constants and captures."""
        return self.constants | {p: t for t, p in self.captures.values()} | values

    def replayed(self, node: Node, values: dict[int, Tensor], sizes: Any = None) -> dict[int, Tensor]:
        """What a node computes, by index."""
        args = [values[p] for p in node.inputs]
        if node.prim.body is None:
            prim, args, sizes = node.prim.opened(args, sizes)
            params = node.params
            if sizes is not None:
                params = {name: specialized(value, sizes) for name, value in params.items()}
            out = prim.entry(*args, **params)
            made = dict(zip(node.outputs, out if node.several else (out,)))
            for p, tensor in made.items():
                if type(tensor) is SymbolicTensor:
                    tensor._graph.remeasure(tensor, self.symbols[p].spec.shape)
            return made
        # A user's rule: the outputs are fresh, and come from the inputs by the rule.
        inputs, body = args[: -len(node.outputs)], args[-len(node.outputs) :]
        fresh = tuple([b._twin() for b in body])
        rule = rule_of(node).bound(inputs, sizes) or ReplayedRule(node, self, values, sizes)
        rule.announce(tuple(inputs), fresh, body)
        return dict(zip(node.outputs, fresh))


def rule_of(node: Node) -> BackwardRule:
    assert isinstance(node.prim, BackwardRule), "only rules stand for other operations"
    return node.prim


class ReplayedRule(Rule):
    """A user's rule in one replay of its graph: where the backward function refers to symbols of the graph, it gets
    the values they have in this replay. There may be several, of a function that is called twice in another."""

    def __init__(self, node: Node, graph: Graph, values: dict[int, Tensor], sizes: Any) -> None:
        self.rule, self.graph, self.values, self.sizes = rule_of(node), graph, values, sizes
        self.name, self.takes_none = node.prim.name, node.prim.takes_none
        self.specs = [graph.symbols[p].spec for p in node.outputs]

    def gradients(self, gs: tuple) -> list:
        graph = Graph()
        try:
            with entered(graph.frame()):
                # By sizes that were not known, if there are any: what the function refers to has them, too.
                specs = (
                    self.specs
                    if self.sizes is not None
                    else [None if g is None else Spec(shape=g.sizes, dtype=g.dtype.np) for g in gs]
                )
                seeds = [None if g is None else graph.argument(spec) for g, spec in zip(gs, specs)]
                found = self.rule.gradients(tuple(seeds))
                found = [g.dense(ops) if type(g) is SparseGradient else g for g in found]
                indices = [graph.index_of(g) for g in found if g is not None]
        except ValueNeeded:
            if current().executor is not None:
                raise
            return self.rule.gradients(gs)  # as Python: it may do without the graph's values
        values = dict(zip(graph.inputs, [g for g in gs if g is not None]))
        values |= {
            p: self.values[t.index]
            for t, p in graph.captures.values()
            if isinstance(t, SymbolicTensor) and t._graph is self.graph
        }
        values |= {p: v.value() for v, p in graph.reads.values()} | {
            p: fresh_key(site) for site, p in graph.keys_drawn
        }
        made = iter(graph.replay(values, indices + [graph.latest[i] for i in graph.assigned], sizes=self.sizes))
        gradients = [None if g is None else next(made) for g in found]
        for variable, value in zip(graph.assigned.values(), made):
            variable.put_value(value, read_value=False)
        return gradients


class _GraphOf(Absent):
    """`x.graph`: the graph that a symbolic tensor belongs to. A tensor that has a value while a function is traced is
    a constant of that function; where none is traced it has no graph, and the name is not there."""

    __slots__ = ()

    def __get__(self, tensor: Any, owner: type | None = None) -> Any:
        if type(tensor) is SymbolicTensor:
            return tensor._graph
        executor = current().executor
        if tensor is not None and isinstance(executor, Graph):
            return executor
        return super().__get__(tensor, owner)


Tensor.graph = _GraphOf("graph", FOR_TENSORS["graph"])  # type: ignore[attr-defined]
