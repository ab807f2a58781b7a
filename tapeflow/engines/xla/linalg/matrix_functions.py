"""exp, square root and logarithm of square matrices.

Roots come from the Schur form where XLA has it, on the CPU: right for every matrix that has one. Elsewhere they come
from Newton's iteration, which needs a matrix without eigenvalues on the negative axis or (nearly) 0, and gives nan for
others.
"""

from functools import partial
from math import factorial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .lapack import adjoint, on_matrices, on_usable


def _norm(x):
    """The largest column sum."""
    return jnp.abs(x).sum(axis=-2).max(axis=-1)[..., None, None]


def _identity(x):
    return jnp.eye(x.shape[-1], dtype=x.dtype)


# ---- exp: a rational approximation near 0, after halving the matrix; then as many squarings


@on_matrices(square=True)
def expm(x):
    if not x.size:
        return x
    order, radius = (13, 5.37) if jnp.finfo(x.dtype).bits == 64 else (7, 3.92)  # where it is exact to the last digit
    norm = _norm(x)
    halvings = jnp.ceil(jnp.log2(jnp.where(jnp.isfinite(norm), norm, 0) / radius)).astype(jnp.int32)
    halvings = jnp.where(norm > radius, halvings, 0)
    out = _rational_exp(x * jnp.exp2(-halvings.astype(norm.dtype)).astype(x.dtype), order)
    square = lambda i, y: jnp.where(i < halvings, y @ y, y)
    return lax.fori_loop(0, halvings.max(), square, out)


def _rational_exp(x, order):
    """p(x) / p(-x), the even and the odd powers of p summed apart."""
    c = [factorial(2 * order - k) / (factorial(k) * factorial(order - k)) for k in range(order + 1)]
    c = [value / c[0] for value in c]
    squared, identity = x @ x, _identity(x)
    even, odd = c[order - 1] * identity, c[order] * identity
    for k in range(order - 3, -1, -2):
        even, odd = even @ squared + c[k] * identity, odd @ squared + c[k + 1] * identity
    odd = x @ odd
    return jnp.linalg.solve(even - odd, even + odd)


# ---- square roots


def _root_of_triangle(t):
    """Column by column: above the diagonal, column j of the root r solves (r + r_jj) column = t_j with the columns
    before it."""
    n, identity = t.shape[-1], _identity(t)
    along = jnp.sqrt(jnp.diagonal(t, 0, -2, -1))
    places = jnp.arange(n)
    tiny = jnp.finfo(t.dtype).tiny

    def step(j, r):
        above = places < j
        shifted = along + along[..., j][..., None]
        shifted = jnp.where(shifted == 0, tiny, shifted)  # two eigenvalues 0: 0 where that solves it, else too large
        system = jnp.triu(r, 1) + jnp.where(above, shifted, 1)[..., None] * identity
        column = jnp.where(above, t[..., j], 0)[..., None]
        column = lax.linalg.triangular_solve(system, column, left_side=True, lower=False)
        return jnp.where((places == j) & above[:, None], column, r)

    return lax.fori_loop(1, n, step, along[..., None] * identity)


def _root_by_newton(x):
    """The product form of Denman and Beavers' iteration: m goes to the identity, y to the root. Scaled by the
    determinant."""
    identity, n = _identity(x), x.shape[-1]
    small = n * jnp.finfo(x.dtype).eps

    def step(state):
        k, m, y = state
        scale = jnp.exp(jnp.linalg.slogdet(m)[1] / (-2 * n))[..., None, None].astype(x.dtype)
        scale = jnp.where(_norm(m - identity) < 0.1, jnp.ones((), x.dtype), scale)
        inverse = jnp.linalg.inv(m) / scale**2
        return k + 1, (identity + (m * scale**2 + inverse) / 2) / 2, scale * (y @ (identity + inverse)) / 2

    going = lambda state: (state[0] < 50) & (_norm(state[1] - identity) > small).any()
    _, m, y = lax.while_loop(going, step, (0, x, x))
    return jnp.where(_norm(m - identity) < small**0.5, y, jnp.full((), np.nan, x.dtype))


# ---- logarithms: square roots until the matrix is near the identity


def _log(x, root):
    """2ᵏ log of the 2ᵏ-th root, that is of identity + z: an integral over [0, 1] of z / (identity + u z), by Gauss and
    Legendre."""
    identity = _identity(x)

    def step(state):
        k, far, y = state
        again = jnp.where(far, root(y), y)
        return k + far, far & _is_far(again, identity), again

    going = lambda state: state[1].any() & (state[0].max() < 64)
    far = _is_far(x, identity)
    k, far, y = lax.while_loop(going, step, (jnp.zeros(far.shape, jnp.int32), far, x))
    points, weights = np.polynomial.legendre.leggauss(7)
    z, total = y - identity, jnp.zeros_like(y)
    for point, weight in zip(points.tolist(), weights.tolist()):
        total = total + weight / 2 * jnp.linalg.solve(identity + (point + 1) / 2 * z, z)
    return jnp.where(
        far, np.nan, total * jnp.exp2(k.astype(jnp.finfo(x.dtype).dtype)).astype(x.dtype)
    )  # a root of 0 stays far


def _is_far(x, identity):
    return _norm(x - identity) > 0.26


# ---- by device


def _by_schur(function, x):
    """In double precision where there is any, as NumPy's kernel. A real matrix without a real result gives nan."""
    dtype = jax.dtypes.canonicalize_dtype(np.complex128)
    triangle, vectors = on_usable(lax.linalg.schur, x.astype(dtype))
    out = vectors @ function(triangle) @ adjoint(vectors)
    if x.dtype.kind != "c":
        tolerance = 4096 * jnp.finfo(dtype).eps
        real = _norm(out.imag) <= tolerance * _norm(out)
        out = jnp.where(real, out.real, np.nan)
    return out.astype(x.dtype)


def _by_device(schur, newton, x):
    if not x.size:
        return x
    return lax.platform_dependent(x, cpu=partial(_by_schur, schur), default=newton)


@on_matrices(square=True)
def sqrtm(x):
    return _by_device(_root_of_triangle, _root_by_newton, x)


@on_matrices(square=True)
def logm(x):
    return _by_device(partial(_log, root=_root_of_triangle), partial(_log, root=_root_by_newton), x)
