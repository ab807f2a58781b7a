"""The strategies by their names."""

from typing import Any

from tapeflow.api.config.devices import device_named, list_logical_devices
from tapeflow.core.devices import Device
from tapeflow.core.errors import NotFoundError, UnimplementedError

from .cluster_resolver import TFConfigClusterResolver, TPUClusterResolver, others_in
from .options import CrossDeviceOps
from .strategy import Strategy

__all__ = [
    "CentralStorageStrategy", "MirroredStrategy", "MultiWorkerMirroredStrategy", "OneDeviceStrategy",
    "ParameterServerStrategy", "Server", "TPUStrategy",
]  # fmt: skip


class MirroredStrategy(Strategy):
    """The same variables on several devices, each of which computes a part of every batch: a replica.

    Replicas run in parallel, as a program of XLA, when the call of `run` is in a `tf.function`; else they take turns.

    Args:
        devices: The names of devices; None, or none of them: all GPUs, or where there are none, all logical CPUs.
        cross_device_ops: A `tf.distribute.CrossDeviceOps`; kept, and without effect: XLA chooses how devices exchange
            values.

    Raises:
        ValueError: If one of the devices does not exist.

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

    _mirrors = True

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise ValueError(
                "`cross_device_ops` must be an instance of tf.distribute.CrossDeviceOps, such as "
                f"tf.distribute.ReductionToOneDevice(); got {cross_device_ops!r}."
            )
        if not devices:
            devices = [d.name for d in list_logical_devices("GPU") or list_logical_devices("CPU")]
        found = [named_device(name) for name in devices]
        assert len(set(found)) == len(found), (
            f"No duplicates allowed in `devices` argument: {tuple([d.name for d in found])}"
        )
        self.device_names = tuple([d.name for d in found])
        self.places = tuple(found) if len(found) > 1 else (None,)


def named_device(name: Any) -> Device:
    """The device of a name.

    Raises:
        ValueError: If there is none.
    """
    found = device_named(getattr(name, "name", name))
    there = [d.name for d in list_logical_devices(found.kind)]
    if found.short not in there:
        more = ""
        if found.kind == "CPU":
            more = (
                " More CPUs: tf.config.set_logical_device_configuration(tf.config.list_physical_devices('CPU')[0], "
                "[tf.config.LogicalDeviceConfiguration()] * 4), before anything is computed on devices."
            )
        raise ValueError(f"There is no device {name!r}; those of its kind are {there}.{more}")
    return found


class OneDeviceStrategy(Strategy):
    """Everything on one device.

    Args:
        device: The name of the device, for `extended.worker_devices`; operations run where they would without it.

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        self.device_names = (device_named(device).name,)


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


class CentralStorageStrategy(MirroredStrategy):
    """Variables on one device, and computation on others. A variable has one value here, so it is a MirroredStrategy.

    Args:
        compute_devices: The names of devices that compute; None: all GPUs, or all logical CPUs.
        parameter_device: The name of the one that has the variables, for `extended.parameter_devices`.

    >>> tf.distribute.experimental.CentralStorageStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        super().__init__(compute_devices)
        if parameter_device is not None:
            self._parameter_devices = (parameter_device,)


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
        self.device_names = (found[0].name,)

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
