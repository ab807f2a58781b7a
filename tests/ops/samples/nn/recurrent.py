import numpy as np
from scipy.special import expit

from tests.ops.samples.sample import between, normal, of


def _lstm(z, c):
    enter, keep, new, leave = np.split(z, 4, -1)
    new_c = expit(keep) * c + expit(enter) * np.tanh(new)
    gates = np.concatenate([expit(enter), expit(keep), np.tanh(new), expit(leave)], -1)
    return expit(leave) * np.tanh(new_c), new_c, gates


def _lstm_grad(gates, c, new_c, of_h, of_c):
    enter, keep, new, leave = np.split(gates, 4, -1)
    whole = of_c + of_h * leave / np.cosh(new_c) ** 2
    of_z = [
        whole * new * enter * (1 - enter),
        whole * c * keep * (1 - keep),
        whole * enter * (1 - new**2),
        of_h * np.tanh(new_c) * leave * (1 - leave),
    ]
    return np.concatenate(of_z, -1), whole * keep


def _gru(x, inner, h):
    (x_keep, x_reset, x_new), (i_keep, i_reset, i_new) = np.split(x, 3, -1), np.split(inner, 3, -1)
    keep, reset = expit(x_keep + i_keep), expit(x_reset + i_reset)
    new = np.tanh(x_new + reset * i_new)
    return keep * h + (1 - keep) * new, np.concatenate([keep, reset, new], -1)


def _gru_grad(gates, inner, h, of_h):
    keep, reset, new = np.split(gates, 3, -1)
    of_new = of_h * (1 - keep) * (1 - new**2)
    of_keep = of_h * (h - new) * keep * (1 - keep)
    of_reset = of_new * np.split(inner, 3, -1)[2] * reset * (1 - reset)
    return (
        np.concatenate([of_keep, of_reset, of_new], -1),
        np.concatenate([of_keep, of_reset, of_new * reset], -1),
        of_h * keep,
    )


def _states(*shape):
    return [normal(*shape, seed=k) for k in "abcd"]


# rows, numbers in a state, and how many derivatives are checked
_SIZES = [((2, 3), 2), ((2, 1, 2), 2), ((0, 3), 2), ((20, 150), 0)]

SAMPLES = {
    "lstm_step": [
        of(normal(*shape[:-1], 4 * shape[-1]), normal(*shape, seed="c"), reference=_lstm, order=order)
        for shape, order in _SIZES
    ]
    + [of(np.array([[1000.0, -1000.0, 1e-9, 0.0]]), np.array([[-3.0]]), reference=_lstm, order=0)],
    "lstm_step_grad": [
        of(between(0.1, 0.9, *shape[:-1], 4 * shape[-1]), *_states(*shape), reference=_lstm_grad, order=order)
        for shape, order in _SIZES
    ],
    "gru_step": [
        of(
            normal(*shape[:-1], 3 * shape[-1]),
            normal(*shape[:-1], 3 * shape[-1], seed="i"),
            normal(*shape, seed="h"),
            reference=_gru,
            order=order,
        )
        for shape, order in _SIZES
    ],
    "gru_step_grad": [
        of(
            between(0.1, 0.9, *shape[:-1], 3 * shape[-1]),
            normal(*shape[:-1], 3 * shape[-1], seed="i"),
            *_states(*shape)[:2],
            reference=_gru_grad,
            order=order,
        )
        for shape, order in _SIZES
    ],
}
