"""Eigenvalues and singular values. The signs of vectors, and the order of the eigenvalues of general matrices, are
those of the device's library; XLA has `eig` and `eigvals` on CPU and GPU, not on TPU."""

import jax.numpy as jnp
from jax import lax

from .lapack import adjoint, hermitian_of_lower, on_matrices, on_usable


@on_matrices(square=True)
def eigh(x):
    v, w = _hermitian(x)
    return w, v


@on_matrices(square=True)
def eigvalsh(x):
    return _hermitian(x)[1]


def _hermitian(x):
    return on_usable(lambda x: lax.linalg.eigh(x, symmetrize_input=False), hermitian_of_lower(x))


@on_matrices(square=True)
def eig(x):
    return on_usable(jnp.linalg.eig, x)


@on_matrices(square=True)
def eigvals(x):
    return on_usable(jnp.linalg.eigvals, x)


@on_matrices
def svd(x, full):
    u, s, vh = on_usable(lambda x: jnp.linalg.svd(x, full_matrices=full), x)
    return s, u, adjoint(vh)


@on_matrices
def singular_values(x):
    return on_usable(lambda x: jnp.linalg.svd(x, compute_uv=False), x)
