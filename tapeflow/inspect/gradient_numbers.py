"""The numbers that a gradient monitor takes of a gradient: its norm, and which units it reached. On arrays, and as operations.

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
_SAFE = 1e-12, 1e18  # norms whose squares are within float32, also those of the parts that matter
_FLOAT32 = np.dtype(np.float32)
_ZERO, _ONE = np.float32(0), np.float32(1)


def units_of(variable: Any, gradient: Any) -> int:
    """How many units a layer with this weight has: its last axis. 0: they are not counted, as for tables of rows."""
    shape = tuple(variable.shape) if variable.shape.rank is not None else ()
    if isinstance(gradient, IndexedSlices) or not shape or None in shape or shape[-1] < _FEWEST_UNITS:
        return 0
    return shape[-1]


def numbers(gradient: Any, units: int) -> np.ndarray:
    """The norm of a gradient that is computed, and for each unit whether (1) or not (0) it got any."""
    values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
    if type(values) is not EagerTensor:
        return as_operations(gradient, units).numpy()
    array = _summed_rows(gradient) if isinstance(gradient, IndexedSlices) and not units else to_tensor(gradient)._array
    reached = array.reshape(-1, units).any(axis=0) if units else ()
    return np.array([norm(array), *reached], np.float64)


def as_operations(gradient: Any, units: int) -> Tensor:
    """The same, of a gradient in a graph or on a device."""
    values = to_tensor(gradient)
    values = ops.abs(values) if values.dtype.is_complex else values
    sizes = ops.abs(ops.cast(values, dtype=_FLOAT32))
    axes = tuple(range(sizes.ndim))
    reduced = lambda reduce, x, axes: reduce(x, axis=axes, keepdims=False) if axes else x
    by_unit = reduced(ops.reduce_max, sizes, axes[:-1] if units else axes)
    largest = reduced(ops.reduce_max, by_unit, (0,) if units else ())
    scale = ops.where(ops.greater(largest, _ZERO), largest, _ONE)
    scaled = ops.div(sizes, scale)
    size = ops.mul(scale, ops.sqrt(reduced(ops.reduce_sum, ops.mul(scaled, scaled), axes)))
    size = ops.reshape(size, shape=(1,))
    return ops.concat(size, ops.cast(ops.not_equal(by_unit, _ZERO), dtype=_FLOAT32), axis=0) if units else size


def norm(array: Any) -> float:
    """The square root of the sum of squares; NaN and infinities stay what they are."""
    flat = np.asarray(array)
    flat = np.abs(flat) if flat.dtype.kind == "c" else flat
    flat = (flat if flat.dtype in (np.float32, np.float64) else flat.astype(np.float32)).ravel(order="K")
    with np.errstate(all="ignore"):
        found = math.sqrt(float(np.dot(flat, flat)))
        if found == found and not _SAFE[0] < found < _SAFE[1] and flat.size:
            scale = float(np.abs(flat).max())
            if 0 < scale < math.inf:
                flat = flat.astype(np.float64) / scale
                return scale * math.sqrt(float(np.dot(flat, flat)))
    return found


def weight_and_change(before: Any, after: Any) -> tuple[float, float]:
    """The norm of what a variable held, and of the difference to what it holds now; arrays of NumPy, or of an engine."""
    if _is_away(before) and _is_away(after) and before.shape == after.shape:
        old, new = ops.cast(DeviceTensor(before), dtype=_FLOAT32), ops.cast(DeviceTensor(after), dtype=_FLOAT32)
        found = ops.concat(as_operations(old, 0), as_operations(ops.sub(new, old), 0), axis=0).numpy()
        return float(found[0]), float(found[1])
    old, new = (_wide(np.asarray(a)) for a in (before, after))
    return norm(old), norm(new - old) if old.shape == new.shape else math.nan


def _is_away(array: Any) -> bool:
    """Is it on an accelerator? NumPy reads the host's arrays of any engine where they are."""
    return kind_of(array) is DeviceTensor and not device_of(DeviceTensor(array)).is_host


def _wide(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.itemsize >= 4 else array.astype(np.float32)


def _summed_rows(slices: IndexedSlices) -> np.ndarray:
    """The rows of the dense gradient that are not zero: what has one index is added up."""
    values, indices = slices.values._array, np.asarray(slices.indices._array).ravel()
    rows = values.reshape(indices.size, -1).astype(np.result_type(values.dtype, np.float32), copy=False)
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if indices.size else []
    return np.add.reduceat(rows[order], first, axis=0) if indices.size else rows
