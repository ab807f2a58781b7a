"""Tensors of values: one number fills a shape, lists may hold tensors, hints are only hints."""

import numpy as np
import pytest

import tapeflow as tf


def test_shapes():
    assert tf.constant(3, shape=[2, 2]).numpy().tolist() == [[3, 3], [3, 3]]
    assert tf.constant([1, 2, 3, 4], shape=[2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match=r"has 3 elements, shape \(2, 2\) wants 4"):
        tf.constant([1, 2, 3], shape=[2, 2])


def test_a_hint_is_followed_where_it_can_be():
    assert tf.convert_to_tensor([1, 2], dtype_hint=tf.float64).dtype == tf.float64
    assert tf.convert_to_tensor([1.5], dtype_hint=tf.int32).dtype == tf.float32
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype == tf.int32
    with pytest.raises((TypeError, ValueError)):
        tf.convert_to_tensor([1.5], dtype=tf.int32)


def test_lists_that_hold_tensors_are_stacked_with_their_gradients():
    x, v = tf.constant(2.0, tf.float64), tf.Variable([3.0, 4.0], dtype=tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.convert_to_tensor([[x, 1.0], v])
    np.testing.assert_array_equal(made, [[2.0, 1.0], [3.0, 4.0]])
    by_x, by_v = tape.gradient(made, [x, v], output_gradients=tf.constant([[5.0, 6.0], [7.0, 8.0]], tf.float64))
    assert float(by_x) == 5 and by_v.numpy().tolist() == [7.0, 8.0]


def test_tensors_in_a_list_are_cast_to_the_dtype_asked_for():
    one = tf.constant(1)
    x = tf.Variable([1.0, 2.0], dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor([[x, [3.0, 4.0]], [[one, 0], [0.0, one]]], tf.float32)
    assert y.dtype is tf.float32 and y.numpy().tolist() == [[[1, 2], [3, 4]], [[1, 0], [0, 1]]]
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]
    assert tf.convert_to_tensor([tf.constant(2), 3], tf.int64).dtype is tf.int64
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
        tf.convert_to_tensor(one, tf.float32)
    with pytest.raises(ValueError, match="requested dtype"):
        tf.convert_to_tensor([tf.constant("a")], tf.float32)


def test_sequences_of_classes_of_the_program():
    class Squares:
        def __init__(self, values):
            self.values = values

        def __len__(self):
            return len(self.values)

        def __getitem__(self, k):
            return self.values[k]

    assert tf.constant(Squares([1, 4])).numpy().tolist() == [1, 4]
    assert tf.constant(Squares([1, 4]), tf.float32).dtype is tf.float32
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor(Squares([x, 3.0 * x])))
    assert tape.gradient(y, x).numpy() == 4.0
    for other in (Squares({"a": 1}), {"a": 1}, object()):
        with pytest.raises(ValueError, match="unsupported type"):
            tf.constant(other)
