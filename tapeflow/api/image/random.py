"""Data augmentation: images changed at random. `stateless_` functions give the same result for the same seed."""

from typing import Any

from tapeflow.api.arguments import static_shape
from tapeflow.api.arrays.indexing import slice
from tapeflow.api.random import uniform
from tapeflow.api.random.stateless import stateless_uniform
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import int32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AnyTensorLike, ShapeLike, TensorLike

from .color import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .geometry import flip_left_right, flip_up_down


def _span(lower: Any, upper: Any) -> tuple[float, float]:
    lower, upper = float(lower), float(upper)
    if upper <= lower:
        raise ValueError(f"upper must be > lower, got lower={lower}, upper={upper}.")
    if lower < 0:
        raise ValueError(f"lower must be non-negative, got {lower}.")
    return lower, upper


def _around_zero(max_delta: Any, limit: float = float("inf")) -> tuple[float, float]:
    max_delta = float(max_delta)
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative, got {max_delta}.")
    if max_delta > limit:
        raise ValueError(f"max_delta must be <= {limit}, got {max_delta}.")
    return -max_delta, max_delta


# ---- brightness, contrast, hue, saturation


def random_brightness(image: TensorLike, max_delta: TensorLike, seed: Any = None) -> Tensor:
    """`adjust_brightness` by a random amount between -max_delta and max_delta.

    >>> brighter = tf.image.random_brightness(tf.fill([2, 2, 1], 0.5), 0.2)
    >>> bool(tf.reduce_max(tf.abs(brighter - 0.5)) <= 0.2)
    True
    """
    return adjust_brightness(image, uniform([], *_around_zero(max_delta), seed=seed))


def stateless_random_brightness(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """`adjust_brightness` by an amount between -max_delta and max_delta that depends on the seed alone.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> a, b = (tf.image.stateless_random_brightness(tf.zeros([1, 1, 1]), 0.2, seed=[1, 2]) for _ in range(2))
    >>> float(a[0, 0, 0]) == float(b[0, 0, 0])
    True
    """
    return adjust_brightness(image, stateless_uniform([], seed, *_around_zero(max_delta)))


def random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: Any = None) -> Tensor:
    """`adjust_contrast` by a random factor between `lower` and `upper`.

    >>> tf.image.random_contrast(tf.ones([2, 2, 3]), 0.5, 2.).shape
    TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, uniform([], *_span(lower, upper), seed=seed))


def stateless_random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike) -> Tensor:
    """`adjust_contrast` by a factor between `lower` and `upper` that depends on the seed alone.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> tf.image.stateless_random_contrast(tf.ones([2, 2, 3]), 0.5, 2., seed=[1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, stateless_uniform([], seed, *_span(lower, upper)))


def random_hue(image: TensorLike, max_delta: TensorLike, seed: Any = None) -> Tensor:
    """`adjust_hue` by a random turn between -max_delta and max_delta, which is at most 0.5.

    >>> tf.image.random_hue(tf.fill([1, 1, 3], 0.25), 0.5).numpy().ravel()                 # grey has no hue
    array([0.25, 0.25, 0.25], dtype=float32)
    """
    return adjust_hue(image, uniform([], *_around_zero(max_delta, 0.5), seed=seed))


def stateless_random_hue(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """`adjust_hue` by a turn between -max_delta and max_delta that depends on the seed alone.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> tf.image.stateless_random_hue(tf.ones([2, 2, 3]), 0.1, seed=[1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_hue(image, stateless_uniform([], seed, *_around_zero(max_delta, 0.5)))


def random_saturation(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: Any = None) -> Tensor:
    """`adjust_saturation` by a random factor between `lower` and `upper`.

    >>> tf.image.random_saturation(tf.ones([2, 2, 3]), 0.5, 2.).shape
    TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, uniform([], *_span(lower, upper), seed=seed))


def stateless_random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike | None = None
) -> Tensor:
    """`adjust_saturation` by a factor between `lower` and `upper` that depends on the seed alone.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> tf.image.stateless_random_saturation(tf.ones([2, 2, 3]), 0.5, 2., seed=[1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, stateless_uniform([], seed, *_span(lower, upper)))


# ---- flips: each image of a batch for itself


def _where_drawn(drawn: Tensor, flipped: Tensor, image: Tensor) -> Tensor:
    """A single image is turned where the number is low, those of a batch where theirs are high: as in TensorFlow."""
    turned = drawn > 0.5 if drawn.ndim else drawn < 0.5
    return ops.where(ops.reshape(turned, shape=(*drawn.sizes, *[1] * (image.ndim - drawn.ndim))), flipped, image)


def _draws(image: Tensor) -> tuple:
    return tuple(image.sizes)[:-3]


def random_flip_left_right(image: TensorLike, seed: Any = None) -> Tensor:
    """Each image turned over sideways, or not, with equal chances.

    >>> tf.sort(tf.image.random_flip_left_right([[[1], [2]]]), axis=1).numpy().ravel()
    array([1, 2], dtype=int32)
    """
    image, flipped = as_tensor(image), flip_left_right(image)
    return _where_drawn(uniform(_draws(image), seed=seed), flipped, image)


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Each image turned over sideways, or not: the seed decides.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> tf.image.stateless_random_flip_left_right(tf.zeros([8, 4, 4, 1]), seed=[1, 2]).shape
    TensorShape([8, 4, 4, 1])
    """
    image, flipped = as_tensor(image), flip_left_right(image)
    return _where_drawn(stateless_uniform(_draws(image), seed), flipped, image)


def random_flip_up_down(image: TensorLike, seed: Any = None) -> Tensor:
    """Each image turned upside down, or not, with equal chances.

    >>> tf.sort(tf.image.random_flip_up_down([[[1]], [[2]]]), axis=0).numpy().ravel()
    array([1, 2], dtype=int32)
    """
    image, flipped = as_tensor(image), flip_up_down(image)
    return _where_drawn(uniform(_draws(image), seed=seed), flipped, image)


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Each image turned upside down, or not: the seed decides.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> tf.image.stateless_random_flip_up_down(tf.zeros([8, 4, 4, 1]), seed=[1, 2]).shape
    TensorShape([8, 4, 4, 1])
    """
    image, flipped = as_tensor(image), flip_up_down(image)
    return _where_drawn(stateless_uniform(_draws(image), seed), flipped, image)


# ---- crops


def random_crop(value: AnyTensorLike, size: ShapeLike, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of `value` of shape `size`, from a random place. Any rank.

    Args:
        size: The shape of the part; as many sizes as `value` has axes.

    Raises:
        InvalidArgumentError: If `size` is larger than the shape of `value`.

    >>> tf.image.random_crop(tf.range(5.), [2]).shape
    TensorShape([2])
    """
    value, size, room = _room(value, size)
    return _cut(value, uniform([len(size)], 0, 2**31 - 1, int32, seed=seed), room, size)


def stateless_random_crop(value: AnyTensorLike, size: ShapeLike, seed: TensorLike, name: str | None = None) -> Tensor:
    """A part of `value` of shape `size`, from a place that depends on the seed alone.

    Args:
        size: The shape of the part; as many sizes as `value` has axes.
        seed: A pair of integers, from which all numbers follow.

    Raises:
        InvalidArgumentError: If `size` is larger than the shape of `value`.

    >>> tf.image.stateless_random_crop(tf.zeros([8, 8, 3]), [4, 4, 3], seed=[1, 2]).shape
    TensorShape([4, 4, 3])
    """
    value, size, room = _room(value, size)
    return _cut(value, stateless_uniform([len(size)], seed, 0, 2**31 - 1, int32), room, size)


def _cut(value: Tensor, drawn: Tensor, room: list, size: tuple) -> Tensor:
    return slice(value, ops.floormod(drawn, as_tensor(room)) if room else [], size)


def _room(value: Any, size: Any) -> tuple[Tensor, tuple, list]:
    """The value, the size asked for, and in how many places of each axis such a part can begin."""
    value, size = as_tensor(value), static_shape(size)
    shape = tuple(value.sizes)
    if len(size) != len(shape) or any(n > d for n, d in zip(size, shape)):
        raise invalid(f"Need value.shape >= size, got shape {shape} and size {size}.")
    return value, size, [d - n + 1 for n, d in zip(size, shape)]
