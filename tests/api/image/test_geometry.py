"""Flips, crops and paddings against NumPy's indexing."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

IMAGE = np.arange(60, dtype=np.float32).reshape(4, 5, 3)
BATCH = np.stack([IMAGE, IMAGE + 100])


@pytest.mark.parametrize("image, rows", [(IMAGE, 0), (BATCH, 1)])
def test_turning_over(image, rows):
    same = lambda got, want: np.testing.assert_array_equal(got, want)
    same(tf.image.flip_left_right(image), np.flip(image, rows + 1))
    same(tf.image.flip_up_down(image), np.flip(image, rows))
    same(tf.image.transpose(image), np.swapaxes(image, rows, rows + 1))
    for k in range(-2, 6):
        same(tf.image.rot90(image, k), np.rot90(image, k, (rows, rows + 1)))


def test_crops_and_paddings():
    assert tf.image.crop_to_bounding_box(BATCH, 1, 2, 2, 3).numpy().tolist() == BATCH[:, 1:3, 2:5].tolist()
    padded = np.pad(IMAGE, ((1, 2), (0, 3), (0, 0)))
    assert tf.image.pad_to_bounding_box(IMAGE, 1, 0, 7, 8).numpy().tolist() == padded.tolist()
    assert tf.image.central_crop(IMAGE, 0.5).numpy().tolist() == IMAGE[1:3, 1:4].tolist()
    assert tf.image.central_crop(IMAGE, 1.0).shape == IMAGE.shape
    odd = tf.image.resize_with_crop_or_pad(IMAGE, 7, 2).numpy()
    assert odd.tolist() == np.pad(IMAGE[:, 1:3], ((1, 2), (0, 0), (0, 0))).tolist()
    even = tf.image.resize_with_crop_or_pad(BATCH, 1, 8).numpy()
    assert even.tolist() == np.pad(BATCH[:, 1:2], ((0, 0), (0, 0), (1, 2), (0, 0))).tolist()


def test_gradients_go_back_to_their_places():
    weights = np.random.default_rng(0).normal(size=(5, 4, 3)).astype(np.float32)
    np.testing.assert_array_equal(gradient(lambda x: tf.image.rot90(x) * weights, IMAGE), np.rot90(weights, -1))
    cropped = gradient(lambda x: tf.image.crop_to_bounding_box(x, 1, 2, 2, 3), IMAGE)
    assert cropped.sum() == 18 and cropped[1:3, 2:5].min() == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.image.crop_to_bounding_box(IMAGE, 3, 3, 3, 3),
        lambda: tf.image.crop_to_bounding_box(IMAGE, -1, 0, 2, 2),
        lambda: tf.image.crop_to_bounding_box(IMAGE, 0, 0, 0, 2),
        lambda: tf.image.pad_to_bounding_box(IMAGE, 2, 0, 5, 5),
        lambda: tf.image.pad_to_bounding_box(IMAGE, 0, -1, 5, 9),
        lambda: tf.image.resize_with_crop_or_pad(IMAGE, 0, 2),
        lambda: tf.image.central_crop(IMAGE, 0.0),
        lambda: tf.image.central_crop(IMAGE, 1.5),
        lambda: tf.image.flip_left_right(IMAGE[0]),
        lambda: tf.image.rot90(BATCH[None]),
    ],
)
def test_errors(call):
    with pytest.raises(ValueError):
        call()
