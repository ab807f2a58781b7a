"""Graphs of TensorFlow 1 whose nodes are looked up by name, and functions between any two of their tensors:
`tf.compat.v1.import_graph_def`, and `prune` of what `tf.compat.v1.wrap_function` gives."""

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import invalid
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable

from .graphs import GraphTrace, Nodes
from .library import Reference, inputs_of

__all__ = ["Imported", "NodeOperation", "NodeTensor", "Pruned", "Wrapped", "imported"]


class NodeOperation:
    """A node of an imported graph, by name."""

    def __init__(self, graph: "Imported", part: "Part", node: str) -> None:
        self.graph, self.part, self.node = graph, part, node

    @property
    def name(self) -> str:
        return self.part.prefix + self.node

    @property
    def node_def(self) -> Any:
        """The message, a NodeDef."""
        return self.part.nodes.nodes[self.node]

    @property
    def type(self) -> str:
        return self.node_def.op

    @property
    def inputs(self) -> list["NodeTensor"]:
        """The tensors that it takes."""
        return [NodeTensor(self.graph, self.part, ref) for ref in inputs_of(self.node_def)[0]]

    @property
    def outputs(self) -> list["NodeTensor"]:
        """The tensors that it gives: the first, and as many more as other nodes read."""
        count = self.part.outputs.get(self.node, 1)
        return [NodeTensor(self.graph, self.part, Reference(self.node, None, k)) for k in range(count)]

    @property
    def control_inputs(self) -> list["NodeOperation"]:
        """The nodes that run before it."""
        return [NodeOperation(self.graph, self.part, name) for name in inputs_of(self.node_def)[1]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeOperation) and (self.part, self.node) == (other.part, other.node)

    def __hash__(self) -> int:
        return hash((id(self.part), self.node))

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


class NodeTensor:
    """What a node gives, by name, such as `x:0`. It has no value; `prune` makes functions from some to others."""

    def __init__(self, graph: "Imported", part: "Part", ref: Reference) -> None:
        self.graph, self.part, self.ref = graph, part, ref

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.ref.number}"

    @property
    def op(self) -> NodeOperation:
        return NodeOperation(self.graph, self.part, self.ref.node)

    @property
    def value_index(self) -> int:
        """Its number among those of the node."""
        return self.ref.number

    @property
    def dtype(self) -> DType | None:
        """None where the node does not say it."""
        found = self.part.nodes.spec(self.ref)
        return None if found is None else found.dtype

    @property
    def shape(self) -> TensorShape:
        """What the node says of it."""
        return self.part.nodes.shape(self.ref)

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeTensor) and (self.part, self.ref) == (other.part, other.ref)

    def __hash__(self) -> int:
        return hash((id(self.part), self.ref))

    def __repr__(self) -> str:
        dtype = self.dtype
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={'unknown' if dtype is None else dtype.name}>"


class Part:
    """The nodes of one GraphDef, with what their names begin with."""

    def __init__(self, prefix: str, nodes: Nodes) -> None:
        self.prefix, self.nodes = prefix, nodes
        self.outputs: dict[str, int] = {}  # by node: how many are known of
        for node in nodes.nodes.values():
            for ref in inputs_of(node)[0]:
                self.outputs[ref.node] = max(self.outputs.get(ref.node, 1), ref.number + 1)


class Imported:
    """The nodes of imported graphs, by name."""

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def add(self, nodes: Nodes, prefix: str = "") -> Part:
        part = Part(f"{prefix}/" if prefix else "", nodes)
        taken = next((p for p in self.parts if p.prefix == part.prefix), None)
        if taken is not None and (clash := next((n for n in nodes.nodes if n in taken.nodes.nodes), None)):
            raise ValueError(f"Node name '{part.prefix}{clash}' already exists in the Graph")
        self.parts.append(part)
        return part

    def unique(self, prefix: str) -> str:
        """`import`, `import_1`, …"""
        taken, name, count = {p.prefix for p in self.parts}, prefix, 0
        while name and f"{name}/" in taken:
            count += 1
            name = f"{prefix}_{count}"
        return name

    def get_operations(self) -> list[NodeOperation]:
        return [NodeOperation(self, part, name) for part in self.parts for name in part.nodes.nodes]

    def has(self, name: str) -> bool:
        """Is there a node of this name?"""
        return any(name.startswith(p.prefix) and name[len(p.prefix) :] in p.nodes.nodes for p in self.parts)

    def get_operation_by_name(self, name: str) -> NodeOperation:
        """The node of a name; KeyError if there is none."""
        for part in self.parts:
            if name.startswith(part.prefix) and name[len(part.prefix) :] in part.nodes.nodes:
                return NodeOperation(self, part, name[len(part.prefix) :])
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> NodeTensor:
        """The tensor of a name such as `x:0`; KeyError if there is none."""
        start, colon, number = name.rpartition(":")
        if not colon or not number.isdigit():
            raise ValueError(
                f"The name '{name}' looks like an (invalid) Tensor name: names of tensors are \"<op_name>:"
                '<output_index>".'
            )
        try:
            found = self.get_operation_by_name(start)
        except KeyError:
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist. The operation, '{start}', does not "
                "exist in the graph."
            ) from None
        return NodeTensor(self, found.part, Reference(found.node, None, int(number)))

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor of a name with a number, the operation of one without; these themselves."""
        if isinstance(obj, (NodeTensor, NodeOperation)):
            return obj
        if not isinstance(obj, str):
            raise TypeError(f"Can not convert a {type(obj).__name__} into a Tensor or Operation.")
        return self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)

    def __repr__(self) -> str:
        return f"<imported graph of {sum(len(part.nodes.nodes) for part in self.parts)} nodes>"


class Wrapped:
    """Makes functions from some tensors of imported graphs to others."""

    def __init__(self, nodes: Nodes | Imported, variables: Sequence[Variable] = ()) -> None:
        self.variables = list(variables)
        if isinstance(nodes, Imported):
            self.graph = nodes
        else:
            self.graph = Imported()
            self.graph.add(nodes)

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> "Pruned":
        """A function from `feeds` to `fetches`: tensors of the graph or their names, in any structure; operations
        among the fetches run, and give None."""
        flat = [self.graph.as_graph_element(one) for one in nest.flatten(feeds)]
        for one in flat:
            if not isinstance(one, NodeTensor):
                raise ValueError(
                    f"All members of argument `feeds` must be tensors. Got {one!r} with type {type(one)}. The name of "
                    "a tensor ends with its number: 'x:0'."
                )
        wanted = nest.map_structure(self._fetched, fetches)
        return Pruned(self.graph, flat, wanted, name, input_signature)

    def _fetched(self, fetch: Any) -> Any:
        name = getattr(fetch, "name", None)
        if type(fetch).__name__ == "TensorInfo" and isinstance(name, str):
            return self.graph.as_graph_element(name)
        return self.graph.as_graph_element(fetch)


class Pruned:
    """A function from some tensors of a graph to others, called with values in the order of the first, or by the names
    of their operations. It is traced when it is called or looked at."""

    def __init__(
        self, graph: Imported, feeds: list[NodeTensor], fetches: Any, name: str | None, input_signature: Any
    ) -> None:
        self.graph, self.name, self._feeds, self._fetches = graph, name or "pruned", feeds, fetches
        flat = nest.flatten(fetches)
        parts = {one.part for one in (*feeds, *flat)}
        if len(parts) > 1:
            raise ValueError(
                f"A function is made of nodes that were imported at once; {', '.join(one.name for one in flat)} come "
                f"from {len(parts)} graphs."
            )
        if len({one.ref for one in feeds}) != len(feeds):
            raise ValueError(f"The same tensor is fed twice: {', '.join(one.name for one in feeds)}")
        specs = nest.flatten(input_signature) if input_signature is not None else [self._spec(one) for one in feeds]
        if len(specs) != len(feeds):
            raise ValueError(f"input_signature has {len(specs)} entries for {len(feeds)} feeds.")
        [part] = parts or {None}
        self.trace: GraphTrace | None = None
        if part is not None:
            refs = [one.ref for one in flat if isinstance(one, NodeTensor)]
            also = [one.node for one in flat if isinstance(one, NodeOperation)]
            place = lambda one: TensorSpec(None) if isinstance(one, NodeTensor) else None
            results = nest.map_structure(place, fetches)
            self.trace = GraphTrace(part.nodes, [one.ref for one in feeds], refs, (tuple(specs), {}), results, also)
            self.trace.check()

    @staticmethod
    def _spec(feed: NodeTensor) -> TensorSpec:
        found = feed.part.nodes.spec(feed.ref)
        if found is None:
            raise ValueError(
                f"{feed.name!r} ({feed.op.type}) does not say its dtype. Give input_signature=[tf.TensorSpec(...)]."
            )
        return found

    @property
    def inputs(self) -> list[NodeTensor]:
        """What is fed."""
        return list(self._feeds)

    @property
    def outputs(self) -> list[NodeTensor]:
        """The tensors that it gives."""
        return [one for one in nest.flatten(self._fetches) if isinstance(one, NodeTensor)]

    @property
    def structured_outputs(self) -> Any:
        """The same in the structure in which they were asked for."""
        return self._fetches

    @property
    def structured_input_signature(self) -> tuple:
        """The specifications of what is fed."""
        return () if self.trace is None else self.trace.arguments

    @property
    def variables(self) -> tuple:
        """The variables that it reads."""
        found = () if self.trace is None else self.trace.captured
        return tuple({v.serial: v for v in found if isinstance(v, Variable)}.values())

    @property
    def trainable_variables(self) -> tuple:
        """Those that a tape watches by itself."""
        return tuple(v for v in self.variables if v.trainable)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = nest.flatten(args) if len(args) != len(self._feeds) else list(args)
        names = [feed.op.name for feed in self._feeds]
        if len(given) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} tensors ({', '.join(names)}), got {len(given)}.")
        for name in names[len(given) :]:
            if name not in kwargs:
                raise TypeError(
                    f"{self.name} expected argument {name!r}, got {len(given)} by position and "
                    f"{', '.join(kwargs) or 'none'} by keyword."
                )
            given.append(kwargs.pop(name))
        if kwargs:
            raise TypeError(f"{self.name} got unexpected keyword arguments: {', '.join(kwargs)}; it takes {names}.")
        if self.trace is None:
            return nest.map_structure(lambda one: None, self._fetches)
        specs = self.trace.arguments[0]
        tensors = [_fed(x, spec, name) for x, spec, name in zip(given, specs, names)]
        known = all(spec.shape.rank is not None for spec in specs)
        return (self.trace.concrete if known else self.trace.function)(*tensors)

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> "Pruned":
        """Another function of the same graph."""
        return Wrapped(self.graph).prune(feeds, fetches, name, input_signature)

    def __repr__(self) -> str:
        takes = ", ".join(one.name for one in self._feeds)
        return f"<pruned function ({takes}) -> {', '.join(one.name for one in self.outputs) or 'nothing'}>"


def _fed(value: Any, spec: TensorSpec, name: str) -> Tensor:
    found = value if isinstance(value, Tensor) else to_tensor(value, spec.dtype)
    if found.dtype is not spec.dtype:
        raise invalid(
            f"cannot compute {name} as input was expected to be a {spec.dtype.name} tensor but is a "
            f"{found.dtype.name} tensor."
        )
    return found


def imported(
    graph: Imported, message: Any, input_map: Mapping[str, Any] | None, return_elements: Sequence[str] | None,
    name: str | None,
) -> list[Any] | None:  # fmt: skip
    """Add the nodes of a GraphDef to a graph; give the elements that are asked for. What is computed from values in
    `input_map` is computed now."""
    prefix = graph.unique("import" if name is None else name.rstrip("/"))
    nodes = Nodes(message)
    given: dict[Reference, Any] = {}
    for key, value in (input_map or {}).items():
        if key not in nodes.nodes and key.partition(":")[0] not in nodes.nodes:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{key if ':' in key else key + ':0'}]"
            )
        given[nodes.result(key)] = value
    part = graph.add(nodes, prefix)
    wanted = list(return_elements or ())
    elements = [_element(graph, part, one) for one in wanted]
    if not given:
        return elements if return_elements is not None else None
    if not all(isinstance(v, (Tensor, Variable)) for v in given.values()):
        given = {ref: v if isinstance(v, (Tensor, Variable)) else to_tensor(v) for ref, v in given.items()}
    if return_elements is None:
        if not all(isinstance(v, EagerTensor) and ref.number == 0 for ref, v in given.items()):
            raise ValueError(
                "What input_map gives is used by the elements in return_elements: name them, as in "
                "[y] = import_graph_def(graph_def, {'x:0': x}, ['y:0'])."
            )
        nodes.made.update({ref.node: v for ref, v in given.items()})
        return None
    specs = [TensorSpec(None, as_dtype(v.dtype)) for v in given.values()]
    refs = [one.ref for one in elements if isinstance(one, NodeTensor)]
    also = [one.node for one in elements if isinstance(one, NodeOperation)]
    trace = GraphTrace(nodes, list(given), refs, (tuple(specs), {}), None, also)
    trace.check()
    found = iter(nodes.runner.run(trace.name, [*map(to_tensor, given.values()), *trace.captures()]))
    return [next(found) if isinstance(one, NodeTensor) else one for one in elements]


def _element(graph: Imported, part: Part, name: str) -> Any:
    full = part.prefix + name
    try:
        return graph.as_graph_element(full)
    except KeyError:
        raise ValueError(f"Requested return_element {name!r} not found in graph_def.") from None
