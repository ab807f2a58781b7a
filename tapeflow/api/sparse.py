"""`tf.sparse`: functions of sparse tensors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor

from .public import normal_axis, one_axis
from .sparse_segments import segment_mean, segment_sqrt_n, segment_sum
from .sparse_tensor import SparseTensor

__all__ = [
    "SparseTensor", "add", "concat", "expand_dims", "eye", "fill_empty_rows", "from_dense", "map_values", "mask", "maximum", "minimum",
    "reduce_max", "reduce_sum", "reorder", "reset_shape", "reshape", "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "slice",
    "softmax", "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip


def _sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensor):
        return value
    if hasattr(value, "indices") and hasattr(value, "dense_shape"):
        return SparseTensor.from_value(value)
    raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}. tf.sparse.from_dense(x) makes one.")


def _made(indices: np.ndarray, values: Any, shape: Any) -> SparseTensor:
    return SparseTensor(EagerTensor(np.asarray(indices, np.int64)), values, EagerTensor(np.asarray(shape, np.int64)))


def _pick(values: Tensor, order: np.ndarray) -> Tensor:
    return ops.take(values, EagerTensor(np.asarray(order, np.int64)), axis=0)


def _parts(sp: SparseTensor) -> tuple[np.ndarray, Tensor, tuple[int, ...]]:
    return sp.indices._array, sp.values, tuple(sp.dense_shape._array.tolist())


# ---- dense and back


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements that are not zero, and where they are.

    >>> tf.sparse.from_dense([[0, 3], [4, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """
    tensor = as_tensor(tensor)
    array = np.asarray(tensor._array)
    zero = b"" if array.dtype.kind == "O" else 0
    where = np.argwhere(array != zero)
    flat = np.ravel_multi_index(where.T, array.shape) if where.size else np.zeros(len(where), np.int64)
    return _made(where, _pick(ops.reshape(tensor, shape=(array.size,)), flat), array.shape)


def to_dense(sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None) -> Tensor:
    """The dense tensor, with `default_value` (zero) where there is no value.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0], [2]], [5, 6], [4]), default_value=-1).numpy()
    array([ 5, -1,  6, -1], dtype=int32)
    """
    sp = _sparse(sp_input)
    places, shape = sp._flat_places()._array, tuple(sp.dense_shape._array.tolist())
    steps = np.diff(places)
    if validate_indices and (steps <= 0).any():
        at = int((steps <= 0).argmax()) + 1
        what = "repeated" if steps[at - 1] == 0 else "out of order"
        raise invalid(
            f"indices[{at}] = {sp.indices._array[at].tolist()} is {what}. Use tf.sparse.reorder(sp) to sort the indices."
        )
    zero = b"" if sp.dtype.kind == "s" else False if sp.dtype.kind == "b" else 0
    default = to_tensor(zero if default_value is None else default_value, sp.dtype)
    if default.ndim:
        raise ValueError(f"default_value must be a scalar, got shape {tuple(default.shape)}.")
    table = np.full(int(np.prod(shape)), len(places))  # the entry after the last value is the default
    table[places] = np.arange(len(places))
    padded = ops.concat(sp.values, ops.reshape(default, shape=(1,)), axis=0)
    return ops.reshape(_pick(padded, table), shape=shape)


def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Tensor:
    """A bool tensor that says for each row which of `vocab_size` values it holds.

    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2]), 4).numpy()
    array([[False,  True, False,  True],
           [ True, False, False, False]])
    """
    where, values, shape = _parts(_sparse(sp_input))
    out = np.zeros((*shape[:-1], int(vocab_size)), bool)
    out[(*where[:, :-1].T, values._array)] = True
    return EagerTensor(out)


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None) -> SparseTensor:
    """The identity matrix.

    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    rows, columns = int(num_rows), int(num_rows if num_columns is None else num_columns)
    on = np.arange(min(rows, columns))
    return _made(np.stack([on, on], 1), EagerTensor(np.ones(len(on), as_dtype(dtype).np)), (rows, columns))


# ---- moving entries


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The entries in the order of rows, then columns, as most functions want them.

    >>> tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])).values.numpy()
    array([2, 1], dtype=int32)
    """
    where, values, shape = _parts(_sparse(sp_input))
    order = np.lexsort(where.T[::-1]) if where.shape[1] else np.arange(len(where))
    return _made(where[order], _pick(values, order), shape)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """With the axes in another order; reversed by default.

    >>> tf.sparse.transpose(tf.sparse.from_dense([[0, 3], [4, 5]])).values.numpy()
    array([4, 3, 5], dtype=int32)
    """
    where, values, shape = _parts(_sparse(sp_input))
    perm = list(range(len(shape)))[::-1] if perm is None else np.ravel(as_tensor(perm)._array).tolist()
    return reorder(_made(where[:, perm], values, [shape[p] for p in perm]))


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same entries in another shape, in which one size may be -1.

    >>> tf.sparse.reshape(tf.sparse.from_dense([[0, 3], [4, 0]]), [4]).indices.numpy().ravel()
    array([1, 2])
    """
    sp = _sparse(sp_input)
    size = int(np.prod(sp.dense_shape._array))
    wanted = [int(d) for d in np.ravel(np.asarray(shape))]
    known = int(np.prod([d for d in wanted if d != -1]))
    if wanted.count(-1) > 1 or (size % known if known and -1 in wanted else known != size):
        raise invalid(f"Cannot reshape a sparse tensor with {size} elements in all to shape {wanted}.")
    wanted = [size // known if d == -1 else d for d in wanted]
    flat = sp._flat_places()._array
    return _made(np.stack(np.unravel_index(flat, wanted), 1) if wanted else flat[:, None][:, :0], sp.values, wanted)


def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """With a new axis of size 1; the last by default.

    >>> tf.sparse.expand_dims(tf.sparse.eye(2), 0).shape
    TensorShape([1, 2, 2])
    """
    where, values, shape = _parts(_sparse(sp_input))
    axis = one_axis(-1 if axis is None else axis, len(shape) + 1)
    return _made(np.insert(where, axis, 0, 1), values, [*shape[:axis], 1, *shape[axis:]])


def concat(axis: int, sp_inputs: Sequence, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """Sparse tensors one after the other along an axis; other axes must agree, or grow with `expand_nonconcat_dims`.

    >>> e = tf.sparse.eye(2)
    >>> tf.sparse.to_dense(tf.sparse.concat(1, [e, e])).numpy()
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.]], dtype=float32)
    """
    pieces = [_sparse(sp) for sp in sp_inputs]
    shapes = np.array([sp.dense_shape._array for sp in pieces])
    axis = one_axis(axis, shapes.shape[1])
    others = np.delete(shapes, axis, 1)
    if not expand_nonconcat_dims and (others != others[0]).any():
        raise invalid(
            f"Sparse tensors joined along axis {axis} must agree in the other axes, got shapes {[tuple(s) for s in shapes.tolist()]}."
        )
    starts = np.cumsum(shapes[:, axis]) - shapes[:, axis]
    shift = np.eye(shapes.shape[1], dtype=np.int64)[axis]
    where = np.concatenate([sp.indices._array + start * shift for sp, start in zip(pieces, starts)])
    total = shapes.max(0)
    total[axis] = shapes[:, axis].sum()
    return reorder(_made(where, ops.concat(*[sp.values for sp in pieces], axis=0), total))


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The part of `size` that begins at `start`; what reaches over the edge is cut.

    >>> tf.sparse.to_dense(tf.sparse.slice(tf.sparse.eye(3), [1, 0], [2, 2])).numpy()
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    where, values, shape = _parts(_sparse(sp_input))
    start, size = (np.asarray(as_tensor(x)._array, np.int64) for x in (start, size))
    stop = np.minimum(start + size, shape)
    kept = np.flatnonzero(((where >= start) & (where < stop)).all(1))
    return _made(where[kept] - start, _pick(values, kept), np.maximum(stop - start, 0))


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """`num_split` pieces along an axis; the first ones are one longer when it does not divide evenly.

    >>> [part.shape.as_list() for part in tf.sparse.split(tf.sparse.eye(5), 2, axis=0)]
    [[3, 5], [2, 5]]
    """
    sp = _sparse(sp_input)
    shape = sp.dense_shape._array
    axis = one_axis(axis, len(shape))
    count, size = int(num_split), int(shape[axis])
    if not 0 < count <= size:
        raise invalid(f"num_split={count} must be from 1 to the size {size} of axis {axis}.")
    bounds = np.cumsum([0, *[size // count + (k < size % count) for k in range(count)]])
    pieces = []
    for low, high in zip(bounds, bounds[1:]):
        start, length = np.zeros_like(shape), shape.copy()
        start[axis], length[axis] = low, high - low
        pieces.append(slice(sp, start, length))
    return pieces


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Only the entries for which `to_retain`, a bool for each, is true.

    >>> tf.sparse.retain(tf.sparse.from_dense([3, 0, 4]), [False, True]).values.numpy()
    array([4], dtype=int32)
    """
    where, values, shape = _parts(_sparse(sp_input))
    kept = np.asarray(as_tensor(to_retain)._array)
    if kept.shape != (len(where),):
        raise ValueError(f"to_retain needs one bool for each of the {len(where)} entries, got shape {kept.shape}.")
    kept = np.flatnonzero(kept)
    return _made(where[kept], _pick(values, kept), shape)


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same entries in a larger shape, or in the smallest that holds them.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[0, 1]], [1.], [9, 9])).shape
    TensorShape([1, 2])
    """
    where, values, shape = _parts(_sparse(sp_input))
    if new_shape is None:
        return _made(where, values, where.max(0) + 1 if len(where) else [0] * len(shape))
    wanted = np.ravel(as_tensor(new_shape)._array)
    if len(wanted) != len(shape) or (wanted < shape).any():
        raise ValueError(
            f"new_shape {wanted.tolist()} must have rank {len(shape)} and be no smaller than {list(shape)} anywhere."
        )
    return _made(where, values, wanted)


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """With `default_value` in column 0 of every row that has no entry; and a bool for each row that had none.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], [5], [3, 4]), 0)
    >>> filled.indices.numpy().tolist(), empty.numpy().tolist()
    ([[0, 0], [1, 2], [2, 0]], [True, False, True])
    """
    where, values, shape = _parts(_sparse(sp_input))
    empty = np.bincount(where[:, 0], minlength=shape[0]) == 0
    extra = np.zeros((int(empty.sum()), len(shape)), np.int64)
    extra[:, 0] = np.flatnonzero(empty)
    default = ops.broadcast_to(to_tensor(default_value, values.dtype), shape=(len(extra),))
    filled = _made(np.concatenate([where, extra]), ops.concat(values, default, axis=0), shape)
    return reorder(filled), EagerTensor(empty)


def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows whose index is in `mask_indices`.

    >>> s = tf.IndexedSlices(tf.constant([[1.], [2.], [3.]]), tf.constant([4, 5, 6]))
    >>> tf.sparse.mask(s, [5]).indices.numpy()
    array([4, 6], dtype=int32)
    """
    kept = np.flatnonzero(~np.isin(a.indices._array, as_tensor(mask_indices)._array))
    return IndexedSlices(_pick(a.values, kept), _pick(a.indices, kept), a.dense_shape)


# ---- arithmetic


def map_values(op: Callable, *args: Any, **kwargs: Any) -> SparseTensor:
    """`op` on the values of every sparse argument; they must have their values at the same places.

    >>> tf.sparse.map_values(tf.add, tf.sparse.eye(2), 10.).values.numpy()
    array([11., 11.], dtype=float32)
    """
    found = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in found[1:]:
        if not np.array_equal(other.indices._array, found[0].indices._array):
            raise invalid("All sparse arguments of map_values must have their values at the same indices.")
    inside = lambda leaf: leaf.values if isinstance(leaf, SparseTensor) else leaf
    args, kwargs = nest.map_structure(inside, (args, kwargs))
    return found[0].with_values(op(*args, **kwargs))


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two tensors of which at least one is sparse: sparse if both are.

    Where both have a value, sums smaller than `threshold` are dropped.

    >>> s = tf.sparse.add(tf.sparse.eye(2), tf.sparse.from_dense([[1., 5.], [0., 0.]]))
    >>> s.values.numpy()
    array([2., 5., 1.], dtype=float32)
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, SparseTensor) and isinstance(b, SparseTensor)):
        sp, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return to_dense(reorder(sp)) + dense
    where, (left, right) = _aligned(a, b)
    total = left + right
    kept = np.arange(len(where))
    if np.any(threshold):
        flat = [np.ravel_multi_index(i.T, tuple(a.shape)) for i in (where, a.indices._array, b.indices._array)]
        shared = np.isin(flat[0], flat[1]) & np.isin(flat[0], flat[2])
        kept = kept[~shared | (np.abs(total._array) >= np.asarray(threshold))]
    return _made(where[kept], _pick(total, kept), a.dense_shape._array)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger element at each place where either has a value.

    >>> tf.sparse.maximum(tf.SparseTensor([[0]], [1.], [3]), tf.SparseTensor([[1]], [-2.], [3])).values.numpy()
    array([1., 0.], dtype=float32)
    """
    where, (a, b) = _aligned(sp_a, sp_b)
    return _made(where, ops.maximum(a, b), sp_a.dense_shape._array)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller element at each place where either has a value.

    >>> tf.sparse.minimum(tf.SparseTensor([[0]], [1.], [3]), tf.SparseTensor([[1]], [-2.], [3])).values.numpy()
    array([ 0., -2.], dtype=float32)
    """
    where, (a, b) = _aligned(sp_a, sp_b)
    return _made(where, ops.minimum(a, b), sp_a.dense_shape._array)


def _aligned(a: Any, b: Any) -> tuple[np.ndarray, list[Tensor]]:
    """The places where either has a value, and both with values (or zero) at all of them."""
    a, b = _sparse(a), _sparse(b)
    if tuple(a.shape) != tuple(b.shape):
        raise invalid(f"Sparse tensors must have the same shape, got {tuple(a.shape)} and {tuple(b.shape)}.")
    places = [a._flat_places()._array, b._flat_places()._array]
    both = np.unique(np.concatenate(places))
    spread = [
        ops.unsorted_segment_sum(sp.values, EagerTensor(np.searchsorted(both, p)), num_segments=len(both))
        for sp, p in zip((a, b), places)
    ]
    shape = tuple(a.dense_shape._array.tolist())
    return np.stack(np.unravel_index(both, shape), 1), spread


def sparse_dense_matmul(sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None) -> Tensor:
    """The product of a sparse and a dense matrix (in either order), either of them conjugated and transposed on request.

    >>> tf.sparse.sparse_dense_matmul(tf.sparse.from_dense([[1., 0.], [0., 2.]]), [[1., 1.], [1., 1.]]).numpy()
    array([[1., 1.],
           [2., 2.]], dtype=float32)
    """
    if isinstance(b, SparseTensor):
        return ops.matrix_transpose(_product(b, ops.matrix_transpose(_dense(sp_a, adjoint_a, b)), not adjoint_b, adjoint_b))
    sp = _sparse(sp_a)
    return _product(sp, _dense(b, adjoint_b, sp), adjoint_a, adjoint_a)


def _dense(value: Any, adjoint: bool, sp: SparseTensor) -> Tensor:
    value = to_tensor(value, None if isinstance(value, Tensor) else sp.dtype)
    if value.ndim != 2 or sp.ndim != 2:
        raise invalid(f"sparse_dense_matmul multiplies matrices, got ranks {sp.ndim} (sparse) and {value.ndim} (dense).")
    return (
        ops.conj(ops.matrix_transpose(value))
        if adjoint and value.dtype.is_complex
        else ops.matrix_transpose(value)
        if adjoint
        else value
    )


def _product(sp: SparseTensor, b: Tensor, transposed: bool, conjugated: bool) -> Tensor:
    rows, columns = (EagerTensor(np.ascontiguousarray(i)) for i in sp.indices._array.T)
    shape = tuple(sp.dense_shape._array.tolist())
    if transposed:
        rows, columns, shape = columns, rows, shape[::-1]
    if shape[1] != b.shape[0]:
        raise invalid(f"Cannot multiply A and B because inner dimension does not match: {shape[1]} vs. {b.shape[0]}.")
    sp._flat_places()
    values = ops.conj(sp.values) if conjugated and sp.dtype.is_complex else sp.values
    return ops.sparse_matmul(values, b, rows, columns, num_rows=shape[0])


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax of the entries of each innermost row; what has no entry counts as impossible, not as zero.

    >>> s = tf.SparseTensor([[0, 0], [0, 3], [1, 1]], [1., 1., 5.], [2, 4])
    >>> tf.sparse.softmax(s).values.numpy()
    array([0.5, 0.5, 1. ], dtype=float32)
    """
    sp = reorder(_sparse(sp_input))
    rows, count = _rows_without(sp, (sp.ndim - 1,))
    low = sp.dtype.min
    top = ops.unsorted_segment_max(ops.stop_gradient(sp.values), rows, num_segments=count, empty=low)
    e = ops.exp(sp.values - ops.take(top, rows, axis=0))
    return sp.with_values(e / ops.take(ops.unsorted_segment_sum(e, rows, num_segments=count), rows, axis=0))


def _rows_without(sp: SparseTensor, axis: tuple[int, ...]) -> tuple[Tensor, int]:
    """For each entry its position in what is left when `axis` goes, and how many positions there are."""
    where, _, shape = _parts(sp)
    left = [i for i in range(len(shape)) if i not in axis]
    sizes = [shape[i] for i in left]
    rows = np.ravel_multi_index(where[:, left].T, sizes) if left and len(where) else np.zeros(len(where), np.int64)
    return EagerTensor(np.asarray(rows, np.int64)), int(np.prod(sizes))


def reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None, output_is_sparse: bool = False, name: str | None = None
) -> Any:
    """The sum over `axis`, dense or (with `output_is_sparse`) sparse.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1., 2.], [0., 4.]]), axis=0).numpy()
    array([1., 6.], dtype=float32)
    """
    add_up = lambda values, rows, count: ops.unsorted_segment_sum(values, rows, num_segments=count)
    return _reduced(_sparse(sp_input), axis, keepdims, output_is_sparse, add_up)


def reduce_max(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None, output_is_sparse: bool = False, name: str | None = None
) -> Any:
    """The largest entry over `axis`, zero where there is no entry; dense or (with `output_is_sparse`) sparse.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[1., 2.], [0., -4.]]), axis=1).numpy()
    array([ 2., -4.], dtype=float32)
    """
    largest = lambda values, rows, count: ops.unsorted_segment_max(values, rows, num_segments=count, empty=0)
    return _reduced(_sparse(sp_input), axis, keepdims, output_is_sparse, largest)


def _reduced(sp: SparseTensor, axis: Any, keepdims: bool | None, as_sparse: bool, reduce: Callable) -> Any:
    axes = normal_axis(axis, sp.ndim)
    rows, count = _rows_without(sp, axes)
    shape = tuple(sp.dense_shape._array.tolist())
    out = tuple(1 if i in axes else d for i, d in enumerate(shape) if keepdims or i not in axes)
    if not as_sparse:
        return ops.reshape(reduce(sp.values, rows, count), shape=out)
    used, inverse = np.unique(rows._array, return_inverse=True)
    values = reduce(sp.values, EagerTensor(inverse.astype(np.int64)), len(used))
    return _made(np.stack(np.unravel_index(used, out), 1) if out else np.zeros((len(used), 0)), values, out)
