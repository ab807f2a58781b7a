"""Determinants and cofactors, by the formulas of `tapeflow.ops.linalg.determinants`; in the precision of the matrix,
since accelerators have no fast double precision."""

import jax.numpy as jnp
import numpy as np

from .lapack import on_matrices, on_usable, with_nan_of


@on_matrices(square=True)
def det(x):
    sign, log = jnp.linalg.slogdet(x)
    return sign * jnp.exp(log).astype(x.dtype)  # the product of the pivots themselves could leave the range on the way


@on_matrices(square=True)
def slogdet(x):
    return with_nan_of(x, *jnp.linalg.slogdet(x))


def _turned(x):
    u, s, vh = on_usable(jnp.linalg.svd, x)
    sign = det(u) * det(vh)
    return jnp.conj(u), s.astype(x.dtype), jnp.conj(vh), sign[..., None, None]


def _products_of_others(s, count):
    left_out = np.eye(s.shape[-1], dtype=bool)
    if count == 2:
        left_out = left_out[:, None, :] | left_out[None, :, :]
    return jnp.prod(jnp.where(left_out, jnp.ones((), s.dtype), s[(..., *[None] * count, slice(None))]), axis=-1)


@on_matrices(square=True)
def cofactors(x):
    u, s, vh, sign = _turned(x)
    return sign * ((u * _products_of_others(s, 1)[..., None, :]) @ vh)


@on_matrices(square=True)
def cofactors_slope(x, direction):
    u, s, vh, sign = _turned(x)
    turned = jnp.swapaxes(u, -1, -2) @ direction @ jnp.swapaxes(vh, -1, -2)
    main = np.eye(s.shape[-1], dtype=bool)
    others = jnp.where(main, jnp.zeros((), s.dtype), _products_of_others(s, 2))
    along = others @ jnp.diagonal(turned, 0, -2, -1)[..., None]
    return sign * (u @ jnp.where(main, along, -others * jnp.swapaxes(turned, -1, -2)) @ vh)


def from_minors(x):
    n = x.shape[-3]
    rows = np.array([[j for j in range(n) if j != i] for i in range(n)], np.int32).reshape(n, max(n - 1, 0))
    places = (..., rows[:, None, :, None], rows[None, :, None, :])
    return jnp.zeros((*x.shape[:-4], n, n), x.dtype).at[places].add(x)
