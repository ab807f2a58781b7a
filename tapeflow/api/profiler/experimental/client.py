"""`tf.profiler.experimental.client`: profiling another process over the network, which there is none of."""

from typing import Any, NoReturn

from tapeflow.core.errors import UnimplementedError

__all__ = ["monitor", "trace"]


def monitor(service_addr: str, duration_ms: int, level: int = 1) -> NoReturn:
    """Raises an error: there is no other process to watch.

    Args:
        service_addr: Taken and not used.
        duration_ms: Taken and not used.
        level: Taken and not used.

    Raises:
        UnimplementedError: Always.

    >>> tf.profiler.experimental.client.monitor('grpc://host:6009', 1000)            # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: tapeflow profiles no other process...
    """
    raise UnimplementedError(
        None, None, "tapeflow profiles no other process: use tf.profiler.experimental.start in this one."
    )


def trace(
    service_addr: str,
    logdir: str,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: Any = None,
) -> NoReturn:
    """Raises an error: there is no other process to profile.

    Args:
        service_addr: Taken and not used.
        logdir: Taken and not used.
        duration_ms: Taken and not used.
        worker_list: Taken and not used.
        num_tracing_attempts: Taken and not used.
        options: Taken and not used.

    Raises:
        UnimplementedError: Always.

    >>> tf.profiler.experimental.client.trace('grpc://host:6009', 'logs', 2000)            # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: tapeflow profiles no other process...
    """
    raise UnimplementedError(
        None, None, "tapeflow profiles no other process: use tf.profiler.experimental.start in this one."
    )
