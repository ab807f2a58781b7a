"""Ragged tensors made of lists, stacked and masked, and functions mapped over their values."""

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from tapeflow.api.ragged.partitions import splits_of
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, TensorLike
from tapeflow.core.variables.variable import Variable

from . import rules as _rules, statistics as _statistics

__all__ = [
    "boolean_mask",
    "constant",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]


@overload
def constant(
    pylist: list[list[Any]], dtype: DTypeLike | None = None, ragged_rank: None = None, inner_shape: None = None,
    name: str | None = None, row_splits_dtype: DTypeLike = int64,
) -> RaggedTensor: ...  # fmt: skip
@overload
def constant(
    pylist: Any, dtype: DTypeLike | None = None, ragged_rank: int | None = None, inner_shape: Any = None,
    name: str | None = None, row_splits_dtype: DTypeLike = int64,
) -> Any: ...  # fmt: skip
def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> Any:
    """A ragged tensor of nested lists. Without nesting there is nothing ragged, and a tensor comes back.

    `ragged_rank` says how many axes are ragged and `inner_shape` what shape the rest has; by default all but the last
    level of nesting are rows.

    Args:
        pylist: Nested lists; what is innermost are numbers, strings or bools.
        ragged_rank: How many axes are ragged.
        inner_shape: The shape of what is not ragged.

    Returns:
        A `tf.RaggedTensor`, or a `tf.Tensor` where nothing is ragged.

    Raises:
        ValueError: If values lie at different depths.

    >>> tf.ragged.constant([[1, 2, 3], [], [4, 5]])
    <tf.RaggedTensor [[1, 2, 3], [], [4, 5]]>
    >>> tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1).flat_values.shape
    TensorShape([3, 2])
    """
    if isinstance(pylist, np.ndarray):
        pylist = pylist.tolist()
    depths: set[int] = set()
    deepest = _nesting(pylist, 0, depths)
    if len(depths) > 1:
        raise ValueError(
            f"All scalar values must have the same nesting depth; found values at depths {sorted(depths)}."
        )
    if depths and deepest > max(depths):
        raise ValueError(
            f"An empty list lies deeper ({deepest}) than the values ({max(depths)}); every value must have the same "
            "depth."
        )
    inner = None if inner_shape is None else tuple(int(d) for d in np.atleast_1d(inner_shape))
    if ragged_rank is None:
        ragged_rank = max(deepest - 1 - (len(inner) if inner else 0), 0)
    elif not 0 <= ragged_rank < max(deepest, 1):
        raise ValueError(
            f"ragged_rank={ragged_rank} must be from 0 to {max(deepest - 1, 0)} for lists nested {deepest} deep."
        )
    dtype = None if dtype is None else as_dtype(dtype)
    splits = []
    while len(splits) < ragged_rank:
        splits.append(splits_of(np.array([len(row) for row in pylist], as_dtype(row_splits_dtype).np)))
        pylist = [value for row in pylist for value in row]
    values = to_tensor(pylist, dtype)
    if inner is not None:
        values = ops.reshape(values, shape=(len(pylist), *inner))
    for level in reversed(splits):
        values = RaggedTensor(values, level, internal=True)
    return values


def _nesting(value: Any, depth: int, leaves: set[int]) -> int:
    """The depth of the deepest list; the depths of scalars go to `leaves`."""
    if not isinstance(value, (list, tuple)):
        leaves.add(depth)
        return depth
    return max([depth + 1, *[_nesting(v, depth + 1, leaves) for v in value]])


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` on the flat values of every ragged argument, the result with their rows.

    Args:
        op: A function of tensors.
        *args: Its arguments; ragged ones must have the same rows.
        **kwargs: Its arguments by name.

    Returns:
        A `tf.RaggedTensor`; what `op` gives where no argument is ragged.

    >>> tf.ragged.map_flat_values(lambda x, y: x * y + 1, tf.ragged.constant([[1, 2], [3]]), 10)
    <tf.RaggedTensor [[11, 21], [31]]>
    """
    found = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, RaggedTensor)]
    if not found:
        return op(*args, **kwargs)
    for other in found[1:]:
        _rules.check_same_rows(found[0], other)
    flat = lambda leaf: leaf.flat_values if isinstance(leaf, RaggedTensor) else leaf
    args, kwargs = nest.map_structure(flat, (args, kwargs))
    return found[0].with_flat_values(op(*args, **kwargs))


def range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> RaggedTensor:
    """One range of numbers for each entry: from 0 to `starts`, or from `starts` to `limits` in steps of `deltas`.

    Args:
        starts: Where each range begins; alone, where it ends.
        limits: Where each range ends, itself left out.
        deltas: The step, not zero.

    >>> tf.ragged.range([3, 0, 2])
    <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>
    >>> tf.ragged.range([0, 10], [4, 7], [2, -1])
    <tf.RaggedTensor [[0, 2], [10, 9, 8]]>
    """
    if limits is None:
        starts, limits = 0, starts
    given = [np.asarray(as_tensor(x).array) for x in (starts, limits, deltas)]
    wanted = np.result_type(*given) if dtype is None else as_dtype(dtype).np
    if len({x.shape for x in given if x.ndim}) > 1:
        raise invalid(f"starts, limits, and deltas must have the same shape, or none: got {[x.shape for x in given]}.")
    starts, limits, deltas = np.broadcast_arrays(*[np.atleast_1d(x).astype(wanted) for x in given])
    if (deltas == 0).any():
        raise invalid("Requires delta != 0: a range that does not move has no end.")
    rows = [np.arange(a, b, d, wanted) for a, b, d in zip(starts, limits, deltas)]
    flat = np.concatenate(rows) if rows else np.zeros(0, wanted)
    lengths = np.array([len(row) for row in rows], as_dtype(row_splits_dtype).np)
    return RaggedTensor(EagerTensor(flat), splits_of(lengths), internal=True)


def stack(values: Any, axis: int = 0, name: str | None = None) -> RaggedTensor:
    """Tensors, whose lengths may differ, and ragged tensors side by side along a new axis.

    Args:
        axis: Where the new axis goes.

    >>> tf.ragged.stack([[1, 2], [3], []])
    <tf.RaggedTensor [[1, 2], [3], []]>
    """
    pieces = list(values)
    dtype = next((p.dtype for p in pieces if hasattr(p, "dtype") or isinstance(p, Variable)), None)
    if dtype is None:
        dtype = next((to_tensor(p).dtype for p in pieces if np.size(p)), None)
    pieces = [
        p if isinstance(p, RaggedTensor) else to_tensor(p, None if dtype is None else as_dtype(dtype)) for p in pieces
    ]
    rank = pieces[0].ndim + 1
    axis = axis + rank if axis < 0 else axis
    if all(isinstance(p, Tensor) and p.ndim == 0 for p in pieces):
        return ops.stack(*pieces, axis=axis)
    if axis == 0 and all(isinstance(p, Tensor) for p in pieces) and pieces[0].ndim == 1:
        return RaggedTensor.from_row_lengths(ops.concat(*pieces, axis=0), [p.sizes[0] for p in pieces])
    pieces = [p if isinstance(p, RaggedTensor) else RaggedTensor.from_tensor(p) for p in pieces]
    return ops.stack(*pieces, axis=axis)


def boolean_mask(data: AnyTensorLike, mask: AnyTensorLike, name: str | None = None) -> Any:
    """The entries where `mask` is true, with the rows they were in kept apart.

    Args:
        mask: Bools, a tensor or `tf.RaggedTensor` whose rows are those of `data`.

    Returns:
        A `tf.RaggedTensor`; of a mask with one axis, rows of `data` as it is.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]])
    <tf.RaggedTensor [[1, 3], [6]]>
    """
    data, mask = as_tensor(data), as_tensor(mask)
    if isinstance(mask, Tensor) and mask.ndim == 1:
        return _rules.take_rows(data, np.flatnonzero(mask.array))
    if isinstance(mask, Tensor):
        mask = RaggedTensor.from_tensor(mask, ragged_rank=mask.ndim - 1)
    depth = mask.ragged_rank
    if isinstance(data, Tensor):
        data = RaggedTensor.from_tensor(data, ragged_rank=depth)
    _rules.check_same_rows(mask, data)
    kept = mask.flat_values.array
    splits = [level._splits for level in mask._levels()]
    lengths = np.diff(splits_of(kept.astype(np.int64))[splits[-1]])
    result = RaggedTensor(_rules.take_rows(data.flat_values, np.flatnonzero(kept)), splits_of(lengths), internal=True)
    for level in reversed(splits[:-1]):
        result = RaggedTensor(result, level, internal=True)
    return result


def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """The row number of every value, from where rows begin and end.

    Args:
        splits: Where rows begin and the last one ends.
        out_type: int32 or int64; None: int64.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy()
    array([0, 0, 2])
    """
    splits = np.asarray(as_tensor(splits).array)
    dtype = np.dtype("int64") if out_type is None else as_dtype(out_type).np
    return EagerTensor(np.repeat(np.arange(len(splits) - 1, dtype=dtype), np.diff(splits)))


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Where rows begin and end, from the row number of every value.

    Args:
        segment_ids: The row of each value; they do not decrease.
        num_segments: How many rows there are; None: as many as the ids need.
        out_type: int32 or int64; None: int64.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy()
    array([0, 2, 2, 3])
    """
    ids = np.asarray(as_tensor(segment_ids).array)
    ids = ids if ids.size else ids.astype(np.int64)  # [] has no dtype of its own
    count = int(ids.max(initial=-1)) + 1 if num_segments is None else int(num_segments)
    dtype = np.dtype("int64") if out_type is None else as_dtype(out_type).np
    return EagerTensor(splits_of(np.bincount(ids, minlength=count).astype(dtype)))


def stack_dynamic_partitions(
    data: AnyTensorLike, partitions: TensorLike, num_partitions: TensorLike, name: str | None = None
) -> RaggedTensor:
    """Row `p` has the entries of `data` whose partition is `p`, in order.

    Args:
        partitions: For each entry of `data` the row where it goes, from 0.
        num_partitions: How many rows there are.

    Raises:
        InvalidArgumentError: If a partition is not below `num_partitions`.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 3)
    <tf.RaggedTensor [[b'b'], [b'a', b'c'], []]>
    """
    data, ids = as_tensor(data), np.asarray(as_tensor(partitions).array)
    count = int(num_partitions)
    if ids.size and not 0 <= ids.min() <= ids.max() < count:
        raise invalid(f"partitions must be from 0 to {count - 1}, got {ids.tolist()}.")
    flat = ops.reshape(data, shape=(ids.size, *tuple(data.sizes)[ids.ndim :]))
    order = np.argsort(ids.reshape(-1), kind="stable")
    lengths = np.bincount(ids.reshape(-1), minlength=count).astype(np.int64)
    return RaggedTensor(_rules.take_rows(flat, order), splits_of(lengths), internal=True)
