import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient


def test_shape_size_and_rank_are_integer_tensors():
    x = tf.zeros([2, 0, 3])
    assert tf.shape(x).numpy().tolist() == [2, 0, 3] and tf.shape(x).dtype is tf.int32
    assert tf.shape(x, tf.int64).dtype is tf.int64
    assert tf.shape(5.0).shape == (0,)
    assert (
        tf.size(x).numpy() == 0
        and tf.size(3.0).numpy() == 1
        and tf.size([[1, 2]], out_type=tf.int64).dtype is tf.int64
    )
    assert tf.rank(x).numpy() == 3 and tf.rank(1).shape == ()
    assert tf.shape(tf.Variable([1.0, 2.0])).numpy().tolist() == [2]


def test_identity_is_another_object_to_a_tape():
    x = tf.constant(2.0)
    before = tf.identity(x)
    assert before is not x
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = before * before
    assert tape.gradient(y, x) is None


def test_identity_keeps_a_sparse_gradient_sparse():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(tf.identity(v), [1])
    assert isinstance(tape.gradient(y, v), tf.IndexedSlices)


def test_stop_gradient_takes_any_dtype():
    assert gradient(lambda x: x * tf.stop_gradient(x), 3.0) == 3
    assert gradient(tf.stop_gradient, 3.0) is None
    assert tf.stop_gradient(["a"]).numpy().tolist() == [b"a"]
    assert tf.stop_gradient([1, 2]).numpy().tolist() == [1, 2]


def test_ensure_shape():
    x = tf.zeros([2, 3])
    assert tf.ensure_shape(x, [None, 3]).shape == (2, 3) and tf.ensure_shape(x, None).shape == (2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2, 3\).*\(3, None\)"):
        tf.ensure_shape(x, [3, None])


def test_broadcast_shapes():
    assert tf.broadcast_static_shape(tf.TensorShape([None, 1]), tf.TensorShape([3])).as_list() == [None, 3]
    with pytest.raises(ValueError, match="Incompatible"):
        tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))
    wide = tf.broadcast_dynamic_shape(tf.constant([2, 1], tf.int64), tf.constant([3], tf.int64))
    assert wide.dtype is tf.int64 and wide.numpy().tolist() == [2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.broadcast_dynamic_shape([2], [3])


def test_several_at_once():
    assert [t.dtype for t in tf.identity_n([1, 2.0])] == [tf.int32, tf.float32]
    assert [s.numpy().tolist() for s in tf.shape_n([np.zeros((2, 1)), 3])] == [[2, 1], []]


def test_shapes_that_a_signature_leaves_open_broadcast():
    broadcast = tf.function(lambda x, y: tf.broadcast_dynamic_shape(x, y))
    concrete = broadcast.get_concrete_function(tf.TensorSpec([2], tf.int32), tf.TensorSpec([1], tf.int32))
    assert concrete(tf.constant([2, 1]), tf.constant([5])).numpy().tolist() == [2, 5]
    assert concrete(tf.constant([2, 5]), tf.constant([5])).numpy().tolist() == [2, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        concrete(tf.constant([2, 3]), tf.constant([5]))
    with_known = tf.function(lambda x: tf.broadcast_dynamic_shape(x, [3]))
    open_one = with_known.get_concrete_function(tf.TensorSpec([2], tf.int32))
    assert open_one(tf.constant([2, 1])).numpy().tolist() == [2, 3]
