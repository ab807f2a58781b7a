"""The part of `tf.sparse` that computes: sums, products, reductions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arguments import normal_axis
from tapeflow.api.ragged.partitions import flat_places
from tapeflow.core import nest
from tapeflow.core.apply import array_of
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AxisLike, TensorLike
from tapeflow.function.tracing.effects import at_every_run

from . import in_graphs
from .in_graphs import or_in_graph
from .places import reorder, to_dense
from .tensor import SparseTensor, as_sparse, columns_of, made, pick

__all__ = ["add", "map_values", "maximum", "minimum", "reduce_max", "reduce_sum", "softmax", "sparse_dense_matmul"]


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """`op` on the values of every sparse argument; they must have their values at the same places.

    Args:
        op: A function of tensors.

    Raises:
        ValueError: If no argument is sparse.
        InvalidArgumentError: If they have their values at different places.

    >>> tf.sparse.map_values(tf.add, tf.sparse.eye(2), 10.).values.numpy()
    array([11., 11.], dtype=float32)
    """
    found = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in found[1:]:
        if other.indices is not found[0].indices:
            _check_same_indices(other.indices, found[0].indices)
    inside = lambda leaf: leaf.values if isinstance(leaf, SparseTensor) else leaf
    args, kwargs = nest.map_structure(inside, (args, kwargs))
    return found[0].with_values(op(*args, **kwargs))


@at_every_run(checks=True)
def _check_same_indices(a: Tensor, b: Tensor) -> None:
    if not np.array_equal(a.array, b.array):
        raise invalid(
            "Mismatched indices! All sparse arguments of map_values must have their values at the same indices."
        )


def add(a: TensorLike, b: TensorLike, threshold: TensorLike = 0) -> Any:
    """The sum of two tensors of which at least one is sparse: sparse if both are.

    Where both have a value, sums smaller than `threshold` are dropped.

    Args:
        threshold: The smallest absolute value of a sum that is kept.

    Returns:
        A `tf.SparseTensor` of two, a `tf.Tensor` otherwise.

    Raises:
        TypeError: If neither is sparse.

    >>> s = tf.sparse.add(tf.sparse.eye(2), tf.sparse.from_dense([[1., 5.], [0., 0.]]))
    >>> s.values.numpy()
    array([2., 5., 1.], dtype=float32)
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, SparseTensor) and isinstance(b, SparseTensor)):
        sp, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return to_dense(reorder(sp)) + dense
    if in_graphs.has_symbols((a, b)) and type(threshold) in (int, float) and not threshold:
        return in_graphs.combined(ops.add)(a, b)
    where, (left, right) = _aligned(a, b)
    total = left + right
    kept = np.arange(len(where))
    if np.any(threshold):
        flat = [np.ravel_multi_index(i.T, tuple(a.shape)) for i in (where, a.indices.array, b.indices.array)]
        shared = np.isin(flat[0], flat[1]) & np.isin(flat[0], flat[2])
        kept = kept[~shared | (np.abs(total.array) >= array_of(threshold))]
    return made(where[kept], pick(total, kept), a.dense_shape.array)


@or_in_graph(in_graphs.combined(ops.maximum))
def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger element at each place where either has a value.

    >>> tf.sparse.maximum(tf.SparseTensor([[0]], [1.], [3]), tf.SparseTensor([[1]], [-2.], [3])).values.numpy()
    array([1., 0.], dtype=float32)
    """
    where, (a, b) = _aligned(sp_a, sp_b)
    return made(where, ops.maximum(a, b), sp_a.dense_shape.array)


@or_in_graph(in_graphs.combined(ops.minimum))
def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller element at each place where either has a value.

    >>> tf.sparse.minimum(tf.SparseTensor([[0]], [1.], [3]), tf.SparseTensor([[1]], [-2.], [3])).values.numpy()
    array([ 0., -2.], dtype=float32)
    """
    where, (a, b) = _aligned(sp_a, sp_b)
    return made(where, ops.minimum(a, b), sp_a.dense_shape.array)


def _aligned(a: Any, b: Any) -> tuple[np.ndarray, list[Tensor]]:
    """The places where either has a value, and both with values (or zero) at all of them."""
    a, b = as_sparse(a), as_sparse(b)
    if tuple(a.shape) != tuple(b.shape):
        raise invalid(f"Sparse tensors must have the same shape, got {tuple(a.shape)} and {tuple(b.shape)}.")
    places = [a._flat_places().array, b._flat_places().array]
    both = np.unique(np.concatenate(places))
    spread = [
        ops.unsorted_segment_sum(sp.values, EagerTensor(np.searchsorted(both, p)), num_segments=len(both))
        for sp, p in zip((a, b), places)
    ]
    shape = tuple(a.dense_shape.array.tolist())
    return np.stack(np.unravel_index(both, shape), 1), spread


def sparse_dense_matmul(
    sp_a: TensorLike, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse and a dense matrix (in either order), either of them conjugated and transposed on
    request.

    Args:
        sp_a: A `tf.SparseTensor`; or a dense matrix, where `b` is sparse.
        adjoint_a: True takes the conjugate transpose of the first.
        adjoint_b: True takes the conjugate transpose of the second.

    Raises:
        InvalidArgumentError: If they are no matrices whose sizes fit.

    >>> tf.sparse.sparse_dense_matmul(tf.sparse.from_dense([[1., 0.], [0., 2.]]), [[1., 1.], [1., 1.]]).numpy()
    array([[1., 1.],
           [2., 2.]], dtype=float32)
    """
    if isinstance(b, SparseTensor):
        return ops.matrix_transpose(
            _product(b, ops.matrix_transpose(_dense(sp_a, adjoint_a, b)), not adjoint_b, adjoint_b)
        )
    sp = as_sparse(sp_a)
    return _product(sp, _dense(b, adjoint_b, sp), adjoint_a, adjoint_a)


def _dense(value: Any, adjoint: bool, sp: SparseTensor) -> Tensor:
    value = to_tensor(value, None if isinstance(value, Tensor) else sp.dtype)
    if value.ndim != 2 or sp.ndim != 2:
        raise invalid(
            f"sparse_dense_matmul multiplies matrices, got ranks {sp.ndim} (sparse) and {value.ndim} (dense)."
        )
    return (
        ops.conj(ops.matrix_transpose(value))
        if adjoint and value.dtype.is_complex
        else ops.matrix_transpose(value)
        if adjoint
        else value
    )


def _product(sp: SparseTensor, b: Tensor, transposed: bool, conjugated: bool) -> Tensor:
    rows, columns = columns_of(sp)
    shape = tuple(sp.sizes)
    if transposed:
        rows, columns, shape = columns, rows, shape[::-1]
    if shape[1] != b.sizes[0]:
        raise invalid(f"Cannot multiply A and B because inner dimension does not match: {shape[1]} vs. {b.shape[0]}.")
    sp._flat_places()
    values = ops.conj(sp.values) if conjugated and sp.dtype.is_complex else sp.values
    return ops.sparse_matmul(values, b, rows, columns, num_rows=shape[0])


def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Softmax of the entries of each innermost row; what has no entry counts as impossible, not as zero.

    >>> s = tf.SparseTensor([[0, 0], [0, 3], [1, 1]], [1., 1., 5.], [2, 4])
    >>> tf.sparse.softmax(s).values.numpy()
    array([0.5, 0.5, 1. ], dtype=float32)
    """
    sp = reorder(as_sparse(sp_input))
    rows, count = _rows_without(sp, (sp.ndim - 1,))
    low = sp.dtype.min
    top = ops.unsorted_segment_max(ops.stop_gradient(sp.values), rows, num_segments=count, empty=low)
    e = ops.exp(sp.values - ops.take(top, rows, axis=0))
    return sp.with_values(e / ops.take(ops.unsorted_segment_sum(e, rows, num_segments=count), rows, axis=0))


def _rows_without(sp: SparseTensor, axis: tuple[int, ...]) -> tuple[Tensor, int]:
    """For each entry its position in what is left when `axis` goes, and how many positions there are."""
    shape, columns = tuple(sp.sizes), columns_of(sp)
    left = [i for i in range(len(shape)) if i not in axis]
    sizes = [shape[i] for i in left]
    if not left:
        return ops.reduce_sum(ops.zeros_like(sp.indices), axis=(1,), keepdims=False), 1
    rows = flat_places([columns[i] for i in left], sizes)
    return rows, math.prod(sizes)


def reduce_sum(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum over `axis`, dense or (with `output_is_sparse`) sparse.

    Returns:
        A `tf.Tensor`, or a `tf.SparseTensor` with `output_is_sparse`.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1., 2.], [0., 4.]]), axis=0).numpy()
    array([1., 6.], dtype=float32)
    """
    add_up = lambda values, rows, count: ops.unsorted_segment_sum(values, rows, num_segments=count)
    return _reduced(as_sparse(sp_input), axis, keepdims, output_is_sparse, add_up)


def reduce_max(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest entry over `axis`, zero where there is no entry; dense or (with `output_is_sparse`) sparse.

    Returns:
        A `tf.Tensor`, or a `tf.SparseTensor` with `output_is_sparse`.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[1., 2.], [0., -4.]]), axis=1).numpy()
    array([ 2., -4.], dtype=float32)
    """
    largest = lambda values, rows, count: ops.unsorted_segment_max(values, rows, num_segments=count, empty=0)
    return _reduced(as_sparse(sp_input), axis, keepdims, output_is_sparse, largest)


def _reduced(sp: SparseTensor, axis: Any, keepdims: bool | None, as_sparse: bool, reduce: Callable) -> Any:
    axes = normal_axis(axis, sp.ndim)
    rows, count = _rows_without(sp, axes)
    shape = tuple(sp.sizes)
    out = tuple(1 if i in axes else d for i, d in enumerate(shape) if keepdims or i not in axes)
    if not as_sparse:
        return ops.reshape(reduce(sp.values, rows, count), shape=out)
    used, inverse = np.unique(rows.array, return_inverse=True)
    values = reduce(sp.values, EagerTensor(inverse.astype(np.int64)), len(used))
    return made(np.stack(np.unravel_index(used, out), 1) if out else np.zeros((len(used), 0)), values, out)
