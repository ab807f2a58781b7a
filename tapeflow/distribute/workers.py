"""Workers: replicas in several processes, one in each.

Eagerly a worker runs its own replica. Where replicas meet, at a collective, an assignment or a `merge_call`, each
worker gets what all have brought (`of_all`), and computes for all, as the last one does where replicas take turns: so
all find the same. In a `tf.function` the replicas are one program of XLA for a mesh of all workers' devices.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.devices import Mesh
from tapeflow.core.frames import Frame, below, current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.ops.collectives import from_workers

from .contexts import entered_context
from .turns import ReplicaExecutor, TurnReplica
from .values import PerReplica


class Everywhere(tuple):
    """Where the replicas of several workers compute: here, for each worker, on its first device."""

    __slots__ = ()

    @property
    def mesh(self) -> Mesh:
        return loaded("tapeflow.engines.xla.replicas").mesh_of_workers()


class Meeting:
    """Stands for the turns of replicas in one process: here is one of `count`."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.keys: list[Sequence[Tensor]] = []
        self.made: dict[Any, Any] = {}

    def meet(self, k: int, what: str, brought: Any, settle: Callable[[list], Sequence]) -> Any:
        with below():
            return settle(of_all(brought, self.count))[k]


class WorkerExecutor(ReplicaExecutor):
    """Runs the replica's operations in the frame below, and takes collectives to the other workers."""

    __slots__ = ()

    def __init__(self, count: int, number: int) -> None:
        self.turns, self.number, self.draws = Meeting(count), number, 0  # type: ignore[assignment]
        self.creations: Counter[Any] = Counter()


def of_all(brought: Any, count: int) -> list:
    """The same structure from all workers, in their order. What is no tensor is the same in all."""
    wide = [
        [leaf] * count
        if not isinstance(leaf, (Tensor, Variable, np.ndarray, np.generic))
        else tensors_of_all(leaf, count)
        for leaf in nest.walked(brought, composites=True)
    ]
    return [nest.packed(brought, iter([each[k] for each in wide]), composites=True) for k in range(count)]


def tensors_of_all(x: Any, count: int) -> list[Tensor]:
    """A tensor of each worker; they have one shape."""
    tensor = x.value() if isinstance(x, Variable) else x
    return list(ops.unstack(from_workers(tensor, count=count, number=processes().number()), axis=0))


def processes() -> Any:
    return loaded("tapeflow.engines.xla.processes")


def value_of_all(value: Any, count: int) -> PerReplica:
    """What the only replica here gave, with those of the other workers."""
    if isinstance(value, PerReplica):
        if len(value.values) == count:
            return value  # in a merge_call
        [value] = value.values
    if isinstance(value, CompositeTensor):
        return PerReplica(of_all(value, count))
    return PerReplica(tensors_of_all(ops.identity(value) if not isinstance(value, Tensor) else value, count))


def run_here(strategy: Any, function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """`function` for the replica of this worker."""
    executor, outside = WorkerExecutor(strategy.num_replicas_in_sync, processes().number()), current()
    frame = Frame(executor, (), outside, outside.device)
    with entered(frame), entered_context(strategy, replica=TurnReplica(strategy, executor)):
        return function(*args, **kwargs)


def settled(variable: Variable, count: int) -> None:
    """Gives a new variable the value that the first worker has given it."""
    if current().executor is None:
        variable.put_value(tensors_of_all(variable.peek(), count)[0], read_value=False)
