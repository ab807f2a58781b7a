"""Gamma distributed numbers, by Marsaglia and Tsang (2000): a cube of a normal number, accepted by a uniform one."""

import numpy as np

from .buffers import Blocks, normals, uniforms

STRIDE = 256


def gamma(key, alpha, numbers):
    """One number for each of `alpha`, in its dtype; `numbers` says which one of the draw it is."""
    dtype = alpha.dtype
    blocks = Blocks(key, numbers, STRIDE)
    normal, uniform = normals(blocks, dtype), uniforms(blocks, dtype)
    out = np.full(alpha.shape, np.nan, dtype)
    valid = alpha > 0
    out[alpha == 0] = 0
    ones = np.flatnonzero(alpha == 1)
    out[ones] = -np.log1p(-uniform.next(ones))
    left = np.flatnonzero(valid & (alpha != 1))
    d = alpha + np.where(alpha < 1, dtype.type(2 / 3), dtype.type(-1 / 3))
    with np.errstate(invalid="ignore", divide="ignore"):
        c = dtype.type(1 / 3) / np.sqrt(d)
    while left.size:
        x = normal.next(left)
        v = 1 + c[left] * x
        positive = v > 0
        tried, x, v = left[positive], x[positive], v[positive]
        v = v * v * v
        u = uniform.next(tried)
        square = x * x
        with np.errstate(divide="ignore"):
            good = u < 1 - dtype.type(0.0331) * square * square
            good |= np.log(u) < dtype.type(0.5) * square + d[tried] * (1 - v + np.log(v))
        found = tried[good]
        out[found] = d[found] * v[good]
        small = found[alpha[found] < 1]
        if small.size:
            out[small] *= uniform.next(small) ** (1 / alpha[small])
        left = np.concatenate([left[~positive], tried[~good]])
    return out
