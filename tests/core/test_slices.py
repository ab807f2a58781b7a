import numpy as np
import pytest

import tapeflow as tf

c = tf.constant


def make(dense_shape=(3, 2)):
    return tf.IndexedSlices(c([[1.0, 2.0], [10.0, 20.0]]), c([2, 2]), None if dense_shape is None else c(dense_shape))


DENSE = [[0.0, 0.0], [0.0, 0.0], [11.0, 22.0]]


def test_parts():
    s = make()
    assert (s.shape, s.dtype, s.device[-5:]) == ((3, 2), tf.float32, "CPU:0")
    assert s.indices.numpy().tolist() == [2, 2] and s.dense_shape.numpy().tolist() == [3, 2]
    assert tf.IndexedSlices([[1.0]], [0]).values.dtype is tf.float32
    assert make(None).shape.rank is None
    assert repr(s).startswith("IndexedSlices(indices=")


def test_dense_forms():
    s = make()
    assert tf.convert_to_tensor(s).numpy().tolist() == s.numpy().tolist() == np.asarray(s).tolist() == DENSE
    assert tf.reduce_sum(s).numpy() == np.sum(s) == 33.0
    assert (-s).values.numpy().tolist() == [[-1.0, -2.0], [-10.0, -20.0]]
    with pytest.raises(ValueError, match="dtype"):
        tf.convert_to_tensor(s, tf.float64)
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(make(None))


def test_density_is_differentiable():
    values = c([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = tf.convert_to_tensor(tf.IndexedSlices(values, c([1, 1]), c([2, 1]))) ** 2
    assert tape.gradient(y, values).numpy().tolist() == [[6.0], [6.0]]
