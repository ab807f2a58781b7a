"""Initializers whose defaults were others in version 1: a standard deviation of 1, numbers from 0 to 1."""

from typing import Any

from tapeflow.core.dtypes import float32

from .. import initializers as _new
from .fallback import falling_back_to as _falling_back_to
from .fallback import found as _found

__all__ = [
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "variance_scaling_initializer",
]

_SAME = "constant ones zeros"
_KERAS = "glorot_normal=GlorotNormal glorot_uniform=GlorotUniform he_normal=HeNormal he_uniform=HeUniform identity=Identity"
_KERAS += " lecun_normal=LecunNormal lecun_uniform=LecunUniform orthogonal=Orthogonal"
_OWN = {name: f"{name}_initializer" for name in _SAME.split()}
_OWN |= {entry.partition("=")[0]: f"keras.initializers.{entry.partition('=')[2]}" for entry in _KERAS.split()}
_OWN |= {
    name: f"compat.v1.{name}_initializer" for name in ("random_normal", "random_uniform", "truncated_normal", "variance_scaling")
}

__getattr__ = _falling_back_to("initializers", _OWN)


def random_normal_initializer(mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = float32) -> Any:
    """`tf.random_normal_initializer`, whose standard deviation is 1 unless it is given.

    >>> tf.compat.v1.random_normal_initializer()([2]).shape
    TensorShape([2])
    """
    return _new.random_normal_initializer(mean, stddev, seed)


def random_uniform_initializer(
    minval: float = 0.0, maxval: float | None = None, seed: int | None = None, dtype: Any = float32
) -> Any:
    """`tf.random_uniform_initializer`, from 0 to 1 unless it is said otherwise.

    >>> bool(tf.reduce_all(tf.compat.v1.random_uniform_initializer()([9]) >= 0))
    True
    """
    return _new.random_uniform_initializer(minval, 1.0 if maxval is None else maxval, seed)


def truncated_normal_initializer(mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = float32) -> Any:
    """Keras' `TruncatedNormal`, whose standard deviation is 1 unless it is given.

    >>> tf.compat.v1.truncated_normal_initializer()([2]).shape
    TensorShape([2])
    """
    return _found("keras.initializers.TruncatedNormal")(mean, stddev, seed)


def variance_scaling_initializer(
    scale: float = 1.0,
    mode: str = "fan_in",
    distribution: str = "truncated_normal",
    seed: int | None = None,
    dtype: Any = float32,
) -> Any:
    """Keras' `VarianceScaling`, with `"normal"` as another name of `"truncated_normal"`.

    >>> tf.compat.v1.variance_scaling_initializer()([2, 2]).shape
    TensorShape([2, 2])
    """
    return _found("keras.initializers.VarianceScaling")(
        scale, mode, "truncated_normal" if distribution == "normal" else distribution, seed
    )
