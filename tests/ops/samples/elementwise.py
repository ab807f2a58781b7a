from .sample import EMPTY, SCALAR, SPECIAL, complex_normal, normal, of

_smooth = lambda reference=None: [
    of(normal(3, 4), reference=reference), of(SCALAR), of(EMPTY), of(SPECIAL, order=0), of(complex_normal(3))
]

SAMPLES = {name: _smooth() for name in ("sin", "cos", "exp", "tanh", "square")}
