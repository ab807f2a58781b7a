"""Adding up the gradients that reach one tensor by several paths."""

from typing import Any

import numpy as np

from tapeflow.core.slices import SparseGradient

# Terms are summed in groups of eight, as TensorFlow does: a hundred thousand terms lose far less in rounding than one by one.
_GROUP = 8


class Sum:
    """A running sum of gradients: arrays or tensors, dense or sparse. Arrays that it made itself are added to in place."""

    __slots__ = ("total", "part", "count", "slices")

    def __init__(self, first: Any, second: Any, owned: bool = False) -> None:
        """`owned`: `first` is a sum of two already, made for this purpose."""
        self.total = self.part = None
        self.count = 0
        self.slices: list[SparseGradient] = []
        self.add(first)
        self.count += owned
        self.add(second)

    def add(self, g: Any) -> None:
        if g is None:
            return
        if type(g) is SparseGradient:
            self.slices.append(g)
            return
        count = self.count
        if count == 0:
            self.part = g
        elif count == 1:  # the first term belongs to somebody else: from here on the part is ours
            self.part = self.part + g
        else:
            self.part = _added(self.part, g)
        self.count = count + 1
        if self.count == _GROUP:
            self._fold()

    def _fold(self) -> None:
        self.total = self.part if self.total is None else _added(self.total, self.part)
        self.part, self.count = None, 0

    def result(self, ops: Any) -> Any:
        if self.part is not None:
            self._fold()
        sparse = self._joined(ops) if self.slices else None
        if self.total is None or sparse is None:
            return self.total if sparse is None else sparse
        return self.total + sparse.dense(ops)

    def _joined(self, ops: Any) -> SparseGradient:
        """Sparse and sparse is concatenation: rows that repeat stay apart."""
        first, *others = self.slices
        if not others:
            return first
        values = ops.concat(*[s.values for s in self.slices], axis=0)
        return SparseGradient(values, ops.concat(*[s.indices for s in self.slices], axis=0), first.shape)


def total(ops: Any, gradients: list) -> Any:
    """The sum of gradients, each of which may be a Sum itself."""
    first, *others = [g.result(ops) if type(g) is Sum else g for g in gradients]
    running = Sum(first, None)
    for g in others:
        running.add(g)
    return running.result(ops)


def _added(ours: Any, g: Any) -> Any:
    if type(ours) is np.ndarray and type(g) is np.ndarray and ours.dtype is g.dtype:
        return np.add(ours, g, out=ours)
    return ours + g
