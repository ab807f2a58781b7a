"""Only what leads from the sources to the target is walked."""

import numpy as np
import pytest

import tapeflow as tf


@pytest.fixture
def counted():
    """A function with a backward function that counts its calls."""
    calls = []

    @tf.custom_gradient
    def twice(x):
        return x * 2.0, lambda g: (calls.append(1), g * 2.0)[1]

    return twice, calls


@pytest.mark.parametrize("persistent", [False, True])
def test_paths_to_other_watched_tensors_are_left_out(counted, persistent):
    twice, calls = counted
    x, w, v = tf.constant(3.0), tf.Variable(5.0), tf.Variable(7.0)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * twice(w) + tf.reduce_sum(tf.stack([x, twice(v)])) * twice(w + x)
    grads = tape.gradient(y, [x, v])
    assert len(calls) == 2  # of twice(v) and twice(w + x), not of twice(w)
    np.testing.assert_allclose(grads, [10 + (3 + 14) * 2 + 16, 32])
    if persistent:
        np.testing.assert_allclose(tape.gradient(y, [x, w, v]), [60, 2 * 3 + 17 * 2, 32])


def test_an_operation_without_a_rule_off_the_path_does_not_matter():
    x, w = tf.constant([1.0, 2.0]), tf.Variable([0.5, 0.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.math.betainc(w, w, [0.2, 0.3])  # no gradient by its first argument
    np.testing.assert_allclose(tape.gradient(y, x), tf.math.betainc(w, w, [0.2, 0.3]))


def test_one_of_several_inputs_and_outputs():
    x, w = tf.Variable([[1.0, 2.0], [3.0, 5.0]]), tf.Variable([[1.0], [1.0]])
    for source, want in ((x, [[1.0, 1.0], [1.0, 1.0]]), (w, [[4.0], [7.0]])):
        with tf.GradientTape() as tape:
            a, b = tf.split(x @ w, 2)
            y = a + b
        np.testing.assert_allclose(tape.gradient(y, source), want)


def test_a_source_in_the_middle_stops_there(counted):
    twice, calls = counted
    w = tf.Variable(5.0)
    with tf.GradientTape() as tape:
        h = twice(w)
        y = h * h
    np.testing.assert_allclose(tape.gradient(y, h), 20.0)
    assert not calls
