"""Keras' SGD and Adam with one operation for each variable, in the place of some ten.

What is sparse, in halves, or does not fit (an error) is computed as Keras does it.
"""

from typing import Any

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .ops.core import convert_to_tensor

_WIDE = {tf.float32, tf.float64}


def _as(x: Any, like: Tensor) -> Tensor:
    x = x if isinstance(x, Tensor) else convert_to_tensor(x)
    return x if x.dtype is like.dtype else tf.cast(x, like.dtype)


def _fits(gradient: Any, value: Tensor) -> bool:
    return isinstance(gradient, Tensor) and value.dtype in _WIDE and tuple(gradient.sizes) == tuple(value.sizes)


def adapt_descent(module: Any) -> None:
    composed = module.SGD.update_step

    def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
        value = convert_to_tensor(variable)
        if not _fits(gradient, value):
            composed(self, gradient, variable, learning_rate)
            return
        given = _as(gradient, value), _as(learning_rate, value)
        if self.momentum == 0:
            self.assign(variable, ops.descend(given[0], value, given[1]))
            return
        velocity = self.momentums[self._get_variable_index(variable)]
        news = ops.descend_with_momentum(
            given[0], convert_to_tensor(velocity), value, given[1],
            momentum=self.momentum, nesterov=bool(self.nesterov),
        )  # fmt: skip
        for one, new in zip((velocity, variable), news):
            self.assign(one, new)

    module.SGD.update_step = update_step


def adapt_adam(module: Any) -> None:
    composed = module.Adam.update_step

    def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
        value = convert_to_tensor(variable)
        numbers = {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
        plain = all(isinstance(x, (int, float)) for x in numbers.values()) and not self.amsgrad
        if not plain or not _fits(gradient, value):
            composed(self, gradient, variable, learning_rate)
            return
        index = self._get_variable_index(variable)
        averages = self._momentums[index], self._velocities[index]
        step = _as(convert_to_tensor(self.iterations) + 1, value)
        rate = _as(learning_rate, value)
        news = ops.adam(_as(gradient, value), *map(convert_to_tensor, averages), value, rate, step, **numbers)
        for one, new in zip((*averages, variable), news):
            self.assign(one, new)

    module.Adam.update_step = update_step
