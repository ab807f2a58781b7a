"""`tf.distribute.experimental`."""

from typing import Any

from .options import (
    CollectiveHints as CollectiveHints,
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
)
from .replicas import (
    ValueContext as ValueContext,
)
from .strategies import (
    CentralStorageStrategy as CentralStorageStrategy,
    MultiWorkerMirroredStrategy as _MultiWorker,
    ParameterServerStrategy as ParameterServerStrategy,
    TPUStrategy as _TPU,
)

__all__ = [
    "CentralStorageStrategy", "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation",
    "CommunicationOptions", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy", "ValueContext",
]  # fmt: skip

CollectiveCommunication = CommunicationImplementation


class MultiWorkerMirroredStrategy(_MultiWorker):
    """`tf.distribute.MultiWorkerMirroredStrategy` with its older arguments.

    >>> tf.distribute.experimental.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None) -> None:
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))


class TPUStrategy(_TPU):
    """`tf.distribute.TPUStrategy` with its older arguments.

    >>> tf.distribute.experimental.TPUStrategy()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to. There is no TPU on this machine.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)
