"""Choosing among boxes that overlap."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

BOXES = [
    [0.0, 0.0, 1.0, 1.0],
    [0.0, 0.1, 1.0, 1.1],
    [0.0, -0.1, 1.0, 0.9],
    [0.0, 10.0, 1.0, 11.0],
    [0.0, 10.1, 1.0, 11.1],
    [0.0, 100.0, 1.0, 101.0],
]
SCORES = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]


def test_the_best_of_those_that_overlap_stay():
    choose = lambda *args, **kwargs: tf.image.non_max_suppression(BOXES, SCORES, *args, **kwargs).numpy().tolist()
    assert choose(6) == [3, 0, 5] and choose(2) == [3, 0] and choose(0) == []
    assert choose(6, iou_threshold=1.0) == [3, 0, 1, 2, 4, 5]
    assert choose(6, score_threshold=0.4) == [3, 0]
    flipped = [[y2, x2, y1, x1] for y1, x1, y2, x2 in BOXES]
    assert tf.image.non_max_suppression(flipped, SCORES, 6).numpy().tolist() == [3, 0, 5]


def test_equal_scores_go_in_order_and_boxes_without_area_overlap_nothing():
    assert tf.image.non_max_suppression([[0.0, 0, 1, 1]] * 3, [0.5, 0.7, 0.7], 3).numpy().tolist() == [1]
    assert tf.image.non_max_suppression([[0.0, 0, 0, 0]] * 3, [0.5, 0.5, 0.5], 3).numpy().tolist() == [0, 1, 2]


def test_soft_suppression_lowers_scores():
    overlap = 0.9 / 1.1
    index, scores = tf.image.non_max_suppression_with_scores(BOXES[:2], SCORES[:2], 2, soft_nms_sigma=0.5)
    assert index.numpy().tolist() == [0, 1]
    np.testing.assert_allclose(scores, [0.9, 0.75 * np.exp(-(overlap**2))], rtol=1e-5)
    chosen = lambda s: tf.image.non_max_suppression_with_scores(BOXES[:2], s, 2, soft_nms_sigma=0.5)[1]
    np.testing.assert_allclose(gradient(chosen, SCORES[:2]), [1, np.exp(-(overlap**2))], rtol=1e-5)
    slope = gradient(
        lambda b: tf.image.non_max_suppression_with_scores(b, SCORES[:2], 2, soft_nms_sigma=0.5)[1], BOXES[:2]
    )
    assert slope.shape == (2, 4) and slope[1, 1] > 0 > slope[0, 3]  # further apart is better


@pytest.mark.parametrize(
    "choose",
    [
        lambda b, s: tf.gather(s, tf.image.non_max_suppression(b, s, 6)),
        lambda b, s: tf.image.non_max_suppression_with_scores(b, s, 6)[1],
        lambda b, s: tf.image.non_max_suppression_with_scores(b, s, 6, soft_nms_sigma=0.5)[1],
        lambda b, s: tf.gather(s, tf.image.non_max_suppression_padded(b, s, 6)[0]),
    ],
    ids=["plain", "scores", "soft", "padded"],
)
def test_how_many_are_kept_may_be_known_late(choose):
    """In a graph only its run says how many there are."""
    b, s = tf.constant(BOXES), tf.constant(SCORES)

    def slope(b, s):
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = choose(b, s)
        return tape.gradient(y, s)

    traced = [tf.function(f, autograph=False) for f in (choose, slope)]
    for scores in (s, s[::-1], tf.zeros_like(s)):
        for f, g in zip(traced, (choose, slope)):
            np.testing.assert_allclose(f(b, scores), g(b, scores), rtol=1e-6)
    assert not any(f.get_concrete_function(b, s).as_python for f in traced)


def test_any_measure_of_overlap():
    table = [[1.0, 0.9, 0.1], [0.2, 1.0, 0.1], [0.1, 0.1, 1.0]]
    assert tf.image.non_max_suppression_overlaps(table, [0.9, 0.8, 0.7], 3).numpy().tolist() == [0, 1, 2]
    assert tf.image.non_max_suppression_overlaps(np.transpose(table), [0.9, 0.8, 0.7], 3).numpy().tolist() == [0, 2]


def test_padded_and_batched():
    index, count = tf.image.non_max_suppression_padded(
        [BOXES, BOXES], [SCORES, SCORES[::-1]], 8, pad_to_max_output_size=True
    )
    assert index.numpy().tolist() == [
        [3, 0, 5, 0, 0, 0, 0, 0],
        [2, 5, 4, 0, 0, 0, 0, 0],
    ] and count.numpy().tolist() == [3, 3]
    index, count = tf.image.non_max_suppression_padded(BOXES, SCORES, 8)
    assert index.numpy().tolist() == [3, 0, 5] and count.numpy() == 3
    with pytest.raises(ValueError, match="pad_to_max_output_size"):
        tf.image.non_max_suppression_padded([BOXES], [SCORES], 8)


@pytest.mark.parametrize("shared", [True, False])
def test_combined(shared):
    boxes = np.array(BOXES, np.float32)[None, :, None]
    scores = np.stack([SCORES, SCORES[::-1]], -1).astype(np.float32)[None]
    boxes = boxes if shared else np.repeat(boxes, 2, 2)
    found = tf.image.combined_non_max_suppression(boxes, scores, 2, 6, clip_boxes=False)
    np.testing.assert_allclose(found.nmsed_scores[0], [0.95, 0.95, 0.9, 0.9, 0, 0], rtol=1e-6)
    assert found.nmsed_classes.numpy()[0].tolist() == [
        0,
        1,
        0,
        1,
        0,
        0,
    ] and found.valid_detections.numpy().tolist() == [4]
    np.testing.assert_allclose(
        found.nmsed_boxes[0], [BOXES[3], BOXES[2], BOXES[0], BOXES[5], [0] * 4, [0] * 4], rtol=1e-6
    )
    small = tf.image.combined_non_max_suppression(boxes, scores, 2, 6, pad_per_class=True)
    assert small.nmsed_boxes.shape == (1, 4, 4) and float(tf.reduce_max(small.nmsed_boxes)) == 1
    slope = gradient(lambda s: tf.image.combined_non_max_suppression(boxes, s, 2, 3)[1], scores)
    assert slope.sum() == 3 and slope[0, 3, 0] == slope[0, 2, 1] == slope[0, 0, 0] == 1


def test_errors():
    for call in (
        lambda: tf.image.non_max_suppression(BOXES, SCORES[:3], 3),
        lambda: tf.image.non_max_suppression(BOXES[0], SCORES, 3),
        lambda: tf.image.non_max_suppression(BOXES, SCORES, 3, iou_threshold=1.5),
        lambda: tf.image.non_max_suppression(BOXES, SCORES, -1),
        lambda: tf.image.non_max_suppression_overlaps([[1.0, 0.0]], [0.5], 1),
        lambda: tf.image.combined_non_max_suppression([BOXES], [SCORES], 1, 1),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()
