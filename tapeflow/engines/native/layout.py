"""Whether the library finds the fields of NumPy's arrays where it looks for them: then it takes arrays as they are."""

import ctypes
import sys

import numpy as np

from . import FLOAT32
from .calling import COUNT, at, function


def _readable() -> bool:
    told = function("tapeflow_arrays", *[COUNT] * 10, ctypes.c_int, returns=True)
    if told is None or sys.implementation.name != "cpython":
        return False
    types = object.__basicsize__, id(np.ndarray), id(FLOAT32), id(np.dtype(np.float64))
    samples = np.zeros((3, 4), np.float32), np.zeros((5, 4), np.float32)[::2, 1:]
    return all(told(*types, id(x), at(x), *x.shape, *x.strides, x.flags.num) for x in samples)


readable = _readable()
