"""Large products of matrices, float32 and float64, on as many threads as are free."""

from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, function
from tapeflow.engines.native.layout import readable
from tapeflow.engines.native.library import library

_products = function("products", COUNT, COUNT, COUNT, returns=True) if library.multiplies and readable else None

# Multiplications from which on OpenBLAS uses several threads, of matrices and of a matrix and a vector; below, NumPy
# calls it with less ado.
_LEAST, _LEAST_OF_VECTORS = 64**3, 96**2


def matmul(a: Any, b: Any) -> Any:
    if _products is None or a.ndim < 2 or b.ndim < 2:
        return None
    columns = b.shape[-1]
    if a.ndim == 2 < b.ndim:
        work, shape = len(a) * b.size, (*b.shape[:-2], len(a), columns)
    else:
        work, shape = a.size * columns, (*a.shape[:-1], columns)
    if work <= (_LEAST if shape[-2] > 1 < columns else _LEAST_OF_VECTORS):
        return None
    out = np.empty(shape, a.dtype)
    return None if _products(id(a), id(b), id(out)) else out
