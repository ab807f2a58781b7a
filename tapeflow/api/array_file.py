"""Arrays in one file, in the format of safetensors, which other programs read too: a header in JSON, then the numbers.

What the format has no name for (texts, complex128, 4-bit integers) is written as bytes, and the header's metadata say what they are.
"""

import json
import math
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tapeflow.core.dtypes import BY_NUMPY, as_dtype

__all__ = ["read_arrays", "write_arrays"]

_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL", "float8_e5m2": "F8_E5M2", "float8_e4m3fn": "F8_E4M3",
    "complex64": "C64",
}  # fmt: skip
_DTYPES = {short: as_dtype(name).np for name, short in _NAMES.items()}
_LARGEST_HEADER = 100_000_000  # bytes, by the format


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> int:
    """Write a new file; returns a checksum of it."""
    header: dict = {}
    special: dict = {}
    blocks: list[bytes | memoryview] = []
    end = 0
    for name, array in sorted(
        arrays.items(), key=lambda item: -_alignment(item[1])
    ):  # then all of them lie where their type wants it
        block, kind, shape = _block(name, np.asarray(array), special)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [end, end + len(block)]}
        blocks.append(block)
        end += len(block)
    if special:
        header["__metadata__"] = {"tapeflow": json.dumps(special)}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # numbers start at a multiple of 8
    check = 0
    with open(path, "xb") as file:
        for part in (len(text).to_bytes(8, "little"), text, *blocks):
            file.write(part)
            check = zlib.crc32(part, check)
    return check


def _alignment(array: np.ndarray) -> int:
    return np.dtype(array.dtype).itemsize if BY_NUMPY[array.dtype].name in _NAMES else 1


def _block(name: str, array: np.ndarray, special: dict) -> tuple[bytes | memoryview, str, list[int]]:
    shape = list(array.shape)
    dtype = BY_NUMPY[array.dtype].name
    if dtype in _NAMES:
        raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        return memoryview(raw.reshape(-1).view(np.uint8)), _NAMES[dtype], shape
    special[name] = {"dtype": dtype, "shape": shape}
    if dtype != "string":
        block = np.ascontiguousarray(array).tobytes()
        return block, "U8", [len(block)]
    texts = [text.encode() if isinstance(text, str) else bytes(text) for text in array.reshape(-1).tolist()]
    special[name]["lengths"] = [len(text) for text in texts]
    block = b"".join(texts)
    return block, "U8", [len(block)]


def read_arrays(path: Path, checksum: int | None = None) -> dict[str, np.ndarray]:
    """The arrays of a file, which are not to be written to. ValueError if it is damaged, or not the file with this checksum."""
    whole = path.read_bytes()
    if checksum is not None and zlib.crc32(whole) != checksum:
        raise ValueError(f"{path} is damaged: its checksum is not the one that it was written with.")
    length = int.from_bytes(whole[:8], "little")
    if not 2 <= length <= min(_LARGEST_HEADER, len(whole) - 8):
        raise ValueError(f"{path} is not a file of arrays, or is damaged: its header cannot be {length} bytes long.")
    header = json.loads(whole[8 : 8 + length])
    special = json.loads(header.pop("__metadata__", {}).get("tapeflow", "{}"))
    found = {}
    for name, entry in header.items():
        (start, end), dtype = entry["data_offsets"], _DTYPES[entry["dtype"]]
        if not 0 <= start <= end <= len(whole) - 8 - length or end - start != math.prod(entry["shape"]) * dtype.itemsize:
            raise ValueError(f"{path} is damaged: {name!r} lies outside of it.")
        flat = np.frombuffer(whole, dtype, math.prod(entry["shape"]), 8 + length + start)
        found[name] = _special(flat, special[name]) if name in special else flat.reshape(entry["shape"])
    return found


def _special(flat: np.ndarray, how: dict) -> np.ndarray:
    if "lengths" not in how:
        return flat.view(as_dtype(how["dtype"]).np).reshape(how["shape"])
    out = np.empty(len(how["lengths"]), object)
    end = 0
    for k, length in enumerate(how["lengths"]):
        out[k] = flat[end : end + length].tobytes()
        end += length
    return out.reshape(how["shape"])
