"""Eigenvalues and singular values. The signs of vectors, and the order of the eigenvalues of general matrices, are
those of the device's library; XLA has `eig` and `eigvals` on CPU and GPU, not on TPU."""

import jax.numpy as jnp
from jax import lax

from .lapack import adjoint, hermitian_of_lower, on_matrices


@on_matrices(square=True)
def eigh(x):
    v, w = lax.linalg.eigh(hermitian_of_lower(x), symmetrize_input=False)
    return w, v


@on_matrices(square=True)
def eigvalsh(x):
    return lax.linalg.eigh(hermitian_of_lower(x), symmetrize_input=False)[1]


@on_matrices(square=True)
def eig(x):
    return tuple(jnp.linalg.eig(x))


@on_matrices(square=True)
def eigvals(x):
    return jnp.linalg.eigvals(x)


@on_matrices
def svd(x, full):
    u, s, vh = jnp.linalg.svd(x, full_matrices=full)
    return s, u, adjoint(vh)


@on_matrices
def singular_values(x):
    return jnp.linalg.svd(x, compute_uv=False)
