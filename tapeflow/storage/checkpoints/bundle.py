"""Checkpoints that TensorFlow wrote: `prefix.index` and `prefix.data-00000-of-00001`. Reading only."""

import logging
import math
import os
import struct
from typing import Any

import numpy as np

from tapeflow.core.errors import DataLossError, OpError, UnimplementedError
from tapeflow.core.runtime.files import held

from .encoding import from_bytes
from .graph import Node, ObjectGraph, StoredValue
from .table import crc32c, entries, unmasked
from .wire import fields, varint

__all__ = ["GRAPH_KEY", "TensorFlowCheckpoint"]

_log = logging.getLogger("tapeflow")

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"

# TensorFlow's numbers for dtypes, where tensors of them are bytes in a file.
_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
}
_SMALL = 1 << 16  # bytes whose checksum is worth computing in Python


class TensorFlowCheckpoint:
    """A checkpoint in TensorFlow's format, with the same methods as one of ours."""

    foreign = True

    def __init__(self, prefix: str) -> None:
        self.path = f"{prefix}.index"
        self._prefix = prefix
        self._verified: set[str] = set()
        self._shards: dict[int, memoryview] = {}
        with open(self.path, "rb") as file:
            index = file.read()
        try:
            found = dict(entries(index))
            self._count = fields(found.pop(b"")).get(1, [1])[0]
            self._entries = {key.decode(): fields(value) for key, value in found.items()}
        except (ValueError, IndexError, KeyError) as error:
            raise self._damaged(self.path, str(error)) from error
        self.graph = self._read_graph()

    def _read_graph(self) -> ObjectGraph | None:
        if GRAPH_KEY not in self._entries:
            return None  # tensors by name, as TensorFlow 1 wrote them
        try:
            message = self.read(GRAPH_KEY).item()
            graph = ObjectGraph([_node(fields(node)) for node in fields(message)[1]])
        except (ValueError, IndexError, KeyError) as error:
            raise self._damaged(self.path, f"its object graph cannot be read ({error})") from error
        for node in graph.nodes:
            node.values = {name: value for name, value in node.values.items() if self._is_of_use(value.key)}
        return graph

    def _is_of_use(self, key: str) -> bool:
        if key in self._entries and self.dtype(key) != "variant":
            return True
        _log.warning(
            "%s in %s cannot be restored: its value, such as a dataset iterator's, is in a form of TensorFlow's own.",
            key,
            self.path,
        )
        return False

    def names(self) -> list[str]:
        return sorted(self._entries)

    def shape(self, key: str) -> tuple[int, ...]:
        described = fields(self._entries[key].get(2, [b""])[0])
        return tuple([fields(size).get(1, [0])[0] for size in described.get(2, [])])

    def dtype(self, key: str) -> str:
        return _DTYPES.get(self._entries[key][1][0], "variant")

    def verify(self) -> None:
        """DataLossError where a tensor's bytes are missing or are not those that were written."""
        for key, entry in self._entries.items():
            if self.dtype(key) != "variant" and 7 not in entry:
                self._data(key)

    def read(self, key: str) -> np.ndarray:
        """A tensor, as an array of its own."""
        if 7 in self._entries[key] or self.dtype(key) == "variant":
            what = "in slices (a partitioned variable)" if 7 in self._entries[key] else "in a form of TensorFlow's own"
            raise UnimplementedError(
                None, None, f"{key} in {self.path} is stored {what}, which tapeflow does not read."
            )
        data, name, shape = self._data(key), self.dtype(key), self.shape(key)
        try:
            return _texts(data, shape) if name == "string" else from_bytes(data, name, shape)
        except (ValueError, IndexError) as error:
            raise self._damaged(self.path, f"{key} has {error}") from error

    def _data(self, key: str) -> Any:
        entry = self._entries[key]
        number, offset, size = (entry.get(field, [0])[0] for field in (3, 4, 5))
        shard = self._shard(number)
        data = shard[offset : offset + size]
        where = self._shard_path(number)
        if len(data) != size:
            raise self._damaged(where, f"it ends before {key}")
        if key in self._verified:
            return data
        checksum = _checksum(self._unpacked(key, data) if self.dtype(key) == "string" else data)
        if checksum is not None and 6 in entry and unmasked(entry[6][0]) != checksum:
            raise self._damaged(where, f"the checksum of {key} does not match its bytes")
        self._verified.add(key)
        return data

    def _unpacked(self, key: str, data: Any) -> bytes:
        """What the checksum of a string tensor is of: the lengths are four bytes each there, not packed."""
        try:
            lengths, place = _lengths(data, self.shape(key))
            return struct.pack(f"<{len(lengths)}I", *lengths) + bytes(data[place:])
        except (ValueError, IndexError, struct.error) as error:
            raise self._damaged(self.path, f"{key} is no string tensor") from error

    def _shard_path(self, number: int) -> str:
        return f"{self._prefix}.data-{number:05d}-of-{self._count:05d}"

    def _shard(self, number: int) -> memoryview:
        if number not in self._shards:
            path = self._shard_path(number)
            if not os.path.exists(path):
                raise self._damaged(path, "it does not exist")
            with open(path, "rb") as file:
                self._shards[number] = held(file) if os.path.getsize(path) else memoryview(b"")
        return self._shards[number]

    def _damaged(self, path: str, what: str) -> OpError:
        return DataLossError(
            None,
            None,
            f"{path}, a part of the TensorFlow checkpoint {self._prefix}, is damaged: {what}. Nothing was restored "
            "and no file was changed. Copy the checkpoint again (all of its files), or restore another one.",
        )


def _node(message: dict[int, list]) -> Node:
    made = Node()
    for child in map(fields, message.get(1, [])):
        made.children[child.get(2, [b""])[0].decode()] = child.get(1, [0])[0]
    for value in map(fields, message.get(2, [])):
        name, full_name, key = (value.get(field, [b""])[0].decode() for field in (1, 2, 3))
        made.values[name] = StoredValue(key, full_name)
    return made


def _lengths(data: Any, shape: tuple) -> tuple[list[int], int]:
    """A string tensor begins with the lengths of its texts, packed; and the place after them."""
    lengths, place = [], 0
    for _ in range(math.prod(shape)):
        length, place = varint(data, place)
        lengths.append(length)
    return lengths, place


def _texts(data: Any, shape: tuple) -> np.ndarray:
    """The lengths, their checksum, and the texts, one after the other."""
    lengths, place = _lengths(data, shape)
    made = np.empty(len(lengths), object)
    place += 4
    for number, length in enumerate(lengths):
        made[number] = bytes(data[place : place + length])
        place += length
    if place != len(data):
        raise ValueError(f"{len(data)} bytes where its texts need {place}")
    return made.reshape(shape)


def _checksum(data: Any) -> int | None:
    """None where computing it would take long."""
    try:
        import google_crc32c
    except ImportError:
        return crc32c(bytes(data)) if len(data) <= _SMALL else None
    return google_crc32c.value(bytes(data))
