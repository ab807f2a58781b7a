"""Accumulation: adding up the gradients that reach one tensor by several paths."""

from typing import Any

import numpy as np

from tapeflow.core.devices import raw
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor, Tensor

# Small terms wait and are summed in groups of eight, in the order of the program, as TensorFlow does: a hundred
# thousand terms lose far less in rounding than one by one. Large ones are added at once, so that they do not wait in
# memory.
_GROUP = 8
_BYTES_THAT_MAY_WAIT = 1 << 20


class Sum:
    """A running sum of gradients: arrays or tensors, dense or sparse. Arrays that it made itself are added to in
    place."""

    __slots__ = ("total", "owned", "waiting", "room", "slices")

    def __init__(self, first: Any, second: Any = None, owned: bool = False) -> None:
        """`owned`: `first` was made for this sum, and may be changed."""
        self.total, self.owned = None, False
        self.waiting: list[Any] = []
        self.slices: list[SparseGradient] = []
        self.room = 1
        if owned:
            self.total, self.owned = first, True
        else:
            self.add(first)
        self.add(second)

    def add(self, g: Any) -> None:
        if g is None:
            return
        if type(g) is SparseGradient:
            self.slices.append(g)
            return
        if not self.waiting:
            array = raw(g) if isinstance(g, EagerTensor) else g
            self.room = max(1, _BYTES_THAT_MAY_WAIT // max(1, getattr(array, "nbytes", 32)))
        self.waiting.append(g)
        if len(self.waiting) > self.room:
            self._fold()

    def _fold(self) -> None:
        terms = self.waiting[::-1]
        for k in range(0, len(terms), _GROUP):
            part, mine = terms[k], False
            for term in terms[k + 1 : k + _GROUP]:
                part, mine = _added(part, term, mine), True
            if self.total is None:
                self.total, self.owned = part, mine
            else:
                self.total, self.owned = _added(self.total, part, self.owned), True
        self.waiting.clear()

    def result(self, ops: Any) -> Any:
        if self.waiting:
            self._fold()
        sparse = self._joined(ops) if self.slices else None
        if self.total is None or sparse is None:
            return self.total if sparse is None else sparse
        return self.total + sparse.dense(ops)

    def _joined(self, ops: Any) -> SparseGradient:
        """Sparse and sparse is concatenation, in the order of the program: rows that repeat stay apart."""
        if len(self.slices) == 1:
            return self.slices[0]
        parts = self.slices[::-1]
        values = ops.concat(*[s.values for s in parts], axis=0)
        indices = [s.indices for s in parts]
        if len({_wholes(i) for i in indices}) > 1:  # a lookup by int32, another by int64
            indices = [ops.cast(i, dtype=np.dtype(np.int64)) for i in indices]
        return SparseGradient(values, ops.concat(*indices, axis=0), parts[0].shape)


def total(ops: Any, gradients: list) -> Any:
    """The sum of gradients that came in the order of the program; each may be a Sum itself."""
    first, *others = [g.result(ops) if type(g) is Sum else g for g in reversed(gradients)]
    running = Sum(first)
    for g in others:
        running.add(g)
    return running.result(ops)


def _wholes(indices: Any) -> np.dtype:
    return indices.dtype.np if isinstance(indices, Tensor) else indices.dtype


def _added(a: Any, b: Any, a_is_ours: bool) -> Any:
    if a_is_ours and type(a) is np.ndarray and type(b) is np.ndarray and a.dtype is b.dtype:
        return np.add(a, b, out=a)
    return a + b
