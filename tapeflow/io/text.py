"""Strings that mean something else: lines of CSV, base64, compressed data, examples as JSON."""

import base64
import binascii
import itertools
import os
import re
import zlib
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from tapeflow.api.strings.host import array_of, string_tensor, strings_of
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import DataLossError, ResourceExhaustedError, invalid
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TextLike

from .streams import WINDOWS

__all__ = ["decode_base64", "decode_compressed", "decode_csv", "decode_json_example", "encode_base64"]


# ---- CSV


def decode_csv(
    records: TextLike,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of lines of CSV, each with the dtype of its default; an empty default says that a column is
    required.

    Args:
        records: Lines, as strings.
        record_defaults: For each column a scalar, or a list of none or one; float32, float64, int32, int64 or string.
        field_delim: The character between fields.
        use_quote_delim: False takes quotes for a part of the text.
        na_value: A text that stands for an empty field.
        select_cols: The numbers of the columns to read, increasing; None: all.

    Raises:
        InvalidArgumentError: If a line has another number of fields, one that is required is empty, or one cannot be
            read.

    >>> [column.numpy() for column in tf.io.decode_csv(["1,2.5", "4,"], record_defaults=[[0], [9.]])]
    [array([1, 4], dtype=int32), array([2.5, 9. ], dtype=float32)]
    """
    lines = strings_of(records, "records")
    defaults = [array_of(default).reshape(-1) for default in record_defaults]
    if len(field_delim) != 1:
        raise ValueError(f"field_delim should be only 1 char, got {field_delim!r}.")
    if select_cols is not None:
        if any(a >= b for a, b in itertools.pairwise(select_cols)):
            raise ValueError(f"select_cols is not strictly increasing: {list(select_cols)}.")
        if len(select_cols) != len(defaults):
            raise ValueError(
                f"select_cols has {len(select_cols)} columns, record_defaults {len(defaults)}: they should match."
            )
    for k, default in enumerate(defaults):
        if as_dtype(default.dtype).name not in _CSV:
            raise invalid(
                f"record_defaults[{k}] is of {as_dtype(default.dtype).name}, which is not one of {', '.join(_CSV)}."
            )
        if default.size > 1:
            raise invalid(f"There should only be 1 default per field but field {k} has {default.size}.")
    columns: list[list] = [[] for _ in defaults]
    readers, missing = [_CSV[as_dtype(default.dtype).name] for default in defaults], na_value.encode()
    for row, line in enumerate(lines.flat):
        fields = _fields(line, field_delim.encode(), use_quote_delim)
        if select_cols is not None:
            if select_cols[-1] >= len(fields):
                raise invalid(f"Expect {select_cols[-1] + 1} fields or more but have {len(fields)} in record {row}.")
            fields = [fields[k] for k in select_cols]
        if len(fields) != len(defaults):
            raise invalid(f"Expect {len(defaults)} fields but have {len(fields)} in record {row}.")
        for k, field in enumerate(fields):
            if field != b"" and field != missing:
                columns[k].append(readers[k](field, k, row))
            elif defaults[k].size:
                columns[k].append(defaults[k][0])
            else:
                raise invalid(f"Field {k} is required but missing in record {row}!")
    return [
        string_tensor(column, lines.shape)
        if default.dtype.kind == "O"
        else EagerTensor(np.array(column, default.dtype).reshape(lines.shape))
        for column, default in zip(columns, defaults)
    ]


def _number(kind: str, read: Callable[[bytes], Any], smallest: float, largest: float) -> Any:
    def convert(field: bytes, column: int, row: int) -> Any:
        try:
            value = read(field)
        except ValueError:
            value = None
        # Python reads 1_000 too, and integers of any size.
        if value is None or b"_" in field or value < smallest or value > largest:
            raise invalid(f"Field {column} in record {row} is not a valid {kind}: {field.decode(errors='replace')}.")
        return value

    return convert


_CSV: dict[str, Any] = {
    "float32": _number("float", float, -inf, inf),
    "float64": _number("double", float, -inf, inf),
    "int32": _number("int32", int, -(2**31), 2**31 - 1),
    "int64": _number("int64", int, -(2**63), 2**63 - 1),
    "string": lambda field, column, row: field,
}


def _fields(line: bytes, delim: bytes, quotes: bool) -> list[bytes]:
    """The fields of one line, by RFC 4180 and as strict as TensorFlow; Python's reader forgives what it should not."""
    if not line:
        return []
    if not quotes or not (b'"' in line or b"\n" in line or b"\r" in line):
        return line.split(delim)
    fields, start = [], 0
    while True:
        if line[start : start + 1] == b'"':
            end = start + 1
            while (end := line.find(b'"', end)) >= 0 and line[end + 1 : end + 2] == b'"':
                end += 2
            if end < 0:
                raise invalid("Quoted field has to end with quote followed by delim or end.")
            field, end = line[start + 1 : end].replace(b'""', b'"'), end + 1
            if line[end : end + 1] not in (delim, b""):
                raise invalid("Quote inside a string has to be escaped by another quote.")
        else:
            end = line.find(delim, start)
            end = len(line) if end < 0 else end
            field = line[start:end]
            if any(mark in field for mark in (b'"', b"\n", b"\r")):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside.")
        fields.append(field)
        if end >= len(line):
            return fields
        start = end + 1
        if start == len(line):
            return [*fields, b""]


# ---- base64, compressed data


def encode_base64(input: TextLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in the base64 that is safe in addresses (`-` and `_`), without `=` at the end unless `pad`.

    Args:
        pad: True puts `=` at the end, up to a multiple of four characters.

    >>> tf.io.encode_base64("tape?").numpy()
    b'dGFwZT8'
    """
    strings = strings_of(input, "input")
    coded = [base64.urlsafe_b64encode(s) for s in strings.flat]
    return string_tensor(coded if pad else [s.rstrip(b"=") for s in coded], strings.shape)


def decode_base64(input: TextLike, name: str | None = None) -> Tensor:
    """The strings that were encoded.

    Raises:
        InvalidArgumentError: If a string is no such base64.

    >>> tf.io.decode_base64("dGFwZT8").numpy()
    b'tape?'
    """
    strings = strings_of(input, "input")
    return string_tensor([_from_base64(s) for s in strings.flat], strings.shape)


def _from_base64(s: bytes) -> bytes:
    bare = s.rstrip(b"=")
    if not re.fullmatch(rb"[A-Za-z0-9_-]*", bare):
        raise invalid(f"Invalid character found in base64: {s[:40]!r}. Only letters, digits, - and _ belong there.")
    if len(bare) % 4 == 1:
        raise invalid(f"Base64 string length cannot be 1 modulo 4, and {s[:40]!r} has {len(bare)} characters.")
    try:
        return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))
    except binascii.Error as error:
        raise invalid(f"Not base64: {s[:40]!r} ({error}).") from None


def decode_compressed(bytes: TextLike, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings as they were before compression with "ZLIB" or "GZIP".

    A string may become a gigabyte: a damaged or malicious one of megabytes could fill the memory otherwise. The
    environment variable TAPEFLOW_MAX_DECOMPRESSED_BYTES sets another limit.

    Args:
        bytes: Strings.

    Raises:
        DataLossError: If a string is no such data, or ends too early.
        ResourceExhaustedError: If it becomes larger than the limit.

    >>> import zlib
    >>> tf.io.decode_compressed([zlib.compress(b"tape")], "ZLIB").numpy()
    array([b'tape'], dtype=object)
    """
    strings = strings_of(bytes, "bytes")
    if compression_type not in ("", *WINDOWS):
        raise invalid(f"Only ZLIB, GZIP or '' (none) are supported compressions, not {compression_type!r}.")
    if not compression_type:
        return string_tensor(list(strings.flat), strings.shape)
    most = int(os.environ.get("TAPEFLOW_MAX_DECOMPRESSED_BYTES", 1 << 30))
    return string_tensor([_inflated(s, compression_type, most) for s in strings.flat], strings.shape)


def _inflated(s: bytes, kind: str, most: int) -> bytes:
    parts, left = [], most
    while s:
        stream = zlib.decompressobj(WINDOWS[kind])
        try:
            parts.append(stream.decompress(s, left + 1))
        except zlib.error as error:
            raise DataLossError(None, None, f"The bytes are not {kind} data: {error}.") from None
        left -= len(parts[-1])
        if left < 0:
            raise ResourceExhaustedError(
                None,
                None,
                f"{len(s)} bytes of {kind} data decompress to more than {most} bytes. If they are meant to, set the "
                "environment variable TAPEFLOW_MAX_DECOMPRESSED_BYTES to a larger number.",
            )
        if not stream.eof:
            raise DataLossError(
                None, None, f"The bytes are not {kind} data: they end too early, after {len(s)} bytes."
            )
        s = stream.unused_data if kind == "GZIP" else b""  # GZIP data may be several streams, as TensorFlow has it
    return b"".join(parts)


def decode_json_example(json_examples: TextLike, name: str | None = None) -> Tensor:
    """Serialized `tf.train.Example` messages from their JSON form.

    Args:
        json_examples: JSON texts, as strings.

    Raises:
        InvalidArgumentError: If a text is not the JSON of a `tf.train.Example`.

    >>> text = '{"features": {"feature": {"x": {"int64List": {"value": [3]}}}}}'
    >>> found = tf.io.parse_single_example(tf.io.decode_json_example(text), {"x": tf.io.FixedLenFeature([], tf.int64)})
    >>> found["x"].numpy()
    np.int64(3)
    """
    strings = strings_of(json_examples, "json_examples")
    return string_tensor([_from_json(s) for s in strings.flat], strings.shape)


def _from_json(s: bytes) -> bytes:
    from .messages import from_json

    try:
        return from_json(s).SerializeToString(deterministic=True)
    except ValueError as error:
        raise invalid(f"Error while parsing JSON as a tf.train.Example: {error}.") from None
