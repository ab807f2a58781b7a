"""Drawing boxes and cutting at random ones."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient


def test_drawing():
    images = np.zeros((1, 5, 6, 3), np.float32)
    boxes = [[[0.0, 0.0, 0.5, 0.4], [-1.0, 0.4, 0.25, 2.0], [0.9, 0.1, 0.2, 0.3]]]
    colors = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    drawn = tf.image.draw_bounding_boxes(images, boxes, colors).numpy()[0, :, :, 0]
    assert drawn.tolist() == [[1, 1, 4, 0, 0, 0], [1, 0, 4, 4, 4, 4], [1, 1, 1, 0, 0, 0], [0] * 6, [0] * 6]
    yellow = tf.image.draw_bounding_boxes(images, boxes, None).numpy()
    assert yellow[0, 0, 0].tolist() == [1, 1, 0] and yellow[0, 1, 5].tolist() == [0, 0, 1]
    assert tf.image.draw_bounding_boxes(images[..., :1], boxes, None).numpy().max() == 1
    to_images, to_colors = gradient(lambda x, c: tf.image.draw_bounding_boxes(x, boxes, c), images, colors)
    assert to_images.sum() == 3 * (30 - 11) and to_colors[:, 0].tolist() == [6, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="colors"):
        tf.image.draw_bounding_boxes(images, boxes, [[1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="uint8"):
        tf.image.draw_bounding_boxes(images.astype(np.uint8), boxes, colors)


def test_random_windows_keep_their_promises():
    box = np.array([[[0.3, 0.3, 0.6, 0.7]]], np.float32)
    windows = set()
    for k in range(50):
        begin, size, window = tf.image.stateless_sample_distorted_bounding_box(
            [50, 70, 3], box, [k, 0], min_object_covered=0.8, aspect_ratio_range=[0.5, 2.0], area_range=[0.2, 0.9]
        )
        (top, left, _), (height, width, channels) = begin.numpy().tolist(), size.numpy().tolist()
        assert 0 <= top <= top + height <= 50 and 0 <= left <= left + width <= 70 and channels == -1
        assert 0.2 <= height * width / 3500 <= 0.9 and 0.45 <= width / height <= 2.1
        np.testing.assert_allclose(
            window.numpy().ravel(), [top / 50, left / 70, (top + height) / 50, (left + width) / 70], rtol=1e-6
        )
        tall = min(top + height, 30) - max(top, 15)
        wide = min(left + width, 49) - max(left, 21)
        assert tall * wide >= 0.79 * 15 * 28
        windows.add((top, left, height, width))
    assert len(windows) > 40
    with pytest.raises(tf.errors.InvalidArgumentError, match="use_image_if_no_bounding_boxes"):
        tf.image.sample_distorted_bounding_box([5, 5, 3], np.zeros((1, 0, 4), np.float32))
    begin, _, _ = tf.image.sample_distorted_bounding_box(
        [5, 5, 3], np.zeros((1, 0, 4)), use_image_if_no_bounding_boxes=True
    )
    assert begin.shape == (3,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="image_size"):
        tf.image.sample_distorted_bounding_box([5, 5], [[[0.0, 0, 1, 1]]])
