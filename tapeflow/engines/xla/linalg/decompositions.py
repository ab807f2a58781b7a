"""Cholesky, QR, LU."""

import jax.numpy as jnp
from jax import lax

from .lapack import on_matrices, with_nan_of


@on_matrices(square=True)
def cholesky(x):
    return lax.linalg.cholesky(x, symmetrize_input=False)  # reads the lower triangle


@on_matrices
def qr(x, full):
    return tuple(jnp.linalg.qr(x, "complete" if full else "reduced"))


@on_matrices(square=True)
def lu(x, index_dtype):
    packed, _, permutation = lax.linalg.lu(x)
    return *with_nan_of(x, packed), permutation.astype(index_dtype)


@on_matrices
def lu_factor(x):
    packed, pivots, permutation = lax.linalg.lu(x)
    return *with_nan_of(x, packed), pivots, permutation
