"""`tf.types.experimental.distributed`: values of replicas. What has them is imported when they are asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow.distribute.values import DistributedValues as Mirrored, PerReplica as PerReplica

__all__ = ["Mirrored", "PerReplica"]

_PLACES = {"PerReplica": "PerReplica", "Mirrored": "DistributedValues"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tapeflow.distribute.values"), _PLACES[name])


def __dir__() -> list[str]:
    return __all__
