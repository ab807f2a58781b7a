"""`tf.config`: devices (see `api/config/devices.py`) and settings."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from tapeflow.core.devices import Rounding
from tapeflow.core.errors import UnimplementedError
from tapeflow.function.tracing.polymorphic import Switches

from .devices import (
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

    >>> tf.config.run_functions_eagerly(False)
    """
    Switches.eager = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` was last given.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return Switches.eager


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


# ---- other machines


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any, job_name: str = "localhost", task_index: int = 0, protocol: str | None = None,
    make_master_device_default: bool = True, cluster_device_filters: Any = None,
) -> None:  # fmt: skip
    """Connects to the machines of a cluster: nothing to do for one without others, and an error if there are some.

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

    >>> tf.config.experimental_connect_to_host()
    Traceback (most recent call last):
    ValueError: Must provide at least one remote_host
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    raise UnimplementedError(None, None, f"tapeflow computes on this machine, and cannot connect to {remote_host}.")


# ---- small namespaces: settings that are kept and given back


def _setting(key: str, kind: Any, doc: str) -> tuple:
    def get() -> Any:
        return _state[key]

    def put(value: Any) -> None:
        _state[key] = kind(value)

    get.__doc__, put.__doc__ = f"{doc} Returns what was set.", doc
    return get, put


_get_inter, _set_inter = _setting("inter", int, "How many operations may run at once. (NumPy runs one at a time.)")
_get_intra, _set_intra = _setting(
    "intra", int, "How many threads one operation may use. (NumPy's BLAS decides by its own variables.)"
)
threading = SimpleNamespace(
    get_inter_op_parallelism_threads=_get_inter,
    set_inter_op_parallelism_threads=lambda num_threads: _set_inter(num_threads),
    get_intra_op_parallelism_threads=_get_intra,
    set_intra_op_parallelism_threads=lambda num_threads: _set_intra(num_threads),
)


def _set_jit(enabled: bool | str) -> None:
    """Whether graphs are compiled by themselves."""
    _state["jit"] = "autoclustering" if enabled is True else enabled or ""


def _set_options(options: dict) -> None:
    """Options of the graph optimiser, kept and given back."""
    _state["options"].update(options)


optimizer = SimpleNamespace(
    get_jit=lambda: _state["jit"],
    set_jit=_set_jit,
    get_experimental_options=lambda: dict(_state["options"]),
    set_experimental_options=_set_options,
)


def _enable_op_determinism() -> None:
    """Operations here give the same result every time anyway."""
    _state["deterministic"] = True


def _allow_rounding(enabled: bool) -> None:
    """Whether GPUs may round the factors of float32 products, which is several times faster."""
    Rounding.allowed = bool(enabled)


_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def _set_device_policy(device_policy: str | None) -> None:
    """What happens when an operand is on another device; None is the default, "silent"."""
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
        """The devices that a task sees."""
        self._filters[job_name, task_index] = list(device_filters)


experimental = SimpleNamespace(
    ClusterDeviceFilters=ClusterDeviceFilters,
    disable_mlir_bridge=lambda: None,
    enable_mlir_bridge=lambda: None,
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
    get_memory_usage=lambda device: get_memory_info(device)["current"],
    reset_memory_stats=reset_memory_stats,
    get_device_details=get_device_details,
    enable_op_determinism=_enable_op_determinism,
    get_synchronous_execution=_setting("synchronous", bool, "Whether operations are computed in order, at once.")[0],
    set_synchronous_execution=_setting("synchronous", bool, "Whether operations are computed in order, at once.")[1],
    get_device_policy=_setting("policy", str, "What happens when an operand is on another device.")[0],
    set_device_policy=_set_device_policy,
    enable_tensor_float_32_execution=_allow_rounding,
    tensor_float_32_execution_enabled=lambda: Rounding.allowed,
)
