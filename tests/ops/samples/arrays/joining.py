import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, complex_normal, normal, of

SAMPLES = {
    "concat": [
        of(normal(2, 3), normal(1, 3, seed="b"), normal(2, 3, seed="c"), axis=0),
        of(normal(2, 3), normal(2, 1), axis=1),
        of(EMPTY, normal(2, 3), axis=0),
        of(complex_normal(2), complex_normal(1), axis=0),
    ],
    "stack": [
        of(normal(2, 3), normal(2, 3, seed="b"), axis=0),
        of(normal(2, 3), normal(2, 3, seed="b"), normal(2, 3, seed="c"), axis=2),
        of(SCALAR, SCALAR, axis=0),
        of(EMPTY, EMPTY, axis=1),
        of(complex_normal(2), complex_normal(2, seed="b"), axis=1),
    ],
    "split": [
        of(normal(6), sizes=(1, 3, 2), axis=0),
        of(normal(2, 4), sizes=(2, 0, 2), axis=1),
        of(EMPTY, sizes=(1, 2), axis=1),
        of(complex_normal(3), sizes=(1, 2), axis=0),
    ],
    "unstack": [
        of(normal(3), axis=0),
        of(normal(2, 3, 2), axis=1),
        of(np.zeros((2, 0)), axis=0),
        of(complex_normal(2, 2), axis=0),
    ],
}
