"""`tf.config.experimental`: devices under their older names, what memory they use, and settings."""

from collections.abc import Sequence

from tapeflow.api.config.devices import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration,
    get_device_details as get_device_details,
    get_logical_device_configuration as get_virtual_device_configuration,
    get_memory_growth as get_memory_growth,
    get_memory_info as get_memory_info,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    reset_memory_stats as reset_memory_stats,
    set_logical_device_configuration as set_virtual_device_configuration,
    set_memory_growth as set_memory_growth,
    set_visible_devices as set_visible_devices,
)
from tapeflow.api.config.kept import state
from tapeflow.core.runtime import settings as _settings

__all__ = [
    "ClusterDeviceFilters", "VirtualDeviceConfiguration", "disable_mlir_bridge", "enable_mlir_bridge",
    "enable_op_determinism", "enable_tensor_float_32_execution", "get_device_details", "get_device_policy",
    "get_memory_growth", "get_memory_info", "get_memory_usage", "get_synchronous_execution",
    "get_virtual_device_configuration", "get_visible_devices", "list_logical_devices", "list_physical_devices",
    "reset_memory_stats", "set_device_policy", "set_memory_growth", "set_synchronous_execution",
    "set_virtual_device_configuration", "set_visible_devices", "tensor_float_32_execution_enabled",
]  # fmt: skip


def enable_op_determinism() -> None:
    """Operations here give the same result every time anyway.

    >>> tf.config.experimental.enable_op_determinism()  # doctest: +SKIP
    """
    state["deterministic"] = True


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Whether GPUs may round the factors of float32 products, which is several times faster.

    Args:
        enabled: They may.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    _settings.tensor_float_32 = bool(enabled)


def tensor_float_32_execution_enabled() -> bool:
    """Whether GPUs may round the factors of float32 products.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return _settings.tensor_float_32


def disable_mlir_bridge() -> None:
    """Does nothing: there is no such bridge here.

    >>> tf.config.experimental.disable_mlir_bridge()
    """


def enable_mlir_bridge() -> None:
    """Does nothing: there is no such bridge here.

    >>> tf.config.experimental.enable_mlir_bridge()
    """


def get_memory_usage(device: str) -> int:
    """Bytes in use on a device; 0 for the CPU, whose bytes are not counted. `get_memory_info` by its earlier name.

    Args:
        device: Its name, such as `GPU:0`.

    Raises:
        ValueError: If there is no such device.

    >>> tf.config.experimental.get_memory_usage("CPU:0")
    0
    """
    return get_memory_info(device)["current"]


def get_synchronous_execution() -> bool:
    """Whether operations are computed in order, at once, as it was set.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return state["synchronous"]


def set_synchronous_execution(enable: bool) -> None:
    """Whether operations are computed in order, at once: kept, and given back.

    Args:
        enable: They are.

    >>> tf.config.experimental.set_synchronous_execution(True)
    """
    state["synchronous"] = bool(enable)


def get_device_policy() -> str:
    """What happens when an operand is on another device, as it was set.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return state["policy"]


_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def set_device_policy(device_policy: str | None) -> None:
    """What happens when an operand is on another device: kept, and given back.

    Args:
        device_policy: `"silent"` (what None stands for), `"silent_for_int32"`, `"warn"` or `"explicit"`.

    Raises:
        ValueError: If it is another word.

    >>> tf.config.experimental.set_device_policy("warn")
    >>> tf.config.experimental.get_device_policy()
    'warn'
    >>> tf.config.experimental.set_device_policy(None)
    """
    policy = "silent" if device_policy is None else device_policy
    if policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. It is one of {', '.join(_POLICIES)}, or None."
        )
    state["policy"] = policy


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
