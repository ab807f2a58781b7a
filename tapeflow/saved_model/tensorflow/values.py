"""Values in TensorFlow's messages, as Python has them: attributes of nodes, dtypes, shapes, arrays, and the structures
of arguments."""

import collections
import functools
import math
from typing import Any

import numpy as np

from tapeflow.api.arrays.composite_specs import RaggedTensorSpec, SparseTensorSpec
from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor
from tapeflow.io.tensors import array_in, dtype_of_number

__all__ = ["RESOURCE", "VARIANT", "Opaque", "array_of", "attribute", "dtype_of", "shape_of", "structured"]

RESOURCE, VARIANT = 20, 21  # what is no array: a reference to a variable or table, a list
_REFERENCES = 100  # is added to the number of a dtype where TensorFlow 1 hands on a variable itself
_MOST_REPEATED = 1 << 28  # bytes that a constant may take beyond those that are in the file


def dtype_of(number: int) -> DType:
    """The dtype of TensorFlow's number. ValueError for one that is no array here."""
    if number > _REFERENCES:
        number -= _REFERENCES
    name = dtype_of_number(number)
    if name is None:
        raise ValueError(f"dtype number {number}, which tapeflow does not have")
    return as_dtype(name)


def shape_of(message: Any) -> TensorShape:
    if message.unknown_rank:
        return TensorShape(None)
    sizes = [None if dim.size < 0 else int(dim.size) for dim in message.dim]
    if len(sizes) > 64:
        raise ValueError(f"a shape of {len(sizes)} axes")
    return TensorShape(sizes)


def array_of(message: Any) -> np.ndarray:
    """The array of a TensorProto. ValueError where a few bytes stand for a giant one."""
    count = math.prod([max(int(dim.size), 0) for dim in message.tensor_shape.dim])
    size = count * np.dtype(dtype_of(message.dtype).np).itemsize
    if size > _MOST_REPEATED and size > 8 * message.ByteSize():
        raise ValueError(f"a constant of {size} bytes whose message has {message.ByteSize()}")
    return array_in(message)


def attribute(message: Any) -> Any:
    """The value of an AttrValue: texts, numbers, dtypes, shapes as lists, arrays; lists of these. None for functions,
    and for dtypes that are no arrays."""
    kind = message.WhichOneof("value")
    if kind == "list":
        return [_ATTRIBUTES[field.name](value) for field, values in message.list.ListFields() for value in values]
    return None if kind is None else _ATTRIBUTES[kind](getattr(message, kind))


def _listed(shape: Any) -> list | None:
    found = shape_of(shape)
    return None if found.rank is None else list(found)


_ATTRIBUTES: dict[str, Any] = {
    "s": lambda v: v.decode(errors="surrogateescape"),
    "i": int,
    "f": float,
    "b": bool,
    "type": lambda v: None if v in (RESOURCE, VARIANT) else dtype_of(v),
    "shape": _listed,
    "tensor": array_of,
    "func": lambda v: None,
    "placeholder": str,
}


# ---- structures of arguments and results

_SPEC_SPARSE, _SPEC_RAGGED, _SPEC_VARIABLE = 1, 3, 9  # TensorFlow's numbers for kinds of specifications


def structured(message: Any) -> Any:
    """The Python value of a StructuredValue. ValueError where it is of a kind that is not there."""
    kind = message.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    return _STRUCTURED[kind](getattr(message, kind))


class Opaque:
    """Stands for a value that is no tensor, in the results of functions that make tables."""


def _tensor_spec(message: Any) -> Any:
    if message.dtype in (RESOURCE, VARIANT):
        return Opaque()
    return TensorSpec(shape_of(message.shape), dtype_of(message.dtype), message.name or None)


def _type_spec(message: Any) -> Any:
    name = message.type_spec_class_name.rpartition(".")[2]
    state = structured(message.type_state)
    if message.type_spec_class == _SPEC_RAGGED:
        shape, dtype, ragged_rank, splits = state[:4]
        return RaggedTensorSpec(shape, dtype, ragged_rank, splits)
    if message.type_spec_class == _SPEC_SPARSE:
        return SparseTensorSpec(*state)
    if message.type_spec_class == _SPEC_VARIABLE:
        return TensorSpec(*state[:2])
    raise ValueError(f"a {name or 'type specification'} (class {message.type_spec_class}), which tapeflow cannot take")


@functools.cache
def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    return collections.namedtuple(name if name.isidentifier() else "Named", fields, rename=True)


def _named(message: Any) -> Any:
    made = _named_tuple(message.name, tuple([pair.key for pair in message.values]))
    return made(*[structured(pair.value) for pair in message.values])


_STRUCTURED: dict[str, Any] = {
    "float64_value": float,
    "int64_value": int,
    "string_value": str,
    "bool_value": bool,
    "tensor_shape_value": shape_of,
    "tensor_dtype_value": dtype_of,
    "tensor_spec_value": _tensor_spec,
    "bounded_tensor_spec_value": _tensor_spec,
    "type_spec_value": _type_spec,
    "list_value": lambda v: [structured(part) for part in v.values],
    "tuple_value": lambda v: tuple([structured(part) for part in v.values]),
    "dict_value": lambda v: {key: structured(part) for key, part in sorted(v.fields.items())},
    "named_tuple_value": _named,
    "tensor_value": lambda v: EagerTensor(array_of(v)),
    "numpy_value": array_of,
}
