"""How gradients and tangents follow an operation that broadcasts its inputs: declarations say which way it does."""

from typing import Any

import numpy as np

from tapeflow.core.record import Broadcasts
from tapeflow.core.sizes import alike
from tapeflow.core.tensor import sizes_of


def sum_to(ops: Any, g: Any, shape: tuple) -> Any:
    """Undo broadcasting: sum `g` down to `shape`, the adjoint of broadcast_to."""
    if isinstance(g, np.ndarray):
        have, extra = g.shape, g.ndim - len(shape)
        if have == shape:
            return g
        if extra > 0 and have[extra:] == shape:  # a bias, which is what it mostly is: 2 µs instead of 10
            return ops.reduce_sum(g, axis=tuple(range(extra)), keepdims=False)
    else:
        have = tuple(sizes_of(g))
        if alike(have, shape):
            return g
        extra = len(have) - len(shape)
    axis = tuple(range(extra)) + tuple(
        i + extra for i, d in enumerate(shape) if not alike((d,), (have[i + extra],)) and d == 1
    )
    if axis:
        g = ops.reduce_sum(g, axis=axis, keepdims=False)
    return g if alike(tuple(sizes_of(g)), shape) else ops.reshape(g, shape=shape)


def widened(ops: Any, t: Any, y: Any) -> Any:
    """The tangent of one input, in the shape of the output."""
    shape = tuple(sizes_of(y))
    return t if tuple(sizes_of(t)) == shape else ops.broadcast_to(t, shape=shape)


LIKE_NUMPY = Broadcasts(True, sum_to, widened)  # all axes
LEADING_AXES = Broadcasts(False, sum_to, widened)  # all but the last ones, which are matrices
