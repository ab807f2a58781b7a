import numpy as np

from tests.ops.samples.sample import of


def _count(x):
    width = 8 * x.dtype.itemsize
    return np.array([bin(int(v) % 2**width).count("1") for v in np.ravel(x)]).reshape(np.shape(x))


SAMPLES = {
    "population_count": [
        of(np.array([[0, 1], [255, -1]], np.int32), reference=_count, order=0),
        of(np.array([2**63, 2**64 - 1], np.uint64), reference=_count, order=0),
        of(np.int8(-128), reference=_count, order=0),
    ]
}
