import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, complex_normal, normal, of, referred


def _concat(*xs, axis):
    rows = [row for x in xs for row in np.moveaxis(x, axis, 0)]
    return np.moveaxis(np.array(rows), 0, axis)


def _split(x, sizes, axis):
    return [np.take(x, range(sum(sizes[:k]), sum(sizes[: k + 1])), axis) for k in range(len(sizes))]


def _unstack(x, axis):
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


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

SAMPLES = referred(
    SAMPLES,
    concat=_concat,
    stack=lambda *xs, axis: np.moveaxis(np.array(xs), 0, axis),
    split=_split,
    unstack=_unstack,
)
