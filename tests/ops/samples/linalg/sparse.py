import numpy as np

from tests.ops.samples.sample import complex_normal, normal, of

_rows, _columns = np.array([0, 2, 2, 1]), np.array([1, 0, 3, 1])


def _dense(values, b, rows, columns, num_rows):
    a = np.zeros((num_rows, len(b)), values.dtype)
    np.add.at(a, (rows, columns), values)
    return a @ b


SAMPLES = {
    "sparse_matmul": [
        of(normal(4), normal(4, 2), _rows, _columns, num_rows=3, reference=_dense),
        of(complex_normal(4), complex_normal(4, 2), _rows, _columns, num_rows=3, reference=_dense),
        of(
            normal(3), normal(4, 2), np.array([1, 1, 0]), np.array([2, 2, 0]), num_rows=2, reference=_dense
        ),  # one place twice
        of(normal(0), normal(4, 2), _rows[:0], _columns[:0], num_rows=3, reference=_dense),
        of(
            np.array([1, 2]),
            np.array([[1], [2]]),
            np.array([0, 1]),
            np.array([1, 0]),
            num_rows=2,
            reference=_dense,
            order=0,
        ),
    ]
}
