"""Inverses and systems of linear equations. Rules use plain transposes; the walk conjugates around them."""

from math import prod

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes, one_matrix_for_many
from tapeflow.core.dtypes import INEXACT
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import differ, spreads
from tapeflow.core.primitive import LINEAR, Spec, primitive, recorded as ops
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import (
    SINGULAR,
    adjoint,
    lapack,
    nan_for_unusable,
    of_matrices,
    of_square_matrices,
    refuse_nan,
)
from tapeflow.ops.batching import all_batched, matrices, refuse_vectors
from tapeflow.ops.broadcasting import LEADING_AXES

_EQUATIONS = dict(dtypes=INEXACT, broadcasts=LEADING_AXES, batch=matrices)


def _check_system(a, b):
    if len(b.shape) < 2 or differ(a.shape[-1], a.shape[-2]) or differ(a.shape[-1], b.shape[-2]):
        raise invalid(
            "Input matrix and rhs are incompatible: a square matrix and a right-hand side with as many rows are "
            f"needed, got shapes {tuple(a.shape)} and {tuple(b.shape)}. A vector of shape (n,) goes in as a column: "
            "rhs[:, tf.newaxis]."
        )


def _square_solution_shape(a, b, **_):
    _check_system(of_matrices(a), b)
    return _solution_shape(a, b)


def _solution_shape(a, b, **_):
    return Spec(shape=(*broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-1], b.shape[-1]), dtype=a.dtype)


def _of_square(solve):
    """A kernel that says so where the shapes do not fit."""

    def kernel(a, b, **params):
        _check_system(a, b)
        return solve(a, b, **params)

    return kernel


# ---- A⁻¹ and A⁻¹ b


def _inv_vjp(ops, g, y):
    back = ops.matrix_transpose(y)
    return -ops.matmul(back, ops.matmul(g, back))


inv = primitive(
    "inv(x)",
    kernel={"numpy": lapack(refuse_nan(np.linalg.inv, SINGULAR)), "jax": "linalg.solvers.inv"},
    shape=of_square_matrices,
    vjp=_inv_vjp,
    jvp=lambda ops, t, y: -ops.matmul(y, ops.matmul(t, y)),
    batch=matrices,
    dtypes=INEXACT,
)


def _solve_vjp(ops, g, a, y):
    g_b = ops.solve(ops.matrix_transpose(a), g)
    return -ops.matmul(g_b, ops.matrix_transpose(y)), g_b


solve = primitive(
    "solve(a, b)",
    kernel={
        "numpy": lapack(_of_square(refuse_nan(one_matrix_for_many(np.linalg.solve), SINGULAR))),
        "jax": "linalg.solvers.solve",
    },
    shape=_square_solution_shape,
    vjp={("a", "b"): _solve_vjp},
    jvp={"a": lambda ops, t, a, y: -ops.solve(a, ops.matmul(t, y)), "b": LINEAR},
    **_EQUATIONS,
)

# ---- triangular systems


def _triangular_solve(a, b, lower, transpose):
    n = a.shape[-1]
    if a.ndim == b.ndim == 2:
        return _one_triangular_solve(a, b, lower, transpose)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, (*batch, n, n)), np.broadcast_to(b, (*batch, *b.shape[-2:]))
    if n <= 16 and prod(batch) > n:  # one row of all of them at a time beats a Python loop over the matrices
        return _substitute(np.swapaxes(a, -1, -2) if transpose else a, b, forwards=lower != transpose)
    out = np.empty(b.shape, b.dtype)
    for i in np.ndindex(batch):
        out[i] = _one_triangular_solve(a[i], b[i], lower, transpose)
    return out


def _substitute(a, b, forwards):
    """Row by row, each with the rows before it: componentwise as exact as the triangle allows, which elimination with
    pivots is not."""
    n = a.shape[-1]
    out = np.empty(b.shape, b.dtype)
    for i in range(n) if forwards else range(n - 1, -1, -1):
        known = slice(0, i) if forwards else slice(i + 1, n)
        rest = b[..., i, :] - np.matmul(a[..., i, None, known], out[..., known, :])[..., 0, :]
        out[..., i, :] = rest / a[..., i, i, None]
    return out


def _one_triangular_solve(a, b, lower, transpose):
    """By BLAS, which unlike LAPACK divides by a zero on the diagonal without asking, as TensorFlow does. Everything is
    passed transposed, since BLAS reads columns first: xᵀ aᵀ = bᵀ."""
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


def _triangular_solve_jvp_a(ops, t, a, y, lower, transpose):
    t = ops.band_part(t, lower=-1 if lower else 0, upper=0 if lower else -1)
    moved = ops.matmul(ops.matrix_transpose(t) if transpose else t, y)
    return -ops.triangular_solve(a, moved, lower=lower, transpose=transpose)


# Only the lower (or upper) triangle of `a` is read; `transpose` solves aᵀ y = b.
triangular_solve = primitive(
    "triangular_solve(a, b, *, lower, transpose)",
    kernel={
        "numpy": lapack(_of_square(one_matrix_for_many(_triangular_solve))),
        "jax": "linalg.solvers.triangular_solve",
    },
    shape=_square_solution_shape,
    vjp={("a", "b"): _triangular_solve_vjp},
    jvp={"a": _triangular_solve_jvp_a, "b": LINEAR},
    **_EQUATIONS,
)

# ---- tridiagonal systems: `diagonals` are the rows (above, main, below), aligned with the rows of the matrix


def _tridiagonal_solve(diagonals, b, transpose):
    from scipy.linalg import get_lapack_funcs

    n = diagonals.shape[-1]
    batch = broadcast_shapes(diagonals.shape[:-2], b.shape[:-2])
    diagonals, b = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (diagonals, b)]
    out = np.empty(b.shape, b.dtype)
    if not out.size:
        return out
    (gtsv,) = get_lapack_funcs(("gtsv",), (diagonals, b))
    for i in np.ndindex(batch):
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
    rank = len(sizes_of(y))
    products = [left * (right if by == 0 else ops.shift(right, axis=rank - 2, by=by)) for by in (-1, 0, 1)]
    return -ops.stack(*[ops.reduce_sum(p, axis=(rank - 1,), keepdims=False) for p in products], axis=rank - 2), g_b


def _tridiagonal_solve_jvp_diagonals(ops, t, diagonals, y, transpose):
    """-M⁻¹ (T y), T being the tridiagonal matrix of `t`."""
    above, main, below = [ops.reshape(d, shape=(*d.sizes, 1)) for d in ops.unstack(t, axis=len(t.sizes) - 2)]
    shifted = lambda x, by: ops.shift(x, axis=len(x.sizes) - 2, by=by)
    if transpose:
        moved = shifted(above * y, 1) + main * y + shifted(below * y, -1)
    else:
        moved = above * shifted(y, -1) + main * y + below * shifted(y, 1)
    return -ops.tridiagonal_solve(diagonals, moved, transpose=transpose)


def _tridiagonal_shape(diagonals, b, transpose):
    if len(b.shape) < 2 or differ(of_matrices(diagonals).shape[-2], 3) or differ(diagonals.shape[-1], b.shape[-2]):
        raise invalid(
            "Three diagonals of shape (..., 3, n) and a right-hand side of shape (..., n, k) are needed, got "
            f"{tuple(diagonals.shape)} and {tuple(b.shape)}."
        )
    return _solution_shape(diagonals, b)


tridiagonal_solve = primitive(
    "tridiagonal_solve(diagonals, b, *, transpose)",
    kernel={"numpy": lapack(one_matrix_for_many(_tridiagonal_solve)), "jax": "linalg.solvers.tridiagonal_solve"},
    shape=_tridiagonal_shape,
    vjp={("diagonals", "b"): _tridiagonal_solve_vjp},
    jvp={"diagonals": _tridiagonal_solve_jvp_diagonals, "b": LINEAR},
    **_EQUATIONS,
)

# ---- matrices without an inverse


def _pinv_vjp(ops, g, x, y):
    """Golub and Pereyra's derivative of the pseudo-inverse, for matrices whose rank stays the same nearby."""
    y_h, g_h = adjoint(ops, y), adjoint(ops, g)
    outer, inner = ops.matmul(g_h, ops.matmul(y, y_h)), ops.matmul(ops.matmul(y_h, y), g_h)
    left = outer - ops.matmul(x, ops.matmul(y, outer))
    right = inner - ops.matmul(ops.matmul(inner, y), x)
    return left + right - ops.matmul(y_h, ops.matmul(g, y_h))


def _pinv_jvp(ops, t, x, y):
    t_h, y_h = adjoint(ops, t), adjoint(ops, y)
    left, right = ops.matmul(y, ops.matmul(y_h, t_h)), ops.matmul(t_h, ops.matmul(y_h, y))
    left = left - ops.matmul(ops.matmul(left, x), y)
    right = right - ops.matmul(y, ops.matmul(x, right))
    return left + right - ops.matmul(y, ops.matmul(t, y))


def _pinv_rows(op, args, batched, params):
    """`rcond` broadcasts against the leading axes of `x`, which needs the rows because it is what they are computed
    of."""
    refuse_vectors(op, args[:1], batched[:1])
    x, rcond = all_batched(args, batched)
    missing = len(x.sizes) - 1 - len(rcond.sizes)
    if missing < 0:
        raise invalid(
            f"rcond of shape {tuple(rcond.shape)[1:]} does not broadcast to the matrices of shape "
            f"{tuple(x.shape)[1:]}."
        )
    return op(x, ops.reshape(rcond, shape=(rcond.sizes[0], *(1,) * (missing - 1), *rcond.sizes[1:])))


def _pinv_shape(x, rcond):
    if not spreads(tuple(rcond.shape), tuple(of_matrices(x).shape[:-2])):
        raise invalid(
            f"rcond of shape {tuple(rcond.shape)} does not broadcast to the matrices of shape {tuple(x.shape)}."
        )
    return Spec(shape=(*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype)


# Singular values up to `rcond` times the largest count as 0.
pinv = primitive(
    "pinv(x, rcond)",
    kernel={"numpy": lapack(nan_for_unusable(np.linalg.pinv)), "jax": "linalg.solvers.pinv"},
    shape=_pinv_shape,
    vjp={"x": _pinv_vjp},
    jvp={"x": _pinv_jvp},
    batch=_pinv_rows,
    dtypes={"x": INEXACT, "rcond": INEXACT},
    holomorphic=False,
)


def _no_gradient(ops, g):
    raise ValueError(
        "Gradient not defined for fast=False. Use tf.linalg.lstsq(..., fast=True), or tf.linalg.pinv(matrix) @ rhs."
    )


def _least_squares_shape(a, b):
    if len(b.shape) < 2 or differ(of_matrices(a).shape[-2], b.shape[-2]):
        raise invalid(
            f"A matrix and a right-hand side with as many rows are needed, got shapes {tuple(a.shape)} and "
            f"{tuple(b.shape)}. A vector of shape (m,) goes in as a column: rhs[:, tf.newaxis]."
        )
    return _solution_shape(a, b)


def _least_squares(a, b):
    return np.matmul(nan_for_unusable(np.linalg.pinv)(a, np.finfo(a.dtype).eps * max(a.shape[-2:])), b)


# The shortest of the x that bring a x closest to b, whatever the rank of a.
least_squares = primitive(
    "least_squares(a, b)",
    kernel={
        "numpy": lapack(_least_squares),
        "jax": "linalg.solvers.least_squares",
    },
    shape=_least_squares_shape,
    vjp={"a": _no_gradient, "b": _no_gradient},
    batch=matrices,
    dtypes=INEXACT,
)
