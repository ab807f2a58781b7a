"""Operations of `tf.raw_ops` on arrays and numbers that exported graphs use besides those of `table.py`."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api import bitwise, linalg, math
from tapeflow.api.arrays import (
    blocks,
    building,
    casting,
    indexing,
    joining,
    properties,
    scatter,
    shaping,
    sorting,
    space,
)
from tapeflow.api.assertions import values as assertions
from tapeflow.api.math import division
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32, int32

from .attributes import CHECKED, only

__all__ = ["ARRAYS"]

_ListDiff = namedtuple("ListDiff", "out idx")
_Determinant = namedtuple("LogMatrixDeterminant", "sign log_abs_determinant")
_Counts = namedtuple("UniqueWithCounts", "y idx count")


def _concat(concat_dim: Any, values: Any) -> Any:
    return joining.concat(values, concat_dim)


def _assert(condition: Any, data: Any, summarize: int = 3) -> None:
    assertions.Assert(condition, list(data), summarize)


def _list_diff(x: Any, y: Any, out_idx: Any = int32) -> Any:
    a, b = as_tensor(x).numpy(), as_tensor(y).numpy()
    places = np.flatnonzero(~np.isin(a, b))
    return _ListDiff(as_tensor(a[places]), as_tensor(places.astype(out_idx.np)))


def _matrix_diag(
    diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, align: str = "RIGHT_LEFT"
) -> Any:
    return linalg.diag(diagonal, k=k, num_rows=num_rows, num_cols=num_cols, padding_value=padding_value, align=align)


def _dense_bincount(input: Any, size: Any, weights: Any, binary_output: bool = False) -> Any:
    """Counts, or sums of weights, of whole numbers from 0 up to `size`; of each row of a matrix."""
    values, weights, size = as_tensor(input), as_tensor(weights), casting.cast(size, int32)
    flat = casting.cast(shaping.reshape(values, [-1]), int32)
    bins = size
    place = flat
    if values.ndim == 2:
        rows, width = properties.shape(values)[0], properties.shape(values)[1]
        bins = rows * size
        place = flat + shaping.repeat(building.range(rows), width) * size
    place = indexing.where((flat >= 0) & (flat < size), place, -1)  # which counts nowhere
    amounts = shaping.reshape(weights, [-1])
    if binary_output or weights.shape.num_elements() == 0:
        amounts = building.ones_like(flat, weights.dtype)
    out = math.unsorted_segment_sum(amounts, place, bins)
    out = math.minimum(out, 1) if binary_output else out
    return shaping.reshape(out, [-1, size]) if values.ndim == 2 else out


def _bucketize(input: Any, boundaries: Any) -> Any:
    """How many of the boundaries are not above each number."""
    x = casting.cast(input, float32)
    flat = sorting.searchsorted(as_tensor(np.asarray(boundaries, np.float32)), shaping.reshape(x, [-1]), "right")
    return shaping.reshape(flat, properties.shape(x))


def _concat_offset(concat_dim: Any, shape: Any) -> list:
    """Where each of some tensors of these shapes begins when they are joined."""
    axis, offset, found = int(as_tensor(concat_dim).numpy()), 0, []
    for one in shape:
        sizes = as_tensor(one).numpy()
        begin = np.zeros_like(sizes)
        begin[axis] = offset
        offset += int(sizes[axis])
        found.append(as_tensor(begin))
    return found


ARRAYS: dict[str, Callable] = dict(
    # ---- numbers
    TruncateDiv=lambda x, y: division.truncatediv(x, y),
    TruncateMod=lambda x, y: division.truncatemod(x, y),
    Mod=lambda x, y: division.truncatemod(x, y),
    Ndtri=lambda x: math.ndtri(x),
    Erfinv=lambda x: math.erfinv(x),
    Xlog1py=lambda x, y: math.xlog1py(x, y),
    NextAfter=lambda x1, x2: math.nextafter(x1, x2),
    BitwiseAnd=lambda x, y: bitwise.bitwise_and(x, y),
    BitwiseOr=lambda x, y: bitwise.bitwise_or(x, y),
    BitwiseXor=lambda x, y: bitwise.bitwise_xor(x, y),
    Invert=lambda x: bitwise.invert(x),
    LeftShift=lambda x, y: bitwise.left_shift(x, y),
    RightShift=lambda x, y: bitwise.right_shift(x, y),
    ApproximateEqual=lambda x, y, tolerance=1e-5: math.less(math.abs(math.subtract(x, y)), tolerance),
    AccumulateNV2=lambda inputs: math.add_n(inputs),
    Bitcast=lambda input, type: casting.bitcast(input, type),
    Bucketize=_bucketize,
    # ---- reductions, scans, counting
    EuclideanNorm=lambda input, axis, keep_dims=False: math.reduce_euclidean_norm(input, axis, keep_dims),
    CumulativeLogsumexp=lambda x, axis, exclusive=False, reverse=False: math.cumulative_logsumexp(
        x, axis, exclusive, reverse
    ),
    SegmentMean=lambda data, segment_ids: math.segment_mean(data, segment_ids),
    SegmentMax=lambda data, segment_ids: math.segment_max(data, segment_ids),
    SegmentMin=lambda data, segment_ids: math.segment_min(data, segment_ids),
    SegmentProd=lambda data, segment_ids: math.segment_prod(data, segment_ids),
    UnsortedSegmentMax=lambda data, segment_ids, num_segments: math.unsorted_segment_max(
        data, segment_ids, num_segments
    ),
    UnsortedSegmentMin=lambda data, segment_ids, num_segments: math.unsorted_segment_min(
        data, segment_ids, num_segments
    ),
    UnsortedSegmentProd=lambda data, segment_ids, num_segments: math.unsorted_segment_prod(
        data, segment_ids, num_segments
    ),
    DenseBincount=_dense_bincount,
    InTopKV2=lambda predictions, targets, k: sorting.in_top_k(targets, predictions, k),
    UniqueWithCounts=lambda x, out_idx=int32: _Counts(*sorting.unique_with_counts(x, out_idx)),
    ListDiff=_list_diff,
    LowerBound=lambda sorted_inputs, values, out_type=int32: sorting.searchsorted(
        sorted_inputs, values, "left", out_type
    ),
    UpperBound=lambda sorted_inputs, values, out_type=int32: sorting.searchsorted(
        sorted_inputs, values, "right", out_type
    ),
    # ---- matrices
    BatchMatMul=lambda x, y, adj_x=False, adj_y=False: linalg.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y),
    BatchMatMulV3=lambda x, y, Tout=None, adj_x=False, adj_y=False: linalg.matmul(
        x, y, adjoint_a=adj_x, adjoint_b=adj_y, output_type=Tout
    ),
    Cross=lambda a, b: linalg.cross(a, b),
    LogMatrixDeterminant=lambda input: _Determinant(*linalg.slogdet(input)),
    MatrixBandPart=lambda input, num_lower, num_upper: linalg.band_part(input, num_lower, num_upper),
    MatrixDiag=lambda diagonal: linalg.diag(diagonal),
    MatrixDiagV3=_matrix_diag,
    MatrixDiagPart=lambda input: linalg.diag_part(input),
    MatrixDiagPartV3=lambda input, k, padding_value, align="RIGHT_LEFT": linalg.diag_part(
        input, k=k, padding_value=padding_value, align=align
    ),
    MatrixSetDiag=lambda input, diagonal: linalg.set_diag(input, diagonal),
    MatrixSetDiagV3=lambda input, diagonal, k, align="RIGHT_LEFT": linalg.set_diag(input, diagonal, k=k, align=align),
    Diag=lambda diagonal: linalg.tensor_diag(diagonal),
    DiagPart=lambda input: linalg.tensor_diag_part(input),
    # ---- shape and place
    Concat=_concat,
    ConcatOffset=_concat_offset,
    ShapeN=lambda input, out_type=int32: [properties.shape(x, out_type) for x in input],
    EnsureShape=lambda input, shape: properties.ensure_shape(input, shape),
    BroadcastArgs=lambda s0, s1: properties.broadcast_dynamic_shape(s0, s1),
    DynamicPartition=lambda data, partitions, num_partitions: joining.dynamic_partition(
        data, partitions, num_partitions
    ),
    DynamicStitch=lambda indices, data: joining.dynamic_stitch(indices, data),
    ParallelDynamicStitch=lambda indices, data: joining.dynamic_stitch(indices, data),
    ReverseSequence=lambda input, seq_lengths, seq_dim, batch_dim=0: shaping.reverse_sequence(
        input, seq_lengths, seq_axis=seq_dim, batch_axis=batch_dim
    ),
    SpaceToBatchND=lambda input, block_shape, paddings: blocks.space_to_batch(input, block_shape, paddings),
    BatchToSpaceND=lambda input, block_shape, crops: blocks.batch_to_space(input, block_shape, crops),
    SpaceToDepth=lambda input, block_size, data_format="NHWC": space.space_to_depth(input, block_size, data_format),
    DepthToSpace=lambda input, block_size, data_format="NHWC": space.depth_to_space(input, block_size, data_format),
    TensorScatterSub=only(
        lambda tensor, indices, updates: scatter.tensor_scatter_nd_sub(tensor, indices, updates), **CHECKED
    ),
    TensorScatterMax=only(
        lambda tensor, indices, updates: scatter.tensor_scatter_nd_max(tensor, indices, updates), **CHECKED
    ),
    TensorScatterMin=only(
        lambda tensor, indices, updates: scatter.tensor_scatter_nd_min(tensor, indices, updates), **CHECKED
    ),
    TopK=lambda input, k, sorted=True: sorting.top_k(input, k, sorted),
    # ---- the same value
    Snapshot=lambda input: properties.identity(input),
    DeepCopy=lambda x: properties.identity(x),
    Assert=_assert,
)
