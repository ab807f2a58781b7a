"""Patches, crops and glimpses of images; gradients find their way back to the pixels."""

import math
from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.shaping import pad
from tapeflow.api.nn.layouts import pairs
from tapeflow.api.random.draws import next_key
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import int32
from tapeflow.core.errors import OutOfRangeError, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import ShapeLike, TensorLike
from tapeflow.engines.numpy.nn.windows import output_size
from tapeflow.vectorize.values import values_of


def extract_patches(
    images: TensorLike, sizes: ShapeLike, strides: ShapeLike, rates: ShapeLike, padding: str, name: str | None = None
) -> Tensor:
    """Every patch of each image, flattened into the channels. Sizes, strides and rates (gaps) are [1, rows, columns,
    1].

    Args:
        images: Images, (batch, height, width, channels).
        sizes: The size of a patch: [1, rows, columns, 1].
        strides: How far apart patches begin: [1, rows, columns, 1].
        rates: How far apart the pixels of a patch are: [1, rows, columns, 1].
        padding: "VALID" for patches that lie within the image, "SAME" for zeros around it.

    Returns:
        Patches, (batch, rows of patches, columns of patches, rows * columns * channels).

    >>> image = tf.reshape(tf.range(1., 10.), [1, 3, 3, 1])
    >>> tf.image.extract_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy()[0, 0]
    array([[1., 2., 4., 5.],
           [2., 3., 5., 6.]], dtype=float32)
    """
    x = as_tensor(images)
    if x.ndim != 4:
        raise invalid(f"images must have rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}.")
    window, steps, gaps = (_inner(v, what) for v, what in ((sizes, "sizes"), (strides, "strides"), (rates, "rates")))
    around = pairs(padding, tuple(x.sizes)[1:3], window, steps, gaps, False)
    if any(map(any, around)):
        x = pad(x, [(0, 0), *around, (0, 0)])
    count = output_size(tuple(x.sizes)[1:3], window, steps, gaps)
    lines = [_lines(*of) for of in zip(count, window, steps, gaps)]
    n, channels = x.sizes[0], x.sizes[3]
    x = ops.take(ops.take(x, EagerTensor(lines[1]), axis=2), EagerTensor(lines[0]), axis=1)
    x = ops.transpose(x, perm=(0, 1, 3, 2, 4, 5))
    return ops.reshape(x, shape=(n, len(lines[0]), len(lines[1]), window[0] * window[1] * channels))


def _inner(value: Any, what: str) -> tuple[int, int]:
    given = static_shape(value)
    if len(given) != 4 or given[0] != 1 or given[3] != 1 or min(given) < 1:
        raise invalid(f"{what} must be [1, rows, columns, 1] with positive numbers, got {value!r}.")
    return given[1:3]


def _lines(count: int, window: int, step: int, gap: int) -> np.ndarray:
    """Which lines each of `count` positions of the window sees, a row for each."""
    return (np.arange(count)[:, None] * step + np.arange(window) * gap).astype(np.int32)


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: ShapeLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Parts of images, each brought to `crop_size`. Gradients flow to the images and, through "bilinear", to the
    boxes.

    A box (y1, x1, y2, x2) is in units of the image's height and width; `box_indices` says which image it is cut from.
    Corners of the box fall on middles of pixels; what lies outside of the image is `extrapolation_value`.

    Args:
        image: Images, (batch, height, width, channels).
        boxes: The boxes, (count, 4); y1 above y2 turns the part upside down, x1 above x2 sideways.
        box_indices: The number of an image for each box, (count,).
        crop_size: Height and width of every part.
        method: "bilinear" or "nearest".
        extrapolation_value: What stands outside of the image.

    Returns:
        The parts, float32, (count, height, width, channels).

    Raises:
        OutOfRangeError: If a number in `box_indices` is that of no image.

    >>> image = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> box = tf.constant([[0.25, 0.25, 0.75, 0.75]])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(box)
    ...     crop = tf.image.crop_and_resize(image, box, [0], [2, 2])
    >>> crop.numpy().ravel(), tape.gradient(crop, box).numpy()
    (array([2., 3., 5., 6.], dtype=float32), array([[12.,  4., 12.,  4.]], dtype=float32))
    """
    x, boxes, box_indices = cast(image, np.float32), cast(boxes, np.float32), cast(box_indices, int32)
    if x.ndim != 4:
        raise invalid(f"image must have rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}.")
    if boxes.ndim != 2 or boxes.sizes[1] != 4 or tuple(box_indices.sizes) != (boxes.sizes[0],):
        raise invalid(
            f"boxes must be (count, 4) and box_indices (count,); got shapes {tuple(boxes.shape)} and "
            f"{tuple(box_indices.shape)}."
        )
    chosen = values_of(box_indices)
    if not ((chosen >= 0) & (chosen < x.sizes[0])).all():
        raise OutOfRangeError(
            None, None, f"box_indices must be from 0 to {x.sizes[0] - 1}, one of {x.shape[0]} images."
        )
    size = static_shape(crop_size)
    if len(size) != 2 or min(size) <= 0:
        raise invalid(f"crop dimensions must be two positive numbers, got {size}.")
    if method not in ("bilinear", "nearest"):
        raise invalid(f"method must be 'bilinear' or 'nearest', got {method!r}.")
    top, left, bottom, right = ops.unstack(ops.reshape(boxes, shape=(*boxes.sizes, 1)), axis=1)
    y, in_rows = _places(top, bottom, x.sizes[1], size[0])
    x_, in_columns = _places(left, right, x.sizes[2], size[1])
    pixels = _Pixels(x, box_indices)
    if method == "nearest":
        found = pixels(_rounded(y), _rounded(x_))
    else:
        rows, columns = (ops.floor(y), ops.ceil(y)), (ops.floor(x_), ops.ceil(x_))
        across, down = (x_ - columns[0])[:, None, :, None], (y - rows[0])[:, :, None, None]
        upper, lower = (a + (b - a) * across for a, b in ([pixels(r, c) for c in columns] for r in rows))
        found = upper + (lower - upper) * down
    inside = ops.logical_and(in_rows[:, :, None, None], in_columns[:, None, :, None])
    return ops.where(inside, found, float(extrapolation_value))


def _places(first: Tensor, last: Tensor, length: int, count: int) -> tuple[Tensor, Tensor]:
    """Where `count` lines between two borders, (boxes, 1) each, fall in an image of `length` lines, and whether they
    are in it."""
    if count > 1:
        steps = EagerTensor(np.arange(count, dtype=np.float32))
        at = first * (length - 1.0) + steps * ((last - first) * (length - 1.0) / (count - 1.0))
    else:
        at = (first + last) * 0.5 * float(length - 1)
    inside = ops.logical_and(ops.greater_equal(at, 0.0), ops.less_equal(at, float(length - 1)))
    return ops.where(inside, at, 0.0), inside


def _rounded(x: Tensor) -> Tensor:
    """To the nearest whole number, halves up. (x + 0.5 would itself be rounded.)"""
    low = ops.floor(x)
    return low + cast(x - low >= 0.5, x.dtype)


class _Pixels:
    """The pixels at (rows, columns) of the image that each box is cut from."""

    def __init__(self, images: Tensor, box_indices: Tensor) -> None:
        self.sizes = tuple(images.sizes)[:3]
        self.pixels = ops.reshape(images, shape=(self.sizes[0] * self.sizes[1] * self.sizes[2], images.sizes[3]))
        self.box_indices = box_indices

    def __call__(self, rows: Tensor, columns: Tensor) -> Tensor:
        shape = (rows.sizes[0], rows.sizes[1], columns.sizes[1])
        parts = (self.box_indices[:, None, None], cast(rows, int32)[:, :, None], cast(columns, int32)[:, None, :])
        index = ops.ravel_index(ops.stack(*[ops.broadcast_to(p, shape=shape) for p in parts], axis=3), dims=self.sizes)
        return ops.take(self.pixels, index, axis=0)


# ---- glimpses


def extract_glimpse(
    input: TensorLike,
    size: ShapeLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """One window of `size`, (height, width), out of each image, at `offsets`, (y, x) for each. What lies outside is
    noise.

    Offsets count in pixels, or with `normalized` in heights and widths; from the upper left corner, or with `centered`
    from the middle, where `normalized` ones from -1 to 1 move the middle of the window from border to border. `noise`
    is "uniform" between the smallest and the largest value of the image, "gaussian" like its values, or "zero".

    Args:
        size: Height and width of the window.
        offsets: A pair of numbers for each image, (batch, 2).
        centered: False counts from the upper left corner.
        normalized: False counts in pixels.
        noise: One of these three names.

    >>> image = tf.reshape(tf.range(1., 26.), [1, 5, 5, 1])
    >>> tf.image.extract_glimpse(image, [3, 3], [[1., 0.]], noise="zero").numpy()[0, :, :, 0]
    array([[17., 18., 19.],
           [22., 23., 24.],
           [ 0.,  0.,  0.]], dtype=float32)
    """
    x, offsets, size = as_tensor(input), cast(offsets, np.float32), static_shape(size)
    if x.ndim != 4:
        raise invalid(f"input must have rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}.")
    if len(size) != 2 or min(size) <= 0:
        raise invalid(f"size must be two positive numbers (height, width), got {size}.")
    if tuple(offsets.sizes) != (x.sizes[0], 2):
        raise invalid(f"offsets must be ({x.shape[0]}, 2), a pair for each image; got shape {tuple(offsets.shape)}.")
    if noise not in _NOISE:
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got {noise!r}.")
    start = cast(_starts(offsets, tuple(x.sizes)[1:3], size, centered, normalized), int32)
    places, inside = [], []
    for axis in (0, 1):
        at = start[:, axis, None] + EagerTensor(np.arange(size[axis], dtype=np.int32))
        inside.append(ops.logical_and(at >= 0, at < x.sizes[axis + 1]))
        places.append(ops.where(inside[-1], at, 0))
    found = _Pixels(x, EagerTensor(np.arange(x.sizes[0], dtype=np.int32)))(*places)
    there = ops.logical_and(inside[0][:, :, None, None], inside[1][:, None, :, None])
    return ops.where(there, found, _NOISE[noise](x, tuple(found.sizes)))


def _starts(offsets: Tensor, old: tuple, new: tuple, centered: bool, normalized: bool) -> Tensor:
    """The upper left corners of the windows."""
    length, window = (EagerTensor(np.array(sizes, np.float32)) for sizes in (old, new))
    start = offsets * length if normalized else offsets
    if not centered:
        return start
    return start / 2.0 + length / 2.0 - window / 2.0 if normalized else start + length / 2.0


def _uniform_noise(x: Tensor, shape: tuple) -> Tensor:
    low, high = (extreme(x, axis=(1, 2, 3), keepdims=True) for extreme in (ops.reduce_min, ops.reduce_max))
    return ops.stop_gradient(low + (high - low) * _drawn(x, shape))


def _gaussian_noise(x: Tensor, shape: tuple) -> Tensor:
    """Normally distributed with the mean and deviation of each image, between its smallest and largest value."""
    low, high, mean = (f(x, axis=(1, 2, 3), keepdims=True) for f in (ops.reduce_min, ops.reduce_max, ops.reduce_mean))
    deviation = ops.sqrt(ops.reduce_variance(x, axis=(1, 2, 3), keepdims=True))
    scale = ops.where(deviation > 0.0, deviation, 1.0)
    drawn = ops.truncated_normal_quantile(_drawn(x, shape), (low - mean) / scale, (high - mean) / scale)
    return ops.stop_gradient(ops.where(deviation > 0.0, mean + drawn * scale, mean))


def _drawn(x: Tensor, shape: tuple) -> Tensor:
    return ops.random_uniform(next_key(None, "noise", math.prod(shape)), shape=shape, dtype=x.dtype.np)


_NOISE = {"uniform": _uniform_noise, "gaussian": _gaussian_noise, "zero": lambda x, shape: 0.0}
