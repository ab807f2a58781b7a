"""The file format of `cache`, `save` and `snapshot`: elements on disk.

A file is the line `tapeflow elements 1`, then for each element its length (8 bytes, little endian), the CRC-32 of its
bytes (4) and the bytes; a length of 2**64 - 1 ends it, so that a file cut short is noticed. The bytes of an element
are a JSON text with its structure (tuples, dicts, dtypes and shapes), a newline, and the values of its tensors one
after the other; of strings their lengths as 64-bit numbers come first.
"""

import gzip
import json
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO

import numpy as np

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.strings.paths import file_errors
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import DataLossError
from tapeflow.core.tensor import EagerTensor
from tapeflow.io.streams import read_up_to
from tapeflow.storage.whole_files import replacing

_MAGIC = b"tapeflow elements 1\n"
_HEAD = struct.Struct("<QI")
_END = 2**64 - 1


def write(path: str, elements: Iterator[Any], compression: str | None = None) -> Iterator[Any]:
    """Writes the elements to a file as it yields them. The file is there when the last has been taken, and until then
    an older one is untouched."""
    with ExitStack() as stack:
        with file_errors(path):  # of this file only: an element's error is its own
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            raw = stack.enter_context(replacing(path))
        file = _compressed(raw, compression, "wb")
        if file is not raw:
            stack.enter_context(file)
        file.write(_MAGIC)
        for value in elements:
            content = _encoded(value)
            file.write(_HEAD.pack(len(content), zlib.crc32(content)) + content)
            yield value
        file.write(_HEAD.pack(_END, 0))


def read(path: str, compression: str | None = None) -> Iterator:
    """The elements of a file; DataLossError when it is not whole."""
    with file_errors(path):
        raw = open(path, "rb")  # noqa: SIM115
    with raw, _compressed(raw, compression, "rb") as file:
        try:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ValueError("it does not begin as a file of elements does")
            while True:
                length, checksum = _HEAD.unpack(file.read(_HEAD.size))
                if length == _END:
                    return
                content = read_up_to(file, length)
                if len(content) != length or zlib.crc32(content) != checksum:
                    raise ValueError("an element is cut short or has changed")
                yield _decoded(content)
        except (ValueError, KeyError, TypeError, RecursionError, OSError, EOFError, struct.error, zlib.error) as error:
            raise DataLossError(None, None, f"{path} is corrupt: {error}. Delete it, and it is made again.") from error


def spec_elements(path: str, compression: str | None = None) -> Any:
    """The first element, from which the spec of the others is taken."""
    return next(read(path, compression), None)


def _compressed(file: Any, compression: str | None, mode: str) -> BinaryIO:
    if compression in (None, "", "NONE", "AUTO"):
        return file
    if compression == "GZIP":
        return gzip.GzipFile(fileobj=file, mode=mode, compresslevel=4)  # type: ignore[return-value]
    raise ValueError(f"compression={compression!r} is not one of None, 'AUTO' and 'GZIP'.")


def _encoded(value: Any) -> bytes:
    contents: list[bytes] = []
    structure = _described(value, contents)
    return b"\n".join((json.dumps(structure).encode(), b"".join(contents)))


def _described(value: Any, contents: list[bytes]) -> Any:
    if value is None:
        return None
    if isinstance(value, EagerTensor):
        array = np.asarray(value.array)
        if array.dtype.kind == "O":
            texts = array.ravel().tolist()
            contents.append(np.array([len(t) for t in texts], "<i8").tobytes() + b"".join(texts))
        else:
            contents.append(np.ascontiguousarray(array).tobytes())
        return {"tensor": value.dtype.name, "shape": list(array.shape)}
    if isinstance(value, dict):
        return {"dict": [[key, _described(inner, contents)] for key, inner in value.items()]}
    if type(value) is tuple:
        return {"tuple": [_described(inner, contents) for inner in value]}
    if isinstance(value, RaggedTensor):
        return {"ragged": [_described(part, contents) for part in (value.values, value.row_splits)]}
    raise TypeError(f"Elements on disk are tensors in tuples and dicts; a {type(value).__name__} cannot be written.")


def _decoded(content: bytes) -> Any:
    head = content.index(b"\n")
    return _rebuilt(json.loads(content[:head]), memoryview(content), [head + 1])


def _rebuilt(structure: Any, content: memoryview, at: list[int]) -> Any:
    if structure is None:
        return None
    if "tensor" in structure:
        return EagerTensor(_array(structure["tensor"], tuple(structure["shape"]), content, at))
    if "dict" in structure:
        return {key: _rebuilt(inner, content, at) for key, inner in structure["dict"]}
    if "ragged" in structure:
        values, splits = [_rebuilt(part, content, at) for part in structure["ragged"]]
        return RaggedTensor.from_row_splits(values, splits, validate=False)
    return tuple(_rebuilt(inner, content, at) for inner in structure["tuple"])


def _array(name: str, shape: tuple, content: memoryview, at: list[int]) -> Any:
    def taken(dtype: Any, count: int) -> np.ndarray:
        start = at[0]
        at[0] += count * np.dtype(dtype).itemsize
        return np.frombuffer(content[start : at[0]], dtype)

    count = int(np.prod(shape, dtype=np.int64))
    dtype = as_dtype(name)
    if dtype.kind != "s":
        array = taken(dtype.np, count).reshape(shape)
        return array if shape else array[()]
    texts = [taken("u1", length).tobytes() for length in taken("<i8", count).tolist()]
    made = np.empty(len(texts), object)
    made[:] = texts
    return made.reshape(shape)
