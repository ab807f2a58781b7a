import numpy as np

from tests.ops.samples.sample import complex_normal, normal, of

_SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])  # rank 2
_RANK_1 = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0])


def _by_minors(x):
    n = x.shape[-1]
    out = np.empty(x.shape, x.dtype)
    for i in range(n):
        for j in range(n):
            out[..., i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, -2), j, -1))
    return out


SAMPLES = {
    "det": [
        of(normal(3, 3)), of(normal(2, 4, 4)), of(complex_normal(3, 3)), of(_SINGULAR), of(_RANK_1),
        of(np.zeros((2, 2))), of(np.zeros((0, 0))), of(normal(1, 1)),
    ],
    "cofactors": [
        of(normal(3, 3), reference=_by_minors), of(complex_normal(2, 3, 3), reference=_by_minors),
        of(_SINGULAR, reference=_by_minors), of(_RANK_1, reference=_by_minors),
        of(np.zeros((2, 2)), reference=_by_minors), of(np.zeros((0, 0))), of(normal(1, 1)),
    ],
    "cofactors_slope": [
        of(normal(3, 3), normal(3, 3, seed="b")), of(normal(2, 4, 4), normal(2, 4, 4, seed="b")),
        of(_SINGULAR, normal(3, 3)), of(_RANK_1, normal(3, 3)),
        of(complex_normal(3, 3), complex_normal(3, 3, seed="b")), of(normal(1, 1), normal(1, 1)),
        of(normal(3, 3), normal(2, 3, 3, seed="b")), of(normal(2, 3, 3), normal(3, 3, seed="b")),
    ],
    "minors": [of(normal(3, 3)), of(complex_normal(2, 2, 2)), of(normal(1, 1))],
    "from_minors": [of(normal(3, 3, 2, 2)), of(normal(2, 2, 2, 1, 1))],
    "slogdet": [of(normal(3, 3)), of(normal(2, 4, 4)), of(complex_normal(3, 3)), of(np.zeros((0, 0)))],
}  # fmt: skip
