"""Tensors as bytes: `serialize_tensor` and `parse_tensor` (TensorFlow's `TensorProto`), `decode_raw`."""

import math
import sys
from typing import Any

import numpy as np

from tapeflow.api.strings.host import array_of, one_string, string_tensor, strings_of
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, TextLike

__all__ = ["decode_raw", "dtype_of_number", "number_of_dtype", "parse_tensor", "serialize_tensor"]

# TensorFlow's numbers for dtypes, and the field of a TensorProto that lists values one by one.
_TYPES = {
    "float32": (1, "float_val"), "float64": (2, "double_val"), "int32": (3, "int_val"), "uint8": (4, "int_val"),
    "int16": (5, "int_val"), "int8": (6, "int_val"), "string": (7, "string_val"), "complex64": (8, "scomplex_val"),
    "int64": (9, "int64_val"), "bool": (10, "bool_val"), "bfloat16": (14, "half_val"), "uint16": (17, "int_val"),
    "complex128": (18, "dcomplex_val"), "float16": (19, "half_val"), "uint32": (22, "uint32_val"),
    "uint64": (23, "uint64_val"),
}  # fmt: skip
_NAMES = {number: name for name, (number, _) in _TYPES.items()}
_RAW = "float16 float32 float64 int32 uint16 uint8 int16 int8 int64 complex64 complex128 bool bfloat16".split()


def dtype_of_number(number: int) -> str | None:
    """The name of the dtype that TensorFlow's messages give by this number; None if it is none here."""
    return _NAMES.get(number)


def number_of_dtype(name: str) -> int:
    """The inverse: TensorFlow's number for a dtype."""
    return _TYPES[name][0]


def serialize_tensor(tensor: AnyTensorLike, name: str | None = None) -> Tensor:
    """A tensor as the bytes of a `TensorProto`, which `parse_tensor` reads.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([[1., 2.]]), tf.float32).numpy()
    array([[1., 2.]], dtype=float32)
    """
    from .messages import TensorProto

    array = array_of(tensor)
    dtype = as_dtype(array.dtype)
    if dtype.name not in _TYPES:
        raise invalid(f"Tensors of dtype {dtype.name} cannot be serialized; cast to one of {', '.join(_TYPES)}.")
    proto = TensorProto(dtype=_TYPES[dtype.name][0])
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if dtype.name == "string":
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return string_tensor([proto.SerializeToString()], ())


def parse_tensor(serialized: TextLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor in the bytes of a `TensorProto`; its dtype must be `out_type`.

    Args:
        serialized: One serialized tensor, a scalar.
        out_type: The dtype of the tensor.

    Raises:
        InvalidArgumentError: If it cannot be read, or has another dtype.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor(["a", "b"]), tf.string).numpy()
    array([b'a', b'b'], dtype=object)
    """
    from .messages import DecodeError, TensorProto

    data, wanted = one_string(serialized, "serialized"), as_dtype(out_type)
    try:
        proto = TensorProto.FromString(data)
    except DecodeError as error:
        raise invalid(
            f"Could not parse `serialized` as TensorProto: {data[:24]!r} ({len(data)} bytes; {error})."
        ) from None
    given = _NAMES.get(proto.dtype)
    if given is not None and given != wanted.name:
        raise invalid(f"Type mismatch between parsed tensor ({given}) and dtype ({wanted.name}).")
    return EagerTensor(array_in(proto))


def array_in(proto: Any) -> np.ndarray:
    """The array that a TensorProto holds, whichever library made the message. InvalidArgumentError where it does not
    hold together."""
    given = _NAMES.get(proto.dtype)
    if given is None:
        raise invalid(f"Cannot parse tensor from proto: it has dtype number {proto.dtype}.")
    shape = tuple(int(dim.size) for dim in proto.tensor_shape.dim)
    if any(size < 0 for size in shape) or len(shape) > 64:  # NumPy has no more axes
        raise invalid(f"Cannot parse tensor from proto: its shape is {list(shape)}.")
    return _values(proto, as_dtype(given).np, math.prod(shape), given).reshape(shape)


def _values(proto: Any, dtype: Any, count: int, given: str) -> np.ndarray:
    if proto.tensor_content:
        if len(proto.tensor_content) != count * dtype.itemsize:
            raise invalid(
                f"Cannot parse tensor from proto: {len(proto.tensor_content)} bytes for {count} values of {given}."
            )
        return np.frombuffer(proto.tensor_content, dtype).copy()
    listed = getattr(proto, _TYPES[given][1], ())  # a library's own messages may lack the latest fields
    if given == "string":
        found = np.empty(len(listed), object)
        found[:] = listed
    elif given in ("float16", "bfloat16"):
        found = np.array(listed, np.uint16).view(dtype)
    elif given.startswith("complex"):
        found = np.array(listed, np.float32 if given == "complex64" else np.float64).view(dtype)
    elif np.dtype(dtype).itemsize < 4:  # of int32s, cut as C does
        found = np.array(listed, np.int32).astype(dtype)
    else:
        found = np.array(listed, dtype)
    if found.size > count:
        raise invalid(f"Cannot parse tensor from proto: it lists {found.size} values, its shape has {count}.")
    # The last value stands for all that follow: a TensorProto may shorten a constant tensor like this.
    last = found[-1] if found.size else (b"" if given == "string" else 0)
    try:
        full = np.full(count, last, dtype)
    except (MemoryError, ValueError) as error:  # a few bytes can ask for any shape
        raise invalid(f"Cannot parse tensor from proto: {count} values of {given} do not fit into memory.") from error
    full[: found.size] = found
    return full


def decode_raw(
    input_bytes: TextLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The bytes of each string as numbers, along a new last axis; with `fixed_length` strings are cut or padded with
    zeros.

    Args:
        input_bytes: Strings, all of one length unless `fixed_length` is given.
        out_type: The dtype of the numbers.
        little_endian: False reads numbers of several bytes with the highest byte first.
        fixed_length: How many bytes of each string to read.

    Raises:
        InvalidArgumentError: If lengths differ, or are no multiple of the size of a number.

    >>> tf.io.decode_raw([b"ab", b"cd"], tf.uint8).numpy()
    array([[ 97,  98],
           [ 99, 100]], dtype=uint8)
    """
    strings, dtype = strings_of(input_bytes, "input_bytes"), as_dtype(out_type)
    if dtype.name not in _RAW:
        raise invalid(f"out_type={dtype.name} is not one of {', '.join(_RAW)}.")
    width, parts = np.dtype(dtype.np).itemsize, list(strings.flat)
    if fixed_length is not None:
        length = int(fixed_length)
        if length <= 0 or length % width:
            raise invalid(
                f"fixed_length ({length}) must be positive and a multiple of the size of out_type ({width})."
            )
        parts = [part[:length].ljust(length, b"\0") for part in parts]
    length = len(parts[0]) if parts else 0
    for k, part in enumerate(parts):
        if len(part) != length:
            raise invalid(
                f"DecodeRaw requires input strings to all be the same size, but element {k} has size {len(part)} != "
                f"{length}. Give fixed_length to cut or pad them."
            )
    if length % width:
        raise invalid(
            f"Input to DecodeRaw has length {length} that is not a multiple of {width}, the size of {dtype.name}."
        )
    flat = np.frombuffer(b"".join(parts), dtype.np)
    if little_endian != (sys.byteorder == "little") and width > 1:
        flat = flat.byteswap()
    return EagerTensor(flat.reshape(*strings.shape, length // width).copy())
