"""The backward walk: from the gradients of the targets, over the records, last first. A loop; it never recurses."""

from typing import Any

import numpy as np

from tapeflow.core.primitive import bare, recorded
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor

from .accumulation import Sum


def walk(records: list, grads: dict[int, Any], keep: set[int], *, plain: bool, conjugate: bool, consume: bool) -> None:
    """Turn the gradients of outputs in `grads` (by tensor id) into gradients of what they were computed from.

    `plain`: nobody records the walk, so rules get bare arrays. `consume`: let go of each record as the walk passes it.
    `conjugate`: complex numbers are about; rules are written as for real numbers and TensorFlow's gradient is the conjugate.
    """
    ops = bare if plain else recorded
    twice: set[int] = set()  # tensors whose gradient so far is a sum of two that was made here
    which = 1 if plain else 0
    take = records.pop if consume else reversed(records[:]).__next__
    for _ in range(len(records)):
        out, ids, pulls, saved = take()
        if out:
            g = grads.get(out) if out in keep else grads.pop(out, None)
            if g is None:
                continue
            if type(g) is Sum:
                g = g.result(ops)
            if type(g) is SparseGradient and not pulls[3]:
                g = g.dense(ops)
        else:
            out_ids, specs, saved = saved
            g = _several(out_ids, specs, grads, keep, ops, plain)
            if g is None:
                continue
        if conjugate and pulls[2]:
            pulled = [_conj(ops, p) for p in pulls[which](ops, _conj(ops, g), saved)]
        else:
            pulled = pulls[which](ops, g, saved)
        for i, p in zip(ids, pulled):
            if p is None:
                continue
            if i not in grads:
                grads[i] = p
                continue
            have = grads[i]
            if type(have) is Sum:
                have.add(p)
            elif i in twice or type(p) is SparseGradient or type(have) is SparseGradient:
                grads[i] = Sum(have, p, owned=i in twice)
            else:  # far the most frequent: two paths, and nothing to keep account of
                grads[i] = have + p
                twice.add(i)


def _several(out_ids: list, specs: list, grads: dict, keep: set, ops: Any, plain: bool) -> tuple | None:
    """The gradients of several outputs; zeros for those that nothing reached."""
    gs = [(grads.get(i) if i in keep else grads.pop(i, None)) if i else None for i in out_ids]
    if all(g is None for g in gs):
        return None
    for k, (shape, dtype) in enumerate(specs):
        if type(gs[k]) is Sum:
            gs[k] = gs[k].result(ops)
        if type(gs[k]) is SparseGradient:
            gs[k] = gs[k].dense(ops)
        elif gs[k] is None and out_ids[k]:
            zeros = np.zeros(shape, dtype)
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
