"""NumPy's promotion of dtypes, for those who ask for it: `tf.experimental.numpy`, NumPy functions on a tape, the array
API."""

from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import BY_NUMPY, DType, as_dtype
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor


def result_type(*values: Any) -> DType:
    """The dtype that NumPy gives `values`: tensors, arrays and dtypes decide, Python numbers only add their kind.

    >>> from tapeflow.api.interop.promotion import result_type
    >>> result_type(tf.int32, tf.float32), result_type(tf.float32, 1), result_type(tf.int32, 1.5)
    (tf.float64, tf.float32, tf.float64)
    """
    found = [_for_numpy(v) for v in values]
    return BY_NUMPY[np.result_type(*found)] if found else as_dtype("float32")


def _for_numpy(value: Any) -> Any:
    if type(value) in (bool, int, float, complex):
        return value
    if isinstance(value, (list, tuple, range)):
        value = tensor(value)
    dtype = getattr(value, "dtype", value)
    return dtype.np if isinstance(dtype, DType) else np.dtype(dtype)


def cast(x: Tensor, dtype: DType) -> Tensor:
    return x if x.dtype is dtype else ops.cast(x, dtype=dtype.np)


def tensor(value: Any, dtype: DType | None = None) -> Tensor:
    """`value` as a tensor, cast to `dtype` whatever its own; Python numbers and lists get NumPy's defaults (int64,
    float64)."""
    if isinstance(value, Tensor):
        x = value
    elif isinstance(value, (bool, int, float, complex, list, tuple, range)):
        x = _from_python(value, dtype)
    else:
        x = to_tensor(value)
    return x if dtype is None else cast(x, dtype)


def _from_python(value: Any, dtype: DType | None) -> Tensor:
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        parts = [tensor(v) for v in value]
        common = dtype or result_type(*parts)
        return ops.stack(*[cast(p, common) for p in parts], axis=0)
    if dtype is not None and isinstance(value, (bool, int, float, complex)):
        return to_tensor(np.asarray(value).astype(dtype.np))
    return to_tensor(np.asarray(value))


def _holds_tensors(value: Any) -> bool:
    return any(_holds_tensors(v) if isinstance(v, (list, tuple)) else hasattr(v, "serial") for v in value)


def promoted(*values: Any, inexact: bool | DType = False) -> list[Tensor]:
    """Tensors of `values` in their common dtype. `inexact=True` makes integers floating as NumPy's sin does; a dtype
    instead says what integers become, float64 for NumPy's linear algebra and quotients."""
    values = tuple(tensor(v) if isinstance(v, (list, tuple, range)) else v for v in values)
    dtype = result_type(*values)
    if inexact and not dtype.is_inexact:
        dtype = floating(dtype) if inexact is True else inexact
    return [tensor(v, dtype) for v in values]


def floating(dtype: DType) -> DType:
    """The dtype in which NumPy computes sin of an integer: float16 for 8 bits, float32 for 16, else float64."""
    if dtype.is_inexact:
        return dtype
    return as_dtype(np.sqrt(np.zeros((), dtype.np)).dtype)
