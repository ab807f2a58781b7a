import numpy as np

from tests.ops.samples.sample import complex_normal, held, normal, of

_NONE = np.zeros((0, 0))
_BATCH_OF_NONE = np.zeros((0, 3, 3))


def positive_definite(*shape, make=normal):
    x = make(*shape)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + 2 * np.eye(shape[-1])


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def close(a, b):
    assert np.shape(a) == np.shape(b)
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def has_orthonormal_columns(x):
    close(adjoint(x) @ x, np.broadcast_to(np.eye(x.shape[-1]), (*x.shape[:-2], x.shape[-1], x.shape[-1])))


def packed_factors(lu):
    """L and U out of one matrix."""
    k = min(lu.shape[-2:])
    return np.tril(lu[..., :k], -1) + np.eye(lu.shape[-2], k), np.triu(lu[..., :k, :])


def is_lu(lu, permutation, x):
    lower, upper = packed_factors(lu)
    close(lower @ upper, np.take_along_axis(x, permutation[..., None].astype(np.int64), -2))
    assert (np.abs(lower) <= 1 + 1e-12).all()  # partial pivoting
    close(np.sort(permutation, -1), np.broadcast_to(np.arange(x.shape[-2]), permutation.shape))


def _is_cholesky(out, x):
    close(out @ adjoint(out), x)
    close(np.triu(out, 1), np.zeros_like(x))
    assert (np.diagonal(out, 0, -2, -1).real > 0).all()


def _is_qr(out, x, full):
    q, r = out
    rows, cols = x.shape[-2:]
    assert q.shape[-1] == r.shape[-2] == (rows if full else min(rows, cols))
    close(q @ r, x)
    has_orthonormal_columns(q)
    close(np.tril(r, -1), np.zeros_like(r))


SAMPLES = {
    # reads one triangle, but shares the gradient among both: checked on symmetric matrices in tests/api
    "cholesky": [
        of(positive_definite(3, 3), skip=("x",)),
        of(positive_definite(2, 4, 4), skip=("x",)),
        of(positive_definite(3, 3, make=complex_normal), skip=("x",)),
        of(_NONE, skip=("x",)),
        of(_BATCH_OF_NONE, skip=("x",)),
    ],
    "qr": [
        of(normal(3, 3), full=False),
        of(normal(2, 4, 3), full=False),
        of(normal(2, 3, 4), full=False),
        of(normal(3, 4), full=True),
        of(complex_normal(3, 3), full=False),
        of(complex_normal(4, 2), full=False),
        of(complex_normal(2, 4), full=False),
        of(normal(4, 2), full=True, order=0),
        of(np.zeros((3, 0)), full=False),
        of(_BATCH_OF_NONE, full=False),
    ],
    "lu": [
        of(normal(3, 3), index_dtype=np.dtype("int32")),
        of(normal(2, 4, 4), index_dtype=np.dtype("int64")),
        of(complex_normal(3, 3), index_dtype=np.dtype("int32")),
        of(_NONE, index_dtype=np.dtype("int32")),
    ],
}

SAMPLES = held(
    SAMPLES,
    cholesky=_is_cholesky,
    qr=_is_qr,
    lu=lambda out, x, index_dtype: is_lu(*out, x),
)
