"""Values of variables as TensorFlow stores them: a file of bytes, and an index, a sorted-string table, of what lies
where. `tapeflow.storage.checkpoints.table` reads the same format."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import google_crc32c
import numpy as np

from tapeflow.io.model_messages import BundleEntryProto, BundleHeaderProto

from .body import kind, shape

_MAGIC = 0xDB4775248B80FB57


def bundle(values: Mapping[str, np.ndarray]) -> tuple[bytes, bytes]:
    """(The index, the bytes) of arrays by key; texts are arrays of objects."""
    header = BundleHeaderProto(num_shards=1)
    header.version.producer = 1
    rows, content, offset = [(b"", header.SerializeToString())], [], 0
    for key in sorted(values, key=str.encode):
        array = values[key]
        data, checksum = _texts(array) if array.dtype.kind == "O" else _numbers(array)
        entry = BundleEntryProto(
            dtype=kind(array.dtype), shape=shape(array.shape), offset=offset, size=len(data), crc32c=checksum
        )
        rows.append((key.encode(), entry.SerializeToString()))
        content.append(data)
        offset += len(data)
    return _table(rows), b"".join(content)


def _masked(checksum: int) -> int:
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _numbers(array: np.ndarray) -> tuple[bytes, int]:
    data = np.ascontiguousarray(array).tobytes()
    return data, _masked(google_crc32c.value(data))


def _texts(array: np.ndarray) -> tuple[bytes, int]:
    """Lengths, their checksum, and the texts. The whole's checksum counts each length as four bytes."""
    texts = [bytes(text) for text in array.reshape(-1)]
    lengths = b"".join(map(_varint, map(len, texts)))
    counted = b"".join(struct.pack("<I", len(text)) for text in texts)
    checksum = struct.pack("<I", _masked(google_crc32c.value(counted)))
    joined = b"".join(texts)
    return lengths + checksum + joined, _masked(google_crc32c.value(counted + checksum + joined))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _table(rows: Sequence[tuple[bytes, bytes]]) -> bytes:
    """One block of entries, an empty one of meta data, an index of the first, and where to find these."""
    made = bytearray()

    def added(entries: Sequence[tuple[bytes, bytes]]) -> bytes:
        block, starts = bytearray(), []
        for key, value in entries:
            starts.append(len(block))
            block += _varint(0) + _varint(len(key)) + _varint(len(value)) + key + value
        block += struct.pack(f"<{len(starts or [0])}I", *(starts or [0])) + struct.pack("<I", len(starts or [0]))
        handle = _varint(len(made)) + _varint(len(block))
        made.extend(block + b"\0" + struct.pack("<I", _masked(google_crc32c.value(bytes(block) + b"\0"))))
        return handle

    data = added(rows)
    footer = added([]) + added([(rows[-1][0] + b"\0", data)])
    return bytes(made) + footer.ljust(40, b"\0") + struct.pack("<Q", _MAGIC)


def texts(*values: bytes) -> Any:
    """A scalar, or a vector, of texts."""
    return np.array(values[0] if len(values) == 1 else list(values), object)
