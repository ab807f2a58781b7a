"""`tf.dtypes`: the types of elements, and casting between them."""

from types import SimpleNamespace

from tapeflow.core.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool_,
    complex64 as complex64,
    complex128 as complex128,
    float8_e4m3fn,
    float8_e5m2,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int4,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    resource as resource,
    string as string,
    uint4,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)

from .arrays.casting import (
    cast as cast,
    saturate_cast as saturate_cast,
)
from .math.complex_numbers import (
    complex as complex,
)

bool, half, double = bool_, float16, float64

# Narrow types that NumPy does not have: stored as they are, computed in float32 and int8.
experimental = SimpleNamespace(float8_e4m3fn=float8_e4m3fn, float8_e5m2=float8_e5m2, int4=int4, uint4=uint4)

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex64",
    "complex128",
    "double",
    "experimental",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "resource",
    "saturate_cast",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]
