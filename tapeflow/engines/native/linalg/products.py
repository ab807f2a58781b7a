"""Large products of matrices, float32 and float64, on as many threads as are free."""

from math import prod
from struct import Struct
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import POINTER, at, function
from tapeflow.engines.native.library import library

_products = function("products", POINTER, POINTER, POINTER, POINTER) if library.multiplies else None
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_packed = Struct("=14q").pack

# Multiplications from which on OpenBLAS uses several threads; below, NumPy calls it with less ado.
_LEAST = 64**3


def matmul(a: Any, b: Any) -> Any:
    if _products is None or a.ndim < 2 or b.ndim < 2 or a.dtype not in _FLOATS or b.dtype != a.dtype:
        return None
    if b.ndim == 2 < a.ndim and a.size and a.flags.c_contiguous:  # one large product
        out = matmul(a.reshape(-1, a.shape[-1]), b)
        return None if out is None else out.reshape(*a.shape[:-1], b.shape[1])
    (rows, inside), columns = a.shape[-2:], b.shape[-1]
    if b.shape[-2] != inside or rows < 2 or columns < 2 or inside < 2:  # vectors have functions of their own
        return None
    if (leading := _leading(a, b)) is None or prod(leading) * rows * inside * columns <= _LEAST:
        return None
    place_a, place_b = at(a), at(b)
    if place_a == place_b or (of_a := _layout(a)) is None or (of_b := _layout(b)) is None:
        return None  # NumPy makes symmetric what is: a times its own transpose
    outer, inner = (1, 1, *leading)[-2:]
    steps = (*_steps(a, outer, inner), *_steps(b, outer, inner))
    sizes = _packed(a.itemsize == 8, rows, inside, columns, *of_a, *of_b, outer, inner, *steps)
    out = np.empty((*leading, rows, columns), a.dtype)
    _products(place_a, place_b, at(out), sizes)
    return out


def _leading(a: Any, b: Any) -> tuple | None:
    """The leading axes of the product; None if there are many, or one operand has an axis that is repeated."""
    if a.ndim == 2 == b.ndim:
        return ()
    leading = a.shape[:-2] if a.ndim > 2 else b.shape[:-2]
    same = b.ndim == 2 or b.shape[:-2] == leading
    return leading if same and len(leading) < 3 and (a.ndim == 2 or a.ndim == len(leading) + 2) else None


def _layout(x: Any) -> tuple[int, int] | None:
    """(Whether its columns lie one element after the other and not its rows, the elements from one to the next);
    None if neither do."""
    size, (down, across), (rows, columns) = x.itemsize, x.strides[-2:], x.shape[-2:]
    if not x.flags.aligned or down % size or across % size:
        return None
    if across == size and down >= columns * size:
        return 0, down // size
    if down == size and across >= rows * size:
        return 1, across // size
    return None


def _steps(x: Any, outer: int, inner: int) -> tuple[int, int]:
    """Elements from one matrix to the next along both leading axes."""
    strides = [s // x.itemsize for s in x.strides[:-2]]
    return tuple([0, 0, *strides][-2:])
