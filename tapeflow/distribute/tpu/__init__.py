"""`tf.tpu`: a TPU of this machine, if it has one."""

import sys as _sys
from typing import NamedTuple

from tapeflow.names.missing import watch_over as _watch_over

from . import experimental as experimental

__all__ = ["XLAOptions", "experimental"]


class XLAOptions(NamedTuple):
    """Options of compilation for TPUs.

    >>> tf.tpu.XLAOptions().use_spmd_for_xla_partitioning
    True
    """

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True


_watch_over(_sys.modules[__name__], "tf.tpu")
