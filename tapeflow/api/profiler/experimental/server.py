"""`tf.profiler.experimental.server`: being profiled over the network, which there is none of."""

from typing import NoReturn

from tapeflow.core.errors import UnimplementedError

__all__ = ["start"]


def start(port: int) -> NoReturn:
    """Raises an error: no other process profiles this one.

    Args:
        port: Taken and not used.

    Raises:
        UnimplementedError: Always.

    >>> tf.profiler.experimental.server.start(6009)            # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: tapeflow profiles no other process...
    """
    raise UnimplementedError(
        None, None, "tapeflow profiles no other process: use tf.profiler.experimental.start in this one."
    )
