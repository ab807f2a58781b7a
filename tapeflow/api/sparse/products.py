"""Products of which only some elements are wanted: `tf.sparse.sampled_addmm`."""

from typing import Any

from tapeflow.api.arrays.indexing import gather_nd
from tapeflow.api.arrays.joining import concat
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.fitting import same_sizes
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike

__all__ = ["sampled_addmm"]


def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: TensorLike = 1.0,
    alpha: TensorLike = 1.0,
    output_type: DTypeLike = float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """`alpha * mat1 @ mat2 + beta * values` at the places `indices`; the other elements are not computed.

    Args:
        indices: The places, one row each.
        values: What is added at each place.
        dense_shape: The shape of the product.
        mat1: A matrix, or a batch of them.
        mat2: A matrix with as many rows as `mat1` has columns, or a batch of them.
        beta: The factor of `values`.
        alpha: The factor of the product.
        output_type: The dtype of the result.

    Returns:
        The indices, the values, and the dense shape, of which `tf.SparseTensor` makes a sparse tensor.

    Raises:
        ValueError: If `dense_shape` is not the shape of the product.

    >>> a, b = tf.constant([[1., 2.], [3., 4.]]), tf.constant([[5., 6.], [7., 8.]])
    >>> tf.sparse.sampled_addmm([[0, 0], [1, 1]], [1., 2.], [2, 2], a, b)[1].numpy()
    array([20., 52.], dtype=float32)
    """
    dtype = as_dtype(output_type)
    places, shape = as_tensor(indices), as_tensor(dense_shape)
    added, a, b = (to_tensor(v, None if isinstance(v, Tensor) else dtype) for v in (values, mat1, mat2))
    product = (*a.shape[:-1], b.shape[-1])
    if isinstance(shape, EagerTensor) and not same_sizes(tuple(shape.array.tolist()), product):
        raise ValueError(f"Dense shape: {shape.array} does not match output shape: {list(product)}.")
    row = ops.cast(gather_nd(a, places[:, :-1]), dtype=dtype.np)
    columns = concat([places[:, :-2], places[:, -1:]], 1)
    column = ops.cast(gather_nd(ops.matrix_transpose(b), columns), dtype=dtype.np)
    sampled = ops.reduce_sum(row * column, axis=(1,), keepdims=False)
    return places, _scaled(alpha, sampled) + _scaled(beta, ops.cast(added, dtype=dtype.np)), shape


def _scaled(factor: Any, x: Tensor) -> Tensor:
    return ops.cast(as_tensor(factor), dtype=x.dtype.np) * x
