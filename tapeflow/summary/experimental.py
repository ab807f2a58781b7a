"""`tf.summary.experimental`: the default step, name scopes of summaries, and serialised summaries."""

from .recording import write_raw_pb
from .state import get_step, set_step, summary_scope

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
