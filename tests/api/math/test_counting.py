import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "arguments,expected",
    [
        (dict(), [0, 2, 0, 1]),
        (dict(minlength=6), [0, 2, 0, 1, 0, 0]),
        (dict(maxlength=2), [0, 2]),
        (dict(minlength=6, maxlength=2), [0, 2]),
        (dict(weights=[1.0, 2.0, 3.0]), [0, 3, 0, 3]),
        (dict(weights=[1.0, 2.0, 3.0], maxlength=2), [0, 3]),
        (dict(binary_output=True), [0, 1, 0, 1]),
        (dict(axis=-1), [0, 2, 0, 1]),
    ],
)
def test_bincount(arguments, expected):
    assert tf.math.bincount([1, 1, 3], **arguments).numpy().tolist() == expected


def test_bincount_row_by_row():
    rows = [[1, 1], [0, 2]]
    assert tf.math.bincount(rows).numpy().tolist() == [1, 2, 1]
    assert tf.math.bincount(rows, axis=-1).numpy().tolist() == [[0, 2, 0], [1, 0, 1]]
    assert tf.math.bincount(rows, axis=-1, maxlength=2).numpy().tolist() == [[0, 2], [1, 0]]
    assert tf.math.bincount(rows, axis=-1, binary_output=True).numpy().tolist() == [[0, 1, 0], [1, 0, 1]]
    assert tf.math.bincount(rows, axis=-1, weights=[[1.0, 2.0], [3.0, 4.0]]).numpy().tolist() == [[0, 3, 0], [3, 0, 4]]


def test_bincount_dtypes_and_errors():
    assert tf.math.bincount([1], dtype=tf.float32).dtype is tf.float32
    assert tf.math.bincount([], minlength=2).numpy().tolist() == [0, 0]
    with pytest.raises(Invalid, match="non-negative"):
        tf.math.bincount([1, -1])
    with pytest.raises(Invalid, match="same shape"):
        tf.math.bincount([1, 1], weights=[1.0])
    with pytest.raises(ValueError, match="axis=1"):
        tf.math.bincount([1, 1], axis=1)


def test_bincount_is_differentiable_in_its_weights():
    assert gradient(lambda w: tf.math.bincount([1, 1, 0], weights=w) * [1.0, 2.0], [1.0, 2.0, 3.0]).tolist() == [
        2,
        2,
        1,
    ]


def test_confusion_matrix():
    labels, predictions = [0, 1, 1, 2], [0, 1, 0, 2]
    assert tf.math.confusion_matrix(labels, predictions).numpy().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert tf.math.confusion_matrix(labels, predictions, num_classes=4).shape == (4, 4)
    assert tf.math.confusion_matrix([[0], [1]], [0.0, 1.0]).numpy().tolist() == [[1, 0], [0, 1]]
    weighted = tf.math.confusion_matrix([0, 1, 1], [0, 1, 0], weights=[0.5, 1.0, 2.0], dtype=tf.float32)
    assert weighted.numpy().tolist() == [[0.5, 0], [2, 1]]
    for arguments in (
        dict(predictions=[0, 3, 0, 0], num_classes=3),
        dict(predictions=[0, -1, 0, 0]),
        dict(predictions=[0, 1]),
        dict(predictions=predictions, weights=[1.0]),
    ):
        with pytest.raises(Invalid):
            tf.math.confusion_matrix(labels, **arguments)


def test_histogram():
    values = [-1.0, 0.0, 0.3, 0.5, 0.9, 1.0, 7.0]
    assert tf.histogram_fixed_width_bins(values, [0.0, 1.0], nbins=4).numpy().tolist() == [0, 0, 1, 2, 3, 3, 3]
    assert tf.histogram_fixed_width(values, [0.0, 1.0], nbins=4, dtype=tf.int64).numpy().tolist() == [2, 1, 1, 3]
    assert tf.histogram_fixed_width([1, 2, 3], [0, 10], nbins=5).numpy().tolist() == [1, 2, 0, 0, 0]
    x = np.random.default_rng(0).normal(size=1000)
    want, _ = np.histogram(np.clip(x, -2, 1.999999), 20, (-2, 2))
    np.testing.assert_array_equal(tf.histogram_fixed_width(x, tf.constant([-2.0, 2.0], tf.float64), nbins=20), want)


def test_histogram_that_cannot_be():
    for bounds, nbins in (([1.0, 0.0], 3), ([1.0, 1.0], 3), ([0.0, 1.0], 0), ([0.0, 1.0, 2.0], 3)):
        with pytest.raises(Invalid):
            tf.histogram_fixed_width([0.1], bounds, nbins)


def test_a_histogram_has_no_gradient():
    assert gradient(lambda x: tf.histogram_fixed_width(x, [0.0, 1.0]), [0.1, 0.2]) is None
