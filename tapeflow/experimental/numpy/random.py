"""`tf.experimental.numpy.random`: NumPy's old random functions on TensorFlow's generators, in float64 and int64."""

from typing import Any

from tapeflow.api import random as _random
from tapeflow.api.interop.numpy_functions.registry import numpy_dtype as _numpy_dtype
from tapeflow.api.interop.promotion import tensor as _tensor
from tapeflow.core.dtypes import float64, int64
from tapeflow.core.tensor import Tensor, sizes_of

__all__ = ["poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]


def _shape(size: Any) -> tuple:
    return () if size is None else (size,) if isinstance(size, int) else tuple(size)


def seed(s: int) -> None:
    """Makes what follows repeatable: `tf.random.set_seed`.

    >>> tf.experimental.numpy.random.seed(1)
    """
    _random.set_seed(s)


def standard_normal(size: Any = None) -> Tensor:
    """Normal numbers of mean 0 and deviation 1.

    >>> tf.experimental.numpy.random.standard_normal((2, 3)).shape
    TensorShape([2, 3])
    """
    return _random.normal(_shape(size), dtype=float64)


def randn(*args: int) -> Tensor:
    """Normal numbers; the sizes are the arguments.

    >>> tf.experimental.numpy.random.randn(2, 3).dtype
    tf.float64
    """
    return standard_normal(args)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers from `low` to `high`, differentiable in both.

    >>> tf.experimental.numpy.random.uniform(1., 2., 3).shape
    TensorShape([3])
    """
    low, high = _tensor(low, float64), _tensor(high, float64)
    sizes = tuple((low + high).shape) if size is None else _shape(size)
    return low + (high - low) * _random.uniform(sizes, dtype=float64)


def random(size: Any = None) -> Tensor:
    """Numbers from 0 to 1.

    >>> bool(tf.experimental.numpy.random.random() < 1.)
    True
    """
    return uniform(0.0, 1.0, _shape(size))


def rand(*size: int) -> Tensor:
    """Numbers from 0 to 1; the sizes are the arguments.

    >>> tf.experimental.numpy.random.rand(2).shape
    TensorShape([2])
    """
    return random(size)


def randint(low: int, high: int | None = None, size: Any = None, dtype: Any = int64) -> Tensor:
    """Whole numbers from `low` to below `high`, or from 0 to below `low`.

    Args:
        low: The lower bound; the upper one, if there is no `high`.
        high: The upper bound, which does not occur; None: it is `low`.

    >>> tf.experimental.numpy.random.randint(3, size=2).dtype
    tf.int64
    """
    low, high = (0, low) if high is None else (low, high)
    drawn = _random.uniform(_shape(size), low, high, dtype=int64)
    return _tensor(drawn, _numpy_dtype(dtype))


def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """How many events occur when `lam` are expected.

    >>> tf.experimental.numpy.random.poisson(2., 4).shape
    TensorShape([4])
    """
    sizes = tuple(sizes_of(_tensor(lam))) if size is None else _shape(size)
    rate = _tensor(lam, float64)
    drawn = _random.poisson(sizes[: len(sizes) - len(rate.sizes)], rate, dtype=float64)
    return _tensor(drawn, int64)
