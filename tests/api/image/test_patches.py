"""Patches, boxes and glimpses."""

from itertools import product

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import second
from tests.api.gradients import gradient

BATCH = np.random.default_rng(0).random((2, 6, 7, 2)).astype(np.float32)
SQUARES = (np.arange(12).reshape(1, 3, 4, 1) ** 2).astype(np.float32)
BOXES = [[0.1, 0.2, 0.7, 0.6], [-0.3, 0.2, 0.5, 1.4]]


@pytest.mark.parametrize("window, steps, gaps", list(product([(2, 2), (3, 1)], [(1, 1), (2, 3)], [(1, 1), (2, 1)])))
def test_patches_are_windows(window, steps, gaps):
    wide = lambda pair: [1, *pair, 1]
    got = tf.image.extract_patches(BATCH, wide(window), wide(steps), wide(gaps), "VALID").numpy()
    for (n, i, j), _ in np.ndenumerate(got[..., 0]):
        rows = i * steps[0] + np.arange(window[0]) * gaps[0]
        columns = j * steps[1] + np.arange(window[1]) * gaps[1]
        assert got[n, i, j].tolist() == BATCH[n][np.ix_(rows, columns)].ravel().tolist()
    same = tf.image.extract_patches(BATCH, wide(window), wide(steps), wide(gaps), "SAME")
    assert same.shape == (2, -(-6 // steps[0]), -(-7 // steps[1]), 2 * window[0] * window[1])


def test_gradient_of_patches_counts_how_often_a_pixel_is_seen():
    seen = gradient(
        lambda x: tf.image.extract_patches(x, [1, 1, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"), np.ones((1, 1, 3, 1))
    )
    assert seen.ravel().tolist() == [1, 2, 1]


def test_crop_and_resize_like_tensorflow():
    crop = lambda boxes: tf.image.crop_and_resize(SQUARES, boxes, [0, 0], [2, 3], extrapolation_value=-1.0)
    want = [4.76, 6.72, 9.48, 42.52, 50.24, 58.76, -1.0, -1.0, -1.0, 21.4, 41.2, -1.0]
    np.testing.assert_allclose(crop(BOXES).numpy().ravel(), want, rtol=1e-5)
    np.testing.assert_allclose(
        gradient(crop, BOXES), [[153.6, 72.6, 345.6, 84.6], [0.0, 46.5, 0.0, 19.5]], rtol=1e-5, atol=1e-4
    )


def test_crop_and_resize_of_the_whole_image_is_the_image():
    for method in ("bilinear", "nearest"):
        np.testing.assert_allclose(
            tf.image.crop_and_resize(BATCH, [[0.0, 0, 1, 1]] * 2, [0, 1], [6, 7], method), BATCH, rtol=1e-5
        )
    upside_down = tf.image.crop_and_resize(BATCH, [[1.0, 0, 0, 1]], [1], [6, 7])
    np.testing.assert_allclose(upside_down[0], BATCH[1, ::-1], rtol=1e-5)


def test_crop_and_resize_to_one_pixel_takes_the_middle():
    got = tf.image.crop_and_resize(SQUARES, [[0.0, 0.0, 1.0, 1 / 3]], [0], [1, 1])
    np.testing.assert_allclose(got.numpy().ravel(), [(16 + 25) / 2], rtol=1e-5)


def test_crop_and_resize_has_gradients_of_second_order():
    boxes = np.array([[0.13, 0.22, 0.71, 0.64]], np.float32)
    squared = lambda b: tf.image.crop_and_resize(SQUARES / 100, b, [0], [2, 3]) ** 2
    step = 1e-3
    slope = lambda b: gradient(squared, b.astype(np.float32)).astype(float)
    np.testing.assert_allclose(
        second(squared, boxes), (slope(boxes + step) - slope(boxes - step)) / (2 * step), rtol=2e-2, atol=2e-2
    )
    assert gradient(lambda b: tf.image.crop_and_resize(SQUARES, b, [0], [2, 3], "nearest"), boxes) is None


@pytest.mark.parametrize(
    "offset, centered, normalized, start",
    [
        ([0.0, 0.0], True, True, (1, 2)),
        ([-1.0, 0.2], True, True, (-1, 2)),
        ([1.0, 1.0], True, False, (4, 4)),
        ([0.3, -0.5], False, True, (1, -3)),
        ([2.0, 3.0], False, False, (2, 3)),
    ],
)
def test_glimpses_are_windows(offset, centered, normalized, start):
    got = tf.image.extract_glimpse(BATCH[:1], [3, 3], [offset], centered, normalized, "zero").numpy()[0]
    padded = np.pad(BATCH[0], ((9, 9), (9, 9), (0, 0)))
    assert got.tolist() == padded[9 + start[0] : 12 + start[0], 9 + start[1] : 12 + start[1]].tolist()


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
def test_noise_of_glimpses_is_like_the_image(noise):
    tf.random.set_seed(1)
    images = np.stack([np.full((8, 8, 1), 5.0), np.random.default_rng(0).uniform(2, 4, (8, 8, 1))]).astype(np.float32)
    outside = tf.image.extract_glimpse(images, [50, 50], [[99.0, 99.0]] * 2, False, False, noise).numpy()
    assert (outside[0] == 5).all()
    assert images[1].min() <= outside[1].min() < 2.1 and 3.9 < outside[1].max() <= images[1].max()
    assert abs(outside[1].mean() - images[1].mean()) < 0.15


def test_errors():
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        tf.image.extract_patches(BATCH, [1, 9, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    with pytest.raises(tf.errors.InvalidArgumentError, match="sizes must be"):
        tf.image.extract_patches(BATCH, [2, 2], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    with pytest.raises(tf.errors.OutOfRangeError, match="box_indices"):
        tf.image.crop_and_resize(SQUARES, [[0.0, 0, 1, 1]], [1], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(count, 4\)"):
        tf.image.crop_and_resize(SQUARES, [[0.0, 0, 1]], [0], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        tf.image.crop_and_resize(SQUARES, [[0.0, 0, 1, 1]], [0], [0, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="'cubic'"):
        tf.image.crop_and_resize(SQUARES, [[0.0, 0, 1, 1]], [0], [2, 2], "cubic")
    with pytest.raises(tf.errors.InvalidArgumentError, match="noise"):
        tf.image.extract_glimpse(BATCH, [3, 3], [[0.0, 0.0]] * 2, noise="pink")
