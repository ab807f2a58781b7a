"""Values serialised to JSON and back: parameters of operations, symbolic sizes, nested structures.

A tuple is a JSON list, since most containers in parameters are tuples; what JSON has no word for is an object with one
key that says what it is. Arrays go to a store, which keeps them elsewhere and gives a name.
"""

import base64
import collections
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor, restored
from tapeflow.core.dtypes import BY_NUMPY, DType, as_dtype
from tapeflow.core.primitive import Spec
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import Expression, Reliance, Size, computed, numbers
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.ops.arrays.tables import Entries

_STREAMS = {"stdout": lambda: sys.stdout, "stderr": lambda: sys.stderr}


class CannotBeStored(TypeError):
    """A value that a file has no words for."""


class Writer:
    """Values to JSON. `store(array)` keeps an array and gives its name; `tensor(t)` is asked about tensors without a
    value."""

    def __init__(self, store: Callable[[np.ndarray], str], tensor: Callable[[Tensor], Any] | None = None) -> None:
        self.store, self.tensor = store, tensor

    def value(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return value
        if isinstance(value, float) and not isinstance(value, np.generic):
            return value if math.isfinite(value) else {"float": repr(value)}
        for kind, write in _WRITERS:
            if isinstance(value, kind):
                return write(self, value)
        for name, stream in _STREAMS.items():
            if value is stream():
                return {"stream": name}
        if isinstance(value, CompositeTensor):
            class_name, fields = value.__stored__()
            if class_name is None:
                raise CannotBeStored(
                    f"a value of type {type(value).__name__}, whose class has no name to be found by when it is "
                    'loaded (give the class an attribute `__name__ = "package.Name"`)'
                )
            parts = [] if fields is not None else nest.children(value, composites=True) or []
            written: dict[str, Any] = {"composite": class_name, "parts": [self.value(part) for part in parts]}
            return written if fields is None else {**written, "fields": self.value(fields)}
        raise CannotBeStored(f"{value!r} of type {type(value).__name__}")

    def spec(self, spec: Any) -> list:
        """A shape and a dtype."""
        return [BY_NUMPY[np.dtype(spec.dtype)].name, [self.value(_plain(d)) for d in spec.shape]]

    def _tensor(self, tensor: Tensor) -> Any:
        if isinstance(tensor, EagerTensor):
            return {"tensor": self.store(np.asarray(tensor.array))}
        if self.tensor is None:
            raise CannotBeStored(f"{tensor!r}, which has no value")
        return self.tensor(tensor)

    def _tuple(self, value: tuple) -> Any:
        inside = [self.value(part) for part in value]
        return (
            {"namedtuple": type(value).__name__, "fields": list(value._fields), "of": inside}
            if hasattr(value, "_fields")
            else inside
        )

    def _mapping(self, value: Mapping) -> dict:
        return {"dict": [[self.value(key), self.value(part)] for key, part in value.items()]}

    def _array(self, value: Any) -> dict:
        return {"number" if isinstance(value, np.generic) else "array": self.store(np.asarray(value))}


def _dtype_name(dtype: Any) -> str:
    """Of a dtype, or a type of NumPy's numbers."""
    try:
        return BY_NUMPY[np.dtype(dtype)].name
    except (TypeError, KeyError):
        raise CannotBeStored(f"the type {dtype!r}") from None


def _plain(size: Any) -> Any:
    return size if size is None or type(size) is Size else int(size)


_WRITERS: list[tuple[Any, Callable[[Writer, Any], Any]]] = [
    (Size, lambda _, v: {"size": steps(v.expression)}),
    (TensorShape, lambda w, v: {"shape": None if v.rank is None else [w.value(d) for d in v]}),
    ((np.dtype, type), lambda _, v: {"dtype": _dtype_name(v)}),
    (DType, lambda _, v: {"tf.dtype": v.name}),
    (Tensor, Writer._tensor),
    (tuple, Writer._tuple),
    (list, lambda w, v: {"list": [w.value(part) for part in v]}),
    (Mapping, Writer._mapping),
    ((np.ndarray, np.generic), Writer._array),
    (Entries, lambda w, v: {"table": [w.value(part) for part in (v.keys, v.values, v.default, v.buckets)]}),
    (bytes, lambda _, v: {"bytes": base64.b64encode(v).decode()}),
    (complex, lambda w, v: {"complex": [w.value(v.real), w.value(v.imag)]}),
    (int, lambda _, v: int(v)),
    (slice, lambda w, v: {"slice": [w.value(part) for part in (v.start, v.stop, v.step)]}),
    (type(...), lambda _, v: {"ellipsis": True}),
]  # fmt: skip


def steps(expression: Expression) -> list[list]:
    """How a size is computed, a step after the other, the last one giving it: ["+", 3, ["of", 0]] adds 3 to the
    result of the first."""
    found: dict[Expression, int] = {}
    waiting: list[Any] = [expression]
    listed: list[list] = []
    while waiting:
        one = waiting[-1]
        before = [p for p in one.parts if type(p) is Expression and p not in found]
        waiting += before
        if not before:
            waiting.pop()
            if one not in found:
                found[one] = len(listed)
                parts = [["of", found[p]] if type(p) is Expression else int(p) for p in one.parts]
                listed.append([one.operation, *parts])
    return listed


class Reader:
    """JSON to values. `array(name)` gives an array back; `sizes` are the new numbers of sizes that are not known, by
    their old ones, and `now` what they are taken for."""

    def __init__(self, array: Callable[[str], np.ndarray], placed: Callable[[dict], Any] | None = None) -> None:
        """`placed` is given what `Writer.tensor` wrote."""
        self.array, self.placed = array, placed
        self.sizes: dict[int, int] = {}
        self.now: dict[int, int] = {}
        self.relied_on = Reliance()

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            return tuple([self.value(part) for part in value])
        if not isinstance(value, dict):
            return value
        for kind, read in _READERS.items():
            if kind in value:
                return read(self, value[kind], value)
        if self.placed is None:
            raise ValueError(f"The saved model has a value of an unknown kind: {value!r}.")
        return self.placed(value)

    def spec(self, described: list) -> Spec:
        name, shape = described
        return Spec(shape=self.value(shape), dtype=as_dtype(name).np)

    def expression(self, described: Any) -> Any:
        """Of sizes, with their new numbers."""
        if not isinstance(described, list):
            return described
        if not isinstance(described[0], str):  # `steps`; older files have one expression with others inside
            found: list[Any] = []
            for operation, *rest in described:
                parts = [found[p[1]] if isinstance(p, list) else p for p in rest]
                found.append(self._expression(operation, parts))
            return found[-1]
        operation, *rest = described
        return self._expression(operation, [self.expression(p) for p in rest])

    def _expression(self, operation: str, parts: list) -> Expression:
        return Expression(operation, *([self.sizes[parts[0]]] if operation == "size" else parts))

    def _size(self, described: Any, _: dict) -> Size:
        expression = self.expression(described)
        late = self.relied_on.late.intersection(numbers(expression))
        return Size(expression, None if late else computed(expression, self.now), self.relied_on)

    def _shape(self, sizes: Any, _: dict) -> TensorShape:
        return tuple.__new__(TensorShape, self.value(sizes)) if sizes is not None else TensorShape(None)

    def _named_tuple(self, name: str, whole: dict) -> Any:
        return collections.namedtuple(name, whole["fields"])(*self.value(whole["of"]))

    def _composite(self, name: str, whole: dict) -> Any:
        return restored(name, self.value(whole.get("fields")), [self.value(part) for part in whole["parts"]])


_READERS: dict[str, Callable[[Reader, Any, dict], Any]] = {
    "size": Reader._size,
    "shape": Reader._shape,
    "dtype": lambda _, v, w: as_dtype(v).np,
    "tf.dtype": lambda _, v, w: as_dtype(v),
    "tensor": lambda r, v, w: EagerTensor(r.array(v)),
    "namedtuple": Reader._named_tuple,
    "composite": Reader._composite,
    "list": lambda r, v, w: list(r.value(v)),
    "dict": lambda r, v, w: {r.value(key): r.value(part) for key, part in v},
    "array": lambda r, v, w: r.array(v),
    "table": lambda r, v, w: Entries(*map(r.value, v)),
    "number": lambda r, v, w: r.array(v)[()],
    "bytes": lambda _, v, w: base64.b64decode(v),
    "complex": lambda r, v, w: complex(*r.value(v)),
    "float": lambda _, v, w: float(v),
    "slice": lambda r, v, w: slice(*r.value(v)),
    "ellipsis": lambda _, v, w: ...,
    "stream": lambda _, v, w: _STREAMS[v](),
}
