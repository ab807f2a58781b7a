"""Parts of a variable, as programs name them. Each says how NumPy and engines index it; for a graph, see
`ops.for_core`."""

from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.devices import DeviceTensor
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import Tensor


class Rows(NamedTuple):
    """Rows of a matrix, or what are rows where there are more axes."""

    indices: Tensor

    def index(self, what: str, variable: Any) -> Any:
        shape = variable.held_shape
        if not shape:
            raise invalid(f"{what} needs a variable of rank 1 or more; '{variable.name}' is a scalar.")
        if variable.is_on_device and type(self.indices) is DeviceTensor:  # they stay there, and nobody looks
            return self.indices.held
        indices = np.asarray(self.indices.array)
        in_range(what, variable, indices, shape[0])
        return indices


class Elements(NamedTuple):
    """The elements, or larger parts, at `indices[k]` along the first axes."""

    indices: Tensor

    def index(self, what: str, variable: Any) -> Any:
        rows, shape = np.asarray(self.indices.array), variable.held_shape
        depth = rows.shape[-1]
        if depth > len(shape):
            raise invalid(f"{what}: indices of length {depth} are too long for a variable of shape {shape}.")
        for axis in range(depth):
            in_range(what, variable, rows[..., axis], shape[axis])
        return tuple(np.moveaxis(rows, -1, 0))


class Key(NamedTuple):
    """`v[key]`."""

    key: Any

    def index(self, what: str, variable: Any) -> Any:
        return tuple(map(_for_numpy, self.key)) if isinstance(self.key, tuple) else _for_numpy(self.key)


class At(NamedTuple):
    """What NumPy indexes so."""

    key: Any

    def index(self, what: str, variable: Any) -> Any:
        return self.key


Part = Rows | Elements | Key | At


def _for_numpy(key: Any) -> Any:
    if isinstance(key, slice):
        return slice(*(None if b is None else int(b) for b in (key.start, key.stop, key.step)))
    return np.asarray(key) if isinstance(key, (Tensor, np.ndarray, np.generic)) or hasattr(key, "__array__") else key


def in_range(what: str, variable: Any, indices: np.ndarray, size: int) -> None:
    if indices.size and not 0 <= indices.min() <= indices.max() < size:
        bad = indices[(indices < 0) | (indices >= size)].flat[0]
        raise invalid(
            f"{what} on variable '{variable.name}' of shape {variable.held_shape}: index {bad} is not in [0, {size})."
        )
