"""How alike two images are (`tf.image.ssim`, `psnr`), and how rough one is (`total_variation`, `sobel_edges`)."""

from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.shaping import pad
from tapeflow.api.nn.pooling import avg_pool2d
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

from .color import convert_image_dtype

# ---- differences between neighbours


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """(dy, dx): the pixel below minus the pixel, the pixel to the right minus the pixel; 0 in the last row or column.

    Args:
        image: Images, (batch, height, width, channels).

    Returns:
        The differences to the next row, and to the next column.

    >>> dy, dx = tf.image.image_gradients(tf.reshape(tf.constant([1., 4., 9., 16.]), [1, 2, 2, 1]))
    >>> dy.numpy().ravel(), dx.numpy().ravel()
    (array([ 8., 12.,  0.,  0.], dtype=float32), array([3., 0., 7., 0.], dtype=float32))
    """
    x = as_tensor(image)
    if x.ndim != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], got shape {tuple(x.shape)}.")
    dy, dx = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
    return pad(dy, [(0, 0), (0, 1), (0, 0), (0, 0)]), pad(dx, [(0, 0), (0, 0), (0, 1), (0, 0)])


def sobel_edges(image: TensorLike) -> Tensor:
    """Smoothed vertical and horizontal slopes, along a new last axis (dy, dx). The image is mirrored at its borders.

    Args:
        image: Images, (batch, height, width, channels).

    >>> step = tf.reshape(tf.constant([0., 0., 1., 1.] * 3), [1, 3, 4, 1])
    >>> tf.image.sobel_edges(step)[0, 1, :, 0, 1].numpy()
    array([0., 4., 4., 0.], dtype=float32)
    """
    x = as_tensor(image)
    if x.ndim != 4:
        raise invalid(f"sobel_edges expects a 4D tensor [batch_size, h, w, d], got shape {tuple(x.shape)}.")
    if not x.dtype.is_floating:
        raise invalid(f"sobel_edges takes floats, got {x.dtype.name}. Cast it: tf.cast(image, tf.float32).")
    wide = pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="REFLECT")
    dy, dx = wide[:, 2:] - wide[:, :-2], wide[:, :, 2:] - wide[:, :, :-2]
    dy = dy[:, :, :-2] + dy[:, :, 1:-1] * 2.0 + dy[:, :, 2:]
    dx = dx[:, :-2] + dx[:, 1:-1] * 2.0 + dx[:, 2:]
    return ops.stack(dy, dx, axis=4)


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between neighbouring pixels: one number for each image.

    >>> float(tf.image.total_variation([[[1.], [3.]], [[1.], [0.]]]))
    6.0
    """
    x = as_tensor(images)
    if x.ndim not in (3, 4):
        raise ValueError(f"'images' must be either 3 or 4-dimensional, got shape {tuple(x.shape)}.")
    if x.dtype.is_unsigned:
        raise invalid(
            f"differences of {x.dtype.name} can be negative, which it cannot hold. Cast it: tf.cast(images, tf.int32)."
        )
    rows = x.ndim - 3
    whole = (None, None, None)
    axes = tuple(range(rows, x.ndim))

    def along(axis: int) -> Tensor:
        part = lambda a, b: ops.getitem(x, index=(*[whole] * axis, (a, b, 1), *[whole] * (x.ndim - 1 - axis)))
        return ops.reduce_sum(ops.abs(part(1, None) - part(None, -1)), axis=axes, keepdims=False)

    return along(rows) + along(rows + 1)


# ---- likeness


def _pair(a: Any, b: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two images and the range of their values, in float32."""
    a, b = as_tensor(a), as_tensor(b)
    if min(a.ndim, b.ndim) < 3:
        raise ValueError(
            f"images must be at least three-dimensional; got shapes {tuple(a.shape)} and {tuple(b.shape)}."
        )
    if tuple(a.sizes)[-3:] != tuple(b.sizes)[-3:]:
        raise invalid(f"the shapes {tuple(a.shape)} and {tuple(b.shape)} differ in height, width or channels.")
    top = convert_image_dtype(cast(max_val, a.dtype), float32)
    return convert_image_dtype(a, float32), convert_image_dtype(b, float32), top


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """Peak signal-to-noise ratio of two images in decibels: 10 log10(max_val² / mean squared difference).

    Returns:
        A number for each pair of images, float32.

    >>> float(tf.image.psnr(tf.zeros([4, 4, 1]), tf.fill([4, 4, 1], 0.1), max_val=1.0).numpy().round(3))
    20.0
    """
    a, b, top = _pair(a, b, max_val)
    difference = a - b
    axes = tuple(range(difference.ndim - 3, difference.ndim))
    mean = ops.reduce_mean(ops.square(difference), axis=axes, keepdims=False)
    decibel = 10 / np.log(10)
    return ops.log(top) * float(2 * decibel) - ops.log(mean) * float(decibel)


def _blurred(x: Tensor, size: int, sigma: float) -> Tensor:
    """Weighted means over windows that lie within the image."""
    for axis in (x.ndim - 3, x.ndim - 2):
        n = x.sizes[axis]
        x = ops.resample(x, axis=axis, weights=("gaussian_window", n, n - size + 1, float(sigma)), transposed=False)
    return x


def _ssim_parts(
    a: Tensor, b: Tensor, top: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """(luminance times contrast and structure, contrast and structure) at every place of the window."""
    if min(*a.sizes[-3:-1], *b.sizes[-3:-1]) < size:
        raise invalid(
            f"images of height and width {tuple(a.shape)[-3:-1]} are smaller than the filter, {size} x {size}."
        )
    c1, c2 = ops.square(top * k1), ops.square(top * k2)
    blurred = lambda x: _blurred(x, size, sigma)
    mean_a, mean_b = blurred(a), blurred(b)
    product, squares = mean_a * mean_b * 2.0, ops.square(mean_a) + ops.square(mean_b)
    structure = (blurred(a * b) * 2.0 - product + c2) / (blurred(ops.square(a) + ops.square(b)) - squares + c2)
    return (product + c1) / (squares + c1) * structure, structure


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Structural similarity (Wang et al. 2004): 1 for equal images, less the more they differ as seen by people.

    Args:
        return_index_map: True gives the similarity at each place of the window, not the mean of all.

    >>> image = tf.random.stateless_uniform([1, 16, 16, 3], seed=[1, 2])
    >>> tf.image.ssim(image, image, 1.0).numpy().round(4), bool(tf.image.ssim(image, image[:, ::-1], 1.0) < 0.5)
    (array([1.], dtype=float32), True)
    """
    a, b, top = _pair(img1, img2, max_val)
    similarity, _ = _ssim_parts(a, b, top, filter_size, filter_sigma, k1, k2)
    axes = (similarity.ndim - 1,) if return_index_map else tuple(range(similarity.ndim - 3, similarity.ndim))
    return ops.reduce_mean(similarity, axis=axes, keepdims=False)


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: TensorLike = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Structural similarity at several scales (Wang et al. 2003), each half the size of the one before, weighted by
    `power_factors`.

    Args:
        power_factors: The weight of each scale, as powers; as many scales as there are.

    Returns:
        A number for each pair of images, float32.

    >>> image = tf.random.stateless_uniform([1, 64, 64, 1], seed=[1, 2])
    >>> tf.image.ssim_multiscale(image, image, 1.0, power_factors=(0.5, 0.5), filter_size=7).numpy().round(4)
    array([1.], dtype=float32)
    """
    a, b, top = _pair(img1, img2, max_val)
    if a.ndim != b.ndim:
        raise ValueError(f"both images need the same rank, got shapes {tuple(a.shape)} and {tuple(b.shape)}.")
    factors = [float(p) for p in np.ravel(power_factors)]
    terms = []
    for scale in range(len(factors)):
        if scale:
            a, b = _halved(a), _halved(b)
        similarity, structure = _ssim_parts(a, b, top, filter_size, filter_sigma, k1, k2)
        last = similarity if scale == len(factors) - 1 else structure
        terms.append(ops.relu(ops.reduce_mean(last, axis=(last.ndim - 3, last.ndim - 2), keepdims=False)))
    stacked = ops.stack(*terms, axis=terms[0].ndim)
    above = stacked > 0.0  # a power of 0 has an infinite slope, which times the slope 0 of relu is NaN
    powers = ops.where(above, ops.pow(ops.where(above, stacked, 1.0), EagerTensor(np.array(factors, np.float32))), 0.0)
    products = ops.reduce_prod(powers, axis=(powers.ndim - 1,), keepdims=False)
    return ops.reduce_mean(products, axis=(products.ndim - 1,), keepdims=False)


def _halved(x: Tensor) -> Tensor:
    """Means of 2 x 2 pixels; an odd last line counts twice."""
    outer, inner = tuple(x.sizes)[:-3], tuple(x.sizes)[-3:]
    flat = ops.reshape(x, shape=(int(np.prod(outer)), *inner))
    if inner[0] % 2 or inner[1] % 2:
        flat = pad(flat, [(0, 0), (0, inner[0] % 2), (0, inner[1] % 2), (0, 0)], mode="SYMMETRIC")
    small = avg_pool2d(flat, 2, 2, "VALID")
    return ops.reshape(small, shape=(*outer, *small.sizes[1:]))
