"""`tf.train.Example` and its parts: protocol buffer messages with TensorFlow's names, field numbers and bytes.

They are described here, not read from a `.proto` file, and live in a pool of their own: a real TensorFlow in the same
process describes messages of the same names, and protobuf refuses two descriptions in one pool.
"""

from typing import Any

__all__ = [
    "BytesList", "DecodeError", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList",
    "Int64List", "SequenceExample", "TensorProto", "from_json",
]  # fmt: skip

try:
    from google.protobuf import (  # type: ignore[import-untyped]
        descriptor_pb2,
        descriptor_pool,
        json_format,
        message_factory,
    )
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
except ImportError as error:
    raise ImportError("tf.train.Example needs the library protobuf: pip install protobuf.") from error

_Field = descriptor_pb2.FieldDescriptorProto

# Each message's fields: number, name, and kind, which is a scalar or a message, maybe many of them or a map from text
# to them.
_MESSAGES: dict[str, list[tuple[int, str, str]]] = {
    "BytesList": [(1, "value", "repeated bytes")],
    "FloatList": [(1, "value", "repeated float")],
    "Int64List": [(1, "value", "repeated int64")],
    "Feature": [(1, "bytes_list", "BytesList"), (2, "float_list", "FloatList"), (3, "int64_list", "Int64List")],
    "Features": [(1, "feature", "map Feature")],
    "FeatureList": [(1, "feature", "repeated Feature")],
    "FeatureLists": [(1, "feature_list", "map FeatureList")],
    "Example": [(1, "features", "Features")],
    "SequenceExample": [(1, "context", "Features"), (2, "feature_lists", "FeatureLists")],
    "Dim": [(1, "size", "int64"), (2, "name", "string")],
    "TensorShapeProto": [(2, "dim", "repeated Dim"), (3, "unknown_rank", "bool")],
    "TensorProto": [
        (1, "dtype", "int32"), (2, "tensor_shape", "TensorShapeProto"), (3, "version_number", "int32"),
        (4, "tensor_content", "bytes"), (5, "float_val", "repeated float"), (6, "double_val", "repeated double"),
        (7, "int_val", "repeated int32"), (8, "string_val", "repeated bytes"), (9, "scomplex_val", "repeated float"),
        (10, "int64_val", "repeated int64"), (11, "bool_val", "repeated bool"),
        (12, "dcomplex_val", "repeated double"), (13, "half_val", "repeated int32"),
        (16, "uint32_val", "repeated uint32"), (17, "uint64_val", "repeated uint64"),
    ],
}  # fmt: skip
_ONE_OF = {"Feature": "kind"}
_SCALARS = {
    name: getattr(_Field, f"TYPE_{name.upper()}")
    for name in "bool bytes double float int32 int64 string uint32 uint64".split()
}


def _described() -> Any:
    """The description of all messages, as a file of protobuf's."""
    file = descriptor_pb2.FileDescriptorProto(name="tapeflow/example.proto", package="tensorflow", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if name in _ONE_OF:
            message.oneof_decl.add(name=_ONE_OF[name])
        for number, field_name, kind in fields:
            _add_field(message, number, field_name, kind)
    return file


def _add_field(message: Any, number: int, name: str, kind: str) -> None:
    how, _, target = kind.rpartition(" ")
    field = message.field.add(name=name, number=number, label=_Field.LABEL_REPEATED if how else _Field.LABEL_OPTIONAL)
    if message.name in _ONE_OF:
        field.oneof_index = 0
    if how == "map":  # on the wire, a map is many messages of a key and a value
        entry = message.nested_type.add(name="".join(part.title() for part in name.split("_")) + "Entry")
        entry.options.map_entry = True
        _add_field(entry, 1, "key", "string")
        _add_field(entry, 2, "value", target)
        target = f"{message.name}.{entry.name}"
    if target in _SCALARS:
        field.type = _SCALARS[target]
    else:
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".tensorflow.{target}"


def _classes() -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_described().SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}")) for name in _MESSAGES
    }


_made = _classes()
BytesList, FloatList, Int64List = _made["BytesList"], _made["FloatList"], _made["Int64List"]
Feature, Features, FeatureList, FeatureLists = (
    _made[n] for n in ("Feature", "Features", "FeatureList", "FeatureLists")
)
Example, SequenceExample, TensorProto = _made["Example"], _made["SequenceExample"], _made["TensorProto"]


def from_json(text: bytes) -> Any:
    """An example from its JSON form; ValueError if it has none.

    >>> from tapeflow.io.messages import from_json
    >>> example = from_json(b'{"features": {"feature": {"x": {"int64List": {"value": ["3"]}}}}}')
    >>> example.features.feature["x"].int64_list.value
    [3]
    """
    try:
        return json_format.Parse(text, Example())
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None
