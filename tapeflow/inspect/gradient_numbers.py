"""The numbers that a gradient monitor takes of a gradient: its norm, and which units it reached. On arrays, and as
operations.

Norms are those of huge and tiny gradients, too: neither overflow nor underflow of the squares hides what is wrong.
"""

import math
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.devices import DeviceTensor, device_of, kind_of
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor

_FEWEST_UNITS = 4  # dead ones are counted from so many on
_FIRST_ROWS = 8  # of a kernel: where they reach every unit, nobody looks at the others
_SAFE = 1e-12, 1e18  # norms whose squares are within float32, also those of the parts that matter
_WIDE = np.dtype(np.float64)  # whose squares hold those of any float32
_NONE = -1.0  # in place of a square: there is no gradient


def units_of(variable: Any, gradient: Any) -> int:
    """How many units a layer with this weight has: its last axis. 0: they are not counted, as for tables of rows."""
    shape = tuple(variable.shape) if variable.shape.rank is not None else ()
    if isinstance(gradient, IndexedSlices) or not shape or None in shape or 0 in shape or shape[-1] < _FEWEST_UNITS:
        return 0
    return shape[-1]


def numbers(gradient: Any, units: int) -> tuple[float, np.ndarray | None]:
    """The norm of a gradient that is computed, and for each unit whether it got any; a negative norm if there is no
    gradient."""
    if gradient is None:
        return _NONE, None
    sparse = isinstance(gradient, IndexedSlices)
    if type(gradient.values if sparse else gradient) is not EagerTensor:
        return from_squares(squares(gradient, units).numpy(), units)
    array = _summed_rows(gradient) if sparse and not units else to_tensor(gradient).array
    return norm(array), _reached(array.reshape(-1, units)) if units else None


def squares(gradient: Any, units: int) -> Tensor:
    """The same as operations, for a gradient in a graph or on a device: the sum of squares of each unit, or of all."""
    if gradient is None:
        return to_tensor(np.full(units or 1, _NONE))
    values = to_tensor(gradient)
    values = ops.cast(ops.abs(values) if values.dtype.is_complex else values, dtype=_WIDE)
    axes = tuple(range(values.ndim - 1 if units else values.ndim))
    found = ops.mul(values, values)
    found = ops.reduce_sum(found, axis=axes, keepdims=False) if axes else found
    return found if units else ops.reshape(found, shape=(1,))


def from_squares(found: np.ndarray, units: int) -> tuple[float, np.ndarray | None]:
    """What `numbers` gives, from what those operations gave."""
    if found[0] == _NONE:
        return _NONE, None
    return math.sqrt(found.sum()), found != 0 if units else None


def _reached(rows: np.ndarray) -> np.ndarray:
    found = np.asarray(rows[:_FIRST_ROWS].any(axis=0))
    if not found.all():
        missing = np.flatnonzero(~found)
        found[missing] = rows[:, missing].any(axis=0)
    return found


def norm(array: Any) -> float:
    """The square root of the sum of squares; NaN and infinities stay what they are."""
    flat = array if array.flags.c_contiguous else array.ravel(order="K")
    if flat.dtype != np.float32 and flat.dtype != np.float64:
        flat = np.abs(flat) if flat.dtype.kind == "c" else flat.astype(np.float32)
    square = float(np.vdot(flat, flat))
    found = math.sqrt(square) if square >= 0 else math.nan
    if not _SAFE[0] < found < _SAFE[1] and found == found and flat.size:
        scale = float(np.abs(flat).max())
        if 0 < scale < math.inf:
            flat = flat.astype(np.float64) / scale
            return scale * math.sqrt(float(np.vdot(flat, flat)))
    return found


def weight_and_change(before: Any, after: Any) -> tuple[float, float]:
    """The norm of what a variable held, and of the difference to what it holds now; arrays of NumPy, or of an
    engine."""
    on_host = type(before) is np.ndarray and type(after) is np.ndarray
    if not on_host and _is_away(before) and _is_away(after) and before.shape == after.shape:
        held, now = DeviceTensor(before), DeviceTensor(after)
        step = ops.sub(ops.cast(now, dtype=_WIDE), ops.cast(held, dtype=_WIDE))
        weight, change = ops.concat(squares(held, 0), squares(step, 0), axis=0).numpy().tolist()
        return math.sqrt(weight), math.sqrt(change)
    old, new = (_wide(np.asarray(a)) for a in (before, after))
    return norm(old), norm(new - old) if old.shape == new.shape else math.nan


def _is_away(array: Any) -> bool:
    """Is it on an accelerator? Arrays in the host's memory, also an engine's, NumPy reads where they are."""
    return kind_of(array) is DeviceTensor and not device_of(DeviceTensor(array)).kind.endswith("CPU")


def _wide(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.itemsize >= 4 else array.astype(np.float32)


def _summed_rows(slices: IndexedSlices) -> np.ndarray:
    """The rows of the dense gradient that are not zero: what has one index is added up."""
    values, indices = slices.values.array, np.asarray(slices.indices.array).ravel()
    rows = values.reshape(indices.size, -1).astype(np.result_type(values.dtype, np.float32), copy=False)
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    if not indices.size:
        return rows
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return np.add.reduceat(rows[order], first, axis=0)
