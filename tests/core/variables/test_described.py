"""What a variable says of itself."""

import pytest

import tapeflow as tf


def test_a_variable_says_what_it_is():
    with tf.name_scope("net"):
        v = tf.Variable([[1.0, 2.0]], name="w", trainable=False, dtype=tf.float64)
    assert (v.name, v.dtype, v.ndim, v.trainable) == ("net/w:0", tf.float64, 2, False)
    assert v.shape == v.get_shape() == tf.TensorShape([1, 2])
    assert "CPU" in v.device and v.handle.dtype == tf.resource and v.initializer is None
    assert v.synchronization is tf.VariableSynchronization.AUTO and v.aggregation is tf.VariableAggregation.NONE


def test_an_open_shape_stays_open():
    v = tf.Variable([1.0, 2.0], shape=[None])
    v.assign([1.0, 2.0, 3.0])
    assert v.shape.as_list() == [None]
    v.set_shape([3])
    assert v.shape.as_list() == [3]


@pytest.mark.parametrize("name", ["shape", "dtype", "name", "trainable", "device"])
def test_what_it_is_cannot_be_set(name):
    with pytest.raises(AttributeError):
        setattr(tf.Variable(1.0), name, None)
