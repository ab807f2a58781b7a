"""tf.test: its assertions pass and fail as they should."""

import unittest
import warnings

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
    by_tape, by_differences = tf.test.compute_gradient(
        lambda x, y: tf.matmul(x, y), [w, tf.constant([[3.0], [4.0]], tf.float64)]
    )
    for a, b, want in zip(by_tape, by_differences, ([[3.0, 4.0]], [[1.0, 2.0]])):
        assert np.allclose(a, want) and np.allclose(b, want)


class OwnCase(tf.test.TestCase):
    def test_evaluate_and_directory(self):
        assert self.evaluate({"a": tf.constant(2)}) == {"a": 2}
        assert self.get_temp_dir() == self.get_temp_dir()


@pytest.mark.parametrize(
    "f,x,shape",
    [
        (lambda x: tf.matmul(x, x), [[1 + 2j, 3 - 1j], [0.5j, 2]], (8, 8)),
        (tf.abs, [1 + 2j, 3 - 1j], (2, 4)),
        (lambda x: tf.math.conj(x) * x[0], [1 + 2j, 3 - 1j], (4, 4)),
        (lambda x: tf.complex(x, 2 * x), [1.0, 3.0], (4, 2)),
    ],
)
def test_a_complex_number_counts_as_two(f, x, shape):
    """The matrices were complex, by the tape the conjugates of those by differences."""
    x = tf.constant(np.array(x))
    [by_tape], [by_differences] = tf.test.compute_gradient(f, [x])
    assert by_tape.shape == by_differences.shape == shape and by_tape.dtype == np.float64
    np.testing.assert_allclose(by_tape, by_differences, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_the_jacobian_of_nothing(dtype):
    [by_tape], [by_differences] = tf.test.compute_gradient(lambda x: x * x, [tf.zeros([0, 3], dtype)])
    assert by_tape.shape == by_differences.shape == (0, 0)


def test_integers_have_no_jacobian():
    with pytest.raises(AssertionError, match="unsupported type int32 of argument 0"):
        tf.test.compute_gradient(lambda x: x, [tf.constant([1, 2])])


class Random(tf.test.TestCase):
    def runTest(self):
        self.drawn = [float(tf.random.uniform([])), float(tf.random.normal([], seed=3)), np.random.rand()]


def test_every_test_draws_the_same_numbers():
    """`setUp` starts them again. The first two are TensorFlow's."""
    tf.random.normal([], seed=3)
    first, second = Random(), Random()
    for one in (first, second):
        assert one.run().wasSuccessful()
    assert first.drawn == second.drawn
    np.testing.assert_allclose(first.drawn[0], 0.5836375, rtol=1e-6)


def test_a_session_is_no_test():
    """`test_session` has the name of one, and runners collect it."""

    class Case(tf.test.TestCase):
        def test_something(self):
            with self.test_session():
                self.assertAllEqual(tf.ones([2]), [1, 1])

    result = unittest.TestResult()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.wasSuccessful() and result.testsRun == 2
    assert [reason for _, reason in result.skipped] == ["Not a test."]
