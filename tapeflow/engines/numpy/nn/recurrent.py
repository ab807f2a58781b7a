"""Steps of an LSTM and of a GRU without their matrix products (see `ops/nn/recurrent.py`)."""

import numpy as np


def _parts(x, count):
    width = x.shape[-1] // count
    return [x[..., k * width : (k + 1) * width] for k in range(count)]


def _sigmoids(x):
    out = np.exp(-x)
    out += 1
    return np.divide(1, out, out=out)


def lstm_step(z, c):
    gates = _sigmoids(z)
    enter, keep, new, leave = _parts(gates, 4)
    new[...] = np.tanh(_parts(z, 4)[2])
    new_c = keep * c
    new_c += enter * new
    return leave * np.tanh(new_c), new_c, gates


def lstm_step_grad(gates, c, new_c, of_h, of_c):
    enter, keep, new, leave = _parts(gates, 4)
    out = np.tanh(new_c)
    of_new_c = of_c + of_h * leave * (1 - out * out)
    slopes = gates * (1 - gates)
    _parts(slopes, 4)[2][...] = 1 - new * new
    for part, value in zip(_parts(slopes, 4), (of_new_c * new, of_new_c * c, of_new_c * enter, of_h * out)):
        part *= value
    return slopes, of_new_c * keep


def gru_step(x, inner, h):
    width = h.shape[-1]
    gates = np.empty_like(x)
    gates[..., : 2 * width] = _sigmoids(x[..., : 2 * width] + inner[..., : 2 * width])
    keep, reset, new = _parts(gates, 3)
    new[...] = np.tanh(_parts(x, 3)[2] + reset * _parts(inner, 3)[2])
    return new + keep * (h - new), gates


def gru_step_grad(gates, inner, h, of_h):
    keep, reset, new = _parts(gates, 3)
    of_new = of_h * (1 - keep) * (1 - new * new)
    of_x = gates * (1 - gates)
    by_keep, by_reset, by_new = _parts(of_x, 3)
    by_keep *= of_h * (h - new)
    by_reset *= of_new * _parts(inner, 3)[2]
    by_new[...] = of_new
    of_inner = of_x.copy()
    _parts(of_inner, 3)[2][...] *= reset
    return of_x, of_inner, of_h * keep
