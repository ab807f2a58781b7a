"""`tf.experimental.dlpack`: sharing memory with NumPy, PyTorch, JAX and others, without a copy."""

from typing import Any

import numpy as np

from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable

__all__ = ["from_dlpack", "to_dlpack"]

_CPU = (1, 0)


def to_dlpack(tf_tensor: Any) -> Any:
    """A DLPack capsule on the tensor's memory, for one consumer.

    Args:
        tf_tensor: A tensor.

    Returns:
        A capsule.

    >>> x = tf.constant([1., 2.])
    >>> tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x)).numpy()
    array([1., 2.], dtype=float32)
    """
    if not isinstance(tf_tensor, (Tensor, Variable)):
        raise TypeError(f"to_dlpack takes a tensor, got {type(tf_tensor).__name__}.")
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor on the memory of a DLPack capsule, or of any object with `__dlpack__`, such as a NumPy array or a
    PyTorch tensor.

    Nothing is copied: do not change the other object as long as the tensor is used.

    Args:
        dlcapsule: A capsule, or an object with `__dlpack__`.

    >>> a = np.array([1., 2.])
    >>> np.shares_memory(tf.experimental.dlpack.from_dlpack(a), a)
    True
    """
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    array = np.from_dlpack(source)
    if array.dtype not in BY_NUMPY:
        raise invalid(f"There is no tf dtype for {array.dtype.name}.")
    return EagerTensor(array if array.ndim else array[()])


class _Capsule:
    """What NumPy takes: an object with the protocol, around a bare capsule."""

    def __init__(self, capsule: Any) -> None:
        if type(capsule).__name__ != "PyCapsule":
            raise invalid(
                f"from_dlpack takes a DLPack capsule or an object with __dlpack__, got {type(capsule).__name__}."
            )
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def _dlpack(
    self: EagerTensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
) -> Any:
    """The memory as a capsule: marked read-only for consumers that understand it (DLPack 1.0)."""
    if dl_device not in (None, _CPU):
        raise BufferError(f"The tensor is on the CPU, device {_CPU}; {dl_device} was asked for.")
    self._leaves("DLPack")
    array = np.asarray(self.array)
    if copy:
        array = array.copy()
    elif max_version is not None and tuple(max_version) >= (1, 0):
        array = array.view()
        array.flags.writeable = False
        return array.__dlpack__(max_version=max_version)
    elif not array.flags.writeable:
        array = array.copy()
    return array.__dlpack__()


def _dlpack_device(self: Any) -> tuple[int, int]:
    return _CPU


EagerTensor.__dlpack__ = _dlpack
EagerTensor.__dlpack_device__ = _dlpack_device
Variable.__dlpack__ = lambda self, **options: self.value().__dlpack__(**options)
Variable.__dlpack_device__ = _dlpack_device
