"""Resizing images. It is linear in the image, so gradients of every order exist, whatever the method."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.api.arrays.casting import cast
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import ShapeLike, TensorLike
from tapeflow.engines.numpy.image.resampling import nearest

from .geometry import as_batch, pad_to_bounding_box


class ResizeMethod:
    """The names of the ways to resize.

    >>> tf.image.ResizeMethod.LANCZOS3
    'lanczos3'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


# method: (weights without antialiasing, weights with it)
_WEIGHTS = {
    "bilinear": ("bilinear", "triangle"),
    "bicubic": ("bicubic", "keyscubic"),
    "area": ("area", "area"),
    "lanczos3": ("lanczos3", "lanczos3"),
    "lanczos5": ("lanczos5", "lanczos5"),
    "gaussian": ("gaussian", "gaussian"),
    "mitchellcubic": ("mitchellcubic", "mitchellcubic"),
}


def resize(
    images: TensorLike,
    size: ShapeLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """One image or a batch of them in `size`, (height, width). The result is float32, except for "nearest", which
    keeps the dtype.

    Methods: "bilinear", "nearest", "bicubic", "area" (means over what a new pixel covers), "lanczos3", "lanczos5",
    "gaussian" and "mitchellcubic". `antialias` widens the filter when the image shrinks. `preserve_aspect_ratio` makes
    the image as large as fits.

    Args:
        size: The new height and width, two integers.
        method: One of those names, or of `tf.image.ResizeMethod`.
        preserve_aspect_ratio: True keeps the aspect ratio: the result may be smaller than `size`.

    Raises:
        ValueError: If `size` is not two integers, or there is no such method.

    >>> tf.image.resize([[[0.], [4.]]], [1, 4]).numpy().ravel()
    array([0., 1., 3., 4.], dtype=float32)
    >>> image = tf.ones([2, 2, 1])
    >>> with tf.GradientTape() as outer:
    ...     outer.watch(image)
    ...     with tf.GradientTape() as inner:
    ...         inner.watch(image)
    ...         energy = tf.image.resize(image, [1, 1], method="area") ** 2
    ...     slope = inner.gradient(energy, image)
    >>> outer.gradient(slope, image).numpy().ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """
    x, single = as_batch(images, "images")
    if not (x.dtype.is_floating or x.dtype.is_integer):
        raise invalid(f"images must be floats or integers, got {x.dtype.name}. Cast them: tf.cast(images, tf.uint8).")
    height, width = _target(size, tuple(x.sizes)[1:3], preserve_aspect_ratio)
    method = method.lower() if isinstance(method, str) else method
    if method != "nearest" and method not in _WEIGHTS:
        raise ValueError(
            f"Resize method is not implemented: {method!r}. There are 'nearest', {str(list(_WEIGHTS))[1:-1]}."
        )
    out = resampled(x if method == "nearest" else cast(x, np.float32), {1: height, 2: width}, method, antialias)
    return ops.reshape(out, shape=tuple(out.sizes)[1:]) if single else out


def _target(size: Any, old: tuple, preserve_aspect_ratio: bool) -> tuple:
    given = as_tensor(size)
    if given.ndim != 1 or not given.dtype.is_integer:
        raise ValueError(f"'size' must be a 1-D int32 Tensor of two numbers (height, width), got {size!r}.")
    size = static_shape(size)
    if len(size) != 2:
        raise ValueError(f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width; got {size}.")
    if preserve_aspect_ratio:
        scale = min(np.float32(new) / np.float32(n) for new, n in zip(size, old))
        size = tuple([int(np.rint(scale * np.float32(n))) for n in old])
    if min(size) <= 0:
        raise invalid(f"output dimensions must be positive, got {size}.")
    if min(old) <= 0:
        raise invalid(f"an image of height {old[0]} and width {old[1]} has no pixels to resize.")
    return size


def resampled(x: Tensor, sizes: dict[int, int], method: str, antialias: bool = False) -> Tensor:
    """`x` with other sizes along some axes. Its dtype must be float32 or float64, except for "nearest"."""
    if method == "nearest":
        for axis, new in sizes.items():
            if x.sizes[axis] != new:
                x = ops.take(x, EagerTensor(nearest(x.sizes[axis], new)), axis=axis)
        return x
    kind = _WEIGHTS[method][bool(antialias)]
    options = (bool(antialias),) if kind not in ("bilinear", "bicubic", "area") else ()
    for axis, new in sorted(
        sizes.items(), key=lambda pair: pair[1] / x.sizes[pair[0]]
    ):  # what shrinks most first leaves the least to do
        if x.sizes[axis] != new or kind in (
            "gaussian",
            "mitchellcubic",
        ):  # the others leave lines in their places alone
            x = ops.resample(x, axis=axis, weights=(kind, x.sizes[axis], new, *options), transposed=False)
    return x


def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """As large as fits without changing the aspect ratio, with zeros around it.

    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4)[:, 0, 0].numpy()
    array([0., 1., 1., 0.], dtype=float32)
    """
    x, single = as_batch(image, "image")
    target = int(target_height), int(target_width)
    if min(target) <= 0:
        raise ValueError(f"target_height and target_width must be > 0, got {target}.")
    old = tuple(x.sizes)[1:3]
    ratio = max(np.float32(n) / np.float32(new) for n, new in zip(old, target))
    sizes = [np.float32(n) / ratio for n in old]
    offsets = [max(0, int((new - size) / 2)) for size, new in zip(sizes, target)]
    out = pad_to_bounding_box(resize(x, [int(s) for s in sizes], method, antialias=antialias), *offsets, *target)
    return ops.reshape(out, shape=tuple(out.sizes)[1:]) if single else out
