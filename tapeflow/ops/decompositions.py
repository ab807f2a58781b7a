"""Factors of matrices: Cholesky, QR, LU, eigenvalues, singular values.

None of these is a holomorphic function of the matrix, so the rules conjugate by themselves. Gradients are those of the real inner
product Re tr(Gᴴ dA); `adjoint` is the conjugate transpose. Eigenvectors and singular vectors have a free sign (or phase): we
take LAPACK's, and rules are right for every function that does not depend on it.
"""

import numpy as np

from tapeflow.core.dtypes import INEXACT
from tapeflow.core.primitive import NO_RULE, Spec, primitive

from .lapack import (
    adjoint,
    column,
    complex_of,
    each_matrix,
    gap_reciprocals,
    hermitian_from,
    lapack,
    real_of,
    reciprocal_or_zero,
    row,
)

# ---- Cholesky: A = L Lᴴ


def _cholesky_vjp(ops, g, y):
    """L⁻ᴴ Φ(Lᴴ g) L⁻¹, made symmetric; Φ is the lower triangle with half of the diagonal."""
    inner = ops.matmul(adjoint(ops, y), g)
    inner = ops.band_part(inner, lower=-1, upper=0) - ops.band_part(inner, lower=0, upper=0) * 0.5
    left = ops.triangular_solve(ops.conj(y), inner, lower=True, transpose=True)
    both = ops.matrix_transpose(ops.triangular_solve(y, ops.matrix_transpose(left), lower=True, transpose=True))
    return (both + adjoint(ops, both)) * 0.5


# Reads the lower triangle; the gradient is that of a symmetric matrix, both triangles alike, as TensorFlow's is.
cholesky = primitive(
    "cholesky(x)",
    kernel={"numpy": lapack(np.linalg.cholesky)},
    shape=lambda x: x,
    vjp=_cholesky_vjp,
    dtypes=INEXACT,
    holomorphic=False,
)

# ---- QR


def _qr_vjp(ops, g, q, r, x, full):
    g_q, g_r = g
    rows, cols = x.shape[-2:]
    if full and rows > cols:
        raise NotImplementedError(
            "The gradient of tf.linalg.qr is not implemented for full_matrices with more rows than columns: the extra columns of q "
            "are an arbitrary choice. Use full_matrices=False."
        )
    if rows >= cols:
        return _qr_vjp_tall(ops, g_q, g_r, q, r)
    # A = [X | Y] = Q [U | V]: the columns beyond the square block only see Q.
    first, rest = (Ellipsis, (None, rows, None)), (Ellipsis, (rows, None, None))
    g_v, y = ops.getitem(g_r, index=rest), ops.getitem(x, index=rest)
    g_q = g_q + ops.matmul(y, adjoint(ops, g_v))
    g_x = _qr_vjp_tall(ops, g_q, ops.getitem(g_r, index=first), q, ops.getitem(r, index=first))
    return ops.concat(g_x, ops.matmul(q, g_v), axis=len(x.shape) - 1)


def _qr_vjp_tall(ops, g_q, g_r, q, r):
    """(gQ + Q H) R⁻ᴴ, where H is the Hermitian matrix with the upper triangle of gR Rᴴ - Qᴴ gQ."""
    k = ops.matmul(g_r, adjoint(ops, r)) - ops.matmul(adjoint(ops, q), g_q)
    h = hermitian_from(ops, ops.band_part(k, lower=0, upper=-1))
    return adjoint(ops, ops.triangular_solve(r, adjoint(ops, g_q + ops.matmul(q, h)), lower=False, transpose=False))


def _qr_shape(x, full):
    *batch, rows, cols = x.shape
    inner = rows if full else min(rows, cols)
    return Spec(shape=(*batch, rows, inner), dtype=x.dtype), Spec(shape=(*batch, inner, cols), dtype=x.dtype)


qr = primitive(
    "qr(x, *, full)",
    kernel={"numpy": lapack(lambda x, full: tuple(np.linalg.qr(x, "complete" if full else "reduced")))},
    shape=_qr_shape,
    vjp=_qr_vjp,
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
        permutation = np.arange(len(pivots), dtype=index_dtype)
        for i, p in enumerate(pivots):
            permutation[i], permutation[p] = permutation[p], permutation[i]
        return packed, permutation

    return each_matrix(one, x)


lu = primitive(
    "lu(x, *, index_dtype)",
    kernel={"numpy": lapack(_lu)},
    shape=lambda x, index_dtype: (x, Spec(shape=x.shape[:-1], dtype=np.dtype(index_dtype))),
    vjp=NO_RULE,
    dtypes=INEXACT,
    outputs=("lu", "permutation"),
)

# ---- Hermitian matrices: A = V diag(w) Vᴴ


def _lower_half(ops, g):
    """The gradient of a function that reads only the lower triangle of a Hermitian matrix."""
    both = g + adjoint(ops, g)
    return ops.band_part(both, lower=-1, upper=0) - ops.band_part(both, lower=0, upper=0) * 0.5


def _eigh_vjp(ops, g, w, v, x_dtype):
    g_w, g_v = g
    n = w.shape[-1]
    inner = ops.cast(gap_reciprocals(ops, w), dtype=x_dtype) * ops.matmul(adjoint(ops, v), g_v)
    inner = inner + ops.diag_matrix(ops.cast(g_w, dtype=x_dtype), k=(0, 0), rows=n, cols=n, align="LEFT_LEFT")
    return _lower_half(ops, ops.matmul(v, ops.matmul(inner, adjoint(ops, v))))


# Reads the lower triangle, and its gradient is there too. Eigenvalues in ascending order, real.
eigh = primitive(
    "eigh(x)",
    kernel={"numpy": lapack(lambda x: tuple(np.linalg.eigh(x)))},
    shape=lambda x: (Spec(shape=x.shape[:-1], dtype=real_of(x.dtype)), x),
    vjp=_eigh_vjp,
    dtypes=INEXACT,
    outputs=("w", "v"),
    holomorphic=False,
)


def _eigvalsh_vjp(ops, g, x, x_dtype):
    _, v = ops.eigh(x)
    return _lower_half(ops, ops.matmul(v * row(ops, ops.cast(g, dtype=x_dtype)), adjoint(ops, v)))


eigvalsh = primitive(
    "eigvalsh(x)",
    kernel={"numpy": lapack(np.linalg.eigvalsh)},
    shape=lambda x: Spec(shape=x.shape[:-1], dtype=real_of(x.dtype)),
    vjp=_eigvalsh_vjp,
    dtypes=INEXACT,
    holomorphic=False,
)

# ---- square matrices: A V = V diag(w), complex


def _eig(x):
    w, v = np.linalg.eig(x)
    return w.astype(complex_of(x.dtype), copy=False), v.astype(complex_of(x.dtype), copy=False)


def _eig_vjp(ops, g, w, v, x_dtype):
    """V⁻ᴴ (diag(gw) + F̄∘(Vᴴ gV - Vᴴ V D)) Vᴴ; D, the real diagonal of Vᴴ gV, is there since every vector keeps its length."""
    g_w, g_v = g
    n = w.shape[-1]
    v_h = adjoint(ops, v)
    inner = ops.matmul(v_h, g_v)
    along = ops.real(ops.diag_part(inner, k=(0, 0), align="LEFT_LEFT"))
    inner = inner - ops.matmul(v_h, v) * row(ops, ops.cast(along, dtype=complex_of(x_dtype)))
    inner = ops.conj(gap_reciprocals(ops, w)) * inner + ops.diag_matrix(g_w, k=(0, 0), rows=n, cols=n, align="LEFT_LEFT")
    return ops.cast(ops.solve(v_h, ops.matmul(inner, v_h)), dtype=x_dtype)  # the real part, for a real matrix


eig = primitive(
    "eig(x)",
    kernel={"numpy": lapack(_eig)},
    shape=lambda x: (Spec(shape=x.shape[:-1], dtype=complex_of(x.dtype)), Spec(shape=x.shape, dtype=complex_of(x.dtype))),
    vjp=_eig_vjp,
    dtypes=INEXACT,
    outputs=("w", "v"),
    holomorphic=False,
    result="complex",
)


def _eigvals_vjp(ops, g, x, x_dtype):
    _, v = ops.eig(x)
    v_h = adjoint(ops, v)
    return ops.cast(ops.solve(v_h, column(ops, g) * v_h), dtype=x_dtype)


eigvals = primitive(
    "eigvals(x)",
    kernel={"numpy": lapack(lambda x: np.linalg.eigvals(x).astype(complex_of(x.dtype), copy=False))},
    shape=lambda x: Spec(shape=x.shape[:-1], dtype=complex_of(x.dtype)),
    vjp=_eigvals_vjp,
    dtypes=INEXACT,
    holomorphic=False,
    result="complex",
)

# ---- singular values: A = U diag(s) Vᴴ, in descending order


def _svd(x, full):
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    return s, u, np.conj(np.swapaxes(vh, -1, -2))


def _svd_shape(x, full):
    *batch, rows, cols = x.shape
    k = min(rows, cols)
    return (
        Spec(shape=(*batch, k), dtype=real_of(x.dtype)),
        Spec(shape=(*batch, rows, rows if full else k), dtype=x.dtype),
        Spec(shape=(*batch, cols, cols if full else k), dtype=x.dtype),
    )


def _svd_vjp(ops, g, s, u, v, x_dtype):
    g_s, g_u, g_v = g
    k = s.shape[-1]
    g_u, u = _thin(ops, g_u, u, k)
    g_v, v = _thin(ops, g_v, v, k)
    scale = row(ops, ops.cast(s, dtype=x_dtype))
    inverse = row(ops, ops.cast(reciprocal_or_zero(ops, s), dtype=x_dtype))
    gaps = ops.cast(gap_reciprocals(ops, s * s), dtype=x_dtype)
    u_h, v_h = adjoint(ops, u), adjoint(ops, v)
    along_u, along_v = ops.matmul(u_h, g_u), ops.matmul(v_h, g_v)
    turn_u, turn_v = gaps * along_u, gaps * along_v
    inner = (turn_u + adjoint(ops, turn_u)) * scale + ops.matrix_transpose(scale) * (turn_v + adjoint(ops, turn_v))
    inner = inner + ops.diag_matrix(ops.cast(g_s, dtype=x_dtype), k=(0, 0), rows=k, cols=k, align="LEFT_LEFT")
    if np.dtype(x_dtype).kind == "c":  # a phase that u and v share: only their relative phase is free to follow A
        phase = ops.band_part(adjoint(ops, along_v) - along_v, lower=0, upper=0)
        inner = inner + phase * inverse * 0.5
    out = ops.matmul(u, ops.matmul(inner, v_h))
    if u.shape[-2] > k:  # what leaves the span of u, and of v
        away = (g_u - ops.matmul(u, along_u)) * inverse
        out = out + ops.matmul(away, v_h)
    if v.shape[-2] > k:
        away = (g_v - ops.matmul(v, along_v)) * inverse
        out = out + ops.matmul(u, adjoint(ops, away))
    return out


def _thin(ops, g, vectors, k):
    """The first k vectors and their gradient. The others span what is left over: they turn as the first ones turn towards them."""
    if vectors.shape[-1] == k:
        return g, vectors
    first, rest = (Ellipsis, (None, k, None)), (Ellipsis, (k, None, None))
    kept, others = ops.getitem(vectors, index=first), ops.getitem(vectors, index=rest)
    pulled = ops.matmul(others, ops.matmul(adjoint(ops, ops.getitem(g, index=rest)), kept))
    return ops.getitem(g, index=first) - pulled, kept


svd = primitive(
    "svd(x, *, full)",
    kernel={"numpy": lapack(_svd)},
    shape=_svd_shape,
    vjp=_svd_vjp,
    dtypes=INEXACT,
    outputs=("s", "u", "v"),
    holomorphic=False,
)


def _singular_values_vjp(ops, g, x, x_dtype):
    _, u, v = ops.svd(x, full=False)
    return ops.matmul(u * row(ops, ops.cast(g, dtype=x_dtype)), adjoint(ops, v))


singular_values = primitive(
    "singular_values(x)",
    kernel={"numpy": lapack(lambda x: np.linalg.svd(x, compute_uv=False))},
    shape=lambda x: _svd_shape(x, False)[0],
    vjp=_singular_values_vjp,
    dtypes=INEXACT,
    holomorphic=False,
)
