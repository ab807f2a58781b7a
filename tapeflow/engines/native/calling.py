"""How NumPy's arrays get into the library."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from . import FLOAT32
from .library import library


def function(name: str, *kinds: Any) -> Callable | None:
    """One of the library's, by the types of its arguments; None if there is no library."""
    if library.functions is None:
        return None
    found = getattr(library.functions, name)
    found.argtypes, found.restype = kinds, None
    return found


def fits(*arrays: Any) -> bool:
    """Float32, one element after the other."""
    for x in arrays:
        if type(x) is not np.ndarray or x.dtype != FLOAT32:
            return False
        flags = x.flags
        if not (flags.c_contiguous and flags.aligned):
            return False
    return True


def at(x: np.ndarray) -> int:
    """Where its elements are. (`x.ctypes.data` says it, too, and takes four times as long.)"""
    return x.__array_interface__["data"][0]


POINTER, COUNT, NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
