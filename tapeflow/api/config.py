"""`tf.config`: devices and settings. There is one device, the CPU that NumPy computes on."""

from types import SimpleNamespace
from typing import Any, NamedTuple

from tapeflow.function.polymorphic import Switches

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental", "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly", "functions_run_eagerly", "get_logical_device_configuration", "get_soft_device_placement",
    "get_visible_devices", "list_logical_devices", "list_physical_devices", "optimizer", "run_functions_eagerly",
    "set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices", "threading",
]  # fmt: skip


class PhysicalDevice(NamedTuple):
    """A device of the machine.

    >>> tf.config.list_physical_devices()[0].device_type
    'CPU'
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as operations name it.

    >>> tf.config.list_logical_devices()[0].name
    '/device:CPU:0'
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """How a physical device is divided.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_state: dict[str, Any] = {
    "visible": [_CPU], "soft": True, "eager": False, "inter": 0, "intra": 0, "jit": "", "options": {}, "logical": {},
    "synchronous": True, "policy": "silent", "tf32": True, "deterministic": False,
}  # fmt: skip


def _of_type(devices: list, device_type: str | None) -> list:
    return [d for d in devices if device_type is None or d.device_type == device_type]


# ---- devices


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine that can be used, of one type if it is given.

    >>> tf.config.list_physical_devices("GPU")
    []
    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return _of_type([_CPU], device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that operations can run on, of one type if it is given.

    >>> tf.config.list_logical_devices()
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    return _of_type([LogicalDevice("/device:CPU:0", "CPU")], device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that the program may use.

    >>> len(tf.config.get_visible_devices("CPU"))
    1
    """
    return _of_type(_state["visible"], device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Says which devices (of a type) the program may use; the CPU stays in use whatever is said.

    >>> tf.config.set_visible_devices([], "GPU")
    """
    devices = list(devices) if isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice) else [devices]
    for device in devices:
        _known(device)
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"{device!r} is not of type {device_type!r}.")
    others = [d for d in _state["visible"] if device_type is not None and d.device_type != device_type]
    _state["visible"] = others + devices


def _known(device: Any) -> PhysicalDevice:
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}. The devices are {list_physical_devices()}.")
    return device


def get_logical_device_configuration(device: PhysicalDevice) -> list | None:
    """How a device is divided, or None.

    >>> tf.config.get_logical_device_configuration(tf.config.list_physical_devices("CPU")[0])
    """
    return _state["logical"].get(_known(device))


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: list | None) -> None:
    """Divides a device into logical ones. The CPU stays one device; the configuration is kept and given back.

    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    """
    for part in logical_devices or ():
        if part.memory_limit is not None:
            raise ValueError("Setting memory limit on CPU virtual devices is currently not supported.")
    _state["logical"][_known(device)] = logical_devices


def set_soft_device_placement(enabled: bool) -> None:
    """Whether naming a device that is not there means the CPU (the default) or is an error.

    >>> tf.config.set_soft_device_placement(True)
    """
    _state["soft"] = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether naming a device that is not there means the CPU.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return _state["soft"]


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


def _set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Only for accelerators: the CPU takes memory as it needs it."""
    _known(device)
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


def _get_memory_growth(device: PhysicalDevice) -> bool:
    """Only for accelerators: the CPU takes memory as it needs it."""
    _known(device)
    raise ValueError("Only accelerators have memory growth; the CPU takes memory as it needs it.")


def _get_memory_info(device: str) -> dict[str, int]:
    """Bytes in use and at most in use; not counted for the CPU."""
    if not str(device).upper().endswith(("CPU:0", "CPU")):
        raise ValueError(f"No matching devices found for {device!r}; there is 'CPU:0'.")
    return {"current": 0, "peak": 0}


def _get_device_details(device: PhysicalDevice) -> dict:
    """Nothing more is known of the CPU."""
    _known(device)
    return {}


def _enable_op_determinism() -> None:
    """Operations here give the same result every time anyway."""
    _state["deterministic"] = True


experimental = SimpleNamespace(
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    get_visible_devices=get_visible_devices,
    set_visible_devices=set_visible_devices,
    get_virtual_device_configuration=get_logical_device_configuration,
    set_virtual_device_configuration=set_logical_device_configuration,
    get_memory_growth=_get_memory_growth,
    set_memory_growth=_set_memory_growth,
    get_memory_info=_get_memory_info,
    get_memory_usage=lambda device: _get_memory_info(device)["current"],
    reset_memory_stats=lambda device: _get_memory_info(device) and None,
    get_device_details=_get_device_details,
    enable_op_determinism=_enable_op_determinism,
    get_synchronous_execution=_setting("synchronous", bool, "Whether operations are computed in order, at once.")[0],
    set_synchronous_execution=_setting("synchronous", bool, "Whether operations are computed in order, at once.")[1],
    get_device_policy=_setting("policy", str, "What happens when an operand is on another device.")[0],
    set_device_policy=_setting("policy", str, "What happens when an operand is on another device.")[1],
    enable_tensor_float_32_execution=_setting("tf32", bool, "Whether GPUs may round float32 products.")[1],
    tensor_float_32_execution_enabled=_setting("tf32", bool, "Whether GPUs may round float32 products.")[0],
)
