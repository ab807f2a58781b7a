"""What may be done to a variable, or to a part of it: set it, add to it, …"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.contracts import supplied


class Change(NamedTuple):
    """`word` is what engines call it, `at(array, index, values)` does it to a part of NumPy's array, in place, and
    `everywhere`, where it has one, gives the whole changed array."""

    word: str
    at: Callable[[np.ndarray, Any, Any], None]
    everywhere: np.ufunc | None = None


def _put(array: np.ndarray, index: Any, values: Any) -> None:
    array[index] = values


def _divide_at(array: np.ndarray, index: Any, values: Any) -> None:
    (np.floor_divide if array.dtype.kind in "iu" else np.divide).at(array, index, values)


def _rows(ufunc: np.ufunc, factor: float) -> Callable:
    """`ufunc.at` for sums of rows, three times faster for thousands of them: each round takes every row at most once,
    and where one row occurs too often for rounds, its terms are added up first. The array changes at the end, at once:
    nothing cuts it in two."""

    def change(array: np.ndarray, index: Any, values: np.ndarray) -> None:
        if not isinstance(index, np.ndarray) or index.size < 64 or values.shape != index.shape + array.shape[1:]:
            ufunc.at(array, index, values)
            return
        if supplied.add_rows is not None and supplied.add_rows(array, index, values, factor):
            return
        ids, rows = index.ravel(), values.reshape(index.size, *array.shape[1:])
        order = np.argsort(ids, kind="stable")
        ordered, place = ids[order], np.arange(ids.size)
        is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        occurrence = place - np.maximum.accumulate(np.where(is_first, place, 0))
        rounds = int(occurrence.max()) + 1
        first = np.flatnonzero(is_first)
        at = ordered[first]
        changed = ufunc(array[at], np.add.reduceat(rows[order], first, axis=0) if rounds > 8 else rows[order[first]])
        if 1 < rounds <= 8:
            slot = np.cumsum(is_first) - 1
            for k in range(1, rounds):
                chosen = np.flatnonzero(occurrence == k)
                again = slot[chosen]
                changed[again] = ufunc(changed[again], rows[order[chosen]])
        array[at] = changed

    return change


SET = Change("set", _put)
ADD, SUBTRACT = Change("add", np.add.at, np.add), Change("subtract", np.subtract.at, np.subtract)
ADD_ROWS, SUBTRACT_ROWS = Change("add", _rows(np.add, 1.0)), Change("subtract", _rows(np.subtract, -1.0))
MULTIPLY, DIVIDE = Change("multiply", np.multiply.at), Change("divide", _divide_at)
MAX, MIN = Change("max", np.maximum.at), Change("min", np.minimum.at)
