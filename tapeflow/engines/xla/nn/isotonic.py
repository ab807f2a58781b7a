"""Isotonic regression by pooling adjacent violators, all rows at once: one step adds an element or joins two
blocks."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def levels(x):
    if not x.size:
        return jnp.zeros(x.shape, jnp.int32)
    rows = x.reshape(-1, x.shape[-1]).astype(jax.dtypes.canonicalize_dtype(np.float64))
    return jax.vmap(_levels)(rows).reshape(x.shape)


def _levels(row):
    """A stack of blocks, each with its sum and size; the last joins the one before it while it is higher. Levels
    fall."""
    count = len(row)

    def higher(blocks, totals, sizes):
        return (blocks > 1) & (totals[blocks - 1] * sizes[blocks - 2] > totals[blocks - 2] * sizes[blocks - 1])

    def goes_on(state):
        done, *stack = state
        return (done < count) | higher(*stack)

    def step(state):
        done, blocks, totals, sizes = state
        join = higher(blocks, totals, sizes)
        at = jnp.where(join, blocks - 2, blocks)
        total = jnp.where(join, totals[blocks - 1] + totals[at], row[done])
        size = jnp.where(join, sizes[blocks - 1] + sizes[at], 1)
        return jnp.where(join, done, done + 1), at + 1, totals.at[at].set(total), sizes.at[at].set(size)

    start = (jnp.int32(0), jnp.int32(0), jnp.zeros_like(row), jnp.zeros_like(row))
    _, blocks, _, sizes = lax.while_loop(goes_on, step, start)
    ends = jnp.cumsum(jnp.where(jnp.arange(count) < blocks, sizes, 0).astype(jnp.int32))
    return jnp.searchsorted(ends, jnp.arange(count, dtype=jnp.int32), side="right").astype(jnp.int32)
