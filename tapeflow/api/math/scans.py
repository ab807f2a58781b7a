"""Running sums, products and log-sum-exps: `tf.cumsum` and its relatives."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import one_axis
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AxisLike, TensorLike

__all__ = ["cumprod", "cumsum", "cumulative_logsumexp"]


def _scanned(x: Tensor, axis: Any) -> int:
    if np.ndim(axis):
        raise invalid(f"axis must be one integer for a scan, got {axis!r}.")
    if not x.ndim:
        raise invalid("a scan needs an axis to go along; the tensor is a scalar.")
    return one_axis(axis, x.ndim)


def cumsum(
    x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running sum along `axis`. `exclusive` leaves each element out of its own sum; `reverse` goes from the end.

    Args:
        exclusive: Leave out the element itself: the first result is 0.
        reverse: Go from the last element to the first.

    >>> tf.cumsum([1., 2., 3.]).numpy()
    array([1., 3., 6.], dtype=float32)
    >>> tf.cumsum([1., 2., 3.], exclusive=True).numpy()
    array([0., 1., 3.], dtype=float32)
    >>> tf.cumsum([1., 2., 3.], reverse=True).numpy()
    array([6., 5., 3.], dtype=float32)
    """
    x = as_tensor(x)
    return ops.cumsum(x, axis=_scanned(x, axis), exclusive=bool(exclusive), reverse=bool(reverse))


def cumprod(
    x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running product along `axis`. The gradient is exact where elements are zero, too.

    >>> x = tf.Variable([2., 0., 4.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.math.cumprod(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (array([2., 0., 0.], dtype=float32), array([ 1., 10.,  0.], dtype=float32))
    """
    x = as_tensor(x)
    return ops.cumprod(x, axis=_scanned(x, axis), exclusive=bool(exclusive), reverse=bool(reverse))


def cumulative_logsumexp(
    x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running log(sum(exp(x))) along `axis`, without overflow; an empty sum is -inf.

    >>> tf.math.cumulative_logsumexp([1000., 1000., -1000.]).numpy()
    array([1000.    , 1000.6932, 1000.6932], dtype=float32)
    """
    x = as_tensor(x)
    return ops.cumulative_logsumexp(x, axis=_scanned(x, axis), exclusive=bool(exclusive), reverse=bool(reverse))
