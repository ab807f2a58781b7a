"""`tf.profiler`: the time between named points of a program."""

from . import experimental as experimental

__all__ = ["experimental"]
