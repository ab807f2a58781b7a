"""The strategies by their names."""

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.config.devices import device_named, list_logical_devices
from tapeflow.core.devices import Device, Processors
from tapeflow.core.errors import NotFoundError, UnimplementedError
from tapeflow.core.variables.variable import Variable

from . import workers
from .cluster_resolver import TFConfigClusterResolver, TPUClusterResolver, others_in
from .options import CrossDeviceOps
from .strategy import Strategy
from .values import OfReplica
from .variables import MirroredVariable, SyncOnReadVariable

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
    """The same variables in several processes, on one machine or many. Each is a worker with a replica on each of its
    GPUs, or where there are none, on each of its logical CPUs.

    The cluster is what TF_CONFIG says, or, without it, the launcher: `tapeflow launch`, Slurm, Open MPI, an indexed
    job of Kubernetes. The strategy is made before anything is computed on devices; alone, it is one replica.

    Args:
        cluster_resolver: What knows the other workers; None: the environment.
        communication_options: Kept, and without effect: XLA chooses how workers exchange values.

    Raises:
        RuntimeError: If XLA is in use already.
        UnavailableError: If the other workers do not come.
        ValueError: If workers have different numbers of devices.

    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    _mirrors = True

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        self._resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        kind, number = self._resolver.task_type, self._resolver.task_id
        cluster, count = self._resolver.cluster_spec().as_dict(), 1
        if others_in(self._resolver.cluster_spec()) or cluster_resolver is None and _is_launched():
            processes = workers.processes()
            processes.start(processes.of_cluster(cluster, kind, number or 0) if cluster else None)
            count = processes.count()
        own = _devices_of_a_worker(count) if cluster or count > 1 else [Device("CPU", 0)]
        self.places = tuple(own) if len(own) > 1 else (None,)
        if count > 1:
            self.places = workers.Everywhere(self.places, count, processes.number())
            assert self.places.mesh  # ValueError if others have another number of devices
        place = f"/job:{kind}/replica:0/task:{number or 0}" if kind else "/job:localhost/replica:0/task:0"
        self.device_names = tuple([place + device.short for device in own])

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas compute together."""
        return self.places.count if isinstance(self.places, workers.Everywhere) else len(self.places)

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of the replicas of this worker."""
        return self.places.numbers if isinstance(self.places, workers.Everywhere) else range(len(self.places))

    def of_all(self, value: Any) -> Any:
        """A value of replicas, with those of other workers.

        Args:
            value: What `run` gave.

        Returns:
            The value; of several workers, one with the values of all.
        """
        if not isinstance(self.places, workers.Everywhere) or isinstance(value, (OfReplica, SyncOnReadVariable)):
            return value
        return workers.value_of_all(value, self.places)

    def values_of_all(self, parts: Sequence[Variable], read: Callable[[Variable], Any] = Variable.peek) -> list[Any]:
        """The values of a variable of which each replica has one.

        Args:
            parts: The variable of each replica here.
            read: How one is read.

        Returns:
            A list of them, one for each replica of all workers.
        """
        own = super().values_of_all(parts, read)
        return self.places.tensors_of_all(own) if isinstance(self.places, workers.Everywhere) else own

    def as_first_made(self, variable: Any) -> Any:
        """A new variable, with the value that it has in the first worker.

        Args:
            variable: The variable.

        Returns:
            The variable.
        """
        if isinstance(self.places, workers.Everywhere) and isinstance(variable, MirroredVariable):
            workers.settled(variable)
        return variable


def _devices_of_a_worker(count: int) -> list[Device]:
    """The GPUs of this process, one of `count`; without one, its CPUs: those that the program has divided its CPU
    into, or the launcher."""
    said = re.search(r"host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    if said is not None and Processors.count == 1:
        Processors.count = int(said[1])
    kind = "GPU" if (count > 1 or said is not None) and list_logical_devices("GPU") else "CPU"
    return [device_named(d.name) for d in list_logical_devices(kind)]


def _is_launched() -> bool:
    """Without TF_CONFIG: by another launcher, which says so?"""
    return any(map(os.environ.get, ("TAPEFLOW_WORKERS", "SLURM_PROCID", "OMPI_COMM_WORLD_SIZE")))


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
    tapeflow.errors.UnimplementedError: tapeflow has no parameter servers...
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
    tapeflow.errors.UnimplementedError: tapeflow has no servers...
    """

    def __init__(self, server_or_cluster_def: Any, *args: Any, **kwargs: Any) -> None:
        raise UnimplementedError(None, None, "tapeflow has no servers for other machines: it computes on this one.")
