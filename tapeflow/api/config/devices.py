"""Devices: `tf.device`, and the part of `tf.config` that is about them.

The CPU is NumPy's. Accelerators are those that `jax` has, when it is installed; asking for them imports it.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tapeflow.core.devices import HOST, Device, Processors, moved
from tapeflow.core.errors import invalid
from tapeflow.core.frames import current, enter
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.names.extras import install


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

    Args:
        memory_limit: Megabytes; kept, and without effect.
        experimental_priority: Kept, and without effect.
        experimental_device_ordinal: Kept, and without effect.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_state: dict[str, Any] = {"soft": True, "cpu": [_CPU], "growth": {}, "logical": {}}


def _engine() -> Any:
    """The engine of the accelerators; None where it is not installed."""
    try:
        return loaded("tapeflow.engines.xla.devices")
    except ImportError:  # none, or one that does not work
        return None


def _devices(device_type: str | None, which: str) -> list[Device]:
    """The accelerators: "physical" or "logical" ones. XLA's own CPU is there for those who ask for it."""
    engine = None if device_type == "CPU" else _engine()
    kinds = {device_type} if device_type is not None else {"GPU", "TPU"}
    return [] if engine is None else [d for d in getattr(engine, which)() if d.kind in kinds]


def _cpus() -> list[Device]:
    """Those that programs can name: NumPy's, in as many parts as it was divided into."""
    return [Device("CPU", k) for k in range(Processors.count)]


# ---- which there are


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine that can be used, of one type if it is given.

    Args:
        device_type: `CPU` or `GPU`; None: all.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    host = [_CPU] if device_type in (None, "CPU") else []
    return host + [_physical(d) for d in _devices(device_type, "physical")]


def _physical(device: Device) -> PhysicalDevice:
    return PhysicalDevice(f"/physical_device:{device.kind}:{device.number}", device.kind)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that operations can run on, of one type if it is given.

    Args:
        device_type: `CPU` or `GPU`; None: all.

    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    host = _cpus() if device_type in (None, "CPU") else []
    return [LogicalDevice(d.short, d.kind) for d in host + _devices(device_type, "logical")]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that the program may use.

    Args:
        device_type: `CPU` or `GPU`; None: all.

    >>> len(tf.config.get_visible_devices("CPU"))
    1
    """
    engine = None if device_type == "CPU" else _engine()
    seen = None if engine is None else engine.Visible.devices
    host = _state["cpu"] if device_type in (None, "CPU") else []
    return host + [_physical(d) for d in _devices(device_type, "physical") if seen is None or d in seen]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Says which devices (of a type) the program may use, before it puts anything on one; NumPy's CPU stays in use
    whatever is said.

    Args:
        devices: A device of `tf.config.list_physical_devices()`, or a list of them.
        device_type: `CPU` or `GPU`: only what is said of these changes; None: of all.

    >>> tf.config.set_visible_devices([], "GPU")
    """
    devices = (
        list(devices) if isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice) else [devices]
    )
    for device in devices:
        _known(device)
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"{device!r} is not of type {device_type!r}.")
    if device_type is not None:
        devices = [d for d in get_visible_devices() if d.device_type != device_type] + devices
    _state["cpu"] = [d for d in devices if d == _CPU]
    if (engine := _engine()) is not None:
        engine.show([_as_device(d) for d in devices if d != _CPU])


def _known(device: Any) -> PhysicalDevice:
    # Only those of its type are looked for: what accelerators there are, nobody asks who divides the CPU.
    if device not in list_physical_devices(getattr(device, "device_type", None)):
        raise ValueError(f"Unrecognized device: {device!r}. The devices are {list_physical_devices()}.")
    return device


def _as_device(device: PhysicalDevice) -> Device:
    return Device(device.device_type, int(device.name.rpartition(":")[2]))


def get_logical_device_configuration(device: PhysicalDevice) -> list[Any] | None:
    """How a device is divided, or None.

    Args:
        device: One of `tf.config.list_physical_devices()`.

    Returns:
        A list of `tf.config.LogicalDeviceConfiguration`s, or None.

    >>> tf.config.get_logical_device_configuration(tf.config.list_physical_devices("CPU")[0])
    """
    return _state["logical"].get(_known(device))


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: list[Any] | None) -> None:
    """Divides the CPU into several devices, of which a strategy can make replicas. All of them have the same cores and
    memory: they are for trying and testing. A GPU stays one device.

    Args:
        device: One of `tf.config.list_physical_devices()`.
        logical_devices: A list with a `tf.config.LogicalDeviceConfiguration` for each part; None: one part.

    Raises:
        ValueError: For several parts of what is no CPU, and for a memory limit of one.
        RuntimeError: When XLA has computed already: its devices do not change any more.

    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    >>> tf.config.set_logical_device_configuration(cpu, None)
    """
    parts = list(logical_devices or ())
    if _known(device) != _CPU and len(parts) > 1:
        raise ValueError(
            f"{device.name} cannot be divided into {len(parts)} logical devices: only the CPU can. Its memory is "
            "limited by the settings of jax."
        )
    if device == _CPU:
        if any(part.memory_limit is not None for part in parts):
            raise ValueError("Setting memory limit on CPU virtual devices is currently not supported.")
        divide(max(len(parts), 1))
    _state["logical"][device] = logical_devices


def divide(count: int) -> None:
    """From now on there are `count` CPUs, for XLA, too, as soon as it begins."""
    if count != Processors.count and "jax" in sys.modules:
        loaded("tapeflow.engines.xla.processors").divide(count)
    Processors.count = count


# ---- what they are like (`tf.config.experimental`)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Accepted for accelerators. How jax takes memory is decided before it starts:
    XLA_PYTHON_CLIENT_PREALLOCATE=false.

    Args:
        device: One of `tf.config.list_physical_devices("GPU")`.
        enable: Memory is taken as it is needed.

    Raises:
        ValueError: If it is no accelerator.

    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    if _known(device) == _CPU:
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    _state["growth"][device] = bool(enable)


def get_memory_growth(device: PhysicalDevice) -> bool:
    """What `set_memory_growth` was given; only accelerators have it.

    Args:
        device: One of `tf.config.list_physical_devices()`.

    >>> [cpu] = tf.config.list_physical_devices("CPU")
    >>> tf.config.experimental.get_memory_growth(cpu)
    Traceback (most recent call last):
    ValueError: Only accelerators have memory growth; the CPU takes memory as it needs it.
    """
    if _known(device) == _CPU:
        raise ValueError("Only accelerators have memory growth; the CPU takes memory as it needs it.")
    return _state["growth"].get(device, False)


def get_memory_info(device: str) -> dict[str, int]:
    """Bytes in use and at most in use; not counted for the CPU.

    >>> sorted(tf.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']
    """
    found = _parsed(device) if isinstance(device, str) else None
    if found in _cpus():
        return {"current": 0, "peak": 0}
    if found is None or found not in _devices(found.kind, "logical"):
        raise ValueError(
            f"No matching devices found for {device!r}; there are {[d.name for d in list_logical_devices()]}."
        )
    stats = _engine().logical()[found].memory_stats() or {}
    return {"current": stats.get("bytes_in_use", 0), "peak": stats.get("peak_bytes_in_use", 0)}


def reset_memory_stats(device: str) -> None:
    """Accepted; the peak is that of the whole program.

    >>> tf.config.experimental.reset_memory_stats("CPU:0")
    """
    get_memory_info(device)


def get_device_details(device: PhysicalDevice) -> dict[Any, Any]:
    """The name and compute capability of a GPU; nothing more is known of the CPU.

    Args:
        device: One of `tf.config.list_physical_devices()`.

    Returns:
        A dict with `device_name` and, of a GPU, `compute_capability`; empty for the CPU.

    >>> [cpu] = tf.config.list_physical_devices("CPU")
    >>> tf.config.experimental.get_device_details(cpu)
    {}
    """
    if _known(device) == _CPU:
        return {}
    of_jax = _engine().physical()[_as_device(device)]
    details: dict[str, Any] = {"device_name": of_jax.device_kind}
    if hasattr(of_jax, "compute_capability"):
        details["compute_capability"] = tuple(map(int, str(of_jax.compute_capability).split(".")))
    return details


# ---- placing


def set_soft_device_placement(enabled: bool) -> None:
    """Whether naming a device that is not there means another one (the default), the CPU in the end, or is an error.

    Args:
        enabled: It means another one; otherwise it is an error.

    >>> tf.config.set_soft_device_placement(True)
    """
    _state["soft"] = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether naming a device that is not there means another one.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return _state["soft"]


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A context whose operations run, and whose constants and variables are made, on the named device.

    "/CPU:0" is NumPy; "/GPU:0" needs `jax` with a GPU. As with TensorFlow's soft placement, a device that is not there
    means the CPU; after `tf.config.set_soft_device_placement(False)` it raises InvalidArgumentError. Values stay where
    they were made, and what is computed from them is computed there. "/device:XLA_CPU:0" is the CPU as jax has it, for
    trying without a GPU.

    Args:
        device_name: A name such as `/GPU:0`, or a function that returns one; None: the place from before.

    Raises:
        InvalidArgumentError: Without soft placement, if there is no such device.

    >>> with tf.device("/CPU:0"):
    ...     tf.zeros([2]).device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    outside = current()
    inside = outside.on(None if device_name is None else _named(device_name, outside.device))

    def leave() -> None:
        now = current()  # a tape may have been opened inside, and still be open
        enter(outside if now is inside else now.on(outside.device))

    try:
        enter(inside)
        yield
    finally:
        try:
            leave()
        except BaseException:  # Ctrl-C, perhaps before it was left
            leave()
            raise


_NAME = re.compile(
    r"(/job:\w+)?(/replica:\d+)?(/task:\d+)?(/?(device:|physical_device:)?(?P<kind>[A-Za-z_]+)(:(?P<index>\d+|\*))?)?$"
)
_KINDS = {"CPU", "GPU", "TPU", "XLA_CPU", "XLA_GPU"}


def _named(name: Any, before: Device | None) -> Device | None:
    """The device of that name; as it was before, when the name says nothing of devices."""
    if isinstance(name, (LogicalDevice, PhysicalDevice)):
        name = name.name
    if callable(name):
        raise RuntimeError("tf.device does not support functions; give a name such as '/CPU:0'.")
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name!r})")
    wanted = _parsed(name)
    if wanted is None:
        return before
    there = _cpus() if wanted.kind == "CPU" else _devices(wanted.kind, "logical")
    if wanted in there:
        return wanted
    if _state["soft"]:
        return there[0] if there else HOST
    missing = "" if _engine() is not None else f" Devices other than the CPU need jax: {install('xla')}."
    raise invalid(
        f"Could not satisfy device specification {name!r}: soft device placement is off, and the devices are "
        f"{[d.name for d in list_logical_devices()]}.{missing}"
    )


def device_named(name: Any) -> Device:
    """The device that a name stands for, whether it exists or not.

    Raises:
        ValueError: If it is no name of one.
    """
    found = _parsed(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"{name!r} is no name of a device; one is '/CPU:0' or '/job:localhost/task:0/device:GPU:1'.")
    return found


def _parsed(name: str) -> Device | None:
    """`Device("GPU", 1)` for "gpu:1", "/device:GPU:1", …; None for "" or "/job:localhost"."""
    found = _NAME.match(name)
    kind = (found and found["kind"] or "CPU").upper()
    if not found or kind not in _KINDS:
        raise ValueError(
            f"Unknown attribute is encountered while parsing the device spec: {name!r}. A device is named '/CPU:0' or "
            "'/job:localhost/task:0/device:GPU:1'."
        )
    if not found["kind"]:
        return None
    return Device("GPU" if kind == "XLA_GPU" else kind, 0 if found["index"] in (None, "*") else int(found["index"]))


def _gpu(self: EagerTensor, gpu_index: int = 0) -> Tensor:
    """A copy on a GPU; RuntimeError if it is not there."""
    wanted = Device("GPU", gpu_index)
    if wanted not in _devices("GPU", "logical"):
        raise RuntimeError(
            f"GPU:{gpu_index} unknown device. The devices are {[d.name for d in list_logical_devices()]}."
        )
    return moved(self, wanted)


def _to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The tensor on a device: "cpu", "GPU:0", or what `x.device` says of a tensor there.

    Args:
        stream: None; for the array API's sake.
    """
    wanted = _parsed(str(device))
    if wanted is None or wanted not in (_cpus() if wanted.is_host else _devices(wanted.kind, "logical")):
        raise ValueError(f"There is no device {device!r} here; there are {[d.name for d in list_logical_devices()]}.")
    return moved(self, wanted)


EagerTensor.gpu = _gpu
Tensor.to_device = _to_device
