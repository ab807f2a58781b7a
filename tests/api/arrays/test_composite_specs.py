"""What is known of ragged and sparse tensors, and what fits it."""

import pytest

import tapeflow as tf

RAGGED, SPARSE = tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([[1, 0], [0, 2]])


def test_ragged():
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    assert spec == tf.RaggedTensorSpec.from_value(RAGGED) and spec.ragged_rank == 1
    assert spec.is_compatible_with(RAGGED) and tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(RAGGED)
    for other in (([3, None], tf.int32), ([2, None], tf.int64), ([2, None, None], tf.int32, 1)):
        assert not tf.RaggedTensorSpec(*other).is_compatible_with(RAGGED)
    assert not spec.is_compatible_with(SPARSE)


def test_how_many_axes_are_ragged():
    assert tf.RaggedTensorSpec([2, None, 3], tf.int32).ragged_rank == 2
    with pytest.raises(ValueError, match="Must specify ragged_rank or a shape with a known rank"):
        tf.RaggedTensorSpec(None)
    with pytest.raises(ValueError, match="must be less than the rank 2"):
        tf.RaggedTensorSpec([2, None], ragged_rank=2)


def test_sparse():
    spec = tf.SparseTensorSpec([2, 2], tf.int32)
    assert spec == tf.SparseTensorSpec.from_value(SPARSE) != tf.SparseTensorSpec([2, None], tf.int32)
    assert tf.SparseTensorSpec([2, None], tf.int32).is_compatible_with(SPARSE)
    assert not tf.SparseTensorSpec([2, 2], tf.float32).is_compatible_with(SPARSE)
    assert not spec.is_compatible_with(RAGGED)
