import cmath
import math

import numpy as np

from tests.ops.samples.sample import (
    EMPTY,
    SCALAR,
    SPECIAL,
    between,
    complex_normal,
    each,
    normal,
    of,
    positive,
    referred,
)


def _smooth(x=None, reference=None, complex_too=True):
    samples = [of(normal(3, 4) if x is None else x, reference=reference), of(SCALAR), of(EMPTY), of(SPECIAL, order=0)]
    return samples + ([of(complex_normal(3), reference=reference)] if complex_too else [])


def _sigmoid(x):
    return np.exp(x) / (1 + np.exp(x))


_steps = [of(normal(3, 4, scale=3)), of(SCALAR), of(EMPTY), of(SPECIAL), of(np.array([0.5, 1.5, -0.5, 2.5]))]


def _of(real, at=(), complex_too=None):
    """Python's function of this name, of real and of complex numbers."""
    of_complex = complex_too or getattr(cmath, real.__name__, None)
    return each(lambda x: of_complex(x) if isinstance(x, complex) else real(x), at)


_INF = math.inf
_POLE = {0.0: -_INF}

SAMPLES = {
    **{name: _smooth() for name in ("sin", "cos", "exp", "tanh", "expm1", "sinh", "cosh", "atan", "asinh")},
    "log": _smooth(positive(3, 4)),
    "log1p": _smooth(positive(3, 4)),
    "log2": _smooth(positive(3, 4)),
    "log10": _smooth(positive(3, 4)),
    "exp2": [of(normal(3, 4)), of(SCALAR), of(EMPTY), of(SPECIAL, order=0)],
    "cbrt": [of(positive(3, 4)), of(-positive(3, 4)), of(SCALAR), of(EMPTY), of(SPECIAL, order=0)],
    "log_domain": [
        *_smooth(positive(3, 4)),
        of(np.array([-1.0, 0.0, 2.0]), order=0, reference=lambda x: [np.nan, 0.0, 2.0]),
    ],
    "tan": _smooth(between(-1.2, 1.2, 3, 4)),
    "asin": _smooth(between(-0.9, 0.9, 3, 4)),
    "acos": _smooth(between(-0.9, 0.9, 3, 4)),
    "acosh": [of(between(1.2, 5, 3, 4)), of(np.float64(2.0)), of(EMPTY), of(SPECIAL, order=0), of(complex_normal(3))],
    "atanh": _smooth(between(-0.9, 0.9, 3, 4)),
    "sigmoid": _smooth(reference=_sigmoid),
    "floor": _steps,
    "ceil": _steps,
    "round": _steps,
}

SAMPLES = referred(
    SAMPLES,
    log_domain=each(lambda x: x if isinstance(x, complex) or x >= 0 else math.nan),
    sin=_of(math.sin),
    cos=_of(math.cos),
    tan=_of(math.tan),
    asin=_of(math.asin),
    acos=_of(math.acos),
    atan=_of(math.atan),
    exp=_of(math.exp),
    exp2=_of(math.exp2),
    expm1=_of(math.expm1, complex_too=lambda x: cmath.exp(x) - 1),
    log=_of(math.log, _POLE),
    log1p=_of(math.log1p, {-1.0: -_INF}, complex_too=lambda x: cmath.log(1 + x)),
    log2=_of(math.log2, _POLE, complex_too=lambda x: cmath.log(x) / math.log(2)),
    log10=_of(math.log10, _POLE),
    cbrt=_of(math.cbrt),
    sinh=_of(math.sinh, {-1000.0: -_INF}),
    cosh=_of(math.cosh),
    tanh=_of(math.tanh),
    asinh=_of(math.asinh),
    acosh=_of(math.acosh),
    atanh=_of(math.atanh, {1.0: _INF, -1.0: -_INF}),
    floor=each(math.floor),
    ceil=each(math.ceil),
    round=each(round),
)
