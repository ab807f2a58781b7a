"""Bands and diagonals. Positions are computed where they are used (XLA fuses that), not kept as constants as large as
the matrix."""

import jax.numpy as jnp
from jax import lax


def _offsets(rows, cols):
    """By how much each place of a matrix is right of the diagonal."""
    return lax.broadcasted_iota(jnp.int32, (rows, cols), 1) - lax.broadcasted_iota(jnp.int32, (rows, cols), 0)


def band_part(x, lower, upper):
    offset = _offsets(*x.shape[-2:])
    below = offset >= (-lower if lower >= 0 else -x.shape[-2])
    above = offset <= (upper if upper >= 0 else x.shape[-1])
    return jnp.where(below & above, x, jnp.zeros((), x.dtype))


def _lengths(rows, cols, d):
    return jnp.maximum(0, jnp.minimum(rows + jnp.minimum(d, 0), cols - jnp.maximum(d, 0)))


def _longest(rows, cols, k):
    """The longest of the diagonals k[0] to k[1]: the one nearest to the main one."""
    d = min(max(0, k[0]), k[1])
    return max(0, min(rows + min(d, 0), cols - max(d, 0)))


def _starts(d, lengths, longest, align):
    """Where the diagonals `d` begin in their rows of the packed form."""
    above, below = [side == "RIGHT" for side in align.split("_")]
    return jnp.where(jnp.where(d > 0, above, below), longest - lengths, 0)


def diag_part(x, k, align):
    rows, cols = x.shape[-2:]
    if k[0] == k[1]:
        return jnp.diagonal(x, k[0], -2, -1)
    longest = _longest(rows, cols, k)
    d = k[1] - jnp.arange(k[1] - k[0] + 1, dtype=jnp.int32)[:, None]
    lengths = _lengths(rows, cols, d)
    along = jnp.arange(longest, dtype=jnp.int32) - _starts(d, lengths, longest, align)
    found = x.at[..., along + jnp.maximum(-d, 0), along + jnp.maximum(d, 0)].get(mode="clip")
    return jnp.where((along >= 0) & (along < lengths), found, jnp.zeros((), x.dtype))


def diag_matrix(x, k, rows, cols, align):
    if not x.size:
        return jnp.zeros((*x.shape[: -1 if k[0] == k[1] else -2], rows, cols), x.dtype)
    d = _offsets(rows, cols)
    along = lax.broadcasted_iota(jnp.int32, (rows, cols), 0) + jnp.minimum(d, 0)
    if k[0] == k[1]:
        found = x.at[..., along].get(mode="clip")
    else:
        start = _starts(d, _lengths(rows, cols, d), x.shape[-1], align)
        found = x.at[..., k[1] - d, along + start].get(mode="clip")
    return jnp.where((d >= k[0]) & (d <= k[1]), found, jnp.zeros((), x.dtype))
