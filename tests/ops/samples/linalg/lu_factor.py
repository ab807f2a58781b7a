import numpy as np

from tests.ops.samples.sample import complex_normal, held, normal, of

from .decompositions import is_lu


def _is_lu_with_pivots(out, x):
    lu, pivots, permutation = out
    is_lu(lu, permutation, x)
    for place in np.ndindex(pivots.shape[:-1]):
        order = list(range(x.shape[-2]))
        for i, p in enumerate(pivots[place]):
            order[i], order[p] = order[p], order[i]
        assert order == permutation[place].tolist()


SAMPLES = {
    "lu_factor": [
        of(normal(3, 3)),
        of(normal(2, 4, 3)),
        of(normal(2, 3, 5)),
        of(complex_normal(3, 3)),
        of(complex_normal(4, 2)),
        of(complex_normal(2, 4)),
        of(np.zeros((0, 0))),
        of(np.zeros((3, 0)), order=0),
        of(np.zeros((0, 3, 2))),
    ],
}

SAMPLES = held(SAMPLES, lu_factor=_is_lu_with_pivots)
