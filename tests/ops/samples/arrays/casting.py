import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, completed, complex_normal, normal, of

_d = np.dtype

SAMPLES = {
    "cast": [
        of(normal(3, 4), dtype=_d(np.complex128)),
        of(complex_normal(3), dtype=_d(np.float64), reference=lambda x, dtype: x.real),
        of(SCALAR, dtype=_d(np.float64)),
        of(EMPTY, dtype=_d(np.float32)),
        of(np.array([1.9, -1.9]), dtype=_d(np.int32), reference=lambda x, dtype: [1, -1]),
        of(np.array([0.0, np.nan, -0.0]), dtype=_d(bool), reference=lambda x, dtype: [0, 1, 0]),
        of(np.array([300, -1]), dtype=_d(np.uint8), reference=lambda x, dtype: [44, 255]),
        of(np.array([True, False]), dtype=_d(np.float32), reference=lambda x, dtype: [1, 0]),
    ],
    "bitcast": [
        of(
            np.array([1.0, -0.0], np.float32), dtype=_d(np.uint32), reference=lambda x, dtype: [0x3F800000, 0x80000000]
        ),
        of(np.array([1, 258], np.int32), dtype=_d(np.uint8), reference=lambda x, dtype: [[1, 0, 0, 0], [2, 1, 0, 0]]),
        of(np.array([[2, 1, 0, 0]], np.uint8), dtype=_d(np.int32), reference=lambda x, dtype: [258]),
        of(np.float64(1), dtype=_d(np.int64)),
        of(np.zeros((0, 2), np.int32), dtype=_d(np.int64)),
    ],
}

SAMPLES = completed(SAMPLES, "cast")
