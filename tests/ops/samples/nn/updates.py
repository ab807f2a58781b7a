import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, normal, of, positive

_RATE = np.float64(0.1)
_BETAS = dict(beta_1=0.9, beta_2=0.99, epsilon=0.01)


def _momentum(gradient, velocity, variable, rate, momentum, nesterov):
    velocity = momentum * velocity - rate * gradient
    return velocity, variable + momentum * velocity - rate * gradient if nesterov else variable + velocity


def _adam(gradient, mean, square, variable, rate, step, beta_1, beta_2, epsilon):
    mean = beta_1 * mean + (1 - beta_1) * gradient
    square = beta_2 * square + (1 - beta_2) * gradient**2
    alpha = rate * np.sqrt(1 - beta_2**step) / (1 - beta_1**step)
    return mean, square, variable - alpha * mean / (np.sqrt(square) + epsilon)


def _descend(gradient, variable, rate):
    return variable - gradient * rate


SAMPLES = {
    "descend": [
        of(normal(3, 4), normal(3, 4, seed="w"), _RATE, reference=_descend),
        of(normal(2, 3), normal(2, 3, seed="w"), normal(2, 1), reference=_descend),
        of(SCALAR, SCALAR, _RATE, reference=_descend),
        of(EMPTY, EMPTY, _RATE, reference=_descend),
        of(normal(100, 90), normal(100, 90, seed="w"), _RATE, reference=_descend, order=0),
    ],
    "descend_with_momentum": [
        of(g, v, w, _RATE, momentum=0.9, nesterov=nesterov, reference=_momentum, order=order)
        for nesterov in (False, True)
        for g, v, w, order in (
            (normal(3, 4), normal(3, 4, seed="v"), normal(3, 4, seed="w"), 2),
            (SCALAR, SCALAR, SCALAR, 2),
            (EMPTY, EMPTY, EMPTY, 2),
            (normal(100, 90), normal(100, 90, seed="v"), normal(100, 90, seed="w"), 0),
        )
    ],
    "adam": [
        of(g, m, v, w, _RATE, np.float64(3), **_BETAS, reference=_adam, order=order)
        for g, m, v, w, order in (
            (normal(3, 4), normal(3, 4, seed="m"), positive(3, 4), normal(3, 4, seed="w"), 2),
            (SCALAR, SCALAR, SCALAR, SCALAR, 2),
            (EMPTY, EMPTY, EMPTY, EMPTY, 2),
            (normal(100, 90), normal(100, 90, seed="m"), positive(100, 90), normal(100, 90, seed="w"), 0),
        )
    ],
}
