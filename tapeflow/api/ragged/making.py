"""The ways to make a ragged tensor: from values and where, how long or in which row they are."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arguments import a_size
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import Composite
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.vectorize.values import largest, one_size

from .partitions import cast, counted, integers, is_known, is_symbol, joined, size_tensor, splits_of, tensor_of


class RaggedMaking(Composite):
    """The `from_…` methods of `tf.RaggedTensor`."""

    __slots__ = ()

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Any:
        """Row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
            row_splits: Where each row begins, and where the last one ends.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 2, 2, 5])
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>
        """
        values, splits = checked_values(values), integers(row_splits)
        if splits.ndim != 1 or type(sizes_of(splits)[0]) is int and not sizes_of(splits)[0]:
            raise ValueError(f"row_splits must be a vector with at least one entry, got shape {splits.shape}.")
        if validate and is_known(splits):
            if splits[0] != 0:
                raise invalid(f"row_splits must begin with 0, not with {splits[0]}.")
            if (np.diff(splits) < 0).any():
                raise invalid(f"row_splits must not decrease: {splits.tolist()}.")
            check_total(splits[-1], values, "row_splits end")
        elif validate:
            _check_splits(splits, rows_as_tensor(values))
        return cls(values, splits, internal=True)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> Any:
        """Rows of these lengths, one after the other.

        Args:
            row_lengths: How many values each row has.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [2, 0, 3])
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>
        """
        lengths = integers(row_lengths)
        if validate and is_known(lengths) and (lengths < 0).any():
            raise invalid(f"row_lengths must not be negative: {lengths.tolist()}.")
        return cls.from_row_splits(values, splits_of(lengths), validate=validate)

    @classmethod
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> Any:
        """`values[k]` belongs to row `value_rowids[k]`; the row numbers do not decrease, rows without a number are
        empty.

        Args:
            value_rowids: For each value the number of its row; they do not decrease.
            nrows: How many rows there are; None: as many as needed.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2], nrows=4)
        <tf.RaggedTensor [[3, 1], [], [4], []]>
        """
        ids = integers(value_rowids)
        if not is_known(ids):
            count = one_size(largest(ids) + 1, "The number of rows") if nrows is None else a_size(nrows)
            lengths = ops.unsorted_segment_sum(ops.zeros_like(ids) + 1, ids, num_segments=count)
            return cls.from_row_lengths(values, lengths, validate=validate)
        least = int(ids[-1]) + 1 if ids.size else 0
        count = least if nrows is None else int(nrows)
        if count < least:
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]={least - 1}"
            )
        if validate and ((np.diff(ids) < 0).any() or ids.size and ids[0] < 0):
            raise invalid(f"value_rowids must not be negative and must not decrease: {ids.tolist()}.")
        check_total(ids.size, values, "value_rowids has length")
        return cls.from_row_lengths(values, np.bincount(ids, minlength=count).astype(ids.dtype), validate=validate)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Any:
        """Rows that begin at these places and end where the next begins.

        Args:
            row_starts: Where each row begins.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_row_starts([3, 1, 4], [0, 2, 2])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        values, starts = checked_values(values), integers(row_starts)
        end = _vector(_count(values), starts)
        return cls.from_row_splits(values, tensor_of(joined(starts, end)), validate=validate)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> Any:
        """Rows that end at these places and begin where the one before ends.

        Args:
            row_limits: Where each row ends.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_row_limits([3, 1, 4], [2, 2, 3])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        limits = integers(row_limits)
        return cls.from_row_splits(values, tensor_of(joined(_vector(0, limits), limits)), validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
    ) -> Any:
        """Rows that are all of one length.

        Args:
            uniform_row_length: How many values each row has.
            nrows: How many rows there are; None: as many as values make.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2)
        <tf.RaggedTensor [[[1], [2, 3]], [[], [4]]]>
        """
        values, length = checked_values(values), a_size(uniform_row_length)
        count = a_size(nrows) if nrows is not None else _count(values) // length if length else 0
        if validate and type(length) is type(count) is int:
            check_total(count * length, values, "the rows take")
        splits = counted(count + 1)
        splits = splits * length if type(length) is int else tensor_of(splits) * size_tensor(length, int64)
        return cls(values, splits, internal=True, uniform=length)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> Any:
        """Several ragged axes at once, the outermost first.

        Args:
            nested_row_splits: Where rows begin and end, for each ragged axis, the outermost first.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        for splits in reversed(nested_row_splits):
            flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
        return flat_values

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> Any:
        """Several ragged axes at once by the lengths of their rows, the outermost first.

        Args:
            nested_row_lengths: How many values each row has, for each ragged axis, the outermost first.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        for lengths in reversed(nested_row_lengths):
            flat_values = cls.from_row_lengths(flat_values, lengths, validate=validate)
        return flat_values

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged axes at once by the rows that values belong to, the outermost first.

        Args:
            nested_value_rowids: The numbers of rows, for each ragged axis, the outermost first.
            nested_nrows: How many rows there are, for each ragged axis; None: as many as needed.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(nested_value_rowids):
            raise ValueError(
                f"nested_nrows has {len(counts)} numbers for {len(nested_value_rowids)} ragged axes: give one for "
                "each."
            )
        for rowids, count in reversed(list(zip(nested_value_rowids, counts))):
            flat_values = cls.from_value_rowids(flat_values, rowids, count, validate=validate)
        return flat_values

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = int64,
    ) -> Any:
        """The rows of a tensor: whole, of the given `lengths`, or without the `padding` at their ends.

        Args:
            lengths: How many values of each row count; None: all.
            padding: What is left out at the ends of rows; None: nothing.
            ragged_rank: How many axes become ragged.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_tensor([[7, 8, 0], [9, 0, 0]], padding=0)
        <tf.RaggedTensor [[7, 8], [9]]>
        """
        tensor = as_tensor(tensor)
        shape = tuple(tensor.sizes)
        if not 0 < ragged_rank < len(shape):
            raise ValueError(
                f"ragged_rank={ragged_rank} must be from 1 to {len(shape) - 1} for a tensor of shape {shape}."
            )
        if lengths is not None and padding is not None:
            raise ValueError("Specify `lengths` or `padding`, but not both.")
        rows, size, inner = math.prod(shape[:ragged_rank]), shape[ragged_rank], shape[ragged_rank + 1 :]
        flat = ops.reshape(tensor, shape=(rows * size, *inner))
        uniform: int | None = size
        if padding is not None:
            real = np.asarray(flat.array != as_tensor(padding).array).reshape(rows, size, -1).any(-1)
            lengths = np.where(real, np.arange(1, size + 1), 0).max(1, initial=0)
        if lengths is None and not type(rows) is type(size) is int or lengths is not None and is_symbol(lengths):
            return cls._from_symbol(flat, rows, size, lengths, shape[1:ragged_rank], row_splits_dtype)
        if lengths is None:
            lengths = np.full(rows, size)
        else:
            uniform = None
            lengths = np.clip(integers(lengths).reshape(-1), 0, size)
            if lengths.size != rows:
                raise ValueError(f"lengths must have one entry for each of the {rows} rows, got {lengths.size}.")
            flat = ops.compress(flat, EagerTensor((np.arange(size) < lengths[:, None]).reshape(-1)))
        result = cls(flat, splits_of(lengths).astype(as_dtype(row_splits_dtype).np), internal=True, uniform=uniform)
        for outer in reversed(shape[1:ragged_rank]):
            result = cls.from_uniform_row_length(result, outer)
        return result

    @classmethod
    def _from_symbol(cls, flat: Tensor, rows: Any, size: Any, lengths: Any, outer: tuple, dtype: Any) -> Any:
        """`from_tensor` in a graph: `flat` has so many rows of a size, end to end."""
        most = size_tensor(size, int64)
        uniform = size if lengths is None else None
        if lengths is None:
            lengths = ops.broadcast_to(most, shape=(rows,))
        else:
            lengths = ops.reshape(ops.cast(lengths, dtype=int64.np), shape=(rows,))
            lengths = ops.maximum(ops.minimum(lengths, most), 0)
            within = ops.less(tensor_of(counted(size)), ops.reshape(lengths, shape=(rows, 1)))
            flat = ops.compress(flat, ops.reshape(within, shape=(rows * size,)))
        result = cls(flat, cast(splits_of(lengths), dtype), internal=True, uniform=uniform)
        for length in reversed(outer):
            result = cls.from_uniform_row_length(result, length)
        return result

    @classmethod
    def from_sparse(cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64) -> Any:
        """The rows of a sparse matrix whose entries fill each row from its beginning.

        Args:
            st_input: A `tf.SparseTensor` of rank 2 whose rows have no gaps.

        Returns:
            A `tf.RaggedTensor`.

        >>> tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2]))
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        indices = st_input.indices.array
        if indices.shape[1] != 2:
            raise ValueError(f"from_sparse takes a matrix; this sparse tensor has rank {indices.shape[1]}.")
        result = cls.from_value_rowids(st_input.values, indices[:, 0], nrows=int(st_input.dense_shape.array[0]))
        if (indices[:, 1] != result._places()[:, 1]).any():
            raise invalid("SparseTensor is not right-ragged: each row must be filled from column 0 on without gaps.")
        return result


def checked_values(values: Any) -> Any:
    values = as_tensor(values)
    if not values.ndim:
        raise ValueError("The values of a RaggedTensor need at least one axis; these are a scalar.")
    return values


def _count(values: Any) -> int:
    return sizes_of(values)[0]


def _vector(value: Any, like: Any) -> Any:
    """One number, as a vector like others."""
    if is_known(like):
        return np.asarray([value], like.dtype)
    return ops.reshape(size_tensor(value, like.dtype), shape=(1,))


def rows_as_tensor(values: Any) -> Tensor:
    """How many values there are."""
    return size_tensor(_count(values), int64)


@at_every_run(checks=True)
def _check_splits(splits: Tensor, count: Tensor) -> None:
    array = np.asarray(splits.array)
    if array[0] != 0:
        raise invalid(f"row_splits must begin with 0, not with {array[0]}.")
    if (np.diff(array) < 0).any():
        raise invalid(f"row_splits must not decrease: {array.tolist()}.")
    if array[-1] != count.array:
        raise invalid(
            f"Arguments do not form a valid RaggedTensor: row_splits end {array[-1]}, but there are {count.array} "
            "values."
        )


def check_total(total: Any, values: Any, what: str) -> None:
    """Checked where both are known: in a graph rows come from the same values."""
    count = _count(checked_values(values))
    if isinstance(total, Tensor) or type(count) is not int:
        return
    if total != count:
        raise invalid(f"Arguments do not form a valid RaggedTensor: {what} {total}, but there are {count} values.")
