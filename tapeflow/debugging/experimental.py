"""`tf.debugging.experimental`: TensorFlow's dumps for its debugger, which tapeflow does not write."""

from typing import Any

from tapeflow.core.errors import UnimplementedError

__all__ = ["disable_dump_debug_info", "enable_dump_debug_info"]


def enable_dump_debug_info(
    dump_root: str,
    tensor_debug_mode: str = "NO_TENSOR",
    circular_buffer_size: int = 1000,
    op_regex: Any = None,
    tensor_dtypes: Any = None,
) -> None:
    """Writes every operation to a directory, for TensorBoard's debugger: not here.

    Args:
        dump_root: The directory.
        tensor_debug_mode: Taken and not used.
        circular_buffer_size: Taken and not used.
        op_regex: Taken and not used.
        tensor_dtypes: Taken and not used.

    Raises:
        UnimplementedError: Always.

    >>> tf.debugging.experimental.enable_dump_debug_info("dumps")      # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: tapeflow writes no dumps...
    """
    raise UnimplementedError(
        None,
        None,
        "tapeflow writes no dumps for TensorBoard's debugger: tf.debugging.enable_check_numerics() finds the "
        "operation that makes NaN or infinity.",
    )


def disable_dump_debug_info() -> None:
    """Ends dumps; there are none.

    >>> tf.debugging.experimental.disable_dump_debug_info()
    """
