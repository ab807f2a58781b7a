"""Operations of `tf.raw_ops` on the parts of sparse and ragged tensors."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api import ragged, sparse
from tapeflow.api.arrays.building import zeros
from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.indexing import gather
from tapeflow.api.arrays.shaping import expand_dims
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import UnimplementedError

__all__ = ["SPARSE"]

_Sparse = namedtuple("Sparse", "output_indices output_values")
_Reshaped = namedtuple("SparseReshape", "output_indices output_shape")
_Joined = namedtuple("SparseConcat", "output_indices output_values output_shape")
_Filled = namedtuple("SparseFillEmptyRows", "output_indices output_values empty_row_indicator reverse_index_map")
_Range = namedtuple("RaggedRange", "rt_nested_splits rt_dense_values")
_Gathered = namedtuple("RaggedGather", "output_nested_splits output_dense_values")
_AsSparse = namedtuple("RaggedTensorToSparse", "sparse_indices sparse_values sparse_dense_shape")


def _to_dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any, validate_indices: bool = True
) -> Any:
    indices = as_tensor(sparse_indices)
    if indices.ndim == 1:
        indices = expand_dims(indices, 1)
    given = SparseTensor(cast(indices, int64), sparse_values, cast(output_shape, int64))
    return sparse.to_dense(given, default_value, validate_indices)


def _summed(
    input_indices: Any, input_values: Any, input_shape: Any, reduction_axes: Any, keep_dims: Any = False
) -> Any:
    axes = as_tensor(reduction_axes).numpy().reshape(-1).tolist()
    given = SparseTensor(input_indices, input_values, input_shape)
    return sparse.reduce_sum(given, axes, keepdims=keep_dims) if axes else sparse.to_dense(given)


def _joined(indices: Any, values: Any, shapes: Any, concat_dim: Any) -> Any:
    found = sparse.concat(concat_dim, [SparseTensor(*parts) for parts in zip(indices, values, shapes)])
    return _Joined(found.indices, found.values, found.dense_shape)


def _reordered(input_indices: Any, input_values: Any, input_shape: Any) -> Any:
    found = sparse.reorder(SparseTensor(input_indices, input_values, input_shape))
    return _Sparse(found.indices, found.values)


def _reshaped(input_indices: Any, input_shape: Any, new_shape: Any) -> Any:
    values = zeros([as_tensor(input_indices).sizes[0]])
    found = sparse.reshape(SparseTensor(input_indices, values, input_shape), new_shape)
    return _Reshaped(found.indices, found.dense_shape)


def _matmul(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False
) -> Any:
    return sparse.sparse_dense_matmul(SparseTensor(a_indices, a_values, a_shape), b, adjoint_a, adjoint_b)


def _to_tensor(
    shape: Any, values: Any, default_value: Any, row_partition_tensors: Any, row_partition_types: Any = ()
) -> Any:
    """Dense rows of the values of a ragged tensor, with the default where there is nothing."""
    kinds, parts = list(row_partition_types), list(row_partition_tensors)
    if kinds and kinds[0] == "FIRST_DIM_SIZE":
        count, ids = parts[0], parts[1:]
        made: Any = values
        counts = [count]
        for k, (kind, one) in enumerate(zip(kinds[1:], ids)):
            if kind != "VALUE_ROWIDS" or k + 1 < len(ids):
                break
            made = RaggedTensor.from_value_rowids(values, one, counts[-1], validate=False)
        else:
            return made.to_tensor(default_value, shape=_wanted(shape))
    elif set(kinds) == {"ROW_SPLITS"}:
        made = RaggedTensor.from_nested_row_splits(values, parts, validate=False)
        return made.to_tensor(default_value, shape=_wanted(shape))
    raise UnimplementedError(None, None, f"RaggedTensorToTensor with row partitions {kinds} is not there.")


def _wanted(shape: Any) -> Any:
    """None where the shape follows from the values."""
    sizes = as_tensor(shape).numpy()
    return None if sizes.ndim == 0 else [None if n < 0 else int(n) for n in sizes]


def _gathered(params_nested_splits: Any, params_dense_values: Any, indices: Any) -> Any:
    made = gather(
        RaggedTensor.from_nested_row_splits(params_dense_values, list(params_nested_splits), validate=False), indices
    )
    return _Gathered(list(made.nested_row_splits), made.flat_values)


def _range(starts: Any, limits: Any, deltas: Any, Tsplits: Any = int64) -> Any:
    made = ragged.range(starts, limits, deltas, row_splits_dtype=as_dtype(Tsplits))
    return _Range(made.row_splits, made.values)


def _as_sparse(rt_nested_splits: Any, rt_dense_values: Any) -> Any:
    made = RaggedTensor.from_nested_row_splits(rt_dense_values, list(rt_nested_splits), validate=False).to_sparse()
    return _AsSparse(made.indices, made.values, made.dense_shape)


def _filled(indices: Any, values: Any, dense_shape: Any, default_value: Any) -> Any:
    given = SparseTensor(indices, values, dense_shape)
    found, empty = sparse.fill_empty_rows(given, default_value)
    rows, old = found.indices.numpy(), as_tensor(indices).numpy()
    places = {tuple(row): k for k, row in enumerate(rows.tolist())}
    back = np.array([places[tuple(row)] for row in old.tolist()], np.int64)
    return _Filled(found.indices, found.values, empty, as_tensor(back))


SPARSE: dict[str, Callable] = dict(
    SparseToDense=_to_dense,
    SparseReduceSum=_summed,
    SparseConcat=_joined,
    SparseReorder=_reordered,
    SparseReshape=_reshaped,
    SparseTensorDenseMatMul=_matmul,
    SparseFillEmptyRows=_filled,
    SparseSegmentSum=lambda data, indices, segment_ids: sparse.segment_sum(data, indices, segment_ids),
    SparseSegmentMean=lambda data, indices, segment_ids: sparse.segment_mean(data, indices, segment_ids),
    SparseSegmentSqrtN=lambda data, indices, segment_ids: sparse.segment_sqrt_n(data, indices, segment_ids),
    RaggedTensorToTensor=_to_tensor,
    RaggedTensorToSparse=_as_sparse,
    RaggedGather=_gathered,
    RaggedRange=_range,
)
