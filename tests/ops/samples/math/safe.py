import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, completed, complex_normal, normal, of, positive

from .arithmetic import pairs

_a, _b, _row = normal(3, 4), normal(3, 4, seed="b"), normal(4, seed="row")


def _dropped(x, keep, factor):
    return np.where(keep, x * factor, 0)


SAMPLES = {
    "safe_mul": [
        *pairs(reference=lambda a, b: a * b),
        of(
            np.array([0.0, 0.0, 0.0, 2.0]),
            np.array([np.inf, np.nan, 1.0, np.inf]),
            order=0,
            reference=lambda a, b: [0.0, 0.0, 0.0, np.inf],
        ),
        of(np.float64(0.0), np.float64(np.nan), order=0, reference=lambda a, b: 0.0),
        of(np.array([0j, 1j]), np.array([complex(np.nan, 1), 2j]), order=0, reference=lambda a, b: [0j, -2 + 0j]),
    ],
    "zero_mul": [
        *pairs(reference=lambda a, b: a * b),
        of(
            np.array([0.0, np.inf, 2.0]),
            np.array([np.nan, 0.0, np.inf]),
            order=0,
            reference=lambda a, b: [0.0, 0.0, np.inf],
        ),
    ],
    "safe_div": [
        *pairs(positive, reference=lambda a, b: a / b),
        of(
            np.array([0.0, 0.0, 1.0]), np.array([0.0, np.nan, 0.0]), order=0, reference=lambda a, b: [0.0, 0.0, np.inf]
        ),
    ],
    "dropped": [
        of(_a, _b > 0, factor=1.5, reference=_dropped),
        of(_a, _row > 0, factor=1.5, reference=_dropped),
        of(SCALAR, np.array([True, False]), factor=0.5, reference=_dropped),
        of(EMPTY, np.array([True, False, True]), factor=2.0, reference=_dropped),
        of(normal(90, 100), normal(90, 100, seed="keep") > 0, factor=2.0, order=0, reference=_dropped),
        of(
            np.array([np.inf, np.nan, np.inf]), np.array([False, False, True]), factor=2.0, order=0, reference=_dropped
        ),
    ],
    "masked": [
        of(_a, _b > 0, reference=lambda x, keep: np.where(keep, x, 0)),
        of(_a, _row > 0),
        of(SCALAR, np.array([True, False])),
        of(EMPTY, np.array([True, False, True])),
        of(complex_normal(3), np.array([True, False, True])),
        of(
            np.array([np.inf, np.nan, np.inf]),
            np.array([False, False, True]),
            order=0,
            reference=lambda x, keep: [0.0, 0.0, np.inf],
        ),
    ],
}

SAMPLES = completed(SAMPLES, "masked")
