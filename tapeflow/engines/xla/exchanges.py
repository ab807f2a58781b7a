"""What all processes have: arrays on the host that are exchanged outside of programs, by the first device of each.

Each exchange takes its time, however small it is. So arrays up to some kilobytes go with what says how large they are.
"""

import math
from collections.abc import Callable
from functools import cache

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import invalid

from . import processes


def of_each(array: np.ndarray) -> list[np.ndarray]:
    """The arrays of all processes, whatever their shapes and dtypes. Small ones take one exchange, large ones two."""
    return _completed(*_announced(array))


def of_one_kind(array: np.ndarray) -> np.ndarray:
    """The arrays of all processes, which have one shape and dtype, along a new first axis.

    Raises:
        InvalidArgumentError: If shapes or dtypes differ.
    """
    own, found = _announced(array)
    _check_kinds(found)
    return np.stack(_completed(own, found))


def of_first(array: np.ndarray) -> np.ndarray:
    """The array of the first process, in all, which give one of its shape and dtype.

    Raises:
        InvalidArgumentError: If shapes or dtypes differ.
    """
    own, found = _announced(array)
    _check_kinds(found)
    if found[0].size <= _Message.ROOM or own.of_texts:
        return _completed(own, found)[0]
    return found[0].array(_exchanged(own.data, _of_first()))


def _completed(own: "_Message", found: list["_Read"]) -> list[np.ndarray]:
    most = max([each.size for each in found])
    if most <= _Message.ROOM:
        return [each.array() for each in found]
    wide = own.data
    if len(wide) < most:
        wide = np.zeros(most, np.uint8)
        wide[: len(own.data)] = own.data
    return [each.array(data) for each, data in zip(found, _exchanged(wide, _everywhere()))]


def _announced(array: np.ndarray) -> tuple["_Message", list["_Read"]]:
    own = _Message(np.asarray(array))
    return own, [_Read(each) for each in _exchanged(own.bytes, _everywhere())]


def _check_kinds(found: list["_Read"]) -> None:
    if len({(each.shape, each.dtype) for each in found}) > 1:
        said = ", ".join(f"{each.shape} in worker {k}" for k, each in enumerate(found))
        raise invalid(f"Shape mismatch: workers gave {said}, or different dtypes; they must be equal.")


class _Message:
    """A dtype, a shape, the number of bytes, and the bytes themselves if there is room for them."""

    NAME, HEAD, ROOM = 32, 320, 4096

    def __init__(self, array: np.ndarray) -> None:
        self.data, self.of_texts = _bytes_of(array), array.dtype.kind == "O"
        name = np.frombuffer(array.dtype.name.encode().ljust(self.NAME), np.uint8)
        sizes = np.array([len(self.data), array.ndim, *array.shape], np.int64).view(np.uint8)
        self.bytes = np.zeros(self.HEAD + self.ROOM, np.uint8)
        self.bytes[: self.NAME], self.bytes[self.NAME : self.NAME + len(sizes)] = name, sizes
        if len(self.data) <= self.ROOM:
            self.bytes[self.HEAD : self.HEAD + len(self.data)] = self.data


class _Read:
    """A message of another process."""

    def __init__(self, data: np.ndarray) -> None:
        self.dtype = as_dtype(data[: _Message.NAME].tobytes().decode().strip()).np
        self.size, ndim, *sizes = data[_Message.NAME : _Message.HEAD].view(np.int64).tolist()
        self.shape, self.inside = tuple(sizes[:ndim]), data[_Message.HEAD :]

    def array(self, data: np.ndarray | None = None) -> np.ndarray:
        data = (self.inside if data is None else data)[: self.size]
        if self.dtype.kind != "O":
            return data.copy().view(self.dtype).reshape(self.shape)
        count = math.prod(self.shape)
        ends = data[: 8 * count].copy().view(np.int64).tolist()
        texts, found = data[8 * count :].tobytes(), np.empty(count, object)
        found[:] = [texts[start:end] for start, end in zip([0, *ends], ends)]
        return found.reshape(self.shape)


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """Of strings, where each ends, and then all of them."""
    if array.dtype.kind != "O":
        return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.ravel()]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return np.concatenate([ends.view(np.uint8), np.frombuffer(b"".join(texts), np.uint8)])


def _exchanged(own: np.ndarray, run: Callable) -> np.ndarray:
    """What `run` gives, in all processes, of the bytes of all."""
    with processes.watched(), jax.enable_x64(True):
        to = NamedSharding(one_of_each(), PartitionSpec("worker"))
        whole = jax.make_array_from_process_local_data(to, own[None])
        return np.asarray(run(whole).addressable_data(0))


@cache
def one_of_each() -> Mesh:
    """The first device of each process."""
    return Mesh(np.array([own[0] for own in _devices()]), ("worker",))


def devices_of_each(count: int) -> list:
    """The first devices of each process, one process after the other.

    Raises:
        ValueError: If processes have different numbers of devices.
    """
    numbers = [len(own) for own in _devices()]
    if len(set(numbers)) > 1 or numbers[0] < count:
        raise ValueError(
            f"All workers must have the same number of devices, and they have {numbers}. Start them by tapeflow "
            "launch --devices-per-worker, or show each as many by CUDA_VISIBLE_DEVICES."
        )
    return [device for own in _devices() for device in own[:count]]


def _devices() -> list[list]:
    """The devices of each process."""
    found: dict[int, list] = {}
    for device in jax.devices():
        found.setdefault(device.process_index, []).append(device)
    return [found[k] for k in sorted(found)]


@cache
def _everywhere() -> Callable:
    return jax.jit(lambda x: x, out_shardings=NamedSharding(one_of_each(), PartitionSpec()))


@cache
def _of_first() -> Callable:
    return jax.jit(lambda x: x[0], out_shardings=NamedSharding(one_of_each(), PartitionSpec()))
