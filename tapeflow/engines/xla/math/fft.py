"""Cosine transforms and frames."""

import jax.numpy as jnp
import numpy as np


def _turns(angles, dtype):
    """exp(-i angle), computed in double precision beforehand."""
    return np.exp(-1j * np.pi * angles).astype(np.result_type(dtype, np.complex64))


def dct(x, kind, norm):
    if not x.size:
        return x
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    return _KINDS[kind](wide, norm == "ortho").astype(x.dtype)


def _ends(n, dtype, first, last=1.0):
    weights = np.ones(n, dtype)
    weights[-1], weights[0] = last, first
    return weights


def _dct1(x, ortho):
    """The spectrum of the sequence and its mirror image, which is real."""
    n = x.shape[-1]
    if ortho:
        x = x * _ends(n, x.dtype, 2**0.5, 2**0.5)
    out = jnp.real(jnp.fft.rfft(jnp.concatenate([x, x[..., -2:0:-1]], axis=-1)))
    return out * _ends(n, x.dtype, 0.5**0.5, 0.5**0.5) * (0.5 / (n - 1)) ** 0.5 if ortho else out


def _dct2(x, ortho):
    n = x.shape[-1]
    spectrum = jnp.fft.rfft(x, 2 * n)[..., :n]  # filled up with zeros
    out = 2 * jnp.real(spectrum * _turns(np.arange(n) / (2 * n), x.dtype))
    return out * _ends(n, x.dtype, 0.5**0.5) * (0.5 / n) ** 0.5 if ortho else out


def _dct3(x, ortho):
    n = x.shape[-1]
    if ortho:
        x = x * _ends(n, x.dtype, 2**0.5) * (0.5 / n) ** 0.5
    return jnp.fft.irfft(x * _turns(-np.arange(n) / (2 * n), x.dtype), 2 * n)[..., :n] * (2 * n)


def _dct4(x, ortho):
    n = x.shape[-1]
    spectrum = jnp.fft.fft(x * _turns(np.arange(n) / (2 * n), x.dtype), 2 * n)[..., :n]
    out = 2 * jnp.real(spectrum * _turns((2 * np.arange(n) + 1) / (4 * n), x.dtype))
    return out * (0.5 / n) ** 0.5 if ortho else out


_KINDS = {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}


def frame(x, length, step):
    frames = max(0, (x.shape[-1] - length) // step + 1)
    if not frames or not length:
        return jnp.zeros((*x.shape[:-1], frames, length), x.dtype)
    places = jnp.arange(frames, dtype=jnp.int32)[:, None] * step + jnp.arange(length, dtype=jnp.int32)
    return x.at[..., places].get(mode="promise_in_bounds")


def overlap_and_add(x, step):
    """The k-th part of every frame belongs k places further on. Rows that are one place shorter than they were, read
    on without a break, are shifted so: no scattered additions."""
    *batch, frames, length = x.shape
    if not frames or not length:
        return jnp.zeros((*batch, (frames - 1) * step + length if frames else 0), x.dtype)
    parts = -(-length // step)
    rows = frames + parts
    still = [(0, 0)] * len(batch)
    x = jnp.pad(x, [*still, (0, parts), (0, parts * step - length)]).reshape(*batch, rows, parts, step)
    x = jnp.swapaxes(x, -2, -3).reshape(*batch, parts * rows, step)[..., : parts * (rows - 1), :]
    out = x.reshape(*batch, parts, rows - 1, step).sum(axis=-3, dtype=x.dtype)
    return out.reshape(*batch, (rows - 1) * step)[..., : (frames - 1) * step + length]
