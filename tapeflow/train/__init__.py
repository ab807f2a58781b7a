"""`tf.train`: checkpoints, moving averages, and the messages of TFRecord files."""

import sys as _sys
from typing import TYPE_CHECKING, Any

from tapeflow.api.variables.moving_average import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from tapeflow.distribute.cluster_resolver import (
    ClusterSpec as ClusterSpec,
)
from tapeflow.names.missing import watch_over as _watch_over
from tapeflow.storage.checkpoints.checkpoint import (
    Checkpoint as Checkpoint,
)
from tapeflow.storage.checkpoints.manager import (
    CheckpointManager as CheckpointManager,
    checkpoints_iterator as checkpoints_iterator,
)
from tapeflow.storage.checkpoints.options import (
    CheckpointOptions as CheckpointOptions,
)
from tapeflow.storage.checkpoints.reader import (
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tapeflow.storage.checkpoints.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
)

from . import experimental as experimental

if TYPE_CHECKING:
    from tapeflow.io.messages import (
        BytesList as BytesList,
        Example as Example,
        Feature as Feature,
        FeatureList as FeatureList,
        FeatureLists as FeatureLists,
        Features as Features,
        FloatList as FloatList,
        Int64List as Int64List,
        SequenceExample as SequenceExample,
    )

# Protocol-buffer messages: their library is an extra, so they are imported when they are asked for.
_MESSAGES = frozenset(
    {
        "BytesList",
        "Example",
        "Feature",
        "FeatureList",
        "FeatureLists",
        "Features",
        "FloatList",
        "Int64List",
        "SequenceExample",
    }
)

__all__ = [
    "Checkpoint", "CheckpointManager", "CheckpointOptions", "ClusterSpec", "ExponentialMovingAverage",
    "checkpoints_iterator", "experimental", "get_checkpoint_state", "latest_checkpoint", "list_variables",
    "load_checkpoint", "load_variable",
]  # fmt: skip


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _MESSAGES:
            from tapeflow.io import messages

            return globals().setdefault(name, getattr(messages, name))
        raise AttributeError(f"module 'tapeflow.train' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MESSAGES})


_watch_over(_sys.modules[__name__], "tf.train")
