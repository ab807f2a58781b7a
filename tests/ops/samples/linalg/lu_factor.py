import numpy as np

from tests.ops.samples.sample import complex_normal, normal, of

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
