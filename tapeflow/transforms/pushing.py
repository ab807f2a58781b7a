"""The observer behind forward mode: it keeps the tangent of every tensor and computes the pushforward of each
operation."""

import weakref
from typing import Any

import numpy as np

from tapeflow.core.contracts import Observer, Operation
from tapeflow.core.frames import Frame, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.record import Pullback
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor, identify
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of


class _Handle(weakref.ref):
    """Says which tensor has gone."""

    __slots__ = ("id",)

    id: int


class Pushing(Observer):
    """Tangents by the ids of their tensors. They are computed in the frame that was current when the accumulator was
    entered."""

    def __init__(self, primals: list, tangents: list) -> None:
        self.tangents = {(x.serial or identify(x)): t for x, t in zip(primals, tangents)}
        self.watched = self.tangents
        self.kept = primals
        self.alive: dict[int, _Handle] = {}
        me = weakref.ref(self)

        def forget(handle: _Handle) -> None:
            if (pushing := me()) is not None:
                pushing._gone(handle.id)

        self.forget = forget
        self.below: Frame  # set when it is entered

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        kind = prim.result(**params) if callable(prim.result) else prim.result
        if kind == "cut":
            return
        with entered(self.below):
            pushed = self._pushed(prim, args, params, out, mask)
        for y, t in zip(out if type(out) is tuple else (out,), pushed):
            if t is not None and y.dtype.is_inexact:
                self._learn(y, t)

    def _learn(self, tensor: Any, tangent: Any) -> None:
        """The tangent of a tensor, for as long as somebody has the tensor."""
        i = tensor.serial or identify(tensor)
        self.tangents[i] = tangent
        self.alive[i] = handle = _Handle(tensor, self.forget)
        handle.id = i

    def _gone(self, i: int) -> None:
        self.tangents.pop(i, None)
        self.alive.pop(i, None)

    def _pushed(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> Any:
        """The tangents of the outputs: by the primitive's forward rules, for inputs without one by its backward
        rules."""
        tangents = self.tangents
        pushforward = prim.pushforward(mask, len(args))
        found = None
        if pushforward.run is not None:
            ts = [tangents.get(a.serial) if mask >> k & 1 else None for k, a in enumerate(args)]
            for k in pushforward.zeros:
                ts[k] = ops.zeros_like(args[k])
            found = pushforward.run(ops, ts, out, params, *args)
            found = found if type(found) is tuple else (found,)
        if pushforward.rest and (recorder := prim.recorder(pushforward.rest, len(args))) is not None:
            _, ids, pullback, saved = recorder.record_any(0, out, params, *args)
            several = type(out) is tuple
            ts = [tangents[ids]] if isinstance(ids, int) else [tangents[i] for i in ids]
            other = transposed(
                pullback, saved, ts, out if several else (out,), several, doubtful=prim.body is not None
            )
            if other is None:
                # Not the transpose of anything: what the rule stands for has been seen, and has tangents too.
                other = [tangents.get(i) for i in prim.body or ()]
            found = other if found is None else [_total(a, b) for a, b in zip(found, other)]
        return found or ()

    def read(self, variable: Any, tensor: Any) -> None:
        if tensor is not None and variable.serial in self.tangents:
            self._learn(tensor, self.tangents[variable.serial])


def transposed(
    pullback: Pullback, saved: tuple, tangents: list, outs: tuple, several: bool, doubtful: bool
) -> list | None:
    """J t from the rule for Jᵀ u: it is linear in u, so the derivative of <Jᵀ u, t> by u is J t.

    A `doubtful` rule is a user's, and may be anything (one that clips gradients): None when it is not linear.
    """
    start = _FAR if doubtful else 1
    with GradientTape() as tape:
        us = {id(y): ops.identity(ops.zeros_like(y) + start) for y in outs if y.dtype.is_inexact}
        tape.watch(list(us.values()))
        gs = tuple(us.get(id(y)) for y in outs)
        pulled = pullback.on_tensors(ops, gs if several else gs[0], saved)
        pulled = pulled if isinstance(pulled, (tuple, list)) else [pulled]
        terms = [(_dense(p), t) for p, t in zip(pulled, tangents) if p is not None]
    if not terms:
        return [None] * len(outs)
    found = tape.gradient([p for p, _ in terms], list(us.values()), [_conj(t, pullback) for _, t in terms])
    if doubtful and not _same_products(terms, list(zip(us.values(), found))):
        return None
    found = dict(zip(us, found))
    return [_conj(found.get(id(y)), pullback) for y in outs]


# Where a user's rule is tried: far enough from 0 for rules that clip to show that they are not linear.
_FAR = 64


def _same_products(left: list, right: list) -> bool:
    """Is <Jᵀ u, t> the same as <u, J t>? (Of real numbers; where there are no values to compare nothing speaks against
    it.)"""
    pairs = [[(a, b) for a, b in side if b is not None] for side in (left, right)]
    every = [x for side in pairs for pair in side for x in pair]
    if any(x.dtype.is_complex or type(x) not in (EagerTensor, MappedTensor) for x in every):
        return True
    products = [[(values_of(a) * values_of(b)).astype(np.float64) for a, b in side] for side in pairs]
    one, other = [sum(float(p.sum()) for p in side) for side in products]
    size = sum(float(np.abs(p).sum()) for side in products for p in side)
    return not abs(one - other) > 1e-2 * size  # a comparison with nan says nothing


def _total(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


def _dense(g: Any) -> Any:
    return g.dense(ops) if type(g) is SparseGradient else g


def _conj(t: Any, pullback: Pullback) -> Any:
    """The walk conjugates around the transposed map; for holomorphic rules that is undone here."""
    return ops.conj(t) if t is not None and pullback.holomorphic and t.dtype.is_complex else t
