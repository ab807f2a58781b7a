"""LU with partial pivoting of matrices of any shape, with derivatives: A[permutation] = L U.

Of `k` rows or columns, whichever are fewer, L keeps k columns and U k rows, packed into one matrix F. With the blocks

    A[permutation] = [A₁  A₂]    F = [F₁  U₂]    F₁ = L₁ below the diagonal (on which L₁ has 1), U₁ on it and above
                     [A₃   · ]       [L₃   · ]

(one of A₂, A₃ is there, or none) the derivative follows from M = L₁⁻¹ dA₁ U₁⁻¹ alone: dL₁ = L₁ tril(M), without the
diagonal, and dU₁ = triu(M) U₁; then dL₃ = dA₃ U₁⁻¹ - L₃ triu(M) and dU₂ = L₁⁻¹ dA₂ - tril(M) U₂.
"""

import numpy as np

from tapeflow.core.dtypes import INEXACT
from tapeflow.core.primitive import Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import diagonal, each_matrix, lapack, nan_at, of_matrices, row, with_diagonal
from tapeflow.ops.batching import matrices


def _lu_factor(x):
    from scipy.linalg import get_lapack_funcs

    *batch, rows, cols = x.shape
    if not x.size:
        order = np.broadcast_to(np.arange(rows, dtype=np.int32), (*batch, rows))
        return np.array(x), np.zeros((*batch, min(rows, cols)), np.int32), order.copy()
    (getrf,) = get_lapack_funcs(("getrf",), (x,))

    def one(matrix):
        packed, pivots, _ = getrf(matrix)
        order = np.arange(rows, dtype=np.int32)
        for i, p in enumerate(pivots):
            order[i], order[p] = order[p], order[i]
        return packed, pivots.astype(np.int32), order

    packed, pivots, order = each_matrix(one, x)
    return nan_at(np.isnan(x).any(axis=(-2, -1)), packed), pivots, order


def _shape(x):
    *batch, rows, cols = of_matrices(x).shape
    k = None if rows is None or cols is None else min(rows, cols)
    return (
        Spec(shape=x.shape, dtype=x.dtype),
        Spec(shape=(*batch, k), dtype=np.dtype(np.int32)),
        Spec(shape=(*batch, rows), dtype=np.dtype(np.int32)),
    )


# ---- parts of matrices


def _blocks(ops, x):
    """(x₁, x₂, x₃), None for a block that is not there."""
    rows, cols = sizes_of(x)[-2:]
    k = min(rows, cols)
    part = lambda r, c: ops.getitem(x, index=(Ellipsis, r, c))
    first, rest = (None, k, None), (k, None, None)
    return part(first, first), part(first, rest) if cols > k else None, part(rest, first) if rows > k else None


def _joined(ops, x1, x2, x3):
    rank = len(sizes_of(x1))
    if x2 is not None:
        return ops.concat(x1, x2, axis=rank - 1)
    return x1 if x3 is None else ops.concat(x1, x3, axis=rank - 2)


def _upper(ops, x):
    return ops.band_part(x, lower=0, upper=-1)


def _lower(ops, x):
    """Without the diagonal."""
    return x - _upper(ops, x)


def _unit_lower(ops, x):
    main = diagonal(ops, x)
    return _lower(ops, x) + with_diagonal(ops, ops.zeros_like(main) + 1)


def _rows(ops, x, order):
    """The rows of each matrix in its order."""
    along = ops.broadcast_to(row(ops, order), shape=(*sizes_of(x)[:-2], sizes_of(x)[-1], sizes_of(x)[-2]))
    return ops.matrix_transpose(ops.take_along(ops.matrix_transpose(x), along))


# ---- triangular systems: L⁻¹ x, L⁻ᵀ x, and x U⁻¹, x U⁻ᵀ by transposing them


def _left(ops, lower, x, transpose):
    return ops.triangular_solve(lower, x, lower=True, transpose=transpose)


def _right(ops, upper, x, transpose):
    return ops.matrix_transpose(
        ops.triangular_solve(upper, ops.matrix_transpose(x), lower=False, transpose=not transpose)
    )


# ---- rules


def _vjp(ops, g, lu, permutation):
    f1, u2, l3 = _blocks(ops, lu)
    g1, g_u2, g_l3 = _blocks(ops, g[0])
    l1, u1 = _unit_lower(ops, f1), _upper(ops, f1)
    below = ops.matmul(ops.matrix_transpose(l1), _lower(ops, g1))
    above = ops.matmul(_upper(ops, g1), ops.matrix_transpose(u1))
    g2 = g3 = None
    if u2 is not None:
        below = below - ops.matmul(g_u2, ops.matrix_transpose(u2))
        g2 = _left(ops, l1, g_u2, transpose=True)
    if l3 is not None:
        above = above - ops.matmul(ops.matrix_transpose(l3), g_l3)
        g3 = _right(ops, u1, g_l3, transpose=True)
    inner = _lower(ops, below) + _upper(ops, above)
    found = _joined(ops, _left(ops, l1, _right(ops, u1, inner, transpose=True), transpose=True), g2, g3)
    return _rows(ops, found, ops.argsort(permutation, descending=False))


def _jvp(ops, t, lu, permutation):
    f1, u2, l3 = _blocks(ops, lu)
    t1, t2, t3 = _blocks(ops, _rows(ops, t, permutation))
    l1, u1 = _unit_lower(ops, f1), _upper(ops, f1)
    inner = _right(ops, u1, _left(ops, l1, t1, transpose=False), transpose=False)
    below, above = _lower(ops, inner), _upper(ops, inner)
    t_u2 = t_l3 = None
    if u2 is not None:
        t_u2 = _left(ops, l1, t2, transpose=False) - ops.matmul(below, u2)
    if l3 is not None:
        t_l3 = _right(ops, u1, t3, transpose=False) - ops.matmul(l3, above)
    return _joined(ops, ops.matmul(l1, below) + ops.matmul(above, u1), t_u2, t_l3), None, None


# `pivots` are LAPACK's: with which row each was exchanged, one after the other. `permutation` is what comes of it.
lu_factor = primitive(
    "lu_factor(x)",
    kernel={"numpy": lapack(_lu_factor), "jax": "linalg.decompositions.lu_factor"},
    shape=_shape,
    vjp=_vjp,
    jvp=_jvp,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("lu", "pivots", "permutation"),
)
