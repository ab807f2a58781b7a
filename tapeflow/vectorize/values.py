"""Values of tensors under `tf.vmap`: for checks, messages, and sizes that depend on values."""

from typing import Any

import numpy as np

from tapeflow.core.errors import uneven_rows
from tapeflow.core.frames import Frame, current
from tapeflow.core.tensor import Tensor

from .branches import Branch
from .mapped import MappedTensor, Vectorizer


def largest(value: Tensor) -> np.ndarray:
    """The largest element, or -1 if there is none; inside a vectorised function that of each row."""
    values = values_of(value)
    rows = values.shape[: values.ndim - value.ndim]
    return values.reshape(*rows, int(np.prod(value.sizes))).max(axis=-1, initial=-1)


def one_size(sizes: Any, what: str) -> int:
    """A size that depends on values, which must be the same for all rows of a vectorised function."""
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
