"""Elements that are dropped, and rows that are added where numbers say."""

from math import prod
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, NUMBER, POINTER, at, fits, function

_masked: Any = function("masked", *[POINTER] * 3, COUNT, NUMBER)
_add_rows: Any = function("add_rows", POINTER, POINTER, COUNT, POINTER, COUNT, COUNT, NUMBER)


def dropped(x: Any, keep: Any, factor: float) -> Any:
    if _masked is None or not fits(x) or keep.shape != x.shape or not keep.flags.c_contiguous:
        return None
    out = np.empty_like(x)
    _masked(at(x), at(keep), at(out), x.size, factor)
    return out


def masked(x: Any, keep: Any) -> Any:
    return dropped(x, keep, 1.0)


def add_rows(array: Any, ids: Any, rows: Any, factor: float) -> bool:
    """Adds rows times a factor to those of `array`, in place; False where that is NumPy's to do, and nothing was
    done."""
    if _add_rows is None or not fits(array, rows) or ids.dtype not in (np.int32, np.int64):
        return False
    if not ids.flags.c_contiguous or rows.shape != ids.shape + array.shape[1:] or not ids.size:
        return False
    if ids.min() < 0 or ids.max() >= len(array):
        return False
    _add_rows(at(array), at(ids), ids.itemsize, at(rows), ids.size, prod(array.shape[1:]), factor)
    return True


def segment_sum(x: Any, ids: Any, num_segments: int) -> Any:
    if _add_rows is None or x.shape[: ids.ndim] != ids.shape:
        return None
    out = np.zeros((num_segments, *x.shape[ids.ndim :]), np.float32)
    return out if add_rows(out, ids, x, 1.0) else None
