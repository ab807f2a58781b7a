"""Arguments of operations on bytes and files: their values, as Python has them.

Inside a `tf.function` a tensor has no value while the function is traced; asking for one makes the function run as
plain Python.
"""

from typing import Any

import numpy as np

from tapeflow.core.apply import array_of as array_of
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor

__all__ = ["array_of", "one_string", "string_tensor", "strings_of"]


def strings_of(value: Any, what: str) -> np.ndarray:
    """An array of `bytes`; `what` names the argument in the error."""
    array = array_of(value)
    if array.dtype.kind != "O":
        raise invalid(f"{what} must be strings (bytes), got {array.dtype.name} values of shape {array.shape}.")
    return array


def one_string(value: Any, what: str) -> bytes:
    """The `bytes` of one string."""
    if isinstance(value, bytes):
        return value
    array = strings_of(value, what)
    if array.ndim:
        raise invalid(f"{what} must be scalar, got shape {list(array.shape)}.")
    return array.item()


def string_tensor(strings: list, shape: Any = None) -> Tensor:
    """A tensor of these `bytes`, filled one by one: NumPy would take a list of them for text of fixed width."""
    array = np.empty(len(strings), object)
    for k, string in enumerate(strings):
        array[k] = string
    return EagerTensor(array if shape is None else array.reshape(shape))
