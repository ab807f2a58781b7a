"""`tf.ragged.cross` and `cross_hashed`. The numbers are TensorFlow's."""

import pytest

import tapeflow as tf

WORDS, NUMBERS = tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([[7], [8]])


def test_texts():
    assert tf.ragged.cross([WORDS, NUMBERS]).to_list() == [[b"a_X_7"], [b"b_X_8", b"c_X_8"]]
    sparse = tf.sparse.from_dense([["x", ""], ["y", "z"]])
    assert tf.ragged.cross([sparse, WORDS]).to_list() == [
        [b"x_X_a"],
        [b"y_X_b", b"y_X_c", b"z_X_b", b"z_X_c"],
    ]


def test_numbers():
    found = tf.ragged.cross_hashed([WORDS, tf.ragged.constant([["d"], ["e"]])], num_buckets=100)
    assert found.to_list() == [[82], [61, 41]] and found.dtype is tf.int64
    assert tf.ragged.cross_hashed([WORDS, NUMBERS]).to_list() == [
        [3509787333349122856],
        [9003972888028304919, 6432631460089690489],
    ]


def test_rows_must_agree():
    with pytest.raises(tf.errors.InvalidArgumentError, match="same number of rows"):
        tf.ragged.cross([WORDS, tf.constant([[1]])])
