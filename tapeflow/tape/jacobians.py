"""Jacobians: one backward walk for many rows at once, each starting from one element of the target.

The walk runs under a `Vectorizer`, so the gradients in it are tensors with a hidden first axis, the rows. As many rows
go together as fit into memory; where a rule needs the value of a gradient (a `custom_gradient` that calls `.numpy()`),
rows go one by one.
"""

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.memory_limits import check_all_fit
from tapeflow.core.sizes import Size
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of, tensor_behind
from tapeflow.core.variables.variable import Variable
from tapeflow.vectorize.mapped import Vectorizer

from . import memory

_INSTEAD = (
    "Products with it need no such array: tape.gradient with output_gradients, tf.derivatives.hvp, jvp and vjp. "
    "Where rows belong to the examples of a batch, tape.batch_jacobian is smaller. Or take fewer outputs at a time."
)
_FEWER_EXAMPLES = (
    "Products with it need no such array: tape.gradient with output_gradients, tf.derivatives.jvp and vjp. Or take "
    "fewer examples, or fewer outputs, at a time."
)


def checked_one(value: Any, what: str, method: str) -> Any:
    """The tensor or variable, also where an array shows it."""
    value = tensor_behind(value)
    if not isinstance(value, (Tensor, Variable, IndexedSlices)):
        advice = "Call it once for each tensor, or concatenate them."
        if not isinstance(value, (list, tuple, dict)):
            advice = "It must be computed with tf operations inside the tape's `with` block, and stay a tensor."
        given = "None" if value is None else f"a {type(value).__name__}"
        raise AttributeError(
            f"{method} takes one tensor as {what}, got {given}. {advice}"
        )  # TensorFlow's type: it has no shape
    return value


def check_batches(target: Any, source: Any) -> None:
    target_shape, source_shape = tuple(target.sizes), tuple(source.sizes)
    if len(target_shape) < 1 or len(source_shape) < 2:
        raise ValueError(
            "batch_jacobian needs a target of shape [batch, ...] and a source of shape [batch, size, ...]; their "
            f"shapes are {target_shape} and {source_shape}."
        )
    if target_shape[0] != source_shape[0]:
        raise ValueError(
            "batch_jacobian needs the same first dimension, the batch, in target and source; their shapes are "
            f"{target_shape} and {source_shape}."
        )


class Rows:
    """The rows of the Jacobians of `target` with respect to each of `sources`, by a `walk` from a seed to a gradient
    of each source."""

    def __init__(self, target: Tensor, sources: list, batched: bool, walk: Callable[[Tensor], list]) -> None:
        self.target, self.sources, self.batched, self.walk = target, sources, batched, walk
        # There are as many rows as elements: they must be known. The size of a batch need not be.
        self.shape = tuple([d if batched and not k else operator.index(d) for k, d in enumerate(target.sizes)])
        self.inner = self.shape[1:] if batched else self.shape
        self.count = math.prod(self.inner)

    def seeds(self, start: int, stop: int) -> Tensor:
        """Zeros with a one at element `start`, `start + 1`, … of the target (of every example at once, for a
        batch)."""
        chosen = np.zeros((stop - start, self.count), self.target.dtype.np)
        chosen[np.arange(stop - start), np.arange(start, stop)] = 1
        if self.batched:
            chosen = chosen.reshape(stop - start, 1, *self.inner)
            if type(self.shape[0]) is Size:
                return ops.broadcast_to(EagerTensor(chosen), shape=(stop - start, *self.shape))
            chosen = np.broadcast_to(chosen, (stop - start, *self.shape))
        return EagerTensor(chosen.reshape(stop - start, *self.shape))

    def together(self, start: int, stop: int) -> list:
        """The rows from `start` to `stop` for each source, [rows, *source.shape], or None."""
        vectorizer = Vectorizer(stop - start)
        with entered(vectorizer.frame()):
            found = [_dense(g) for g in self.walk(vectorizer.mapped(self.seeds(start, stop)))]
        return [None if g is None else vectorizer.rows(g) for g in found]

    def one_by_one(self) -> Iterator[list]:
        for k in range(self.count):
            seed = ops.getitem(self.seeds(k, k + 1), index=(0,))
            yield [
                None if (g := _dense(found)) is None else ops.reshape(g, shape=(1, *g.sizes))
                for found in self.walk(seed)
            ]

    def chunks(self, size: int | None, guess: int) -> list[list]:
        """The rows, `size` of them at a time; None for as many as fit into memory, if a row's arrays are of the
        guessed size."""
        if size == 1:
            return self._all(self.one_by_one())
        try:
            return self._all(self._by_chunks(size, guess))
        except ValueNeeded:
            return self._all(self.one_by_one())

    def _by_chunks(self, size: int | None, guess: int) -> Iterator[list]:
        if size is not None or memory.fitting(guess) >= self.count:
            yield from (self.together(*part) for part in memory.chunks(self.count, size or max(self.count, 1)))
            return
        first = min(memory.FIRST, self.count)
        sizes = memory.Sizes(first)
        with entered(current().watched_by(sizes)):
            part = self.together(0, first)
        yield part
        for a, b in memory.chunks(self.count - first, memory.fitting(sizes.of_a_row)):
            yield self.together(first + a, first + b)

    def _all(self, parts: Iterator[list]) -> list[list]:
        """Every part, if the first of them shows that they fit into memory."""
        found: list[list] = []
        for part in parts:
            if not found:
                self._check_that_they_fit(part)
            found.append(part)
        return found

    def _check_that_they_fit(self, part: list) -> None:
        rows = memory.of_one_row(part)
        if self.batched:
            whole = [((*shape[:1], *self.inner, *shape[1:]), dtype) for shape, dtype in rows]
            check_all_fit(whole, "the Jacobian of each example", _FEWER_EXAMPLES)
        else:
            check_all_fit([((*self.shape, *shape), dtype) for shape, dtype in rows], "the Jacobian", _INSTEAD)

    def jacobians(self, size: int | None, guess: int, zeros: bool) -> list:
        """For each source target.shape + source.shape, or [batch, *target.shape[1:], *source.shape[1:]] for a
        batch."""
        parts = self.chunks(size, guess) if self.target.dtype.is_inexact else []
        columns = list(zip(*parts)) or [()] * len(self.sources)
        return [self._assembled(list(column), source, zeros) for column, source in zip(columns, self.sources)]

    def _assembled(self, column: list, source: Any, zeros: bool) -> Tensor | None:
        source_shape = tuple(sizes_of(source))
        shape = self.shape + source_shape[1:] if self.batched else self.shape + source_shape
        if all(part is None for part in column):
            connected = not column and not self.count and self.target.dtype.is_inexact
            return EagerTensor(np.zeros(shape, source.dtype.np)) if zeros or connected else None
        whole = column[0] if len(column) == 1 else _joined(column)
        if self.batched:
            whole = ops.transpose(whole, perm=(1, 0, *range(2, len(source_shape) + 1)))
        return whole if tuple(whole.sizes) == shape else ops.reshape(whole, shape=shape)


def _joined(parts: list) -> Tensor:
    """The chunks one after the other. Where nobody watches each is let go of when it is copied, so that they are not
    there twice."""
    like = next(p for p in parts if p is not None)
    fill = lambda k: parts[k] if parts[k] is not None else ops.zeros_like(like)
    frame = current()
    if not frame.eager or frame.observers or any(p is not None and type(p) is not EagerTensor for p in parts):
        return ops.concat(*map(fill, range(len(parts))), axis=0)
    rows = [1 if p is None else p.sizes[0] for p in parts]
    whole, at = np.zeros((sum(rows), *like.sizes[1:]), like.dtype.np), 0
    for k, n in enumerate(rows):
        if parts[k] is not None:
            whole[at : at + n] = parts[k].array
        parts[k], at = None, at + n
    return EagerTensor(whole)


def of_dense(jacobian: Any, target: Any) -> Any:
    """From the Jacobian of the values of IndexedSlices to that of the tensor they stand for: rows of one index add
    up."""
    if jacobian is None or not isinstance(target, IndexedSlices):
        return jacobian
    return ops.unsorted_segment_sum(jacobian, target.indices, num_segments=sizes_of(target)[0])


def _dense(g: Any) -> Any:
    return g.dense() if isinstance(g, IndexedSlices) else g
