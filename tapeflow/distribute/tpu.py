"""`tf.tpu`: a TPU of this machine, if it has one."""

import sys as _sys
from types import SimpleNamespace
from typing import Any, NamedTuple

from tapeflow.api.config.devices import list_logical_devices
from tapeflow.core.errors import NotFoundError
from tapeflow.names.missing import watch_over as _watch_over

from .cluster_resolver import TPUClusterResolver

__all__ = ["XLAOptions", "experimental"]


class XLAOptions(NamedTuple):
    """Options of compilation for TPUs.

    >>> tf.tpu.XLAOptions().use_spmd_for_xla_partitioning
    True
    """

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True


def initialize_tpu_system(cluster_resolver: Any = None) -> None:
    """Makes the TPU ready. Where there is none it raises, as TensorFlow does.

    >>> tf.tpu.experimental.initialize_tpu_system()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to. There is no TPU on this machine.
    """
    if cluster_resolver is None:
        TPUClusterResolver()
    if not list_logical_devices("TPU"):
        raise NotFoundError(
            None, None, "There is no TPU on this machine: use tf.distribute.get_strategy() in its place."
        )


def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Ends the use of the TPU.

    >>> tf.tpu.experimental.shutdown_tpu_system()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to. There is no TPU on this machine.
    """
    initialize_tpu_system(cluster_resolver)


experimental = SimpleNamespace(initialize_tpu_system=initialize_tpu_system, shutdown_tpu_system=shutdown_tpu_system)

_watch_over(_sys.modules[__name__], "tf.tpu")
