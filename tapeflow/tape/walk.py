"""The backward walk: from the gradients of the targets, over the records, last first. A loop; it never recurses."""

from typing import Any

import numpy as np

from tapeflow.core.primitive import bare, recorded
from tapeflow.core.record import Pullback, Record, SeveralOutputs
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor

from .accumulation import Sum
from .recording import Refused


def walk(
    records: list[Any], grads: dict[int, Any], keep: set[int], plain: bool, conjugate: bool, consume: bool
) -> list[Refused]:
    """Turn the gradients of outputs in `grads` (by tensor id) into gradients of what they were computed from. Gives
    what rules have refused to give a gradient for.

    `plain`: nobody records the walk, so rules get bare arrays. `consume`: let go of each record as the walk passes it.
    `conjugate`: complex numbers are about; rules are written as for real numbers and TensorFlow's gradient is the
    conjugate.
    """
    ops = bare if plain else recorded
    arrivals = _Arrivals(grads)
    odd, twice = arrivals.odd, arrivals.twice
    if consume:
        records.insert(0, None)
        steps = iter(records.pop, None)
    else:
        steps = reversed(records[:])
    for out, ids, pullback, saved in steps:
        if pullback.unusual or conjugate:
            _unusual_step(out, ids, pullback, saved, arrivals, keep, ops, plain, conjugate)
            continue
        g = grads.pop(out, None)
        if g is None:
            continue
        if out in keep:
            grads[out] = g
        if odd and out in odd:
            g = _summed(ops, g)
        pull = pullback.on_arrays if plain else pullback.on_tensors  # (Called as methods they would cost 40 ns more.)
        pulled = pull(ops, g, saved)
        if type(ids) is int:
            if ids not in grads:
                grads[ids] = pulled
            elif ids in twice or ids in odd:
                arrivals.again(ids, pulled)
            else:  # far the most frequent meeting: two paths
                grads[ids] = grads[ids] + pulled
                twice.add(ids)
            continue
        for i, p in zip(ids, pulled):
            if i not in grads:
                grads[i] = p
            elif i in twice or i in odd:
                arrivals.again(i, p)
            else:
                grads[i] = grads[i] + p
                twice.add(i)
    return arrivals.refused


def leading_to(sources: set[int], records: list[Record]) -> list[Record]:
    """The records on a path from the sources, and of those the parts that are: nothing is computed for other
    inputs."""
    needed = set(sources)
    found: list[Record] = []
    for record in records:
        out, ids, pullback, saved = record
        if type(ids) is int:
            if ids not in needed:
                continue
        else:
            positions = tuple([k for k, i in enumerate(ids) if i in needed])
            if not positions:
                continue
            if len(positions) < len(ids) and pullback.restricted is not None:
                some = ids[positions[0]] if len(positions) == 1 else tuple([ids[k] for k in positions])
                record = Record(out, some, pullback.restricted(positions), saved)
        found.append(record)
        if out:
            needed.add(out)
        else:
            needed.update(saved.ids)
    return found


class _Arrivals:
    """Gradients that meet at a tensor. The first is stored by the walk itself; this is about the others."""

    __slots__ = ("grads", "twice", "odd", "refused")

    def __init__(self, grads: dict[int, Any]) -> None:
        self.grads = grads
        self.twice: set[int] = set()  # tensors whose gradient so far is a sum of two that was made here
        self.odd: set[int] = (
            set()
        )  # tensors whose gradient is a Sum or sparse: nearly always empty, so asking is nearly free
        self.refused: list[Refused] = []

    def again(self, i: int, p: Any) -> None:
        """A third path, or one where sparse gradients are about."""
        have, twice = self.grads[i], self.twice
        if type(have) is Sum:
            have.add(p)
        else:
            self.grads[i] = Sum(have, p, owned=i in twice)
            self.odd.add(i)

    def take(self, i: int, p: Any) -> None:
        """Any gradient, first or not, which may be sparse."""
        if i in self.grads:
            self.again(i, p)
        else:
            self.grads[i] = p
            if type(p) is SparseGradient:
                self.odd.add(i)


def _unusual_step(
    out: int,
    ids: Any,
    pullback: Pullback,
    saved: Any,
    arrivals: _Arrivals,
    keep: set[int],
    ops: Any,
    plain: bool,
    conjugate: bool,
) -> None:
    """A step over several outputs, sparse gradients, rules that return None, or complex numbers."""
    grads = arrivals.grads
    if out:
        g = grads.get(out) if out in keep else grads.pop(out, None)
        g = _summed(ops, g, keep_sparse=pullback.takes_sparse)
    else:
        outputs: SeveralOutputs = saved
        saved = outputs.saved
        g = _several(outputs, grads, keep, ops, plain)
    if g is None:
        return
    turn = conjugate and pullback.holomorphic
    pull = pullback.on_arrays if plain else pullback.on_tensors
    pulled = pull(ops, _conj(ops, g) if turn else g, saved)
    for k, (i, p) in enumerate([(ids, pulled)] if type(ids) is int else zip(ids, pulled)):
        if p is None:
            arrivals.refused.append(Refused(i, out or outputs.ids[0], pullback.title, pullback.inside, k))
        else:
            arrivals.take(i, _conj(ops, p) if turn else p)


def _summed(ops: Any, g: Any, keep_sparse: bool = False) -> Any:
    """A gradient that rules can read: summed up, and dense unless the rule takes sparse ones."""
    if type(g) is Sum:
        g = g.result(ops)
    return g.dense(ops) if type(g) is SparseGradient and not keep_sparse else g


def _several(outputs: SeveralOutputs, grads: dict, keep: set, ops: Any, plain: bool) -> tuple | None:
    """The gradients of several outputs; zeros for those that nothing reached (None for a rule that wants it so)."""
    gs = [(grads.get(i) if i in keep else grads.pop(i, None)) if i else None for i in outputs.ids]
    if all(g is None for g in gs):
        return None
    for k, spec in enumerate(outputs.specs):
        if gs[k] is not None:
            gs[k] = _summed(ops, gs[k])
        elif outputs.ids[k] and spec is not None:
            zeros = np.zeros(*spec)
            gs[k] = zeros if plain else EagerTensor(zeros)
    return tuple(gs)


def _conj(ops: Any, g: Any) -> Any:
    if type(g) is tuple:
        return tuple(_conj(ops, part) for part in g)
    if g is None:
        return None
    if type(g) is SparseGradient:
        return SparseGradient(ops.conj(g.values), g.indices, g.shape)
    return ops.conj(g)
