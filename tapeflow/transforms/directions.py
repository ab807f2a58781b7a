"""A function of a direction, for every direction in which one element of a tensor changes: as many at once as fit into memory."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.streams import snapshot
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.tape import jacobians

from .vmap import Batch

_FIRST = 8  # directions in the first chunk, which shows how large the arrays of one direction are


def in_every_direction(
    f: Callable, x: Any, chunk_size: int | None, reduce: Callable | None = None, join: Callable | None = None
) -> Any:
    """`f(direction)` for every element of `x`, the results along a first axis. Or, chunk by chunk, `reduce`d and `join`ed.

    Random numbers are the same in all directions.
    """
    count, start = math.prod(x.shape), 0
    size = chunk_size or min(count, _FIRST)
    drawn: list[Tensor] = []
    whole: list = []
    replay = snapshot()
    while start < count or not whole:
        stop = min(start + size, count)
        sizes = _Sizes()
        with entered(current().watched_by(sizes)):
            batch = Batch(basis(x, start, stop), [0], lambda *_: "the directions")
            if stop < count:
                with replay():
                    part = batch.run(f, randomness="same", drawn=drawn)
            else:
                part = batch.run(f, randomness="same", drawn=drawn)
        part = part if reduce is None else reduce(part)
        whole = [part] if not whole else [*whole, part] if join is None else [nest.map_together(join, whole[0], part)]
        if chunk_size is None and start == 0:
            size = max(1, jacobians.MEMORY_LIMIT // max(1, jacobians.ARRAYS_AT_ONCE * sizes.largest // max(1, stop)))
        start = stop
    return whole[0] if len(whole) == 1 else nest.map_together(lambda *parts: ops.concat(*parts, axis=0), *whole)


def basis(x: Any, start: int, stop: int) -> Tensor:
    """The directions in which element `start`, `start + 1`, … of `x` changes."""
    found = np.zeros((stop - start, math.prod(x.shape)), x.dtype.np)
    found[np.arange(stop - start), np.arange(start, stop)] = 1
    return EagerTensor(found.reshape(stop - start, *x.shape))


class _Everything:
    def __contains__(self, _: Any) -> bool:
        return True


class _Sizes:
    """An observer that only looks at how large results are."""

    def __init__(self) -> None:
        self.watched, self.records, self.largest = _Everything(), None, 0

    def see(self, prim: Any, args: tuple, params: dict, out: Any, mask: int) -> None:
        for y in out if type(out) is tuple else (out,):
            self.largest = max(self.largest, jacobians.bytes_of(y))

    def read(self, variable: Any, tensor: Any) -> None:
        pass

    def left(self, tensor: Any, how: str) -> None:
        pass
