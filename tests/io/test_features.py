"""What a program expects of an example."""

import pytest

import tapeflow as tf

RaggedFeature = tf.io.RaggedFeature


def test_partitions():
    feature = RaggedFeature("int64", "values", [RaggedFeature.RowSplits("s"), RaggedFeature.UniformRowLength(2)])
    assert feature.dtype is tf.int64 and feature.row_splits_dtype is tf.int32
    assert feature.partitions == (RaggedFeature.RowSplits("s"), RaggedFeature.UniformRowLength(2))
    with pytest.raises(TypeError, match=r"one of tf.io.RaggedFeature.RowSplits.*; got 'splits'"):
        RaggedFeature(tf.int64, partitions=["splits"])


def test_defaults():
    assert tf.io.FixedLenFeature([], tf.int64).default_value is None
    assert not tf.io.FixedLenSequenceFeature([], tf.int64).allow_missing
    assert not tf.io.SparseFeature("i", "v", tf.int64, 5).already_sorted
