"""`tf.sets`."""

import pytest

import tapeflow as tf


def test_sets():
    a, b = [[1, 2], [3, 3]], [[2, 5], [1, 3]]
    dense = lambda sparse: tf.sparse.to_dense(sparse).numpy().tolist()
    assert dense(tf.sets.union(a, b)) == [[1, 2, 5], [1, 3, 0]]
    assert dense(tf.sets.intersection(a, b)) == [[2], [3]]
    assert dense(tf.sets.difference(a, b, aminusb=False)) == [[5], [1]]
    assert tf.sets.difference(a, b).indices.numpy().tolist() == [[0, 0]]
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [3, 2])
    assert tf.sets.size(sparse).numpy().tolist() == [1, 1, 0]
    assert dense(tf.sets.union(tf.constant([["b"]]), tf.constant([["a"]]))) == [[b"a", b"b"]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
        tf.sets.union([[1]], [[1], [2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2 or more"):
        tf.sets.union([1], [2])
