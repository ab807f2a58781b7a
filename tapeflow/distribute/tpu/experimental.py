"""`tf.tpu.experimental`: starting a TPU, and letting go of it."""

from typing import Any

from tapeflow.api.config.devices import list_logical_devices
from tapeflow.core.errors import NotFoundError
from tapeflow.distribute.cluster_resolver import TPUClusterResolver

__all__ = ["initialize_tpu_system", "shutdown_tpu_system"]


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
