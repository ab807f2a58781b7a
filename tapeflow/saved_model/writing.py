"""Serialising objects with variables and functions for `tf.saved_model.save`."""

import hashlib
import inspect
import logging
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tapeflow.api.variables.module import Module
from tapeflow.core.primitive import Spec
from tapeflow.core.sizes import Size
from tapeflow.core.variables.variable import Variable
from tapeflow.function.saving.loaded import LoadedFunction
from tapeflow.function.saving.stored_values import CannotBeStored, Writer
from tapeflow.function.saving.writing import CannotBeSaved, FunctionWriter
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.polymorphic import BoundFunction, Function
from tapeflow.function.tracing.ranks import RankedFunction

__all__ = ["ObjectWriter"]


class ObjectWriter:
    """Collects objects, by number: shared ones once. `nodes` is what JSON gets, `arrays` the numbers."""

    def __init__(self) -> None:
        self.nodes: list[dict] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.variables: list[dict[Any, Any]] = []
        self.held: list[Variable] = []  # those that they describe
        self.functions = FunctionWriter(self._constant, self.variable)
        self._numbers: dict[Any, int] = {}
        self._parts: dict[int, dict[str, Any]] = {}
        self._root: Any = None
        self._kept: list = []  # so that no identity is used twice
        self._of_variables: dict[int, int] = {}
        self._constants: dict[Any, str] = {}
        self._waiting: list[tuple[dict, Any]] = []  # functions: written when all variables have their names

    def root(self, value: Any) -> None:
        """The object to save, number 0."""
        if not is_trackable(value):
            raise ValueError(
                "Expected an object of type `Trackable`, such as `tf.Module` or a Keras model, for export. Got "
                f"{value!r} of type {type(value).__name__}."
            )
        self._root = value
        for function in list(
            self._functions(value, set())
        ):  # tracing may make variables, and put them into attributes
            traces(function)
        self._add(value, "")

    def finish(self) -> None:
        """Write the functions: their graphs may read variables that no attribute holds."""
        for node, function in self._waiting:
            node.update(self._function(function))

    def function(self, function: Any) -> int:
        """The number of a function that may be no attribute of the object: one for a signature."""
        number = self._add(function, "signature")
        assert number is not None
        return number

    # ---- objects

    def parts(self, value: Any) -> dict[str, Any]:
        """What an object holds, by name: its attributes, and the functions of its class; or what it says itself, asked
        once, since it may make a function for it."""
        if not hasattr(value, "_saved_parts"):
            return _attributes(value)
        if id(value) not in self._parts:
            self._kept.append(value)
            self._parts[id(value)] = value._saved_parts(value is self._root)
        return self._parts[id(value)]

    def _functions(self, value: Any, seen: set[int]) -> Iterator[Any]:
        """Those of an object and of what it holds."""
        value = value.function if isinstance(value, BoundFunction) else value
        if id(value) in seen:
            return
        seen.add(id(value))
        kind = kind_of(value)
        if kind == "function":
            yield value
        elif kind in ("list", "tuple", "dict", "object"):
            parts = self.parts(value).values() if kind == "object" else value.values() if kind == "dict" else value
            for part in parts:
                yield from self._functions(part, seen)

    def _add(self, value: Any, path: str) -> int | None:
        """The number of what is worth saving; None for all else."""
        if hasattr(value, "__tf_variable__"):
            value = value.__tf_variable__()
        if isinstance(value, BoundFunction):
            value = value.function
        is_variable = isinstance(value, Variable)
        key = ("variable", value.serial) if is_variable else id(value)
        if key in self._numbers:
            return self._numbers[key]
        kind = kind_of(value)
        if kind is None:
            return None
        node: dict = {"kind": kind}
        if kind in ("list", "tuple", "dict"):
            return self._container(value, kind, node, path)
        self._numbers[key] = self._new(node, value)
        if is_variable:
            node["variable"] = self.variable(value, path)
        elif kind in ("function", "concrete"):
            self._waiting.append((node, value))
        else:
            # A module whose class does not call `super().__init__()` has no name.
            node["name"] = getattr(value, "_name", None) if isinstance(value, Module) else None
            found = {
                name: self._add(part, f"{path}.{name}" if path else name) for name, part in self.parts(value).items()
            }
            node["children"] = {name: number for name, number in found.items() if number is not None}
        return self._numbers[key]

    def _new(self, node: dict, value: Any) -> int:
        self.nodes.append(node)
        self._kept.append(value)
        return len(self.nodes) - 1

    def _container(self, value: Any, kind: str, node: dict, path: str) -> int | None:
        """One that holds something worth saving; what else it holds is kept if it is a number, a text or an array."""
        items = list(value.items()) if kind == "dict" else list(enumerate(value))
        numbers = [self._add(part, f"{path}.{key}") for key, part in items]
        if all(number is None for number in numbers) and items:
            return None
        writer, entries = Writer(self._constant), []
        for (key, part), number in zip(items, numbers):
            try:
                held = {"object": number} if number is not None else {"value": writer.value(part)}
                entries.append([writer.value(key), held])
            except CannotBeStored:
                entries.append([str(key), {"value": None}])
        node["entries"] = entries
        return self._new(node, value)

    def variable(self, variable: Variable, path: str | None = None) -> int:
        """The number of a variable among `variables`, which describe them; its values are an array of the name of its
        `path`."""
        if variable.serial not in self._of_variables:
            name = path or f"untracked.{len(self.variables)}"
            while name in self.arrays:
                name += "_"
            self.arrays[name] = np.asarray(variable.value().array)
            self._of_variables[variable.serial] = len(self.variables)
            self.held.append(variable)
            described = {
                "array": name,
                "name": variable.name,
                "trainable": variable.trainable,
                "shape": _listed(variable.shape),
            }
            self.variables.append(described)
        return self._of_variables[variable.serial]

    def _constant(self, array: np.ndarray) -> str:
        """Keep an array; equal ones once."""
        if array.dtype.kind == "O":
            content: Any = tuple(array.reshape(-1).tolist())
        else:
            content = hashlib.blake2b(np.ascontiguousarray(array).tobytes()).digest()
        key = array.dtype.str, str(array.dtype), array.shape, content
        if key not in self._constants:
            self._constants[key] = f"constants/{len(self._constants)}"
            self.arrays[self._constants[key]] = array
        return self._constants[key]

    # ---- functions

    def _function(self, function: Any) -> dict:
        if isinstance(function, RankedFunction):
            raise CannotBeSaved(
                f"{function.name} cannot be saved as one concrete function, since it takes tensors of any rank. Save "
                "the tf.function itself, or a concrete function for a rank: "
                "f.get_concrete_function(tf.TensorSpec([None, None]))."
            )
        if isinstance(function, ConcreteFunction):
            return {"concrete": self.functions.concrete(function)}
        written, skipped, python = [], None, None
        for concrete, known in traces(function):
            try:
                written.append(self.functions.concrete(concrete, known))
            except CannotBeStored as error:  # a trace for an argument that is an object
                skipped = error
            except CannotBeSaved as error:  # with these arguments it is no graph, with others it may be
                python = error
        if python is not None:
            if not written:
                raise python
            logging.getLogger("tapeflow").warning("%s Its %d other traces are saved.", python, len(written))
        if skipped is not None and not written:
            raise CannotBeSaved(
                f"{name_of(function)} cannot be saved: it was called with {skipped}, which a file cannot hold."
            ) from None
        signature = function.signature if isinstance(function, LoadedFunction) else function._signature
        return {
            "name": name_of(function),
            "traces": written,
            "parameters": self._parameters(signature),
            "fixed": has_signature(function),
        }

    def _parameters(self, signature: inspect.Signature) -> list:
        writer, found = Writer(self._constant), []
        for parameter in signature.parameters.values():
            entry: list = [parameter.name, parameter.kind.name]
            if parameter.default is not parameter.empty:
                try:
                    entry.append(writer.value(parameter.default))
                except CannotBeStored:  # no trace for it was saved
                    entry.append(None)
            found.append(entry)
        return found


def kind_of(value: Any) -> str | None:
    if isinstance(value, Variable):
        return "variable"
    if isinstance(value, (Function, LoadedFunction)):
        return "function"
    if isinstance(value, ConcreteFunction):
        return "concrete"
    if is_trackable(value):
        return "object"
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, (list, tuple)):
        return "tuple" if isinstance(value, tuple) else "list"
    return None


def is_trackable(value: Any) -> bool:
    """A module, or what says itself what it holds (a Keras layer)."""
    return isinstance(value, Module) or hasattr(value, "_saved_parts")


def _attributes(value: Any) -> dict[str, Any]:
    ignored = getattr(value, "_TF_MODULE_IGNORED_PROPERTIES", ())
    found = {name: part for name, part in vars(value).items() if name not in ignored}
    for name in dir(type(value)):
        if name not in found and isinstance(inspect.getattr_static(type(value), name), Function):
            found[name] = getattr(value, name)
    return found


def has_signature(function: Any) -> bool:
    return function.fixed if isinstance(function, LoadedFunction) else function.input_signature is not None


def name_of(function: Any) -> str:
    return function.__name__ if isinstance(function, LoadedFunction) else function._name


def _listed(shape: Any) -> list | None:
    return None if shape.rank is None else [None if d is None else int(d) for d in shape]


def traces(function: Any) -> list[tuple[ConcreteFunction, list[ConcreteFunction]]]:
    """The traces of a function, each with those of other sizes that it has been called with."""
    if isinstance(function, LoadedFunction):
        return [(f, []) for f in function.concrete_functions]
    general = [trace for one in function._general.values() for trace in one]
    if function.input_signature is not None:
        try:
            made = function.get_concrete_function()
            return (
                [(trace, []) for trace in made.without_calls()]
                if isinstance(made, RankedFunction)
                else [(made, general)]
            )
        except Exception:
            if not general:
                raise
            return [(general[0], general[1:])]
    found: list[Any] = []
    seen: set[Any] = set()
    for trace in [*general, *function._traces.values()]:  # those for one size, of a general one, share its graph
        if id(trace.graph) not in seen:
            seen.add(id(trace.graph))
            found.append(trace)
    return [(trace, []) for trace in _by_themselves(function, found)]


def _by_themselves(function: Function, found: list[ConcreteFunction]) -> list[ConcreteFunction]:
    """The traces of a function. In the place of those that another function's trace made, for its own unknown sizes,
    which mean nothing outside of it, one for any size."""
    inner = [trace for trace in found if any(type(d) is Size for spec in trace.specs for d in spec.shape or ())]
    made: dict[Any, ConcreteFunction] = {}
    for trace in inner:
        specs = [
            Spec(shape=tuple([None if type(d) is Size else d for d in s.shape]), dtype=s.dtype) for s in trace.specs
        ]
        key = repr(trace.structure), str(trace.tensor_positions), tuple([(s.shape, s.dtype) for s in specs])
        if key not in made and not any(_alike(one, trace, specs) for one in found):
            try:
                made[key] = function.traced_for(trace.structure, trace.tensor_positions, specs, None)
            except Exception as error:  # such as one that needs to know the size
                why = "%s is not saved for the sizes that other functions call it with: %s"
                logging.getLogger("tapeflow").info(why, name_of(function), error)
    return [trace for trace in found if trace not in inner] + list(made.values())


def _alike(one: ConcreteFunction, other: ConcreteFunction, specs: list[Spec]) -> bool:
    """Does a trace serve what another one is for, with these specifications?"""
    if repr(one.structure) != repr(other.structure) or any(type(d) is Size for s in one.specs for d in s.shape or ()):
        return False  # and sizes are not compared: that would be a question of a trace
    return [(s.shape, s.dtype) for s in one.specs] == [(s.shape, s.dtype) for s in specs]
