"""Initializers of version 1: a standard deviation of 1 or numbers from 0 to 1 unless it is said otherwise, and seeds
that go on: with a seed each call gives the next numbers of its stream, as other random operations of version 1 do."""

import math
from typing import Any

from tapeflow.api import random as _random
from tapeflow.api.arguments import static_shape as _static_shape
from tapeflow.api.variables.initializers import _Initializer
from tapeflow.core.dtypes import float32

from .fallback import falling_back_to as _falling_back_to

__all__ = [
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "variance_scaling_initializer",
]

_OWN = {name: f"{name}_initializer" for name in ("constant", "ones", "zeros")}
_OWN |= {"identity": "keras.initializers.Identity", "orthogonal": "keras.initializers.Orthogonal"}
_OWN |= {
    name: f"compat.v1.{name}_initializer"
    for name in ("random_normal", "random_uniform", "truncated_normal", "variance_scaling")
}
_SCALED = {
    "glorot_normal": (1.0, "fan_avg", "truncated_normal"),
    "glorot_uniform": (1.0, "fan_avg", "uniform"),
    "he_normal": (2.0, "fan_in", "truncated_normal"),
    "he_uniform": (2.0, "fan_in", "uniform"),
    "lecun_normal": (1.0, "fan_in", "truncated_normal"),
    "lecun_uniform": (1.0, "fan_in", "uniform"),
}
_FROM_SCALE = 0.87962566103423978  # the deviation of a standard normal number that is cut off at 2

_others = _falling_back_to("initializers", _OWN)


def __getattr__(name: str) -> Any:
    if name in _SCALED:
        return lambda seed=None, dtype=float32: variance_scaling_initializer(*_SCALED[name], seed, dtype)
    return _others(name)


class _Drawn(_Initializer):
    """`draw(shape, dtype)`, with the arguments for `get_config()`."""

    def __init__(self, draw: Any, dtype: Any, **config: Any) -> None:
        self._draw, self._dtype, self._config = draw, dtype, config

    def get_config(self) -> dict[Any, Any]:
        return {**self._config, "dtype": getattr(self._dtype, "name", self._dtype)}

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return self._draw(self._of_a_part(shape, kwargs), self._dtype if dtype is None else dtype)


def random_normal_initializer(
    mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = float32
) -> Any:
    """Normally distributed numbers.

    Returns:
        An initializer: a function of a shape, and a dtype if another is wanted.

    >>> tf.compat.v1.random_normal_initializer()([2]).shape
    TensorShape([2])
    """
    draw = lambda shape, dtype: _random.normal(shape, mean, stddev, dtype, seed)
    return _Drawn(draw, dtype, mean=mean, stddev=stddev, seed=seed)


def random_uniform_initializer(
    minval: float = 0.0, maxval: float | None = None, seed: int | None = None, dtype: Any = float32
) -> Any:
    """Evenly distributed numbers, from 0 to 1 unless it is said otherwise.

    Args:
        maxval: The bound, itself not drawn; None: 1.

    Returns:
        An initializer: a function of a shape, and a dtype if another is wanted.

    >>> bool(tf.reduce_all(tf.compat.v1.random_uniform_initializer()([9]) >= 0))
    True
    """
    draw = lambda shape, dtype: _random.uniform(shape, minval, 1.0 if maxval is None else maxval, dtype, seed)
    return _Drawn(draw, dtype, minval=minval, maxval=maxval, seed=seed)


def truncated_normal_initializer(
    mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = float32
) -> Any:
    """Normally distributed numbers, none two standard deviations or more from the mean.

    Returns:
        An initializer: a function of a shape, and a dtype if another is wanted.

    >>> tf.compat.v1.truncated_normal_initializer()([2]).shape
    TensorShape([2])
    """
    draw = lambda shape, dtype: _random.truncated_normal(shape, mean, stddev, dtype, seed)
    return _Drawn(draw, dtype, mean=mean, stddev=stddev, seed=seed)


def variance_scaling_initializer(
    scale: float = 1.0,
    mode: str = "fan_in",
    distribution: str = "truncated_normal",
    seed: int | None = None,
    dtype: Any = float32,
) -> Any:
    """Numbers whose variance is `scale` divided by how many values go in (or out, or the mean of both). `"normal"` is
    another name of `"truncated_normal"`.

    Returns:
        An initializer: a function of a shape, and a dtype if another is wanted.

    >>> tf.compat.v1.variance_scaling_initializer()([2, 2]).shape
    TensorShape([2, 2])
    """
    if (
        scale <= 0
        or mode not in _FANS
        or distribution not in ("normal", "truncated_normal", "untruncated_normal", "uniform")
    ):
        raise ValueError(f"Cannot scale by scale={scale!r}, mode={mode!r}, distribution={distribution!r}.")

    def draw(shape: Any, dtype: Any) -> Any:
        variance = scale / max(1.0, _FANS[mode](*_fans(_static_shape(shape))))
        if distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return _random.uniform(shape, -limit, limit, dtype, seed)
        if distribution == "untruncated_normal":
            return _random.normal(shape, 0.0, math.sqrt(variance), dtype, seed)
        return _random.truncated_normal(shape, 0.0, math.sqrt(variance) / _FROM_SCALE, dtype, seed)

    return _Drawn(draw, dtype, scale=scale, mode=mode, distribution=distribution, seed=seed)


_FANS: dict[str, Any] = {
    "fan_in": lambda fan_in, _: fan_in,
    "fan_out": lambda _, fan_out: fan_out,
    "fan_avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2,
}


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    field = math.prod(shape[:-2])
    return field * shape[-2], field * shape[-1]


def glorot_uniform_initializer(seed: int | None = None, dtype: Any = float32) -> Any:
    """Glorot's uniform numbers, up to sqrt(6 / (in + out)).

    Returns:
        An initializer: a function of a shape, and a dtype if another is wanted.

    >>> bool(tf.reduce_max(tf.abs(tf.compat.v1.glorot_uniform_initializer()([3, 3]))) <= 1.)
    True
    """
    return variance_scaling_initializer(*_SCALED["glorot_uniform"], seed, dtype)


def glorot_normal_initializer(seed: int | None = None, dtype: Any = float32) -> Any:
    """Glorot's truncated normal numbers, of variance 2 / (in + out).

    Returns:
        An initializer: a function of a shape, and a dtype if another is wanted.

    >>> tf.compat.v1.glorot_normal_initializer()([3, 3]).shape
    TensorShape([3, 3])
    """
    return variance_scaling_initializer(*_SCALED["glorot_normal"], seed, dtype)
