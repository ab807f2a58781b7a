"""`tf.test.check_gradients`: it finds mistakes of both orders, and says where."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect.gradient_check import GradientMismatch

check = tf.test.check_gradients


def test_right_ones_pass():
    found = check(lambda w, x: tf.tanh(x @ w), np.ones((3, 2)), np.linspace(-1, 1, 6).reshape(2, 3))
    assert (
        len(found.entries) == 2 * (6 + 6)
        and found.largest_error < 1e-7
        and "gradients agree: 24 entries" in repr(found)
    )
    check(lambda x: {"a": tf.exp(x), "n": tf.argmax(x), "b": [x[0] * x[1], None]}, [0.5, 1.5])


def test_structures_and_names():
    @tf.custom_gradient
    def halves(x):
        return x * x, lambda g: g * x

    with pytest.raises(GradientMismatch) as error:
        check(lambda p: tf.reduce_sum(halves(p["w"])) + p["b"], {"w": np.array([1.0, 2.0]), "b": 3.0}, order=1)
    text = str(error.value)
    assert "wrong in 2 of 3 entries" in text
    assert "argument 0['w'][1]: the tape says 2, finite differences 4: off by 2 (50.00%)" in text
    assert error.value.entries[0].index == (1,)


def test_a_mistake_of_the_second_order_alone():
    @tf.custom_gradient
    def cubed(x):
        return x**3, lambda g: g * 3.0 * tf.stop_gradient(x) * x

    check(cubed, [1.0, 2.0], order=1)
    with pytest.raises(GradientMismatch, match=r"order 2, argument 0\[[01]\]"):
        check(cubed, [1.0, 2.0])


def test_one_entry_of_many():
    @tf.custom_gradient
    def nearly(x):
        wrong = np.ones((4, 5))
        wrong[2, 3] = 1.5
        return x * 2.0, lambda g: g * 2.0 * wrong

    with pytest.raises(GradientMismatch) as error:
        check(nearly, np.ones((4, 5)), order=1)
    assert "wrong in 1 of 20" in str(error.value) and error.value.entries[0].index == (2, 3)


def test_variables_and_what_is_read_elsewhere():
    v = tf.Variable([1.0, 2.0], dtype=tf.float64)
    check(lambda w: w * v, v)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_float32_as_it_is():
    found = check(lambda x: tf.reduce_sum(tf.exp(x)), tf.constant([0.1, 0.2]), dtype=None)
    assert 1e-9 < found.largest_error < 1e-2


def test_unconnected_is_said():
    with pytest.raises(GradientMismatch, match="stop_gradient"):
        check(lambda x: tf.stop_gradient(x) * 2.0, 1.0, order=1)


def test_corners_are_named():
    with pytest.raises(GradientMismatch, match="corner"):
        check(tf.abs, 0.0 + 1e-9, order=1)


def test_large_arguments_are_sampled():
    assert len(check(lambda x: tf.reduce_sum(x * x), np.ones(5000), order=1, most=7).entries) == 7


def test_sparse_gradients_and_integer_arguments():
    check(lambda table, rows: tf.gather(table, rows) ** 2, np.ones((4, 2)), np.array([1, 1, 3]))


def test_bad_arguments():
    with pytest.raises(ValueError, match="floating"):
        check(lambda n: n, 3)
    with pytest.raises(ValueError, match="order"):
        check(lambda x: x, 3.0, order=3)
