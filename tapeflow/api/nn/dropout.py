"""Dropout: some elements set to zero at random, the others scaled up."""

from collections.abc import Callable
from typing import Any

from tapeflow.api import random as _random
from tapeflow.api.arguments import static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import ShapeLike, TensorLike


def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Each element is 0 with probability `rate`, and else divided by `1 - rate`, so that the mean stays what it was.

    With `noise_shape`, one decision serves all elements along its dimensions of size 1. A tape keeps nothing but the
    decisions.

    Raises:
        ValueError: If `x` is not of a floating dtype, or `rate` is not in [0, 1).

    >>> tf.random.set_seed(0)
    >>> y = tf.nn.dropout(tf.ones([1000]), rate=0.5)
    >>> sorted(set(y.numpy().tolist()))
    [0.0, 2.0]
    >>> rows = tf.nn.dropout(tf.ones([4, 3]), rate=0.5, noise_shape=[4, 1]).numpy()
    >>> bool((rows == rows[:, :1]).all())
    True
    """
    return general_dropout(x, rate, lambda shape, dtype: _random.uniform(shape, dtype=dtype, seed=seed), noise_shape)


def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: Any = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` whose decisions follow from `seed`, two integers, alone.

    Args:
        seed: Two integers, which the decisions follow from.
        rng_alg: The algorithm: `philox`, `threefry` or `auto_select`.

    Raises:
        ValueError: If `x` is not of a floating dtype, or `rate` is not in [0, 1).

    >>> x = tf.ones([8])
    >>> a, b = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]).numpy() for _ in range(2)]
    >>> bool((a == b).all())
    True
    """
    alg = {} if rng_alg is None else {"alg": rng_alg}
    return general_dropout(
        x, rate, lambda shape, dtype: _random.stateless_uniform(shape, seed, dtype=dtype, **alg), noise_shape
    )


def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Callable[[Any, Any], Any],
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` with its random numbers from `uniform_sampler(shape, dtype)`: numbers in [0, 1), dropped where below
    `rate`.

    Args:
        uniform_sampler: A function of a shape and a dtype that gives numbers in [0, 1).

    Raises:
        ValueError: If `x` is not of a floating dtype, or `rate` is not in [0, 1).

    >>> tf.nn.experimental.general_dropout([1., 2.], 0.5, lambda shape, dtype: tf.constant([0.1, 0.9])).numpy()
    array([0., 4.], dtype=float32)
    """
    x = as_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x.dtype={x.dtype.name}. "
            "Cast it: tf.cast(x, tf.float32)."
        )
    is_number = isinstance(rate, (int, float))
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    if is_number and rate == 0:
        return ops.identity(x)
    if not is_number:
        rate = as_tensor(rate)
        if rate.ndim:
            raise ValueError(f"`rate` must be a scalar, got shape {tuple(rate.shape)}.")
        rate = rate if rate.dtype is x.dtype else ops.cast(rate, dtype=x.dtype.np)
    keep = ops.greater_equal(as_tensor(uniform_sampler(_shape(noise_shape, x), x.dtype)), rate)
    if is_number:
        return ops.dropped(x, keep, factor=1 / (1 - rate))
    return ops.masked(x, keep) * (1 / (1 - rate))


def _shape(noise_shape: Any, x: Tensor) -> tuple[int, ...]:
    """The shape of the decisions; None in it stands for the size of `x`."""
    shape = tuple(x.sizes)
    if noise_shape is None:
        return shape
    if isinstance(noise_shape, (list, tuple)) and len(noise_shape) == len(shape):
        noise_shape = [n if given is None else given for given, n in zip(noise_shape, shape)]
    found = static_shape(noise_shape)
    padded = (1,) * (len(shape) - len(found)) + found
    if len(found) > len(shape) or any(k not in (1, n) for k, n in zip(padded, shape)):
        raise invalid(
            f"noise_shape {found} does not broadcast to the shape of x, {shape}: each size must be 1 or that of x."
        )
    return found
