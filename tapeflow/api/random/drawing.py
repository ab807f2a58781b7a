"""Random tensors from the program's own stream: `tf.random.normal` and its like."""

import math
import operator
from typing import Any

from tapeflow.api.arguments import whole
from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32, int32, int64
from tapeflow.core.random import streams
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, ShapeLike, TensorLike

from . import draws

__all__ = ["categorical", "gamma", "normal", "poisson", "set_seed", "shuffle", "truncated_normal", "uniform"]


def _key(seed: Any, kind: str, shape: Any, dtype: Any) -> Tensor:
    return draws.next_key(seed, kind, math.prod(draws.sizes(shape)), as_dtype(dtype))


def set_seed(seed: Any) -> None:
    """Makes the random numbers of the program repeatable: they start again from `seed`, an integer.

    Args:
        seed: An integer; None begins with another one in every run.

    >>> tf.random.set_seed(7)
    >>> a = tf.random.normal([3])
    >>> tf.random.set_seed(7)
    >>> bool(tf.reduce_all(a == tf.random.normal([3])))
    True
    """
    if seed is not None:
        try:
            seed = operator.index(seed)
        except TypeError:
            raise TypeError(
                f"A seed is an integer, got {seed!r}. Use int(...), or hash a name to an integer yourself."
            ) from None
    streams.set_seed(seed)


def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers. `mean` and `stddev` broadcast to `shape`, and gradients flow to them.

    Raises:
        TypeError: If `dtype` is not of floats.

    >>> mean = tf.Variable(2.)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.random.normal([3], mean=mean, stddev=0.1)
    >>> y.shape, tape.gradient(y, mean).numpy()
    (TensorShape([3]), np.float32(3.0))
    """
    return draws.normal(_key(seed, "normal", shape, dtype), shape, mean, stddev, dtype)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers, none more than two standard deviations from the mean.

    Raises:
        TypeError: If `dtype` is not of floats.

    >>> bool(tf.reduce_max(tf.abs(tf.random.truncated_normal([1000]))) <= 2)
    True
    """
    return draws.truncated_normal(_key(seed, "truncated_normal", shape, dtype), shape, mean, stddev, dtype)


def uniform(
    shape: ShapeLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Evenly distributed numbers from `minval` up to but without `maxval` (1 for floats; integers need one).

    Args:
        maxval: The bound, itself not drawn; None: 1, for floats.
        dtype: float16, bfloat16, float32, float64, int32 or int64.

    Raises:
        ValueError: If the dtype is another, or is of integers and has no `maxval`.

    >>> dice = tf.random.uniform([100], 1, 7, dtype=tf.int32)
    >>> int(tf.reduce_min(dice)) >= 1, int(tf.reduce_max(dice)) <= 6
    (True, True)
    """
    dtype = as_dtype(dtype)
    if dtype not in (*draws.FLOATS, int32, int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype.name}. Accepted dtypes are {(*draws.FLOATS, int32, int64)}."
        )
    if dtype.is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {dtype.name}")
    return draws.uniform(_key(seed, "uniform", shape, dtype), shape, minval, maxval, dtype)


def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Gamma distributed numbers, `shape` of them for each `alpha` (and `beta`, the inverse scale): shape +
    alpha.shape.

    Gradients flow to both parameters; to `alpha` by implicit reparameterisation.

    Args:
        shape: How many numbers for each parameter: the result has this shape, then that of the parameters.

    >>> alpha = tf.Variable([1., 50.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.random.gamma([10000], alpha)
    ...     mean = tf.reduce_mean(y, axis=0)                               # close to alpha, and so its slope to 1
    >>> y.shape, tape.gradient(mean, alpha).numpy().round()
    (TensorShape([10000, 2]), array([1., 1.], dtype=float32))
    """
    alpha, beta = to_tensor(alpha, as_dtype(dtype)), None if beta is None else to_tensor(beta, as_dtype(dtype))
    tail = broadcast_shapes(alpha.sizes, () if beta is None else beta.sizes)
    shape = (*draws.sizes(shape), *tail)
    return draws.gamma(_key(seed, "gamma", shape, dtype), shape, alpha, beta)


def poisson(
    shape: ShapeLike, lam: TensorLike, dtype: DTypeLike = float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers, `shape` of them for each rate in `lam`: the result has shape + lam.shape.

    Args:
        shape: How many numbers for each parameter: the result has this shape, then that of the parameters.

    >>> tf.random.poisson([5], [1., 10.]).shape
    TensorShape([5, 2])
    """
    rate = as_tensor(lam)
    shape = (*draws.sizes(shape), *rate.sizes)
    return draws.poisson(
        draws.next_key(seed, "poisson", math.prod(shape), (rate.dtype, as_dtype(dtype))), shape, rate, dtype
    )


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Choices of classes: for each row of `logits` (unnormalised log-probabilities) `num_samples` class numbers, as
    int64.

    Args:
        dtype: int32 or int64; None: int64.

    Returns:
        Class numbers, of shape (rows, num_samples).

    Raises:
        InvalidArgumentError: If `logits` is no matrix.

    >>> tf.random.categorical([[0., -np.inf], [-np.inf, 0.]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    logits, count = as_tensor(logits), whole(num_samples, "num_samples")
    reserved = (logits.sizes[0] if logits.ndim else 0) * (-(-count // 4) * 8)
    return draws.categorical(
        draws.next_key(seed, "categorical", reserved, (logits.dtype, dtype)), logits, count, dtype
    )


def shuffle(value: AnyTensorLike, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows of `value` (its entries along the first axis) in random order. Gradients find their way back.

    >>> tf.sort(tf.random.shuffle([3, 1, 2])).numpy()
    array([1, 2, 3], dtype=int32)
    """
    value = as_tensor(value)
    rows = value.sizes[0] if value.ndim else 1
    blocks = (rows + 2) // 4 if type(rows) is int else rows  # a word for each row but one
    return draws.shuffle(draws.next_key(seed, "shuffle", blocks, value.dtype, each=1), value)
