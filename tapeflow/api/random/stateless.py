"""`tf.random.stateless_*`: the same `seed`, a pair of integers, gives the same numbers always and everywhere,
TensorFlow's."""

from typing import Any

from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, float32, int32, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, ShapeLike, TensorLike

from . import draws, threefry
from .generator import Algorithm, algorithm, by_philox


def pair_of(seed: Any) -> Tensor:
    """A seed, two integers, as a tensor."""
    seed = as_tensor(seed)
    if not seed.dtype.is_integer:
        raise invalid(f"seed must be two integers, got a {seed.dtype.name} tensor.")
    if tuple(seed.sizes) != (2,):
        raise invalid(
            f"seed must have shape (2,), not {tuple(seed.shape)}. Give a pair such as [1, 2], or make one with "
            "tf.random.split."
        )
    return seed


def key_of(seed: Any, alg: Any = "auto_select") -> Tensor:
    """The key that belongs to a seed of two integers. (In a mapped function each row may have its own seed.)"""
    seed = pair_of(seed)
    return threefry.key_of(seed) if algorithm(alg) == Algorithm.THREEFRY else ops.scrambled_key(seed)


def _bits(key: Tensor, shape: tuple[int, ...], dtype: DType) -> Tensor:
    return draws.by(key).random_bits(key, shape=shape, dtype=dtype.np)


def fold_in(seed: TensorLike, data: TensorLike, alg: Any = "auto_select") -> Tensor:
    """A new seed made of `seed` and an integer, such as the number of a step or of a worker.

    Args:
        seed: A pair of integers, from which all numbers follow.
        data: A scalar integer.

    >>> tf.random.fold_in([1, 2], 3).numpy()
    array([1105988140,          3], dtype=int32)
    """
    data = as_tensor(data)
    if not data.dtype.is_integer:
        raise invalid(f"data must be an integer, got a {data.dtype.name} tensor.")
    return ops.stack(_bits(key_of(seed, alg), (), data.dtype), data, axis=0)


def split(seed: TensorLike, num: TensorLike = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds made of one, as the rows of the result. Use the new ones, not the old one again.

    Args:
        seed: A pair of integers, from which all numbers follow.
        num: How many seeds.

    Returns:
        Seeds, of shape (num, 2).

    >>> tf.random.split([1, 2]).numpy()
    array([[1105988140, 1738052849],
           [-335576002,  370444179]], dtype=int32)
    """
    return _bits(key_of(seed, alg), (int(num), 2), as_tensor(seed).dtype)


def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normally distributed numbers, the same for the same seed. Gradients flow to `mean` and `stddev`.

    Args:
        seed: A pair of integers, from which all numbers follow.

    Raises:
        TypeError: If `dtype` is not of floats.

    >>> a, b = tf.random.stateless_normal([3], [1, 2]), tf.random.stateless_normal([3], [1, 2])
    >>> bool(tf.reduce_all(a == b))
    True
    """
    return draws.normal(key_of(seed, alg=alg), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normally distributed numbers within two standard deviations of the mean, the same for the same seed.

    Args:
        seed: A pair of integers, from which all numbers follow.

    Raises:
        TypeError: If `dtype` is not of floats.

    >>> bool(tf.reduce_max(tf.abs(tf.random.stateless_truncated_normal([1000], [1, 2]))) <= 2)
    True
    """
    return draws.truncated_normal(key_of(seed, alg=alg), shape, mean, stddev, dtype)


def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Evenly distributed numbers from `minval` up to but without `maxval`, the same for the same seed.

    Integers need both bounds; with None for both they have the whole range of their dtype.

    Args:
        seed: A pair of integers, from which all numbers follow.
        maxval: The bound, itself not drawn; None: 1 for floats.

    Raises:
        ValueError: If the dtype is of integers and one bound is None, or is unsigned and has bounds.

    >>> tf.random.stateless_uniform([2], [1, 2], None, None, tf.uint64).dtype
    tf.uint64
    """
    dtype = as_dtype(dtype)
    accepted = (*draws.FLOATS, *draws.FULL_RANGE)
    if dtype not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {dtype.name}. Accepted dtypes are {accepted}.")
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype.name}, argument `minval` and `maxval` must be both None or not "
                f"None. Got minval={minval} and maxval={maxval}."
            )
        if dtype.is_unsigned and minval is not None:
            raise ValueError(
                f"Unsigned integers are drawn over their whole range only: for {dtype.name} give minval=None, "
                "maxval=None."
            )
    return draws.uniform(key_of(seed, alg=alg), shape, minval, maxval, dtype)


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Gamma distributed numbers, the same for the same seed. `shape` is the whole shape, to which the parameters
    broadcast.

    Gradients flow to `alpha` (by implicit reparameterisation) and to `beta`, the inverse scale.

    Args:
        seed: A pair of integers, from which all numbers follow.

    Raises:
        InvalidArgumentError: If `shape` does not end with the shape of the parameters.

    >>> alpha = tf.Variable(3.)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.random.stateless_gamma([], [1, 2], alpha)
    >>> bool(tape.gradient(y, alpha) > 0)
    True
    """
    dtype, shape = as_dtype(dtype), draws.sizes(shape)
    alpha, beta = to_tensor(alpha, dtype), None if beta is None else to_tensor(beta, dtype)
    draws.ends_with(shape, broadcast_shapes(alpha.sizes, () if beta is None else beta.sizes))
    return draws.gamma(key_of(seed), shape, alpha, beta)


def stateless_poisson(
    shape: ShapeLike, seed: TensorLike, lam: TensorLike, dtype: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers, the same for the same seed. `shape` is the whole shape, to which `lam` broadcasts.

    Args:
        seed: A pair of integers, from which all numbers follow.

    Raises:
        InvalidArgumentError: If `shape` does not end with the shape of the parameters.

    >>> tf.random.stateless_poisson([4, 2], [1, 2], lam=[1., 100.]).shape
    TensorShape([4, 2])
    """
    rate, shape = as_tensor(lam), draws.sizes(shape)
    draws.ends_with(shape, tuple(rate.sizes))
    return draws.poisson(key_of(seed), shape, rate, dtype)


def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """How many of `counts` trials succeed with probability `probs`, the same for the same seed.

    Args:
        seed: A pair of integers, from which all numbers follow.
        output_dtype: The dtype of the result.

    >>> tf.random.stateless_binomial([3], [1, 2], counts=10, probs=[0., 0.5, 1.]).numpy()[[0, 2]]
    array([ 0, 10], dtype=int32)
    """
    return draws.binomial(key_of(seed), shape, counts, probs, output_dtype)


def stateless_categorical(
    logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """Choices of classes with the probabilities softmax(logits), row by row, the same for the same seed.

    Args:
        seed: A pair of integers, from which all numbers follow.

    Returns:
        Class numbers, of shape (rows, num_samples).

    Raises:
        InvalidArgumentError: If `logits` is no matrix.

    >>> tf.random.stateless_categorical([[-np.inf, 0., -np.inf]], 4, [1, 2]).numpy()
    array([[1, 1, 1, 1]])
    """
    return draws.categorical(key_of(seed), logits, num_samples, dtype)


def stateless_shuffle(
    value: AnyTensorLike, seed: TensorLike, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """The rows of `value` in an order that depends on the seed alone.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> a = tf.random.experimental.stateless_shuffle([10, 20, 30], [1, 2])
    >>> tf.sort(a).numpy()
    array([10, 20, 30], dtype=int32)
    """
    by_philox(alg)
    return draws.shuffle(key_of(seed), value)


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers between `minvals` and `maxvals`. All parameters broadcast to `shape` and have
    gradients.

    Args:
        seed: A pair of integers, from which all numbers follow.
        means: The mean before numbers are cut off.
        stddevs: The standard deviation before numbers are cut off.
        minvals: The lower bound.
        maxvals: The upper bound.

    >>> x = tf.random.stateless_parameterized_truncated_normal(
    ...     [100], [1, 2], means=5., stddevs=2., minvals=6., maxvals=7.)
    >>> bool(tf.reduce_all((x >= 6.) & (x <= 7.)))
    True
    """
    shape, means = draws.sizes(shape), as_tensor(means)
    stddevs, minvals, maxvals = (to_tensor(p, means.dtype) for p in (stddevs, minvals, maxvals))
    tail = broadcast_shapes(means.sizes, stddevs.sizes, minvals.sizes, maxvals.sizes)
    draws.ends_with(shape, tail)
    low, high = [ops.broadcast_to((bound - means) / stddevs, shape=shape) for bound in (minvals, maxvals)]
    z = ops.random_between(key_of(seed), low, high, lead=len(shape) - len(tail))
    return ops.maximum(ops.minimum(means + stddevs * z, maxvals), minvals)
