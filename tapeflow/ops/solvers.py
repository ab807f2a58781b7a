"""Inverses and systems of linear equations. Rules use plain transposes; the walk conjugates around them."""

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import INEXACT
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import Spec, primitive

from .lapack import adjoint, lapack

_EQUATIONS = dict(dtypes=INEXACT, broadcasts="batch")


def _solution_shape(a, b, **_):
    return Spec(shape=(*broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-1], b.shape[-1]), dtype=a.dtype)


def _checked(a, b):
    if b.ndim < 2 or a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
        raise invalid(
            f"A square matrix and a right-hand side with as many rows are needed, got shapes {a.shape} and {b.shape}. "
            "A vector of shape (n,) goes in as a column: rhs[:, tf.newaxis]."
        )
    return a, b


# ---- A⁻¹ and A⁻¹ b


def _inv_vjp(ops, g, y):
    back = ops.matrix_transpose(y)
    return -ops.matmul(back, ops.matmul(g, back))


inv = primitive("inv(x)", kernel={"numpy": lapack(np.linalg.inv)}, shape=lambda x: x, vjp=_inv_vjp, dtypes=INEXACT)


def _solve_vjp(ops, g, a, y):
    g_b = ops.solve(ops.matrix_transpose(a), g)
    return -ops.matmul(g_b, ops.matrix_transpose(y)), g_b


solve = primitive(
    "solve(a, b)",
    kernel={"numpy": lapack(lambda a, b: np.linalg.solve(*_checked(a, b)))},
    shape=_solution_shape,
    vjp={("a", "b"): _solve_vjp},
    **_EQUATIONS,
)

# ---- triangular systems


def _triangular_solve(a, b, lower, transpose):
    a, b = _checked(a, b)
    n = a.shape[-1]
    if a.ndim == b.ndim == 2:
        return _one_triangular_solve(a, b, lower, transpose)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if n <= 32:  # LU of all of them in one call beats a Python loop; a zero on the diagonal stops it
        try:
            triangles = np.tril(a) if lower else np.triu(a)
            return np.linalg.solve(np.swapaxes(triangles, -1, -2) if transpose else triangles, b)
        except np.linalg.LinAlgError:
            pass
    a, b = np.broadcast_to(a, (*batch, n, n)), np.broadcast_to(b, (*batch, *b.shape[-2:]))
    out = np.empty(b.shape, b.dtype)
    for i in np.ndindex(batch):
        out[i] = _one_triangular_solve(a[i], b[i], lower, transpose)
    return out


def _one_triangular_solve(a, b, lower, transpose):
    """By BLAS, which unlike LAPACK divides by a zero on the diagonal without asking, as TensorFlow does. Everything is passed
    transposed, since BLAS reads columns first: xᵀ aᵀ = bᵀ."""
    from scipy.linalg import get_blas_funcs

    if not b.size:
        return np.zeros(b.shape, b.dtype)
    (trsm,) = get_blas_funcs(("trsm",), (a, b))
    return trsm(1.0, a.T, b.T, side=1, lower=not lower, trans_a=int(transpose)).T


def _triangular_solve_vjp(ops, g, a, y, lower, transpose):
    g_b = ops.triangular_solve(a, g, lower=lower, transpose=not transpose)
    left, right = (y, g_b) if transpose else (g_b, y)
    g_a = -ops.matmul(left, ops.matrix_transpose(right))
    return ops.band_part(g_a, lower=-1 if lower else 0, upper=0 if lower else -1), g_b


# Only the lower (or upper) triangle of `a` is read; `transpose` solves aᵀ y = b.
triangular_solve = primitive(
    "triangular_solve(a, b, *, lower, transpose)",
    kernel={"numpy": lapack(_triangular_solve)},
    shape=_solution_shape,
    vjp={("a", "b"): _triangular_solve_vjp},
    **_EQUATIONS,
)

# ---- tridiagonal systems: `diagonals` are the rows (above, main, below), aligned with the rows of the matrix


def _tridiagonal_solve(diagonals, b, transpose):
    from scipy.linalg import get_lapack_funcs

    n = diagonals.shape[-1]
    if n == 0:
        return np.zeros(b.shape, b.dtype)
    (gtsv,) = get_lapack_funcs(("gtsv",), (diagonals, b))
    out = np.empty(b.shape, b.dtype)
    for i in np.ndindex(b.shape[:-2]):
        above, main, below = diagonals[i]
        above, below = above[:-1], below[1:]
        if n == 1:
            out[i] = b[i] / main
            continue
        *_, x, info = gtsv(above, main, below, b[i]) if transpose else gtsv(below, main, above, b[i])
        out[i] = x if info == 0 else np.nan
    return out


def _tridiagonal_solve_vjp(ops, g, diagonals, y, transpose):
    g_b = ops.tridiagonal_solve(diagonals, g, transpose=not transpose)
    left, right = (y, g_b) if transpose else (g_b, y)
    rank = len(y.shape)
    products = [left * (right if by == 0 else ops.shift(right, axis=rank - 2, by=by)) for by in (-1, 0, 1)]
    return -ops.stack(*[ops.reduce_sum(p, axis=(rank - 1,), keepdims=False) for p in products], axis=rank - 2), g_b


tridiagonal_solve = primitive(
    "tridiagonal_solve(diagonals, b, *, transpose)",
    kernel={"numpy": lapack(_tridiagonal_solve)},
    shape=lambda diagonals, b, transpose: b,
    vjp={("diagonals", "b"): _tridiagonal_solve_vjp},
    dtypes=INEXACT,
)

# ---- matrices without an inverse


def _pinv(x, rcond):
    return np.linalg.pinv(x, rcond)


def _pinv_vjp(ops, g, x, y):
    """Golub and Pereyra's derivative of the pseudo-inverse, for matrices whose rank stays the same nearby."""
    y_h, g_h = adjoint(ops, y), adjoint(ops, g)
    outer, inner = ops.matmul(g_h, ops.matmul(y, y_h)), ops.matmul(ops.matmul(y_h, y), g_h)
    left = outer - ops.matmul(x, ops.matmul(y, outer))
    right = inner - ops.matmul(ops.matmul(inner, y), x)
    return left + right - ops.matmul(y_h, ops.matmul(g, y_h))


# Singular values up to `rcond` times the largest count as 0.
pinv = primitive(
    "pinv(x, rcond)",
    kernel={"numpy": lapack(_pinv)},
    shape=lambda x, rcond: Spec(shape=(*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype),
    vjp={"x": _pinv_vjp},
    dtypes={"x": INEXACT, "rcond": INEXACT},
    holomorphic=False,
)


def _no_gradient(ops, g):
    raise ValueError("Gradient not defined for fast=False. Use tf.linalg.lstsq(..., fast=True), or tf.linalg.pinv(matrix) @ rhs.")


# The shortest of the x that bring a x closest to b, whatever the rank of a.
least_squares = primitive(
    "least_squares(a, b)",
    kernel={"numpy": lapack(lambda a, b: np.matmul(np.linalg.pinv(a, np.finfo(a.dtype).eps * max(a.shape[-2:])), b))},
    shape=_solution_shape,
    vjp={"a": _no_gradient, "b": _no_gradient},
    dtypes=INEXACT,
)
