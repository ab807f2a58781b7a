"""Reductions: sums, means, extremes, norms over axes."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import one_axis
from tapeflow.api.arrays.casting import saturate_cast
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import Composite
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, bool_, float16, float32, int64
from tapeflow.core.errors import ValueNeeded, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, AxisLike, DTypeLike, TensorLike

__all__ = [
    "count_nonzero",
    "l2_normalize",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "zero_fraction",
]

_ALL_AXES = [tuple(range(rank)) for rank in range(12)]


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes of a reduction, sorted and non-negative: all for None; an int, a list or an integer tensor names
    some."""
    if axis is None:
        return _ALL_AXES[rank] if rank < 12 else tuple(range(rank))
    if type(axis) is int and -rank <= axis < rank:
        return (axis if axis >= 0 else axis + rank,)
    if not isinstance(axis, (list, tuple)):
        given = np.asarray(as_tensor(axis).array)
        if given.dtype.kind not in "iub":
            raise invalid(f"axis must be an integer, a list of integers or None, got {axis!r}.")
        axis = [int(a) for a in given.ravel()]
    axes = sorted(_one(a, rank) for a in axis)
    if len(set(axes)) < len(axes):
        raise invalid(f"axis={list(axis)} names an axis of the tensor of rank {rank} twice. Name each once.")
    return tuple(axes)


def _one(axis: Any, rank: int) -> int:
    if not rank:
        raise invalid(
            f"axis={axis} is out of range: a scalar has no axes to reduce. Leave the argument out, or give []."
        )
    try:
        axis = axis.__index__()
        if not -rank <= axis < rank:
            raise invalid(
                f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)): an axis is from {-rank} to "
                f"{rank - 1}."
            )
        return one_axis(axis, rank)
    except ValueNeeded:
        raise
    except (AttributeError, TypeError):
        raise invalid(f"axis must be an integer, a list of integers or None, got {axis!r}.") from None


# ---- sums and extremes


def reduce_sum(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The sum over `axis` (None: all axes; an int or several). `keepdims` leaves them in place with size 1.

    >>> x = tf.constant([[1., 2., 3.], [4., 5., 6.]])
    >>> tf.reduce_sum(x).numpy(), tf.reduce_sum(x, axis=0).numpy(), tf.reduce_sum(x, axis=1, keepdims=True).shape
    (np.float32(21.0), array([5., 7., 9.], dtype=float32), TensorShape([2, 1]))
    """
    x = as_tensor(input_tensor)
    return ops.reduce_sum(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def reduce_mean(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over `axis`. Integers have an integer mean, rounded towards zero: cast first for a fraction.

    >>> tf.reduce_mean([[1., 2.], [5., 7.]], axis=1).numpy()
    array([1.5, 6. ], dtype=float32)
    >>> tf.reduce_mean([1, 2]).numpy(), tf.reduce_mean(tf.cast([1, 2], tf.float32)).numpy()
    (np.int32(1), np.float32(1.5))
    """
    x = as_tensor(input_tensor)
    return ops.reduce_mean(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def reduce_max(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The largest element over `axis`; of nothing, minus infinity. In the gradient, elements that tie share equally.

    >>> x = tf.Variable([1., 4., 4.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.reduce_max(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(4.0), array([0. , 0.5, 0.5], dtype=float32))
    """
    x = as_tensor(input_tensor)
    return ops.reduce_max(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def reduce_min(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The smallest element over `axis`; of nothing, infinity. In the gradient, elements that tie share equally.

    >>> tf.reduce_min([[3, 1], [2, 5]], axis=0).numpy()
    array([2, 1], dtype=int32)
    """
    x = as_tensor(input_tensor)
    return ops.reduce_min(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def reduce_prod(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The product over `axis`; of nothing, 1. The gradient is exact where elements are zero, too.

    >>> x = tf.Variable([0., 3., 4.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.reduce_prod(x)
    >>> tape.gradient(y, x).numpy()
    array([12.,  0.,  0.], dtype=float32)
    """
    x = as_tensor(input_tensor)
    return ops.reduce_prod(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def reduce_logsumexp(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) over `axis`, without overflow.

    >>> tf.reduce_logsumexp([1000., 1000.]).numpy()
    np.float32(1000.6932)
    """
    x = as_tensor(input_tensor)
    return ops.reduce_logsumexp(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def _boolean(value: Any) -> Tensor:
    """Numbers do not become True or False by themselves: `x != 0` does it."""
    return value if isinstance(value, (Tensor, Composite)) else to_tensor(value, bool_)


def reduce_any(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Is any element over `axis` True? Of nothing, False.

    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """
    x = _boolean(input_tensor)
    return ops.reduce_any(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


def reduce_all(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Are all elements over `axis` True? Of nothing, True.

    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """
    x = _boolean(input_tensor)
    return ops.reduce_all(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))


# ---- spread and length


def _no_integers(x: Tensor) -> Tensor:
    if x.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {x.dtype.name}: tf.cast(x, tf.float32) "
            "first."
        )
    return x


def reduce_variance(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean squared distance from the mean over `axis` (divided by n, not n - 1). Real, for complex numbers too.

    >>> tf.math.reduce_variance([[1., 3.], [5., 5.]], axis=1).numpy()
    array([1., 0.], dtype=float32)
    """
    x = _no_integers(as_tensor(input_tensor))
    axis = axes_of(axis, x.ndim)
    if not x.dtype.is_complex:
        return ops.reduce_variance(x, axis=axis, keepdims=bool(keepdims))
    deviation = x - ops.reduce_mean(x, axis=axis, keepdims=True)
    return ops.reduce_mean(ops.real(ops.conj(deviation) * deviation), axis=axis, keepdims=bool(keepdims))


def reduce_std(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation over `axis`, the root of `reduce_variance`. Equal values have gradient 0, not NaN.

    >>> x = tf.Variable([5., 5., 5.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.math.reduce_std(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(0.0), array([0., 0., 0.], dtype=float32))
    """
    return ops.length(reduce_variance(input_tensor, axis, keepdims))


def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The root of the sum of squares over `axis`, in the dtype of the input. The gradient at zero is zero.

    >>> tf.math.reduce_euclidean_norm([[3., 4.], [0., 0.]], axis=1).numpy()
    array([5., 0.], dtype=float32)
    """
    x = as_tensor(input_tensor)
    axis, keepdims = axes_of(axis, x.ndim), bool(keepdims)
    if x.dtype.is_complex:
        return root_of(ops.reduce_sum(ops.real(ops.conj(x) * x), axis=axis, keepdims=keepdims), x.dtype)
    if x.dtype.is_integer:  # a norm that does not fit is the largest number, and not a negative one
        return saturate_cast(reduce_euclidean_norm(ops.cast(x, dtype=np.dtype("float64")), axis, keepdims), x.dtype)
    return root_of(squared_length(x, axis, keepdims), x.dtype)


def squared_length(x: Tensor, axis: tuple[int, ...], keepdims: bool) -> Tensor:
    """The sum of squares over `axis`; of float16 in float32, since 256 squared is beyond float16."""
    return ops.sum_squares(ops.cast(x, dtype=float32.np) if x.dtype is float16 else x, axis=axis, keepdims=keepdims)


def root_of(squares: Tensor, dtype: DType) -> Tensor:
    """The norm that belongs to a `squared_length`, in the dtype of the tensor, flat at 0."""
    norm = ops.length(squares)
    return norm if norm.dtype is dtype else ops.cast(norm, dtype=dtype.np)


def l2_normalize(
    x: TensorLike,
    axis: AxisLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """`x` divided by its Euclidean length over `axis`, or by sqrt(`epsilon`) if that is longer.

    Args:
        epsilon: The least squared length that is divided by.
        dim: `axis`, by its earlier name.

    >>> tf.math.l2_normalize([[3., 4.], [0., 0.]], axis=1).numpy()
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    x = as_tensor(x)
    axis, least = axes_of(dim if axis is None else axis, x.ndim), to_tensor(epsilon, x.dtype.real_dtype)
    if not x.dtype.is_complex:
        return x * ops.rsqrt(ops.maximum(ops.sum_squares(x, axis=axis, keepdims=True), least))
    squares = ops.reduce_sum(ops.real(ops.conj(x) * x), axis=axis, keepdims=True)
    return x * ops.cast(ops.rsqrt(ops.maximum(squares, least)), dtype=x.dtype.np)


# ---- counts


def count_nonzero(
    input: AnyTensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """How many elements over `axis` are not zero (of strings: not empty).

    >>> tf.math.count_nonzero([[0, 3], [2, 1]], axis=0).numpy()
    array([1, 2])
    """
    x = as_tensor(input)
    there = ops.cast(ops.not_equal(x, ops.zeros_like(x)), dtype=np.dtype("int64"))
    count = ops.reduce_sum(there, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims))
    return ops.cast(count, dtype=as_dtype(dtype).np)


def zero_fraction(value: AnyTensorLike, name: str | None = None) -> Tensor:
    """The share of elements that are zero, a float32; NaN if there are none.

    >>> tf.math.zero_fraction([0., 0., 0., 2.]).numpy()
    np.float32(0.75)
    """
    x = as_tensor(value)
    return ops.reduce_mean(
        ops.cast(ops.equal(x, ops.zeros_like(x)), dtype=float32.np), axis=axes_of(None, x.ndim), keepdims=False
    )
