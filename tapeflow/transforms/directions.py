"""Pushforwards along every basis direction of a tensor (forward-mode Jacobians), as many at once as memory allows."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import snapshot
from tapeflow.core.runtime.memory_limits import check_rows_fit
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.tape import memory
from tapeflow.vectorize.vmap import Batch


def in_every_direction(
    f: Callable, x: Any, chunk_size: int | None, reduce: Callable | None = None, join: Callable | None = None
) -> Any:
    """`f(direction)` for every element of `x`, the results along a first axis. Or, chunk by chunk, `reduce`d and
    `join`ed.

    Random numbers are the same in all directions.
    """
    drawn: list[Any] = []
    count, replay = math.prod(sizes_of(x)), snapshot()

    def run(start: int, stop: int) -> Any:
        batch = Batch(basis(x, start, stop), [0], lambda *_: "the directions")
        with replay() if stop < count else nullcontext():
            part = batch.run(f, randomness="same", drawn=drawn)
        return part if reduce is None else reduce(part)

    first = min(count, chunk_size or memory.FIRST)
    sizes = memory.Sizes(first)
    with entered(current().watched_by(sizes)):
        parts = [run(0, first)]
    if reduce is None:
        rows = memory.of_one_row(nest.flatten(parts[0]))
        check_rows_fit(rows, count, "the Jacobian", "Products with it need no such array: tf.derivatives.jvp.")
    for start, stop in memory.chunks(count - first, chunk_size or memory.fitting(sizes.of_a_row)):
        part = run(first + start, first + stop)
        parts = [*parts, part] if join is None else [nest.map_together(join, parts[0], part)]
    return parts[0] if len(parts) == 1 else nest.map_together(lambda *parts: ops.concat(*parts, axis=0), *parts)


def basis(x: Any, start: int, stop: int) -> Tensor:
    """The directions in which element `start`, `start + 1`, … of `x` changes."""
    found = np.zeros((stop - start, math.prod(sizes_of(x))), x.dtype.np)
    found[np.arange(stop - start), np.arange(start, stop)] = 1
    return EagerTensor(found.reshape(stop - start, *sizes_of(x)))
