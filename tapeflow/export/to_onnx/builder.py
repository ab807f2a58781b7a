"""Writing ONNX: values, nodes, constants and sizes of one graph.

A rule is given a `Builder` and the values of its inputs, and calls operators as methods: `onnx.Relu(x)`. What is not
a value becomes a constant. Sizes that are not known are computed where the model runs, from the shapes of what has
them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import onnx
from onnx import helper

from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.sizes import Expression, Size
from tapeflow.export.lowering import Program, Unsupported, unique
from tapeflow.export.sizes import SizeWriter

_INT = np.dtype(np.int64)


class Value:
    """A tensor in the model: its name, and its dtype and shape where they are known."""

    __slots__ = ("array", "dtype", "name", "shape")

    def __init__(self, name: str, dtype: Any, shape: Any = None, array: np.ndarray | None = None) -> None:
        self.name, self.dtype, self.shape, self.array = name, dtype, shape, array

    @property
    def rank(self) -> int:
        return len(self.shape)


class Builder(SizeWriter):
    """One graph of a model. `outer` is the one around it, whose values it may read."""

    def __init__(self, outer: "Builder | None" = None) -> None:
        self.outer = outer
        self.nodes: list[Any] = []
        self.values: dict[int, Value] = {}  # by index in the program's graph
        self.known: dict[Expression, Value] = {}  # sizes that have been computed here
        self.measured: dict[int, tuple[Value, int]] = {}  # by the number of a size, what has it along which axis
        self.root: Builder = self if outer is None else outer.root
        if outer is None:
            self.used: set[str] = set()
            self.domains: set[str] = set()  # of its operators
            self.initializers: list[Any] = []
            self.constants: dict[Any, Value] = {}

    # ---- operators

    def __getattr__(self, name: str) -> Callable:
        if not name[:1].isupper():
            raise AttributeError(name)
        return partial(self.node, name)

    def node(
        self, operator: str, *inputs: Any, outputs: int = 0, dtype: Any = None, domain: str = "", **attributes: Any
    ) -> Any:
        """The result of an operator, or a tuple of as many as there are `outputs`. `dtype`: of the results, where it
        is not that of the first input."""
        given = [None if x is None else self.value(x) for x in inputs]
        if dtype is None:
            dtype = next((x.dtype for x in given if x is not None), None)
        names = [unique(f"{operator.lower()}_{len(self.root.used)}", self.root.used) for _ in range(outputs or 1)]
        kept = {name: value for name, value in attributes.items() if value is not None}
        self.root.domains.add(domain)
        self.nodes.append(
            helper.make_node(operator, ["" if x is None else x.name for x in given], names, domain=domain, **kept)
        )
        made = tuple([Value(name, dtype) for name in names])
        return made if outputs else made[0]

    def value(self, x: Any) -> Value:
        return x if isinstance(x, Value) else self.constant(np.asarray(x))

    def constant(self, array: np.ndarray, name: str | None = None) -> Value:
        """An initializer; small equal ones once."""
        root = self.root
        key: Any = (array.dtype.str, str(array.dtype), array.shape, array.tobytes()) if array.nbytes <= 1024 else None
        if array.dtype.kind == "O":
            key = "text", array.shape, tuple(array.reshape(-1).tolist())
        if name is None and key in root.constants:
            return root.constants[key]
        own = unique(name or f"constant_{len(root.initializers)}", root.used)
        kind = onnx_type(array.dtype)
        if array.dtype.kind == "O":
            made = helper.make_tensor(own, kind, array.shape, array.reshape(-1).tolist())
        else:
            made = helper.make_tensor(own, kind, array.shape, np.ascontiguousarray(array).tobytes(), raw=True)
        root.initializers.append(made)
        value = Value(own, array.dtype, array.shape, array)
        if key is not None:
            root.constants.setdefault(key, value)
        return value

    def scalar(self, number: Any, like: Value) -> Value:
        return self.constant(np.array(number, like.dtype))

    # ---- values of the program

    def of(self, program: Program, index: int) -> Value:
        if index not in self.values:
            self.values[index] = self.constant(np.asarray(program.held[index]), program.names.get(index))
        return self.values[index]

    # ---- sizes

    def sizes(self, sizes: Sequence[Any]) -> Any:
        """Numbers, of which some may be known only when the model runs, as a vector."""
        if all(type(d) is not Size for d in sizes):
            return self.constant(np.array([int(d) for d in sizes], _INT))
        return self.Concat(*[self.size(d) for d in sizes], axis=0)

    def number(self, number: int) -> Value:
        return self.constant(np.array([number], _INT))

    def size_of(self, value: Value, axis: int) -> Value:
        return self.Shape(value, start=axis, end=axis + 1, dtype=_INT)

    def calculated(self, operation: str, a: Value, b: Value) -> Value:
        simple = {"+": "Add", "-": "Sub", "*": "Mul", "max": "Max", "min": "Min", "%": "Mod"}
        if operation == "//":  # Div rounds towards zero
            return self.Div(self.Sub(a, self.Mod(a, b)), b)
        return self.node(simple[operation], a, b)


def onnx_type(dtype: Any) -> int:
    """ONNX's number for a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "O":
        return onnx.TensorProto.STRING
    if dtype.kind == "c":
        raise Unsupported("is about complex numbers, which ONNX has no operators for: keep the real and imaginary "
                          "parts in tensors of their own")  # fmt: skip
    try:
        return helper.np_dtype_to_tensor_dtype(dtype)
    except (KeyError, ValueError):
        raise Unsupported(f"is about {BY_NUMPY[dtype].name}, which ONNX does not have: cast it first") from None
