"""A traced graph as a GraphDef message: what `Graph.as_graph_def` gives to tools that read one."""

from typing import Any

import numpy as np

from tapeflow.core.dtypes import BY_NUMPY, DType
from tapeflow.core.sizes import Size, public
from tapeflow.function.tracing.graph import Graph
from tapeflow.function.tracing.operations import Operation

from .model_messages import AttrValue, GraphDef, NodeDef, TensorProto, TensorShapeProto, VersionDef

__all__ = ["graph_definition"]

_PRODUCER = 2304  # the version of such messages that TensorFlow 2.21 writes


def graph_definition(graph: Graph, add_shapes: bool = False) -> Any:
    """A node for each operation, argument, variable and constant, in the order of the program."""
    named = graph.operations
    made = GraphDef(versions=VersionDef(producer=_PRODUCER))
    for operation in named.all:
        inputs = []
        for index in operation.taken:
            source = named.by_index[index]
            number = source.given.index(index)
            inputs.append(f"{source.name}:{number}" if number else source.name)
        made.node.append(_node(graph, operation, inputs, add_shapes))
    return made


def _node(graph: Graph, operation: Operation, inputs: list[str], add_shapes: bool) -> Any:
    node = NodeDef(name=operation.name, op=operation.type, input=inputs)
    specs = [graph.symbols[index].spec for index in operation.given]
    if operation.node is None:
        node.attr["dtype"].type = _number(specs[0].dtype)
        if operation.type == "Const":
            node.attr["value"].tensor.CopyFrom(_tensor(graph.constants[operation.given[0]].array))
        elif operation.type == "Placeholder":
            node.attr["shape"].shape.CopyFrom(_shape(specs[0].shape))
    else:
        types = [graph.symbols[index].spec.dtype for index in operation.taken] or [s.dtype for s in specs]
        if types:
            node.attr["T"].type = _number(types[0])
        for key, value in operation.node.params.items():
            node.attr[str(key)].CopyFrom(_attribute(value))
    if add_shapes:
        node.attr["_output_shapes"].list.shape.extend([_shape(s.shape) for s in specs])
    return node


def _attribute(value: Any) -> Any:
    """A static argument as the kind of attribute that holds it; what none holds, as text."""
    if isinstance(value, (bool, np.bool_)):
        return AttrValue(b=bool(value))
    if isinstance(value, (int, np.integer)):
        return AttrValue(i=int(value))
    if isinstance(value, (float, np.floating)):
        return AttrValue(f=float(value))
    if isinstance(value, (str, bytes)):
        return AttrValue(s=value.encode() if isinstance(value, str) else value)
    if isinstance(value, DType) or isinstance(value, np.dtype) and value in BY_NUMPY:
        return AttrValue(type=_number(value))
    made = AttrValue()
    if isinstance(value, (tuple, list)):
        if all(isinstance(v, (int, np.integer, Size)) for v in value):
            made.list.i.extend([-1 if isinstance(v, Size) else int(v) for v in value])
            made.list.SetInParent()
            return made
        if all(isinstance(v, (float, np.floating)) for v in value):
            made.list.f.extend(map(float, value))
            return made
    return AttrValue(s=repr(value).encode())


def _number(dtype: Any) -> int:
    return (dtype if isinstance(dtype, DType) else BY_NUMPY[np.dtype(dtype)]).as_datatype_enum


def _shape(sizes: Any) -> Any:
    shape = TensorShapeProto()
    for size in public(tuple(sizes)):
        shape.dim.add(size=-1 if size is None else int(size))
    return shape


def _tensor(array: Any) -> Any:
    array = np.asarray(array)
    made = TensorProto(dtype=_number(array.dtype), tensor_shape=_shape(array.shape))
    if array.dtype.kind == "O":
        made.string_val.extend(array.ravel().tolist())
    else:
        made.tensor_content = array.tobytes()
    return made
