"""`tf.edit_distance` and `tf.fingerprint`."""

import numpy as np
import pytest

import tapeflow as tf


def test_edit_distance():
    hypothesis = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
    truth = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2))
    assert tf.edit_distance(hypothesis, truth).numpy().tolist() == [[np.inf, 1], [0.5, 1]]
    assert tf.edit_distance(hypothesis, truth, normalize=False).numpy().tolist() == [[1, 1], [1, 1]]
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.edit_distance([1], truth)


def test_fingerprints():
    assert tf.fingerprint(["abc", "x"]).numpy().tolist()[1] == [2, 104, 255, 236, 186, 253, 126, 193]
    assert tf.fingerprint([[1, 2], [3, 4]]).numpy().tolist()[0] == [76, 18, 253, 133, 168, 204, 240, 10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="md5"):
        tf.fingerprint(["a"], method="md5")


def test_sequences_that_cannot_be_compared():
    numbers = tf.SparseTensor([[0, 0]], [1], [1, 1])
    for other in (tf.SparseTensor([[0, 0]], ["a"], [1, 1]), tf.SparseTensor([[0, 0, 0]], [1], [1, 1, 1])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be alike"):
            tf.edit_distance(numbers, other)
