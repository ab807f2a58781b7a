"""How rows lie in the values of a ragged tensor: row splits, lengths and numbers.

Eagerly they are NumPy's arrays, which are fast and have values; in a graph that is traced they are symbols. The
functions here take and give either.
"""

from typing import Any

import numpy as np

from tapeflow.api.arguments import a_size
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.function.tracing.symbols import SymbolicTensor

INT = np.dtype("int64")


def is_known(*numbers: Any) -> bool:
    """Are these arrays, and no symbols?"""
    return all(isinstance(n, np.ndarray) for n in numbers)


def is_symbol(tensor: Any) -> bool:
    """Is it a tensor of a graph, wherever it is asked?"""
    return isinstance(tensor, SymbolicTensor)


def integers(values: Any) -> Any:
    """Row numbers and lengths as int64, or int32 where a tensor of int32 was given."""
    tensor = as_tensor(values)
    if not is_symbol(tensor):
        array = np.asarray(tensor.array)
        if array.dtype.kind not in "iu" and array.size:
            raise TypeError(f"Row splits, lengths and ids must be integers, got {array.dtype.name}.")
        return array if array.dtype == np.int32 and isinstance(values, Tensor) else array.astype(INT)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Row splits, lengths and ids must be integers, got {tensor.dtype.name}.")
    return tensor if tensor.dtype.np in (INT, np.int32) else ops.cast(tensor, dtype=INT)


def tensor_of(numbers: Any) -> Tensor:
    return EagerTensor(numbers) if isinstance(numbers, np.ndarray) else numbers


def dtype_of(numbers: Any) -> np.dtype:
    return numbers.dtype if isinstance(numbers, np.ndarray) else numbers.dtype.np


def cast(numbers: Any, dtype: Any) -> Any:
    dtype = as_dtype(dtype).np
    return numbers.astype(dtype) if isinstance(numbers, np.ndarray) else ops.cast(numbers, dtype=dtype)


def row_count(splits: Any) -> Any:
    """How many rows there are: an int, or a size that is known later."""
    return sizes_of(splits)[0] - 1


def lengths_of(splits: Any) -> Any:
    return np.diff(splits) if isinstance(splits, np.ndarray) else splits[1:] - splits[:-1]


def splits_of(lengths: Any) -> Any:
    """Row splits from row lengths."""
    if not isinstance(lengths, Tensor):
        lengths = np.asarray(lengths)
        return np.concatenate([np.zeros(1, lengths.dtype), np.cumsum(lengths, dtype=lengths.dtype)])
    ends = ops.cumsum(lengths, axis=0, exclusive=False, reverse=False)
    return ops.concat(EagerTensor(np.zeros(1, lengths.dtype.np)), ends, axis=0)


def row_ids(splits: Any) -> Any:
    """The row that each value belongs to."""
    if isinstance(splits, np.ndarray):
        return np.repeat(np.arange(len(splits) - 1, dtype=splits.dtype), np.diff(splits))
    return ops.row_ids(splits)


def ranges(starts: Any, lengths: Any) -> Any:
    """From each start so many numbers, one range after the other."""
    if is_known(starts, lengths):
        ends = np.cumsum(lengths)
        return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    return ops.ranges(tensor_of(starts), tensor_of(lengths))


def picked(numbers: Any, places: Any) -> Any:
    """The numbers at these places."""
    if is_known(numbers, places):
        return numbers[places]
    return ops.take(tensor_of(numbers), tensor_of(places), axis=0)


def counted(count: Any, dtype: Any = INT) -> Any:
    """0, 1, 2, …: an array, where it is known how many."""
    if type(count) is int:
        return np.arange(count, dtype=dtype)
    return ops.cumsum(
        ops.broadcast_to(EagerTensor(np.ones((), dtype)), shape=(count,)), axis=0, exclusive=True, reverse=False
    )


def number(value: Any) -> Any:
    """The one number in an array as an int; in a symbol as a size that is known later."""
    return int(value) if isinstance(value, (np.ndarray, np.generic, int)) else a_size(value)


def joined(*parts: Any) -> Any:
    """Numbers end to end."""
    if is_known(*parts):
        return np.concatenate(parts)
    return ops.concat(*map(tensor_of, parts), axis=0)


def longest(lengths: Any) -> Any:
    """The length of the longest row, 0 if there is none."""
    if isinstance(lengths, np.ndarray):
        return int(lengths.max(initial=0))
    none = EagerTensor(np.zeros(1, lengths.dtype.np))
    return a_size(ops.reduce_max(ops.concat(none, lengths, axis=0), axis=(0,), keepdims=False))


def of_rows(splits: Any) -> Any:
    """The place of each value in its row."""
    if isinstance(splits, np.ndarray):
        ids = row_ids(splits)
        return np.arange(ids.size) - splits[ids]
    lengths = lengths_of(splits)
    return ops.ranges(ops.zeros_like(lengths), lengths)


def flat_places(columns: list, sizes: Any) -> Tensor:
    """The positions in a flattened tensor of these sizes, from those along its axes."""
    place = columns[0]
    for column, size in zip(columns[1:], tuple(sizes)[1:]):
        place = place * to_tensor(size, column.dtype) + column
    return place


def flat_rows_of(places: Tensor, sizes: Any) -> Tensor:
    """The same, from positions in the rows of a matrix. In a scalar there is one position, without columns."""
    if not tuple(sizes):
        return ops.reduce_sum(places, axis=(1,), keepdims=False)
    return flat_places(list(ops.unstack(places, axis=1)), sizes)


def size_tensor(size: Any, dtype: Any) -> Tensor:
    return to_tensor(size, as_dtype(dtype))
