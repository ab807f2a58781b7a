"""Making tensors of values: `tf.constant`, `tf.convert_to_tensor`."""

from typing import Any

from tapeflow.core import nest
from tapeflow.core.convert import register_conversion, to_tensor
from tapeflow.core.devices import placed
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor, tensor_behind
from tapeflow.core.variables.variable import Variable


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const") -> Tensor:
    """A tensor of `value`: a number, nested lists, a NumPy array. One number fills the whole of `shape`.

    Args:
        shape: The shape of the result; None: that of the value.

    Raises:
        TypeError: If there are not as many values as elements, or they do not fit into `dtype`.

    >>> tf.constant([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.constant(0.5, shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    dtype = None if dtype is None else as_dtype(dtype)
    try:
        tensor = to_tensor(value, dtype)
    except ValueError as error:
        if isinstance(value, Tensor):
            raise TypeError(str(error)) from None
        raise
    if shape is None:
        return placed(tensor)
    shape = tuple(TensorShape(shape))
    if tensor.sizes.num_elements() == 1:
        return ops.broadcast_to(ops.reshape(tensor, shape=()), shape=shape)
    if tensor.sizes.num_elements() != TensorShape(shape).num_elements():
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape: the value has {tensor.shape.num_elements()} "
            f"elements, shape {shape} wants {TensorShape(shape).num_elements()}."
        )
    return ops.reshape(tensor, shape=shape)


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """`value` as a tensor; a tensor comes back as it is. Lists may hold tensors and variables.

    Args:
        dtype: The dtype of the result. A tensor of another one is an error; those in a list are cast.
        dtype_hint: The dtype of the result where the value fits into it.

    Raises:
        ValueError: If a tensor has another dtype than `dtype`, or the value is nothing to make a tensor of.
        TypeError: If the value does not fit into `dtype`.

    >>> v = tf.Variable(2.)
    >>> tf.convert_to_tensor([v, 3.]).numpy()
    array([2., 3.], dtype=float32)
    """
    if dtype is None and dtype_hint is not None and not isinstance(value, (Tensor, Variable)):
        try:
            return placed(to_tensor(value, as_dtype(dtype_hint)))
        except (TypeError, ValueError):
            pass
    return placed(to_tensor(value, None if dtype is None else as_dtype(dtype)))


def _stack_tensors(value: Any, dtype: DType | None) -> Any:
    """Lists that hold tensors are stacked, differentiably; where a dtype is asked for, the tensors are cast to it."""
    first = next((leaf for leaf in nest.flatten(value) if _is_tensor(leaf)), None)
    if first is None:
        return NotImplemented
    if dtype is None:
        return ops.stack(*[to_tensor(v, to_tensor(first).dtype) for v in value], axis=0)
    return ops.stack(*[_cast(v, dtype) for v in value], axis=0)


def _is_tensor(value: Any) -> bool:
    """Also an array that shows a recorded tensor, as NumPy's functions give it on a tape."""
    return isinstance(tensor_behind(value), (Tensor, Variable))


def _cast(value: Any, dtype: DType) -> Tensor:
    if not _is_tensor(value):
        return to_tensor(value, dtype)
    tensor = to_tensor(value)
    if tensor.dtype is dtype:
        return tensor
    if "s" in (tensor.dtype.kind, dtype.kind):
        return to_tensor(tensor, dtype)
    return ops.cast(tensor, dtype=dtype.np)


register_conversion((list, tuple), _stack_tensors)
