"""`tf.summary`: event files for TensorBoard, as TensorFlow 2 writes them.

A file is there for each writer. `protos` knows the messages, `event_files` the files, `state` which writer and step
are meant, `recording` writes one summary, now or at every run of a graph, and `kinds` and `graphs` make what is
written.
"""

import sys as _sys

from tapeflow.names.missing import watch_over as _watch_over
from tapeflow.summary.graphs import (
    graph as graph,
    trace_export as trace_export,
    trace_off as trace_off,
    trace_on as trace_on,
)
from tapeflow.summary.kinds import (
    audio as audio,
    histogram as histogram,
    image as image,
    scalar as scalar,
    text as text,
)
from tapeflow.summary.recording import (
    write as write,
)
from tapeflow.summary.state import (
    record_if as record_if,
    should_record_summaries as should_record_summaries,
)
from tapeflow.summary.writers import (
    SummaryWriter as SummaryWriter,
    create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer,
    flush as flush,
)

from . import (
    experimental as experimental,
)

__all__ = [
    "SummaryWriter", "audio", "create_file_writer", "create_noop_writer", "experimental", "flush", "graph",
    "histogram", "image", "record_if", "scalar", "should_record_summaries", "text", "trace_export", "trace_off",
    "trace_on", "write",
]  # fmt: skip

_watch_over(_sys.modules[__name__], "tf.summary")
