"""Powers, roots and polynomials: `tf.pow`, `tf.sqrt`, `tf.math.polyval`, …"""

from collections.abc import Sequence
from typing import Any

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike


@expose(ops.pow)
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x ** y, with broadcasting. The slope for `y` is 0 where `x` is not positive; x ** 0 is flat, also at 0.

    >>> tf.pow([2., 9.], [3., 0.5]).numpy()
    array([8., 3.], dtype=float32)
    """


@expose(ops.square)
def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x².

    >>> tf.square([-3, 4]).numpy()
    array([ 9, 16], dtype=int32)
    """


@expose(ops.sqrt)
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root; NaN for negative numbers.

    Its slope at 0 is infinite, but a gradient of 0 that arrives there stays 0.

    >>> tf.sqrt([4., 2., -1.]).numpy().round(4)
    array([2.    , 1.4142,    nan], dtype=float32)
    """


@expose(ops.rsqrt)
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x).

    >>> tf.math.rsqrt([4., 0.]).numpy()
    array([0.5, inf], dtype=float32)
    """


def polyval(coeffs: Sequence[Any], x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients, that of the highest power first, at `x`.

    Args:
        coeffs: A list of coefficients, that of the highest power first; each a number or a tensor.

    Raises:
        ValueError: If `coeffs` is no list or tuple.

    >>> tf.math.polyval([2., -3., 1.], [0., 1., 2.]).numpy()      # 2x² - 3x + 1
    array([1., 0., 3.], dtype=float32)
    """
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = as_tensor(x)
    if not coeffs:
        return ops.zeros_like(x)
    total, *rest = [as_tensor(c) for c in coeffs]
    for c in rest:
        total = total * x + c
    return total
