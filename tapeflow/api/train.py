"""`tf.train`: checkpoints, moving averages, and the messages of TFRecord files."""

from typing import Any

from . import train_experimental as experimental
from .checkpoints.checkpoint import Checkpoint
from .checkpoints.manager import CheckpointManager, checkpoints_iterator
from .checkpoints.options import CheckpointOptions
from .checkpoints.reader import list_variables, load_checkpoint, load_variable
from .checkpoints.state import get_checkpoint_state, latest_checkpoint
from .distribute.cluster_resolver import ClusterSpec
from .moving_average import ExponentialMovingAverage

# Protocol-buffer messages: their library is an extra, so they are imported when they are asked for.
_MESSAGES = frozenset(
    {"BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List", "SequenceExample"}
)

__all__ = [
    "Checkpoint", "CheckpointManager", "CheckpointOptions", "ClusterSpec", "ExponentialMovingAverage", "checkpoints_iterator", "experimental",
    "get_checkpoint_state", "latest_checkpoint", "list_variables", "load_checkpoint", "load_variable",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        from .io import messages

        return globals().setdefault(name, getattr(messages, name))
    raise AttributeError(f"module 'tapeflow.train' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MESSAGES})
