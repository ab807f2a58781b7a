import numpy as np
from scipy import special

from tests.ops.samples.sample import EMPTY, SCALAR, SPECIAL, completed, normal, of

_ROOT = np.sqrt(2 / np.pi)


def _smooth(reference):
    return [of(normal(3, 4), reference=reference), of(SCALAR, reference=reference), of(EMPTY), of(SPECIAL, order=0)]


def _slope(reference, **params):
    """Samples of a primitive that takes a gradient and an output."""
    output = np.array([[-1.5, 0.0, 2.5], [6.0, 7.0, 0.5]])
    return [
        of(normal(2, 3), output, reference=reference, order=0, **params),
        of(normal(4), normal(4, seed="y"), **params),
        of(SCALAR, SCALAR, **params),
    ]


def _slope_of(slope):
    """Samples of a primitive that takes a gradient and an input."""
    reference = lambda dy, x: dy * slope(x)
    return [
        of(normal(3, 4), normal(3, 4, seed="x"), reference=reference),
        of(normal(3, 1), normal(4, seed="x") * 3, reference=reference),
        of(SCALAR, SCALAR, reference=reference),
        of(EMPTY, EMPTY),
        of(normal(*SPECIAL.shape), SPECIAL, order=0),
        of(normal(5000), normal(5000, seed="x") * 3, reference=reference, order=0),
    ]


def _slope_of_rows(reference):
    return [
        of(normal(3, 4), normal(3, 4, seed="y"), axis=1, reference=reference),
        of(normal(2, 3, 2), normal(2, 3, 2, seed="y"), axis=0, reference=reference),
        of(EMPTY, EMPTY, axis=1),
        of(normal(*SPECIAL.shape), SPECIAL, axis=0, order=0),
    ]


def _gelu_tanh_slope(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * _ROOT * (1 + 3 * 0.044715 * x**2)


def _softmax(x, axis):
    return special.softmax(x, axis=axis)


SAMPLES = {
    "relu": [
        *_smooth(lambda x: np.where(x > 0, x, 0)),
        of(np.arange(-3, 3), order=0),
        of(normal(5000), reference=lambda x: np.where(x > 0, x, 0)),
    ],
    "relu_grad": _slope(lambda dy, output: np.where(output > 0, dy, 0)),
    "relu6": [*_smooth(lambda x: np.minimum(np.where(x > 0, x, 0), 6)), of(np.array([5.5, 6.5, -2.0]))],
    "relu6_grad": _slope(lambda dy, output: np.where((output > 0) & (output < 6), dy, 0)),
    "leaky_relu": [
        of(normal(3, 4), alpha=alpha, reference=lambda x, alpha: np.where(x > 0, x, alpha * x))
        for alpha in (0.2, 0.0, 1.0, 1.5)
    ]
    + [of(SCALAR, alpha=0.2), of(EMPTY, alpha=0.2), of(SPECIAL, alpha=0.2, order=0)],
    "leaky_relu_grad": [
        s
        for alpha in (0.2, 0.0, 1.5)
        for s in _slope(lambda dy, output, alpha: np.where(output > 0, dy, alpha * dy), alpha=alpha)
    ],
    "elu": _smooth(lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)),
    "selu": _smooth(
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(np.minimum(x, 0)) - 1))
    ),
    "negative_part": _smooth(lambda x: np.where(x < 0, x, 0)),
    "selu_slope": _smooth(lambda y: np.where(y < 0, y + 1.0507009873554805 * 1.6732632423543772, 1.0507009873554805)),
    "softplus": _smooth(lambda x: np.logaddexp(x, 0)),
    "softsign": _smooth(lambda x: x / (1 + np.abs(x))),
    "silu": _smooth(lambda x: x * special.expit(x)),
    "gelu": _smooth(lambda x: 0.5 * x * special.erfc(-x / np.sqrt(2))),
    "gelu_tanh": _smooth(lambda x: 0.5 * x * (1 + np.tanh(_ROOT * (x + 0.044715 * x**3)))),
    "gelu_grad": _slope_of(
        lambda x: 0.5 * special.erfc(-x / np.sqrt(2)) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    ),
    "gelu_tanh_grad": _slope_of(_gelu_tanh_slope),
    "softmax": [
        of(normal(3, 4), axis=1, reference=_softmax),
        of(normal(2, 3, 2), axis=0, reference=_softmax),
        of(normal(1), axis=0),
        of(np.array([1000.0, 999.0, -1000.0]), axis=0, reference=_softmax, order=0),
        of(EMPTY, axis=1),
        of(np.zeros((3, 0)), axis=1),
        of(SPECIAL, axis=0, order=0),
    ],
    "softmax_grad": _slope_of_rows(lambda g, y, axis: (g - np.sum(g * y, axis, keepdims=True)) * y),
    "log_softmax_grad": _slope_of_rows(lambda g, y, axis: g - np.exp(y) * np.sum(g, axis, keepdims=True)),
    "log_softmax": [
        of(normal(3, 4), axis=1, reference=special.log_softmax),
        of(normal(2, 3, 2), axis=0, reference=special.log_softmax),
        of(np.array([1000.0, 999.0, -np.inf]), axis=0, order=0),
        of(EMPTY, axis=1),
        of(SPECIAL, axis=0, order=0),
    ],
}

SAMPLES = completed(
    SAMPLES,
    "relu_grad relu6_grad leaky_relu leaky_relu_grad elu selu softplus softsign silu gelu gelu_grad gelu_tanh "
    "softmax_grad log_softmax log_softmax_grad",  # the formula of gelu_tanh_grad is NaN at infinities
)
