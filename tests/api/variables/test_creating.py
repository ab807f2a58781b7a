"""Who makes variables, what is a tensor, and tensors out of values of one's own."""

import numpy as np
import pytest

import tapeflow as tf


def test_creators_are_asked_from_the_inside_out():
    asked = []

    def creator(which):
        def create(next_creator, **arguments):
            asked.append(which)
            return next_creator(**{**arguments, "initial_value": arguments["initial_value"] * 2})

        return create

    with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("inner")):
        v = tf.Variable(3.0)
    assert asked == ["inner", "outer"] and float(v) == 12
    assert float(tf.Variable(3.0)) == 3


def test_a_scope_that_is_left_by_an_error_is_left():
    with pytest.raises(KeyError), tf.variable_creator_scope(lambda next_creator, **_: {}["none"]):
        tf.Variable(1.0)
    assert float(tf.Variable(1.0)) == 1


def test_what_is_a_tensor():
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    ours = [tf.constant(1), tf.Variable(1), slices, tf.ragged.constant([[1], []]), tf.sparse.from_dense([1, 0])]
    assert all(map(tf.is_tensor, ours))
    assert not any(map(tf.is_tensor, [1, [tf.constant(1)], np.ones(1), None, "a"]))


def test_conversions_of_ones_own():
    class Metres:
        def __init__(self, value):
            self.value = value

    class Wrong(Metres):
        pass

    tf.register_tensor_conversion_function(
        Metres, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.value, dtype)
    )
    tf.register_tensor_conversion_function(Wrong, lambda value, **_: value.value, priority=1)
    assert float(tf.constant(1.0) + Metres(2.0)) == 3
    with pytest.raises(RuntimeError, match=r"Wrong returned 2.0, which is not a tensor"):
        tf.convert_to_tensor(Wrong(2.0))
    with pytest.raises(TypeError, match="must be callable"):
        tf.register_tensor_conversion_function(Metres, 3)


def test_rows_of_a_variable_have_sparse_gradients():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        rows = v.sparse_read([1, 1])
    gradient = tape.gradient(rows, v)
    assert isinstance(gradient, tf.IndexedSlices) and gradient.indices.numpy().tolist() == [1, 1]
    assert v.gather_nd([[0, 1]]).numpy().tolist() == [2.0]
