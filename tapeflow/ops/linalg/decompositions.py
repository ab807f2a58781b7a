"""Triangular factors of matrices: Cholesky, QR, LU.

None of these is a holomorphic function of the matrix, so the rules conjugate by themselves. Gradients are those of the
real inner product Re tr(Gᴴ dA); `adjoint` is the conjugate transpose.
"""

import numpy as np

from tapeflow.core.dtypes import INEXACT
from tapeflow.core.primitive import NO_RULE, Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import (
    SINGULAR,
    adjoint,
    each_matrix,
    hermitian_from,
    lapack,
    of_matrices,
    of_square_matrices,
)
from tapeflow.ops.batching import matrices

# ---- Cholesky: A = L Lᴴ


def _half(ops, x):
    """Φ: the lower triangle with half of the diagonal."""
    return ops.band_part(x, lower=-1, upper=0) - ops.band_part(x, lower=0, upper=0) * 0.5


def _cholesky_vjp(ops, g, y):
    """L⁻ᴴ Φ(Lᴴ g) L⁻¹, made symmetric."""
    inner = _half(ops, ops.matmul(adjoint(ops, y), g))
    left = ops.triangular_solve(ops.conj(y), inner, lower=True, transpose=True)
    both = ops.matrix_transpose(ops.triangular_solve(y, ops.matrix_transpose(left), lower=True, transpose=True))
    return (both + adjoint(ops, both)) * 0.5


def _cholesky_jvp(ops, t, y):
    """L Φ(L⁻¹ dA L⁻ᴴ), dA being `t` made symmetric."""
    left = ops.triangular_solve(y, (t + adjoint(ops, t)) * 0.5, lower=True, transpose=False)
    both = ops.triangular_solve(y, adjoint(ops, left), lower=True, transpose=False)
    return ops.matmul(y, _half(ops, adjoint(ops, both)))


# Reads the lower triangle; the gradient is that of a symmetric matrix, both triangles alike, as TensorFlow's is.
cholesky = primitive(
    "cholesky(x)",
    kernel={"numpy": lapack(np.linalg.cholesky), "jax": "linalg.decompositions.cholesky"},
    shape=of_square_matrices,
    vjp=_cholesky_vjp,
    jvp=_cholesky_jvp,
    batch=matrices,
    dtypes=INEXACT,
    holomorphic=False,
)

# ---- QR


def _is_wide(x, full):
    rows, cols = sizes_of(x)[-2:]
    if full and rows > cols:
        raise NotImplementedError(
            "The gradient of tf.linalg.qr is not implemented for full_matrices with more rows than columns: the "
            "extra columns of q are an arbitrary choice. Use full_matrices=False."
        )
    return rows < cols


def _columns(x):
    """Indices of the columns of the square block, and of those beyond it. A = [X | Y] = Q [U | V]: the latter only see
    Q."""
    rows = sizes_of(x)[-2]
    return (Ellipsis, (None, rows, None)), (Ellipsis, (rows, None, None))


def _qr_vjp(ops, g, q, r, x, full):
    g_q, g_r = g
    if not _is_wide(x, full):
        return _qr_vjp_tall(ops, g_q, g_r, q, r)
    first, rest = _columns(x)
    g_v, y = ops.getitem(g_r, index=rest), ops.getitem(x, index=rest)
    g_q = g_q + ops.matmul(y, adjoint(ops, g_v))
    g_x = _qr_vjp_tall(ops, g_q, ops.getitem(g_r, index=first), q, ops.getitem(r, index=first))
    return ops.concat(g_x, ops.matmul(q, g_v), axis=len(sizes_of(x)) - 1)


def _qr_vjp_tall(ops, g_q, g_r, q, r):
    """(gQ + Q H) R⁻ᴴ, where H is the Hermitian matrix with the upper triangle of gR Rᴴ - Qᴴ gQ."""
    k = ops.matmul(g_r, adjoint(ops, r)) - ops.matmul(adjoint(ops, q), g_q)
    h = hermitian_from(ops, ops.band_part(k, lower=0, upper=-1))
    return adjoint(ops, ops.triangular_solve(r, adjoint(ops, g_q + ops.matmul(q, h)), lower=False, transpose=False))


def _qr_jvp(ops, t, q, r, x, full):
    if not _is_wide(x, full):
        return _qr_jvp_tall(ops, t, q, r)
    first, rest = _columns(x)
    t_q, t_u = _qr_jvp_tall(ops, ops.getitem(t, index=first), q, ops.getitem(r, index=first))
    t_v = ops.matmul(adjoint(ops, q), ops.getitem(t, index=rest) - ops.matmul(t_q, ops.getitem(r, index=rest)))
    return t_q, ops.concat(t_u, t_v, axis=len(x.sizes) - 1)


def _qr_jvp_tall(ops, t, q, r):
    """dA R⁻¹ = dQ + Q (dR R⁻¹), of which Qᴴ dQ is skew-Hermitian and dR R⁻¹ upper triangular, with a real diagonal."""
    turned = ops.matrix_transpose(ops.triangular_solve(r, ops.matrix_transpose(t), lower=False, transpose=True))
    inner = ops.matmul(adjoint(ops, q), turned)
    upper = adjoint(ops, _half(ops, inner + adjoint(ops, inner)))
    return turned - ops.matmul(q, upper), ops.matmul(upper, r)


def _qr_shape(x, full):
    *batch, rows, cols = of_matrices(x).shape
    inner = rows if full else min(rows, cols)
    return Spec(shape=(*batch, rows, inner), dtype=x.dtype), Spec(shape=(*batch, inner, cols), dtype=x.dtype)


qr = primitive(
    "qr(x, *, full)",
    kernel={
        "numpy": lapack(lambda x, full: tuple(np.linalg.qr(x, "complete" if full else "reduced"))),
        "jax": "linalg.decompositions.qr",
    },
    shape=_qr_shape,
    vjp=_qr_vjp,
    jvp=_qr_jvp,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("q", "r"),
    holomorphic=False,
)

# ---- LU with partial pivoting: A[permutation] = L U


def _lu(x, index_dtype):
    from scipy.linalg import get_lapack_funcs

    if x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if not x.size:
        return np.array(x), np.zeros(x.shape[:-1], index_dtype)
    (getrf,) = get_lapack_funcs(("getrf",), (x,))

    def one(matrix):
        packed, pivots, _ = getrf(matrix)
        if not np.abs(packed.diagonal()).min() > 0:  # so for NaN
            raise np.linalg.LinAlgError(SINGULAR)
        permutation = np.arange(len(pivots), dtype=index_dtype)
        for i, p in enumerate(pivots):
            permutation[i], permutation[p] = permutation[p], permutation[i]
        return packed, permutation

    return each_matrix(one, x)


lu = primitive(
    "lu(x, *, index_dtype)",
    kernel={"numpy": lapack(_lu), "jax": "linalg.decompositions.lu"},
    shape=lambda x, index_dtype: (of_square_matrices(x), Spec(shape=x.shape[:-1], dtype=np.dtype(index_dtype))),
    vjp=NO_RULE,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("lu", "permutation"),
)
