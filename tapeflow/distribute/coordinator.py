"""`tf.distribute.coordinator`: of parameter servers, which tapeflow does not have."""

from typing import Any

from tapeflow.core.errors import UnimplementedError

__all__ = ["ClusterCoordinator"]


class ClusterCoordinator:
    """Sends functions to the workers of a ParameterServerStrategy.

    >>> tf.distribute.coordinator.ClusterCoordinator(None)             # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: tapeflow has no parameter servers...
    """

    def __init__(self, strategy: Any) -> None:
        raise UnimplementedError(None, None, "tapeflow has no parameter servers, and no workers besides this process.")
