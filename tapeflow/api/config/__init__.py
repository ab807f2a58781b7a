"""`tf.config`: devices (see `api/config/devices.py`) and settings."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from tapeflow.api.config.devices import (
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
    get_device_details,
    get_logical_device_configuration as get_logical_device_configuration,
    get_memory_growth,
    get_memory_info,
    get_soft_device_placement as get_soft_device_placement,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    reset_memory_stats,
    set_logical_device_configuration as set_logical_device_configuration,
    set_memory_growth,
    set_soft_device_placement as set_soft_device_placement,
    set_visible_devices as set_visible_devices,
)
from tapeflow.core.errors import UnimplementedError
from tapeflow.core.runtime import settings as _settings

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental", "experimental_connect_to_cluster",
    "experimental_connect_to_host", "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly", "functions_run_eagerly", "get_logical_device_configuration",
    "get_soft_device_placement", "get_visible_devices", "list_logical_devices", "list_physical_devices", "optimizer",
    "run_functions_eagerly", "set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices",
    "threading",
]  # fmt: skip


_state: dict[str, Any] = {
    "inter": 0, "intra": 0, "jit": "", "options": {"disable_model_pruning": False, "disable_meta_optimizer": False},
    "synchronous": True, "policy": "silent", "deterministic": False,
}  # fmt: skip


# ---- how functions run


def run_functions_eagerly(run_eagerly: bool) -> None:
    """With True the body of a `tf.function` runs as plain Python at every call, for debugging.

    Args:
        run_eagerly: Run as plain Python.

    >>> tf.config.run_functions_eagerly(False)
    """
    _settings.functions_run_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` was last given.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return _settings.functions_run_eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


# ---- other machines


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any, job_name: str = "localhost", task_index: int = 0, protocol: str | None = None,
    make_master_device_default: bool = True, cluster_device_filters: Any = None,
) -> None:  # fmt: skip
    """Connects to the machines of a cluster: nothing to do for one without others, and an error if there are some.

    Args:
        cluster_spec_or_resolver: A `tf.train.ClusterSpec`, or what has one.
        job_name: Which group of processes this one belongs to.
        task_index: Its number in it.
        protocol: Taken and not used.
        make_master_device_default: Taken and not used.
        cluster_device_filters: Taken and not used.

    Raises:
        UnimplementedError: If there are other machines.

    >>> tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({}))
    """
    found = cluster_spec_or_resolver
    jobs = (found.cluster_spec() if hasattr(found, "cluster_spec") else found).as_dict()
    others = [address for job, tasks in jobs.items() for address in tasks if job != job_name]
    if others:
        raise UnimplementedError(
            None, None, f"tapeflow computes on this machine, and cannot connect to {', '.join(map(str, others))}."
        )


def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Connects to one other machine, which tapeflow does not do.

    Args:
        remote_host: The name of a machine, or several.
        job_name: Taken and not used.

    Raises:
        UnimplementedError: Always.
        ValueError: If no host is given.

    >>> tf.config.experimental_connect_to_host()
    Traceback (most recent call last):
    ValueError: Must provide at least one remote_host
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    raise UnimplementedError(None, None, f"tapeflow computes on this machine, and cannot connect to {remote_host}.")


# ---- small namespaces: settings that are kept and given back


def _get_inter() -> int:
    """How many operations may run at once, as it was set. (NumPy runs one at a time.)"""
    return _state["inter"]


def _set_inter(num_threads: int) -> None:
    """How many operations may run at once: kept, and given back. (NumPy runs one at a time.)

    Args:
        num_threads: The number; 0 leaves it open.
    """
    _state["inter"] = int(num_threads)


def _get_intra() -> int:
    """How many threads one operation may use, as it was set. (NumPy's BLAS decides by its own variables.)"""
    return _state["intra"]


def _set_intra(num_threads: int) -> None:
    """How many threads one operation may use: kept, and given back. (NumPy's BLAS decides by its own variables.)

    Args:
        num_threads: The number; 0 leaves it open.
    """
    _state["intra"] = int(num_threads)


threading = SimpleNamespace(
    get_inter_op_parallelism_threads=_get_inter,
    set_inter_op_parallelism_threads=_set_inter,
    get_intra_op_parallelism_threads=_get_intra,
    set_intra_op_parallelism_threads=_set_intra,
)


def _get_jit() -> str:
    """`"autoclustering"` where `set_jit` asked for it, else an empty string."""
    return _state["jit"]


def _set_jit(enabled: bool | str) -> None:
    """Whether graphs are compiled by themselves: kept, and given back. `tf.function(jit_compile=True)` compiles.

    Args:
        enabled: A bool, or `"autoclustering"`.
    """
    _state["jit"] = "autoclustering" if enabled is True else enabled or ""


def _get_options() -> dict[str, bool]:
    """The options of the graph optimiser, as they were set."""
    return dict(_state["options"])


def _set_options(options: dict[str, bool]) -> None:
    """Options of the graph optimiser, kept and given back.

    Args:
        options: By name; others stay as they are.
    """
    _state["options"].update(options)


optimizer = SimpleNamespace(
    get_jit=_get_jit,
    set_jit=_set_jit,
    get_experimental_options=_get_options,
    set_experimental_options=_set_options,
)


def _enable_op_determinism() -> None:
    """Operations here give the same result every time anyway."""
    _state["deterministic"] = True


def _allow_rounding(enabled: bool) -> None:
    """Whether GPUs may round the factors of float32 products, which is several times faster.

    Args:
        enabled: They may.
    """
    _settings.tensor_float_32 = bool(enabled)


def _rounding_allowed() -> bool:
    """Whether GPUs may round the factors of float32 products."""
    return _settings.tensor_float_32


def _nothing() -> None:
    """Does nothing: there is no such bridge here."""


def _get_memory_usage(device: str) -> int:
    """Bytes in use on a device; `get_memory_info` by its earlier name.

    Args:
        device: Its name, such as `GPU:0`.

    Raises:
        ValueError: For the CPU, whose bytes are not counted.
    """
    return get_memory_info(device)["current"]


def _get_synchronous() -> bool:
    """Whether operations are computed in order, at once, as it was set."""
    return _state["synchronous"]


def _set_synchronous(enable: bool) -> None:
    """Whether operations are computed in order, at once: kept, and given back.

    Args:
        enable: They are.
    """
    _state["synchronous"] = bool(enable)


def _get_device_policy() -> str:
    """What happens when an operand is on another device, as it was set."""
    return _state["policy"]


_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def _set_device_policy(device_policy: str | None) -> None:
    """What happens when an operand is on another device: kept, and given back.

    Args:
        device_policy: `"silent"` (what None stands for), `"silent_for_int32"`, `"warn"` or `"explicit"`.

    Raises:
        ValueError: If it is another word.
    """
    policy = "silent" if device_policy is None else device_policy
    if policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. It is one of {', '.join(_POLICIES)}, or None."
        )
    _state["policy"] = policy


class ClusterDeviceFilters:
    """Which devices of a cluster a task may see; kept, and of no effect on one machine.

    >>> tf.config.experimental.ClusterDeviceFilters().set_device_filters("worker", 0, ["/job:ps"])
    """

    def __init__(self) -> None:
        self._filters: dict[tuple[str, int], list[str]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: Sequence[str]) -> None:
        """The devices that a task sees.

        Args:
            job_name: Which group of processes.
            task_index: The number of the process.
            device_filters: The names of the devices.
        """
        self._filters[job_name, task_index] = list(device_filters)


experimental = SimpleNamespace(
    ClusterDeviceFilters=ClusterDeviceFilters,
    disable_mlir_bridge=_nothing,
    enable_mlir_bridge=_nothing,
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    get_visible_devices=get_visible_devices,
    set_visible_devices=set_visible_devices,
    get_virtual_device_configuration=get_logical_device_configuration,
    set_virtual_device_configuration=set_logical_device_configuration,
    get_memory_growth=get_memory_growth,
    set_memory_growth=set_memory_growth,
    get_memory_info=get_memory_info,
    get_memory_usage=_get_memory_usage,
    reset_memory_stats=reset_memory_stats,
    get_device_details=get_device_details,
    enable_op_determinism=_enable_op_determinism,
    get_synchronous_execution=_get_synchronous,
    set_synchronous_execution=_set_synchronous,
    get_device_policy=_get_device_policy,
    set_device_policy=_set_device_policy,
    enable_tensor_float_32_execution=_allow_rounding,
    tensor_float_32_execution_enabled=_rounding_allowed,
)
