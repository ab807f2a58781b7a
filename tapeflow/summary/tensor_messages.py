"""Tensors as TensorProto messages: `tf.make_tensor_proto` and `tf.make_ndarray`."""

from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.tensor import EagerTensor

__all__ = ["make_ndarray", "make_tensor_proto"]


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> Any:
    """A TensorProto message of a tensor, an array or Python numbers.

    Args:
        shape: That of the message; None: that of the values.
        verify_shape: The values have to have this shape.
        allow_broadcast: One value may stand for all of `shape`.

    Returns:
        A message `TensorProto`.

    >>> tf.make_ndarray(tf.make_tensor_proto([[1., 2.]]))
    array([[1., 2.]], dtype=float32)
    """
    from .protos import tensor_message

    tensor = to_tensor(values, None if dtype is None else as_dtype(dtype))
    if shape is not None:
        array = tensor.numpy()
        if verify_shape and tuple(np.shape(array)) != tuple(shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {tuple(np.shape(array))}.")
        whole = np.broadcast_to(array, shape) if allow_broadcast or np.size(array) == 1 else np.reshape(array, shape)
        tensor = EagerTensor(np.array(whole))
    return tensor_message(tensor)


def make_ndarray(tensor: Any) -> np.ndarray:
    """The array in a TensorProto message.

    >>> tf.make_ndarray(tf.make_tensor_proto(1, shape=[2]))
    array([1, 1], dtype=int32)
    """
    from tapeflow.io.tensors import array_in

    return array_in(tensor)
