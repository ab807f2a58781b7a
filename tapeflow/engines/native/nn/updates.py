"""What optimizers make of a gradient (see `ops/nn/updates.py`)."""

from ctypes import c_int
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, NUMBER, POINTER, at, fits, function
from tapeflow.engines.numpy.nn.updates import adam_rate

_descend: Any = function("descend", *[POINTER] * 3, COUNT, NUMBER)
_momentum: Any = function("descend_with_momentum", *[POINTER] * 5, COUNT, NUMBER, NUMBER, c_int)
_adam: Any = function("adam", *[POINTER] * 7, COUNT, *[NUMBER] * 4)


def _alike(rate: Any, first: Any, *others: Any) -> bool:
    """Arrays of one shape and a single number."""
    return fits(first, *others) and all(x.shape == first.shape for x in others) and rate.shape == ()


def descend(gradient: Any, variable: Any, rate: Any) -> Any:
    if _descend is None or not _alike(rate, gradient, variable):
        return None
    out = np.empty_like(variable)
    _descend(at(gradient), at(variable), at(out), out.size, float(rate))
    return out


def descend_with_momentum(
    gradient: Any, velocity: Any, variable: Any, rate: Any, momentum: float, nesterov: bool
) -> Any:
    if _momentum is None or not _alike(rate, gradient, velocity, variable):
        return None
    outs = np.empty_like(velocity), np.empty_like(variable)
    _momentum(*map(at, (gradient, velocity, variable, *outs)), variable.size, float(rate), momentum, nesterov)
    return outs


def adam(
    gradient: Any, mean: Any, square: Any, variable: Any, rate: Any, step: Any, beta_1: float, beta_2: float,
    epsilon: float,
) -> Any:  # fmt: skip
    if _adam is None or step.shape != () or not _alike(rate, gradient, mean, square, variable):
        return None
    outs = np.empty_like(mean), np.empty_like(square), np.empty_like(variable)
    alpha = adam_rate(rate, step, beta_1, beta_2)
    _adam(*map(at, (gradient, mean, square, variable, *outs)), variable.size, alpha, 1 - beta_1, 1 - beta_2, epsilon)
    return outs
