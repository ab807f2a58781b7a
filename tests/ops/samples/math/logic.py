import cmath
import math
import operator

import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, SPECIAL, completed, complex_normal, each, normal, of, referred

_a, _b, _row = normal(3, 4), normal(3, 4, seed="b"), normal(4, seed="row")
_words = np.array([b"a", b"bc", b""], object)
_bits, _more_bits = np.array([[12, 10, -1], [0, 5, 127]]), np.array([6, 3, -8])
_yes, _no = np.array([[True, False], [True, True]]), np.array([False, True])

_ordered = [
    of(_a, _b),
    of(_a, _row),
    of(SCALAR, SCALAR),
    of(EMPTY, EMPTY),
    of(SPECIAL[:, None], SPECIAL),
    of(_bits, _more_bits),
]
_logical = [of(_yes, _no), of(np.bool_(True), _no), of(np.zeros((0, 2), bool), _no)]
_bitwise = [
    of(_bits, _more_bits),
    of(np.int64(12), np.int64(10)),
    of(np.zeros((0, 3), int), _more_bits),
    of(np.uint8([200, 7]), np.uint8(15)),
]
_divided = [of(_bits, np.array([4, 6, 10])), of(np.uint8([12, 0]), np.uint8([8, 5])), of(np.int64(12), np.int64(-18))]
_ends = [np.array([i.min, i.min + 1, -1, 0, 1, 6, i.max], i.dtype) for i in (np.iinfo(np.int64), np.iinfo(np.int32))]
_asked = [of(SPECIAL), of(SCALAR), of(EMPTY), of(complex_normal(3))]
_many = normal(100, 100)
_far = np.array([1, 70, -3])


def _asked_of(function):
    return each(lambda x: getattr(cmath if isinstance(x, complex) else math, function)(x), dtype=bool)


def _compared(function):
    return each(function, dtype=bool)


SAMPLES = {
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), _ordered),
    **{
        name: [*_ordered, of(_yes, _no), of(_words, _words[::-1]), of(complex_normal(3), complex_normal(3))]
        for name in ("equal", "not_equal")
    },
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), _logical),
    "logical_not": [of(_yes), of(np.bool_(True)), of(np.zeros(0, bool))],
    **dict.fromkeys(("is_finite", "is_inf", "is_nan"), _asked),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), _bitwise),
    "bitwise_invert": [of(_bits), of(np.int64(5)), of(np.uint8([0, 255]))],
    "left_shift": [
        of(_bits, np.array([0, 1, 5])),
        of(_bits, _far, reference=lambda a, b: np.left_shift(a, np.clip(b, 0, 63))),
    ],
    "right_shift": [of(_bits, np.array([0, 1, 5])), of(_bits, _far, reference=lambda a, b: a >> np.clip(b, 0, 63))],
    "gcd": [*_divided, *[of(x[:, None], x, reference=np.gcd) for x in _ends]],  # of the smallest XLA found none, ever
    "lcm": [*_divided, *[of(x[:, None], x, reference=np.lcm) for x in _ends]],
    "where": [
        of(_a > 0, _a, _b, reference=lambda c, a, b: c * a + ~c * b),
        of(_row > 0, SCALAR, normal(3, 1)),
        of(np.bool_(True), SCALAR, SCALAR),
        of(np.zeros(0, bool), np.zeros(0), np.zeros(0)),
        *[
            of(_many > 0, a, b, order=0, reference=np.where)
            for a, b in ((_many, -_many), (SCALAR, _many), (_many, np.float64(np.nan)))
        ],
        of(_many > 0, _many.T, _many[0], order=0, reference=np.where),
        of(_many > 0, _many > 1, _many < 2, reference=np.where),
        of(_many > 0, _many * 1j, _many + 0j, order=0, reference=np.where),
        of(_many > 0, np.int8(3), np.int8(-1), reference=np.where),
        of(_no, complex_normal(2), complex_normal(3, 2)),
        of(np.array([True, False, True]), _words, _words[::-1]),
    ],
    "zeros_like": [of(_a, reference=lambda x: x * 0), of(SCALAR), of(EMPTY), of(_bits)],
}

SAMPLES = referred(
    SAMPLES,
    less=_compared(operator.lt),
    less_equal=_compared(operator.le),
    greater=_compared(operator.gt),
    greater_equal=_compared(operator.ge),
    equal=_compared(operator.eq),
    not_equal=_compared(operator.ne),
    logical_and=_compared(lambda a, b: a and b),
    logical_or=_compared(lambda a, b: a or b),
    logical_xor=_compared(lambda a, b: a != b),
    logical_not=_compared(operator.not_),
    is_finite=_asked_of("isfinite"),
    is_inf=_asked_of("isinf"),
    is_nan=_asked_of("isnan"),
    bitwise_and=each(operator.and_, dtype=int),
    bitwise_or=each(operator.or_, dtype=int),
    bitwise_xor=each(operator.xor, dtype=int),
    gcd=each(math.gcd, dtype=int),
    lcm=each(math.lcm, dtype=int),
    bitwise_invert=lambda x: np.iinfo(x.dtype).max - x + np.iinfo(x.dtype).min,
)

SAMPLES = completed(SAMPLES, "left_shift right_shift where zeros_like")
