"""Embeddings: rows of a table by number, alone or combined."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import wide_indices
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike


def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """The rows `ids` of `params`. The gradient is a `tf.IndexedSlices` of the rows that were read, whatever the
    table's size.

    `params` may be a list of tables, which count as one below the other. Rows longer than `max_norm` are scaled down
    to it.

    Raises:
        InvalidArgumentError: If an id is not a row of the table.

    >>> table = tf.Variable([[0., 0.], [1., 10.], [2., 20.]])
    >>> with tf.GradientTape() as tape:
    ...     rows = tf.nn.embedding_lookup(table, [2, 1, 2])
    >>> rows.numpy().tolist(), tape.gradient(rows, table).indices.numpy()
    ([[2.0, 20.0], [1.0, 10.0], [2.0, 20.0]], array([2, 1, 2], dtype=int32))
    """
    ids = wide_indices(as_tensor(ids))
    if isinstance(ids, RaggedTensor):
        return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))
    rows = ops.gather(_table(params), ids, axis=0)
    return rows if max_norm is None else _shortened(rows, ids.ndim, max_norm)


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: SparseTensor | RaggedTensor,
    sp_weights: SparseTensor | RaggedTensor | None,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of the sparse `sp_ids`, the embeddings of its ids combined: "mean" (the default), "sum" or "sqrtn"
    of the weights.

    Args:
        sp_ids: The ids of each example, a row of a `tf.SparseTensor` or `tf.RaggedTensor`.
        sp_weights: A weight for each id; None: 1.

    Raises:
        ValueError: If `combiner` is another word.
        TypeError: If ids or weights are no `tf.SparseTensor` or `tf.RaggedTensor`.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse([[0.], [10.], [20.]], ids, None, combiner="sum").numpy()
    array([[30.],
           [10.]], dtype=float32)
    """
    combiner = _combiner(combiner)
    sp_ids, sp_weights = _as_sparse(sp_ids), _as_sparse(sp_weights)
    _check_sparse(sp_ids, sp_weights)
    segments = sp_ids.indices.array[:, 0]
    count = int(segments[-1]) + 1 if len(segments) else 0
    return _combined(
        params, sp_ids.values, None if sp_weights is None else sp_weights.values, segments, count, combiner, max_norm
    )


def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor | RaggedTensor,
    sparse_weights: SparseTensor | RaggedTensor | None = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`embedding_lookup_sparse` that leaves out negative ids and weights that are not positive. Rows without any id
    are zero, or the embedding of `default_id`.

    Args:
        embedding_weights: The table, a row for each id.
        sparse_ids: The ids of each example, a row of a `tf.SparseTensor` or `tf.RaggedTensor`.
        sparse_weights: A weight for each id; None: 1.
        default_id: The id of rows that have none; None: they are 0.

    Raises:
        ValueError: If `combiner` is another word.
        TypeError: If ids or weights are no `tf.SparseTensor` or `tf.RaggedTensor`.

    >>> ids = tf.SparseTensor([[0, 0], [2, 0]], [1, -1], [3, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1.], [5.]]), ids).numpy().ravel()
    array([5., 0., 0.], dtype=float32)
    """
    combiner = _combiner(combiner)
    sparse_ids, sparse_weights = _as_sparse(sparse_ids), _as_sparse(sparse_weights)
    _check_sparse(sparse_ids, sparse_weights)
    shape = sparse_ids.dense_shape.array
    outer = tuple(int(n) for n in shape[:-1])
    where, ids = sparse_ids.indices.array, sparse_ids.values.array
    good = ids >= 0
    if sparse_weights is not None and combiner != "sum":
        good = good & (sparse_weights.values.array > 0)
    keep = EagerTensor(np.flatnonzero(good))
    segments = np.ravel_multi_index(tuple(where[good, :-1].T), outer) if outer else np.zeros(int(good.sum()), np.int64)
    weights = None if sparse_weights is None else ops.take(sparse_weights.values, keep, axis=0)
    count = int(np.prod(outer))
    if default_id is not None:
        empty = np.setdiff1d(np.arange(count), segments)
        more = lambda values, value: ops.concat(
            values, EagerTensor(np.full(len(empty), value, values.dtype.np)), axis=0
        )
        chosen = more(ops.take(sparse_ids.values, keep, axis=0), default_id)
        weights = None if weights is None else more(weights, 1)
        segments = np.concatenate([segments, empty])
    else:
        chosen = ops.take(sparse_ids.values, keep, axis=0)
    rows = _combined(embedding_weights, chosen, weights, segments, count, combiner, max_norm)
    return ops.reshape(rows, shape=(*outer, *rows.sizes[1:]))


# ---- helpers


def _table(params: Any) -> Tensor:
    if not isinstance(params, (list, tuple)) or params and not hasattr(params[0], "shape"):
        return as_tensor(params)
    if not params:
        raise ValueError("params must hold at least one table of embeddings.")
    return as_tensor(params[0]) if len(params) == 1 else ops.concat(*[as_tensor(p) for p in params], axis=0)


def _shortened(rows: Tensor, first: int, max_norm: float) -> Tensor:
    """Rows scaled down to `max_norm` where they are longer."""
    axis = tuple(range(first, rows.ndim))
    squares = ops.sum_squares(rows, axis=axis, keepdims=True)
    long = ops.greater(squares, float(max_norm) ** 2)
    length = ops.sqrt(ops.where(long, squares, ops.zeros_like(squares) + float(max_norm) ** 2))
    return rows * (float(max_norm) / length)


def _combiner(combiner: str | None) -> str:
    combiner = combiner or "mean"
    if combiner not in ("mean", "sum", "sqrtn"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    return combiner


def _as_sparse(value: Any) -> Any:
    return value.to_sparse() if isinstance(value, RaggedTensor) else value


def _check_sparse(ids: Any, weights: Any) -> None:
    for what, value in (("ids", ids), ("weights", weights)):
        if not isinstance(value, SparseTensor) and not (what == "weights" and value is None):
            raise TypeError(f"the {what} must be a SparseTensor or RaggedTensor, got {type(value).__name__}.")
    if weights is not None and tuple(weights.values.sizes) != tuple(ids.values.sizes):
        raise invalid(
            f"there must be one weight for each id: {weights.values.shape[0]} weights, {ids.values.shape[0]} ids."
        )


def _combined(
    params: Any, ids: Tensor, weights: Tensor | None, segments: np.ndarray, count: int, combiner: str, max_norm: Any
) -> Tensor:
    rows = embedding_lookup(params, ids, max_norm)
    by = EagerTensor(segments.astype(np.int64))
    if weights is None:
        weights = EagerTensor(np.ones(len(segments), rows.dtype.np))
    elif weights.dtype is not rows.dtype:
        weights = ops.cast(weights, dtype=rows.dtype.np)
    spread = (len(segments), *[1] * (rows.ndim - 1))
    total = ops.unsorted_segment_sum(rows * ops.reshape(weights, shape=spread), by, num_segments=count)
    if combiner == "sum":
        return total
    weight = ops.unsorted_segment_sum(weights if combiner == "mean" else ops.square(weights), by, num_segments=count)
    if combiner == "sqrtn":
        weight = ops.length(weight)
    return ops.divide_no_nan(total, ops.reshape(weight, shape=(count, *spread[1:])))
