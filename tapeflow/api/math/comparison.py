"""Comparisons, logic on booleans, and questions about numbers. Their results are booleans, so no gradient passes."""

from math import prod
from typing import Any

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, TensorLike


@expose(ops.equal)
def equal(x: AnyTensorLike, y: AnyTensorLike, name: str | None = None) -> Tensor:
    """x == y, element by element, with broadcasting; for numbers, booleans and strings. NaN equals nothing.

    >>> tf.equal([1, 2, 3], [1, 5, 3]).numpy()
    array([ True, False,  True])
    """


@expose(ops.not_equal)
def not_equal(x: AnyTensorLike, y: AnyTensorLike, name: str | None = None) -> Tensor:
    """x != y, element by element, with broadcasting.

    >>> tf.not_equal(["a", "b"], "a").numpy()
    array([False,  True])
    """


@expose(ops.less)
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x < y, element by element, with broadcasting.

    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """


@expose(ops.less_equal)
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x <= y, element by element, with broadcasting.

    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """


@expose(ops.greater)
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x > y, element by element, with broadcasting.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """


@expose(ops.greater_equal)
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x >= y, element by element, with broadcasting.

    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """


# ---- logic


@expose(ops.logical_and)
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where both are.

    >>> tf.logical_and([True, True, False], [True, False, False]).numpy()
    array([ True, False, False])
    """


@expose(ops.logical_or)
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where either is.

    >>> tf.logical_or([True, True, False], [True, False, False]).numpy()
    array([ True,  True, False])
    """


@expose(ops.logical_not)
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is not.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """True where exactly one of them is.

    >>> tf.math.logical_xor([True, True, False], [True, False, False]).numpy()
    array([False,  True, False])
    """
    return ops.logical_xor(x, y)


# ---- questions about numbers


@expose(ops.is_finite)
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is neither infinite nor NaN.

    >>> tf.math.is_finite([1., np.inf, np.nan]).numpy()
    array([ True, False, False])
    """


@expose(ops.is_inf)
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is infinite, of either sign.

    >>> tf.math.is_inf([1., -np.inf, np.nan]).numpy()
    array([False,  True, False])
    """


@expose(ops.is_nan)
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is not a number.

    >>> x = tf.constant([1., np.nan])
    >>> tf.where(tf.math.is_nan(x), 0., x).numpy()
    array([1., 0.], dtype=float32)
    """


def _neighbours(x: Any) -> tuple[Tensor, Tensor]:
    """All elements but the last and all but the first, in order."""
    x = as_tensor(x)
    flat = ops.reshape(x, shape=(prod(x.sizes),))
    return ops.getitem(flat, index=((None, -1, None),)), ops.getitem(flat, index=((1, None, None),))


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Is no element smaller than the one before it? Fewer than two elements are in order.

    >>> tf.math.is_non_decreasing([1., 2., 2.]).numpy()
    np.True_
    """
    return ops.reduce_all(ops.less_equal(*_neighbours(x)), axis=(0,), keepdims=False)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Is every element larger than the one before it? Fewer than two elements are in order.

    >>> tf.math.is_strictly_increasing([1., 2., 2.]).numpy()
    np.False_
    """
    return ops.reduce_all(ops.less(*_neighbours(x)), axis=(0,), keepdims=False)
