"""The objects of a SavedModel that TensorFlow wrote: modules, variables, functions, tables, assets, each once."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.api.raw_ops.resources import Table
from tapeflow.api.variables.module import Module
from tapeflow.core.errors import OpError, UnimplementedError
from tapeflow.core.tensor import EagerTensor
from tapeflow.saved_model.loading import LoadedObject, SignatureMap

from .folder import FILE, Checkpoint, asset_path
from .functions import Signature, TensorFlowFunction, Trace, python_signature
from .library import Body, Library, reference
from .running import Runner, picked, refusal
from .values import array_of

__all__ = ["AT_LOADING", "Objects", "check_files", "report_missing", "text_tensor"]

_log = logging.getLogger("tapeflow")

# What may run while a model is loaded: it makes a table and fills it.
AT_LOADING = frozenset(
    """Const Identity NoOp Cast Size Range HashTable HashTableV2 MutableHashTable MutableHashTableV2 InitializeTable
    InitializeTableV2 InitializeTableFromTextFile InitializeTableFromTextFileV2 LookupTableImport LookupTableImportV2
    StatefulPartitionedCall PartitionedCall""".split()
)


def report_missing(library: Library, names: Sequence[str], folder: Path, complain: bool) -> str:
    """Say which of some functions cannot run; raise where none can. Gives what is missing."""
    refused = [name for name in names if refusal(library.reached([name])) is not None]
    if not refused:
        return ""
    whole = refusal(library.reached(refused))
    assert whole is not None
    if complain and len(refused) == len(names):
        raise UnimplementedError(None, None, f"In {folder / FILE}: {whole.message}")
    if complain:
        _log.warning(
            "Of the %d functions of the SavedModel in %s, %d cannot be called. %s",
            len(names), folder, len(refused), whole.message,
        )  # fmt: skip
    return whole.message


def check_files(bodies: Sequence[Body]) -> None:
    """ValueError where a table is filled from a file that is no asset of the model."""
    for body in bodies:
        for step in body.steps:
            reads = step.operation.op.startswith("InitializeTableFromTextFile") and len(step.inputs) > 1
            if reads and step.inputs[1].node not in body.arguments:
                raise ValueError(f"the table of {step.name!r} is filled from a file that is no asset of the model")


def text_tensor(text: str) -> EagerTensor:
    """A scalar of bytes."""
    return EagerTensor(np.array(text.encode(), object))


class Objects:
    """All objects of a MetaGraphDef, by number."""

    def __init__(self, folder: Path, meta: Any) -> None:
        self.folder, self.meta, self.graph = folder, meta, meta.object_graph_def
        self.nodes = self.graph.nodes
        self._check()
        self.library = Library(meta.graph_def.library.function, meta.graph_def.library.registered_gradients)
        for node in self.nodes:
            if node.WhichOneof("kind") == "captured_tensor":
                one = node.captured_tensor
                self.library.kept.setdefault(one.concrete_function, set()).add(reference(one.name).node)
        self.runner = ObjectRunner(self)
        self.checkpoint = Checkpoint(folder, self.nodes)
        self.constants = {node.name: node for node in meta.graph_def.node if node.op == "Const"}
        self.made: dict[int, Any] = {}
        self.tables: dict[int, Any] = {}
        self.traces: dict[str, Trace] = {}
        self.missing = ""  # which operations cannot run

    def _check(self) -> None:
        if not self.nodes:
            raise ValueError("its object graph is empty")
        for number, node in enumerate(self.nodes):
            for child in (*node.children, *node.dependencies):
                if not 0 <= child.node_id < len(self.nodes):
                    raise ValueError(f"its object {number} holds the object {child.node_id}, which is not there")

    def child(self, number: int, name: str) -> int | None:
        return next((c.node_id for c in self.nodes[number].children if c.local_name == name), None)

    # ---- what is loaded

    def root(self, complain: bool = True) -> LoadedObject:
        """The object that was saved. What it holds is made first, and put together then: objects may hold each
        other.

        Args:
            complain: Warn of functions that cannot run, and raise if none can.
        """
        for number in range(len(self.nodes)):
            self.value(number)
        for number, node in enumerate(self.nodes):
            self._fill(number, node)
        for number in list(self.tables):
            self._initialize(number)
        root = self.made[0]
        if not isinstance(root, LoadedObject):
            raise ValueError(f"its root is a {type(root).__name__}")
        root.signatures = SignatureMap(self._signatures())
        self._report(complain)
        return root

    def _signatures(self) -> dict[str, Any]:
        number = self.child(0, "signatures")
        children = [] if number is None else self.nodes[number].children
        found = {c.local_name: self.made[c.node_id] for c in children}
        return {name: made for name, made in found.items() if isinstance(made, Signature)}

    def _report(self, complain: bool) -> None:
        found = [m for m in self.made.values() if isinstance(m, (TensorFlowFunction, Signature))]
        names = {t.name for m in found for t in (m.found if isinstance(m, TensorFlowFunction) else [m.trace])}
        self.missing = report_missing(self.library, sorted(names), self.folder, complain)

    # ---- single objects

    def value(self, number: int) -> Any:
        """The object of a number; containers are still empty."""
        if number not in self.made:
            node = self.nodes[number]
            kind = node.WhichOneof("kind")
            self.made[number] = getattr(self, f"_{kind or 'user_object'}")(number, node)
        return self.made[number]

    def _user_object(self, number: int, node: Any) -> Any:
        identifier = node.user_object.identifier
        if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
            return []
        return {} if identifier in ("trackable_dict_wrapper", "signature_map") else LoadedObject()

    def _variable(self, number: int, node: Any) -> Any:
        return self.checkpoint.variable(number, node.variable)

    def _constant(self, number: int, node: Any) -> Any:
        name = node.constant.operation
        if name not in self.constants:
            raise ValueError(f"the constant {name!r} is not there")
        return EagerTensor(array_of(self.constants[name].attr["value"].tensor))

    def _asset(self, number: int, node: Any) -> Any:
        index = node.asset.asset_file_def_index
        if not 0 <= index < len(self.meta.asset_file_def):
            raise ValueError(f"the asset {index} is not there")
        path = asset_path(self.folder, self.meta.asset_file_def[index].filename)
        return text_tensor(path)

    def _captured_tensor(self, number: int, node: Any) -> Any:
        return node.captured_tensor  # of a call: what the gradient of a function reads

    def _resource(self, number: int, node: Any) -> Any:
        self.tables[number] = None
        return LoadedObject()

    def _function(self, number: int, node: Any) -> Any:
        spec = node.function.function_spec
        found = [self.trace(name) for name in node.function.concrete_functions]
        fixed = spec.input_signature.WhichOneof("kind") not in (None, "none_value")
        name = found[0].short_name if found else "function"
        return TensorFlowFunction(name, found, python_signature(spec), fixed)

    def _bare_concrete_function(self, number: int, node: Any) -> Any:
        trace = self.trace(node.bare_concrete_function.concrete_function_name)
        try:
            return Signature(trace)
        except ValueError:
            return trace

    def trace(self, name: str) -> Trace:
        if name not in self.traces:
            if name not in self.graph.concrete_functions:
                raise ValueError(f"the function {name!r} is not there")
            message = self.graph.concrete_functions[name]
            made = self.traces[name] = Trace.of(name, message, self.runner, Captures(self, message.bound_inputs))
            wanted = (
                len(self.library.definitions[name].signature.input_arg) if name in self.library.definitions else -1
            )
            if wanted < len(made.captured):
                raise ValueError(f"the function {name!r} captures {len(made.captured)} values and takes {wanted}")
        return self.traces[name]

    def captured(self, number: int) -> Any:
        """What a function gets for an object that it captured: a variable, a tensor, a table."""
        if not 0 <= number < len(self.nodes):
            raise ValueError(f"a function captures the object {number}, which is not there")
        if self.nodes[number].WhichOneof("kind") == "resource":
            return self.table(number)
        return self.value(number)

    # ---- what objects hold

    def _fill(self, number: int, node: Any) -> None:
        made = self.made[number]
        if isinstance(made, list):
            entries = {int(c.local_name): self.made[c.node_id] for c in node.children if c.local_name.isdigit()}
            made.extend([entries[k] for k in sorted(entries)])
        elif isinstance(made, dict):
            made.update({c.local_name: self.made[c.node_id] for c in node.children})
        elif isinstance(made, LoadedObject):
            for child in node.children:
                name, part = child.local_name, self.made[child.node_id]
                if name == "signatures" and number == 0 or isinstance(part, Trace):
                    continue
                if isinstance(getattr(Module, name, None), property):
                    made._collections[name] = part
                else:
                    vars(made)[name] = part

    # ---- tables

    def table(self, number: int) -> Any:
        """The table of a resource, made by its own function."""
        if self.tables[number] is None:
            made = self._run_now(number, "_create_resource")
            if made is None or not isinstance(made[0], Table):
                raise ValueError(f"the resource {number} is no lookup table")
            self.tables[number] = made[0]
        return self.tables[number]

    def _initialize(self, number: int) -> None:
        try:
            table = self.table(number)
            self._run_now(number, "_initialize")
        except OpError as error:
            error.add_note(f"A lookup table of the SavedModel {self.folder / FILE} could not be filled.")
            raise
        keys = self.checkpoint.values(number)
        of = lambda end: next((key for name, key in keys.items() if name.endswith(end)), None)
        if (names := of("-keys")) is not None and (values := of("-values")) is not None:
            table.insert(EagerTensor(self.checkpoint.read(names)), EagerTensor(self.checkpoint.read(values)))

    def _run_now(self, number: int, name: str) -> list | None:
        child = self.child(number, name)
        if child is None:
            return None
        function = self.value(child)
        if not isinstance(function, TensorFlowFunction) or len(function.found) != 1:
            raise ValueError(f"the resource {number} has no function {name}")
        [trace] = function.found
        bodies = self.library.reached([trace.name])
        for body in bodies:
            for step in body.steps:
                if step.operation.op not in AT_LOADING and not step.operation.calls:
                    raise ValueError(f"the resource {number} runs {step.operation.op} when it is loaded")
        check_files(bodies)
        return self.runner.run(trace.name, list(trace.captured))


class Captures:
    """What a function captures, looked up when it runs: tables are made late."""

    def __init__(self, objects: Objects, numbers: Any) -> None:
        self.objects, self.numbers = objects, list(numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Any:
        return iter([self.objects.captured(number) for number in self.numbers])


class ObjectRunner(Runner):
    """Runs functions of an object graph, with the gradients that they were saved with."""

    def __init__(self, objects: Objects) -> None:
        super().__init__(objects.library)
        self.objects = objects

    def captured_by_gradient(self, name: str, function: str, values: dict[str, Any]) -> list[Any] | None:
        if name not in self.objects.graph.concrete_functions:
            return None
        found = []
        for number in self.objects.graph.concrete_functions[name].bound_inputs:
            value = self.objects.captured(number)
            if self.objects.nodes[number].WhichOneof("kind") == "captured_tensor":
                ref = reference(value.name)
                if value.concrete_function != function or ref.node not in values:
                    return None
                value = picked(values, ref)
            found.append(value)
        return found
