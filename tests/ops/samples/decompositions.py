import numpy as np

from .sample import complex_normal, normal, of

_NONE = np.zeros((0, 0))
_BATCH_OF_NONE = np.zeros((0, 3, 3))


def positive_definite(*shape, make=normal):
    x = make(*shape)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + 2 * np.eye(shape[-1])


def spread(*shape):
    """Square matrices with real, distinct, well separated eigenvalues."""
    n = shape[-1]
    return 0.1 * normal(*shape, seed="spread") + np.diag(np.arange(1.0, n + 1))


# The vectors of complex matrices have a free phase, which LAPACK fixes as it likes: finite differences see it, the rules do
# not. So these are checked for values here, and for gradients of functions without phase in tests/api/test_decompositions.py.
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
    "singular_values": [of(normal(3, 3)), of(normal(2, 4, 3)), of(normal(2, 3)), of(complex_normal(3, 2)), of(_BATCH_OF_NONE)],
}
