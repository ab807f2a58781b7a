import numpy as np

from tests.ops.samples.sample import complex_normal, normal, of

from .decompositions import positive_definite

_NONE = np.zeros((0, 0))
_BATCH_OF_NONE = np.zeros((0, 3, 3))


def spread(*shape):
    """Square matrices with real, distinct, well separated eigenvalues."""
    n = shape[-1]
    return 0.1 * normal(*shape, seed="spread") + np.diag(np.arange(1.0, n + 1))


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
