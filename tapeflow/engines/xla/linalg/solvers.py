"""Inverses and systems of linear equations."""

import jax.numpy as jnp
from jax import lax

from tapeflow.core.errors import invalid

from .lapack import adjoint, on_matrices, on_usable, one_matrix_for_many, with_nan_of


def _check_rows(a, b):
    if b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise invalid(
            "Input matrix and rhs are incompatible: a square matrix and a right-hand side with as many rows are "
            f"needed, got shapes {a.shape} and {b.shape}. A vector of shape (n,) goes in as a column: "
            "rhs[:, tf.newaxis]."
        )


@on_matrices(square=True)
def inv(x):
    return with_nan_of(x, jnp.linalg.inv(x))[0]


@on_matrices(square=True)
def solve(a, b):
    _check_rows(a, b)
    return one_matrix_for_many(lambda a, b: with_nan_of(a, jnp.linalg.solve(a, b))[0])(a, b)


@on_matrices(square=True)
def triangular_solve(a, b, lower, transpose):
    _check_rows(a, b)
    triangle = lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=lower, transpose_a=transpose)
    return one_matrix_for_many(triangle)(a, b)


@on_matrices
def tridiagonal_solve(diagonals, b, transpose):
    _check_rows(diagonals, b)
    return one_matrix_for_many(_tridiagonal_solve)(diagonals, b, transpose=transpose)


def _tridiagonal_solve(diagonals, b, transpose):
    above, main, below = [diagonals[..., i, :] for i in range(3)]
    if main.shape[-1] < 2:
        return b / main[..., None]
    first, last = jnp.zeros_like(main[..., :1]), jnp.zeros_like(main[..., :1])
    if transpose:
        above, below = [jnp.concatenate(x, axis=-1) for x in ((below[..., 1:], last), (first, above[..., :-1]))]
    else:
        above, below = [jnp.concatenate(x, axis=-1) for x in ((above[..., :-1], last), (first, below[..., 1:]))]
    return lax.linalg.tridiagonal_solve(below, main, above, b)


@on_matrices
def pinv(x, rcond):
    if 0 in x.shape:
        return jnp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    u, s, vh = on_usable(lambda x: jnp.linalg.svd(x, full_matrices=False), x)
    large = s > jnp.real(rcond).astype(s.dtype)[..., None] * s.max(axis=-1, keepdims=True)
    inverse = jnp.where(large, 1 / jnp.where(large, s, 1), 0).astype(x.dtype)
    return (adjoint(vh) * inverse[..., None, :]) @ adjoint(u)


@on_matrices
def least_squares(a, b):
    return pinv(a, jnp.finfo(a.dtype).eps * max(a.shape[-2:])) @ b
