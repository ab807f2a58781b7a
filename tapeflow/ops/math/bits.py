"""Counting bits."""

import numpy as np

from tapeflow.core.dtypes import INTEGER
from tapeflow.core.primitive import CUT, Spec, primitive


def _population_count(xp, x):
    """Of negative numbers too, all bits of their two's complement are counted. (NumPy counts those of the absolute
    value.)"""
    unsigned = x.astype(f"uint{8 * x.dtype.itemsize}", copy=False) if x.dtype.kind == "i" else x
    return xp.bitwise_count(unsigned)


population_count = primitive(
    "population_count(x)",
    kernel=_population_count,
    shape=lambda x: Spec(shape=x.shape, dtype=np.uint8),
    vjp=CUT,
    dtypes=INTEGER,
    elementwise=True,
)
