"""Workers: replicas in several processes, as many in each.

Eagerly the replicas of a worker take turns. Where they meet, at a collective, an assignment or a `merge_call`, the
last one gets what those of all workers have brought (`Everywhere.of_all`), and computes for all: so all find the same.
In a `tf.function` the replicas are one program of XLA for a mesh of all workers' devices.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arrays.shaping import pad
from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.devices import Device, Mesh
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.variables.variable import Variable
from tapeflow.ops.collectives import from_workers, the_same_in_workers

from .values import PerReplica


class Everywhere(tuple):
    """The places of the replicas of this worker, which is number `worker` of `workers` with as many replicas each."""

    workers: int
    worker: int

    def __new__(cls, places: Sequence[Device | None], workers: int, worker: int) -> "Everywhere":
        made = super().__new__(cls, places)
        made.workers, made.worker = workers, worker
        return made

    @property
    def count(self) -> int:
        """How many replicas all workers have."""
        return self.workers * len(self)

    @property
    def numbers(self) -> range:
        """Those of the replicas here."""
        return range(self.worker * len(self), (self.worker + 1) * len(self))

    @property
    def mesh(self) -> Mesh:
        return loaded("tapeflow.engines.xla.replicas").mesh_of_workers(len(self))

    def said(self, numbers: Sequence[int]) -> list[list[int]]:
        """What all workers say, in as many numbers each."""
        return [each.tolist() for each in _exchanges().of_each(np.array(numbers, np.int64))]

    def of_all(self, brought: Sequence) -> list:
        """The same structures from all replicas, in their order, of those from the replicas here. What is no tensor is
        the same in all workers."""
        leaves = zip(*[nest.walked(each, composites=True) for each in brought])
        wide = [
            self.tensors_of_all(leaf) if any(isinstance(x, _TENSORS) for x in leaf) else list(leaf) * self.workers
            for leaf in leaves
        ]
        return [
            nest.packed(brought[k % len(self)], iter([each[k] for each in wide]), composites=True)
            for k in range(self.count)
        ]

    def agreed(self, value: Any, name: str) -> Any:
        """A tensor, or a tuple of them, that replicas assign to a variable: ValueError unless it is the same in all
        workers."""
        params = {"count": self.workers, "number": self.worker, "name": name}
        return nest.map_structure(lambda x: the_same_in_workers(as_tensor(x), **params), value)

    def tensors_of_all(self, own: Sequence) -> list[Tensor]:
        """A tensor of each replica, of those of the replicas here."""
        tensors = [x.value() if isinstance(x, Variable) else as_tensor(x) for x in own]
        if current().executor is None:
            try:
                return self._of_one_shape(tensors)
            except InvalidArgumentError:  # which all workers find
                sizes = self._sizes(tensors)
                if sizes is None:
                    raise
                return self._of_different_shapes(tensors, sizes)
        return self._of_one_shape(tensors)

    def _of_one_shape(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        [first, *rest] = tensors
        stacked = ops.stack(*tensors, axis=0) if rest else first
        found = ops.unstack(from_workers(stacked, count=self.workers, number=self.worker), axis=0)
        return [x for each in found for x in (ops.unstack(each, axis=0) if rest else (each,))]

    def _sizes(self, tensors: Sequence[Tensor]) -> np.ndarray | None:
        """The sizes of each replica's tensor; None if they have different numbers of axes, or dtypes."""
        own = [t.sizes for t in tensors]
        kinds = {(len(sizes), t.dtype.np.num) for sizes, t in zip(own, tensors)}
        said = self.said([len(kinds), *kinds.pop()])
        if said[0][0] > 1 or any(each != said[0] for each in said):
            return None
        return np.concatenate(_exchanges().of_each(np.array(own, np.int64)))

    def _of_different_shapes(self, tensors: Sequence[Tensor], sizes: np.ndarray) -> list[Tensor]:
        """They are exchanged with zeros after them, up to the largest sizes."""
        most = sizes.max(0)
        wide = [pad(t, [[0, m - n] for m, n in zip(most, sizes_of(t))]) if t.ndim else t for t in tensors]
        return [
            ops.getitem(t, index=tuple([(0, int(n), 1) for n in own]))
            for t, own in zip(self._of_one_shape(wide), sizes)
        ]


_TENSORS = (Tensor, Variable, np.ndarray, np.generic)


def processes() -> Any:
    return loaded("tapeflow.engines.xla.processes")


def _exchanges() -> Any:
    return loaded("tapeflow.engines.xla.exchanges")


def everywhere_of(places: Sequence[Device | None]) -> Everywhere | None:
    """The places, if there are others in other processes."""
    return places if isinstance(places, Everywhere) else None


def value_of_all(value: Any, everywhere: Everywhere) -> PerReplica:
    """What the replicas here gave, with those of the other workers."""
    own = value.values if isinstance(value, PerReplica) else (value,) * len(everywhere)
    if len(own) == everywhere.count:
        return value  # in a merge_call
    if any(isinstance(v, CompositeTensor) for v in own):
        return PerReplica(everywhere.of_all(own))
    return PerReplica(everywhere.tensors_of_all([v if isinstance(v, Tensor) else as_tensor(v) for v in own]))


def settled(variable: Variable) -> None:
    """Gives a new variable the value that the first worker has given it."""
    if current().executor is None:
        variable.put_value(as_tensor(_exchanges().of_first(variable.peek().numpy())), read_value=False)
