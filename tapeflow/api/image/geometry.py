"""Parts of images, and images turned over: crops, paddings, flips. Images are (height, width, channels), alone or in a
batch."""

from typing import Any

from tapeflow.api.arrays.shaping import pad
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike


def as_batch(image: Any, what: str = "image") -> tuple[Tensor, bool]:
    """Images as a batch, and whether it was one image."""
    x = as_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(
            f"'{what}' must have either 3 or 4 dimensions: (height, width, channels), or a batch of such; got shape "
            f"{tuple(x.shape)}."
        )
    return (ops.reshape(x, shape=(1, *x.sizes)), True) if x.ndim == 3 else (x, False)


def _rows_and_columns(image: Any) -> tuple[Tensor, int]:
    """The image, and the number of its axis of rows."""
    x = as_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(
            "'image' must have either 3 or 4 dimensions: (height, width, channels), or a batch of such; got shape "
            f"{tuple(x.shape)}."
        )
    return x, x.ndim - 3


# ---- turning over


def flip_left_right(image: TensorLike) -> Tensor:
    """The image as in a mirror beside it.

    >>> tf.image.flip_left_right([[[1], [2], [3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    return ops.flip(x, axis=(rows + 1,))


def flip_up_down(image: TensorLike) -> Tensor:
    """The image as in a mirror below it.

    >>> tf.image.flip_up_down([[[1]], [[2]], [[3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    return ops.flip(x, axis=(rows,))


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Rows become columns, columns rows.

    >>> tf.image.transpose([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0]
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    return ops.transpose(x, perm=(*range(rows), rows + 1, rows, rows + 2))


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """The image turned counter-clockwise by `k` quarters.

    Args:
        k: How many quarter turns.

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


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The part that begins at the given row and column and has the given height and width.

    Raises:
        ValueError: If the part does not lie within the image.

    >>> image = tf.reshape(tf.range(9), [3, 3, 1])
    >>> tf.image.crop_to_bounding_box(image, 1, 0, 2, 2).numpy()[:, :, 0]
    array([[3, 4],
           [6, 7]], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    start, size = (int(offset_height), int(offset_width)), (int(target_height), int(target_width))
    old = tuple(x.sizes)[rows : rows + 2]
    if min(start) < 0 or min(size) <= 0 or any(s + n > m for s, n, m in zip(start, size, old)):
        raise ValueError(
            f"width must be >= target + offset, and height, too: a part of size {size} "
            f"at offset {start} does not lie within an image of height and width {old}."
        )
    whole = (None, None, None)
    return ops.getitem(x, index=(*[whole] * rows, *[(s, s + n, 1) for s, n in zip(start, size)], whole))


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The image at the given row and column of a larger one, with zeros around it.

    Raises:
        ValueError: If the image does not fit at that place.

    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 2, 3).numpy()[:, :, 0]
    array([[0., 1., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    x, rows = _rows_and_columns(image)
    start, size = (int(offset_height), int(offset_width)), (int(target_height), int(target_width))
    old = tuple(x.sizes)[rows : rows + 2]
    after = [n - s - m for s, n, m in zip(start, size, old)]
    if min(start) < 0 or min(after) < 0:
        raise ValueError(f"an image of height and width {old} at offset {start} does not fit into {size}.")
    return pad(x, [*[(0, 0)] * rows, *zip(start, after), (0, 0)])


def resize_with_crop_or_pad(image: TensorLike, target_height: TensorLike, target_width: TensorLike) -> Tensor:
    """Cut off evenly on both sides where the image is too large, with zeros on both sides where it is too small.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([1, 4, 1]), 3, 2).numpy()[:, :, 0]
    array([[0., 0.],
           [1., 1.],
           [0., 0.]], dtype=float32)
    """
    x, rows = _rows_and_columns(image)
    target, old = (int(target_height), int(target_width)), tuple(x.sizes)[rows : rows + 2]
    if min(target) <= 0:
        raise ValueError(f"target_height and target_width must be > 0, got {target}.")
    cut = [max((m - n) // 2, 0) for n, m in zip(target, old)]
    x = crop_to_bounding_box(x, *cut, *[min(n, m) for n, m in zip(target, old)])
    return pad_to_bounding_box(x, *[max((n - m) // 2, 0) for n, m in zip(target, old)], *target)


def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle of the image: `central_fraction` of its height and of its width.

    Args:
        central_fraction: Above 0 and at most 1, which is the whole image.

    Raises:
        ValueError: If `central_fraction` is not in that range.

    >>> tf.image.central_crop(tf.reshape(tf.range(4), [1, 4, 1]), 0.5).numpy().ravel()
    array([1, 2], dtype=int32)
    """
    x, rows = _rows_and_columns(image)
    fraction = float(central_fraction)
    if not 0 < fraction <= 1:
        raise ValueError(f"central_fraction must be in (0.0, 1.0], got {fraction}.")
    if fraction == 1:
        return x
    old = tuple(x.sizes)[rows : rows + 2]
    start = [int((m - m * fraction) / 2) for m in old]
    return crop_to_bounding_box(x, *start, *[m - 2 * s for s, m in zip(start, old)])
