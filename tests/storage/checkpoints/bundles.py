"""A writer for TensorFlow's checkpoint format, for tests only: a sorted-string table of entries, and raw bytes."""

import struct

import numpy as np

from tapeflow.storage.checkpoints.table import crc32c

DTYPES = {"float32": 1, "float64": 2, "int32": 3, "int64": 9, "bool": 10, "bfloat16": 14, "variant": 21}


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def message(*fields: tuple) -> bytes:
    """A protocol-buffer message of (number, value): integers, bytes and texts."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def masked(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def block(pairs) -> bytes:
    """Keys share what they have in common with the one before; one restart point."""
    out, last = b"", b""
    for key, value in pairs:
        shared = next((k for k, (a, b) in enumerate(zip(key, last, strict=False)) if a != b), min(len(key), len(last)))
        out += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    return out + struct.pack("<II", 0, 1)


def table(pairs) -> bytes:
    """Two entries a block, so that there are several."""
    out, index = b"", []

    def add(content: bytes) -> bytes:
        nonlocal out
        handle = varint(len(out)) + varint(len(content))
        out += content + b"\0" + struct.pack("<I", masked(crc32c(content + b"\0")))
        return handle

    pairs = sorted(pairs)
    for start in range(0, len(pairs), 2):
        part = pairs[start : start + 2]
        index.append((part[-1][0], add(block(part))))
    handles = add(block([])) + add(block(index))
    return out + handles.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def entry(number: int, shape: tuple, offset: int, data: bytes, checked: bytes | None = None) -> bytes:
    described = message(*[(2, message((1, size))) for size in shape])
    fixed = varint(6 << 3 | 5) + struct.pack("<I", masked(crc32c(data if checked is None else checked)))
    return message((1, number), (2, described), (4, offset), (5, len(data))) + fixed


def write_bundle(prefix, arrays: dict, nodes: list[tuple[dict, dict]] | None, variants: tuple = ()) -> None:
    """`nodes` are (children by name, keys by attribute)."""
    data, pairs = b"", [(b"", message((1, 1)))]
    for key, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        number = DTYPES["variant" if key in variants else array.dtype.name]
        pairs.append((key.encode(), entry(number, array.shape, len(data), raw)))
        data += raw
    if nodes is not None:
        graph = message(*[(1, _node(*node)) for node in nodes])
        length = struct.pack("<I", len(graph))
        checked = struct.pack("<I", masked(crc32c(length))) + graph
        stored = varint(len(graph)) + checked
        pairs.append((b"_CHECKPOINTABLE_OBJECT_GRAPH", entry(7, (), len(data), stored, length + checked)))
        data += stored
    with open(f"{prefix}.index", "wb") as file:
        file.write(table(pairs))
    with open(f"{prefix}.data-00000-of-00001", "wb") as file:
        file.write(data)


def _node(children: dict, values: dict) -> bytes:
    return message(
        *[(1, message((1, number), (2, name))) for name, number in children.items()],
        *[(2, message((1, name), (2, "full/name"), (3, key))) for name, key in values.items()],
    )
