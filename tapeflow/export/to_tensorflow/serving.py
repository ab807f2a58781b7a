"""The graph of a SavedModel for servers, which know no objects: they call signatures by name, with placeholders for
what they feed, after they have run what fills variables and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.core.variables.variable import Variable
from tapeflow.io.model_messages import MetaGraphDef, NodeDef

from .body import RESOURCE, TEXT, Body, Kind, Library, Value, attribute, kind, shape, tensor
from .objects import Objects, Served
from .structures import Described
from .tables import TableFunctions, filled_node, table_node

_SAVER = "saver_filename"
_INITIALIZED = "__saved_model_init_op"


class Serving:
    """Adds the graph to a message that has the library of functions."""

    def __init__(self, meta: Any, objects: Objects) -> None:
        self.meta: MetaGraphDef = meta
        self.handles: dict[int, str] = {}  # nodes of variables, by serial
        self.tables: dict[Any, str] = {}  # nodes of tables, by what they hold
        for variable, _, _ in objects.variables.values():
            self._variable(variable)
        self._tables([functions for functions, _ in objects.tables.values()], objects.assets)
        for name, signature in objects.served.items():
            self._serve(name, signature)
        self._saver([(variable, key) for variable, _, key in objects.variables.values()])

    def _node(self, name: str, op: str, inputs: Sequence[str], **attributes: Any) -> Any:
        made: Any = NodeDef(name=name, op=op)
        made.input.extend(inputs)
        for key, value in attributes.items():
            made.attr[key].CopyFrom(attribute(value))
        node = self.meta.graph_def.node.add()
        node.CopyFrom(made)
        return node

    def _variable(self, variable: Variable) -> None:
        dtype = variable.value().dtype
        node = self._node(f"variable_{len(self.handles)}", "VarHandleOp", (), dtype=Kind(kind(dtype.as_numpy_dtype)))
        node.attr["shape"].CopyFrom(attribute(shape([None if d is None else int(d) for d in variable.shape])))
        node.attr["shared_name"].s = node.name.encode()
        self.handles[variable.serial] = node.name

    # ---- tables

    def _tables(self, tables: Sequence[TableFunctions], assets: Mapping[str, str]) -> None:
        files: dict[str, str] = {}
        for k, name in enumerate(assets):
            node = self._constant(f"asset_{k}", np.array(f"assets/{name}".encode(), object))
            self.meta.asset_file_def.add(filename=name).tensor_info.name = f"{node.name}:0"
            files[name] = node.name
        done = []
        for functions in tables:  # written as in a function, whose nodes are this graph's then
            body = Body(Library())
            handle = table_node(body, functions.entries, functions.name)
            file = None if functions.asset is None else Value(files[functions.asset], TEXT)
            filled_node(body, functions.entries, handle, file)
            here = lambda name, of=functions.name: name if name in files.values() else f"{of}_{name.partition(':')[0]}"
            for node in body.nodes:
                own = self.meta.graph_def.node.add()
                own.CopyFrom(node)
                own.name = here(node.name)
                del own.input[:]
                own.input.extend(map(here, node.input))
            names = [f"{functions.name}_{node.name}" for node in body.nodes]
            self.tables[functions.entries.content] = names[0]
            done.append(names[-1])
        if done:
            node = self._node("fill_tables", "NoOp", [f"^{name}" for name in done])
            self.meta.signature_def[_INITIALIZED].outputs[_INITIALIZED].name = node.name

    # ---- signatures

    def _serve(self, name: str, signature: Served) -> None:
        described = self.meta.signature_def[name]
        described.method_name = "tensorflow/serving/predict"
        given, kinds = [], []
        for argument, spec in signature.inputs.items():
            node = self._node(f"{name}_{argument}", "Placeholder", (), dtype=spec.kind)
            node.attr["shape"].CopyFrom(attribute(spec.shape))
            _described(described.inputs[argument], f"{node.name}:0", spec)
            given.append(node.name)
            kinds.append(spec.kind)
        handles = [self.handles[v.serial] for v in signature.variables]
        handles += [self.tables[t.content] for t in signature.tables]
        given += handles
        kinds += [RESOURCE] * len(handles)
        found = [spec.kind for spec in signature.outputs.values()]
        call = self._node(
            f"{name}_call", "StatefulPartitionedCall", given, Tin=kinds, Tout=found, f=signature.name
        )  # fmt: skip
        for k, (result, spec) in enumerate(signature.outputs.items()):
            _described(described.outputs[result], f"{call.name}:{k}", spec)

    # ---- values of variables

    def _constant(self, name: str, value: np.ndarray) -> Any:
        return self._node(name, "Const", (), dtype=TEXT, value=tensor(value))

    def _saver(self, variables: Sequence[tuple[Variable, str]]) -> None:
        """What a server runs to fill the variables."""
        if not variables:
            return
        prefix = self._node(_SAVER, "Placeholder", (), dtype=TEXT)
        names = self._constant("saver_names", np.array([key.encode() for _, key in variables], object))
        every = self._constant("saver_slices", np.array(len(variables) * [b""], object))
        kinds = [Kind(kind(v.value().dtype.as_numpy_dtype)) for v, _ in variables]
        read = self._node("saver_read", "RestoreV2", [prefix.name, names.name, every.name], dtypes=kinds)
        done, held = [], []
        for k, ((variable, _), dtype) in enumerate(zip(variables, kinds)):
            handle = self.handles[variable.serial]
            done.append(self._node(f"saver_assign_{k}", "AssignVariableOp", [handle, f"{read.name}:{k}"], dtype=dtype))
            held.append(self._node(f"saver_value_{k}", "ReadVariableOp", [handle], dtype=dtype).name)
        self._node("saver_restore", "NoOp", [f"^{node.name}" for node in done])
        self._node("saver_write", "SaveV2", [prefix.name, names.name, every.name, *held], dtypes=kinds)
        self._node("saver_saved", "Identity", [prefix.name, "^saver_write"], T=TEXT)
        saver = self.meta.saver_def
        saver.filename_tensor_name, saver.save_tensor_name = f"{_SAVER}:0", "saver_saved:0"
        saver.restore_op_name, saver.version = "saver_restore", 2


def _described(info: Any, name: str, spec: Described) -> None:
    info.name, info.dtype = name, spec.kind
    info.tensor_shape.CopyFrom(spec.shape)
