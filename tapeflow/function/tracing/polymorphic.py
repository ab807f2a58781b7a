"""`tf.function` itself: a cache of concrete functions, one for each signature (dtypes, shapes, Python values) it was
called with."""

import copy
import functools
import inspect
import logging
import weakref
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import spec_of
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.frames import current
from tapeflow.core.listeners import board
from tapeflow.core.primitive import Spec
from tapeflow.core.runtime import settings
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.autograph.convert import converted

from .arguments.function_types import FunctionType, tracing_type
from .arguments.mistakes import Unfit, bound, refused, without_collisions
from .arguments.specified import as_specified, checked, is_spec
from .concrete import ConcreteFunction, argument_name, opened, opened_paths
from .graph import Graph
from .ranks import RankedFunction
from .retracing import Retracing, made_of, opened_up

_NUMBERS = (bool, int, float, complex, str, bytes, type(None))
_EXACT = frozenset((bool, int, str, bytes, type(None)))  # those that are the same if they are equal, and of one type
_MOST_TRACES = 256  # that are remembered by their arguments; the oldest goes
_MOST_GENERAL = 16  # of those for more than one size, where what Python asked about sizes is all that differs


# The parameters and the result of the function, and what a method belongs to.
P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)
Owner = TypeVar("Owner")


class Function(Generic[P, R]):
    """A Python function that is traced when it is called with a new kind of arguments, and otherwise runs as a plan.

    >>> double = tf.function(lambda x: x * 2)
    >>> isinstance(double, tf.types.experimental.Callable)
    True
    >>> double(tf.constant(3)).numpy()
    np.int32(6)
    """

    __name__: str  # and more that `functools.wraps` copies

    def __init__(
        self, python_function: Callable[P, R], input_signature: Any = None, autograph: bool = True,
        jit_compile: bool = False, reduce_retracing: bool | str = False,
    ) -> None:  # fmt: skip
        """`autograph`: what cannot be traced because Python needs a tensor's value, an `if` for example, runs as plain
        Python. `reduce_retracing`: where sizes differ from call to call, trace for any; "batch": where those of first
        axes do."""
        functools.update_wrapper(self, python_function)
        self._signature = inspect.signature(python_function)
        if input_signature is not None:
            input_signature = checked(input_signature, python_function, self._signature)
        self.python_function = self._python_function = python_function  # by both names in what `wraps` makes of it
        self._options = input_signature, autograph, jit_compile, reduce_retracing
        self.input_signature, self.autograph, self.jit_compile, self.reduce_retracing = self._options
        self._name = getattr(python_function, "__name__", type(python_function).__name__)
        kinds = [p.kind for p in self._signature.parameters.values()]
        plain = all(k in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in kinds)
        self._arity = len(kinds) if plain else -1  # a call with so many arguments needs no binding, which is slow
        self._traces: dict[Any, ConcreteFunction] = {}
        self._quick: dict[tuple, ConcreteFunction] = {}  # the same, by simpler keys
        self._general: dict[Any, list[ConcreteFunction]] = {}  # traces that serve more than one size
        self._seen: dict[Any, list] = {}  # the shapes of the last trace, for `reduce_retracing`
        self._methods: dict[int, Function] = {}  # by the id of the object
        self._ranks: dict[tuple, RankedFunction] = {}  # those for any rank, by the arguments
        self._lock = Lock()
        self._tracing: set[Any] = set()  # the keys of traces that are being made
        self._count = self._calls = 0
        self._complete = False  # there was a trace that came to its end
        self._retracing, self._made_again = Retracing(), made_of(python_function)

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(
        self: "Function[Concatenate[Owner, Q], R]", instance: Owner, owner: Any = None
    ) -> "Function[Q, R]": ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else BoundFunction(self._method(instance), instance)

    def _method(self, instance: Any) -> "Function":
        """The function of one object, with traces, variables and a signature of its own. It goes when the object
        goes."""
        key = id(instance)
        found = self._methods.get(key)
        if found is None:
            try:
                get = weakref.ref(instance, lambda _: self._methods.pop(key, None))
            except TypeError:  # an object that cannot be referred to weakly stays
                get = lambda: instance
            call = functools.wraps(self.python_function)(
                lambda *args, **kwargs: self.python_function(get(), *args, **kwargs)
            )
            call.__signature__ = _without_first(self._signature)
            call._converted = lambda: lambda *args, **kwargs: converted(self.python_function)(get(), *args, **kwargs)
            with self._lock:
                found = self._methods.setdefault(key, Function(call, *self._options))
        return found

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        executor = current().executor
        if settings.functions_run_eagerly or executor is not None and not isinstance(executor, Graph):
            return self.python_function(*args, **kwargs)
        self._calls += 1
        self._made_again.calls += 1
        if kwargs or len(args) != self._arity:
            concrete, tensors = self._concrete(args, kwargs)
            return concrete.run(tensors)
        # Most calls are with tensors and numbers, and like an earlier one: a key that is made fast finds it.
        key, tensors = [*board.graph_keys()] if board.seats else [], []
        for a in args:
            if type(a) is EagerTensor:
                array = a.array
                key += array.shape, array.dtype
                tensors.append(a)
            elif type(a) in _EXACT:
                key += a, type(a)
            else:
                concrete, tensors = self._concrete(args, kwargs)
                return concrete.run(tensors)
        quick = tuple(key)
        concrete = self._quick.get(quick)
        if concrete is None:
            concrete, tensors = self._concrete(args, kwargs)
            if self.input_signature is None:  # which may have converted them
                self._quick[quick] = concrete
        return concrete.run(tensors)

    def __deepcopy__(self, memo: dict) -> "Function":
        """Of the copied object, if it is a method, and not traced yet."""
        return Function(copy.deepcopy(self.python_function, memo), *self._options)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments; specifications stand for tensors.

        Args:
            *args: Tensors, or `tf.TensorSpec`s in their place.
            **kwargs: The same, by keyword.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = tuple(self.input_signature)
        if any(is_spec(leaf) and leaf.shape.rank is None for leaf in opened((args, kwargs))):
            return self._ranked(*self._bound(args, kwargs))
        return self._concrete(args, kwargs)[0]

    def _ranked(self, args: tuple, kwargs: dict) -> ConcreteFunction:
        """For specifications some of which say nothing of the rank."""
        leaves = opened((args, kwargs))
        positions = [k for k, leaf in enumerate(leaves) if is_spec(leaf) or isinstance(leaf, Tensor)]
        shape = lambda leaf: None if leaf.shape.rank is None else tuple(leaf.shape)
        specs = [
            Spec(shape=shape(leaf), dtype=leaf.dtype.np, name=getattr(leaf, "name", None))
            for leaf in (leaves[k] for k in positions)
        ]
        key = "ranks", repr((args, kwargs))
        if key not in self._ranks:
            self._ranks[key] = RankedFunction(self, _without_tensors((args, kwargs)), positions, specs)
        return self._ranks[key]

    @property
    def traced(self) -> Any:
        """The Python function as AutoGraph converts it."""
        return converted(self.python_function) if self.autograph else self.python_function

    def traced_for(
        self, structure: Any, positions: list[int], specs: list[Spec], now: list[Tensor] | None
    ) -> ConcreteFunction:
        """A trace that is not among those for calls.

        Args:
            structure: The arguments, (positional, keyword), with None for tensors.
            positions: Which of the leaves are tensors.
            specs: Their shapes and dtypes.
            now: The tensors of the call that the trace is for, if there is one.
        """
        options = self._name, self.jit_compile, self.autograph
        made = ConcreteFunction(self.python_function, self.traced, structure, positions, specs, *options)
        with self._lock:
            key = object()
            try:
                self._tracing.add(key)
                return self._traced(made, now)
            finally:
                self._tracing.discard(key)

    def __repr__(self) -> str:
        traces = f"{len(self._traces)} trace{'' if len(self._traces) == 1 else 's'}"
        return f"<tf.function {self._name}{self._signature}, {traces}>"

    @property
    def graph(self) -> Graph:
        """The graph of the latest trace; `print(f.graph)` shows it."""
        if not self._traces:
            raise ValueError(
                f"{self._name} has no graph before it was called. Call it, or say for what: "
                "get_concrete_function(...)."
            )
        return list(self._traces.values())[-1].graph

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """What XLA is given, or makes of it, for these arguments: `stage` is "hlo" or "optimized_hlo".

        Returns:
            A function of `stage` that gives text.
        """
        concrete, tensors = self._concrete(args, kwargs)

        def text(stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None) -> str:
            return concrete.compiler_text(tensors, stage)

        return text

    @property
    def name(self) -> str:
        return self._name

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What each trace takes and gives, as text.

        Args:
            verbose: False leaves a line for each trace.
        """
        return "\n\n".join(trace.pretty_printed_signature(verbose) for trace in self._traces.values())

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was run."""
        return self._count

    def _decorate(self, decorator: Callable) -> None:
        """Puts `decorator(f)` in the place of the Python function f, before it is traced. (TensorFlow's name, which
        libraries call.)"""
        if self._count:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self.python_function = self._python_function = decorator(self.python_function)
        self._signature = inspect.signature(self.python_function) if self._arity < 0 else self._signature

    @property
    def function_type(self) -> FunctionType:
        """What the function takes: its parameters, with what the signature says of them."""
        specs = iter(self.input_signature or ())
        kinds = self._signature.parameters.values()
        by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        found = [(p.name, p.kind, next(specs, None) if p.kind in by_position else None, p.default) for p in kinds]
        return FunctionType.of([(n, k, c, d is not inspect.Parameter.empty) for n, k, c, d in found])

    # ---- from arguments to a trace

    def _concrete(self, args: tuple, kwargs: dict) -> tuple[ConcreteFunction, list[Tensor]]:
        args, kwargs = self._bound(args, kwargs)
        leaves = opened((args, kwargs))
        structure = self._typed((args, kwargs))
        key: list[Any] = [(_containers(structure), board.graph_keys())]
        parts = self._specs_of_parts(structure)
        positions, tensors, specs = [], [], []
        for k, leaf in enumerate(leaves):
            if isinstance(leaf, (Tensor, np.ndarray, np.generic)):
                tensor = to_tensor(leaf)
                tensors.append(tensor)
                shape = tuple(tensor.sizes) if parts[k] is None else _as_open(tensor.sizes, parts[k])
                spec = Spec(shape=shape, dtype=tensor.dtype.np)
            elif is_spec(leaf):
                spec = Spec(shape=tuple(leaf.shape), dtype=leaf.dtype.np, name=getattr(leaf, "name", None))
            elif isinstance(leaf, _NUMBERS):
                key.append((type(leaf), _same_number(leaf)))
                continue
            elif hasattr(type(leaf), "__tf_tracing_type__"):
                key.append((type(leaf), tracing_type(leaf)))
                continue
            else:
                if type(leaf).__hash__ is None and type(leaf) is not slice:  # what may change would change unseen
                    raise TypeError(
                        f"Could not generate a generic TraceType for {leaf!r}. Please verify that it is "
                        f"immutable/hashable. It is of type {type(leaf).__name__}; a tf.function takes tensors, "
                        "numbers, strings, lists, tuples and dicts of them, and objects that are known by identity."
                    )
                key.append((type(leaf), id(leaf)))
                continue
            positions.append(k)
            specs.append(spec)
            key.append((spec.shape, spec.dtype))
        whole = tuple(key)
        found = self._traces.get(whole)
        if found is None:
            with self._lock:
                found = self._traces.get(whole)
                if found is None:
                    if whole in self._tracing:
                        raise ValueNeeded(
                            f"{self._name} calls itself, and when it stops depends on values, at {user_line()}."
                        )
                    try:
                        self._tracing.add(whole)
                        found = self._new(whole, structure, leaves, positions, tensors, specs)
                    finally:
                        self._tracing.discard(whole)
        return found, tensors

    def _typed(self, structure: Any) -> Any:
        """Arguments with the specs of composites in their place: their own, or what the signature says."""
        if not any(map(nest.is_composite, nest.flatten(structure))):
            return structure
        signature = () if self.input_signature is None else nest.flatten(self.input_signature)
        wanted = iter([spec for spec in signature if nest.is_composite(spec)])
        return nest.map_structure(lambda v: next(wanted, spec_of(v)) if nest.is_composite(v) else v, structure)

    def _specs_of_parts(self, structure: Any) -> list:
        """For each of the `opened` leaves the spec of a part of a composite; None for what is a leaf by itself, and
        where XLA compiles, which has to know all sizes."""
        specs: list = []
        for leaf in nest.flatten(structure):
            inside = nest.walked(leaf, composites=True) if nest.is_composite(leaf) else [None]
            specs += [None] * len(inside) if self.jit_compile else inside
        return specs

    def _new(
        self, key: tuple, structure: Any, leaves: list, positions: list[int], tensors: list[Tensor], specs: list[Spec]
    ) -> ConcreteFunction:
        """What serves arguments that none so far were like: a trace for more than one size, or a new trace."""
        now, shapes = tensors if len(tensors) == len(positions) else None, specs
        kinds = tuple(
            [part if len(part) != 2 or not isinstance(part[0], tuple) else (len(part[0]), part[1]) for part in key[1:]]
        )
        general = key[0], kinds  # what they are like, sizes apart
        if now is not None:
            for trace in self._general.get(general, ()):
                found = trace.at(tensors)
                if found is not None:
                    return self._remembered(key, found)
            shapes, specs = specs, self._generalised(general, specs)
        without_collisions(structure[1])
        # Tensors of the first call are not kept alive; objects are, since their identity is part of the key.
        kept = [None if k in positions else leaf for k, leaf in enumerate(leaves)]
        structure = _without_tensors(structure)
        made = ConcreteFunction(
            self.python_function,
            self.traced,
            structure,
            positions,
            specs,
            self._name,
            self.jit_compile,
            self.autograph,
        )
        made.kept = kept
        made = self._traced(made, now)
        if made.sizes or any(None in spec.shape for spec in specs):
            serving = self._general.setdefault(general, [])
            serving[:-_MOST_GENERAL] = []
            serving.append(made)
            made = made if now is None else made.at(tensors)
        self._noticed(structure, leaves, positions, shapes)
        return self._remembered(key, made)

    def _remembered(self, key: tuple, found: ConcreteFunction) -> ConcreteFunction:
        for kept in (self._traces, self._general, self._seen):
            while len(kept) >= _MOST_TRACES:
                self._quick.clear()
                del kept[next(iter(kept))]
        self._traces[key] = found
        return found

    def _generalised(self, general: Any, specs: list[Spec]) -> list[Spec]:
        """The specifications to trace for: None for sizes that the signature leaves open, or that were others
        before."""
        if self.input_signature is not None:
            wanted = [s for s in opened(self.input_signature) if is_spec(s)]
            shapes = [
                tuple(w.shape) if w.shape.rank is not None else (None,) * len(s.shape) for w, s in zip(wanted, specs)
            ]
        elif self.reduce_retracing and (before := self._seen.get(general)):
            last = 0 if self.reduce_retracing == "batch" else None  # of the axes that may be left open
            shapes = [opened_up(old, s.shape, last) for old, s in zip(before, specs)]
        else:
            shapes = [s.shape for s in specs]
        self._seen[general] = shapes
        return [Spec(shape=shape, dtype=s.dtype) for shape, s in zip(shapes, specs)]

    def _traced(self, made: ConcreteFunction, now: list[Tensor] | None) -> ConcreteFunction:
        """Variables may be made in the first trace only, which may take several attempts; what then uses them is
        traced once more."""
        first = not self._complete and len(self._tracing) == 1
        self._count += 1
        try:
            if made.trace(now, may_create=first):
                self._count += 1
                made.trace(now, may_create=False)
        except ValueNeeded as error:
            if error.asked_by_python:  # what AutoGraph does not convert, or where there is none
                raise
            log = logging.getLogger("tapeflow")
            level = logging.WARNING if self.jit_compile else logging.INFO
            log.log(level, "%s runs as plain Python, not as a graph: %s", self._name, error)
            made.as_python, made.sizes, made.why = True, [], str(error)
        self._complete = True
        return made

    def _noticed(self, structure: Any, leaves: list, positions: list[int], specs: list[Spec]) -> None:
        arguments: dict[str, dict[str, Any]] = {}
        tensors, paths = dict(zip(positions, specs)), opened_paths(structure)
        for k, leaf in enumerate(leaves):
            if k in tensors:
                # To compare sizes of other traces would be a question that they are asked.
                shape = tuple([None if type(d) is Size else d for d in tensors[k].shape])
                found = {"shape": shape, "dtype": np.dtype(tensors[k].dtype).name}
            elif isinstance(leaf, _NUMBERS):
                found = {"value": repr(leaf)}
            else:
                found = {"object": id(leaf)}
            name = argument_name(self.python_function, paths[k])
            number = sum(path == paths[k] for path in paths[:k])  # of the parts of a composite
            arguments[f"{name}, part {number}" if number else name] = found
        self._retracing.notice(self._name, self._calls, arguments)
        if len(self._traces) == 0:
            self._made_again.notice(self._name, self._made_again.calls, {})

    def _bound(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        if len(args) == self._arity and not kwargs and self.input_signature is None:
            return args, kwargs
        given = bound(self._signature, args, kwargs)
        if self.input_signature is None:
            given.apply_defaults()
        else:
            try:
                given.arguments.update(as_specified(self._signature, self.input_signature, given.arguments))
            except Unfit as reason:
                raise refused(reason, args, kwargs, self._signature) from None
        return given.args, given.kwargs


class BoundFunction:
    """A tf.function as a method, which keeps its object alive."""

    def __init__(self, function: Function, instance: Any) -> None:
        self.function, self.instance = function, instance
        functools.update_wrapper(self, function.python_function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return Function  # to isinstance, which is how programs tell that a method is a tf.function

    def __getattr__(self, name: str) -> Any:
        if name == "function":  # a copy in the making has none yet
            raise AttributeError(name)
        return getattr(self.function, name)


def _without_first(signature: inspect.Signature) -> inspect.Signature:
    """Of a method, as its caller sees it; with `*args` the object is among them."""
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ):
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)


def _same_number(value: Any) -> Any:
    """Equal only to what is the same: -0.0 is not 0.0, and nan is nan."""
    return repr(value) if isinstance(value, (float, complex)) else value


def _containers(structure: Any) -> Any:
    """The containers: a list and a tuple, or dicts with other keys, make different traces."""
    parts = nest.children(structure, composites=True)
    if parts is None:
        return None
    inside = tuple(map(_containers, parts))
    if nest.is_composite(structure):  # a spec of one makes the same trace
        spec = spec_of(structure)
        return type(spec), spec.__trace_kind__(), inside
    return type(structure), tuple(structure) if isinstance(structure, dict) else None, inside


def _as_open(shape: Any, spec: Any) -> tuple:
    """The shape of a part, with None where its spec says nothing of a size."""
    open_axes = getattr(spec, "shape", None)
    if open_axes is None or open_axes.rank != len(shape):
        return tuple(shape)
    return tuple([None if free is None else size for free, size in zip(open_axes, shape)])


def _without_tensors(structure: Any) -> Any:
    """Arguments with None in the place of tensors, and with specs in that of composites."""

    def kept(leaf: Any) -> Any:
        if nest.is_composite(leaf):
            return spec_of(leaf)
        return None if isinstance(leaf, (Tensor, np.ndarray, np.generic)) or is_spec(leaf) else leaf

    return nest.map_structure(kept, structure)
