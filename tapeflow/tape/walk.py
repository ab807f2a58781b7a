"""The backward walk: from the gradients of the targets, over the records, last first. A loop; it never recurses."""

from typing import Any

import numpy as np

from tapeflow.core.primitive import bare, recorded
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor


def walk(records: list, grads: dict[int, Any], keep: set[int], *, plain: bool, conjugate: bool, consume: bool) -> None:
    """Turn the gradients of outputs in `grads` (by tensor id) into gradients of what they were computed from.

    `plain`: nobody records the walk, so rules get bare arrays. `consume`: let go of each record as the walk passes it.
    `conjugate`: complex numbers are about; rules are written as for real numbers and TensorFlow's gradient is the conjugate.
    """
    ops = bare if plain else recorded
    which = 1 if plain else 0
    take = records.pop if consume else reversed(records[:]).__next__
    for _ in range(len(records)):
        out, ids, pulls, saved = take()
        if out:
            g = grads.get(out) if out in keep else grads.pop(out, None)
            if g is None:
                continue
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
            if i in grads:
                grads[i] = accumulate(ops, grads[i], p)
            elif p is not None:
                grads[i] = p


def accumulate(ops: Any, a: Any, b: Any) -> Any:
    """a + b, where either may be sparse or None. Two sparse gradients are joined, as TensorFlow does."""
    if b is None or a is None:
        return a if b is None else b
    if type(a) is SparseGradient:
        if type(b) is SparseGradient:
            return SparseGradient(
                ops.concat(a.values, b.values, axis=0), ops.concat(a.indices, b.indices, axis=0), a.shape
            )
        a = a.dense(ops)
    elif type(b) is SparseGradient:
        b = b.dense(ops)
    return a + b


def _several(out_ids: list, specs: list, grads: dict, keep: set, ops: Any, plain: bool) -> tuple | None:
    """The gradients of several outputs; zeros for those that nothing reached."""
    gs = [(grads.get(i) if i in keep else grads.pop(i, None)) if i else None for i in out_ids]
    if all(g is None for g in gs):
        return None
    for k, (shape, dtype) in enumerate(specs):
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
