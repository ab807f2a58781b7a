"""Tensors as bytes: safetensors' names of dtypes, and how the dtypes are stored that it does not know."""

import math
from typing import Any

import ml_dtypes
import numpy as np

from tapeflow.core.dtypes import as_dtype

__all__ = ["bytes_of", "from_bytes", "stored_as"]

SAFETENSORS = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32",
    "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    "complex64": "C64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
}  # fmt: skip
_NAMES = {short: name for name, short in SAFETENSORS.items()}
_FLOAT8 = {name: np.dtype(getattr(ml_dtypes, name)) for name in ("float8_e4m3fn", "float8_e5m2")}


def dtype_name(array: np.ndarray) -> str:
    """The name of a tensor's dtype; texts and bytes are `string`."""
    return "string" if array.dtype.kind in "OSU" else array.dtype.name


def name_of(short: str) -> str:
    """A dtype by safetensors' name; KeyError where there is none."""
    return _NAMES[short]


def stored_as(name: str, shape: tuple, size: int) -> tuple[str, list[int]]:
    """safetensors' dtype and shape: the tensor's own, or those of its bytes where safetensors does not have the
    dtype."""
    return (SAFETENSORS[name], list(shape)) if name in SAFETENSORS else ("U8", [size])


def numpy_dtype(name: str) -> np.dtype:
    return _FLOAT8[name] if name in _FLOAT8 else np.dtype(as_dtype(name).np)


def bytes_of(array: np.ndarray) -> Any:
    """Little-endian bytes, row by row. A string tensor is the lengths of its texts, as int64, and then the texts."""
    if dtype_name(array) == "string":
        texts = [text.encode() if isinstance(text, str) else bytes(text) for text in array.ravel().tolist()]
        return np.array([len(text) for text in texts], "<i8").tobytes() + b"".join(texts)
    array = np.ascontiguousarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return array.reshape(-1).view(np.uint8).data


def from_bytes(data: Any, name: str, shape: tuple) -> np.ndarray:
    """The tensor, in memory of its own; ValueError where there are too few bytes, or too many."""
    count = math.prod(shape)
    if name != "string":
        dtype = numpy_dtype(name)
        if len(data) != count * dtype.itemsize:
            raise ValueError(f"{len(data)} bytes for a {name} tensor of shape {shape}")
        return np.array(np.frombuffer(data, np.uint8)).view(dtype).reshape(shape)
    lengths = np.frombuffer(data[: 8 * count], "<i8")
    if len(lengths) != count or (lengths < 0).any() or 8 * count + sum(lengths.tolist()) != len(data):
        raise ValueError(f"{len(data)} bytes for a string tensor of shape {shape}")
    made = np.empty(count, object)
    ends = 8 * count + np.cumsum(lengths)
    for place, (end, length) in enumerate(zip(ends.tolist(), lengths.tolist(), strict=True)):
        made[place] = bytes(data[end - length : end])
    return made.reshape(shape)
