"""Constants of a graph. Small ones are computed while it is traced. Large ones are operations without inputs, which
make them when it runs: a trace allocates nothing large."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

_START, _STEP = np.int64(0), np.int64(1)
_WRITTEN_DOWN = 1 << 16  # elements up to which a graph holds a constant instead of what makes it
_FLOAT64 = np.dtype(np.float64)


def is_made_later(count: int) -> bool:
    """Is it a large constant of a graph? Then it is made when the graph runs."""
    return count > _WRITTEN_DOWN and current().executor is not None


def made(count: int, make: Callable[[], Tensor]) -> Tensor:
    """What `make` computes by operations from no tensor that somebody has: so many numbers, or so many on the way."""
    if is_made_later(count):
        return make()
    with entered(Frame()):
        return make()


def counted(count: Any, first: Any = _START, step: Any = _STEP) -> Tensor:
    """So many numbers, by an operation: how many may be a size that is known later."""
    steps = ops.broadcast_to(EagerTensor(step), shape=(count,))
    return EagerTensor(first) + ops.cumsum(steps, axis=0, exclusive=True, reverse=False)


def numbers(count: int) -> Tensor:
    """0, 1, … in float64, for formulas."""
    if is_made_later(count):
        return ops.cast(counted(count), dtype=_FLOAT64)
    return EagerTensor(np.arange(count, dtype=_FLOAT64))
