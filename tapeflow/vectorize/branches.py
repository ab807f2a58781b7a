"""Branches under `tf.vmap` whose condition differs from row to row: both run, and neither sees rows of the other.

Where a condition differs from row to row, both branches run for all rows and each row takes its part of the results. A
branch must not see the rows that did not choose it: a logarithm of what is negative there would be NaN, and its
gradient NaN * 0. So `Branch` shows it, in their place, a row that did choose it.
"""

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tapeflow.core.contracts import BackwardRule, Operation
from tapeflow.core.frames import Frame, below, current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import fresh_key, per_row
from tapeflow.core.tensor import Tensor

from .mapped import MappedTensor, OnTop, Vectorizer


class Branch(OnTop):
    """An executor on top of the current frame, for the rows where `chosen` (a mapped bool scalar) holds.

    Whatever existed before and differs from row to row is replaced at its first use: the other rows become copies of
    the first chosen one. Operations run in the frame below, where everybody who watches sees them, the replacement
    included.
    """

    __slots__ = ("chosen", "levels", "safe", "made")

    def __init__(self, chosen: Tensor) -> None:
        self.chosen = chosen
        self.levels: list[
            tuple
        ] = []  # of nested maps that `chosen` differs in: its rows, and which of them is chosen first
        while type(chosen) is MappedTensor:
            owner, held = chosen.owner, chosen.held
            with entered(_under(owner)):
                self.levels.append((owner, chosen, ops.argmax(held, axis=0, dtype=np.dtype("int64"))))
                chosen = ops.reduce_any(held, axis=(0,), keepdims=False)
        self.safe: dict[tuple, tuple] = {}  # by the id of the value, and who was told of its replacement
        self.made: WeakValueDictionary = WeakValueDictionary()

    def frame(self) -> Frame:
        return Frame(self, (), current())

    def run(self, function: Callable[..., Any]) -> Any:
        with entered(self.frame()):
            return function()

    def seen(self, value: Any, frame: Frame) -> Any:
        """What the branch, in one on top of this frame, sees of a value from outside."""
        if type(value) is not MappedTensor or self.made.get(id(value)) is value:
            return value
        key = id(value), frame.audience, *[value.serial in observer.watched for observer in frame.audience]
        known = self.safe.get(key)
        if known is None:
            with entered(frame):
                seen = value
                for owner, chosen, first in self.levels:
                    if _differs(seen, owner):
                        seen = ops.where(chosen, seen, ops.stop_gradient(_row(seen, owner, first)))
            known = self.safe[key] = value, self._mark(seen)
        return known[1]

    def _mark(self, out: Any) -> Any:
        for o in out if type(out) is tuple else (out,):
            if type(o) is MappedTensor:
                self.made[id(o)] = o
        return out

    # ---- the executor

    def execute(self, prim: Operation, args: tuple[Any, ...], params: dict[Any, Any]) -> Any:
        return self.apply(lambda *seen: prim.entry(*seen, **params), args)

    def apply(self, function: Callable, args: Any) -> Any:
        """`function` of the tensors as the branch sees them, in the frame below."""
        with below() as frame:
            args = [self.seen(a, frame) for a in args]
            return self._mark(function(*args))

    def assign(self, variable: Any, value: Tensor) -> None:
        self.apply(lambda seen: variable.put_value(seen), [value])

    def fresh_key(self, source: Any) -> Tensor:
        with below():
            return self._mark(fresh_key(source))

    def keys(self, key: Tensor) -> Tensor:
        with below():
            return self._mark(per_row(key))

    def announce(self, rule: BackwardRule, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Any) -> None:
        self._mark(outs)
        with below():
            rule.lifted(self, [True] * len(inputs), [True] * len(outs)).announce(inputs, outs, body)

    # ---- what lifted rules ask of an executor; a branch holds tensors as they are

    def again(self) -> "Branch":
        """The same rows, of whatever is current now."""
        return Branch(self.chosen)

    def mapped(self, value: Tensor) -> Tensor:
        """A gradient, which is zero in the other rows: it is used as it is."""
        return self._mark(value)

    def rows(self, value: Tensor) -> Tensor:
        return value


def _under(owner: Vectorizer) -> Frame:
    """The frame below that of `owner`, which is one of those below the current one."""
    frame = current()
    while frame.executor is not owner and frame.below is not None:
        frame = frame.below
    assert frame.below is not None, "a map is on top of another frame"
    return frame.below


def _differs(value: Any, owner: Vectorizer) -> bool:
    while type(value) is MappedTensor:
        if value.owner is owner:
            return True
        value = value.held
    return False


def _row(value: MappedTensor, owner: Vectorizer, index: Tensor) -> Tensor:
    """One row of those that `owner` maps over; other maps' rows stay."""
    if value.owner is not owner:
        held = value.held
        assert isinstance(held, MappedTensor), "no map of its rows"
        return MappedTensor(_row(held, owner, index), value.owner)
    with entered(_under(owner)):
        return ops.take(value.held, index, axis=0)
