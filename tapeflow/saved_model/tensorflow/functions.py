"""The functions of a SavedModel that TensorFlow wrote, as `tf.function`s: each concrete function is traced once more,
from its nodes, when it is called for the first time."""

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.composite import TypeSpec
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.errors import InvalidArgumentError, UnimplementedError
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.saving.loaded import LoadedFunction, described
from tapeflow.function.tracing.arguments.mistakes import bound, refused
from tapeflow.function.tracing.concrete import ConcreteFunction, opened
from tapeflow.function.tracing.polymorphic import Function
from tapeflow.function.tracing.ranks import RankedFunction
from tapeflow.saved_model.loading import SignatureFunction

from .running import Runner, refusal
from .values import Opaque, structured

__all__ = ["Signature", "TensorFlowFunction", "Trace", "python_signature"]


class Trace:
    """A function of the file: its arguments and results as structures of specs, and what it captures."""

    def __init__(self, name: str, runner: Runner, captured: Any, arguments: tuple, results: Any) -> None:
        """`captured`: its values. `arguments`: positional ones, and those by keyword."""
        self.name, self.runner, self.captured = name, runner, captured
        self.arguments, self.results = arguments, results

    @classmethod
    def of(cls, name: str, message: Any, runner: Runner, captured: Any) -> "Trace":
        """As a SavedConcreteFunction describes it."""
        arguments = structured(message.canonicalized_input_signature)
        if not (isinstance(arguments, tuple) and len(arguments) == 2 and isinstance(arguments[1], dict)):
            raise ValueError(f"the signature of {name} is no pair of positional and keyword arguments")
        whole = tuple(arguments[0]), arguments[1]
        return cls(name, runner, captured, whole, structured(message.output_signature))

    @property
    def short_name(self) -> str:
        return self.name.removeprefix("__inference_").rstrip("0123456789").rstrip("_") or self.name

    @property
    def call(self) -> str:
        """The arguments, as text."""
        return _text(self.arguments)

    def captures(self) -> Sequence[Any]:
        """What it captures, when it runs."""
        return list(self.captured)

    def check(self) -> None:
        """UnimplementedError where a node cannot run."""
        found = refusal(self.runner.library.reached([self.name]))
        if found is not None:
            raise found
        if any(isinstance(leaf, Opaque) for leaf in nest.flatten((self.arguments, self.results))):
            raise UnimplementedError(
                None, None, f"{self.name} takes or gives a reference (to a variable, table or dataset): in a "
                "SavedModel such functions are for loading alone."
            )  # fmt: skip

    @functools.cached_property
    def function(self) -> Any:
        """Traced anew for arguments of other sizes."""
        self.check()
        made: Function = Function(self._python(), autograph=False)
        return made

    @functools.cached_property
    def concrete(self) -> ConcreteFunction:
        """For any sizes that the file leaves open."""
        args, kwargs = self.arguments
        return self.function.get_concrete_function(*args, **kwargs)

    def _python(self) -> Any:
        """From arguments to results, by the nodes of the file."""

        def function(*args: Any, **kwargs: Any) -> Any:
            tensors = [leaf for leaf in opened((args, kwargs)) if isinstance(leaf, (Tensor, np.ndarray))]
            found = self.runner.run(self.name, [*map(to_tensor, tensors), *self.captures()])
            return self._packed(found)

        args, kwargs = self.arguments
        kinds = inspect.Parameter
        names = [kinds(f"argument_{k}", kinds.POSITIONAL_ONLY) for k in range(len(args))]
        names += [kinds(name, kinds.KEYWORD_ONLY) for name in kwargs if name.isidentifier()]
        if len(names) == len(args) + len(kwargs):
            function.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
        function.__name__ = function.__qualname__ = self.short_name
        return function

    def _packed(self, found: list[Any]) -> Any:
        leaves = nest.walked(self.results, composites=True)
        tensors = iter([x for x in found if x is not None])
        return nest.packed(
            self.results, iter([next(tensors, None) if _is_place(leaf) else leaf for leaf in leaves]), composites=True
        )

    def fit(self, given: tuple[tuple, dict], convert: bool) -> list[Tensor] | None:
        """The tensors among the arguments, if the function was traced for such."""
        tensors: list[Tensor] = []
        return tensors if _fit(self.arguments, given, convert, tensors) else None


def _fit(wanted: Any, given: Any, convert: bool, tensors: list[Tensor]) -> bool:
    """Are the arguments as a trace wants them? The tensors among them are added to `tensors`."""
    if isinstance(wanted, TensorSpec):
        found = _fitted(given, wanted, convert)
        if found is not None:
            tensors.append(found)
        return found is not None
    if isinstance(wanted, TypeSpec):
        if not nest.is_composite(given) or not wanted.is_compatible_with(given):
            return False
        tensors += nest.walked(given, composites=True)
        return True
    inside, parts = nest.children(wanted), nest.children(given)
    if inside is None:
        return type(wanted) is type(given) and (wanted is given or _same(wanted, given))
    if parts is None or len(parts) != len(inside):
        return False
    if isinstance(wanted, Mapping) != isinstance(given, Mapping) or not convert and type(wanted) is not type(given):
        return False
    if isinstance(wanted, Mapping) and set(wanted) != set(given):
        return False
    return all(_fit(w, g, convert, tensors) for w, g in zip(inside, parts))


def _is_place(leaf: Any) -> bool:
    return isinstance(leaf, (TypeSpec, Tensor))


def _same(wanted: Any, value: Any) -> bool:
    return bool(np.all(np.asarray(wanted == value)))


def _fitted(value: Any, spec: TensorSpec, convert: bool) -> Tensor | None:
    if isinstance(value, TensorSpec):
        fits = value.dtype is spec.dtype and spec.shape.is_compatible_with(value.shape)
        return value if fits else None  # type: ignore[return-value]
    if isinstance(value, Variable) or hasattr(value, "__tf_variable__"):
        value = to_tensor(value)
    if isinstance(value, (np.ndarray, np.generic)) and not convert:
        value = to_tensor(value)
    elif not isinstance(value, Tensor):
        if not convert or not is_convertible(value):
            return None
        try:
            value = to_tensor(value, spec.dtype)
        except (TypeError, ValueError, InvalidArgumentError):
            return None
    fits = value.dtype is spec.dtype and spec.shape.is_compatible_with(value.sizes)
    return value if fits else None


class TensorFlowFunction(LoadedFunction):
    """A polymorphic function: called like the one that was saved, for arguments that one of its traces is for."""

    def __init__(self, name: str, found: Sequence[Trace], signature: inspect.Signature, fixed: bool) -> None:
        self.__name__, self.found, self.signature, self.fixed = name, list(found), signature, fixed

    @property
    def concrete_functions(self) -> list[Any]:  # type: ignore[override]
        """All of its traces, made now."""
        made = [trace.concrete for trace in self.found]
        for one in made:
            one.signature = None
        return [f for one in made for f in (one.without_calls() if isinstance(one, RankedFunction) else [one])]

    @property
    def variables(self) -> tuple[Any, ...]:
        """What its traces read and assign."""
        found = {v.serial: v for trace in self.found for v in trace.captured if isinstance(v, Variable)}
        return tuple(found.values())

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        if not args and not kwargs and len(self.found) == 1:
            return self.found[0].concrete
        return self._chosen(args, kwargs)[0]

    def _chosen(self, args: tuple, kwargs: dict) -> tuple[Any, list[Tensor]]:
        if not self.found:
            raise ValueError(
                f"Found zero restored functions for caller function: {self.__name__} had not been traced when it was "
                "saved. Call it, or give it an input_signature, before saving."
            )
        call = bound(self.signature, args, kwargs)
        call.apply_defaults()
        given = call.args, call.kwargs
        for convert in (False, True):  # what fits as it is comes first
            for trace in self.found:
                tensors = trace.fit(given, convert)
                if tensors is not None:
                    return trace.concrete, tensors
        options = "\n".join(f"  {k + 1}. {_text(trace.arguments)}" for k, trace in enumerate(self.found))
        if self.fixed:
            what = f"Can not cast {described(given)} to {_text(self.found[0].arguments)}"
            raise refused(what, args, kwargs, self.signature, f"It was saved for\n{options}")
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. "
            f"{self.__name__} was called with\n  {described(given)}\nand was saved for\n{options}"
        )

    def __repr__(self) -> str:
        return f"<loaded tf.function {self.__name__} with {len(self.found)} concrete functions>"


def _text(arguments: tuple) -> str:
    args, kwargs = arguments
    return "(" + ", ".join([*map(repr, args), *[f"{name}={value!r}" for name, value in kwargs.items()]]) + ")"


class Signature(SignatureFunction):
    """A function for serving, traced when it is called or looked at."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._arg_keywords = nest.sorted_keys(trace.arguments[1])
        if trace.arguments[0] or any(not isinstance(spec, TensorSpec) for spec in trace.arguments[1].values()):
            raise ValueError(f"the signature {trace.name} takes more than tensors by keyword")

    @functools.cached_property
    def function(self) -> Any:  # type: ignore[override]
        return self.trace.concrete

    @property
    def structured_input_signature(self) -> tuple:
        return (), {name: self.trace.arguments[1][name] for name in self._arg_keywords}

    @property
    def structured_outputs(self) -> dict[str, Any]:
        return self.trace.results

    @property
    def variables(self) -> Any:
        return tuple({v.serial: v for v in self.trace.captured if isinstance(v, Variable)}.values())

    @property
    def trainable_variables(self) -> Any:
        return tuple(v for v in self.variables if v.trainable)

    def __repr__(self) -> str:
        args = ", ".join(f"{name}: {spec!r}" for name, spec in self.structured_input_signature[1].items())
        return f"<signature (*, {args}) -> {{{', '.join(self.structured_outputs)}}}>"


class _Parameter(NamedTuple):
    name: str
    kind: Any
    default: Any


def python_signature(message: Any) -> inspect.Signature:
    """Of a FunctionSpec: the parameters of the Python function."""
    whole = structured(message.fullargspec)
    field: Any = lambda name: getattr(whole, name, None)
    kinds, empty = inspect.Parameter, inspect.Parameter.empty
    names = list(field("args") or ())
    if message.is_method and names:
        names = names[1:]
    defaults = list(field("defaults") or ())
    defaults = [empty] * (len(names) - len(defaults)) + defaults[-len(names) :] if names else []
    named = field("kwonlydefaults") or {}
    found = [_Parameter(n, kinds.POSITIONAL_OR_KEYWORD, d) for n, d in zip(names, defaults)]
    if field("varargs"):
        found.append(_Parameter(field("varargs"), kinds.VAR_POSITIONAL, empty))
    found += [_Parameter(n, kinds.KEYWORD_ONLY, named.get(n, empty)) for n in field("kwonlyargs") or ()]
    if field("varkw"):
        found.append(_Parameter(field("varkw"), kinds.VAR_KEYWORD, empty))
    try:
        return inspect.Signature([kinds(p.name, p.kind, default=p.default) for p in found])
    except (TypeError, ValueError) as error:
        raise ValueError(f"its parameters make no function: {error}") from None
