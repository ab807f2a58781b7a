"""`tf.sparse`: functions of sparse tensors."""

from .arithmetic import add, map_values, maximum, minimum, reduce_max, reduce_sum, softmax, sparse_dense_matmul
from .crosses import cross_hashed
from .places import (  # fmt: skip
    concat,
    expand_dims,
    eye,
    fill_empty_rows,
    from_dense,
    mask,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    to_dense,
    to_indicator,
    transpose,
)
from .segments import segment_mean, segment_sqrt_n, segment_sum
from .tensor import SparseTensor

__all__ = [
    "SparseTensor", "add", "concat", "cross_hashed", "expand_dims", "eye", "fill_empty_rows", "from_dense",
    "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape", "reshape",
    "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul", "split",
    "to_dense", "to_indicator", "transpose",
]  # fmt: skip
