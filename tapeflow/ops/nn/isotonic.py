"""Isotonic regression by pooling adjacent violators."""

import math

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.fitting import along_last
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.ops.batching import leading


def _levels(row):
    """Blocks of (sum, size); a block higher than the one before it joins it. Levels fall from left to right."""
    blocks: list[list] = []
    for value in row.tolist():
        total, size = value, 1
        while blocks and total * blocks[-1][1] > blocks[-1][0] * size:
            last = blocks.pop()
            total, size = total + last[0], size + last[1]
        blocks.append([total, size])
    return np.repeat(np.arange(len(blocks), dtype=np.int32), [size for _, size in blocks])


def _isotonic_levels(x):
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return np.array([_levels(row) for row in rows], np.int32).reshape(x.shape)


# For every element of a row (the last axis) the number of the level it is on in the nearest non-increasing sequence.
isotonic_levels = primitive(
    "isotonic_levels(x)",
    kernel={"numpy": _isotonic_levels, "jax": "nn.isotonic.levels"},
    shape=lambda x: Spec(shape=along_last(x).shape, dtype=np.int32),
    vjp=CUT,
    batch=leading,
    dtypes=FLOATING,
)
