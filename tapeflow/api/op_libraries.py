"""`tf.load_op_library`: operations compiled for TensorFlow, which cannot be loaded here."""

from typing import Any

from tapeflow.core.errors import UnimplementedError

__all__ = ["load_library", "load_op_library"]


def load_op_library(library_filename: str) -> Any:
    """Operations compiled for TensorFlow, which cannot be used here.

    Args:
        library_filename: The file.

    Returns:
        Nothing.

    Raises:
        UnimplementedError: Always.

    >>> tf.load_op_library("ops.so")                           # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: ops.so has operations compiled for TensorFlow...
    """
    raise UnimplementedError(
        None,
        None,
        f"{library_filename} has operations compiled for TensorFlow, which tapeflow cannot call. Write them in "
        "Python: with tf.custom_gradient, or as a primitive (CONTRIBUTING.md).",
    )


load_library = load_op_library
