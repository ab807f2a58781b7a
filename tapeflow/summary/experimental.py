"""`tf.summary.experimental`: the default step, name scopes of summaries, and serialised summaries."""

from .recording import (
    write_raw_pb as write_raw_pb,
)
from .state import (
    get_step as get_step,
    set_step as set_step,
    summary_scope as summary_scope,
)

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
