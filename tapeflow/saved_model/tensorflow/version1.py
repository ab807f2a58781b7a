"""SavedModels without objects, which TensorFlow 1 wrote: a graph, the variables of a Saver, signatures; and modules of
TF-Hub in the older of its two formats, which are such models."""

from pathlib import Path
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.errors import OpError
from tapeflow.core.variables.variable import Variable
from tapeflow.saved_model.loading import LoadedObject, SignatureMap, restored_variable

from .folder import FILE, Checkpoint, asset_path, damaged
from .functions import Signature
from .graphs import GraphTrace, Nodes
from .importing import Wrapped
from .library import inputs_of
from .objects import AT_LOADING, check_files, report_missing, text_tensor
from .running import refusal
from .values import array_of, dtype_of, shape_of

__all__ = ["GraphModel", "LoadedGraph"]

_VARIABLES = frozenset("VarHandleOp VariableV2 Variable".split())
_FILLS_TABLES = frozenset(
    """InitializeTable InitializeTableV2 InitializeTableFromTextFile InitializeTableFromTextFileV2 LookupTableImport
    LookupTableImportV2""".split()
)
_INITIAL = "__saved_model_init_op"


class LoadedGraph(LoadedObject):
    """A model of TensorFlow 1: its signatures, its variables, and functions from any tensor to any other."""

    def __init__(self, nodes: Nodes, variables: list[Variable]) -> None:
        super().__init__()
        self._collections["variables"] = variables
        self._collections["trainable_variables"] = tuple(v for v in variables if v.trainable)
        self._collections["non_trainable_variables"] = tuple(v for v in variables if not v.trainable)
        self._wrapped = Wrapped(nodes, variables)

    @property
    def graph(self) -> Any:
        """The nodes by name."""
        return self._wrapped.graph

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> Any:
        """The function from some tensors of the graph to others.

        Args:
            feeds: Names such as "x:0", or tensors of the graph, in any structure.
            fetches: What it gives, in its structure.
        """
        return self._wrapped.prune(feeds, fetches, name, input_signature)

    def _saved_parts(self, root: bool) -> dict[str, Any]:
        return {"variables": list(self._collections["variables"])}


class GraphModel:
    """What a MetaGraphDef without objects holds."""

    def __init__(self, folder: Path, meta: Any) -> None:
        self.folder, self.meta, self.missing = folder, meta, ""
        self.checkpoint = Checkpoint(folder, ())
        self.nodes = Nodes(meta.graph_def)
        self.trainable = self._collected("trainable_variables")
        self.keys = self._keys()

    def root(self, complain: bool = True) -> LoadedGraph:
        """The object. Arguments as for `Objects.root`."""
        made = self.nodes.made
        for name, node in self.nodes.nodes.items():
            if node.op in _VARIABLES and (variable := self._variable(name, node)) is not None:
                made[name] = variable
        for asset in self._assets():
            path = asset_path(self.folder, asset.filename)
            made[self.nodes.result(asset.tensor_info.name).node] = text_tensor(path)
        self._fill_tables()
        listed = self._collected("variables") or [n for n in made if isinstance(made[n], Variable)]
        root = LoadedGraph(self.nodes, [made[n] for n in listed if isinstance(made.get(n), Variable)])
        signatures = {name: self._signature(s) for name, s in self.meta.signature_def.items() if name != _INITIAL}
        root.signatures = SignatureMap({name: s for name, s in sorted(signatures.items()) if s is not None})
        self.missing = report_missing(
            self.nodes.library, [s.trace.name for s in root.signatures.values()], self.folder, complain
        )
        return root

    # ---- variables

    def _collected(self, name: str) -> list[str]:
        """The nodes of the variables in a collection."""
        from tapeflow.io.model_messages import DecodeError, VariableDef

        found = []
        if name in self.meta.collection_def:
            for content in self.meta.collection_def[name].bytes_list.value:
                try:
                    found.append(VariableDef.FromString(content).variable_name.partition(":")[0])
                except DecodeError as error:
                    raise damaged(self.folder, f"its collection {name!r} has no variables ({error})") from None
        return list(dict.fromkeys(found))

    def _keys(self) -> dict[str, str]:
        """The keys of variables in the checkpoint, as the nodes say that restore them."""
        found: dict[str, str] = {}
        nodes = self.nodes.nodes
        lists: dict[str, Any] = {}
        for node in nodes.values():
            if node.op not in ("Assign", "AssignVariableOp"):
                continue
            taken = inputs_of(node)[0]
            if len(taken) < 2:
                continue
            target, ref, steps = taken[0].node, taken[1], 0
            while ref.node in nodes and nodes[ref.node].op == "Identity" and nodes[ref.node].input and steps < 8:
                ref, steps = inputs_of(nodes[ref.node])[0][0], steps + 1
            if ref.node not in nodes or nodes[ref.node].op != "RestoreV2":
                continue
            if ref.node not in lists:
                names = nodes.get(inputs_of(nodes[ref.node])[0][1].node)
                lists[ref.node] = (
                    []
                    if names is None or names.op != "Const"
                    else array_of(names.attr["value"].tensor).ravel().tolist()
                )
            if ref.number < len(lists[ref.node]):
                key = lists[ref.node][ref.number]
                found.setdefault(target, key.decode(errors="replace") if isinstance(key, bytes) else str(key))
        return found

    def _variable(self, name: str, node: Any) -> Variable | None:
        """None where the checkpoint has no value, as for counters that nobody saved."""
        shared = node.attr["shared_name"].s.decode(errors="replace") if "shared_name" in node.attr else ""
        source = self.checkpoint.source
        known = set() if source is None else set(source.names())
        key = next((k for k in (self.keys.get(name), name, shared) if k in known), None)
        if key is None:
            return None
        array = self.checkpoint.fitted(
            name, key, shape_of(node.attr["shape"].shape), dtype_of(node.attr["dtype"].type)
        )
        return restored_variable(array, name in self.trainable, shape_of(node.attr["shape"].shape), f"{name}:0")

    # ---- tables and assets

    def _assets(self) -> list[Any]:
        """The files of the model: in the field for them, or, of older ones, in a collection."""
        from tapeflow.io.model_messages import AssetFileDef, DecodeError

        found = list(self.meta.asset_file_def)
        if not found and "saved_model_assets" in self.meta.collection_def:
            try:
                listed = self.meta.collection_def["saved_model_assets"].any_list.value
                found = [AssetFileDef.FromString(one.value) for one in listed]
            except DecodeError as error:
                raise damaged(self.folder, f"its assets are none ({error})") from None
        return found

    def _fill_tables(self) -> None:
        """Run what fills the tables, and nothing else of what the model does when it is loaded: variables have their
        values already."""
        start = self._initial()
        if not start:
            return
        names = [n for n, node in self.nodes.reached(start, {}).items() if node.op in _FILLS_TABLES]
        if not names:
            return
        for name, node in self.nodes.reached(names, {}).items():
            if node.op not in AT_LOADING and name not in self.nodes.made:
                raise ValueError(f"it runs {node.op} when it is loaded ({name!r})")
        try:
            function, captured = self.nodes.function([], [], names)
            bodies = self.nodes.library.reached([function])
            if (missing := refusal(bodies)) is not None:
                raise missing
            check_files(bodies)
            self.nodes.runner.run(function, captured)
        except OpError as error:
            error.add_note(f"A lookup table of the SavedModel {self.folder / FILE} could not be filled.")
            raise

    def _initial(self) -> list[str]:
        """The nodes that TensorFlow runs when it has loaded the model."""
        if _INITIAL in self.meta.signature_def:
            infos = self.meta.signature_def[_INITIAL].outputs.values()
            return [info.name.partition(":")[0] for info in infos]
        for name in ("saved_model_main_op", "legacy_init_op", "table_initializer"):
            if name in self.meta.collection_def:
                return [text.partition(":")[0] for text in self.meta.collection_def[name].node_list.value]
        return []

    # ---- signatures

    def _signature(self, message: Any) -> Signature | None:
        """None where an input is no plain tensor, which cannot be given by keyword."""
        given, results = dict(message.inputs), dict(message.outputs)
        if any(info.WhichOneof("encoding") != "name" for info in (*given.values(), *results.values())):
            return None
        names = nest.sorted_keys(given)
        feeds = [self.nodes.result(given[n].name) for n in names]
        spec = lambda info, name: TensorSpec(shape_of(info.tensor_shape), dtype_of(info.dtype), name)
        outputs = {name: spec(results[name], name) for name in nest.sorted_keys(results)}
        fetches = [self.nodes.result(results[name].name) for name in outputs]
        arguments = (), {name: spec(given[name], name) for name in names}
        return Signature(GraphTrace(self.nodes, feeds, fetches, arguments, outputs))
