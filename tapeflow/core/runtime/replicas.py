"""Which replica code runs for, of those that compute together under a strategy of `tf.distribute`: what the layers
below it ask."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.tensor import Tensor


class Replica:
    """One of several replicas, while it runs: what it does together with the others."""

    count: int
    id: Tensor  # its number; a symbol where all are traced at once
    number: int | None = None  # the same as a Python number, where that is known

    def merge(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """`function` once for all replicas, of what all of them give."""
        raise NotImplementedError  # each kind says it

    def update(self, variable: Any, given: Any, aggregation: Any, apply: Callable[[Any], Any]) -> None:
        """Changes a variable that all replicas have, once: `apply` of what becomes of `given`, a tensor or (values,
        indices) of rows, and those of the others."""
        raise NotImplementedError

    def created(self, make: Callable[[], Any]) -> Any:
        """A variable that is made here: one for all replicas."""
        raise NotImplementedError


class Here(NamedTuple):
    strategy: Any  # None: the default one
    across: bool = False  # for all replicas
    replica: Replica | None = None  # one of several
    inside: bool = False  # of a block, which will end


where: ContextVar[Here] = context_variable("tapeflow_strategy", Here(None))
here = where.get


def count() -> int:
    """How many replicas compute what is computed here, each its part."""
    replica = here().replica
    return 1 if replica is None else replica.count


# What another library has for each thread, and replicas that take turns should find in theirs: functions that are
# called in the caller's thread, and give functions that are called in a replica's.
carried: list[Callable[[], Callable[[], None]]] = []
