"""The messages of TensorFlow's saved models."""

import pytest

from tapeflow.io import model_messages
from tapeflow.io.model_messages import MESSAGES, AttrValue, NodeDef, SavedModel, StructuredValue, parsed

# Serialized by TensorFlow, with deterministic=True.
SPEC_OF_TENSORFLOW = bytes.fromhex("a203210a1b8a02180a01781211120b08ffffffffffffffffff011202080218010a026009")
NODE_OF_TENSORFLOW = bytes.fromhex(
    "0a017912064d61744d756c1a01611a03623a312a070a0154120230012a200a075f73686170657312150a133a1112020803120b08"
    "ffffffffffffffffff012a110a0b7472616e73706f73655f6112022800"
)


def test_the_bytes_of_tensorflow():
    node = NodeDef(name="y", op="MatMul", input=["a", "b:1"])
    node.attr["T"].type = 1
    node.attr["transpose_a"].b = False
    shape = node.attr["_shapes"].list.shape.add()
    for size in (3, -1):
        shape.dim.add(size=size)
    assert NodeDef.FromString(node.SerializeToString()) == node
    assert NodeDef.FromString(NODE_OF_TENSORFLOW) == node


def test_structured_values():
    value = StructuredValue.FromString(SPEC_OF_TENSORFLOW)
    spec, number = value.tuple_value.values
    assert spec.tensor_spec_value.name == "x" and spec.tensor_spec_value.dtype == 1
    assert [d.size for d in spec.tensor_spec_value.shape.dim] == [-1, 2]
    assert number.int64_value == -5


def test_one_kind_at_a_time():
    value = AttrValue(i=3)
    value.s = b"text"
    assert value.WhichOneof("value") == "s"


def test_all_names_are_there():
    assert {name for name in model_messages.__all__ if name[0].isupper()} - {"DecodeError", "MESSAGES"} <= set(
        MESSAGES
    )


@pytest.mark.parametrize("content", [b"\x0a\xff\xff", b"\xff" * 20, b"{}"])
def test_files_of_something_else(content, tmp_path):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no SavedModel message"):
        parsed(SavedModel, str(path))


def test_nesting_without_end_is_refused(tmp_path):
    value = StructuredValue(none_value={})
    content = value.SerializeToString()
    for _ in range(200):
        inner = _tagged(1, content)  # ListValue.values
        content = _tagged(51, inner)
    path = tmp_path / "value.pb"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no StructuredValue message"):
        parsed(StructuredValue, str(path))


def _tagged(number, content):
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
