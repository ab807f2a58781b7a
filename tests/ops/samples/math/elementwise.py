import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, SPECIAL, between, complex_normal, normal, of, positive


def _smooth(x=None, reference=None, complex_too=True):
    samples = [of(normal(3, 4) if x is None else x, reference=reference), of(SCALAR), of(EMPTY), of(SPECIAL, order=0)]
    return samples + ([of(complex_normal(3), reference=reference)] if complex_too else [])


def _sigmoid(x):
    return np.exp(x) / (1 + np.exp(x))


_steps = [of(normal(3, 4, scale=3)), of(SCALAR), of(EMPTY), of(SPECIAL), of(np.array([0.5, 1.5, -0.5, 2.5]))]

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
