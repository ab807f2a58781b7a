"""The backward walk: from the gradients of the targets, over the records, last first. A loop; it never recurses."""

from typing import Any

import numpy as np

from tapeflow.core.primitive import bare, recorded
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor

from .accumulation import Sum


def walk(records: list, grads: dict[int, Any], keep: set[int], plain: bool, conjugate: bool, consume: bool) -> None:
    """Turn the gradients of outputs in `grads` (by tensor id) into gradients of what they were computed from.

    `plain`: nobody records the walk, so rules get bare arrays. `consume`: let go of each record as the walk passes it.
    `conjugate`: complex numbers are about; rules are written as for real numbers and TensorFlow's gradient is the conjugate.
    """
    ops = bare if plain else recorded
    which = 1 if plain else 0
    twice: set[int] = set()  # tensors whose gradient so far is a sum of two that was made here
    odd: set[int] = set()  # tensors whose gradient is a Sum or sparse; nearly always empty, so the question is nearly free
    if consume:
        records.insert(0, None)
        steps = iter(records.pop, None)
    else:
        steps = reversed(records[:])
    for out, ids, pulls, saved in steps:
        if out:
            g = grads.get(out) if out in keep else grads.pop(out, None)
            if g is None:
                continue
            if odd and out in odd:
                g = _settled(ops, g, keep_sparse=pulls[3])
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
                have = grads[i]
                if i not in twice and i not in odd and p is not None and type(p) is not SparseGradient:
                    grads[i] = have + p  # far the most frequent: two paths
                    twice.add(i)
                elif type(have) is Sum:
                    have.add(p)
                elif p is not None:
                    grads[i] = Sum(have, p, owned=i in twice)
                    odd.add(i)
            elif p is not None:
                grads[i] = p
                if type(p) is SparseGradient:
                    odd.add(i)


def _settled(ops: Any, g: Any, keep_sparse: bool) -> Any:
    """A gradient that rules can read: summed up, and dense unless the rule takes sparse ones."""
    if type(g) is Sum:
        g = g.result(ops)
    return g.dense(ops) if type(g) is SparseGradient and not keep_sparse else g


def _several(out_ids: list, specs: list, grads: dict, keep: set, ops: Any, plain: bool) -> tuple | None:
    """The gradients of several outputs; zeros for those that nothing reached."""
    gs = [(grads.get(i) if i in keep else grads.pop(i, None)) if i else None for i in out_ids]
    if all(g is None for g in gs):
        return None
    for k, (shape, dtype) in enumerate(specs):
        if gs[k] is not None:
            gs[k] = _settled(ops, gs[k], keep_sparse=False)
        elif out_ids[k]:
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
