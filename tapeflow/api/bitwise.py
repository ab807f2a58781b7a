"""`tf.bitwise`: operations on the bits of integers."""

from tapeflow.core.primitive import recorded as _ops

from .arguments import expose as _expose

bitwise_and = _expose(
    _ops.bitwise_and,
    "bitwise_and(x, y)",
    """The bits that both have: `x & y`.

    >>> tf.bitwise.bitwise_and([0b1100, 0b1010], 0b0110).numpy()
    array([4, 2], dtype=int32)
    """,
)
bitwise_or = _expose(
    _ops.bitwise_or,
    "bitwise_or(x, y)",
    """The bits that either has: `x | y`.

    >>> tf.bitwise.bitwise_or([0b1100, 0b1010], 0b0110).numpy()
    array([14, 14], dtype=int32)
    """,
)
bitwise_xor = _expose(
    _ops.bitwise_xor,
    "bitwise_xor(x, y)",
    """The bits that exactly one has: `x ^ y`.

    >>> tf.bitwise.bitwise_xor([0b1100, 0b1010], 0b0110).numpy()
    array([10, 12], dtype=int32)
    """,
)
invert = _expose(
    _ops.bitwise_invert,
    "invert(x)",
    """Every bit turned over: `~x`.

    >>> tf.bitwise.invert([0, 5]).numpy(), tf.bitwise.invert(tf.constant([0, 5], tf.uint8)).numpy()
    (array([-1, -6], dtype=int32), array([255, 250], dtype=uint8))
    """,
)
left_shift = _expose(
    _ops.left_shift,
    "left_shift(x, y)",
    """The bits of x moved up by y places. Counts outside 0 … width - 1 are clipped to it.

    >>> tf.bitwise.left_shift([1, 3], [4, 1]).numpy()
    array([16,  6], dtype=int32)
    """,
)
right_shift = _expose(
    _ops.right_shift,
    "right_shift(x, y)",
    """The bits of x moved down by y places; the sign stays. Counts outside 0 … width - 1 are clipped to it.

    >>> tf.bitwise.right_shift([16, -16], 2).numpy()
    array([ 4, -4], dtype=int32)
    """,
)
