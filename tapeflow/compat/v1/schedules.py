"""Learning rate schedules of version 1, as functions without arguments: that is what version 1 gives where operations
are eager."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.arrays.casting import cast as _cast
from tapeflow.core.apply import as_tensor
from tapeflow.core.tensor import Tensor

from .fallback import found as _found

__all__ = [
    "cosine_decay", "exponential_decay", "inverse_time_decay", "natural_exp_decay", "piecewise_constant",
    "piecewise_constant_decay", "polynomial_decay",
]  # fmt: skip


def _progress(learning_rate: Any, global_step: Any, decay_steps: Any, whole: bool = False) -> tuple[Tensor, Tensor]:
    """(The first rate, how many decays there were)."""
    if global_step is None:
        raise ValueError("Argument `global_step` is required.")
    rate = as_tensor(learning_rate)
    done = _cast(as_tensor(global_step), rate.dtype) / _cast(as_tensor(decay_steps), rate.dtype)
    return rate, _found("floor")(done) if whole else done


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Tensor]:
    """learning_rate · decay_rate ** (global_step / decay_steps).

    Returns:
        A function of nothing that gives the rate now.

    >>> tf.compat.v1.train.exponential_decay(1., 2, 1, 0.5)().numpy()
    np.float32(0.25)
    """

    def now() -> Tensor:
        rate, done = _progress(learning_rate, global_step, decay_steps, staircase)
        return rate * _cast(as_tensor(decay_rate), rate.dtype) ** done

    return now


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Tensor]:
    """learning_rate · exp(-decay_rate · global_step / decay_steps).

    Returns:
        A function of nothing that gives the rate now.

    >>> tf.compat.v1.train.natural_exp_decay(1., 0, 1, 0.5)().numpy()
    np.float32(1.0)
    """

    def now() -> Tensor:
        rate, done = _progress(learning_rate, global_step, decay_steps, staircase)
        return rate * _found("exp")(-_cast(as_tensor(decay_rate), rate.dtype) * done)

    return now


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Tensor]:
    """learning_rate / (1 + decay_rate · global_step / decay_steps).

    Returns:
        A function of nothing that gives the rate now.

    >>> tf.compat.v1.train.inverse_time_decay(1., 2, 1, 0.5)().numpy()
    np.float32(0.5)
    """

    def now() -> Tensor:
        rate, done = _progress(learning_rate, global_step, decay_steps, staircase)
        return rate / (1 + _cast(as_tensor(decay_rate), rate.dtype) * done)

    return now


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0,
    cycle: bool = False, name: str | None = None,
) -> Callable[[], Tensor]:  # fmt: skip
    """From learning_rate to end_learning_rate in decay_steps; with `cycle` it starts again, over twice, three times as
    many.

    Returns:
        A function of nothing that gives the rate now.

    >>> tf.compat.v1.train.polynomial_decay(1., 5, 10, 0.)().numpy()
    np.float32(0.5)
    """

    def now() -> Tensor:
        rate, done = _progress(learning_rate, global_step, decay_steps)
        if cycle:
            done = done / _found("maximum")(_found("math.ceil")(done), 1.0)
        left = 1 - _found("minimum")(done, 1.0)
        end = _cast(as_tensor(end_learning_rate), rate.dtype)
        return (rate - end) * left ** _cast(as_tensor(power), rate.dtype) + end

    return now


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: str | None = None
) -> Callable[[], Tensor]:
    """From learning_rate to alpha · learning_rate along a cosine.

    Returns:
        A function of nothing that gives the rate now.

    >>> tf.compat.v1.train.cosine_decay(1., 10, 10)().numpy()
    np.float32(0.0)
    """

    def now() -> Tensor:
        rate, done = _progress(learning_rate, global_step, decay_steps)
        wave = 0.5 * (1 + _found("cos")(math.pi * _found("minimum")(done, 1.0)))
        return rate * ((1 - alpha) * wave + alpha)

    return now


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Callable[[], Tensor]:
    """The first of `values` up to the first boundary, and so on.

    Args:
        x: The number of the step.
        values: The rates, one more than boundaries.

    Returns:
        A function of nothing that gives the rate now.

    Raises:
        ValueError: If there are more values, or fewer.

    >>> tf.compat.v1.train.piecewise_constant(5, [4, 6], [1., 2., 3.])().numpy()
    np.float32(2.0)
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            f"The length of boundaries should be 1 less than the length of values, got {len(boundaries)} and "
            f"{len(values)}."
        )

    def now() -> Tensor:
        step = as_tensor(x)
        passed = [_found("cast")(step > _cast(as_tensor(b), step.dtype), "int32") for b in boundaries]
        return _found("gather")(as_tensor([float(v) for v in values]), sum(passed, as_tensor(0)))

    return now


piecewise_constant_decay = piecewise_constant
