"""`tf.types`: names for annotations."""

import sys as _sys

from tapeflow.names.missing import watch_over as _watch_over

from . import experimental as experimental

__all__ = ["experimental"]

_watch_over(_sys.modules[__name__], "tf.types")
