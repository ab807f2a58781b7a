"""Values of tensors under `tf.vmap`: for checks, messages, and sizes that depend on values."""

import math
from typing import Any

import numpy as np

from tapeflow.core.errors import uneven_rows
from tapeflow.core.frames import Frame, current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from .branches import Branch
from .mapped import MappedTensor, Vectorizer


def largest(value: Tensor) -> Any:
    """The largest element, or -1 if there is none; inside a vectorised function that of each row. A symbol in a graph
    that is traced."""
    if hasattr(value, "as_sizes"):
        flat = ops.reshape(value, shape=(math.prod(value.sizes),))
        least = EagerTensor(np.full(1, -1, value.dtype.np))
        return ops.reduce_max(ops.concat(least, flat, axis=0), axis=(0,), keepdims=False)
    values = values_of(value)
    rows = values.shape[: values.ndim - value.ndim]
    return values.reshape(*rows, int(np.prod(value.sizes))).max(axis=-1, initial=-1)


def one_size(sizes: Any, what: str) -> int:
    """A size that depends on values, which must be the same for all rows of a vectorised function."""
    if hasattr(sizes, "as_sizes"):
        known = sizes.as_sizes()
        return int(sizes.array) if known is None else known.item()
    found = np.unique(sizes)
    if found.size > 1:
        raise uneven_rows(f"{what} is from {found[0]} to {found[-1]}, different from row to row.")
    return int(found[0]) if found.size else 0


def values_of(value: Tensor) -> np.ndarray:
    """The values of a tensor, for checks and messages only: of one that differs from row to row all rows, along
    leading axes.

    There is one leading axis for each map around, the outermost first, as far as the tensor differs in one of them; so
    the values of several tensors of the same rank broadcast.
    """
    frame: Frame | None = current()
    differs: list[bool] = []
    while frame is not None and type(value) is MappedTensor:
        if isinstance(frame.executor, Vectorizer):
            differs.append(value.owner is frame.executor)
            value = value.held if differs[-1] else value
        elif isinstance(frame.executor, Branch) and frame.below is not None:
            value = frame.executor.seen(value, frame.below)
        frame = frame.below
    array = np.asarray(value.array)
    for axis, own in enumerate(reversed(differs)):
        array = array if own else np.expand_dims(array, axis)
    return array
