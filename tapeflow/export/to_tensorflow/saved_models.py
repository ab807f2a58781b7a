"""SavedModels as TensorFlow writes them: functions, variables and signatures in one graph of objects, and a graph with
placeholders for servers, which call signatures by name."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core import nest
from tapeflow.core.primitive import Spec
from tapeflow.core.variables.variable import Variable
from tapeflow.export.lowering import Program
from tapeflow.function.tracing.concrete import ConcreteFunction, opened
from tapeflow.io.model_messages import NodeDef, SavedModel, StructuredValue, TrackableObjectGraph
from tapeflow.storage.checkpoints.bundle import GRAPH_KEY
from tapeflow.storage.whole_files import made_whole, replacing

from . import Written, program_of, written
from .body import Kind, Library, attribute, kind, shape, tensor
from .bundle import bundle, texts

_SERVE = "serve"
_FULL = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations")
_SAVER = "saver_filename"


class Signature(NamedTuple):
    """A function to serve: what it calls its tensors, and its results, in the order in which they are flattened."""

    function: ConcreteFunction
    inputs: list[str]
    outputs: list[str]


def write(
    folder: Path, functions: Mapping[str, Sequence[ConcreteFunction]], variables: Mapping[str, Variable],
    signatures: Mapping[str, Signature],
) -> None:  # fmt: skip
    """A SavedModel in a folder: functions (each with a trace or several) and variables by the names of the attributes
    that they become."""
    model, index, content = _Model(functions, variables, signatures).messages()
    files = {"variables/variables.data-00000-of-00001": content, "variables/variables.index": index}
    files["saved_model.pb"] = model  # last: it names the others
    if folder.exists():
        _write_files(folder, files)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with made_whole(str(folder)) as made:
        os.mkdir(made)
        _write_files(Path(made), files)


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    (folder / "variables").mkdir(exist_ok=True)
    for name, content in files.items():
        with replacing(str(folder / name)) as file:
            file.write(content)


class _Model:
    def __init__(
        self, functions: Mapping[str, Sequence[ConcreteFunction]], variables: Mapping[str, Variable],
        signatures: Mapping[str, Signature],
    ) -> None:  # fmt: skip
        self.model = SavedModel(saved_model_schema_version=1)
        self.meta: Any = self.model.meta_graphs.add()
        self.meta.meta_info_def.tags.append(_SERVE)
        self.meta.meta_info_def.tensorflow_version = "2.15.0"  # the oldest whose operators these all are
        self.meta.graph_def.versions.producer = 1645
        self.objects = self.meta.object_graph_def
        self.library = Library()
        self.numbers: dict[int, int] = {}  # of objects of variables, by serial
        self.values: dict[str, np.ndarray] = {}
        self.keys: dict[int, str] = {}
        self.checkpoint = TrackableObjectGraph()
        self.programs: dict[int, Program] = {}  # by the identity of the function
        self.handles: dict[int, str] = {}  # nodes of the graph for servers
        root = self._object("_generic_user_object")
        for name, variable in variables.items():
            self._child(0, name, self._variable(variable, name))
        for name, traces in functions.items():
            self._child(0, name, self._function(name, traces))
        map_number = self._object("signature_map")
        self._child(0, "signatures", map_number)
        assert root == 0
        for name, signature in signatures.items():
            self._child(map_number, name, self._signature(name, signature))
        self._saver()
        self.meta.graph_def.library.function.extend(self.library.functions)

    def messages(self) -> tuple[bytes, bytes, bytes]:
        """(The model, the index of its values, the values)."""
        while len(self.checkpoint.nodes) < len(self.objects.nodes):
            self.checkpoint.nodes.add()
        values = self.values | {GRAPH_KEY: texts(self.checkpoint.SerializeToString(deterministic=True))}
        return self.model.SerializeToString(deterministic=True), *bundle(values)

    # ---- objects

    def _add(self) -> tuple[int, Any]:
        made = self.objects.nodes.add()
        self.checkpoint.nodes.add()
        return len(self.objects.nodes) - 1, made

    def _object(self, identifier: str) -> int:
        number, made = self._add()
        made.user_object.identifier = identifier
        made.user_object.version.producer = made.user_object.version.min_consumer = 1
        return number

    def _child(self, parent: int, name: str, number: int) -> None:
        self.objects.nodes[parent].children.add(node_id=number, local_name=name)
        self.checkpoint.nodes[parent].children.add(node_id=number, local_name=name)

    def _variable(self, variable: Variable, name: str | None = None) -> int:
        """The number of a variable's object; one that no attribute holds becomes an attribute of the model."""
        if variable.serial in self.numbers:
            return self.numbers[variable.serial]
        number, made = self._add()
        self.numbers[variable.serial] = number
        own = variable.name.removesuffix(":0")
        value = np.asarray(variable.value().array)
        made.variable.dtype, made.variable.name = kind(value.dtype), own
        made.variable.trainable = bool(variable.trainable)
        made.variable.shape.CopyFrom(shape(value.shape))
        attribute_name = name or f"_variable_{len(self.keys)}"
        if name is None:
            self._child(0, attribute_name, number)
        key = f"{attribute_name.replace('/', '.S')}/.ATTRIBUTES/VARIABLE_VALUE"
        self.checkpoint.nodes[number].attributes.add(name="VARIABLE_VALUE", full_name=own, checkpoint_key=key)
        self.keys[variable.serial], self.values[key] = key, value
        node = self._node(f"variable_{len(self.keys)}", "VarHandleOp", (), dtype=Kind(kind(value.dtype)))
        node.attr["shape"].CopyFrom(attribute(shape(value.shape)))
        node.attr["shared_name"].s = node.name.encode()
        self.handles[variable.serial] = node.name
        return number

    def _program(self, function: ConcreteFunction) -> Program:
        if id(function) not in self.programs:
            self.programs[id(function)] = program_of(function)
        return self.programs[id(function)]

    def _function(self, name: str, traces: Sequence[ConcreteFunction]) -> int:
        number, made = self._add()
        for function in traces:
            program = self._program(function)
            names = _argument_names(program)
            results = [f"output_{k}" for k in range(sum(p is not None for p in function.result_indices))]
            order = range(len(results))
            done = written(self.library, program, name, names, range(len(names)), results, order)
            made = self.objects.nodes[number]
            made.function.concrete_functions.append(done.name)
            self._concrete(done, _arguments(function, program), _results(function, done.results))
        spec = made.function.function_spec
        spec.fullargspec.CopyFrom(_full_spec(traces[0]))
        if len(traces) == 1:
            spec.input_signature.CopyFrom(_structured(_arguments(traces[0], self._program(traces[0]))[0]))
        else:
            spec.input_signature.none_value.SetInParent()
        return number

    def _signature(self, name: str, signature: Signature) -> int:
        """Its tensors go by keyword: in the order of their names, as do its results."""
        program = self._program(signature.function)
        by_name = sorted(range(len(signature.inputs)), key=lambda k: signature.inputs[k])
        results = sorted(range(len(signature.outputs)), key=lambda k: signature.outputs[k])
        done = written(
            self.library, program, f"signature_{name}", signature.inputs, by_name, signature.outputs, results
        )
        inputs = {signature.inputs[k]: _Spec(program.spec(program.inputs[k]), signature.inputs[k]) for k in by_name}
        outputs = {signature.outputs[k]: _Spec(done.results[k], signature.outputs[k]) for k in results}
        self._concrete(done, ((), inputs), outputs)
        number, made = self._add()
        bare = made.bare_concrete_function
        bare.concrete_function_name = done.name
        bare.argument_keywords.extend(inputs)
        bare.allowed_positional_arguments = 1 if len(inputs) == 1 else 0
        fields = dict.fromkeys(_FULL) | {"args": [], "kwonlyargs": list(inputs), "annotations": {}}
        bare.function_spec.fullargspec.CopyFrom(_named_tuple(fields))
        bare.function_spec.input_signature.none_value.SetInParent()
        self._serve(name, done, inputs, outputs)
        return number

    def _concrete(self, done: Written, arguments: Any, results: Any) -> None:
        made = self.objects.concrete_functions[done.name]
        made.bound_inputs.extend([self._variable(v) for v in done.variables])
        made.canonicalized_input_signature.CopyFrom(_structured(arguments))
        made.output_signature.CopyFrom(_structured(results))

    # ---- the graph for servers

    def _node(self, name: str, op: str, inputs: Sequence[str], **attributes: Any) -> Any:
        made: Any = NodeDef(name=name, op=op)
        made.input.extend(inputs)
        for key, value in attributes.items():
            made.attr[key].CopyFrom(attribute(value))
        node = self.meta.graph_def.node.add()
        node.CopyFrom(made)
        return node

    def _serve(self, name: str, done: Written, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        described = self.meta.signature_def[name]
        described.method_name = "tensorflow/serving/predict"
        given, kinds = [], []
        for argument, spec in inputs.items():
            node = self._node(f"{name}_{argument}", "Placeholder", (), dtype=spec.kind)
            node.attr["shape"].CopyFrom(attribute(spec.shape))
            _described(described.inputs[argument], f"{node.name}:0", spec)
            given.append(node.name)
            kinds.append(spec.kind)
        for variable in done.variables:
            given.append(self.handles[variable.serial])
            kinds.append(Kind(20))
        results = [spec.kind for spec in outputs.values()]
        call = self._node(f"{name}_call", "StatefulPartitionedCall", given, Tin=kinds, Tout=results, f=done.name)
        for k, (result, spec) in enumerate(outputs.items()):
            _described(described.outputs[result], f"{call.name}:{k}", spec)

    def _saver(self) -> None:
        """What a server runs to fill the variables."""
        if not self.keys:
            return
        constant = lambda name, *values: self._node(
            name, "Const", (), dtype=Kind(7), value=tensor(np.array(list(values), object))
        )
        prefix = self._node(_SAVER, "Placeholder", (), dtype=Kind(7))
        names, slices = constant("saver_names", *map(str.encode, self.keys.values())), len(self.keys) * [b""]
        every = constant("saver_slices", *slices)
        kinds = [Kind(kind(self.values[key].dtype)) for key in self.keys.values()]
        read = self._node("saver_read", "RestoreV2", [prefix.name, names.name, every.name], dtypes=kinds)
        done = []
        for k, (serial, dtype) in enumerate(zip(self.keys, kinds)):
            given = [self.handles[serial], f"{read.name}:{k}"]
            done.append(self._node(f"saver_assign_{k}", "AssignVariableOp", given, dtype=dtype).name)
        self._node("saver_restore", "NoOp", [f"^{name}" for name in done])
        held = [f"saver_value_{k}" for k in range(len(kinds))]
        for name, serial, dtype in zip(held, self.keys, kinds):
            self._node(name, "ReadVariableOp", [self.handles[serial]], dtype=dtype)
        self._node("saver_write", "SaveV2", [prefix.name, names.name, every.name, *held], dtypes=kinds)
        self._node("saver_saved", "Identity", [prefix.name, "^saver_write"], T=Kind(7))
        saver = self.meta.saver_def
        saver.filename_tensor_name, saver.save_tensor_name = f"{_SAVER}:0", "saver_saved:0"
        saver.restore_op_name, saver.version = "saver_restore", 2


class _Spec:
    """A tensor in a structure: its shape, dtype and name, as messages have them."""

    def __init__(self, spec: Spec, name: str) -> None:
        self.shape, self.kind, self.name = shape(tuple(spec.shape)), Kind(kind(spec.dtype)), name


def _described(info: Any, name: str, spec: _Spec) -> None:
    info.name, info.dtype = name, spec.kind
    info.tensor_shape.CopyFrom(spec.shape)


def _argument_names(program: Program) -> list[str]:
    return [program.names.get(p, "argument") for p in program.inputs]


def _arguments(function: ConcreteFunction, program: Program) -> Any:
    """The positional arguments and those by keyword, with specifications in the place of tensors."""
    leaves = opened(function.structure)
    for k, index, name in zip(function.tensor_positions, program.inputs, _argument_names(program)):
        leaves[k] = _Spec(program.spec(index), name)
    args, kwargs = nest.pack_as(function.structure, leaves)
    return tuple(args), dict(kwargs)


def _results(function: ConcreteFunction, specs: Sequence[Spec]) -> Any:
    rest = iter([_Spec(s, f"output_{k}") for k, s in enumerate(specs)])
    leaves = [None if p is None else next(rest) for p in function.result_indices]
    return nest.pack_as(function.structured_outputs, leaves)


def _full_spec(function: ConcreteFunction) -> Any:
    names = [n for n, *_ in function.binding.parameters(function.specs)]
    return _named_tuple(dict.fromkeys(_FULL) | {"args": names, "kwonlyargs": [], "annotations": {}})


def _named_tuple(fields: Mapping[str, Any]) -> Any:
    made: Any = StructuredValue()
    made.named_tuple_value.name = "FullArgSpec"
    for key, value in fields.items():
        made.named_tuple_value.values.add(key=key).value.CopyFrom(_structured(value))
    return made


def _structured(value: Any) -> Any:
    """The message of a structure of specifications and Python values."""
    made: Any = StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, _Spec):
        made.tensor_spec_value.name, made.tensor_spec_value.dtype = value.name, value.kind
        made.tensor_spec_value.shape.CopyFrom(value.shape)
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, Mapping):
        made.dict_value.SetInParent()
        for key, part in value.items():
            made.dict_value.fields[str(key)].CopyFrom(_structured(part))
    elif isinstance(value, (list, tuple)):
        of = made.list_value if isinstance(value, list) else made.tuple_value
        of.SetInParent()
        of.values.extend([_structured(part) for part in value])
    else:
        raise ValueError(
            f"TensorFlow's format cannot hold an argument {value!r} of type {type(value).__name__}: call the function "
            "with tensors and numbers, or save with the default format."
        )
    return made
