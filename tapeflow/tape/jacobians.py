"""Jacobians: one backward walk for many rows at once, each starting from one element of the target.

The walk runs under a `Vectorizer`, so the gradients in it are tensors with a hidden first axis, the rows. As many rows go together as
fit into memory; where a rule needs the value of a gradient (a `custom_gradient` that calls `.numpy()`), rows go one by one.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variable import Variable
from tapeflow.vectorize.mapped import MappedTensor, Vectorizer

# What the arrays of one walk may take together, roughly. Larger chunks would not be faster: the work is in large arrays already.
MEMORY_LIMIT = 256 * 2**20
ARRAYS_AT_ONCE = 4  # a rule's result, what it is made from, and what waits on other paths


def check_one(value: Any, what: str, method: str) -> None:
    if not isinstance(value, (Tensor, Variable, IndexedSlices)):
        raise AttributeError(  # TensorFlow's type: it asks the object for its shape
            f"{method} takes one tensor as {what}, got {'None' if value is None else type(value).__name__}. "
            "Call it once for each tensor, or concatenate them."
        )


def check_batches(target: Any, source: Any) -> None:
    target_shape, source_shape = tuple(target.shape), tuple(source.shape)
    if len(target_shape) < 1 or len(source_shape) < 2:
        raise ValueError(
            "batch_jacobian needs a target of shape [batch, ...] and a source of shape [batch, size, ...]; their shapes are "
            f"{target_shape} and {source_shape}."
        )
    if target_shape[0] != source_shape[0]:
        raise ValueError(
            f"batch_jacobian needs the same first dimension, the batch, in target and source; their shapes are {target_shape} "
            f"and {source_shape}."
        )


class Rows:
    """The rows of the Jacobians of `target` with respect to each of `sources`, by a `walk` from a seed to a gradient of each source."""

    def __init__(self, target: Tensor, sources: list, batched: bool, walk: Callable[[Tensor], list]) -> None:
        self.target, self.sources, self.batched, self.walk = target, sources, batched, walk
        self.shape = tuple(target.shape)
        self.inner = self.shape[1:] if batched else self.shape
        self.count = math.prod(self.inner)

    def seeds(self, start: int, stop: int) -> Tensor:
        """Zeros with a one at element `start`, `start + 1`, … of the target (of every example at once, for a batch)."""
        chosen = np.zeros((stop - start, self.count), self.target.dtype.np)
        chosen[np.arange(stop - start), np.arange(start, stop)] = 1
        if self.batched:
            chosen = np.broadcast_to(chosen[:, None], (stop - start, self.shape[0], self.count))
        return EagerTensor(chosen.reshape(stop - start, *self.shape))

    def together(self, start: int, stop: int) -> list:
        """The rows from `start` to `stop` for each source, [rows, *source.shape], or None."""
        vectorizer = Vectorizer(stop - start)
        with entered(vectorizer.frame()):
            found = [_dense(g) for g in self.walk(vectorizer.mapped(self.seeds(start, stop)))]
        return [None if g is None else vectorizer.rows(g) for g in found]

    def one_by_one(self) -> Iterator[list]:
        for k in range(self.count):
            seed = EagerTensor(self.seeds(k, k + 1)._array[0])
            yield [None if (g := _dense(found)) is None else ops.reshape(g, shape=(1, *g.shape)) for found in self.walk(seed)]

    def chunks(self, size: int) -> list[list]:
        if size <= 1:
            return list(self.one_by_one())
        try:
            return [self.together(k, min(k + size, self.count)) for k in range(0, self.count, size)]
        except ValueNeeded:
            return list(self.one_by_one())

    def jacobians(self, size: int, zeros: bool) -> list:
        """For each source target.shape + source.shape, or [batch, *target.shape[1:], *source.shape[1:]] for a batch."""
        parts = self.chunks(size) if self.target.dtype.is_inexact else []
        columns = list(zip(*parts)) or [()] * len(self.sources)
        return [self._assembled(list(column), source, zeros) for column, source in zip(columns, self.sources)]

    def _assembled(self, column: list, source: Any, zeros: bool) -> Tensor | None:
        source_shape = tuple(source.shape)
        shape = self.shape + source_shape[1:] if self.batched else self.shape + source_shape
        if all(part is None for part in column):
            connected = not column and not self.count and self.target.dtype.is_inexact
            return EagerTensor(np.zeros(shape, source.dtype.np)) if zeros or connected else None
        whole = column[0] if len(column) == 1 else _joined(column)
        if self.batched:
            whole = ops.transpose(whole, perm=(1, 0, *range(2, len(source_shape) + 1)))
        return whole if tuple(whole.shape) == shape else ops.reshape(whole, shape=shape)


def _joined(parts: list) -> Tensor:
    """The chunks one after the other. Where nobody watches each is let go of when it is copied, so that they are not there twice."""
    like = next(p for p in parts if p is not None)
    fill = lambda k: parts[k] if parts[k] is not None else ops.zeros_like(like)
    frame = current()
    if not frame.eager or frame.observers or any(p is not None and type(p) is not EagerTensor for p in parts):
        return ops.concat(*map(fill, range(len(parts))), axis=0)
    rows = [1 if p is None else p.shape[0] for p in parts]
    whole, at = np.zeros((sum(rows), *like.shape[1:]), like.dtype.np), 0
    for k, n in enumerate(rows):
        if parts[k] is not None:
            whole[at : at + n] = parts[k]._array
        parts[k], at = None, at + n
    return EagerTensor(whole)


def chunk_size(records: list, target: Any, sources: list, rows: int) -> int:
    """How many rows to walk together so that the arrays in flight stay under the limit: each takes a row's size times the rows."""
    itemsize = target.dtype.size
    sizes = (_largest_kept(saved if out else (*saved[1], *saved[2]), itemsize) for out, _, _, saved in records)
    largest = max([bytes_of(target), *map(bytes_of, sources), *sizes], default=1)
    fitting = max(1, MEMORY_LIMIT // (ARRAYS_AT_ONCE * max(largest, 1)))
    if fitting >= rows:
        return max(rows, 2)
    return max(2, -(-rows // -(-rows // fitting)))  # chunks of about one size


def _largest_kept(saved: tuple, itemsize: int) -> int:
    """Of the tensors that a record keeps, and of those whose shape it keeps: the gradients in the walk are as large."""
    found = 0
    for value in saved:
        if isinstance(value, Tensor):
            found = max(found, bytes_of(value))
        elif type(value) is tuple:
            shape = value[0] if len(value) == 2 and isinstance(value[0], tuple) else value  # the specification of an output
            if all(type(d) is int for d in shape):
                found = max(found, math.prod(shape) * itemsize)
    return found


def bytes_of(value: Any) -> int:
    while type(value) is MappedTensor:
        value = value._held
    return math.prod(d or 1 for d in value.shape) * value.dtype.size


def of_dense(jacobian: Any, target: Any) -> Any:
    """From the Jacobian of the values of IndexedSlices to that of the tensor they stand for: rows of one index add up."""
    if jacobian is None or not isinstance(target, IndexedSlices):
        return jacobian
    return ops.unsorted_segment_sum(jacobian, target.indices, num_segments=target.shape[0])


def _dense(g: Any) -> Any:
    return g._dense() if isinstance(g, IndexedSlices) else g
