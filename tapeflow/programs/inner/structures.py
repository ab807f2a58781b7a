"""Structures of specs and plain values as messages, which programs keep beside what they save."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.dtypes import DType
from tapeflow.io.model_messages import StructuredValue, TensorProto
from tapeflow.saved_model.tensorflow.values import structured

from .specs import NAMES, VariableSpec, lookup

_SPARSE, _RAGGED, _VARIABLE, _REGISTERED = 1, 3, 9, 12  # TensorFlow's numbers for kinds of specs


class NotEncodableError(Exception):
    """A structure has something in it that no message holds."""


def encode_structure(nested_structure: Any) -> Any:
    """The message of a structure of specs, shapes, dtypes, arrays and Python's numbers and texts."""
    value, made = nested_structure, StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, (bool, np.bool_)):
        made.bool_value = bool(value)
    elif isinstance(value, (int, np.integer)):
        made.int64_value = int(value)
    elif isinstance(value, (float, np.floating)):
        made.float64_value = float(value)
    elif isinstance(value, (str, bytes)):
        made.string_value = value if isinstance(value, str) else value.decode(errors="surrogateescape")
    elif isinstance(value, tf.TensorShape):
        _put_shape(made.tensor_shape_value, value)
    elif isinstance(value, DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, tf.TensorSpec):
        spec = made.tensor_spec_value
        spec.name, spec.dtype = value.name or "", value.dtype.as_datatype_enum
        _put_shape(spec.shape, value.shape)
    elif isinstance(value, tf.TypeSpec):
        _put_spec(made.type_spec_value, value)
    elif isinstance(value, Mapping):
        made.dict_value.SetInParent()
        for key, part in value.items():
            made.dict_value.fields[key].CopyFrom(encode_structure(part))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        made.named_tuple_value.name = type(value).__name__
        for key, part in zip(value._fields, value):
            made.named_tuple_value.values.add(key=key).value.CopyFrom(encode_structure(part))
    elif isinstance(value, (list, tuple)):
        of = made.list_value if isinstance(value, list) else made.tuple_value
        of.SetInParent()
        of.values.extend([encode_structure(part) for part in value])
    elif isinstance(value, (tf.Tensor, np.ndarray)):
        of = made.tensor_value if isinstance(value, tf.Tensor) else made.numpy_value
        of.CopyFrom(TensorProto.FromString(tf.io.serialize_tensor(value).numpy()))
    else:
        raise NotEncodableError(f"No encoder for object {value!r} of type {type(value)}.")
    return made


def decode_proto(proto: Any) -> Any:
    """The structure that `encode_structure` made a message of."""
    kind = proto.WhichOneof("kind")
    if kind == "type_spec_value" and proto.type_spec_value.type_spec_class in (_VARIABLE, _REGISTERED):
        spec = proto.type_spec_value
        variable = spec.type_spec_class == _VARIABLE
        state = decode_proto(spec.type_state)
        made: Any = VariableSpec if variable else lookup(spec.type_spec_class_name)
        return made._deserialize(state) if hasattr(made, "_deserialize") else made(*state)
    if kind in ("list_value", "tuple_value"):
        parts = [decode_proto(part) for part in getattr(proto, kind).values]
        return parts if kind == "list_value" else tuple(parts)
    if kind == "dict_value":
        return {key: decode_proto(part) for key, part in proto.dict_value.fields.items()}
    if kind == "named_tuple_value":
        parts = [decode_proto(pair.value) for pair in proto.named_tuple_value.values]
        return type(structured(_without_values(proto)))(*parts)
    return structured(proto)


def _without_values(proto: Any) -> Any:
    """A named tuple's message with its names alone."""
    made = StructuredValue()
    made.named_tuple_value.name = proto.named_tuple_value.name
    for pair in proto.named_tuple_value.values:
        made.named_tuple_value.values.add(key=pair.key).value.none_value.SetInParent()
    return made


def _put_shape(message: Any, shape: tf.TensorShape) -> None:
    message.SetInParent()
    if shape.rank is None:
        message.unknown_rank = True
        return
    for size in shape:
        message.dim.add(size=-1 if size is None else int(size))


def _put_spec(message: Any, spec: tf.TypeSpec) -> None:
    numbers = {tf.SparseTensorSpec: _SPARSE, tf.RaggedTensorSpec: _RAGGED, VariableSpec: _VARIABLE}
    kind = numbers.get(type(spec), _REGISTERED)
    if kind == _REGISTERED and type(spec) not in NAMES:
        raise NotEncodableError(
            f"No encoder for object {spec!r}: its class has no name. Give it one by "
            "tensorflow.python.framework.type_spec.register."
        )
    message.type_spec_class, message.type_spec_class_name = kind, NAMES.get(type(spec), type(spec).__name__)
    if kind in (_SPARSE, _RAGGED):
        shape, *rest = spec._parts()
        state: tuple = (tf.TensorShape(shape), *rest)
    else:
        state = spec._serialize()
    message.type_state.CopyFrom(encode_structure(state))
