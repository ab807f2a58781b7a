"""Event files as TensorBoard reads them."""

from pathlib import Path

import pytest

pytest.importorskip("tensorboardX")
pytest.importorskip("tensorboard")
import tensorboard.compat
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

# It looks for tensorflow when it first reads a file, once for all: now, not while a test has put something in its
# place.
assert tensorboard.compat.tf.__version__


def read(directory: Path) -> EventAccumulator:
    return EventAccumulator(str(directory), size_guidance={"tensors": 0}).Reload()


def tags(directory: Path) -> set[str]:
    return set(read(directory).Tags()["tensors"])


def values(directory: Path, tag: str) -> dict:
    """What a tag has at each step."""
    return {event.step: tensor_util.make_ndarray(event.tensor_proto) for event in read(directory).Tensors(tag)}


def plugin(directory: Path, tag: str) -> tuple[str, bytes, str]:
    found = read(directory).SummaryMetadata(tag)
    return found.plugin_data.plugin_name, found.plugin_data.content, found.summary_description
