"""Compiled kernels for large arrays of float32, beside NumPy's: a small C library without a word of Python in it.

A primitive names one: `kernel={"numpy": f, "native": "nn.activations.relu"}` is the function `relu` in
`nn/activations.py` here. It gets what the NumPy kernel gets, and gives None for what it is not for: another dtype, or
elements that do not lie one after the other. NumPy's kernel computes those, and everything small.

The library is built where a C compiler is at hand when the package is installed (`building.py`). Without it, or with
TAPEFLOW_NATIVE=0 in the environment, NumPy computes all.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.core.contracts import supplied
from tapeflow.core.runtime.undisturbed import loaded

LARGE = 8192  # elements from which on a call of the library is worth its 3 microseconds
FLOAT32 = np.dtype(np.float32)
FOLDER = Path(__file__).parent / "libraries"


def named(place: str) -> Callable:
    """The kernel of a name in a declaration."""
    module, _, name = place.rpartition(".")
    return getattr(loaded(f"{__name__}.{module}"), name)


def _preferred(plain: Callable, place: str) -> Callable:
    """The NumPy kernel, with the native one for large arrays."""
    native: Callable | None = None

    def kernel(x: Any, *others: Any, **params: Any) -> Any:
        nonlocal native
        if x.size >= LARGE or (others and others[0].size >= LARGE):
            native = native or named(place)
            out = native(x, *others, **params)
            if out is not None:
                return out
        return plain(x, *others, **params)

    kernel.plain = plain  # type: ignore[attr-defined]
    return kernel


def _add_rows(array: Any, ids: Any, rows: Any, factor: float) -> bool:
    return rows.size >= LARGE and named("arrays.rows.add_rows")(array, ids, rows, factor)


if os.environ.get("TAPEFLOW_NATIVE") != "0" and FOLDER.is_dir():
    supplied.native, supplied.add_rows = _preferred, _add_rows
