"""The shape of a ragged tensor, with the lengths of its rows."""

import pytest

import tapeflow as tf

Shape = tf.experimental.DynamicRaggedShape


def test_what_tf_shape_gives_of_a_ragged_tensor():
    shape = tf.shape(tf.ragged.constant([[1, 2], [3], []]))
    assert repr(shape) == "<DynamicRaggedShape lengths=[3, (2, 1, 0)] num_row_partitions=1>"
    assert (shape.rank, len(shape), shape.inner_rank, shape.num_row_partitions) == (2, 2, 1, 1)
    assert shape.static_lengths() == [3, (2, 1, 0)] and shape.static_lengths(ragged_lengths=False) == [3, None]
    assert int(shape[0]) == 3 and shape[0].dtype is tf.int32 and shape.inner_shape.numpy().tolist() == [3]
    assert shape.is_uniform(0) and not shape.is_uniform(1)
    with pytest.raises(ValueError, match="is not uniform"):
        shape[1]
    assert tf.shape(tf.ragged.constant([[1]]), out_type=tf.int64).dtype is tf.int64


def test_deeper_ones():
    shape = tf.shape(tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0]]]))
    assert shape.static_lengths() == [3, (2, 0, 1), (2, 1, 1)]
    assert repr(shape[:2]) == "<DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>"
    assert repr(shape[:1]) == "<DynamicRaggedShape lengths=[3] num_row_partitions=0>"
    with pytest.raises(ValueError, match="Only the first axes"):
        shape[1:]
    inner = tf.shape(tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)))
    assert repr(inner) == "<DynamicRaggedShape lengths=[2, (1, 2), 2] num_row_partitions=1>"
    assert inner.inner_shape.numpy().tolist() == [3, 2]


def test_equality_and_other_ways_to_make_one():
    x = tf.ragged.constant([[1, 2], [3]])
    assert tf.shape(x) == tf.shape(x * 2) and tf.shape(x) != tf.shape(tf.ragged.constant([[1], [2, 3]]))
    assert Shape.from_lengths([2, (2, 1)]) == Shape.from_tensor(x)
    assert len({Shape.from_tensor(x), Shape.from_lengths([2, (2, 1)])}) == 1
    assert Shape.from_tensor(tf.zeros([2, 3])).static_lengths() == [2, 3]
    with pytest.raises(ValueError, match="are not ragged"):
        Shape([(1, 2), 3])
