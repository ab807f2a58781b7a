"""Lists of tensors in graphs that TensorFlow wrote: loops with a `tf.TensorArray` become operations on them. A list is
a value: whatever writes to it gives another one."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arrays.shaping import reshape
from tapeflow.api.control.tensor_array import TensorArray
from tapeflow.core.apply import as_tensor
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor

__all__ = ["TENSOR_LISTS"]

_Popped = namedtuple("TensorListPopBack", "output_handle tensor")
_Array = namedtuple("TensorArrayV3", "handle flow")
_Joined = namedtuple("TensorListConcatV2", "tensor lengths")


def _shape(element_shape: Any) -> TensorShape:
    """As graphs have it: a vector, in which -1 is an unknown size; a scalar where not even the rank is known."""
    try:
        sizes = as_tensor(element_shape).numpy()
    except (AttributeError, NotImplementedError, TypeError):  # of sizes that are not known yet
        return TensorShape(None)
    return TensorShape(None) if sizes.ndim == 0 else TensorShape([None if n < 0 else int(n) for n in sizes])


def _reserved(element_shape: Any, num_elements: Any, element_dtype: Any, shape_type: Any = None) -> TensorArray:
    return TensorArray(
        element_dtype, as_tensor(num_elements), clear_after_read=False, element_shape=_shape(element_shape)
    )


def _empty(element_shape: Any, max_num_elements: Any, element_dtype: Any, shape_type: Any = None) -> TensorArray:
    return TensorArray(
        element_dtype, 0, dynamic_size=True, clear_after_read=False, element_shape=_shape(element_shape)
    )


def _of_tensor(tensor: Any, element_shape: Any, shape_type: Any = None) -> TensorArray:
    tensor = as_tensor(tensor)
    made = TensorArray(tensor.dtype, 0, clear_after_read=False, element_shape=tensor.sizes[1:])
    return made.__with_entries__(tensor)


def _written(input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False) -> TensorArray:
    if resize_if_index_out_of_bounds and not input_handle.dynamic_size:
        input_handle = input_handle.__copied__()
        input_handle._dynamic = True
    return input_handle.__copied__().write(index, item)


def _pushed(input_handle: Any, tensor: Any) -> TensorArray:
    made = input_handle.__copied__()
    made._dynamic = True
    return made.write(made.size(), tensor)


def _popped(input_handle: Any, element_shape: Any, element_dtype: Any = None) -> Any:
    made = input_handle.__copied__()
    last = len(made) - 1
    value = made.read(last)
    return _Popped(_of_tensor(input_handle.gather(range(last)), None), value)


def _stacked(input_handle: Any, element_shape: Any, element_dtype: Any = None, num_elements: int = -1) -> Tensor:
    """All entries; where nothing was written and the list does not know the shape of its entries, this says it."""
    if isinstance(input_handle._entries, list) and not input_handle.element_shape.is_fully_defined():
        input_handle = input_handle.__copied__()
        input_handle._shape = input_handle.element_shape.merge_with(_shape(element_shape))
    return input_handle.stack()


def _read(input_handle: Any, index: Any, element_shape: Any, element_dtype: Any = None) -> Tensor:
    return input_handle.read(index)


def _gathered(input_handle: Any, indices: Any, element_shape: Any, element_dtype: Any = None) -> Tensor:
    return input_handle.gather(indices)


def _scattered(
    tensor: Any, indices: Any, element_shape: Any, num_elements: Any, shape_type: Any = None
) -> TensorArray:
    tensor, count = as_tensor(tensor), as_tensor(num_elements)
    made = TensorArray(tensor.dtype, count, dynamic_size=True, clear_after_read=False, element_shape=tensor.sizes[1:])
    return made.scatter(indices, tensor)


def _joined(
    input_handle: Any, element_shape: Any, leading_dims: Any, element_dtype: Any = None, shape_type: Any = None
) -> Any:
    lengths = [int(input_handle.read(k).sizes[0]) for k in range(len(input_handle))]
    return _Joined(input_handle.concat(), as_tensor(np.array(lengths, np.int64)))


# ---- version 1: a handle says which array, and a number, the flow, in which order; here the flow is the array itself


class _Handle:
    """Stands for the array itself, which the flow is."""


def _array(
    size: Any, dtype: Any, element_shape: Any = None, dynamic_size: bool = False, clear_after_read: bool = True,
    identical_element_shapes: bool = False, tensor_array_name: str = "",
) -> Any:  # fmt: skip
    array = TensorArray(
        dtype, as_tensor(size), dynamic_size, clear_after_read=False, element_shape=TensorShape(element_shape),
        infer_shape=identical_element_shapes,
    )  # fmt: skip
    return _Array(_Handle(), array)


def _array_concat(handle: Any, flow_in: Any, dtype: Any = None, element_shape_except0: Any = None) -> Any:
    return _joined(flow_in, None, None)


TENSOR_LISTS: dict[str, Callable] = dict(
    TensorListReserve=_reserved,
    EmptyTensorList=_empty,
    TensorListFromTensor=_of_tensor,
    TensorListSetItem=_written,
    TensorListGetItem=_read,
    TensorListPushBack=_pushed,
    TensorListPopBack=_popped,
    TensorListStack=_stacked,
    TensorListGather=_gathered,
    TensorListScatterV2=_scattered,
    TensorListConcatV2=_joined,
    TensorListLength=lambda input_handle: reshape(as_tensor(input_handle.size()), []),
    TensorArrayV3=_array,
    TensorArrayWriteV3=lambda handle, index, value, flow_in: _written(flow_in, index, value),
    TensorArrayReadV3=lambda handle, index, flow_in, dtype=None: flow_in.read(index),
    TensorArrayGatherV3=lambda handle, indices, flow_in, dtype=None, element_shape=None: flow_in.gather(indices),
    TensorArrayScatterV3=lambda handle, indices, value, flow_in: flow_in.__copied__().scatter(indices, value),
    TensorArraySplitV3=lambda handle, value, lengths, flow_in: flow_in.__copied__().split(value, lengths),
    TensorArrayConcatV3=_array_concat,
    TensorArraySizeV3=lambda handle, flow_in: reshape(as_tensor(flow_in.size()), []),
    TensorArrayCloseV3=lambda handle: None,
)
