"""NumPy's promotion of dtypes, for those who ask for it: `tf.experimental.numpy`, NumPy functions on a tape, the array
API."""

from functools import partial, reduce
from typing import Any

import ml_dtypes
import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import (
    BY_NUMPY,
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int32,
)
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime import settings
from tapeflow.core.tensor import Tensor


def result_type(*values: Any) -> DType:
    """The dtype that NumPy gives `values`: tensors, arrays and dtypes decide, Python numbers only add their kind.

    >>> from tapeflow.api.interop.promotion import result_type
    >>> result_type(tf.int32, tf.float32), result_type(tf.float32, 1), result_type(tf.int32, 1.5)
    (tf.float64, tf.float32, tf.float64)
    """
    found = [_for_numpy(v) for v in values]
    if settings.numpy_promotion in ("safe", "all"):
        return _by_rules(found, settings.numpy_promotion)
    return BY_NUMPY[np.result_type(*found)] if found else as_dtype("float32")


def _for_numpy(value: Any) -> Any:
    if type(value) in (bool, int, float, complex):
        return value
    if isinstance(value, (list, tuple, range)):
        value = tensor(value)
    dtype = getattr(value, "dtype", value)
    return dtype.np if isinstance(dtype, DType) else np.dtype(dtype)


def _by_rules(found: list, mode: str) -> DType:
    """Python numbers follow the dtypes they meet; any integer takes the floating dtype it meets. In "safe" mode, only
    where one of the two dtypes holds every value of the other."""
    dtypes = [BY_NUMPY[np.dtype(d)] for d in found if type(d) not in _PYTHON]
    numbers = [type(d) for d in found if type(d) in _PYTHON]
    common = reduce(partial(_joined, mode=mode), dtypes) if dtypes else None
    if not numbers:
        return common or float32
    kind = max(numbers, key=_PYTHON.index)
    if common is None:
        return (bool_, int32, float32, complex128)[_PYTHON.index(kind)]
    if kind is bool or kind is int and common.kind != "b":
        return common
    if kind is int or kind is float and common.kind == "b":
        return int32 if kind is int else float32
    if kind is float:
        return common if common.is_inexact else _refused(common, "float", mode) or float64
    if common.is_complex:
        return common
    if common.is_integer and common.size == 8 or common.is_floating and common is not float64:
        _refused(common, "complex", mode)
    return complex128 if common.is_integer or common in (bool_, float64) else complex64


def _joined(a: DType, b: DType, mode: str) -> DType:
    if a is b:
        return a
    if a.is_inexact == b.is_inexact:
        joined = float32 if {a, b} == {bfloat16, float16} else BY_NUMPY[np.promote_types(a.np, b.np)]
        holds_both = joined in (a, b)
    else:
        joined, integer = (a, b) if a.is_inexact else (b, a)
        digits = ml_dtypes.finfo(joined.np).nmant + 1
        holds_both = integer is bool_ or 8 * integer.size <= digits
    if not holds_both:
        _refused(a, b, mode)
    return joined


def _refused(a: DType, b: Any, mode: str) -> None:
    if mode == "safe":
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between {a!r} and {b!r} is not allowed: "
            "values could change. Cast one of them: tf.cast(x, dtype)."
        )


_PYTHON = (bool, int, float, complex)


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
