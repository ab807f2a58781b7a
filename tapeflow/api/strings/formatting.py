"""How `tf.print` and `tf.strings.format` write values: all of a small tensor, the edges of a large one."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

__all__ = ["tensor_text", "value_text"]


def tensor_text(array: Any, summarize: int = 3) -> str:
    """`[1 2 3 ... 7 8 9]`: the first and last `summarize` entries of each axis, all of them when it is -1."""
    array = np.asarray(array)
    if array.ndim == 0:
        return _element(array[()])
    if array.size == 0:
        return "[]"
    return _block(array, summarize, 1)


def _block(array: np.ndarray, summarize: int, depth: int) -> str:
    count = len(array)
    entry = _element if array.ndim == 1 else lambda part: _block(part, summarize, depth + 1)
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth
    if summarize < 0 or count <= 2 * summarize:
        entries = [entry(array[i]) for i in range(count)]
    else:
        near = [entry(array[i]) for i in range(summarize)]
        far = [entry(array[i]) for i in range(count - summarize, count)]
        entries = [*near, "...", *far]
    return f"[{between.join(entries)}]"


def _element(value: Any) -> str:
    if isinstance(value, (bytes, str)):
        return f'"{value.decode(errors="replace") if isinstance(value, bytes) else value}"'
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{_float(value.real)}{'+' if not str(value.imag).startswith('-') else ''}{_float(value.imag)}j"
    return _float(value) if BY_NUMPY[value.dtype].kind == "f" else str(int(value))


def _float(value: Any) -> str:
    """The short form if it is read back as the same number, else one with all digits."""
    if value.dtype.itemsize < 4:
        value = np.float32(value)
    short, long = ("%.15g", "%.17g") if value.dtype == np.float64 else ("%.6g", "%.9g")
    text = short % float(value)
    with np.errstate(over="ignore"):
        return text if value.dtype.type(text) == value or value != value else long % float(value)


def value_text(value: Any, summarize: int = 3, top: bool = True) -> str:
    """Any value of `tf.print`: tensors by their entries, structures around them, the rest as Python prints it."""
    inside = lambda v: value_text(v, summarize, False)
    if isinstance(value, (Tensor, Variable)):
        value = to_tensor(value)
        return ("rows " if type(value) is MappedTensor else "") + tensor_text(values_of(value), summarize)
    if hasattr(value, "_print_text"):
        return value._print_text(lambda tensor: tensor_text(tensor.array, summarize))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {inside(value[key])}" for key in sorted(value, key=str)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inside, value)) + "]"
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        names = [f"{name}=" for name in value._fields] if hasattr(value, "_fields") else [""] * len(value)
        entries = ", ".join(name + inside(v) for name, v in zip(names, value))
        return (
            f"{type(value).__name__ if hasattr(value, '_fields') else ''}({entries}{',' if len(value) == 1 else ''})"
        )
    return value if top and isinstance(value, str) else repr(value)
