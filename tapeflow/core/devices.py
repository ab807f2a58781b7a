"""Devices, and the tensors that are on one: values that another engine than NumPy holds.

The engine (`tapeflow.engines.xla.devices`) is not known here. It serves from the moment something is put on a device;
so whoever meets a `DeviceTensor` can ask it.
"""

from typing import Any, NamedTuple

import numpy as np

from .contracts import Operation
from .dtypes import BY_NUMPY, DType
from .frames import current
from .shapes import TensorShape
from .tensor import EagerTensor, Tensor

_NUMPY = (np.ndarray, np.generic)


class Device(NamedTuple):
    """One device: `Device("GPU", 0)`. The kind "XLA_CPU" is the CPU as the engine sees it, which does all that a GPU
    does."""

    kind: str
    number: int

    @property
    def is_host(self) -> bool:
        return self.kind == "CPU"

    @property
    def short(self) -> str:
        return f"/device:{self.kind}:{self.number}"

    @property
    def name(self) -> str:
        return f"/job:localhost/replica:0/task:0{self.short}"


HOST = Device("CPU", 0)  # NumPy's


class Mesh(NamedTuple):
    """Several devices in a grid whose axes have names, in the place of one: a value is spread over them along some
    of its axes, or each device has a copy."""

    kind: str
    axes: tuple[tuple[str, int], ...]  # names and sizes
    grid: Any  # the engine's

    @property
    def is_host(self) -> bool:
        return False

    @property
    def short(self) -> str:
        return "/mesh:" + ",".join(f"{name}={size}" for name, size in self.axes)

    @property
    def name(self) -> str:
        return f"/job:localhost/replica:0/task:0{self.short}/device:{self.kind}"


Place = Device | Mesh


class Processors:
    """How many CPUs programs can name. They share NumPy's memory: a value of the host is on all of them."""

    count = 1


def _of_host(tensor: EagerTensor) -> str:
    """Where a tensor of NumPy is: on all CPUs, so on the one that is named now."""
    device = current().device
    return device.name if device is not None and device.is_host else HOST.name


EagerTensor.device = EagerTensor.backing_device = property(_of_host)  # type: ignore[assignment]


class Serving:
    """The engine that holds values on devices, once there is one: put, fetch, where, compute, change."""

    engine: Any = None
    lost = False  # in a forked process, which the engine's threads did not come to


class Spread:
    """What tells how the value of a tensor or variable is spread over devices. Those on the host lack it."""

    __slots__ = ()
    held: Any

    @property
    def sharding(self) -> Any:
        """Which part is on which device: a `jax.sharding.Sharding`."""
        return self.held.sharding

    @property
    def addressable_shards(self) -> Any:
        """The parts on this process's devices; each has its `data`, a copy, `device` and `index`."""
        return Serving.engine.parts(self.held) if self.sharding is not None else []

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device has all of it."""
        return self.held.is_fully_replicated


class DeviceTensor(Spread, EagerTensor):
    """A tensor on an array of the engine, `_held`, on one of its devices.

    Whoever asks for `array` gets a copy on the host: right everywhere, and slow. Operations do not ask; they are
    computed where the tensor is, since entries know `EagerTensor` itself only and send everything else to the general
    path.
    """

    __slots__ = ("held",)
    held: Any

    def __init__(self, held: Any) -> None:
        self.held = held
        self.serial = 0

    @property
    def array(self) -> Any:
        return Serving.engine.fetch(self.held)

    @property
    def shape(self) -> TensorShape:
        return tuple.__new__(TensorShape, self.held.shape)

    sizes = shape

    @property
    def dtype(self) -> DType:
        return BY_NUMPY[self.held.dtype]

    @property
    def ndim(self) -> int:
        return self.held.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.held.size

    def __len__(self) -> int:
        if not self.held.ndim:
            raise TypeError("Scalar tensor has no `len()`. Its shape is ().")
        return self.held.shape[0]

    def _twin(self) -> "DeviceTensor":
        return DeviceTensor(self.held)

    @property
    def device(self) -> str:
        return Serving.engine.where(self.held).name

    backing_device = device

    def cpu(self) -> EagerTensor:
        """A copy on the host."""
        return EagerTensor(self.array)


class LateTensor(DeviceTensor):
    """A tensor of the host whose value a compiled program may still be computing. Whoever asks for the value waits for
    it.

    So a loop that runs such a program does not wait: the next batch is made while the step is computed.
    """

    __slots__ = ()

    device = backing_device = HOST.name

    def _twin(self) -> "LateTensor":
        return LateTensor(self.held)


# ---- from tensors to what they hold, and back


def raw(tensor: Tensor) -> Any:
    """The array of a tensor, wherever it is: NumPy's or the engine's."""
    return tensor.held if type(tensor) is DeviceTensor else tensor.array


def tensor_of(array: Any) -> EagerTensor:
    """The tensor of an array, NumPy's or the engine's."""
    return EagerTensor(array) if isinstance(array, _NUMPY) else DeviceTensor(array)


def device_of(tensor: EagerTensor) -> Place:
    return Serving.engine.where(tensor.held) if type(tensor) is DeviceTensor else HOST


def kind_of(array: Any) -> type[EagerTensor]:
    """The class that `tensor_of` would take."""
    return EagerTensor if isinstance(array, _NUMPY) else DeviceTensor


def on_device(tensors: Any) -> bool:
    """Is one of the tensors on a device, or is one named where new ones belong?"""
    device = current().device
    return device is not None and not device.is_host or DeviceTensor in map(type, tensors)


# ---- placing


def moved(tensor: Tensor, device: Place) -> Tensor:
    """The tensor on `device`: itself, if it is there. Strings stay on the host."""
    if not isinstance(tensor, EagerTensor):
        return tensor
    if device.is_host:
        return tensor.cpu()
    if tensor.dtype.kind == "s" or type(tensor) is DeviceTensor and Serving.engine.where(tensor.held) == device:
        return tensor
    return DeviceTensor(Serving.engine.put(raw(tensor), device))


def placed(tensor: Tensor) -> Tensor:
    """A tensor that was just made, as whoever executes wants it, or on the device that `tf.device` names."""
    frame = current()
    if frame.executor is not None:
        return frame.executor.constant(tensor)
    return tensor if frame.device is None else moved(tensor, frame.device)


def computed(prim: Operation, args: tuple, params: dict) -> Any:
    """The result by the engine's kernel, when the current device or an argument is not the host; NotImplemented where
    NumPy computes."""
    device = current().device
    if device is None:
        device = next((Serving.engine.where(a.held) for a in args if type(a) is DeviceTensor), HOST)
    return NotImplemented if device.is_host else Serving.engine.compute(prim, args, params, device)
