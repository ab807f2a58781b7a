"""Our checkpoint file: one safetensors file whose metadata hold the object graph and a checksum of every tensor.

safetensors is eight bytes with the length of a header, the header (JSON: for each tensor its dtype, shape and place),
and the tensors' bytes, so any safetensors library reads ours.
"""

import json
import struct
import zlib
from typing import Any, BinaryIO

import numpy as np

from tapeflow.core.devices import DeviceTensor
from tapeflow.core.errors import DataLossError, OpError
from tapeflow.core.runtime.files import held
from tapeflow.storage.whole_files import replacing

from .encoding import bytes_of, dtype_name, from_bytes, name_of, stored_as
from .graph import ObjectGraph

__all__ = ["SUFFIX", "StoredCheckpoint", "write_checkpoint"]

SUFFIX = ".safetensors"
FORMAT = "tapeflow.checkpoint"
VERSION = 1


def write_checkpoint(path: str, graph: ObjectGraph, tensors: dict[str, Any]) -> None:
    """Writes the graph and its tensors as the file `path`; all of it or nothing. The tensors are arrays, or on
    devices: these are fetched one by one."""
    with replacing(path) as file:
        _write(file, graph, tensors)


def _write(file: BinaryIO, graph: ObjectGraph, tensors: dict[str, Any]) -> None:
    """The header comes first and has the checksums, which are known last: it is written twice, in the same length."""
    sums = dict.fromkeys(tensors, _checksum(b""))
    file.write(_header(graph, tensors, sums))
    for key, tensor in tensors.items():
        data = bytes_of(tensor.array if isinstance(tensor, DeviceTensor) else tensor)
        sums[key] = _checksum(data)
        file.write(data)
    file.seek(0)
    file.write(_header(graph, tensors, sums))


def _header(graph: ObjectGraph, tensors: dict[str, Any], sums: dict[str, str]) -> bytes:
    placed, described = {}, {}
    end = 0
    for key, tensor in tensors.items():
        array = tensor.held if isinstance(tensor, DeviceTensor) else tensor
        name = dtype_name(array)
        size = len(bytes_of(array)) if name == "string" else array.nbytes
        dtype, shape = stored_as(name, array.shape, size)
        placed[key] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        described[key] = {"dtype": name, "shape": list(array.shape), "crc32": sums[key]}
        end += size
    content = json.dumps({"nodes": graph.to_json(), "tensors": described}, separators=(",", ":"))
    metadata = {"format": FORMAT, "version": str(VERSION), "checkpoint": content, "crc32": _checksum(content.encode())}
    header = json.dumps({"__metadata__": metadata, **placed}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # tensors begin at a multiple of eight
    return struct.pack("<Q", len(header)) + header


def _checksum(data: Any) -> str:
    return f"{zlib.crc32(data):08x}"


class StoredCheckpoint:
    """A checkpoint file that is open for reading. Its bytes stay there when the file is replaced or deleted
    meanwhile."""

    foreign = False

    def __init__(self, path: str) -> None:
        self.path = path
        self._verified: set[str] = set()
        # None where somebody else wrote the file: tensors with names, but no objects.
        self.graph: ObjectGraph | None = None
        with open(path, "rb") as file:
            try:
                self._bytes = held(file)
            except ValueError:
                raise self._damaged("it is empty") from None
        try:
            self._read_header()
        except (
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            ArithmeticError,
            RecursionError,
            MemoryError,
        ) as error:
            raise self._damaged(f"its header cannot be read ({type(error).__name__}: {error})") from error

    def _read_header(self) -> None:
        if len(self._bytes) < 8:
            raise ValueError("too short")
        self._start = 8 + struct.unpack("<Q", self._bytes[:8])[0]
        if self._start > len(self._bytes):
            raise ValueError("cut off")
        header = json.loads(bytes(self._bytes[8 : self._start]))
        metadata = header.pop("__metadata__", {})
        self._places = {key: tuple(entry["data_offsets"]) for key, entry in header.items()}
        if any(not 0 <= begin <= end for begin, end in self._places.values()):
            raise ValueError("a tensor's place makes no sense")
        needed = max((end for _, end in self._places.values()), default=0)
        if self._start + needed != len(self._bytes):
            raise self._damaged(f"it should have {self._start + needed} bytes and has {len(self._bytes)}")
        if metadata.get("format") == FORMAT:
            self._read_metadata(metadata)
        else:
            self._tensors = {
                key: {"dtype": name_of(entry["dtype"]), "shape": entry["shape"]} for key, entry in header.items()
            }

    def _read_metadata(self, metadata: dict) -> None:
        if int(metadata["version"]) > VERSION:
            raise DataLossError(
                None,
                None,
                f"{self.path} has format version {metadata['version']}; this version of tapeflow reads "
                f"up to {VERSION}. Update tapeflow.",
            )
        content = metadata["checkpoint"]
        if metadata["crc32"] != _checksum(content.encode()):
            raise ValueError("its checksum does not match")
        described = json.loads(content)
        self.graph = ObjectGraph.from_json(described["nodes"])
        self._tensors = described["tensors"]
        if set(self._tensors) != set(self._places):
            raise ValueError("tensors are missing")

    def names(self) -> list[str]:
        return sorted(self._tensors)

    def shape(self, key: str) -> tuple[int, ...]:
        return tuple(self._tensors[key]["shape"])

    def dtype(self, key: str) -> str:
        return self._tensors[key]["dtype"]

    def verify(self) -> None:
        """DataLossError where a tensor's bytes are not those that were written."""
        for key in self._tensors:
            self._data(key)

    def read(self, key: str) -> np.ndarray:
        """A tensor, as an array of its own."""
        try:
            return from_bytes(self._data(key), self.dtype(key), self.shape(key))
        except (ValueError, TypeError, ArithmeticError, MemoryError) as error:
            raise self._damaged(f"{key} has {error}") from error

    def _data(self, key: str) -> memoryview:
        begin, end = self._places[key]
        data = self._bytes[self._start + begin : self._start + end]
        stored = None if key in self._verified else self._tensors[key].get("crc32")
        if stored is not None and _checksum(data) != stored:
            raise self._damaged(f"the checksum of {key} does not match its bytes")
        self._verified.add(key)
        return data

    def _damaged(self, what: str) -> OpError:
        return DataLossError(
            None,
            None,
            f"The checkpoint {self.path} is damaged: {what}. Nothing was restored and no file was changed. Restore an "
            "earlier one (tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths names those that are "
            "kept), or copy the file again.",
        )
