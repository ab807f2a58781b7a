"""Standard normal numbers between bounds, by rejection."""

import numpy as np

from tapeflow.core.random import philox
from tapeflow.engines.recipes import TRIES, normal, recipes

from .words import as_normal, as_uniform


def between(key, low, high, samples):
    """`samples` numbers for each of two vectors of bounds, in rows. The numbers of a row follow one another in the
    stream."""
    dtype = low.dtype
    width = 2 if dtype == np.float64 else 4
    flipped = ((low == -np.inf) | (high < 0)) & (high != np.inf)
    wide = np.promote_types(dtype, np.float32) if dtype.kind == "f" else np.dtype("float32")
    least, most = (
        np.where(flipped, -high, low).astype(wide)[:, None],
        np.where(flipped, -low, high).astype(wide)[:, None],
    )
    first = -(-np.arange(len(low)) * samples * TRIES // width)
    out = np.full((len(low), samples), np.nan, wide)
    for recipe, mine in recipes(np, least, most):
        left, have, read = np.flatnonzero(mine), np.zeros(len(low), np.int64), 0
        while left.size and samples:
            count = max(4, (samples - int(have[left].min())) // width * 2)
            at = first[left, None] + np.arange(read, read + count)
            words = philox.blocks_at(key, at.astype(np.uint64)).reshape(len(left), -1)
            drawn = as_normal(words, wide) if recipe is normal else as_uniform(words, dtype).astype(wide)
            with np.errstate(divide="ignore", over="ignore"):
                z, good = recipe(np, least[left], most[left], drawn.reshape(len(left), count, width))
            place = have[left, None] + np.cumsum(good, 1) - 1
            good &= place < samples
            rows = np.broadcast_to(left[:, None], z.shape)
            out[rows[good], place[good]] = z[good]
            have[left] = place[:, -1] + 1
            left, read = left[have[left] < samples], read + count
    return np.clip(np.where(flipped[:, None], -out, out).astype(dtype), low[:, None], high[:, None])
