"""The array API standard about dtypes, and about the library itself."""

from collections import namedtuple
from typing import Any

import ml_dtypes

from tapeflow.core.dtypes import (
    DType,
    as_dtype,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

from . import promotion

_KINDS = {
    "bool": (bool_,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]

_ALL = _KINDS["bool"] + _KINDS["numeric"]

_Floats = namedtuple("finfo", "bits eps max min smallest_normal dtype")
_Integers = namedtuple("iinfo", "bits max min dtype")


def _dtype_of(value: Any) -> DType:
    return as_dtype(value if isinstance(value, type) else getattr(value, "dtype", value))  # np.float32 is a type


def finfo(type: Any, /) -> Any:
    """The limits of a floating dtype, or of the parts of a complex one.

    Returns:
        An object with `min`, `max`, `bits` and others as attributes.

    >>> tf.constant(0.).__array_namespace__().finfo(tf.float32).bits
    32
    >>> tf.experimental.numpy.finfo(np.float16).bits
    16
    """
    dtype = _dtype_of(type).real_dtype
    info = ml_dtypes.finfo(dtype.np)
    return _Floats(info.bits, float(info.eps), float(info.max), float(info.min), float(info.smallest_normal), dtype)


def iinfo(type: Any, /) -> Any:
    """The limits of an integer dtype.

    Returns:
        An object with `min`, `max`, `bits` and others as attributes.

    >>> tf.constant(0.).__array_namespace__().iinfo(tf.int8).max
    127
    """
    dtype = _dtype_of(type)
    info = ml_dtypes.iinfo(dtype.np)
    return _Integers(info.bits, int(info.max), int(info.min), dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Is the dtype of a kind: a dtype, a name such as "real floating", or a tuple of them?

    >>> tf.constant(0.).__array_namespace__().isdtype(tf.int8, ("bool", "integral"))
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind not in _KINDS:
        raise ValueError(f"Unrecognized data type kind: {kind!r}. It is one of {', '.join(_KINDS)}.")
    return _dtype_of(dtype) in (_KINDS[kind] if isinstance(kind, str) else (as_dtype(kind),))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that values of these dtypes promote to.

    >>> tf.constant(0.).__array_namespace__().result_type(tf.float32, tf.float64)
    tf.float64
    """
    return promotion.result_type(*arrays_and_dtypes)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Does the first dtype promote to the second?

    >>> tf.constant(0.).__array_namespace__().can_cast(tf.float64, tf.float32)
    False
    """
    return promotion.result_type(_dtype_of(from_), as_dtype(to)) is as_dtype(to)


class _Info:
    """What the namespace can do: devices, default dtypes, capabilities."""

    def capabilities(self) -> dict:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        return "cpu"

    def devices(self) -> list[str]:
        return ["cpu"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        return {"real floating": float32, "complex floating": complex64, "integral": int32, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        return {d.name: d for d in _ALL if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> _Info:
    """What the namespace can do: devices, default dtypes, capabilities.

    >>> tf.constant(0.).__array_namespace__().__array_namespace_info__().default_dtypes()["integral"]
    tf.int32
    """
    return _Info()
