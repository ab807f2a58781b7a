"""`tf.sparse`: functions of sparse tensors."""

from tapeflow.api.sparse.arithmetic import (
    add as add,
    map_values as map_values,
    maximum as maximum,
    minimum as minimum,
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
    softmax as softmax,
    sparse_dense_matmul as sparse_dense_matmul,
)
from tapeflow.api.sparse.crosses import (
    bincount as bincount,
    cross as cross,
    cross_hashed as cross_hashed,
)
from tapeflow.api.sparse.places import (
    concat as concat,
    expand_dims as expand_dims,
    eye as eye,
    fill_empty_rows as fill_empty_rows,
    from_dense as from_dense,
    mask as mask,
    reorder as reorder,
    reset_shape as reset_shape,
    reshape as reshape,
    retain as retain,
    slice as slice,
    split as split,
    to_dense as to_dense,
    to_indicator as to_indicator,
    transpose as transpose,
)
from tapeflow.api.sparse.products import (
    sampled_addmm as sampled_addmm,
)
from tapeflow.api.sparse.segments import (
    segment_mean as segment_mean,
    segment_sqrt_n as segment_sqrt_n,
    segment_sum as segment_sum,
)
from tapeflow.api.sparse.tensor import (
    SparseTensor as SparseTensor,
)

__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows",
    "from_dense", "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape",
    "reshape", "retain", "sampled_addmm", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax",
    "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip
