"""`tf.sparse` functions that make sparse tensors and move their entries."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arguments import one_axis
from tapeflow.api.ragged.partitions import flat_rows_of
from tapeflow.core.apply import array_of, as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.memory_limits import check_fits
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, AxisLike, DTypeLike, ShapeLike, TensorLike
from tapeflow.function.tracing.effects import at_every_run

from . import in_graphs
from .in_graphs import or_in_graph
from .tensor import SparseTensor, as_sparse, made, parts, pick

__all__ = [
    "concat", "expand_dims", "eye", "fill_empty_rows", "from_dense", "mask", "reorder", "reset_shape", "reshape",
    "retain", "slice", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip

# ---- dense and back


def from_dense(tensor: AnyTensorLike, name: str | None = None) -> SparseTensor:
    """The elements that are not zero, and where they are.

    >>> tf.sparse.from_dense([[0, 3], [4, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """
    tensor = as_tensor(tensor)
    if not isinstance(tensor, EagerTensor) and tensor.dtype.kind != "s":
        places = ops.nonzero(tensor)
        shape = ops.size_tensor(sizes=tuple(tensor.sizes), dtype=np.dtype(np.int64))
        flat = ops.reshape(tensor, shape=(math.prod(tensor.sizes),))
        return SparseTensor(places, ops.take(flat, flat_rows_of(places, tensor.sizes), axis=0), shape)
    array = np.asarray(tensor.array)
    zero = b"" if array.dtype.kind == "O" else 0
    where = np.argwhere(array != zero)
    flat = np.ravel_multi_index(where.T, array.shape) if where.size else np.zeros(len(where), np.int64)
    return made(where, pick(ops.reshape(tensor, shape=(array.size,)), flat), array.shape)


def to_dense(
    sp_input: SparseTensor,
    default_value: AnyTensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The dense tensor, with `default_value` (zero) where there is no value.

    Args:
        default_value: What stands where there is no entry; None: zero, or an empty string.
        validate_indices: False also takes indices that are out of order or repeated, of which the last counts.

    Raises:
        InvalidArgumentError: If indices are out of order or repeated.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0], [2]], [5, 6], [4]), default_value=-1).numpy()
    array([ 5, -1,  6, -1], dtype=int32)
    """
    sp = as_sparse(sp_input)
    places, shape = sp._flat_places(), tuple(sp.sizes)
    if validate_indices:
        _check_order(places, sp.indices)
    zero = b"" if sp.dtype.kind == "s" else False if sp.dtype.kind == "b" else 0
    default = to_tensor(zero if default_value is None else default_value, sp.dtype)
    if default.ndim:
        raise ValueError(f"default_value must be a scalar, got shape {tuple(default.shape)}.")
    check_fits(shape, np.int64, "making it")
    padded = ops.concat(sp.values, ops.reshape(default, shape=(1,)), axis=0)
    if isinstance(places, EagerTensor):
        count = places.array.size
        table = np.full(math.prod(shape), count)  # the entry after the last value is the default
        table[places.array] = np.arange(count)
        return ops.reshape(pick(padded, table), shape=shape)
    last = to_tensor(sp.values.sizes[0], places.dtype)
    numbers = ops.cumsum(ops.zeros_like(places) + 1, axis=0, exclusive=True, reverse=False)
    table = ops.scatter_update(ops.broadcast_to(last, shape=(math.prod(shape),)), places, numbers)
    return ops.reshape(ops.take(padded, table, axis=0), shape=shape)


@at_every_run(checks=True)
def _check_order(places: Tensor, indices: Tensor) -> None:
    steps = np.diff(places.array)
    if (steps <= 0).any():
        at = int((steps <= 0).argmax()) + 1
        what = "repeated" if steps[at - 1] == 0 else "out of order"
        raise invalid(
            f"indices[{at}] = {indices.array[at].tolist()} is {what}. Use tf.sparse.reorder(sp) to sort the indices."
        )


def to_indicator(sp_input: SparseTensor, vocab_size: int, name: str | None = None) -> Tensor:
    """A bool tensor that says for each row which of `vocab_size` values it holds.

    Args:
        vocab_size: How many values there are, from 0.

    Raises:
        InvalidArgumentError: If a value is negative or not below `vocab_size`.

    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2]), 4).numpy()
    array([[False,  True, False,  True],
           [ True, False, False, False]])
    """
    where, values, shape = parts(as_sparse(sp_input))
    held, count = values.array, int(vocab_size)
    if held.size and not 0 <= held.min() <= held.max() < count:
        raise invalid(
            f"Indices are not valid (out of bounds): values must be from 0 to {count - 1}, got {held.min()} to "
            f"{held.max()}. Give a larger vocab_size."
        )
    out = np.zeros((*shape[:-1], count), bool)
    out[(*where[:, :-1].T, held)] = True
    return EagerTensor(out)


def eye(
    num_rows: TensorLike, num_columns: TensorLike | None = None, dtype: DTypeLike = float32, name: str | None = None
) -> SparseTensor:
    """The identity matrix.

    Args:
        num_rows: How many rows.
        num_columns: How many columns; None: as many.

    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    rows, columns = int(num_rows), int(num_rows if num_columns is None else num_columns)
    on = np.arange(min(rows, columns))
    return made(np.stack([on, on], 1), EagerTensor(np.ones(len(on), as_dtype(dtype).np)), (rows, columns))


# ---- moving entries


@or_in_graph(in_graphs.reorder)
def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The entries in the order of rows, then columns, as most functions want them.

    >>> tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])).values.numpy()
    array([2, 1], dtype=int32)
    """
    where, values, shape = parts(as_sparse(sp_input))
    order = np.lexsort(where.T[::-1]) if where.shape[1] else np.arange(len(where))
    return made(where[order], pick(values, order), shape)


@or_in_graph(in_graphs.transpose)
def transpose(sp_input: SparseTensor, perm: AxisLike | None = None, name: str | None = None) -> SparseTensor:
    """With the axes in another order; reversed by default.

    Args:
        perm: The old axis for each new one.

    >>> tf.sparse.transpose(tf.sparse.from_dense([[0, 3], [4, 5]])).values.numpy()
    array([4, 3, 5], dtype=int32)
    """
    where, values, shape = parts(as_sparse(sp_input))
    perm = list(range(len(shape)))[::-1] if perm is None else np.ravel(as_tensor(perm).array).tolist()
    return reorder(made(where[:, perm], values, [shape[p] for p in perm]))


@or_in_graph(in_graphs.reshape)
def reshape(sp_input: SparseTensor, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """The same entries in another shape, in which one size may be -1.

    Args:
        shape: The new shape, in which one size may be -1.

    Raises:
        InvalidArgumentError: If there are more elements in all, or fewer.

    >>> tf.sparse.reshape(tf.sparse.from_dense([[0, 3], [4, 0]]), [4]).indices.numpy().ravel()
    array([1, 2])
    """
    sp = as_sparse(sp_input)
    size = int(np.prod(sp.dense_shape.array))
    wanted = [int(d) for d in np.ravel(array_of(shape))]
    known = int(np.prod([d for d in wanted if d != -1]))
    if wanted.count(-1) > 1 or (size % known if known and -1 in wanted else known != size):
        raise invalid(f"Cannot reshape a sparse tensor with {size} elements in all to shape {wanted}.")
    wanted = [size // known if d == -1 else d for d in wanted]
    flat = sp._flat_places().array
    return made(np.stack(np.unravel_index(flat, wanted), 1) if wanted else flat[:, None][:, :0], sp.values, wanted)


@or_in_graph(in_graphs.expand_dims)
def expand_dims(sp_input: SparseTensor, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """With a new axis of size 1; the last by default.

    Args:
        axis: Where the new axis goes; None: to the end.

    >>> tf.sparse.expand_dims(tf.sparse.eye(2), 0).shape
    TensorShape([1, 2, 2])
    """
    where, values, shape = parts(as_sparse(sp_input))
    axis = one_axis(-1 if axis is None else axis, len(shape) + 1)
    return made(np.insert(where, axis, 0, 1), values, [*shape[:axis], 1, *shape[axis:]])


@or_in_graph(in_graphs.concat)
def concat(
    axis: int, sp_inputs: Sequence[Any], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors one after the other along an axis; other axes must agree, or grow with `expand_nonconcat_dims`.

    Args:
        expand_nonconcat_dims: True makes the other axes as large as the largest.

    Raises:
        InvalidArgumentError: If shapes do not fit.

    >>> e = tf.sparse.eye(2)
    >>> tf.sparse.to_dense(tf.sparse.concat(1, [e, e])).numpy()
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.]], dtype=float32)
    """
    pieces = [as_sparse(sp) for sp in sp_inputs]
    shapes = np.array([sp.dense_shape.array for sp in pieces])
    axis = one_axis(axis, shapes.shape[1])
    others = np.delete(shapes, axis, 1)
    if not expand_nonconcat_dims and (others != others[0]).any():
        raise invalid(
            f"Sparse tensors joined along axis {axis} must agree in the other axes, got shapes "
            f"{[tuple(s) for s in shapes.tolist()]}."
        )
    starts = np.cumsum(shapes[:, axis]) - shapes[:, axis]
    shift = np.eye(shapes.shape[1], dtype=np.int64)[axis]
    where = np.concatenate([sp.indices.array + start * shift for sp, start in zip(pieces, starts)])
    total = shapes.max(0)
    total[axis] = shapes[:, axis].sum()
    return reorder(made(where, ops.concat(*[sp.values for sp in pieces], axis=0), total))


@or_in_graph(in_graphs.slice)
def slice(sp_input: SparseTensor, start: ShapeLike, size: ShapeLike, name: str | None = None) -> SparseTensor:
    """The part of `size` that begins at `start`; what reaches over the edge is cut.

    Args:
        start: A number for each axis.
        size: A number for each axis.

    >>> tf.sparse.to_dense(tf.sparse.slice(tf.sparse.eye(3), [1, 0], [2, 2])).numpy()
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    where, values, shape = parts(as_sparse(sp_input))
    start, size = (np.asarray(as_tensor(x).array, np.int64) for x in (start, size))
    if start.shape != (len(shape),) or size.shape != (len(shape),):
        raise invalid(
            f"start and size must have one number for each of {len(shape)} axes, got shapes {start.shape} and "
            f"{size.shape}."
        )
    stop = np.minimum(start + size, shape)
    kept = np.flatnonzero(((where >= start) & (where < stop)).all(1))
    return made(where[kept] - start, pick(values, kept), np.maximum(stop - start, 0))


def split(
    sp_input: SparseTensor | None = None,
    num_split: TensorLike | None = None,
    axis: AxisLike | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """`num_split` pieces along an axis; the first ones are one longer when it does not divide evenly.

    Args:
        num_split: How many pieces.

    Raises:
        InvalidArgumentError: If there are more pieces than rows along the axis.

    >>> [part.shape.as_list() for part in tf.sparse.split(tf.sparse.eye(5), 2, axis=0)]
    [[3, 5], [2, 5]]
    """
    sp = as_sparse(sp_input)
    shape = sp.dense_shape.array
    axis = one_axis(axis, len(shape))
    count, size = int(num_split), int(shape[axis])
    if not 0 < count <= size:
        raise invalid(f"num_split={count} must be from 1 to the size {size} of axis {axis}.")
    bounds = np.cumsum([0, *[size // count + (k < size % count) for k in range(count)]])
    pieces = []
    for low, high in itertools.pairwise(bounds):
        start, length = np.zeros_like(shape), shape.copy()
        start[axis], length[axis] = low, high - low
        pieces.append(slice(sp, start, length))
    return pieces


@or_in_graph(in_graphs.retain)
def retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """Only the entries for which `to_retain`, a bool for each, is true.

    Args:
        to_retain: A bool for each entry.

    Raises:
        ValueError: If there are more bools than entries, or fewer.

    >>> tf.sparse.retain(tf.sparse.from_dense([3, 0, 4]), [False, True]).values.numpy()
    array([4], dtype=int32)
    """
    where, values, shape = parts(as_sparse(sp_input))
    kept = np.asarray(as_tensor(to_retain).array)
    if kept.shape != (len(where),):
        raise ValueError(f"to_retain needs one bool for each of the {len(where)} entries, got shape {kept.shape}.")
    kept = np.flatnonzero(kept)
    return made(where[kept], pick(values, kept), shape)


def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> SparseTensor:
    """The same entries in a larger shape, or in the smallest that holds them.

    Args:
        new_shape: The shape, nowhere smaller; None for the smallest.

    Raises:
        ValueError: If it is smaller somewhere.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[0, 1]], [1.], [9, 9])).shape
    TensorShape([1, 2])
    """
    where, values, shape = parts(as_sparse(sp_input))
    if new_shape is None:
        return made(where, values, where.max(0) + 1 if len(where) else [0] * len(shape))
    wanted = np.ravel(as_tensor(new_shape).array)
    if len(wanted) != len(shape) or (wanted < shape).any():
        raise ValueError(
            f"new_shape {wanted.tolist()} must have rank {len(shape)} and be no smaller than {list(shape)} anywhere."
        )
    return made(where, values, wanted)


def fill_empty_rows(
    sp_input: SparseTensor, default_value: AnyTensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """With `default_value` in column 0 of every row that has no entry; and a bool for each row that had none.

    Args:
        default_value: The value of the new entries, a scalar.

    Returns:
        The sparse tensor, and a vector that says which rows were empty.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], [5], [3, 4]), 0)
    >>> filled.indices.numpy().tolist(), empty.numpy().tolist()
    ([[0, 0], [1, 2], [2, 0]], [True, False, True])
    """
    where, values, shape = parts(as_sparse(sp_input))
    empty = np.bincount(where[:, 0], minlength=shape[0]) == 0
    extra = np.zeros((int(empty.sum()), len(shape)), np.int64)
    extra[:, 0] = np.flatnonzero(empty)
    default = ops.broadcast_to(to_tensor(default_value, values.dtype), shape=(len(extra),))
    filled = made(np.concatenate([where, extra]), ops.concat(values, default, axis=0), shape)
    return reorder(filled), EagerTensor(empty)


def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows whose index is in `mask_indices`.

    Args:
        mask_indices: The indices of the rows to leave out.

    >>> s = tf.IndexedSlices(tf.constant([[1.], [2.], [3.]]), tf.constant([4, 5, 6]))
    >>> tf.sparse.mask(s, [5]).indices.numpy()
    array([4, 6], dtype=int32)
    """
    kept = np.flatnonzero(~np.isin(a.indices.array, as_tensor(mask_indices).array))
    return IndexedSlices(pick(a.values, kept), pick(a.indices, kept), a.dense_shape)
