"""`tf.make_tensor_proto` and `tf.make_ndarray`."""

import numpy as np
import pytest

import tapeflow as tf


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", "float16", "uint8", "uint32", "uint64"])
def test_tensors_as_messages(dtype):
    pytest.importorskip("tensorboardX")
    array = np.array([[1, 0], [0, 1]], dtype)
    message = tf.make_tensor_proto(array)
    found = tf.make_ndarray(message)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype
    nothing = tf.make_ndarray(tf.make_tensor_proto(np.zeros((0, 2), dtype)))
    assert nothing.shape == (0, 2) and nothing.dtype == array.dtype


def test_other_forms_of_messages():
    messages = pytest.importorskip("tensorboardX.proto.tensor_pb2")
    assert tf.make_ndarray(tf.make_tensor_proto(["a", "b"])).tolist() == [b"a", b"b"]
    assert tf.make_ndarray(tf.make_tensor_proto(1, shape=[2, 2])).tolist() == [[1, 1], [1, 1]]
    with pytest.raises(TypeError, match="shape"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    repeated = messages.TensorProto(dtype=3, int_val=[1, 2])  # as TensorFlow writes it: the last value goes on
    repeated.tensor_shape.dim.add(size=4)
    assert tf.make_ndarray(repeated).tolist() == [1, 2, 2, 2]
