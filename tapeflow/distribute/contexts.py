"""Where code runs: for all replicas (in `strategy.scope()`), on one of several (in `strategy.run`), or on the only one
there is."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.core.listeners import Listener, board
from tapeflow.core.runtime.replicas import Here, Replica, here, where
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.variables.variable import creators

if TYPE_CHECKING:
    from .strategy import Strategy


class OnlyReplica(Replica):
    """One that computes for all, as if it were the only one."""

    count, number = 1, 0

    def __init__(self) -> None:
        self.id = EagerTensor(np.int32(0))

    def merge(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        with entered_context(here().strategy, across=True):
            return function(here().strategy, *args, **kwargs)

    def update(self, variable: Any, given: Any, aggregation: Any, apply: Callable[[Any], Any]) -> None:
        with entered_context(here().strategy, across=True):
            apply(given)

    def created(self, make: Callable[[], Any]) -> Any:
        return make()


class Marker(Listener):
    """What is traced for all replicas is not used for one, nor without the strategy."""

    def __init__(self) -> None:
        self.graph_key = _marker_number()


_marker_number = itertools.count(-1, -1).__next__  # other listeners have numbers that are not negative


@contextmanager
def entered_context(
    strategy: "Strategy | None", across: bool = False, replica: Replica | None = None
) -> Iterator[None]:
    """The block runs there. Variables are made for the strategy."""
    chain, listeners, mirrors = creators.get(), board.here(), strategy is not None and strategy._mirrors
    token = where.set(Here(strategy, across, replica, strategy is not None))
    try:
        if mirrors:
            if strategy._creator not in chain:
                creators.set((*chain, strategy._creator))
            if strategy.num_replicas_in_sync > 1:
                others = tuple([x for x in listeners if not isinstance(x, Marker)])
                board.set_here((*others, strategy._markers[replica is not None, across]))
        yield
    finally:
        where.reset(token)
        if mirrors:
            creators.set(chain)
            board.set_here(listeners)


def set_for_good(strategy: "Strategy | None") -> None:
    """From here on, in this thread or task."""
    chain = tuple([c for c in creators.get() if not getattr(c, "of_strategy", False)])
    others = tuple([x for x in board.here() if not isinstance(x, Marker)])
    if strategy is not None and strategy._mirrors:
        chain, others = (*chain, strategy._creator), (*others, strategy._markers[False, True])
    creators.set(chain)
    board.set_here(others)
    where.set(Here(strategy, strategy is not None))
