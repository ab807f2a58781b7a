"""The values of one key over a batch of examples, as the tensor that its feature description asks for."""

import itertools
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.api.strings.host import array_of
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.tensor import EagerTensor

from .features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    SparseFeature,
    UniformRowLength,
    ValueRowIds,
    VarLenFeature,
)

__all__ = ["FEATURES", "Rows", "column", "filled", "items", "joined"]

FEATURES = (FixedLenFeature, VarLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature)
_KINDS = {"int64": "int64_list", "float32": "float_list", "string": "bytes_list"}
_NAMES = {"int64": "int64", "float32": "float", "string": "string"}  # TensorFlow's, in messages
_LISTED = {"int64_list": "int64", "float_list": "float", "bytes_list": "string"}


class Rows:
    """A batch: the feature map of each example, and what to call an example in an error."""

    def __init__(self, maps: Sequence[Any], names: Sequence[str]) -> None:
        self.maps, self.names = maps, names

    def values(self, key: str, dtype: Any) -> list[np.ndarray | None]:
        """The values of each example, None where it has none."""
        found = []
        for features, name in zip(self.maps, self.names):
            found.append(items(features[key], dtype, key, name) if key in features else None)
        return found


def items(feature: Any, dtype: Any, key: str, name: str) -> np.ndarray | None:
    """The values of one feature; None if it says nothing at all."""
    dtype = as_dtype(dtype)
    if dtype.name not in _KINDS:
        raise invalid(
            f"Feature {key}: examples hold values of tf.int64, tf.float32 and tf.string, not {dtype.name}. tf.cast "
            "changes them."
        )
    kind = feature.WhichOneof("kind")
    if kind is None:
        return None
    if kind != _KINDS[dtype.name]:
        expected = f"Data types don't match. Data type: {_LISTED[kind]} but expected type: {_NAMES[dtype.name]}"
        raise invalid(f"{name}Key: {key}.  {expected}.")
    listed = getattr(feature, kind)
    values = listed.value
    if kind == "float_list":  # serialized it ends with the numbers as they are: 20 times faster than one by one
        return np.frombuffer(listed.SerializeToString()[-4 * len(values) :], "<f4", len(values)).astype(np.float32)
    if kind == "int64_list":
        return np.array(values, np.int64)
    strings = np.empty(len(values), object)
    strings[:] = values
    return strings


def filled(spec: Any, key: str, size: int) -> np.ndarray:
    """`size` values, from the spec's default, which is one value or all of them."""
    dtype = as_dtype(spec.dtype)
    if spec.default_value is None:
        return np.full(size, b"" if dtype.name == "string" else 0, dtype.np)
    default = array_of(spec.default_value)
    default = default if dtype.name == "string" else default.astype(dtype.np)
    if default.size != size and not (default.size == 1 and isinstance(spec, FixedLenSequenceFeature)):
        raise invalid(
            f"Feature {key}: its default_value has {default.size} values, its shape {_shape(spec, key)} needs {size}."
        )
    return np.broadcast_to(default.reshape(-1), size)


def _shape(spec: Any, key: str) -> tuple[int, ...]:
    shape = tuple(spec.shape if hasattr(spec.shape, "__iter__") else [spec.shape])
    if any(size is None for size in shape):
        raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {list(shape)}.")
    return tuple(int(size) for size in shape)


def joined(parts: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts) if len(parts) else np.empty(0, as_dtype(dtype).np)


# ---- one builder for each kind of feature; `single`: without the axis of examples


def column(rows: Rows, key: str, spec: Any, single: bool) -> Any:
    """What `spec` makes of the batch."""
    if isinstance(spec, FixedLenFeature):
        return _fixed(rows, key, spec, single)
    if isinstance(spec, VarLenFeature):
        return _sparse_rows(rows.values(key, spec.dtype), spec.dtype, single)
    if isinstance(spec, FixedLenSequenceFeature):
        return _padded(rows, key, spec, single)
    return (_ragged if isinstance(spec, RaggedFeature) else _sparse)(rows, key, spec, single)


def _fixed(rows: Rows, key: str, spec: FixedLenFeature, single: bool) -> EagerTensor:
    shape, dtype = _shape(spec, key), as_dtype(spec.dtype)
    size, found = prod(shape), rows.values(key, dtype)
    for k, (values, name) in enumerate(zip(found, rows.names)):
        if values is None and spec.default_value is not None:
            found[k] = filled(spec, key, size)
        elif values is None:
            raise invalid(
                f"{name}Feature: {key} (data type: {_NAMES[dtype.name]}) is required but could not be found. "
                "Give a default_value if examples may lack it."
            )
        elif values.size != size:
            kind = "bytes" if dtype.name == "string" else _NAMES[dtype.name]
            where, size_text = (
                f"{name}Key: {key}, Index: {k}.",
                f"Values size: {values.size} but output shape: {list(shape)}",
            )
            raise invalid(f"{where}  Number of {kind} values != expected.  {size_text}.")
    flat = joined([v for v in found if v is not None], dtype)
    return EagerTensor(flat.reshape(shape if single else (len(found), *shape)))


def _sparse_rows(found: list[np.ndarray | None], dtype: Any, single: bool) -> SparseTensor:
    parts = [np.empty(0, as_dtype(dtype).np) if v is None else v for v in found]
    if single:
        return SparseTensor(np.arange(parts[0].size).reshape(-1, 1), EagerTensor(parts[0]), [parts[0].size])
    lengths = [part.size for part in parts]
    places = [(row, place) for row, length in enumerate(lengths) for place in range(length)]
    indices = np.array(places, np.int64).reshape(-1, 2)
    return SparseTensor(indices, EagerTensor(joined(parts, dtype)), [len(parts), max(lengths, default=0)])


def _padded(rows: Rows, key: str, spec: FixedLenSequenceFeature, single: bool) -> EagerTensor:
    if not spec.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    shape, dtype = _shape(spec, key), as_dtype(spec.dtype)
    each, found = max(prod(shape), 1), rows.values(key, dtype)
    parts = [np.empty(0, dtype.np) if v is None else v for v in found]
    for part in parts:
        if part.size % each:
            raise invalid(
                f"Error while parsing feature with key {key}: number of elements should be divisible by {each}, "
                f"found {part.size} instead."
            )
    longest = max((part.size for part in parts), default=0)
    out = np.empty((len(parts), longest), dtype.np)
    out[...] = filled(spec, key, 1)
    for row, part in zip(out, parts):
        row[: part.size] = part
    length = longest // each
    return EagerTensor(out.reshape((length, *shape) if single else (len(parts), length, *shape)))


def _sparse(rows: Rows, key: str, spec: SparseFeature, single: bool) -> SparseTensor:
    keys = spec.index_key if isinstance(spec.index_key, (list, tuple)) else [spec.index_key]
    sizes = list(spec.size) if isinstance(spec.size, (list, tuple)) else [spec.size]
    values = rows.values(spec.value_key, spec.dtype)
    axes = [rows.values(index, "int64") for index in keys]
    indices, flat = [], []
    for row, found in enumerate(values):
        part = np.empty(0, as_dtype(spec.dtype).np) if found is None else found
        places: list[Any] = [np.empty(0, np.int64) if axis[row] is None else axis[row] for axis in axes]
        if any(axis.size != part.size for axis in places):
            counts = ", ".join(f"{axis.size} of {name}" for name, axis in zip(keys, places))
            raise invalid(f"{rows.names[row]}Feature {key}: {part.size} values of {spec.value_key}, but {counts}.")
        order = np.arange(part.size) if spec.already_sorted else np.lexsort(tuple(reversed(places)))
        indices.append(np.stack([*([] if single else [np.full(part.size, row)]), *places], axis=1)[order])
        flat.append(part[order])
    rank = len(keys) + (not single)
    where = np.concatenate(indices) if indices else np.empty((0, rank), np.int64)
    return SparseTensor(where, EagerTensor(joined(flat, spec.dtype)), [*([] if single else [len(values)]), *sizes])


# ---- ragged


def _ragged(rows: Rows, key: str, spec: RaggedFeature, single: bool) -> Any:
    """Row lengths of every level, laid end to end over the batch, and then the tensor from the inside out."""
    found = rows.values(spec.value_key or key, spec.dtype)
    parts = [np.empty(0, spec.dtype.np) if v is None else v for v in found]
    counts = [part.size for part in parts]
    levels: list[tuple[Any, np.ndarray]] = []
    for partition in reversed(spec.partitions):
        given: Any = itertools.repeat(None)
        if not isinstance(partition, UniformRowLength):
            given = rows.values(partition.key, "int64")
        rows_of = [_row_lengths(partition, own, count, key) for own, count in zip(given, counts)]
        levels.append((partition, joined(rows_of, "int64")))
        counts = [len(own) for own in rows_of]
    if not single:
        levels.append((None, np.array(counts, np.int64)))
    result: Any = EagerTensor(joined(parts, spec.dtype))
    for partition, lengths in levels:
        if isinstance(partition, UniformRowLength) and not isinstance(result, RaggedTensor):
            array = result.array
            result = EagerTensor(array.reshape(-1, int(partition.length), *array.shape[1:]))
        else:
            splits = np.concatenate([[0], np.cumsum(lengths)]).astype(spec.row_splits_dtype.np)
            result = RaggedTensor.from_row_splits(result, EagerTensor(splits), validate=False)
    return result


def _row_lengths(partition: Any, given: np.ndarray | None, count: int, key: str) -> np.ndarray:
    if isinstance(partition, UniformRowLength):
        length = int(partition.length)
        if count % length:
            raise invalid(f"Feature {key}: {count} values do not make rows of {length}.")
        return np.full(count // length, length)
    given = np.empty(0, np.int64) if given is None else given
    match partition:
        case RowLengths():
            lengths = given
        case RowSplits():
            lengths = np.diff(given)
        case RowStarts():
            lengths = np.diff(np.append(given, count))
        case RowLimits():
            lengths = np.diff(np.insert(given, 0, 0))
        case ValueRowIds():
            lengths = np.bincount(given) if given.size else given
    if lengths.sum() != count or (lengths < 0).any():
        what = (
            f"Feature {key}: the {type(partition).__name__} {given.tolist()} of {partition.key} do not partition "
            f"{count} values."
        )
        raise InvalidArgumentError(None, None, what)
    return lengths
