"""Quotients and remainders: `tf.divide`, `tf.math.floormod`, `tf.math.divide_no_nan`, …"""

from typing import Any

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group
from tapeflow.core.dtypes import float32, float64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike


def _inexact(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Tensors that divide: integers become float64, or float32 if they have 8 or 16 bits."""
    x, y = convert_group([x, y])
    if x.dtype.is_bool:
        raise TypeError(
            "Invalid dtype tf.bool in a division: only numbers divide. Cast it first: tf.cast(x, tf.float32)."
        )
    if x.dtype.is_integer and x.dtype is y.dtype:
        wide = (float32 if x.dtype.size <= 2 else float64).np
        x, y = ops.cast(x, dtype=wide), ops.cast(y, dtype=wide)
    return x, y


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y. Integers give float64, or float32 if they have 8 or 16 bits.

    >>> tf.truediv(7, 2).numpy()
    np.float64(3.5)
    """
    return ops.div(*_inexact(x, y))


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, as the operator does it: integers divide into floating numbers.

    >>> tf.divide([1., 6.], [4., 3.]).numpy()
    array([0.25, 2.  ], dtype=float32)
    """
    return truediv(x, y)


@expose(ops.div)
def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y for floating and complex numbers.

    >>> tf.realdiv(7., 2.).numpy()
    np.float32(3.5)
    """


@expose(ops.floordiv)
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded down. No gradient passes.

    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)
    """


@expose(ops.floormod)
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `floordiv`, with the sign of `y`; what `%` gives.

    An integer `y` of 0 raises InvalidArgumentError.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """


mod = floormod


@expose(ops.truncatediv)
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards 0. No gradient passes.

    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)
    """


@expose(ops.truncatemod)
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `truncatediv`, with the sign of `x`. The slope for `y` is minus the quotient.

    >>> tf.truncatemod([7., -7.], 3.).numpy()
    array([ 1., -1.], dtype=float32)
    """


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, but 0 where `y` is 0; so are the gradients.

    >>> tf.math.divide_no_nan([3., 0.], [0., 0.]).numpy()
    array([0., 0.], dtype=float32)
    """
    return ops.divide_no_nan(*_inexact(x, y))


@expose(ops.reciprocal)
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x.

    >>> tf.math.reciprocal([4., 0.]).numpy()
    array([0.25,  inf], dtype=float32)
    """


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, but 0 where `x` is 0; so is the gradient.

    >>> tf.math.reciprocal_no_nan([4., 0.]).numpy()
    array([0.25, 0.  ], dtype=float32)
    """
    return ops.divide_no_nan(1, as_tensor(x))
