"""Clipping: values kept between two bounds."""

import numpy as np

from tapeflow.core.dtypes import REAL
from tapeflow.core.primitive import Spec, primitive
from tapeflow.ops.broadcasting import LEADING_AXES
from tapeflow.ops.families import broadcast_shape


def _clip(xp, x, low, high):
    capped = xp.minimum(x, high)
    y = xp.maximum(capped, low)
    below = xp.broadcast_to(capped < low, y.shape)
    above = (x > high) & ~below
    return y, (x >= low) & (x <= high), below, above


def _clip_shape(x, low, high):
    shape = broadcast_shape(x, low, high).shape
    mask = Spec(shape=shape, dtype=np.dtype(bool))
    return Spec(shape=shape, dtype=x.dtype), mask, mask, mask


# Also tells where `x` lies, so that the tape keeps one mask for each input that it watches, and no values.
clip = primitive(
    "clip(x, low, high)",
    kernel=_clip,
    shape=_clip_shape,
    vjp={
        "x": lambda ops, g, inside: ops.masked(g[0], inside),
        "low": lambda ops, g, below: ops.masked(g[0], below),
        "high": lambda ops, g, above: ops.masked(g[0], above),
    },
    jvp={
        "x": lambda ops, t, inside: (ops.masked(t, inside), None, None, None),
        "low": lambda ops, t, below: (ops.masked(t, below), None, None, None),
        "high": lambda ops, t, above: (ops.masked(t, above), None, None, None),
    },
    dtypes=REAL,
    outputs=("clipped", "inside", "below", "above"),
    broadcasts=LEADING_AXES,
)
