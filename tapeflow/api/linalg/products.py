"""Products of matrices, vectors and tensors: `tf.matmul`, `tf.tensordot`, `tf.linalg.matvec`, `tf.linalg.cross`."""

from string import ascii_letters as _LETTERS
from typing import Any

from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import FailedPreconditionError, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import brackets
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike

from .of_operators import is_operator, or_operator

__all__ = ["adjoint", "cross", "matmul", "matrix_transpose", "matvec", "tensordot"]


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices in the last two axes; leading axes are a batch and broadcast. The same as `a @ b`.

    `transpose_*` swaps the last two axes of an argument first, `adjoint_*` also conjugates it; neither copies.
    `output_type` is the dtype to compute in. The other flags are hints that change nothing.

    Args:
        transpose_a: Transpose `a` first.
        transpose_b: Transpose `b` first.
        adjoint_a: Transpose and conjugate `a` first.
        adjoint_b: Transpose and conjugate `b` first.
        a_is_sparse: A hint, taken and not used.
        b_is_sparse: A hint, taken and not used.
        output_type: The dtype to compute in; None: that of the arguments.
        grad_a: A hint, taken and not used.
        grad_b: A hint, taken and not used.

    Raises:
        InvalidArgumentError: If the shapes do not fit together.
        ValueError: If an argument is to be both transposed and adjoint.

    >>> a = tf.constant([[1., 2.], [3., 4.]])
    >>> tf.matmul(a, a, transpose_b=True).numpy()
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    >>> tf.matmul(tf.ones([10, 1, 4, 3]), tf.ones([5, 3, 2])).shape
    TensorShape([10, 5, 4, 2])
    """
    if output_type is not None:
        dtype = as_dtype(output_type).np
        a, b = ops.cast(as_tensor(a), dtype=dtype), ops.cast(as_tensor(b), dtype=dtype)
    if transpose_a or adjoint_a or transpose_b or adjoint_b:
        if is_operator(a) or is_operator(b):
            if transpose_a or transpose_b:
                raise ValueError("matmul with a LinearOperator does not transpose: take adjoint_a or adjoint_b.")
            return _of_operators(a, b, adjoint_a, adjoint_b)
        for letter, both in ("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b):
            if both:
                raise ValueError(
                    f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True: the adjoint is transposed "
                    "already."
                )
        a, b = _tensors(a, b, ops.matmul)
        a = _turned(a, transpose_a, adjoint_a)
        b = _turned(b, transpose_b, adjoint_b)
    try:
        return ops.matmul(a, b)
    except ValueError:  # what is no tensor; asked here, where it costs those that are nothing
        if is_operator(a) or is_operator(b):
            return _of_operators(a, b)
        raise


def _of_operators(a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False) -> Any:
    if is_operator(a):
        return a.matmul(b, adjoint_a, adjoint_b)
    return adjoint(b.matmul(a, not adjoint_b, not adjoint_a))


def _tensors(a: Any, b: Any, function: Any) -> tuple[Tensor, Tensor]:
    return (
        (a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else tuple(convert_group([a, b], function.primitive))
    )


def _turned(x: Tensor, transposed: bool, adjoint: bool) -> Tensor:
    if (transposed or adjoint) and x.ndim < 2:
        raise invalid(f"matmul needs tensors of rank 2 or more, got shape {tuple(x.shape)}.")
    if adjoint and x.dtype.is_complex:
        x = ops.conj(x)
    return ops.matrix_transpose(x) if transposed or adjoint else x


@or_operator(lambda operator, b, adjoint_a=False: operator.matvec(b, adjoint_a))
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrices in the last two axes of `a` times vectors in the last axis of `b`; leading axes broadcast.

    >>> tf.linalg.matvec([[1., 2.], [3., 4.]], [5., 6.]).numpy()
    array([17., 39.], dtype=float32)
    """
    a, b = _tensors(a, b, ops.matmul)
    if b.ndim < 1:
        raise invalid("matvec needs a vector (or a batch of them) as `b`, got a tensor of rank 0.")
    columns = ops.reshape(b, shape=(*b.sizes, 1))
    product = matmul(a, columns, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return ops.reshape(product, shape=tuple(product.sizes[:-1]))


def matrix_transpose(a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The last two axes exchanged; `conjugate` also conjugates.

    Args:
        conjugate: Take the conjugates, too.

    >>> tf.linalg.matrix_transpose(tf.zeros([10, 2, 3])).shape
    TensorShape([10, 3, 2])
    """
    a = as_tensor(a)
    if a.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2. Received a tensor of shape {tuple(a.shape)}."
        )
    return ops.matrix_transpose(ops.conj(a) if conjugate and a.dtype.is_complex else a)


@or_operator(lambda operator: operator.adjoint())
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate transpose of the last two axes; for real numbers the transpose.

    >>> tf.linalg.adjoint([[1 + 2j, 3 + 4j]]).numpy()
    array([[1.-2.j],
           [3.-4.j]])
    """
    return matrix_transpose(matrix, conjugate=True)


def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """Multiply and sum over pairs of axes; the axes left over of `a` come first in the result, then those of `b`.

    `axes` is how many axes at the end of `a` meet those at the beginning of `b`, or a pair of axes, or of lists of
    axes.

    Args:
        axes: How many axes meet, or a pair of axes, or of lists of them.

    Raises:
        InvalidArgumentError: If axes that meet have different sizes.

    >>> a, b = tf.random.normal([2, 3, 4]), tf.random.normal([4, 3, 5])
    >>> tf.tensordot(a, b, [[1, 2], [1, 0]]).shape
    TensorShape([2, 5])
    >>> tf.tensordot([1., 2.], [10., 20.], axes=0).numpy()            # nothing summed: all products
    array([[10., 20.],
           [20., 40.]], dtype=float32)
    """
    a, b = _tensors(a, b, ops.contract)
    axes_a, axes_b = _pairs_of_axes(axes, a.ndim, b.ndim)
    for i, j in zip(axes_a, axes_b):
        if a.sizes[i] != b.sizes[j]:
            raise invalid(
                f"Matrix size-incompatible: In[0]: {brackets(a.shape)}, In[1]: {brackets(b.shape)}. "
                f"Axis {i} of shape {tuple(a.shape)} has length {a.shape[i]}, axis {j} of "
                f"shape {tuple(b.shape)} has length {b.shape[j]}; axes that are summed over must be equally long."
            )
    left = list(_LETTERS[: a.ndim])
    right = list(_LETTERS[a.ndim : a.ndim + b.ndim])
    for i, j in zip(axes_a, axes_b):
        right[j] = left[i]
    out = [x for x in left if x not in right] + [x for x in right if x not in left]
    return ops.contract(a, b, equation=f"{''.join(left)},{''.join(right)}->{''.join(out)}")


def _pairs_of_axes(axes: Any, rank_a: int, rank_b: int) -> tuple[list[int], list[int]]:
    if not isinstance(axes, (int, list, tuple)):
        axes = as_tensor(axes).array.tolist()
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > min(rank_a, rank_b):
            raise ValueError(
                f"`axes` must not be larger than the ranks of the tensors. Received {axes} for ranks {rank_a} and "
                f"{rank_b}."
            )
        return list(range(rank_a - axes, rank_a)), list(range(axes))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2: axes of `a`, axes of `b`. Received {axes!r}.")
    axes_a, axes_b = ([int(x) for x in (side if isinstance(side, (list, tuple)) else _flat(side))] for side in axes)
    if len(axes_a) != len(axes_b):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(axes_a)} != {len(axes_b)}.")
    for name, chosen, rank in ("a", axes_a, rank_a), ("b", axes_b, rank_b):
        if any(not -rank <= x < rank for x in chosen) or len({x % rank for x in chosen}) != len(chosen):
            raise ValueError(
                f"`axes` for `{name}` must be different axes of a tensor of rank {rank}. Received {chosen}."
            )
    return [x % rank_a for x in axes_a], [x % rank_b for x in axes_b]


def _flat(axes: Any) -> list:
    return as_tensor(axes).array.reshape(-1).tolist()


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of the vectors of length 3 in the last axes.

    >>> tf.linalg.cross([1., 0., 0.], [0., 1., 0.]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    a, b = _tensors(a, b, ops.mul)
    if tuple(a.sizes) != tuple(b.sizes):
        raise invalid(f"Both inputs must be of same shape: {tuple(a.shape)} vs. {tuple(b.shape)}.")
    if not a.ndim or a.sizes[-1] != 3:
        raise FailedPreconditionError(
            None, None, f"Cross-products are only defined for 3-element vectors, got shape {tuple(a.shape)}."
        )
    axis = (a.ndim - 1,)
    turned = lambda x, by: ops.roll(x, shift=(by,), axis=axis)
    return turned(a, -1) * turned(b, -2) - turned(a, -2) * turned(b, -1)
