"""Attention (see `ops/nn/attention.py`). Where all weights together are many, rows of queries take turns, so that only
theirs are there."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow.engines.numpy.nn.attention import by_heads, spread_heads

_AT_ONCE = 1 << 25  # weights
_BLOCK = 1 << 22


def _by_length(x):
    batch, shared, group, length, size = x.shape
    return x.transpose(0, 3, 1, 2, 4).reshape(batch, length, shared * group, size)


def _wide(x):
    return x.astype(jnp.float32) if x.dtype.itemsize < 4 else x


class _Weights:
    """The weights of some rows of queries."""

    def __init__(self, query, key, bias, mask, causal) -> None:
        shared = key.shape[2]
        self.query, self.key = by_heads(_wide(query), shared), by_heads(_wide(key), shared)
        self.bias, self.mask = spread_heads(bias, shared), spread_heads(mask, shared)
        self.causal, self.length, self.keys = causal, query.shape[1], key.shape[1]
        count = query.shape[0] * query.shape[2] * self.length * self.keys
        each = max(count // max(self.length, 1), 1)
        self.rows = self.length if count <= _AT_ONCE else min(max(_BLOCK // each, 1), self.length)

    def starts(self):
        """Where the blocks begin. The last one overlaps the one before it."""
        every = range(0, self.length, max(self.rows, 1))
        return jnp.array([min(i, self.length - self.rows) for i in every], jnp.int32)

    def cut(self, x, start, axis=-2):
        """The rows of a block, of what may have one row for all."""
        if x.shape[axis] == 1 or self.rows == self.length:
            return x
        return lax.dynamic_slice_in_dim(x, start, self.rows, axis % x.ndim)

    def of(self, start):
        """(queries, weights, which keys they may see) of the block."""
        queries = self.cut(self.query, start)
        logits = jnp.einsum("bhgqd,bhxkd->bhgqk", queries, self.key)
        logits = logits + self.cut(self.bias, start).astype(logits.dtype)
        allowed = self.cut(self.mask, start)
        if self.causal:
            allowed = allowed & (jnp.arange(self.keys) <= start + jnp.arange(self.rows)[:, None])
        logits = jnp.where(allowed, logits, np.finfo(logits.dtype).min / 2)
        weights = jnp.exp(logits - jnp.max(logits, -1, keepdims=True, initial=-jnp.inf))
        return queries, weights / jnp.sum(weights, -1, keepdims=True), allowed


def attention(query, key, value, bias, mask, causal):
    weights = _Weights(query, key, bias, mask, causal)
    values = by_heads(_wide(value), key.shape[2])
    of_rows = lambda start: jnp.einsum("bhgqk,bhxkd->bhgqd", weights.of(start)[1], values)
    if weights.rows == weights.length:
        out = of_rows(0)
    else:
        step = lambda out, start: (lax.dynamic_update_slice_in_dim(out, of_rows(start), start, 3), None)
        empty = jnp.zeros((*weights.query.shape[:-1], values.shape[-1]), values.dtype)
        out, _ = lax.scan(step, empty, weights.starts())
    return _by_length(out).astype(value.dtype)


def attention_grad(query, key, value, bias, mask, g, causal):
    weights = _Weights(query, key, bias, mask, causal)
    shared = key.shape[2]
    values, g = by_heads(_wide(value), shared), by_heads(_wide(g), shared)

    def of_rows(start, first):
        """What the block's rows from `first` on contribute; those before it were in the last block."""
        queries, p, allowed = weights.of(start)
        incoming = weights.cut(g, start)
        slope = jnp.einsum("bhgqd,bhxkd->bhgqk", incoming, values)
        slope = jnp.where(allowed, p * (slope - jnp.sum(slope * p, -1, keepdims=True)), 0)
        of_query = jnp.einsum("bhgqk,bhxkd->bhgqd", slope, weights.key)
        fresh = (start + jnp.arange(weights.rows) >= first)[:, None]
        return (
            of_query,
            jnp.einsum("bhgqk,bhgqd->bhkd", jnp.where(fresh, slope, 0), queries)[:, :, None],
            jnp.einsum("bhgqk,bhgqd->bhkd", jnp.where(fresh, p, 0), incoming)[:, :, None],
        )

    if weights.rows == weights.length:
        found = of_rows(0, 0)
    else:

        def step(found, places):
            start, first = places
            rows, of_key, of_value = of_rows(start, first)
            of_query = lax.dynamic_update_slice_in_dim(found[0], rows, start, 3)
            return (of_query, found[1] + of_key, found[2] + of_value), None

        firsts = jnp.arange(0, weights.length, weights.rows, dtype=jnp.int32)
        empty = tuple(map(jnp.zeros_like, (weights.query, weights.key, values)))
        found, _ = lax.scan(step, empty, (weights.starts(), firsts))
    return tuple(_by_length(x).astype(like.dtype) for x, like in zip(found, (query, key, value)))
