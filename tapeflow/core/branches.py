"""Inside a vectorised function: code that is meant for some of the rows, and the values of all of them for checks.

Where a condition differs from row to row, both branches run for all rows and each row takes its part of the results. A branch must
not see the rows that did not choose it: a logarithm of what is negative there would be NaN, and its gradient NaN * 0. So `Branch`
shows it, in their place, a row that did choose it.
"""

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .errors import uneven_rows
from .frames import Frame, current, entered
from .primitive import recorded as ops
from .tensor import Tensor
from .vectorize import MappedTensor, Vectorizer


class Branch:
    """An executor on top of the current frame, for the rows where `chosen` (a mapped bool scalar) holds.

    Whatever existed before and differs from row to row is replaced at its first use: the other rows become copies of the first
    chosen one. Operations run in the frame below, where everybody who watches sees them, the replacement included.
    """

    __slots__ = ("chosen", "below", "levels", "safe", "made")

    def __init__(self, chosen: Tensor) -> None:
        self.chosen, self.below = chosen, current()
        self.levels: list[tuple] = []  # of nested maps that `chosen` differs in: its rows, and which of them is chosen first
        while type(chosen) is MappedTensor:
            owner, held = chosen._owner, chosen._held
            with entered(owner.below):
                self.levels.append((owner, chosen, ops.argmax(held, axis=0, dtype=np.dtype("int64"))))
                chosen = ops.reduce_any(held, axis=(0,), keepdims=False)
        self.safe: dict[int, tuple] = {}
        self.made: WeakValueDictionary = WeakValueDictionary()

    def run(self, function: Callable) -> Any:
        with entered(Frame(self, (), self.below.audience)):
            return function()

    def seen(self, value: Any) -> Any:
        """What the branch sees of a value from outside."""
        if type(value) is not MappedTensor or self.made.get(id(value)) is value:
            return value
        known = self.safe.get(id(value))
        if known is None:
            with entered(self.below):
                seen = value
                for owner, chosen, first in self.levels:
                    if _differs(seen, owner):
                        seen = ops.where(chosen, seen, ops.stop_gradient(_row(seen, owner, first)))
            known = self.safe[id(value)] = value, self._mark(seen)
        return known[1]

    def _mark(self, out: Any) -> Any:
        for o in out if type(out) is tuple else (out,):
            if type(o) is MappedTensor:
                self.made[id(o)] = o
        return out

    # ---- the executor

    def execute(self, prim: Any, args: tuple, params: dict) -> Any:
        return self.apply(lambda *seen: prim.entry(*seen, **params), args)

    def apply(self, function: Callable, args: Any) -> Any:
        """`function` of the tensors as the branch sees them, in the frame below."""
        args = [self.seen(a) for a in args]
        with entered(self.below):
            return self._mark(function(*args))

    def keys(self, key: Tensor) -> Tensor:
        with entered(self.below):
            return self._mark(self.below.executor.keys(key))

    def announce(self, rule: Any, inputs: tuple, outs: tuple, body: Any) -> None:
        with entered(self.below):
            rule.lifted(self, [True] * len(inputs), [True] * len(outs)).announce(inputs, outs, body)

    # ---- what lifted rules ask of an executor; a branch holds tensors as they are

    def resumed(self) -> "_Resumed":
        return _Resumed(self.chosen)

    def mapped(self, value: Tensor) -> Tensor:
        """A gradient, which is zero in the other rows: it is used as it is."""
        return self._mark(value)

    def rows(self, value: Tensor) -> Tensor:
        return value


class _Resumed(entered):
    """The branch once more, over whatever frame is current now."""

    __slots__ = ("branch",)

    def __init__(self, chosen: Tensor) -> None:
        self.branch = Branch(chosen)
        super().__init__(Frame(self.branch, (), self.branch.below.audience))

    def __enter__(self) -> Branch:
        super().__enter__()
        return self.branch


def _differs(value: Any, owner: Vectorizer) -> bool:
    while type(value) is MappedTensor:
        if value._owner is owner:
            return True
        value = value._held
    return False


def _row(value: MappedTensor, owner: Vectorizer, index: Tensor) -> Tensor:
    """One row of those that `owner` maps over; other maps' rows stay."""
    if value._owner is not owner:
        return MappedTensor(_row(value._held, owner, index), value._owner)
    with entered(owner.below):
        return ops.take(value._held, index, axis=0)


def largest(value: Tensor) -> np.ndarray:
    """The largest element, or -1 if there is none; inside a vectorised function that of each row."""
    values = values_of(value)
    rows = values.shape[: values.ndim - value.ndim]
    return values.reshape(*rows, int(np.prod(value.shape))).max(axis=-1, initial=-1)


def one_size(sizes: Any, what: str) -> int:
    """A size that depends on values, which must be the same for all rows of a vectorised function."""
    found = np.unique(sizes)
    if found.size > 1:
        raise uneven_rows(f"{what} is from {found[0]} to {found[-1]}, different from row to row.")
    return int(found[0]) if found.size else 0


def values_of(value: Tensor) -> np.ndarray:
    """The values of a tensor, for checks and messages only: of one that differs from row to row all rows, along leading axes.

    There is one leading axis for each map around, the outermost first, as far as the tensor differs in one of them; so the
    values of several tensors of the same rank broadcast.
    """
    executor, differs = current().executor, []
    while executor is not None and type(value) is MappedTensor:
        if isinstance(executor, Vectorizer):
            differs.append(value._owner is executor)
            value = value._held if differs[-1] else value
        elif isinstance(executor, Branch):
            with entered(executor.below):
                value = executor.seen(value)
        executor = executor.below.executor
    array = np.asarray(value._array)
    for axis, own in enumerate(reversed(differs)):
        array = array if own else np.expand_dims(array, axis)
    return array
