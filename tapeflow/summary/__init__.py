"""`tf.summary`: event files for TensorBoard, as TensorFlow 2 writes them (extra `tensorboard`).

A file is there for each writer. `protos` knows the messages, `event_files` the files, `state` which writer and step
are meant, `recording` writes one summary, now or at every run of a graph, and `kinds` and `graphs` make what is
written.
"""

import sys as _sys

from tapeflow.names.missing import watch_over as _watch_over

from . import experimental
from .graphs import graph, trace_export, trace_off, trace_on
from .kinds import audio, histogram, image, scalar, text
from .recording import write
from .state import record_if, should_record_summaries
from .writers import SummaryWriter, create_file_writer, create_noop_writer, flush

__all__ = [
    "SummaryWriter", "audio", "create_file_writer", "create_noop_writer", "experimental", "flush", "graph",
    "histogram", "image", "record_if", "scalar", "should_record_summaries", "text", "trace_export", "trace_off",
    "trace_on", "write",
]  # fmt: skip

_watch_over(_sys.modules[__name__], "tf.summary")
