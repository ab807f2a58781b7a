"""Operations written into a graph outside of a function."""

import pytest

import tapeflow as tf


def test_operations_are_written_down():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant([1.0, 2.0])
        y = tf.exp(x) + 1.0
    assert tf.is_symbolic_tensor(y) and y.shape == (2,) and y.dtype == tf.float32
    assert [node.prim.name for node in graph.nodes] == ["exp", "add"]
    assert tf.executing_eagerly() and not tf.is_symbolic_tensor(tf.exp(1.0))


def test_a_watched_tensor_does_not_become_a_constant_unseen():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(RuntimeError, match=r"would be a constant there.*"), tf.Graph().as_default():
            x * 2.0


def test_ways_of_adding_gradients():
    assert tf.AggregationMethod.DEFAULT == tf.AggregationMethod.ADD_N != tf.AggregationMethod.EXPERIMENTAL_TREE
