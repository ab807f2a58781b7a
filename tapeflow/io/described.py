"""Protocol buffer messages from tables of their fields, without `.proto` files. Their descriptions live in pools of
their own: protobuf refuses two of one name in one pool, and a real TensorFlow in the same process has its own."""

from collections.abc import Container
from typing import Any

try:
    from google.protobuf import (  # type: ignore[import-untyped]
        descriptor_pb2,
        descriptor_pool,
        message_factory,
    )
except ImportError as error:
    raise ImportError(
        "Messages of TensorFlow (tf.train.Example, saved models) need the library protobuf: pip install protobuf."
    ) from error

__all__ = ["message_classes"]

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    name: getattr(_Field, f"TYPE_{name.upper()}")
    for name in "bool bytes double fixed32 fixed64 float int32 int64 sint64 string uint32 uint64".split()
}


def message_classes(table: str, package: str = "tensorflow") -> dict[str, Any]:
    """The classes of the messages in a table, by name.

    A line begins with a message's name; its fields follow, separated by commas: number, name and kind, which is a
    scalar or a message, maybe `repeated`, or `map` from texts (`map uint32`: from numbers). `in kind` at the end says
    that the field excludes the others of the group `kind`. Lines that begin with blanks go on with the message above.
    Enumerations are int32, as on the wire, but for those whose words are read and written, too: their lines begin with
    `enum`, and have a number and a word for each.

    >>> from tapeflow.io.described import message_classes
    >>> Line = message_classes("Line: 1 text string, 2 words repeated string")["Line"]
    >>> Line(words=["a", "b"]).SerializeToString()
    b'\\x12\\x01a\\x12\\x01b'
    """
    file = descriptor_pb2.FileDescriptorProto(name="messages.proto", package=package, syntax="proto3")
    rows = _rows(table)
    enums = {name.removeprefix("enum "): rows.pop(name) for name in list(rows) if name.startswith("enum ")}
    for name, fields in enums.items():
        made = file.enum_type.add(name=name)
        for field in fields:
            number, word = field.split()
            made.value.add(name=word, number=int(number))
    for name, fields in rows.items():
        message = file.message_type.add(name=name)
        for field in fields:
            words, _, group = field.partition(" in ")
            number, field_name, kind = words.split(maxsplit=2)
            made = _add_field(message, int(number), field_name, kind, package, enums)
            if group:
                groups = [one.name for one in message.oneof_decl]
                if group not in groups:
                    message.oneof_decl.add(name=group)
                    groups.append(group)
                made.oneof_index = groups.index(group)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in rows}


def _rows(table: str) -> dict[str, list[str]]:
    """The fields of each message, as text."""
    joined = table.strip().replace("\n ", " ")
    lines = [line.partition(":") for line in joined.splitlines() if line.strip()]
    return {name.strip(): [f.strip() for f in fields.split(",") if f.strip()] for name, _, fields in lines}


def _add_field(message: Any, number: int, name: str, kind: str, package: str, enums: Container[str]) -> Any:
    how, _, target = kind.rpartition(" ")
    field = message.field.add(name=name, number=number, label=_Field.LABEL_REPEATED if how else _Field.LABEL_OPTIONAL)
    if how.startswith("map"):  # on the wire, a map is many messages of a key and a value
        entry = message.nested_type.add(name="".join(part.title() for part in name.split("_")) + "Entry")
        entry.options.map_entry = True
        _add_field(entry, 1, "key", how.partition(" ")[2] or "string", package, enums)
        _add_field(entry, 2, "value", target, package, enums)
        target = f"{message.name}.{entry.name}"
    if target in _SCALARS:
        field.type = _SCALARS[target]
    else:
        kind_of = _Field.TYPE_ENUM if target in enums else _Field.TYPE_MESSAGE
        field.type, field.type_name = kind_of, f".{package}.{target}"
    return field
