"""tf.test: its assertions pass and fail as they should."""

import numpy as np
import pytest

import tapeflow as tf

case = tf.test.TestCase()


@pytest.mark.parametrize(
    "check",
    [
        lambda: case.assertAllEqual(tf.constant([1, 2]), [1, 2]),
        lambda: case.assertAllEqual(tf.constant(["a"]), ["a"]),
        lambda: case.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
        lambda: case.assertAllEqual(tf.sparse.eye(2), np.eye(2)),
        lambda: case.assertAllClose({"a": tf.constant(1.0), "b": (1.0, 2.0)}, {"a": 1.0000001, "b": (1.0, 2.0)}),
        lambda: case.assertAllClose(tf.constant([1.0], tf.float16), [1.0005]),
        lambda: case.assertNotAllClose([1.0], [1.1]),
        lambda: case.assertNotAllEqual([1], [2]),
        lambda: case.assertAllInRange([1.0, 2.0], 1.0, 2.0),
        lambda: case.assertAllInSet([1, 2], [1, 2, 3]),
        lambda: case.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3])),
        lambda: case.assertDTypeEqual(tf.constant(1.0), tf.float32),
    ],
)
def test_passes(check):
    check()


@pytest.mark.parametrize(
    "check",
    [
        lambda: case.assertAllEqual([1, 2], [1, 3]),
        lambda: case.assertAllClose([1.0], [1.1]),
        lambda: case.assertAllClose([1.0], [[1.0]]),
        lambda: case.assertAllClose({"a": 1.0}, {"b": 1.0}),
        lambda: case.assertNotAllClose([1.0], [1.0]),
        lambda: case.assertAllInRange([1.0, 2.0], 1.0, 2.0, open_upper_bound=True),
        lambda: case.assertAllInSet([1, 5], [1, 2, 3]),
        lambda: case.assertAllLess([1.0, 2.0], 2.0),
    ],
)
def test_fails(check):
    with pytest.raises(AssertionError):
        check()


def test_compute_gradient():
    w = tf.constant([[1.0, 2.0]], tf.float64)
    by_tape, by_differences = tf.test.compute_gradient(lambda x, y: tf.matmul(x, y), [w, tf.constant([[3.0], [4.0]], tf.float64)])
    for a, b, want in zip(by_tape, by_differences, ([[3.0, 4.0]], [[1.0, 2.0]])):
        assert np.allclose(a, want) and np.allclose(b, want)


class OwnCase(tf.test.TestCase):
    def test_evaluate_and_directory(self):
        assert self.evaluate({"a": tf.constant(2)}) == {"a": 2}
        assert self.get_temp_dir() == self.get_temp_dir()
