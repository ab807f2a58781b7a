"""Writing the body of a TensorFlow function: values, operators, constants and sizes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.sizes import Size
from tapeflow.export.lowering import Program, Unsupported, unique
from tapeflow.export.sizes import SizeWriter
from tapeflow.io.model_messages import MESSAGES, FunctionDef, NodeDef, TensorProto, TensorShapeProto

from .dtypes import ALLOWED
from .operators import OPERATORS

_INT, _INT32 = np.dtype(np.int64), np.dtype(np.int32)
_FIXED = {"float32": 1, "int32": 3, "int64": 9, "bool": 10, "string": 7, "resource": 20, "variant": 21,
          "uint8": 4, "uint64": 23}  # fmt: skip


class Value:
    """A tensor in a function: how nodes refer to it; its dtype by TensorFlow's number; its shape, if known."""

    __slots__ = ("kind", "ref", "shape")

    def __init__(self, ref: str, kind: int, shape: Any = None) -> None:
        self.ref, self.kind, self.shape = ref, kind, shape

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype:
        return next(d for d, named in BY_NUMPY.items() if named.as_datatype_enum == self.kind)


class Function(str):
    """The name of a function, as an attribute."""


class Library:
    """The functions of a model."""

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self.used: set[str] = set()

    def name(self, of: str) -> Function:
        """A new one."""
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in of)
        return Function(f"__inference_{plain}_{len(self.functions)}")

    def add(self, made: Any) -> Function:
        self.functions.append(made)
        return Function(made.signature.name)


class Body(SizeWriter):
    """The nodes of one function, in order. Functions inside of it see only what they are given."""

    def __init__(self, library: Library) -> None:
        self.library, self.outer = library, None
        self.nodes: list[Any] = []
        self.used: set[str] = set()
        self.known, self.measured = {}, {}
        self.values: dict[int, Value] = {}
        self.constants: dict[Any, Value] = {}
        self.tables: dict[Any, Value] = {}  # handles, by what the tables hold
        self.after: list[str] = []  # nodes that happen, whatever is read
        self.changes = False

    # ---- operators

    def __getattr__(self, name: str) -> Callable:
        if name not in OPERATORS:
            raise AttributeError(name)
        return partial(self.node, name)

    def node(self, op: str, *inputs: Any, control: Sequence[str] = (), **attributes: Any) -> Any:
        """What an operator gives. Attributes for the dtypes of inputs are found; a list stands for several inputs."""
        operator = OPERATORS[op]
        made = NodeDef(name=unique(f"{op.lower()}_{len(self.nodes)}", self.used), op=op)
        for argument, given in zip(operator.inputs, inputs, strict=True):
            values = [self.value(x) for x in (given if argument.several else [given])]
            made.input.extend([v.ref for v in values])
            if argument.number:
                attributes[argument.number] = len(values)
            if argument.kind not in _FIXED:
                kinds = [Kind(v.kind) for v in values]
                attributes[argument.kind] = kinds if argument.several and not argument.number else kinds[0]
        _check_dtypes(op, attributes)
        made.input.extend([f"^{name}" for name in control])
        for name, value in attributes.items():
            if value is not None:
                made.attr[name].CopyFrom(attribute(value))
        self.nodes.append(made)
        out: list[Value] = []
        for argument in operator.outputs:
            found: Any = _FIXED[argument.kind] if argument.kind in _FIXED else attributes[argument.kind]
            if argument.number:
                found = [found] * attributes[argument.number]
            for place, one in enumerate(found if isinstance(found, list) else [found]):
                out.append(Value(f"{made.name}:{argument.name}:{place}", _number(one)))
        several = any(a.several for a in operator.outputs) or len(operator.outputs) > 1
        return tuple(out) if several else out[0] if out else made.name

    def value(self, x: Any) -> Value:
        return x if isinstance(x, Value) else self.constant(np.asarray(x))

    def constant(self, array: np.ndarray) -> Value:
        """A node that holds it; small equal ones once."""
        key = (str(array.dtype), array.shape, array.tobytes()) if array.dtype.kind != "O" else None
        if key not in self.constants or key is None:
            made = self.Const(value=tensor(array), dtype=array.dtype)
            self.constants[key] = Value(made.ref, made.kind, array.shape)
        return self.constants[key]

    def scalar(self, number: Any, like: Value) -> Value:
        return self.constant(np.array(number, like.dtype))

    def of(self, program: Program, index: int) -> Value:
        if index not in self.values:
            self.values[index] = self.constant(np.asarray(program.held[index]))
        return self.values[index]

    # ---- sizes

    def sizes(self, sizes: Sequence[Any]) -> Value:
        """Numbers, of which some may be known only when the function runs, as a vector."""
        if all(type(d) is not Size for d in sizes):
            return self.constant(np.array([int(d) for d in sizes], _INT))
        return self.ConcatV2([self.size(d) for d in sizes], np.int32(0)) if len(sizes) > 1 else self.size(sizes[0])

    def number(self, number: int) -> Value:
        return self.constant(np.array([number], _INT))

    def size_of(self, value: Value, axis: int) -> Value:
        shape = self.Shape(value, out_type=_INT)
        return self.StridedSlice(shape, *[np.array([k], np.int32) for k in (axis, axis + 1, 1)])

    def calculated(self, operation: str, a: Value, b: Value) -> Value:
        names = {"+": "AddV2", "-": "Sub", "*": "Mul", "//": "FloorDiv", "%": "FloorMod", "max": "Maximum"}
        return self.node(names.get(operation, "Minimum"), a, b)

    # ---- the function

    def function(self, name: str, inputs: Sequence[tuple[str, Value]], outputs: Sequence[tuple[str, Value]]) -> Any:
        """The message, of the nodes so far."""
        made = FunctionDef()
        made.signature.name = name
        for arg, value in inputs:
            made.signature.input_arg.add(name=arg, type=value.kind)
        for result, value in outputs:
            made.signature.output_arg.add(name=result, type=value.kind)
            made.ret[result] = value.ref
        for node in self.after:
            made.signature.control_output.append(node)
            made.control_ret[node] = node
        made.signature.is_stateful = self.changes
        made.node_def.extend(self.nodes)
        return made


def _check_dtypes(op: str, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        if (op, name) not in ALLOWED:
            continue
        for one in value if isinstance(value, list) else [value]:
            if _number(one) not in ALLOWED[op, name]:
                dtype = next(d.name for d in BY_NUMPY.values() if d.as_datatype_enum == _number(one))
                raise Unsupported(f"is about {dtype}, which TensorFlow's operator {op} does not take: cast it first")


class Kind(int):
    """A dtype, by TensorFlow's number."""


TEXT, RESOURCE = Kind(7), Kind(20)


def kind(dtype: Any) -> Kind:
    return Kind(BY_NUMPY[np.dtype(dtype)].as_datatype_enum)


def _number(given: Any) -> int:
    return int(given) if isinstance(given, int) else int(kind(given))


def attribute(value: Any) -> Any:
    """The message for an attribute."""
    made = MESSAGES["AttrValue"]()
    if isinstance(value, (np.dtype, type)):
        made.type = kind(value)
    elif isinstance(value, Kind):
        made.type = value
    elif isinstance(value, bool):
        made.b = value
    elif isinstance(value, int):
        made.i = value
    elif isinstance(value, float):
        made.f = value
    elif isinstance(value, Function):
        made.func.name = value
    elif isinstance(value, (str, bytes)):
        made.s = value.encode() if isinstance(value, str) else value
    elif isinstance(value, TensorProto):
        made.tensor.CopyFrom(value)
    elif isinstance(value, TensorShapeProto):
        made.shape.CopyFrom(value)
    else:
        _listed(made.list, value)
    return made


def _listed(made: Any, values: Sequence[Any]) -> None:
    made.SetInParent()
    for value in values:
        if isinstance(value, Kind):
            made.type.append(value)
        elif isinstance(value, int):
            made.i.append(value)
        elif isinstance(value, Function):
            made.func.add(name=value)
        else:
            made.shape.add().CopyFrom(value)


def tensor(array: np.ndarray) -> Any:
    """The message of an array."""
    made = TensorProto(dtype=kind(array.dtype), tensor_shape=shape(array.shape))
    if array.dtype.kind == "O":
        made.string_val.extend([bytes(text) for text in array.reshape(-1)])
    else:
        made.tensor_content = np.ascontiguousarray(array).tobytes()
    return made


def shape(sizes: Sequence[Any] | None) -> Any:
    """The message of a shape; -1 for sizes that are not known."""
    made = TensorShapeProto()
    if sizes is None:
        made.unknown_rank = True
    for d in sizes or ():
        made.dim.add(size=d if isinstance(d, int) else -1)
    return made
