import numpy as np

from tests.ops.samples.sample import complex_normal, normal, of

_NONE = np.zeros((0, 0))
_BATCH_OF_NONE = np.zeros((0, 3, 3))


def positive_definite(*shape, make=normal):
    x = make(*shape)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + 2 * np.eye(shape[-1])


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
