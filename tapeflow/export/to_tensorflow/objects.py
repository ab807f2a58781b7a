"""The objects of a SavedModel: what modules, lists and dicts hold, variables, tables, functions with their traces, and
signatures. Each is a node, and its number is its place in the list."""

import inspect
import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.variables.variable import Variable
from tapeflow.export.lowering import CannotBeExported
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.io.model_messages import SavedObjectGraph, TrackableObjectGraph
from tapeflow.ops.arrays.tables import Entries

from . import Written, calling, program_of, written
from .body import Function, Library, kind, shape
from .structures import (
    Described,
    argument_names,
    arguments,
    full_spec,
    leading_specs,
    of_keywords,
    results,
    structured,
)
from .tables import TableFunctions, table_functions

_IDENTIFIERS = {
    "object": "_generic_user_object", "list": "trackable_list_wrapper", "tuple": "trackable_tuple_wrapper",
    "dict": "trackable_dict_wrapper", "signatures": "signature_map",
}  # fmt: skip


class Held(NamedTuple):
    """An object to save: of which kind it is ("object", "list", "tuple", "dict", "variable", "table", "function"),
    what it is, and the numbers of what it holds, by name."""

    kind: str
    value: Any
    children: Mapping[str, int]


class Traced(NamedTuple):
    """A function to save: its parameters, whether it has an input signature, and its traces."""

    name: str
    signature: inspect.Signature
    fixed: bool
    traces: Sequence[ConcreteFunction]


class Signature(NamedTuple):
    """A function to serve: what it calls its tensors, and its results, in the order in which they are flattened."""

    function: ConcreteFunction
    inputs: list[str]
    outputs: list[str]


class Served(NamedTuple):
    """A signature that is written down: what it takes and gives, and the variables and tables after that."""

    name: Function
    inputs: dict[str, Described]
    outputs: dict[str, Described]
    variables: Sequence[Variable]
    tables: Sequence[Entries]


class Objects:
    """Writes objects into messages: `graph`, the `library` of their functions, and the `checkpoint` of the `values`
    of variables."""

    def __init__(self, objects: Sequence[Held], signatures: Mapping[str, Signature]) -> None:
        self.graph: Any = SavedObjectGraph()
        self.checkpoint: Any = TrackableObjectGraph()
        self.library = Library()
        self.variables: dict[int, tuple[Variable, int, str]] = {}  # with their numbers and keys, by serial
        self.tables: dict[Any, tuple[TableFunctions, int]] = {}  # with their numbers, by what they hold
        self.assets: dict[str, str] = {}  # where files are copied from, by their names
        self.values: dict[str, np.ndarray] = {}
        self.done: dict[int, Written] = {}  # by the identity of the trace
        self.served: dict[str, Served] = {}
        paths = _paths(objects)
        for _ in objects:
            self._add()
        for number, held in enumerate(objects):  # functions come after them, and refer to them by number
            if held.kind == "variable":
                self._variable(held.value, number, paths[number])
            elif held.kind == "table":
                self._table(held.value, number)
            elif held.kind != "function":
                self._named(number, held.kind)
        for number, held in enumerate(objects):
            for name, child in held.children.items():
                self._child(number, name, child)
            if held.kind == "function":
                self._function(number, held.value)
        place = self._named(self._add(), "signatures")
        self._child(0, "signatures", place)
        for name, signature in signatures.items():
            self._child(place, name, self._signature(name, signature))

    def _add(self) -> int:
        self.graph.nodes.add()
        self.checkpoint.nodes.add()
        return len(self.graph.nodes) - 1

    def _named(self, number: int, of: str) -> int:
        made = self.graph.nodes[number].user_object
        made.identifier = _IDENTIFIERS[of]
        made.version.producer = made.version.min_consumer = 1
        return number

    def _child(self, parent: int, name: str, number: int) -> None:
        self.graph.nodes[parent].children.add(node_id=number, local_name=name)
        self.checkpoint.nodes[parent].children.add(node_id=number, local_name=name)

    # ---- variables and tables

    def _variable(self, variable: Variable, number: int, path: Sequence[str]) -> None:
        made, own = self.graph.nodes[number].variable, variable.name.removesuffix(":0")
        value = np.asarray(variable.value().array)
        made.dtype, made.name, made.trainable = kind(value.dtype), own, bool(variable.trainable)
        made.shape.CopyFrom(shape([None if d is None else int(d) for d in variable.shape]))
        key = "/".join(part.replace(".", "..").replace("/", ".S") for part in path) + "/.ATTRIBUTES/VARIABLE_VALUE"
        self.checkpoint.nodes[number].attributes.add(name="VARIABLE_VALUE", full_name=own, checkpoint_key=key)
        self.variables[variable.serial], self.values[key] = (variable, number, key), value

    def _number_of(self, variable: Variable) -> int:
        """The number of a variable; one that no attribute holds becomes an attribute of the model."""
        if variable.serial not in self.variables:
            name, number = f"_variable_{len(self.variables)}", self._add()
            self._variable(variable, number, [name])
            self._child(0, name, number)
        return self.variables[variable.serial][1]

    def _table(self, entries: Entries, number: int) -> None:
        """Functions that make and fill it."""
        made = self.graph.nodes[number]
        if entries.content in self.tables:  # of several with the same content, the first is read
            self._named(number, "object")
            return
        made.resource.SetInParent()
        functions = table_functions(self.library, entries, len(self.tables), self.assets)
        self.tables[entries.content] = functions, number
        creator = self._add()
        self._argless(creator, functions.create, [], Described(None, "table_handle"))
        captured = [number]
        if functions.asset is not None:
            asset = self._add()
            self.graph.nodes[asset].asset.asset_file_def_index = list(self.assets).index(functions.asset)
            self._child(number, "_filename", asset)
            captured.append(asset)
        filler = self._add()
        self._argless(filler, functions.initialize, captured, None)
        self._child(number, "_create_resource", creator)
        self._child(number, "_initialize", filler)
        self.graph.nodes[number].dependencies.add(node_id=creator, local_name="_create_resource")

    def _number_of_table(self, entries: Entries) -> int:
        if entries.content not in self.tables:
            number = self._add()
            self._table(entries, number)
            self._child(0, f"_table_{len(self.tables)}", number)
        return self.tables[entries.content][1]

    def _argless(self, number: int, name: Function, captured: Sequence[int], returned: Any) -> None:
        """A function without arguments."""
        made = self.graph.nodes[number].function
        made.concrete_functions.append(name)
        made.function_spec.fullargspec.CopyFrom(full_spec(inspect.Signature()))
        made.function_spec.input_signature.none_value.SetInParent()
        concrete = self.graph.concrete_functions[name]
        concrete.bound_inputs.extend(captured)
        concrete.canonicalized_input_signature.CopyFrom(structured(((), {})))
        concrete.output_signature.CopyFrom(structured(returned))

    # ---- functions

    def _written(self, function: ConcreteFunction, name: str) -> tuple[Written, Any]:
        """Each trace once, however many objects and signatures are made of it."""
        program = program_of(function)
        if id(function) not in self.done:
            self.done[id(function)] = written(self.library, program, name, argument_names(program))
        return self.done[id(function)], program

    def _function(self, number: int, function: Traced) -> None:
        described: list[Any] = []
        refused: list[CannotBeExported] = []
        for trace in function.traces:
            try:
                done, program = self._written(trace, function.name)
            except CannotBeExported as error:  # for other arguments, such as training=False, it may be written
                refused.append(error)
                continue
            described.append(arguments(trace, function.signature, program))
            if done.name not in self.graph.nodes[number].function.concrete_functions:
                self.graph.nodes[number].function.concrete_functions.append(done.name)
            self._concrete(done.name, done, described[-1], results(trace, done.results))
        if refused and not described:
            raise refused[0]
        for why in refused:
            logging.getLogger("tapeflow").warning("%s Its other traces are saved.", why)
        spec = self.graph.nodes[number].function.function_spec
        spec.fullargspec.CopyFrom(full_spec(function.signature))
        if function.fixed and len(described) == 1:
            spec.input_signature.CopyFrom(leading_specs(described[0][0]))
        else:
            spec.input_signature.none_value.SetInParent()

    def _signature(self, name: str, signature: Signature) -> int:
        """Its tensors go by keyword: in the order of their names, as do its results."""
        done, _ = self._written(signature.function, name)
        in_order = lambda names: {names[k]: k for k in sorted(range(len(names)), key=lambda k: names[k])}
        taken, given = in_order(signature.inputs), in_order(signature.outputs)
        own = calling(self.library, done, f"signature_{name}", taken, given)
        inputs = {argument: Described(done.arguments[k], argument) for argument, k in taken.items()}
        outputs = {result: Described(done.results[k], result) for result, k in given.items()}
        self._concrete(own, done, ((), inputs), outputs)
        number = self._add()
        bare = self.graph.nodes[number].bare_concrete_function
        bare.concrete_function_name = own
        bare.argument_keywords.extend(inputs)
        bare.allowed_positional_arguments = 1 if len(inputs) == 1 else 0
        bare.function_spec.fullargspec.CopyFrom(of_keywords(list(inputs)))
        bare.function_spec.input_signature.none_value.SetInParent()
        self.served[name] = Served(own, inputs, outputs, done.variables, done.tables)
        return number

    def _concrete(self, name: Function, done: Written, given: Any, returned: Any) -> None:
        made = self.graph.concrete_functions[name]
        if not made.HasField("output_signature"):
            bound = [*map(self._number_of, done.variables), *map(self._number_of_table, done.tables)]
            made = self.graph.concrete_functions[name]
            made.bound_inputs.extend(bound)
        made.canonicalized_input_signature.CopyFrom(structured(given))
        made.output_signature.CopyFrom(structured(returned))


def _paths(objects: Sequence[Held]) -> dict[int, tuple[str, ...]]:
    """How each object is reached from the first one."""
    found: dict[int, tuple[str, ...]] = {0: ()}
    waiting = [0]
    for number in waiting:
        for name, child in objects[number].children.items():
            if child not in found:
                found[child] = (*found[number], name)
                waiting.append(child)
    return found
