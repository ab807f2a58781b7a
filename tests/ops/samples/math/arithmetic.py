import cmath
import math

import numpy as np

from tests.ops.samples.sample import (
    EMPTY,
    SCALAR,
    SPECIAL,
    completed,
    complex_normal,
    each,
    normal,
    of,
    positive,
    referred,
)

_a, _b, _row = normal(3, 4), normal(3, 4, seed="b"), normal(4, seed="row")
_column = positive(3, 1)
_ints, _small = np.array([[7, -7, 0], [5, -5, 1]]), np.array([2, 3, -2])


def pairs(second=normal, reference=None, special=True, complex_too=True):
    """Two inputs of one shape, broadcast, of rank 0, empty, special, complex."""
    samples = [
        of(_a, second(3, 4, seed="b"), reference=reference),
        of(_a, second(4, seed="row"), reference=reference),
        of(normal(3, 1), second(4, seed="row"), reference=reference),
        of(SCALAR, second(2, seed="s"), reference=reference),
        of(SCALAR, np.float64(1.3), reference=reference),
        of(EMPTY, second(3, seed="empty"), reference=reference),
    ]
    if special:
        samples.append(of(SPECIAL[:, None], SPECIAL, order=0))
    if complex_too:
        samples.append(of(complex_normal(3), complex_normal(3, seed="b"), reference=reference))
    return samples


def _real_pairs(second=normal, reference=None):
    return pairs(second, reference, complex_too=False)


def _truncated(a, b):
    return np.fmod(a, b)


_INF = math.inf


def _root(x):
    return cmath.sqrt(x) if isinstance(x, complex) else math.sqrt(x)


def _larger(a, b):
    return math.nan if a != a or b != b else max(a, b)


def _smaller(a, b):
    return math.nan if a != a or b != b else min(a, b)


def _added_as_logarithms(a, b):
    top, low = max(a, b), min(a, b)
    return a + b if a != a or b != b else top if low == -_INF or top == _INF else top + math.log1p(math.exp(low - top))


def _inverse(x):
    return math.copysign(_INF, x) if x == 0 else 1 / x


SAMPLES = {
    "add": [*pairs(reference=lambda a, b: a + b), of(_ints, _small)],
    "sub": [*pairs(reference=lambda a, b: a - b), of(_ints, _small)],
    "mul": [*pairs(reference=lambda a, b: a * b), of(_ints, _small)],
    "neg": [of(_a), of(SCALAR), of(EMPTY), of(SPECIAL, order=0), of(_ints), of(complex_normal(3))],
    "add_n": [
        of(_a, _b, normal(3, 4, seed="c"), reference=lambda *xs: np.sum(xs, axis=0)),
        of(_a),
        of(SCALAR, SCALAR, SCALAR),
        of(EMPTY, EMPTY),
        of(complex_normal(3), complex_normal(3, seed="b")),
        of(_ints, _ints, _ints),
    ],
    "div": pairs(positive, reference=lambda a, b: a / b),
    "floordiv": [
        *_real_pairs(positive, reference=lambda a, b: np.floor(a / b)),
        of(_ints, _small, reference=lambda a, b: np.floor(a / b)),
    ],
    "floormod": [
        *_real_pairs(positive, reference=lambda a, b: a - b * np.floor(a / b)),
        of(_ints, _small, reference=np.mod),
    ],
    "truncatediv": [
        *_real_pairs(positive, reference=lambda a, b: np.trunc(a / b)),
        of(_ints, _small, reference=lambda a, b: np.trunc(a / b)),
    ],
    "truncatemod": [*_real_pairs(positive, reference=_truncated), of(_ints, _small, reference=_truncated)],
    "divide_no_nan": [
        *pairs(positive, reference=lambda a, b: a / b),
        of(np.array([1.0, 0.0, np.inf]), np.zeros(3), order=0, reference=lambda a, b: np.zeros(3)),
    ],
    "reciprocal": [of(positive(3, 4)), of(SCALAR), of(EMPTY), of(SPECIAL, order=0), of(complex_normal(3))],
    "square": [
        of(_a, reference=np.square),
        of(SCALAR),
        of(EMPTY),
        of(SPECIAL, order=0),
        of(_ints),
        of(complex_normal(3)),
    ],
    "sqrt": [of(positive(3, 4)), of(SCALAR), of(EMPTY), of(SPECIAL, order=0), of(complex_normal(3))],
    "rsqrt": [of(positive(3, 4)), of(SCALAR), of(EMPTY), of(SPECIAL, order=0), of(complex_normal(3))],
    "pow": [
        of(positive(3, 4), _b, reference=lambda a, b: np.exp(b * np.log(a))),
        of(_column, _row),
        of(SCALAR, np.float64(1.3)),
        of(EMPTY, _row[:3]),
        of(SPECIAL[:, None], SPECIAL, order=0),
        *[of(positive(4), np.float64(p), reference=np.power) for p in (0, 1, 2, 3, 4, 0.5, 1.5, -0.5, -1, -2, 2.7)],
        # no slope in b where a is negative
        *[of(_a, np.float64(p), skip=("b",), reference=np.power) for p in (2, 3, -1)],
        of(complex_normal(3), complex_normal(3, seed="b"), reference=lambda a, b: np.exp(b * np.log(a))),
        of(_ints, np.array([0, 1, 2]), reference=np.power),
        of(_ints, np.int64(3), reference=np.power),
    ],
    "pow_slope": [
        of(positive(3, 4), _b, reference=lambda a, b: b * a ** (b - 1)),
        of(_column, _row),
        of(SCALAR, np.float64(1.3)),
        of(EMPTY, _row[:3]),
        of(complex_normal(3), complex_normal(3, seed="b")),
        *[of(positive(4), np.float64(p), reference=lambda a, b: b * a ** (b - 1)) for p in (0, 1, 2, 3, 0.5, -1, 2.7)],
        of(np.zeros(4), np.array([0.0, 1.0, 2.0, 0.5]), order=0, reference=lambda a, b: [0.0, 1.0, 0.0, np.inf]),
        of(np.zeros(2), np.float64(0.0), order=0, reference=lambda a, b: np.zeros(2)),
    ],
    "maximum": [*_real_pairs(), of(_ints, _small)],
    "minimum": [*_real_pairs(), of(_ints, _small)],
    "atan2": _real_pairs(),
    "hypot": _real_pairs(positive),
    "logaddexp": _real_pairs(),
    "nextafter": [
        of(np.array([1.0, 0.0, -1.0]), np.array([2.0, -1.0, -1.0]), order=0),
        of(SCALAR, SCALAR, order=0),
        of(EMPTY, EMPTY),
    ],
}

SAMPLES = referred(
    SAMPLES,
    neg=each(lambda x: 0 - x),
    reciprocal=each(_inverse),
    sqrt=each(_root),
    rsqrt=each(lambda x: _inverse(_root(x))),
    maximum=each(_larger),
    minimum=each(_smaller),
    atan2=each(math.atan2),
    hypot=each(math.hypot),
    logaddexp=each(_added_as_logarithms),
    nextafter=each(math.nextafter),
)

SAMPLES = completed(SAMPLES, "add sub mul add_n div floordiv truncatediv truncatemod square pow_slope")
