"""Determinants, and their derivatives of every order at every matrix.

The gradient of det A is its matrix of cofactors, det(A) A⁻ᵀ where A has an inverse; but it exists everywhere. In terms
of A = U S Vᴴ it needs no division: cofactor(A) = det(U) det(Vᴴ) · Ū cofactor(S) V̄ᴴ, and cofactor(S) is diagonal with
the products of all other singular values. The second derivative has the products of all but two. The third is made of
second derivatives of minors, so that it too is exact everywhere.
"""

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import INEXACT
from tapeflow.core.fitting import check_same
from tapeflow.core.primitive import LINEAR, Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import adjoint, lapack, nan_at, nan_for_unusable, of_square_matrices, real_of
from tapeflow.ops.batching import matrices
from tapeflow.ops.broadcasting import LEADING_AXES


def _as_matrix(ops, g):
    return ops.reshape(g, shape=(*sizes_of(g), 1, 1))


def _inner(ops, a, b):
    """The sum of a b over each matrix."""
    rank = len(b.sizes)
    return ops.reduce_sum(a * b, axis=(rank - 2, rank - 1), keepdims=False)


def _det(x):
    """By LAPACK's pivots, which a NaN can pass unseen; where an infinity meets a zero there is no determinant
    either."""
    out = np.linalg.det(x)
    return out if np.isfinite(x.sum()) else nan_at(_lost(x, out), out)


def _slogdet(x):
    sign, log = np.linalg.slogdet(x)
    if np.isfinite(x.sum()):
        return sign, log
    lost = _lost(x, sign) | np.isnan(log)
    return nan_at(lost, sign), nan_at(lost, log)


def _lost(x, out):
    return np.isnan(x).any(axis=(-2, -1)) | ((out == 0) & ~np.isfinite(x).all(axis=(-2, -1)))


det = primitive(
    "det(x)",
    kernel={"numpy": lapack(_det), "jax": "linalg.determinants.det"},
    shape=lambda x: Spec(shape=of_square_matrices(x).shape[:-2], dtype=x.dtype),
    vjp=lambda ops, g, x: _as_matrix(ops, g) * ops.cofactors(x),
    jvp=lambda ops, t, x: _inner(ops, ops.cofactors(x), t),
    batch=matrices,
    dtypes=INEXACT,
)


_svd = nan_for_unusable(lambda x: tuple(np.linalg.svd(x)))


def _turned(x):
    """Ū, s, V̄ᴴ and det(U) det(Vᴴ), in double precision."""
    if x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    u, s, vh = _svd(x.astype(np.result_type(x.dtype, np.float64)))
    return u.conj(), s, vh.conj(), (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]


def _products_of_others(s, count):
    """The product of all s but s[i] (count 1), or but s[i] and s[j] (count 2)."""
    n = s.shape[-1]
    left_out = np.eye(n, dtype=bool)
    if count == 2:
        left_out = left_out[:, None, :] | left_out[None, :, :]
    return np.prod(np.where(left_out, 1.0, s[(..., *[None] * count, slice(None))]), axis=-1)


def _cofactors(x):
    u, s, vh, sign = _turned(x)
    return (sign * ((u * _products_of_others(s, 1)[..., None, :]) @ vh)).astype(x.dtype)


# det of A without row i and column j, times (-1)^(i+j), at place (i, j).
cofactors = primitive(
    "cofactors(x)",
    kernel={"numpy": lapack(_cofactors), "jax": "linalg.determinants.cofactors"},
    shape=of_square_matrices,
    vjp=lambda ops, g, x: ops.cofactors_slope(x, g),
    jvp=lambda ops, t, x: ops.cofactors_slope(x, t),
    batch=matrices,
    dtypes=INEXACT,
)


def _cofactors_slope(x, direction):
    """In the bases of U and V: R_ii = Σ_j P_ij E_jj and R_ij = -P_ij E_ji, with P_ij the product of all s but s_i and
    s_j."""
    u, s, vh, sign = _turned(x)
    turned = np.swapaxes(u, -1, -2) @ direction @ np.swapaxes(vh, -1, -2)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), 0.0, _products_of_others(s, 2))
    out = -others * np.swapaxes(turned, -1, -2)
    out[..., range(n), range(n)] = (others @ np.diagonal(turned, 0, -2, -1)[..., None])[..., 0]
    return (sign * (u @ out @ vh)).astype(x.dtype)


def _cofactors_slope_by_x(ops, g, x, direction, x_dtype):
    """The derivative of <g, slope of the cofactors> = Σ_ij ±g_ij <cofactors of the minor ij, the minor ij of
    `direction`>. As the third derivative of det it is symmetric in g and what it is multiplied with, so that it serves
    tangents too."""
    places = np.arange(sizes_of(x)[-1])
    signs = np.where((places + places[:, None]) % 2, -1, 1).astype(x_dtype)
    return ops.from_minors(ops.cofactors_slope(ops.minors(x), ops.minors(direction)) * _as_matrix(ops, g * signs))


def _cofactors_slope_shape(x, direction):
    check_same("A matrix and a direction", of_square_matrices(x).shape[-2:], direction.shape[-2:])
    return Spec(shape=broadcast_shapes(x.shape, direction.shape), dtype=x.dtype)


# The derivative of cofactors(x) in a direction; symmetric, so its own adjoint. One matrix may have many directions.
cofactors_slope = primitive(
    "cofactors_slope(x, direction)",
    kernel={"numpy": lapack(_cofactors_slope), "jax": "linalg.determinants.cofactors_slope"},
    shape=_cofactors_slope_shape,
    vjp={"x": _cofactors_slope_by_x, "direction": lambda ops, g, x: ops.cofactors_slope(x, g)},
    jvp={"x": _cofactors_slope_by_x, "direction": LINEAR},
    dtypes=INEXACT,
    broadcasts=LEADING_AXES,
)


def _others(n):
    return np.array([[j for j in range(n) if j != i] for i in range(n)], np.intp).reshape(n, max(n - 1, 0))


def _minors(x):
    rows = _others(x.shape[-1])
    return x[..., rows[:, None, :, None], rows[None, :, None, :]]


def _from_minors(x):
    n = x.shape[-3]
    out = np.zeros((*x.shape[:-4], n, n), x.dtype)
    rows = _others(n)
    for i in range(n):
        for j in range(n):
            out[..., rows[i][:, None], rows[j]] += x[..., i, j, :, :]
    return out


def _minors_shape(x):
    rows = max(of_square_matrices(x).shape[-1] - 1, 0)
    return Spec(shape=(*x.shape, rows, rows), dtype=x.dtype)


def _from_minors_shape(x):
    whole = Spec(shape=x.shape[:-2], dtype=x.dtype)
    check_same("Matrices and their minors", _minors_shape(whole).shape, x.shape)
    return whole


# At place (i, j): the matrix without row i and column j.
minors = primitive(
    "minors(x)",
    kernel=_minors,
    shape=_minors_shape,
    vjp=lambda ops, g: ops.from_minors(g),
    jvp=LINEAR,
    batch=matrices,
    dtypes=INEXACT,
)

from_minors = primitive(
    "from_minors(x)",
    kernel={"numpy": _from_minors, "jax": "linalg.determinants.from_minors"},
    shape=_from_minors_shape,
    vjp=lambda ops, g: ops.minors(g),
    jvp=LINEAR,
    batch=matrices,
    dtypes=INEXACT,
)


def _slogdet_vjp(ops, g, sign, x, x_dtype):
    """With l = log det A and dl = tr(A⁻¹ dA): the logarithm is Re l, the sign exp(i Im l)."""
    g_sign, g_log = g
    slope = ops.cast(g_log, dtype=x_dtype)
    if x_dtype.kind == "c":
        slope = slope - ops.cast(ops.imag(ops.conj(g_sign) * sign), dtype=x_dtype) * 1j
    return _as_matrix(ops, slope) * adjoint(ops, ops.inv(x))


def _slogdet_jvp(ops, t, sign, x, x_dtype):
    slope = _inner(ops, ops.matrix_transpose(ops.inv(x)), t)
    if x_dtype.kind != "c":
        return None, slope
    return sign * ops.cast(ops.imag(slope), dtype=x_dtype) * 1j, ops.real(slope)


slogdet = primitive(
    "slogdet(x)",
    kernel={"numpy": lapack(_slogdet), "jax": "linalg.determinants.slogdet"},
    shape=lambda x: (
        Spec(shape=of_square_matrices(x).shape[:-2], dtype=x.dtype),
        Spec(shape=x.shape[:-2], dtype=real_of(x.dtype)),
    ),
    vjp=_slogdet_vjp,
    jvp=_slogdet_jvp,
    batch=matrices,
    dtypes=INEXACT,
    outputs=("sign", "log"),
    holomorphic=False,
)
