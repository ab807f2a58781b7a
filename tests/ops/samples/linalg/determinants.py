from itertools import permutations

import numpy as np

from tests.ops.samples.sample import completed, complex_normal, held, normal, of, referred

_SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])  # rank 2
_RANK_1 = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0])


def _by_minors(x):
    n = x.shape[-1]
    out = np.empty(x.shape, x.dtype)
    for i in range(n):
        for j in range(n):
            out[..., i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, -2), j, -1))
    return out


def _by_permutations(x):
    """Leibniz' formula."""
    n = x.shape[-1]
    out = np.zeros(x.shape[:-2], x.dtype)
    for order in permutations(range(n)):
        crossings = sum(order[j] > order[i] for i in range(n) for j in range(i))
        out = out + (-1) ** crossings * np.prod(x[..., range(n), order], axis=-1)
    return out


def _slope_of_minors(x, direction):
    """Cofactors along a line are polynomials of degree 3 here, so differences over two steps are exact."""
    by = lambda h: (_by_minors(x + h * direction) - _by_minors(x - h * direction)) / (2 * h)
    return (4 * by(1) - by(2)) / 3


def _minors(x):
    n = x.shape[-1]
    rows = [[np.delete(np.delete(x, i, -2), j, -1) for j in range(n)] for i in range(n)]
    return np.moveaxis(np.array(rows), (0, 1), (-4, -3))


def _is_adjoint_of_minors(out, x):
    """<x, minors(e)> for every unit matrix e is e's place in the result."""
    for place in np.ndindex(out.shape):
        unit = np.zeros(out.shape)
        unit[place] = 1
        np.testing.assert_allclose(out[place], np.sum(x * _minors(unit)), atol=1e-12)


def _sign_and_log(x):
    found = _by_permutations(x)
    return found / np.abs(found), np.log(np.abs(found))


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

SAMPLES = referred(
    SAMPLES, det=_by_permutations, cofactors_slope=_slope_of_minors, minors=_minors, slogdet=_sign_and_log
)
SAMPLES = held(SAMPLES, from_minors=_is_adjoint_of_minors)

SAMPLES = completed(SAMPLES, "cofactors")
