import numpy as np

from tests.ops.samples.sample import complex_normal, held, normal, of

from .decompositions import adjoint, close, has_orthonormal_columns, positive_definite

_NONE = np.zeros((0, 0))
_BATCH_OF_NONE = np.zeros((0, 3, 3))


def spread(*shape):
    """Square matrices with real, distinct, well separated eigenvalues."""
    n = shape[-1]
    return 0.1 * normal(*shape, seed="spread") + np.diag(np.arange(1.0, n + 1))


def _hermitian(x):
    """The lower triangle counts, and of the diagonal its real part."""
    return np.tril(x, -1) + adjoint(np.tril(x, -1)) + np.eye(x.shape[-1]) * x.real


def _have_power_sums(w, x):
    """Numbers whose k-th powers sum up to the trace of xᵏ, for k up to their count, are the eigenvalues of x."""
    power = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(1, x.shape[-1] + 1):
        power = power @ x
        close(np.sum(w**k, -1), np.trace(power, axis1=-2, axis2=-1))


def _ascend(w):
    assert w.dtype.kind == "f" and (np.diff(w) >= 0).all()


def _is_eigh(out, x):
    w, v = out
    _ascend(w)
    close(_hermitian(x) @ v, v * w[..., None, :])
    has_orthonormal_columns(v)


def _is_eigvalsh(w, x):
    _ascend(w)
    _have_power_sums(w, _hermitian(x))


def _is_eig(out, x):
    w, v = out
    close(x @ v, v * w[..., None, :])
    close(np.linalg.norm(v, axis=-2), np.ones(w.shape))
    _have_power_sums(w, x)


def _are_singular_values(s, x):
    assert s.shape[-1] == min(x.shape[-2:]) and (s >= 0).all()
    _ascend(-s)
    _have_power_sums(s**2, adjoint(x) @ x if x.shape[-1] <= x.shape[-2] else x @ adjoint(x))


def _is_svd(out, x, full):
    s, u, v = out
    k = s.shape[-1]
    assert (u.shape[-1], v.shape[-1]) == (x.shape[-2:] if full else (k, k))
    _ascend(-s)
    assert (s >= 0).all()
    close((u[..., :k] * s[..., None, :]) @ adjoint(v[..., :k]), x)
    has_orthonormal_columns(u)
    has_orthonormal_columns(v)


# The vectors of complex matrices have a free phase, which LAPACK fixes as it likes: finite differences see it, the
# rules do not. So these are checked for values here, and for gradients of functions without phase in
# tests/api/linalg/test_decompositions.py.
SAMPLES = {
    "eigh": [
        of(positive_definite(3, 3)),
        of(normal(2, 4, 4)),
        of(complex_normal(3, 3), order=0),
        of(_NONE),
        of(_BATCH_OF_NONE),
    ],
    "eigvalsh": [of(normal(3, 3)), of(normal(2, 4, 4)), of(complex_normal(3, 3)), of(_NONE)],
    "eig": [of(spread(3, 3)), of(spread(2, 4, 4)), of(complex_normal(3, 3), order=0), of(_BATCH_OF_NONE)],
    "eigvals": [of(spread(3, 3)), of(spread(2, 4, 4)), of(normal(4, 4)), of(complex_normal(3, 3)), of(_BATCH_OF_NONE)],
    "svd": [
        of(normal(3, 3), full=False),
        of(normal(2, 4, 3), full=False),
        of(normal(2, 5), full=False),
        of(normal(4, 3), full=True),
        of(normal(3, 4), full=True),
        of(complex_normal(3, 2), full=False, order=0),
        of(_BATCH_OF_NONE, full=False),
    ],
    "singular_values": [
        of(normal(3, 3)),
        of(normal(2, 4, 3)),
        of(normal(2, 3)),
        of(complex_normal(3, 2)),
        of(_BATCH_OF_NONE),
    ],
}

SAMPLES = held(
    SAMPLES,
    eigh=_is_eigh,
    eigvalsh=_is_eigvalsh,
    eig=_is_eig,
    eigvals=_have_power_sums,
    svd=_is_svd,
    singular_values=_are_singular_values,
)
