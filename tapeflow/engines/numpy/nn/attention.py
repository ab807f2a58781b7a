"""Attention block by block: a block of weights is made, used and forgotten, so that memory grows with the length of
the sequences and not with its square.

Blocks that stay in the cache also cost less than all weights at once: forward and backward, 8 heads of 512 by 512
weights took 0.7 of the time of separate products and softmax.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

_BLOCK = 1 << 18  # weights at a time


def by_heads(x, shared):
    """(batch, length, heads, size) as (batch, shared heads, heads that share one, length, size), a view."""
    batch, length, heads, size = x.shape
    return x.reshape(batch, length, shared, heads // shared, size).transpose(0, 2, 3, 1, 4)


def _by_length(x):
    """The other way round, a copy."""
    batch, shared, group, length, size = x.shape
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2, 4)).reshape(batch, length, shared * group, size)


def spread_heads(x, shared):
    """What is added to weights, or hides them, with an axis for the heads that share one."""
    batch, heads, rows, columns = x.shape
    split = (1, 1) if heads == 1 else (shared, heads // shared)
    return x.reshape(batch, *split, rows, columns)


def _wide(x):
    """Halves are summed in float32."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def _part(x, where):
    """The block of an array that broadcasts: an axis of one element is the same everywhere."""
    return x[tuple(slice(None) if n == 1 else s for n, s in zip(x.shape, where))]


def _blocks(batch, shared, group, length, keys) -> Iterator[tuple[slice, slice, slice]]:
    """(examples, shared heads, queries) of one block after the other."""
    each = max(group * length * keys, 1)
    rows = max(_BLOCK // max(group * keys, 1), 1) if each > _BLOCK else max(length, 1)
    heads = min(max(_BLOCK // each, 1), max(shared, 1))
    examples = max(_BLOCK // (each * heads), 1) if heads == shared else 1
    for b in range(0, batch, examples):
        for h in range(0, shared, heads):
            for r in range(0, length, rows):
                yield slice(b, b + examples), slice(h, h + heads), slice(r, min(r + rows, length))


class _Weights:
    """The weights of each block. Keys that no query of a block may see are left out where that changes nothing."""

    def __init__(self, query, key, bias, mask, causal) -> None:
        self.keys, shared = key.shape[1], key.shape[2]
        self.query, self.key = by_heads(_wide(query), shared), by_heads(_wide(key), shared)
        self.bias = spread_heads(bias, shared) if bias.size != 1 or bias.flat[0] else None
        self.mask = spread_heads(mask, shared) if mask.size != 1 or not mask.flat[0] else None
        self.causal, self.plain = causal, self.bias is None and self.mask is None
        self.allowed: Any = None

    def blocks(self) -> Iterator[tuple[tuple[slice, slice, slice], int, Any, Any]]:
        """(where, how many keys, the queries, the weights). `allowed` says which of the weights are of keys that may
        be seen, if there is a mask."""
        batch, shared, group, length, _ = self.query.shape
        for where in _blocks(batch, shared, group, length, self.keys):
            b, h, r = where
            seen = min(r.stop, self.keys) if self.causal and self.plain else self.keys
            queries = self.query[b, h, :, r]
            yield where, seen, queries, self._of(queries, self.key[b, h, :, :seen], (b, h, slice(None), r))

    def _of(self, queries, keys, where):
        logits = np.matmul(queries, keys.swapaxes(-1, -2))
        if self.bias is not None:
            logits += _part(self.bias, (*where, slice(None)))
        allowed = None if self.mask is None else _part(self.mask, (*where, slice(None)))
        if self.causal:
            rows = np.arange(where[-1].start, where[-1].stop)
            earlier = np.arange(logits.shape[-1]) <= rows[:, None]
            allowed = earlier if allowed is None else allowed & earlier
        self.allowed = None if self.mask is None else allowed
        if allowed is not None:
            # Finite: a query that may see nothing has weights, and gradients, that are numbers.
            np.copyto(logits, np.finfo(logits.dtype).min / 2, where=~allowed)
        logits -= np.maximum.reduce(logits, axis=-1, keepdims=True, initial=-np.inf)
        np.exp(logits, out=logits)
        logits /= np.add.reduce(logits, axis=-1, keepdims=True)
        return logits


def attention(query, key, value, bias, mask, causal):
    weights = _Weights(query, key, bias, mask, causal)
    values = by_heads(_wide(value), key.shape[2])
    out = np.empty((*weights.query.shape[:-1], values.shape[-1]), values.dtype)
    with np.errstate(invalid="ignore", divide="ignore"):
        for (b, h, r), seen, _, p in weights.blocks():
            np.matmul(p, values[b, h, :, :seen], out=out[b, h, :, r])
    return _by_length(out).astype(value.dtype, copy=False)


def attention_grad(query, key, value, bias, mask, g, causal):
    weights = _Weights(query, key, bias, mask, causal)
    shared = key.shape[2]
    values, g = by_heads(_wide(value), shared), by_heads(_wide(g), shared)
    of_query = np.empty_like(weights.query, order="C")
    of_key, of_value = np.zeros_like(weights.key, order="C"), np.zeros_like(values, order="C")
    with np.errstate(invalid="ignore", divide="ignore"):
        for (b, h, r), seen, queries, p in weights.blocks():
            incoming = g[b, h, :, r]
            of_value[b, h, :, :seen] += _over_group(np.matmul(p.swapaxes(-1, -2), incoming))
            slope = np.matmul(incoming, values[b, h, :, :seen].swapaxes(-1, -2))
            slope -= np.einsum("...i,...i->...", slope, p)[..., None]
            slope *= p
            if weights.allowed is not None:  # a query that may see nothing has weights that depend on nothing
                slope *= weights.allowed
            np.matmul(slope, weights.key[b, h, :, :seen], out=of_query[b, h, :, r])
            of_key[b, h, :, :seen] += _over_group(np.matmul(slope.swapaxes(-1, -2), queries))
    return tuple(
        _by_length(x).astype(like.dtype, copy=False)
        for x, like in ((of_query, query), (of_key, key), (of_value, value))
    )


def _over_group(x):
    """The sum over the heads that share one."""
    return x if x.shape[2] == 1 else np.add.reduce(x, axis=2, keepdims=True)
