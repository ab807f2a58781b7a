"""Arrays in one file, in the format of safetensors, which other programs read too: a header in JSON, then the numbers.

What the format has no name for (texts, complex128, 4-bit integers) is written as bytes, and the header's metadata say
what they are.
"""

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .checkpoints.encoding import SAFETENSORS, bytes_of, dtype_name, from_bytes, name_of, stored_as

__all__ = ["read_arrays", "write_arrays"]

_LARGEST_HEADER = 100_000_000  # bytes, by the format


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> int:
    """Write a new file, to the disk; returns a checksum of it."""
    header: dict = {}
    special: dict = {}
    blocks: list = []
    end = 0
    # Wide numbers first: then all of them lie where their type wants it.
    for name, array in sorted(
        arrays.items(), key=lambda item: -item[1].dtype.itemsize if dtype_name(item[1]) in SAFETENSORS else 0
    ):
        block, dtype = bytes_of(array), dtype_name(array)
        kind, shape = stored_as(dtype, array.shape, len(block))
        if dtype not in SAFETENSORS:
            special[name] = {"dtype": dtype, "shape": list(array.shape)}
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
        file.flush()
        os.fsync(file.fileno())
    return check


def read_arrays(path: Path, checksum: int | None = None) -> dict[str, np.ndarray]:
    """The arrays of a file. ValueError if it is damaged, or not the file with this checksum."""
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
        start, end = entry["data_offsets"]
        if not 0 <= start <= end <= len(whole) - 8 - length:
            raise ValueError(f"{path} is damaged: {name!r} lies outside of it.")
        own = special.get(name) or {"dtype": name_of(entry["dtype"]), "shape": entry["shape"]}
        found[name] = from_bytes(
            memoryview(whole)[8 + length + start : 8 + length + end], own["dtype"], tuple(own["shape"])
        )
    return found
