"""Eigenvalues and singular values, and their vectors.

As in `decompositions`, the rules conjugate by themselves. Vectors have a free sign (or phase): we take LAPACK's, and
rules are right for every function that does not depend on it.
"""

import numpy as np

from tapeflow.core.dtypes import INEXACT
from tapeflow.core.primitive import Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import (
    NOT_CONVERGED,
    adjoint,
    column,
    complex_of,
    diagonal,
    gap_reciprocals,
    hermitian_from,
    lapack,
    nan_for_unusable,
    of_matrices,
    of_square_matrices,
    real_of,
    reciprocal_or_zero,
    refuse_nan,
    row,
    with_diagonal,
)
from tapeflow.ops.batching import matrices

# ---- Hermitian matrices: A = V diag(w) Vᴴ


def _lower_half(ops, g):
    """The gradient of a function that reads only the lower triangle of a Hermitian matrix."""
    both = g + adjoint(ops, g)
    return ops.band_part(both, lower=-1, upper=0) - ops.band_part(both, lower=0, upper=0) * 0.5


def _eigh_vjp(ops, g, w, v, x_dtype):
    g_w, g_v = g
    inner = ops.cast(gap_reciprocals(ops, w), dtype=x_dtype) * ops.matmul(adjoint(ops, v), g_v)
    inner = inner + with_diagonal(ops, ops.cast(g_w, dtype=x_dtype))
    return _lower_half(ops, ops.matmul(v, ops.matmul(inner, adjoint(ops, v))))


def _in_basis(ops, t, v):
    """Vᴴ dA V, dA being the Hermitian matrix of which the lower triangle of `t` is one half."""
    both = hermitian_from(ops, ops.band_part(t, lower=-1, upper=0))
    return ops.matmul(adjoint(ops, v), ops.matmul(both, v))


def _real_diagonal(ops, x, x_dtype):
    along = diagonal(ops, x)
    return ops.real(along) if x_dtype.kind == "c" else along


def _eigh_jvp(ops, t, w, v, x_dtype):
    inner = _in_basis(ops, t, v)
    return _real_diagonal(ops, inner, x_dtype), ops.matmul(v, ops.cast(gap_reciprocals(ops, w), dtype=x_dtype) * inner)


def _of_hermitian(function):
    return lapack(refuse_nan(function, NOT_CONVERGED, reads=np.tril))


# Reads the lower triangle, and its gradient is there too. Eigenvalues in ascending order, real.
eigh = primitive(
    "eigh(x)",
    kernel={"numpy": _of_hermitian(lambda x: tuple(np.linalg.eigh(x))), "jax": "linalg.spectra.eigh"},
    shape=lambda x: (Spec(shape=of_square_matrices(x).shape[:-1], dtype=real_of(x.dtype)), x),
    vjp=_eigh_vjp,
    jvp=_eigh_jvp,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("w", "v"),
    holomorphic=False,
)


def _eigvalsh_vjp(ops, g, x, x_dtype):
    _, v = ops.eigh(x)
    return _lower_half(ops, ops.matmul(v * row(ops, ops.cast(g, dtype=x_dtype)), adjoint(ops, v)))


eigvalsh = primitive(
    "eigvalsh(x)",
    kernel={"numpy": _of_hermitian(np.linalg.eigvalsh), "jax": "linalg.spectra.eigvalsh"},
    shape=lambda x: Spec(shape=of_square_matrices(x).shape[:-1], dtype=real_of(x.dtype)),
    vjp=_eigvalsh_vjp,
    jvp=lambda ops, t, x, x_dtype: _real_diagonal(ops, _in_basis(ops, t, ops.eigh(x)[1]), x_dtype),
    batch=matrices,
    dtypes=INEXACT,
    holomorphic=False,
)

# ---- square matrices: A V = V diag(w), complex


def _eig(x):
    w, v = np.linalg.eig(x)
    return w.astype(complex_of(x.dtype), copy=False), v.astype(complex_of(x.dtype), copy=False)


def _eig_vjp(ops, g, w, v, x_dtype):
    """V⁻ᴴ (diag(gw) + F̄∘(Vᴴ gV - Vᴴ V D)) Vᴴ; D, the real diagonal of Vᴴ gV, is there since every vector keeps its
    length."""
    g_w, g_v = g
    v_h = adjoint(ops, v)
    inner = ops.matmul(v_h, g_v)
    along = ops.real(diagonal(ops, inner))
    inner = inner - ops.matmul(v_h, v) * row(ops, ops.cast(along, dtype=complex_of(x_dtype)))
    inner = ops.conj(gap_reciprocals(ops, w)) * inner + with_diagonal(ops, g_w)
    return ops.cast(ops.solve(v_h, ops.matmul(inner, v_h)), dtype=x_dtype)  # the real part, for a real matrix


def _eig_jvp(ops, t, w, v, x_dtype):
    """With M = V⁻¹ dA V: dw is its diagonal and dV = V (F∘M), less what would change the lengths of the vectors."""
    dtype = complex_of(x_dtype)
    inner = ops.solve(v, ops.matmul(ops.cast(t, dtype=dtype), v))
    turned = ops.matmul(v, gap_reciprocals(ops, w) * inner)
    along = ops.reduce_sum(ops.real(ops.conj(v) * turned), axis=(len(v.sizes) - 2,), keepdims=True)
    return diagonal(ops, inner), turned - v * ops.cast(along, dtype=dtype)


eig = primitive(
    "eig(x)",
    kernel={"numpy": lapack(_eig), "jax": "linalg.spectra.eig"},
    shape=lambda x: (
        Spec(shape=of_square_matrices(x).shape[:-1], dtype=complex_of(x.dtype)),
        Spec(shape=x.shape, dtype=complex_of(x.dtype)),
    ),
    vjp=_eig_vjp,
    jvp=_eig_jvp,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("w", "v"),
    holomorphic=False,
    result="complex",
)


def _eigvals_vjp(ops, g, x, x_dtype):
    _, v = ops.eig(x)
    v_h = adjoint(ops, v)
    return ops.cast(ops.solve(v_h, column(ops, g) * v_h), dtype=x_dtype)


def _eigvals_jvp(ops, t, x, x_dtype):
    _, v = ops.eig(x)
    return diagonal(ops, ops.solve(v, ops.matmul(ops.cast(t, dtype=complex_of(x_dtype)), v)))


eigvals = primitive(
    "eigvals(x)",
    kernel={
        "numpy": lapack(lambda x: np.linalg.eigvals(x).astype(complex_of(x.dtype), copy=False)),
        "jax": "linalg.spectra.eigvals",
    },
    shape=lambda x: Spec(shape=of_square_matrices(x).shape[:-1], dtype=complex_of(x.dtype)),
    vjp=_eigvals_vjp,
    jvp=_eigvals_jvp,
    batch=matrices,
    dtypes=INEXACT,
    holomorphic=False,
    result="complex",
)

# ---- singular values: A = U diag(s) Vᴴ, in descending order


def _square_gap_reciprocals(ops, s):
    """1 / (s[j]² - s[i]²), and 0 where they are equal. A difference of squares that is compiled into one operation,
    rounded once, need not be 0 for equal numbers; this product is."""
    return reciprocal_or_zero(ops, (row(ops, s) - column(ops, s)) * (row(ops, s) + column(ops, s)))


def _svd(x, full):
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    return s, u, np.conj(np.swapaxes(vh, -1, -2))


def _svd_shape(x, full):
    *batch, rows, cols = of_matrices(x).shape
    k = min(rows, cols)
    return (
        Spec(shape=(*batch, k), dtype=real_of(x.dtype)),
        Spec(shape=(*batch, rows, rows if full else k), dtype=x.dtype),
        Spec(shape=(*batch, cols, cols if full else k), dtype=x.dtype),
    )


def _svd_vjp(ops, g, s, u, v, x_dtype):
    g_s, g_u, g_v = g
    k = sizes_of(s)[-1]
    g_u, u = _thin(ops, g_u, u, k)
    g_v, v = _thin(ops, g_v, v, k)
    scale = row(ops, ops.cast(s, dtype=x_dtype))
    inverse = row(ops, ops.cast(reciprocal_or_zero(ops, s), dtype=x_dtype))
    gaps = ops.cast(_square_gap_reciprocals(ops, s), dtype=x_dtype)
    u_h, v_h = adjoint(ops, u), adjoint(ops, v)
    along_u, along_v = ops.matmul(u_h, g_u), ops.matmul(v_h, g_v)
    turn_u, turn_v = gaps * along_u, gaps * along_v
    inner = (turn_u + adjoint(ops, turn_u)) * scale + ops.matrix_transpose(scale) * (turn_v + adjoint(ops, turn_v))
    inner = inner + with_diagonal(ops, ops.cast(g_s, dtype=x_dtype))
    if x_dtype.kind == "c":  # a phase that u and v share: only their relative phase is free to follow A
        phase = ops.band_part(adjoint(ops, along_v) - along_v, lower=0, upper=0)
        inner = inner + phase * inverse * 0.5
    out = ops.matmul(u, ops.matmul(inner, v_h))
    if sizes_of(u)[-2] > k:  # what leaves the span of u, and of v
        away = (g_u - ops.matmul(u, along_u)) * inverse
        out = out + ops.matmul(away, v_h)
    if sizes_of(v)[-2] > k:
        away = (g_v - ops.matmul(v, along_v)) * inverse
        out = out + ops.matmul(u, adjoint(ops, away))
    return out


def _thin(ops, g, vectors, k):
    """The first k vectors and their gradient. The others span what is left over: they turn as the first ones turn
    towards them."""
    if sizes_of(vectors)[-1] == k:
        return g, vectors
    first, rest = (Ellipsis, (None, k, None)), (Ellipsis, (k, None, None))
    kept, others = ops.getitem(vectors, index=first), ops.getitem(vectors, index=rest)
    pulled = ops.matmul(others, ops.matmul(adjoint(ops, ops.getitem(g, index=rest)), kept))
    return ops.getitem(g, index=first) - pulled, kept


def _svd_jvp(ops, t, s, u, v, x_dtype):
    """The transpose of the backward rule, piece by piece."""
    k = s.sizes[-1]
    thin_u, thin_v = [x if x.sizes[-1] == k else ops.getitem(x, index=(Ellipsis, (None, k, None))) for x in (u, v)]
    scale = row(ops, ops.cast(s, dtype=x_dtype))
    inverse = row(ops, ops.cast(reciprocal_or_zero(ops, s), dtype=x_dtype))
    gaps = ops.cast(_square_gap_reciprocals(ops, s), dtype=x_dtype)
    forth, back = ops.matmul(t, thin_v), ops.matmul(adjoint(ops, t), thin_u)
    inner = ops.matmul(adjoint(ops, thin_u), forth)
    inner_h = adjoint(ops, inner)
    turn_u = gaps * (inner * scale + ops.matrix_transpose(scale) * inner_h)
    turn_v = gaps * (inner_h * scale + ops.matrix_transpose(scale) * inner)
    if x_dtype.kind == "c":
        turn_v = turn_v - ops.band_part(inner - inner_h, lower=0, upper=0) * inverse * 0.5
    t_u, t_v = ops.matmul(thin_u, turn_u), ops.matmul(thin_v, turn_v)
    if u.sizes[-2] > k:
        t_u = t_u + (forth - ops.matmul(thin_u, inner)) * inverse
    if v.sizes[-2] > k:
        t_v = t_v + (back - ops.matmul(thin_v, inner_h)) * inverse
    return _real_diagonal(ops, inner, x_dtype), _with_others(ops, t_u, thin_u, u), _with_others(ops, t_v, thin_v, v)


def _with_others(ops, t, kept, vectors):
    """The tangents of all vectors from those of the first ones."""
    k = kept.sizes[-1]
    if vectors.sizes[-1] == k:
        return t
    others = ops.getitem(vectors, index=(Ellipsis, (k, None, None)))
    pushed = ops.matmul(kept, ops.matmul(adjoint(ops, t), others))
    return ops.concat(t, -pushed, axis=len(vectors.sizes) - 1)


svd = primitive(
    "svd(x, *, full)",
    kernel={"numpy": lapack(nan_for_unusable(_svd)), "jax": "linalg.spectra.svd"},
    shape=_svd_shape,
    vjp=_svd_vjp,
    jvp=_svd_jvp,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("s", "u", "v"),
    holomorphic=False,
)


def _singular_values_vjp(ops, g, x, x_dtype):
    _, u, v = ops.svd(x, full=False)
    return ops.matmul(u * row(ops, ops.cast(g, dtype=x_dtype)), adjoint(ops, v))


def _singular_values_jvp(ops, t, x, x_dtype):
    _, u, v = ops.svd(x, full=False)
    return _real_diagonal(ops, ops.matmul(adjoint(ops, u), ops.matmul(t, v)), x_dtype)


singular_values = primitive(
    "singular_values(x)",
    kernel={
        "numpy": lapack(nan_for_unusable(lambda x: np.linalg.svd(x, compute_uv=False))),
        "jax": "linalg.spectra.singular_values",
    },
    shape=lambda x: _svd_shape(x, False)[0],
    vjp=_singular_values_vjp,
    jvp=_singular_values_jvp,
    batch=matrices,
    dtypes=INEXACT,
    holomorphic=False,
)
