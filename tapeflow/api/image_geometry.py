"""Parts of images, and images turned over: crops, paddings, flips, patches. Images are (height, width, channels), alone or in a batch."""

from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import int32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from .casting import cast
from .layouts import pairs
from .public import static_shape
from .shaping import pad


def as_batch(image: Any, what: str = "image") -> tuple[Tensor, bool]:
    """Images as a batch, and whether it was one image."""
    x = as_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(
            f"'{what}' must have either 3 or 4 dimensions: (height, width, channels), or a batch of such; got shape {tuple(x.shape)}."
        )
    return (ops.reshape(x, shape=(1, *x.shape)), True) if x.ndim == 3 else (x, False)


def _rows_and_columns(image: Any) -> tuple[Tensor, int]:
    """The image, and the number of its axis of rows."""
    x = as_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(
            f"'image' must have either 3 or 4 dimensions: (height, width, channels), or a batch of such; got shape {tuple(x.shape)}."
        )
    return x, x.ndim - 3


# ---- turning over


def flip_left_right(image: Any) -> Tensor:
    """The image as in a mirror beside it.

    >>> tf.image.flip_left_right([[[1], [2], [3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    return ops.flip(x, axis=(rows + 1,))


def flip_up_down(image: Any) -> Tensor:
    """The image as in a mirror below it.

    >>> tf.image.flip_up_down([[[1]], [[2]], [[3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    return ops.flip(x, axis=(rows,))


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Rows become columns, columns rows.

    >>> tf.image.transpose([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0]
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    return ops.transpose(x, perm=(*range(rows), rows + 1, rows, rows + 2))


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """The image turned counter-clockwise by `k` quarters.

    >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0]
    array([[2, 4],
           [1, 3]], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    quarters = int(k) % 4
    if quarters == 2:
        return ops.flip(x, axis=(rows, rows + 1))
    if quarters == 1:
        return transpose(flip_left_right(x))
    return flip_left_right(transpose(x)) if quarters else x


# ---- crops and paddings


def crop_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any) -> Tensor:
    """The part that begins at the given row and column and has the given height and width.

    >>> image = tf.reshape(tf.range(9), [3, 3, 1])
    >>> tf.image.crop_to_bounding_box(image, 1, 0, 2, 2).numpy()[:, :, 0]
    array([[3, 4],
           [6, 7]], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    start, size = (int(offset_height), int(offset_width)), (int(target_height), int(target_width))
    old = tuple(x.shape)[rows : rows + 2]
    if min(start) < 0 or min(size) <= 0 or any(s + n > m for s, n, m in zip(start, size, old)):
        raise ValueError(f"a part of size {size} at offset {start} does not lie within an image of height and width {old}.")
    whole = (None, None, None)
    return ops.getitem(x, index=(*[whole] * rows, *[(s, s + n, 1) for s, n in zip(start, size)], whole))


def pad_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any) -> Tensor:
    """The image at the given row and column of a larger one, with zeros around it.

    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 2, 3).numpy()[:, :, 0]
    array([[0., 1., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    x, rows = _rows_and_columns(image)
    start, size = (int(offset_height), int(offset_width)), (int(target_height), int(target_width))
    old = tuple(x.shape)[rows : rows + 2]
    after = [n - s - m for s, n, m in zip(start, size, old)]
    if min(start) < 0 or min(after) < 0:
        raise ValueError(f"an image of height and width {old} at offset {start} does not fit into {size}.")
    return pad(x, [*[(0, 0)] * rows, *zip(start, after), (0, 0)])


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Cut off evenly on both sides where the image is too large, with zeros on both sides where it is too small.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([1, 4, 1]), 3, 2).numpy()[:, :, 0]
    array([[0., 0.],
           [1., 1.],
           [0., 0.]], dtype=float32)
    """
    x, rows = _rows_and_columns(image)
    target, old = (int(target_height), int(target_width)), tuple(x.shape)[rows : rows + 2]
    if min(target) <= 0:
        raise ValueError(f"target_height and target_width must be > 0, got {target}.")
    cut = [max((m - n) // 2, 0) for n, m in zip(target, old)]
    x = crop_to_bounding_box(x, *cut, *[min(n, m) for n, m in zip(target, old)])
    return pad_to_bounding_box(x, *[max((n - m) // 2, 0) for n, m in zip(target, old)], *target)


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of the image: `central_fraction` of its height and of its width.

    >>> tf.image.central_crop(tf.reshape(tf.range(4), [1, 4, 1]), 0.5).numpy().ravel()
    array([1, 2], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    fraction = float(central_fraction)
    if not 0 < fraction <= 1:
        raise ValueError(f"central_fraction must be in (0.0, 1.0], got {fraction}.")
    if fraction == 1:
        return x
    old = tuple(x.shape)[rows : rows + 2]
    start = [int((m - m * fraction) / 2) for m in old]
    return crop_to_bounding_box(x, *start, *[m - 2 * s for s, m in zip(start, old)])


# ---- patches


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """Every patch of each image, flattened into the channels. Sizes, strides and rates (gaps) are [1, rows, columns, 1].

    >>> image = tf.reshape(tf.range(1., 10.), [1, 3, 3, 1])
    >>> tf.image.extract_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy()[0, 0]
    array([[1., 2., 4., 5.],
           [2., 3., 5., 6.]], dtype=float32)
    """
    x = as_tensor(images)
    if x.ndim != 4:
        raise invalid(f"images must have rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}.")
    window, steps, gaps = (_inner(v, what) for v, what in ((sizes, "sizes"), (strides, "strides"), (rates, "rates")))
    around = pairs(padding, tuple(x.shape)[1:3], window, steps, gaps, False)
    if any(map(any, around)):
        x = pad(x, [(0, 0), *around, (0, 0)])
    lines = [_lines(*of) for of in zip(tuple(x.shape)[1:3], window, steps, gaps)]
    n, channels = x.shape[0], x.shape[3]
    x = ops.take(ops.take(x, EagerTensor(lines[1]), axis=2), EagerTensor(lines[0]), axis=1)
    x = ops.transpose(x, perm=(0, 1, 3, 2, 4, 5))
    return ops.reshape(x, shape=(n, len(lines[0]), len(lines[1]), window[0] * window[1] * channels))


def _inner(value: Any, what: str) -> tuple[int, int]:
    given = static_shape(value)
    if len(given) != 4 or given[0] != 1 or given[3] != 1 or min(given) < 1:
        raise invalid(f"{what} must be [1, rows, columns, 1] with positive numbers, got {value!r}.")
    return given[1:3]


def _lines(length: int, window: int, step: int, gap: int) -> np.ndarray:
    """Which lines each position of the window sees, a row for each."""
    count = max((length - (window - 1) * gap - 1) // step + 1, 0)
    return (np.arange(count)[:, None] * step + np.arange(window) * gap).astype(np.int32)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Parts of images, each brought to `crop_size`. Gradients flow to the images and, through "bilinear", to the boxes.

    A box (y1, x1, y2, x2) is in units of the image's height and width; `box_indices` says which image it is cut from. Corners
    of the box fall on middles of pixels; what lies outside of the image is `extrapolation_value`.

    >>> image = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> box = tf.constant([[0., 0., 0.5, 0.5]])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(box)
    ...     crop = tf.image.crop_and_resize(image, box, [0], [2, 2])
    >>> crop.numpy().ravel(), tape.gradient(crop, box).numpy()
    (array([0., 1., 3., 4.], dtype=float32), array([[12.,  4.,  0.,  0.]], dtype=float32))
    """
    x, boxes, box_indices = cast(image, np.float32), cast(boxes, np.float32), cast(box_indices, int32)
    if x.ndim != 4:
        raise invalid(f"image must have rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}.")
    if boxes.ndim != 2 or boxes.shape[1] != 4 or tuple(box_indices.shape) != (boxes.shape[0],):
        raise invalid(
            f"boxes must be (count, 4) and box_indices (count,); got shapes {tuple(boxes.shape)} and {tuple(box_indices.shape)}."
        )
    size = static_shape(crop_size)
    if len(size) != 2 or min(size) <= 0:
        raise invalid(f"crop dimensions must be two positive numbers, got {size}.")
    if method not in ("bilinear", "nearest"):
        raise invalid(f"method must be 'bilinear' or 'nearest', got {method!r}.")
    top, left, bottom, right = ops.unstack(ops.reshape(boxes, shape=(*boxes.shape, 1)), axis=1)
    y, in_rows = _places(top, bottom, x.shape[1], size[0])
    x_, in_columns = _places(left, right, x.shape[2], size[1])
    corner = _Corner(x, box_indices)
    if method == "nearest":
        found = corner(ops.floor(y + 0.5), ops.floor(x_ + 0.5))
    else:
        rows, columns = (ops.floor(y), ops.ceil(y)), (ops.floor(x_), ops.ceil(x_))
        across, down = (x_ - columns[0])[:, None, :, None], (y - rows[0])[:, :, None, None]
        upper, lower = (a + (b - a) * across for a, b in ([corner(r, c) for c in columns] for r in rows))
        found = upper + (lower - upper) * down
    inside = ops.logical_and(in_rows[:, :, None, None], in_columns[:, None, :, None])
    return ops.where(inside, found, float(extrapolation_value))


def _places(first: Tensor, last: Tensor, length: int, count: int) -> tuple[Tensor, Tensor]:
    """Where `count` lines between two borders, (boxes, 1) each, fall in an image of `length` lines, and whether they are in it."""
    if count > 1:
        steps = EagerTensor(np.arange(count, dtype=np.float32))
        at = first * (length - 1.0) + steps * ((last - first) * (length - 1.0) / (count - 1.0))
    else:
        at = (first + last) * (0.5 * (length - 1))
    inside = ops.logical_and(ops.greater_equal(at, 0.0), ops.less_equal(at, float(length - 1)))
    return ops.where(inside, at, 0.0), inside


class _Corner:
    """The pixels at (rows, columns), given as whole floats, of the images that boxes are cut from."""

    def __init__(self, images: Tensor, box_indices: Tensor) -> None:
        self.sizes = tuple(images.shape)[:3]
        self.pixels = ops.reshape(images, shape=(self.sizes[0] * self.sizes[1] * self.sizes[2], images.shape[3]))
        self.box_indices = box_indices

    def __call__(self, rows: Tensor, columns: Tensor) -> Tensor:
        shape = (rows.shape[0], rows.shape[1], columns.shape[1])
        parts = (self.box_indices[:, None, None], cast(rows, int32)[:, :, None], cast(columns, int32)[:, None, :])
        index = ops.ravel_index(ops.stack(*[ops.broadcast_to(p, shape=shape) for p in parts], axis=3), dims=self.sizes)
        return ops.take(self.pixels, index, axis=0)
