"""Colours: the values of TensorFlow, and the gradients it lacks."""

import colorsys

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import second
from tests.api.gradients import gradient

COLOURS = np.array([[[0.5, 0.2, 0.1], [0.1, 0.7, 0.4], [0.3, 0.3, 0.9], [0.9, 0.2, 0.9], [0.6, 0.6, 0.6]]], np.float32)
RANDOM = np.random.default_rng(1).uniform(0.05, 0.95, (3, 4, 3))


def check_gradient(f, x, order=1, tolerance=1e-5):
    """Against central differences, in float64."""
    weights = np.random.default_rng(2).normal(size=x.shape)
    value = lambda u: tf.reduce_sum(f(u) * weights)
    found = gradient(value, x)
    if order == 2:
        value, found = lambda u: float(np.sum(gradient(lambda v: tf.reduce_sum(f(v) * weights), u))), second(value, x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-6
        slope = (float(value(x + step)) - float(value(x - step))) / 2e-6
        assert abs(slope - found[index]) < tolerance * max(1, abs(slope)), (index, slope, found[index])


def test_hsv_like_the_standard_library():
    got = tf.image.rgb_to_hsv(RANDOM).numpy()
    want = [colorsys.rgb_to_hsv(*pixel) for pixel in RANDOM.reshape(-1, 3)]
    np.testing.assert_allclose(got.reshape(-1, 3), want, rtol=1e-12)
    np.testing.assert_allclose(tf.image.hsv_to_rgb(got), RANDOM, rtol=1e-12)


@pytest.mark.parametrize(
    "pixel", [[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0.2, 0.2, 0.5], [0.2, 0.5, 0.5]]
)
def test_hsv_of_ties(pixel):
    np.testing.assert_allclose(tf.image.rgb_to_hsv(np.array(pixel, float)), colorsys.rgb_to_hsv(*pixel), atol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_hsv(order):
    check_gradient(tf.image.rgb_to_hsv, RANDOM, order, 1e-3)
    check_gradient(tf.image.hsv_to_rgb, RANDOM, order, 1e-3)


def test_gradient_of_hsv_at_ties():
    """Red is the first to be the largest, blue the first to be the smallest; grey has no slope of hue."""
    got = lambda pixel: gradient(tf.image.rgb_to_hsv, np.array([[pixel]], np.float32)).ravel().tolist()
    assert got([0.5, 0.5, 0.5]) == [3.0, 0.0, -2.0]
    assert got([0.0, 0.0, 0.0]) == [1.0, 0.0, 0.0]
    # TensorFlow drops the slope of the saturation, -1 / value, wherever the smallest colour is 0
    saturation = lambda x: tf.image.rgb_to_hsv(x)[..., 1]
    assert gradient(saturation, np.array([[[0.0, 0.25, 0.5]]], np.float32)).ravel().tolist() == [-2.0, 0.0, 0.0]


def test_adjust_hue_and_saturation():
    turned = [[0.1, 0.5, 0.12], [0.28, 0.1, 0.7], [0.9, 0.3, 0.42], [0.9, 0.76, 0.2], [0.6, 0.6, 0.6]]
    np.testing.assert_allclose(tf.image.adjust_hue(COLOURS, 0.3)[0], turned, atol=1e-6)
    np.testing.assert_allclose(tf.image.adjust_hue(COLOURS, 1.0), COLOURS, atol=1e-6)
    strong = [[0.5, 0.125, 0.0], [0.0, 0.7, 0.35], [0.0, 0.0, 0.9], [0.9, 0.0, 0.9], [0.6, 0.6, 0.6]]
    np.testing.assert_allclose(tf.image.adjust_saturation(COLOURS, 2.0)[0], strong, atol=1e-6)
    np.testing.assert_allclose(
        tf.image.adjust_saturation(COLOURS, 0.0), np.repeat(COLOURS.max(-1, keepdims=True), 3, -1)
    )


@pytest.mark.parametrize(
    "adjust",
    [
        lambda x: tf.image.adjust_hue(x, 0.1),
        lambda x: tf.image.adjust_hue(x, -0.4),
        lambda x: tf.image.adjust_saturation(x, 0.5),
        lambda x: tf.image.adjust_saturation(x, 2.5),
        lambda x: tf.image.adjust_contrast(x, 1.7),
        lambda x: tf.image.adjust_gamma(x, 1.5, 2.0),
        lambda x: tf.image.adjust_brightness(x, 0.2),
    ],
)
def test_adjustments_have_gradients(adjust):
    check_gradient(adjust, RANDOM)


def test_grey_passes_gradients_unchanged():
    assert gradient(lambda x: tf.image.adjust_hue(x, 0.1), np.ones((1, 1, 3), np.float32)).ravel().tolist() == [
        1,
        1,
        1,
    ]


def test_gradients_flow_to_the_amounts():
    amount = lambda f, at: gradient(lambda a: f(RANDOM, a), np.float64(at))
    assert amount(tf.image.adjust_brightness, 0.1) == RANDOM.size
    np.testing.assert_allclose(
        amount(tf.image.adjust_saturation, 0.5), (RANDOM - RANDOM.max(-1, keepdims=True)).sum(), rtol=1e-10
    )
    assert np.isfinite(amount(tf.image.adjust_hue, 0.1)) and abs(amount(tf.image.adjust_contrast, 2.0)) < 1e-10


def test_integers_are_between_0_and_1():
    image = tf.constant([[[0, 100, 250]]], tf.uint8)
    assert tf.image.adjust_brightness(image, 0.1).numpy().ravel().tolist() == [25, 125, 255]
    assert tf.image.adjust_brightness(image, -0.5).numpy().ravel().tolist() == [0, 0, 122]
    assert tf.image.adjust_gamma(image, 2.0).numpy().ravel().tolist() == [0, 39, 245]
    assert tf.image.rgb_to_grayscale(image).numpy().ravel().tolist() == [87]


@pytest.mark.parametrize(
    "values, source, target, saturate, expected",
    [
        ([0, 51, 255], "uint8", "float32", False, [0, 0.2, 1]),
        ([0, 0.2, 0.999, 1], "float32", "uint8", False, [0, 51, 255, 255]),
        ([-0.5, 1.5], "float32", "uint8", True, [0, 255]),
        ([0, 255], "uint8", "int16", False, [0, 255 * 128]),
        ([0, 32767, 300], "int16", "uint8", False, [0, 255, 2]),
        ([-5, 300], "int16", "uint8", True, [0, 2]),
        ([0.5, 1], "float16", "float64", False, [0.5, 1]),
        ([0.5], "float16", "int32", False, [2**30]),
    ],
)
def test_convert_image_dtype(values, source, target, saturate, expected):
    got = tf.image.convert_image_dtype(tf.cast(values, source), target, saturate)
    assert got.dtype == target
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)


def test_linear_conversions_have_their_inverse():
    for there, back in ((tf.image.rgb_to_yiq, tf.image.yiq_to_rgb), (tf.image.rgb_to_yuv, tf.image.yuv_to_rgb)):
        np.testing.assert_allclose(back(there(RANDOM)), RANDOM, atol=1e-4)
        np.testing.assert_allclose(there(RANDOM)[..., 0], RANDOM @ [0.299, 0.587, 0.114], rtol=1e-10)
        check_gradient(there, RANDOM)


def test_per_image_standardization():
    images = np.random.default_rng(3).normal(3, 5, (2, 4, 5, 3)).astype(np.float32)
    got = tf.image.per_image_standardization(images).numpy()
    np.testing.assert_allclose(got.mean((1, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(got.std((1, 2, 3)), 1, rtol=1e-6)
    flat = tf.constant(np.full((2, 2, 1), 7, np.uint8))
    assert tf.image.per_image_standardization(flat).numpy().ravel().tolist() == [0, 0, 0, 0]


def test_errors():
    with pytest.raises(tf.errors.InvalidArgumentError, match="last dimension must be 3"):
        tf.image.rgb_to_hsv([0.1, 0.2])
    with pytest.raises(TypeError, match="convert_image_dtype"):
        tf.image.rgb_to_yiq(tf.constant([[1, 2, 3]]))
    with pytest.raises(ValueError, match="size 1"):
        tf.image.grayscale_to_rgb(COLOURS)
    with pytest.raises(ValueError, match="non-negative"):
        tf.image.adjust_gamma(COLOURS, -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
        tf.image.adjust_gamma(COLOURS, tf.constant(-1.0))
    with pytest.raises(ValueError, match="interval"):
        tf.image.adjust_hue(COLOURS, 1.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="three-dimensional"):
        tf.image.adjust_contrast(COLOURS[0], 2.0)
    with pytest.raises(AttributeError, match="complex64"):
        tf.image.convert_image_dtype(tf.constant([1j], tf.complex64), tf.float32)
