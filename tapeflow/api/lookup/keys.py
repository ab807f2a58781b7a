"""Keys of lookup tables: tensors, ragged tensors and sparse tensors alike."""

from collections.abc import Callable
from typing import Any

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.api.strings.host import array_of
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import DType, as_dtype

__all__ = ["looked_up", "one_value"]


def looked_up(keys: Any, dtype: DType, values_of: Callable[[Any], Any]) -> Any:
    """`values_of` a tensor of keys, in the form that the keys have."""
    if isinstance(keys, RaggedTensor):
        return keys.with_flat_values(looked_up(keys.flat_values, dtype, values_of))
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, looked_up(keys.values, dtype, values_of), keys.dense_shape)
    tensor = as_tensor(keys)
    given = as_dtype(tensor.dtype)
    if given is not dtype:
        raise TypeError(
            f"Dtype of argument `keys` must be {dtype!r}, received: {given!r}. tf.cast or tf.strings.as_string "
            "changes it."
        )
    return values_of(tensor)


def one_value(value: Any, dtype: DType) -> Any:
    """The default of a table, as Python has it."""
    array = array_of(value)
    if (array.dtype.kind == "O") != (dtype.name == "string"):
        raise TypeError(f"default_value must be {dtype.name}, as the values of the table; got {value!r}.")
    return array.reshape(-1)[0] if dtype.name == "string" else array.astype(dtype.np).reshape(-1)[0].item()
