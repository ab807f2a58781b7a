import math

import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, SPECIAL, completed, complex_normal, each, normal, of, referred

_z, _no_z, _special_z = (
    complex_normal(3, 4),
    np.zeros((0, 3), complex),
    np.array([0j, 1j, -1 + 0j, complex(np.inf, 0), complex(np.nan, 1)]),
)
_one = np.complex128(0.3 - 0.4j)
_complex = [of(_z), of(_one), of(_no_z), of(_special_z, order=0)]
_real = [of(normal(3, 4)), of(SCALAR), of(EMPTY), of(SPECIAL, order=0), of(np.array([-3, 0, 5]))]

SAMPLES = {
    "conj": [*_complex, *_real],
    "real": _complex,
    "imag": _complex,
    "complex": [
        of(normal(3, 4), normal(3, 4, seed="b"), reference=lambda a, b: a + 1j * b),
        of(normal(3, 1), normal(4), reference=lambda a, b: a + 1j * b),
        of(SCALAR, np.float64(2.0), reference=lambda a, b: a + 1j * b),
        of(EMPTY, EMPTY),
        of(np.float32([1, 2]), np.float32(3), order=0),
    ],
    "abs": [*_complex, *_real],
    "sign": [of(_z, reference=lambda z: z / np.abs(z)), *_complex, *_real],
    "angle": [of(_z, reference=lambda z: np.arctan2(z.imag, z.real)), *_complex],
}

SAMPLES = referred(
    SAMPLES,
    conj=each(lambda x: complex(x.real, -x.imag) if isinstance(x, complex) else x),
    real=each(lambda x: x.real),
    imag=each(lambda x: x.imag),
    abs=each(lambda x: math.hypot(x.real, x.imag)),
)

SAMPLES = completed(SAMPLES, "complex angle")
