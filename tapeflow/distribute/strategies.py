"""The strategies by their names: all of them have one replica here."""

from typing import Any

from tapeflow.api.config.devices import list_logical_devices
from tapeflow.core.errors import NotFoundError, UnimplementedError

from .cluster_resolver import TFConfigClusterResolver, TPUClusterResolver, others_in
from .strategy import Strategy

__all__ = [
    "CentralStorageStrategy", "MirroredStrategy", "MultiWorkerMirroredStrategy", "OneDeviceStrategy",
    "ParameterServerStrategy", "Server", "TPUStrategy",
]  # fmt: skip


class MirroredStrategy(Strategy):
    """The same variables on several devices. Here there is one device, so one replica; naming more raises ValueError.

    Args:
        devices: The name of one device, or a list of it; None: the default.

    Raises:
        ValueError: If more than one device is named.

    >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    >>> with strategy.scope():
    ...     v = tf.Variable(3.)
    >>> def step():
    ...     with tf.GradientTape() as tape:
    ...         loss = v * v
    ...     return tape.gradient(loss, v)
    >>> strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step), axis=None).numpy()
    np.float32(6.0)
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        devices = [devices] if isinstance(devices, str) else devices
        if devices is not None and len(devices) > 1:
            raise ValueError(
                f"tapeflow's strategies compute on one device; {list(devices)} names {len(devices)}. Give one, or "
                "none for the default."
            )


class OneDeviceStrategy(Strategy):
    """Everything on one device.

    Args:
        device: The name of the device, for `extended.worker_devices`; operations run where they would without it.

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        self._device = device


class MultiWorkerMirroredStrategy(Strategy):
    """The same variables on several machines; here on this one. A cluster of more than one machine raises
    UnimplementedError.

    Raises:
        UnimplementedError: If the cluster has more than one task.

    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        self._resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        others = others_in(self._resolver.cluster_spec())
        if others:
            raise UnimplementedError(
                None,
                None,
                f"tapeflow's strategies compute on one machine, and the cluster (TF_CONFIG) has {others} tasks. "
                "Start one.",
            )


class CentralStorageStrategy(Strategy):
    """Variables on one device, and computation on others; here all on one.

    >>> tf.distribute.experimental.CentralStorageStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        self._parameter_device = parameter_device


class TPUStrategy(Strategy):
    """A TPU of this machine, as one replica. Where there is none it raises, as TensorFlow does.

    Raises:
        ValueError: If there is no TPU.
        NotFoundError: If the resolver knows one, and this machine has none.

    >>> tf.distribute.TPUStrategy()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to. There is no TPU on this machine.
    """

    def __init__(
        self, tpu_cluster_resolver: Any = None, experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False
    ) -> None:  # fmt: skip
        self._resolver = TPUClusterResolver() if tpu_cluster_resolver is None else tpu_cluster_resolver
        found = list_logical_devices("TPU")
        if not found:
            raise NotFoundError(
                None, None, "There is no TPU on this machine: use tf.distribute.get_strategy() in its place."
            )
        self._device = found[0].name

    def experimental_assign_to_logical_device(self, tensor: Any, logical_device_id: int) -> Any:
        """The tensor: there is one device.

        Returns:
            The tensor.
        """
        return tensor

    def experimental_split_to_logical_devices(self, tensor: Any, partition_dimensions: Any) -> Any:
        """The tensor: there is one device.

        Returns:
            The tensor.
        """
        return tensor

    def experimental_replicate_to_logical_devices(self, tensor: Any) -> Any:
        """The tensor: there is one device.

        Returns:
            The tensor.
        """
        return tensor


class ParameterServerStrategy(Strategy):
    """Variables on servers for them, which tapeflow does not have.

    >>> tf.distribute.ParameterServerStrategy(None)                     # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.core.errors.UnimplementedError: tapeflow has no parameter servers...
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        raise UnimplementedError(
            None,
            None,
            "tapeflow has no parameter servers: use tf.distribute.get_strategy() or MirroredStrategy, on one machine.",
        )


class Server:
    """A TensorFlow server for other machines, which tapeflow does not have.

    >>> tf.distribute.Server({"worker": ["localhost:2222"]})           # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.core.errors.UnimplementedError: tapeflow has no servers...
    """

    def __init__(self, server_or_cluster_def: Any, *args: Any, **kwargs: Any) -> None:
        raise UnimplementedError(None, None, "tapeflow has no servers for other machines: it computes on this one.")
