"""`tf.bitwise`: operations on the bits of integers."""

from tapeflow.core.primitive import recorded as _ops
from tapeflow.core.tensor import Tensor as _Tensor
from tapeflow.core.tensor_like import TensorLike as _TensorLike

from .arguments import expose as _expose

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]


@_expose(_ops.bitwise_and)
def bitwise_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits that both have: `x & y`.

    >>> tf.bitwise.bitwise_and([0b1100, 0b1010], 0b0110).numpy()
    array([4, 2], dtype=int32)
    """


@_expose(_ops.bitwise_or)
def bitwise_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits that either has: `x | y`.

    >>> tf.bitwise.bitwise_or([0b1100, 0b1010], 0b0110).numpy()
    array([14, 14], dtype=int32)
    """


@_expose(_ops.bitwise_xor)
def bitwise_xor(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits that exactly one has: `x ^ y`.

    >>> tf.bitwise.bitwise_xor([0b1100, 0b1010], 0b0110).numpy()
    array([10, 12], dtype=int32)
    """


@_expose(_ops.bitwise_invert)
def invert(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Every bit turned over: `~x`.

    >>> tf.bitwise.invert([0, 5]).numpy(), tf.bitwise.invert(tf.constant([0, 5], tf.uint8)).numpy()
    (array([-1, -6], dtype=int32), array([255, 250], dtype=uint8))
    """


@_expose(_ops.left_shift)
def left_shift(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits of x moved up by y places. Counts outside 0 … width - 1 are clipped to it.

    >>> tf.bitwise.left_shift([1, 3], [4, 1]).numpy()
    array([16,  6], dtype=int32)
    """


@_expose(_ops.right_shift)
def right_shift(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits of x moved down by y places; the sign stays. Counts outside 0 … width - 1 are clipped to it.

    >>> tf.bitwise.right_shift([16, -16], 2).numpy()
    array([ 4, -4], dtype=int32)
    """
