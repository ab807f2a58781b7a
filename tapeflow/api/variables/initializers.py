"""Initial values for variables: objects that make a tensor of a given shape when they are called."""

from typing import Any, Self

from tapeflow.api import random
from tapeflow.api.arguments import static_shape
from tapeflow.api.arrays.constants import constant
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]


class _Initializer:
    """`initializer(shape, dtype)` is a tensor; `get_config()` and `from_config` take it apart and put it together."""

    def get_config(self) -> dict[Any, Any]:
        """The arguments it was made with.

        Returns:
            The arguments of the constructor, as a dict.
        """
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @classmethod
    def from_config(cls, config: dict[Any, Any]) -> Self:
        """An initializer from what `get_config` gave.

        Args:
            config: What `get_config` gave.
        """
        return cls(**{name: value for name, value in config.items() if name != "dtype"})

    def _of_a_part(self, shape: Any, kwargs: dict) -> Any:
        """The shape to fill: `partition_shape` if only a part of the whole is asked for."""
        unknown = kwargs.keys() - {"partition_shape", "partition_offset"}
        if unknown:
            raise TypeError(
                "Keyword argument should be one of partition_shape, partition_offset. Received: "
                f"{', '.join(sorted(unknown))}"
            )
        return static_shape(kwargs.get("partition_shape") or shape)


def _filled(value: int, shape: tuple, dtype: Any) -> Tensor:
    dtype = as_dtype(dtype)
    if dtype.kind == "s" or not dtype.is_numpy_compatible:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype.name}.")
    return ops.broadcast_to(ops.cast(to_tensor(value), dtype=dtype.np), shape=shape)


class zeros_initializer(_Initializer):
    """Zeros.

    >>> tf.zeros_initializer()([2], tf.int32).numpy()
    array([0, 0], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        return _filled(0, self._of_a_part(shape, kwargs), dtype)


class ones_initializer(_Initializer):
    """Ones.

    >>> tf.Variable(tf.ones_initializer()([3])).numpy()
    array([1., 1., 1.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        return _filled(1, self._of_a_part(shape, kwargs), dtype)


class constant_initializer(_Initializer):
    """`value`: one number for all elements, or as many as there are elements, in their order.

    Args:
        value: A number, or as many as there are elements.
        support_partition: Taken and not used.

    >>> tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        self.value, self._support_partition = value, support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        if kwargs and not self._support_partition:
            raise TypeError(
                "A part of a constant was asked for; make the initializer with support_partition=True to allow that."
            )
        return constant(self.value, dtype, self._of_a_part(shape, kwargs))


class random_normal_initializer(_Initializer):
    """Normally distributed numbers. With a `seed` each call gives the same ones.

    Args:
        mean: The mean of the numbers.
        stddev: Their standard deviation.

    >>> make = tf.random_normal_initializer(stddev=0.1, seed=1)
    >>> make([2, 3]).shape, bool(tf.reduce_all(make([3]) == make([3])))
    (TensorShape([2, 3]), True)
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        dtype, shape = as_dtype(dtype), self._of_a_part(shape, kwargs)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype.name}.")
        if self.seed is None:
            return random.normal(shape, self.mean, self.stddev, dtype)
        return random.stateless_normal(shape, _seed(self.seed), self.mean, self.stddev, dtype)


class random_uniform_initializer(_Initializer):
    """Evenly distributed numbers from `minval` up to but without `maxval`. With a `seed` each call gives the same
    ones.

    Args:
        minval: The lower bound.
        maxval: The upper bound, which does not occur.

    >>> x = tf.random_uniform_initializer(0, 10)([100], tf.int32)
    >>> int(tf.reduce_min(x)) >= 0, int(tf.reduce_max(x)) <= 9
    (True, True)
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        dtype, shape = as_dtype(dtype), self._of_a_part(shape, kwargs)
        if not (dtype.is_floating or dtype.is_integer):
            raise ValueError(f"Argument `dtype` is expected to be integer or floating point. Received: {dtype.name}.")
        if self.seed is None:
            return random.uniform(shape, self.minval, self.maxval, dtype)
        return random.stateless_uniform(shape, _seed(self.seed), self.minval, self.maxval, dtype)


def _seed(seed: Any) -> list[int]:
    return [int(seed), 0]
