"""Resizing: TensorFlow's numbers for every method, and gradients of every order."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import second
from tests.api.gradients import gradient

METHODS = ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]
LINE = np.array([1, 5, 2, 8, 3], np.float32).reshape(1, 1, 5, 1)
RNG = np.random.default_rng(0)

# (method, width, antialias): the line 1 5 2 8 3 at that width
EXPECTED = {
    ("bilinear", 3, False): [2.33333, 2.0, 4.66667],
    ("bilinear", 3, True): [2.71429, 4.0, 5.14286],
    ("bilinear", 8, False): [1.0, 2.75, 4.8125, 2.9375, 3.875, 7.625, 5.1875, 3.0],
    ("nearest", 3, False): [1.0, 2.0, 3.0],
    ("nearest", 8, False): [1.0, 1.0, 5.0, 2.0, 2.0, 8.0, 3.0, 3.0],
    ("bicubic", 3, False): [2.20533, 2.0, 4.58414],
    ("bicubic", 3, True): [2.56923, 4.2186, 5.16923],
    ("bicubic", 8, False): [0.71218, 2.73022, 4.98828, 2.50781, 3.57959, 7.91064, 5.27606, 2.64022],
    ("area", 3, False): [2.6, 3.8, 5.0],
    ("area", 8, True): [1.0, 2.6, 5.0, 2.6, 3.2, 8.0, 5.0, 3.0],
    ("lanczos3", 3, False): [2.36728, 2.0, 4.82125],
    ("lanczos3", 3, True): [2.39881, 4.48713, 5.15051],
    ("lanczos3", 8, False): [0.49772, 2.90223, 4.97647, 2.31739, 3.58985, 7.93758, 5.50261, 2.30193],
    ("lanczos5", 3, True): [2.26563, 4.60487, 5.08769],
    ("lanczos5", 8, True): [0.23788, 3.20027, 4.93241, 2.25325, 3.51663, 7.89179, 5.7581, 2.05293],
    ("gaussian", 3, False): [2.35697, 2.95856, 4.69622],
    ("gaussian", 3, True): [2.70342, 4.10031, 4.95865],
    ("gaussian", 8, False): [1.24035, 2.75129, 4.26287, 3.09172, 3.95251, 6.77293, 5.18912, 3.30043],
    ("mitchellcubic", 3, True): [2.63254, 4.22533, 5.08567],
    ("mitchellcubic", 8, False): [0.94374, 2.75983, 4.60937, 2.80165, 3.82189, 7.31201, 5.26761, 2.92967],
}


@pytest.mark.parametrize("method, width, antialias", EXPECTED)
def test_numbers_of_tensorflow(method, width, antialias):
    want = np.array(EXPECTED[method, width, antialias])
    across = tf.image.resize(LINE, [1, width], method, antialias=antialias)
    down = tf.image.resize(LINE.transpose(0, 2, 1, 3), [width, 1], method, antialias=antialias)
    for got in (across, down):
        np.testing.assert_allclose(got.numpy().ravel(), want, atol=2e-5)


@pytest.mark.parametrize("method", METHODS)
def test_both_axes_and_channels_are_resized_independently(method):
    image = RNG.random((2, 7, 90, 3)).astype(np.float32)  # wide enough for the sparse product
    got = tf.image.resize(image, [5, 60], method, antialias=True).numpy()
    if method not in ("gaussian", "mitchellcubic"):  # those blur even what keeps its size
        rows = tf.image.resize(image, [5, 90], method, antialias=True)
        np.testing.assert_allclose(tf.image.resize(rows, [5, 60], method, antialias=True), got, atol=1e-5)
    for channel in range(3):
        alone = tf.image.resize(image[1, ..., channel, None], [5, 60], method, antialias=True)
        np.testing.assert_allclose(alone[..., 0], got[1, ..., channel], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_constant_images_stay_constant(method):
    for old, new in (((1, 1), (3, 4)), ((9, 5), (1, 1)), ((5, 7), (80, 100))):
        got = tf.image.resize(tf.fill([*old, 2], 3.0), new, method, antialias=True)
        np.testing.assert_allclose(got, np.full((*new, 2), 3.0), rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_the_dtype_is_float32_or_for_nearest_the_image_s(method):
    for dtype in (tf.uint8, tf.int32, tf.float16, tf.bfloat16, tf.float64):
        got = tf.image.resize(tf.cast(LINE, dtype), [1, 3], method)
        assert got.dtype == (dtype if method == "nearest" else tf.float32)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("antialias", [False, True])
def test_first_and_second_derivatives(method, antialias):
    """TensorFlow has no gradient for "area" and loses or refuses the second one of every other."""
    image = RNG.random((1, 3, 4, 2)).astype(np.float32)
    weights = RNG.random((1, 5, 2, 2)).astype(np.float32)
    resized = lambda x: tf.image.resize(x, [5, 2], method, antialias=antialias)
    units = np.eye(24, dtype=np.float32).reshape(24, 3, 4, 2)
    matrix = resized(units).numpy().reshape(24, 20)  # row k: what pixel k gives to the result
    np.testing.assert_allclose(
        gradient(lambda x: resized(x) * weights, image).ravel(), matrix @ weights.ravel(), atol=1e-5
    )
    # sum of (M x²)²: gradient 4 x M'M x², and along ones the derivative of that
    got = second(lambda x: resized(x * x) ** 2, image).ravel()
    x = image.ravel().astype(float)
    square = matrix.astype(float) @ matrix.T
    want = 4 * square @ (x * x) + 8 * x * (square @ x)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_preserve_aspect_ratio_and_pad():
    assert tf.image.resize(tf.zeros([5, 8, 1]), [33, 34], preserve_aspect_ratio=True).shape == (21, 34, 1)
    assert tf.image.resize(tf.zeros([7, 3, 1]), [10, 10], preserve_aspect_ratio=True).shape == (10, 4, 1)
    padded = tf.image.resize_with_pad(tf.ones([2, 5, 8, 1]), 10, 10).numpy()
    assert padded.shape == (2, 10, 10, 1) and padded[0, :, 0, 0].tolist() == [0, 1, 1, 1, 1, 1, 1, 0, 0, 0]


def test_empty_batch():
    assert tf.image.resize(tf.zeros([0, 3, 3, 1]), [5, 6]).shape == (0, 5, 6, 1)


def test_errors():
    image = tf.zeros([3, 3, 1])
    for size in (3, [[1, 2]], [1.0, 2.0], [1, 2, 3]):
        with pytest.raises(ValueError, match="'size' must be"):
            tf.image.resize(image, size)
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        tf.image.resize(image, [0, 2])
    with pytest.raises(ValueError, match="not implemented: 'cubic'"):
        tf.image.resize(image, [2, 2], "cubic")
    with pytest.raises(ValueError, match="3 or 4 dimensions"):
        tf.image.resize(image[0], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool"):
        tf.image.resize(tf.cast(image, tf.bool), [2, 2])
    with pytest.raises(ValueError, match="> 0"):
        tf.image.resize_with_pad(image, 0, 2)
