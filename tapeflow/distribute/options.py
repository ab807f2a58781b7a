"""What programs choose for several devices: kept; XLA decides how they exchange values."""

import enum
from typing import Any, NamedTuple

from .combining import reduced
from .replicas import reduce_op
from .values import PerReplica

__all__ = [
    "CollectiveHints", "CommunicationImplementation", "CommunicationOptions", "CrossDeviceOps",
    "HierarchicalCopyAllReduce", "InputOptions", "InputReplicationMode", "NcclAllReduce", "ReductionToOneDevice",
    "RunOptions",
]  # fmt: skip


class CrossDeviceOps:
    """How values go from device to device: XLA decides, whichever of them is chosen.

    >>> tf.distribute.CrossDeviceOps().reduce("SUM", tf.constant(2.), None).numpy()
    np.float32(2.0)
    """

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None) -> Any:
        """The values of all replicas combined.

        Returns:
            The value.

        Raises:
            ValueError: If there is no such `reduce_op`.
        """
        op = _check(reduce_op)
        if not isinstance(per_replica_value, PerReplica):
            return per_replica_value
        return reduced(op, per_replica_value.values)

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The same for several values.

        Returns:
            The values.
        """
        return [self.reduce(reduce_op, value, where) for value, where in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """The tensor on every device.

        Returns:
            The tensor.
        """
        return tensor


_check = reduce_op


class _Packed(CrossDeviceOps):
    _name = ""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"{self._name} requires num_packs >= 0, but {num_packs} is specified")
        self._num_packs = num_packs


class NcclAllReduce(_Packed):
    """Sums by NVIDIA's library, between its GPUs.

    >>> tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.NcclAllReduce()).num_replicas_in_sync
    1
    """

    _name = "NCCL all-reduce"


class HierarchicalCopyAllReduce(_Packed):
    """Sums by copies along a tree of devices.

    >>> tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()).num_replicas_in_sync
    1
    """

    _name = "HierarchicalCopy"


class ReductionToOneDevice(CrossDeviceOps):
    """Sums on one device, and copies from there.

    >>> tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.ReductionToOneDevice()).num_replicas_in_sync
    1
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn


class RunOptions(NamedTuple):
    """Options of `strategy.run`.

    >>> tf.distribute.RunOptions().experimental_enable_dynamic_batch_size
    True
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class InputReplicationMode(enum.Enum):
    """Whether there is a pipeline of input for each worker or each replica.

    >>> [mode.name for mode in tf.distribute.InputReplicationMode]
    ['PER_WORKER', 'PER_REPLICA']
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """Options of distributed datasets.

    >>> tf.distribute.InputOptions().experimental_per_replica_buffer_size
    1
    """

    experimental_fetch_to_device: bool = True
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class CommunicationImplementation(enum.Enum):
    """How workers talk to each other.

    >>> [how.name for how in tf.distribute.experimental.CommunicationImplementation]
    ['AUTO', 'RING', 'NCCL']
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class _CommunicationOptions(NamedTuple):
    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO


class CommunicationOptions(_CommunicationOptions):
    """Options of what workers say to each other.

    Args:
        bytes_per_pack: Kept, and without effect, as all of them: XLA chooses.
        timeout_seconds: Kept, and without effect.
        implementation: Kept, and without effect.

    Raises:
        ValueError: If `bytes_per_pack` is negative.

    >>> tf.distribute.experimental.CommunicationOptions().implementation
    <CommunicationImplementation.AUTO: 'AUTO'>
    """

    __slots__ = ()

    def __new__(
        cls,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> "CommunicationOptions":
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        return super().__new__(cls, bytes_per_pack, timeout_seconds, implementation)


class CollectiveHints(NamedTuple):
    """The older form of CommunicationOptions.

    >>> tf.distribute.experimental.CollectiveHints().bytes_per_pack
    0
    """

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
