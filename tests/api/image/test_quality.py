"""Measures of likeness and roughness."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

RNG = np.random.default_rng(0)
BATCH = RNG.random((2, 16, 17, 3)).astype(np.float32)


def test_differences_between_neighbours():
    dy, dx = tf.image.image_gradients(BATCH)
    np.testing.assert_array_equal(dy[:, :-1], np.diff(BATCH, axis=1))
    np.testing.assert_array_equal(dx[:, :, :-1], np.diff(BATCH, axis=2))
    assert not dy[:, -1].numpy().any() and not dx[:, :, -1].numpy().any()
    want = np.abs(np.diff(BATCH, axis=1)).sum((1, 2, 3)) + np.abs(np.diff(BATCH, axis=2)).sum((1, 2, 3))
    np.testing.assert_allclose(tf.image.total_variation(BATCH), want, rtol=1e-5)
    np.testing.assert_allclose(tf.image.total_variation(BATCH[0]), want[0], rtol=1e-5)


def test_sobel_edges_are_convolutions():
    from scipy.ndimage import correlate

    kernel = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32)[:, :, None]
    for k, image in enumerate(BATCH):
        got = tf.image.sobel_edges(BATCH)[k]
        np.testing.assert_allclose(got[..., 0], correlate(image, kernel, mode="mirror"), atol=1e-5)
        np.testing.assert_allclose(got[..., 1], correlate(image, kernel.transpose(1, 0, 2), mode="mirror"), atol=1e-5)


def test_psnr():
    other = BATCH + RNG.normal(size=BATCH.shape).astype(np.float32) * 0.1
    want = -10 * np.log10(((BATCH - other) ** 2).mean((1, 2, 3)) / 4)
    np.testing.assert_allclose(tf.image.psnr(BATCH, other, 2.0), want, rtol=1e-5)
    assert tf.image.psnr(BATCH, BATCH, 1.0).numpy().tolist() == [np.inf, np.inf]
    bytes_ = (BATCH * 255).astype(np.uint8), (BATCH * 250).astype(np.uint8)
    mean = ((bytes_[0].astype(float) - bytes_[1]) ** 2).mean((1, 2, 3))
    np.testing.assert_allclose(tf.image.psnr(*bytes_, 255), 10 * np.log10(255**2 / mean), rtol=1e-5)


def test_ssim_like_tensorflow():
    other = BATCH * np.float32(0.8) + np.float32(0.1)
    np.testing.assert_allclose(tf.image.ssim(BATCH, other, 1.0), [0.9756548, 0.9754394], rtol=1e-5)
    np.testing.assert_allclose(
        tf.image.ssim(BATCH, other, 1.0, filter_size=7, k1=0.1), [0.9756113, 0.9754694], rtol=1e-5
    )
    places = tf.image.ssim(BATCH, other, 1.0, return_index_map=True)
    assert places.shape == (2, 6, 7)
    np.testing.assert_allclose(tf.reduce_mean(places, [1, 2]), [0.9756548, 0.9754394], rtol=1e-5)


def test_ssim_multiscale_like_tensorflow():
    image = np.random.default_rng(0).random((1, 45, 51, 2)).astype(np.float32)
    got = tf.image.ssim_multiscale(image, image[:, ::-1] * 0.3 + image * 0.7, 1.0, (0.3, 0.3, 0.4), 7)
    np.testing.assert_allclose(got, [0.8918353], rtol=1e-5)


@pytest.mark.parametrize(
    "measure",
    [
        lambda x: tf.image.ssim(x, BATCH[:1], 1.0, filter_size=5),
        lambda x: tf.image.ssim_multiscale(x, x * 0.5 + BATCH[:1] * 0.5, 1.0, (0.5, 0.5), 5),
        lambda x: tf.image.psnr(x, BATCH[:1], 1.0) / 10,
        lambda x: tf.reduce_sum(tf.image.sobel_edges(x) ** 2) / 1000,
    ],
)
def test_gradients(measure):
    """Along a random direction, by central differences."""
    image, direction = (
        RNG.random((1, 16, 17, 3)).astype(np.float32),
        RNG.normal(size=(1, 16, 17, 3)).astype(np.float32),
    )
    step = np.float32(1e-3)
    value = lambda x: float(tf.reduce_sum(measure(x)))
    want = (value(image + step * direction) - value(image - step * direction)) / 2e-3
    np.testing.assert_allclose((gradient(measure, image) * direction).sum(), want, rtol=2e-2, atol=1e-3)


def test_images_with_nothing_in_common_have_a_gradient_without_nan():
    """Their similarity is below 0, counts as 0, and a root has an infinite slope there."""
    image = BATCH[:1, :, :, :1]
    measure = lambda x: tf.image.ssim_multiscale(x, 1 - image, 1.0, (0.5, 0.5), 5)
    assert measure(image).numpy().tolist() == [0] and not gradient(measure, image).any()


def test_errors():
    with pytest.raises(tf.errors.InvalidArgumentError, match="differ"):
        tf.image.psnr(BATCH, BATCH[:, 1:], 1.0)
    with pytest.raises(ValueError, match="three-dimensional"):
        tf.image.ssim(BATCH[0, 0], BATCH[0, 0], 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than the filter"):
        tf.image.ssim(BATCH, BATCH, 1.0, filter_size=20)
    with pytest.raises(tf.errors.InvalidArgumentError, match="uint8"):
        tf.image.total_variation(BATCH.astype(np.uint8))
    with pytest.raises(ValueError, match="4D"):
        tf.image.image_gradients(BATCH[0])
