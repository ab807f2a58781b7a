"""DType objects: TensorFlow's names over NumPy's (and ml_dtypes') dtypes."""

from typing import Any

import ml_dtypes
import numpy as np


class DType:
    """The type of a tensor's elements. One object per type, so `is` works; `==` also takes NumPy dtypes and names.

    >>> import tapeflow as tf
    >>> tf.float32.name, tf.float32.is_floating, tf.float32 == "float32"
    ('float32', True, True)
    """

    __slots__ = ("name", "as_numpy_dtype", "np", "kind", "as_datatype_enum")

    def __init__(self, name: str, numpy_type: Any, kind: str, enum: int) -> None:
        self.name, self.kind, self.as_datatype_enum = name, kind, enum
        self.as_numpy_dtype = numpy_type
        self.np: Any = None if numpy_type is None else np.dtype(numpy_type)

    @property
    def is_floating(self) -> bool:
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        return self.kind == "c"

    @property
    def is_integer(self) -> bool:
        return self.kind in "iu"

    @property
    def is_bool(self) -> bool:
        return self.kind == "b"

    @property
    def is_unsigned(self) -> bool:
        return self.kind == "u"

    @property
    def is_quantized(self) -> bool:
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        return self.np is not None

    @property
    def is_inexact(self) -> bool:
        """Floating or complex: what can have a gradient."""
        return self.kind in "fc"

    @property
    def base_dtype(self) -> "DType":
        return self

    @property
    def real_dtype(self) -> "DType":
        """The dtype of the real part: float32 for complex64, itself for everything real."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def size(self) -> int:
        return 1 if self.np is None else self.np.itemsize

    @property
    def min(self) -> Any:
        """The smallest representable value."""
        return self._limits()[0]

    @property
    def max(self) -> Any:
        """The largest representable value."""
        return self._limits()[1]

    @property
    def limits(self) -> tuple[Any, ...]:
        """(lowest, highest) intensity of a picture: from 0 to 1 for floats, to the largest number for integers."""
        return (0, 1) if self.kind == "f" else (0, self._limits()[1])

    def _limits(self) -> tuple:
        if self.kind == "f":
            info: Any = ml_dtypes.finfo(self.np)
        elif self.kind in "iu":
            info = ml_dtypes.iinfo(self.np)
        elif self.kind == "b":
            return False, True
        else:
            raise TypeError(f"{self!r} has no smallest and largest value; only floats, integers and bool have.")
        return info.min, info.max

    def is_compatible_with(self, other: Any) -> bool:
        """Is `other` the same dtype, also as a name or a NumPy dtype?"""
        return self == other

    def __eq__(self, other: Any) -> bool:
        if self is other:
            return True
        if type(other) is DType or other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self):
        return as_dtype, (self.name,)


_BY_NAME: dict[str, DType] = {}
BY_NUMPY: dict[np.dtype, DType] = {}
_BY_NUMBER: dict[int, DType] = {}  # as messages have them


def _declare(name: str, numpy_type: Any, kind: str, enum: int) -> DType:
    dtype = _BY_NAME[name] = _BY_NUMBER[enum] = DType(name, numpy_type, kind, enum)
    if dtype.np is not None:
        BY_NUMPY[dtype.np] = dtype
    return dtype


float32 = _declare("float32", np.float32, "f", 1)
float64 = _declare("float64", np.float64, "f", 2)
int32 = _declare("int32", np.int32, "i", 3)
uint8 = _declare("uint8", np.uint8, "u", 4)
int16 = _declare("int16", np.int16, "i", 5)
int8 = _declare("int8", np.int8, "i", 6)
string = _declare("string", np.object_, "s", 7)
complex64 = _declare("complex64", np.complex64, "c", 8)
int64 = _declare("int64", np.int64, "i", 9)
bool_ = _declare("bool", np.bool_, "b", 10)
bfloat16 = _declare("bfloat16", ml_dtypes.bfloat16, "f", 14)
uint16 = _declare("uint16", np.uint16, "u", 17)
complex128 = _declare("complex128", np.complex128, "c", 18)
float16 = _declare("float16", np.float16, "f", 19)
resource = _declare("resource", None, "r", 20)
variant = _declare("variant", None, "v", 21)
uint32 = _declare("uint32", np.uint32, "u", 22)
uint64 = _declare("uint64", np.uint64, "u", 23)
float8_e5m2 = _declare("float8_e5m2", ml_dtypes.float8_e5m2, "f", 24)
float8_e4m3fn = _declare("float8_e4m3fn", ml_dtypes.float8_e4m3fn, "f", 25)
int4 = _declare("int4", ml_dtypes.int4, "i", 29)
uint4 = _declare("uint4", ml_dtypes.uint4, "u", 30)

_ALIASES = {"half": float16, "double": float64, "float": float32, "str": string, "bytes": string, "object": string}
_PYTHON = {float: float32, int: int32, bool: bool_, complex: complex128, str: string, bytes: string, object: string}


def as_dtype(type_value: Any) -> DType:
    """The DType for a DType, a NumPy dtype or scalar type, a name, or a Python type.

    Args:
        type_value: A `tf.DType`, its name or number, a NumPy dtype, or a Python type.

    Raises:
        TypeError: If there is no such dtype.

    >>> import tapeflow as tf
    >>> tf.as_dtype("float64"), tf.as_dtype(float)
    (tf.float64, tf.float32)
    """
    if type(type_value) is DType:
        return type_value
    found = None
    if isinstance(type_value, np.dtype):
        found = BY_NUMPY.get(type_value)
    elif isinstance(type_value, str):
        found = _BY_NAME.get(type_value) or _ALIASES.get(type_value)
    elif isinstance(type_value, type):
        found = _PYTHON.get(type_value)
    elif type(type_value) is int:
        found = _BY_NUMBER.get(type_value)
    if found is None and type_value is not None:
        try:
            numpy_dtype = np.dtype(type_value)
        except TypeError:
            numpy_dtype = None
        if numpy_dtype is not None:
            found = string if numpy_dtype.kind in "SU" else BY_NUMPY.get(numpy_dtype)
    if found is None:
        raise TypeError(
            f"Cannot convert {type_value!r} to a dtype. Give a tf dtype (tf.float32), a NumPy dtype, a name such as "
            "'float32', or one of the Python types float, int, bool, complex, str."
        )
    return found


# ---- the sets that declarations speak of, as NumPy dtypes


def _set(*kinds: str) -> frozenset:
    return frozenset(d.np for d in _BY_NAME.values() if d.np is not None and d.kind in "".join(kinds))


FLOATING = _set("f")
COMPLEX = _set("c")
INEXACT = _set("f", "c")
INTEGER = _set("i", "u")
REAL = _set("f", "i", "u")
NUMERIC = _set("f", "c", "i", "u")
SIGNED = _set("f", "c", "i")
BOOL = _set("b")
STRING = _set("s")
INDEX = frozenset({int32.np, int64.np})
ANY = frozenset(BY_NUMPY)

# NumPy computes these itself. The others (bfloat16, float8, int4) are widened, computed and rounded back.
NATIVE = frozenset(d for d in ANY if d.kind in "fciub" and d.type.__module__ == "numpy")


def is_inexact(numpy_dtype: np.dtype) -> bool:
    return BY_NUMPY[numpy_dtype].kind in "fc"
