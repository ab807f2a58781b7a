"""From Python and NumPy values to tensors: TensorFlow's defaults (int32, float32) and its strictness.

NumPy arrays keep their dtype and are copied, Python numbers take the dtype of the tensor they meet, and nothing that
would lose its value is converted: 1.5 does not become an int32, 300 does not become a uint8.
"""

import logging
import operator
from array import array as python_array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .composite import Composite
from .contracts import Operation
from .dtypes import BY_NUMPY, DType, as_dtype, bool_, complex128, float32, int32, int64, string
from .errors import dtype_clash, user_line
from .runtime import settings
from .runtime.floating import quiet
from .shapes import TensorShape
from .sizes import Size, tensor_of
from .tensor import EagerTensor, Tensor

_CONVERSIONS: list[tuple[int, Any, Callable]] = []
_NUMBERS = (bool, int, float, complex)
_PLAIN = frozenset({bool, int, float, complex, str, bytes, np.ndarray})
_TOLD: set[tuple[str, str, str]] = set()  # where values were lost
_PROTOCOLS = ("__tf_tensor__", "__array__", "__buffer__")


def register_conversion(types: Any, function: Callable, priority: int = 100) -> None:
    """`function(value, dtype)` makes a tensor of values of these types, or returns NotImplemented. The lowest priority
    goes first, among equals the one registered last."""
    _CONVERSIONS.insert(0, (priority, types, function))
    _CONVERSIONS.sort(key=lambda entry: entry[0])


def to_tensor(value: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of `value`. A tensor of another dtype raises ValueError: nothing is cast by itself."""
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}. "
                f"Convert it with tf.cast(x, tf.{dtype.name})."
            )
        return value
    kind = type(value)
    if kind in _PLAIN:  # the frequent ones, for which nobody registers a conversion
        return EagerTensor(from_numpy(value, dtype) if kind is np.ndarray else from_number(value, dtype))
    if (kind is list or kind is tuple) and (array := _from_numbers(value, dtype)) is not None:
        return EagerTensor(array)
    for _, types, function in _CONVERSIONS:
        if isinstance(value, types):
            made = function(value, dtype)
            if made is not NotImplemented:
                return made
    if isinstance(value, (np.ndarray, np.generic)):
        return EagerTensor(from_numpy(value, dtype))
    if isinstance(value, (*_NUMBERS, str, bytes)):
        return EagerTensor(from_number(value, dtype))
    if isinstance(value, (list, tuple, range)):
        if any(type(v) is Size for v in value):
            return tensor_of(tuple(value), dtype or int32)
        if isinstance(value, TensorShape) and value.rank == 0:  # of sizes, though there are none
            dtype = dtype or int32
        return EagerTensor(from_sequence(value, dtype))
    if isinstance(value, (python_array, bytearray, memoryview)):
        return EagerTensor(from_sequence(list(value), dtype))
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__(dtype)
    if (
        value is not None
        and not isinstance(value, (set, dict))
        and (hasattr(value, "__array__") or hasattr(value, "__buffer__"))
    ):
        return EagerTensor(from_numpy(np.asarray(value), dtype))
    if (elements := _elements(value)) is not None:
        return to_tensor(elements, dtype)
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
        + (
            " A None often means that a function did not return a value, or that a gradient was not connected: "
            "tape.explain(target, sources) says why."
            if value is None
            else ""
        )
    )


def _elements(value: Any) -> list | None:
    """What is in a sequence of a class of the program's own, which has a length and is read by numbers."""
    kind = type(value)
    if isinstance(value, (type, Mapping)) or not (hasattr(kind, "__len__") and hasattr(kind, "__getitem__")):
        return None
    try:
        return [value[k] for k in range(len(value))]
    except (TypeError, LookupError):
        return None


def is_convertible(value: Any) -> bool:
    """Could `to_tensor` make a tensor of such a value? (Its parts, or its dtype, may still refuse.)"""
    if isinstance(value, (Tensor, *_NUMBERS, str, bytes, list, tuple, range, np.ndarray, np.generic)):
        return True
    if value is None or isinstance(value, (set, dict)):
        return False
    return any(isinstance(value, types) for _, types, _ in _CONVERSIONS) or any(hasattr(value, a) for a in _PROTOCOLS)


def from_numpy(array: Any, dtype: DType | None = None, may_change: bool = True) -> Any:
    """A copy, in `dtype` when no value changes by it. Under the stand-in values may, as in TensorFlow, unless
    `may_change` is False."""
    if type(array) is not np.ndarray and isinstance(array, np.ndarray):
        array = np.asarray(array)  # np.matrix and its like multiply in their own way
    if array.dtype.kind in "SU":
        array = np.array([s.encode() if isinstance(s, str) else bytes(s) for s in array.ravel()], object).reshape(
            array.shape
        )
    elif array.dtype.kind == "O":
        array = _object_array(array)
    if array.dtype not in BY_NUMPY:
        plain = array.dtype.newbyteorder("=")
        if plain not in BY_NUMPY:
            raise ValueError(
                f"Failed to convert a NumPy array of dtype {array.dtype} to a Tensor: there is no such tf dtype."
            )
        array = array.astype(plain)
    if dtype is None or array.dtype == dtype.np:
        return _owned(array)
    with quiet():
        impossible = dtype.kind == "s" or array.dtype.kind == "O" or array.dtype.kind == "c" and dtype.kind != "c"
        converted = None if impossible else array.astype(dtype.np)
        if converted is None or _loses(array, converted, dtype):
            if may_change and settings.arrays_may_change and array.dtype.kind in "iufc" and dtype.kind != "s":
                return _changed(array, dtype)
            raise TypeError(
                f"Cannot convert a NumPy array of {array.dtype.name} to {dtype.name} without changing its values. "
                f"Cast it yourself: array.astype('{dtype.name}')."
            )
    return converted


def _changed(array: np.ndarray, dtype: DType) -> Any:
    """As TensorFlow has it: fractions and imaginary parts are cut off, and what is out of range becomes another
    number."""
    place = user_line(), array.dtype.name, dtype.name
    if place not in _TOLD:
        _TOLD.add(place)
        logging.getLogger("tapeflow").warning(
            "At %s a NumPy array of %s loses values as %s. Cast it by its astype(%r) if that is meant.",
            *place, dtype.name,
        )  # fmt: skip
    return (array.real if array.dtype.kind == "c" and dtype.kind not in "cb" else array).astype(dtype.np)


def _owned(array: Any) -> Any:
    return array[()] if array.ndim == 0 and array.dtype.kind != "O" else np.array(array)


def _object_array(array: np.ndarray) -> np.ndarray:
    values = array.ravel().tolist()
    if all(isinstance(v, (str, bytes)) for v in values):
        out = np.empty(len(values), object)
        out[:] = [v.encode() if isinstance(v, str) else v for v in values]
        return out.reshape(array.shape)
    if any(v is None or not isinstance(v, _NUMBERS) for v in values):
        raise ValueError("Failed to convert a NumPy array to a Tensor (Unsupported object type in the array).")
    return np.array(array.tolist())


def _loses(before: Any, after: Any, dtype: DType) -> bool:
    """Into integers only what is whole and in range, into bool only bool, into real only real. Precision of floats may
    go."""
    if dtype.kind in "iu" and before.dtype.kind != "b":
        return not np.array_equal(after.astype(before.dtype), before) or bool(
            np.any((after < 0) != (np.real(before) < 0))
        )
    return dtype.kind == "b"


def default_dtype(value: Any) -> DType:
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return int32
        if -(2**63) <= value < 2**63:
            return int64
        raise ValueError(f"Can't convert Python int {value} to a Tensor: it does not fit int64.")
    return float32 if isinstance(value, float) else complex128 if isinstance(value, complex) else string


def fits(value: Any, dtype: DType) -> bool:
    """May a Python value of this type become this dtype at all?"""
    if isinstance(value, (str, bytes)):
        return dtype.kind == "s"
    kinds = (
        "biufc"
        if isinstance(value, bool)
        else "iufc"
        if isinstance(value, int)
        else "fc"
        if isinstance(value, float)
        else "c"
    )
    return dtype.kind in kinds


def from_number(value: Any, dtype: DType | None = None) -> Any:
    """A NumPy scalar (a 0-d object array for strings)."""
    if type(value) is float and dtype is None and -_LARGEST <= value <= _LARGEST:
        return np.float32(value)
    chosen = dtype is None
    if chosen:
        dtype = default_dtype(value)
    if not fits(value, dtype):
        raise _unfit(value, dtype)
    if dtype.kind == "s":
        return np.array(value.encode() if isinstance(value, str) else value, object)
    if dtype.kind in "iu" and not dtype.min <= value <= dtype.max:
        raise ValueError(f"Cannot convert {value!r} to {dtype.name}: it holds {dtype.min} to {dtype.max}.")
    if chosen and dtype is float32 and _overflows(value):
        raise _too_large(value)
    with quiet():
        return dtype.as_numpy_dtype(value)


def _unfit(value: Any, dtype: DType) -> TypeError:
    return TypeError(
        f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}: a Python {type(value).__name__} does not "
        f"become {dtype.name} by itself. Convert the value first, or cast the tensor it meets: tf.cast(x, dtype)."
    )


def _overflows(value: float) -> bool:
    """A finite number that the default float32 would turn into inf."""
    return _LARGEST < abs(value) < np.inf


def _too_large(value: float) -> ValueError:
    return ValueError(
        f"{value!r} is too large for float32, the default for Python numbers. Ask for a dtype: "
        f"tf.constant({value!r}, tf.float64)."
    )


_LARGEST = float(np.finfo(np.float32).max)


def _from_numbers(value: Sequence, dtype: DType | None) -> Any:
    """Nested lists of Python's ints and floats alone, the usual case, in NumPy's hands; None for everything else."""
    kinds: set = set()
    _collect_kinds(value, kinds)
    if kinds == {int}:
        target = dtype or int32
        if target.kind not in "iufc":
            return None
    elif kinds and kinds <= {int, float}:
        target = dtype or float32
        if target.kind not in "fc":
            return None
    else:
        return None
    try:
        array = np.array(value, np.int64 if kinds == {int} else np.float64)
        if target.kind in "iu" and array.size and not (target.min <= array.min() and array.max() <= target.max):
            return array if dtype is None else None
        out = array.astype(target.np)
        if dtype is None and target is float32:
            flat = out.ravel()
            if not flat.dot(flat) < np.inf and any(
                map(_overflows, array.flat)
            ):  # the square finds large numbers and NaN in one pass
                return None
    except (
        ValueError,
        OverflowError,
        RuntimeWarning,
        FloatingPointError,
    ):  # uneven, too large: the long way says what is wrong
        return None
    return out


def _collect_kinds(value: Sequence, kinds: set) -> None:
    found = set(map(type, value))
    if list in found or tuple in found:
        for v in value:
            if type(v) is list or type(v) is tuple:
                _collect_kinds(v, kinds)
            else:
                kinds.add(type(v))
    else:
        kinds |= found


def from_sequence(value: Sequence, dtype: DType | None = None) -> Any:
    leaves: list = []
    shape = _shape_of(value, leaves)
    if any(isinstance(x, (np.ndarray, np.generic)) for x in leaves):
        return _from_mixed(value, leaves, shape, dtype)
    if dtype is None:
        dtype = _common_dtype(leaves)
        if dtype is float32 and (large := next(filter(_overflows, leaves), None)) is not None:
            raise _too_large(large)
    if any(not fits(x, dtype) for x in leaves):
        raise _unfit(next(x for x in leaves if not fits(x, dtype)), dtype)
    if dtype.kind == "s":
        out = np.empty(len(leaves), object)
        out[:] = [x.encode() if isinstance(x, str) else x for x in leaves]
        return out.reshape(shape)
    if dtype.kind in "iu" and leaves and not (dtype.min <= min(leaves) and max(leaves) <= dtype.max):
        raise ValueError(f"Cannot convert {value!r} to {dtype.name}: it holds {dtype.min} to {dtype.max}.")
    with quiet():
        return np.array(leaves, dtype.np).reshape(shape)


def _shape_of(value: Any, leaves: list) -> tuple:
    """The shape of nested sequences, whose elements are collected; uneven nesting raises ValueError."""
    if isinstance(value, (list, tuple, range)):
        shapes = [_shape_of(v, leaves) for v in value]
        if any(s != shapes[0] for s in shapes):
            raise ValueError(
                "Can't convert non-rectangular Python sequence to Tensor: its rows have different lengths or depths."
            )
        return (len(shapes), *(shapes[0] if shapes else ()))
    if isinstance(value, np.ndarray):
        leaves.append(value)
        return value.shape
    if type(value) is Size:
        value = operator.index(value)
    if not isinstance(value, (*_NUMBERS, str, bytes, np.generic)):
        raise ValueError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
        )
    leaves.append(value)
    return ()


def _from_mixed(value: Any, leaves: list, shape: tuple, dtype: DType | None) -> Any:
    """Lists that hold NumPy values: the first of them gives the dtype."""
    if dtype is None:
        dtype = as_dtype(next(x for x in leaves if isinstance(x, (np.ndarray, np.generic))).dtype)
    # TensorFlow casts an array, and refuses a list that has one which does not fit.
    arrays = [
        np.asarray(
            from_numpy(np.asarray(x), dtype, False)
            if isinstance(x, (np.ndarray, np.generic))
            else to_tensor(x, dtype).array
        )
        for x in leaves
    ]
    if dtype.kind == "s":  # NumPy would keep arrays of objects as objects
        return np.concatenate([array.reshape(-1) for array in arrays]).reshape(shape)
    return np.array(arrays, dtype.np).reshape(shape)


def _common_dtype(leaves: list) -> DType:
    kinds = {type(x) if not isinstance(x, bool) else bool for x in leaves}
    if not kinds:
        return float32
    if len(kinds) > 1 and (bool in kinds or kinds & {str, bytes} and kinds - {str, bytes}):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    found = {default_dtype(x) for x in leaves}
    for dtype in (complex128, float32, int64):
        if dtype in found:
            return dtype
    return found.pop()


# ---- arguments of one operation that must share a dtype


_CONSTANTS: dict[tuple, EagerTensor] = {}
_MOST_CONSTANTS = 4096


def constant_like(value: Any, like: Any) -> EagerTensor | None:
    """A Python number as a tensor of the dtype of the array `like`, or None if it does not fit. Remembered, since
    programs say `2.0 * x` again and again."""
    key = (value or repr(value), type(value), like.dtype, type(like))  # 0.0 and -0.0 are equal, their texts are not
    found = _CONSTANTS.get(key)
    if found is None:
        try:
            scalar = from_number(value, BY_NUMPY[like.dtype])
        except (TypeError, ValueError):
            return None
        # For an array a 0-d array, not a NumPy scalar: array * scalar costs 440 ns in NumPy, array * 0-d array 260.
        found = EagerTensor(np.asarray(scalar) if type(like) is np.ndarray else scalar)
        if value == value:  # nan would never be found again
            if len(_CONSTANTS) >= _MOST_CONSTANTS:
                _CONSTANTS.clear()
            _CONSTANTS[key] = found
    return found


def remembered_constants() -> set[int]:
    """The identities of the tensors that `constant_like` remembers, which no program ever gets to see."""
    return {id(tensor) for tensor in _CONSTANTS.values()}


_FOLLOWERS = (
    *_NUMBERS,
    Size,
    str,
    bytes,
    list,
    tuple,
    range,
    np.ndarray,
    np.generic,
)  # they have no dtype that others must have


def convert_group(values: Sequence, prim: Operation | None = None) -> list[Tensor]:
    """Tensors of `values`, all of the dtype of the first one that has a dtype of its own."""
    converted: list = list(values)
    leader = None
    for k, v in enumerate(values):
        if not isinstance(v, _FOLLOWERS) and not _is_foreign_array(v):
            converted[k] = v if isinstance(v, Composite) else to_tensor(v)
            leader = leader or converted[k].dtype
    if leader is None:
        first = next(
            (k for k, v in enumerate(values) if isinstance(v, (np.ndarray, np.generic)) or _is_foreign_array(v)), 0
        )
        converted[first] = to_tensor(values[first])
        leader = converted[first].dtype
    for k, v in enumerate(converted):
        if not isinstance(v, (Tensor, Composite)):
            converted[k] = _follow(v, leader, k, prim)
    return converted


def _is_foreign_array(value: Any) -> bool:
    """Another library's array: it follows the dtype of our tensors, as NumPy's do."""
    if isinstance(value, (Tensor, Composite)) or not hasattr(value, "__array__") or hasattr(value, "__tf_tensor__"):
        return False
    return not any(isinstance(value, types) for _, types, _ in _CONVERSIONS)


def _follow(value: Any, dtype: DType, position: int, prim: Operation | None) -> Tensor:
    try:
        return to_tensor(value, dtype)
    except TypeError as error:
        if (
            position
            and prim is not None
            and prim.clash is not TypeError
            and not isinstance(value, (np.ndarray, np.generic))
        ):
            fitting = default_dtype(value).name if isinstance(value, _NUMBERS) else "float32"
            raise dtype_clash(
                f"cannot compute {prim.name} as input #{position} was expected to be a {dtype.name} tensor but is "
                f"{value!r}. Give a value of that dtype, or cast the tensor: tf.cast(x, tf.{fitting})."
            ) from None
        raise error
