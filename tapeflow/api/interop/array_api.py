"""The Python array API standard (2023.12) on tensors: what `tensor.__array_namespace__()` returns.

Libraries written for the standard differentiate through it. Functions promote dtypes as the standard says. Two things
follow TensorFlow instead: new arrays are float32 and int32 unless a dtype is given, and the *operators* of tensors do
not mix dtypes.
"""

import builtins
import sys
from collections import namedtuple
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.core.dtypes import (
    DType,
    as_dtype,
    bool_ as bool,
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
from tapeflow.core.primitive import recorded as _ops
from tapeflow.core.tensor import Tensor

from . import promotion as _promotion
from .array_api_dtypes import __array_namespace_info__, can_cast, finfo, iinfo, isdtype, result_type
from .dlpack import from_dlpack as _from_dlpack
from .numpy_functions import FUNCTIONS as _FUNCTIONS

VERSIONS = ("2021.12", "2022.12", "2023.12")
__array_api_version__ = "2023.12"

e, inf, nan, newaxis, pi = np.e, np.inf, np.nan, None, np.pi

_here = sys.modules[__name__]

# Functions that are NumPy's in name and arguments.
_SAME = """
    abs acos acosh add all any argmax argmin asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift
    bitwise_or bitwise_right_shift bitwise_xor broadcast_arrays broadcast_to ceil concat conj copysign cos cosh
    count_nonzero cumulative_prod cumulative_sum diff divide empty_like equal exp expand_dims expm1 flip floor
    floor_divide full_like greater greater_equal hypot imag isfinite isin isinf isnan less less_equal log log10 log1p
    log2 logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum mean meshgrid min
    minimum moveaxis multiply negative nextafter nonzero not_equal ones_like permute_dims positive pow prod real
    reciprocal remainder repeat reshape roll round searchsorted sign signbit sin sinh sqrt square squeeze stack
    subtract sum take_along_axis tan tanh tensordot tile tril triu trunc unstack vecdot where zeros_like
"""
_BEYOND = "einsum transpose"  # not of the standard; xarray asks for them
for _name in (_SAME + _BEYOND).split():
    setattr(_here, _name, _FUNCTIONS[_name])


def _space(name: str, members: str) -> ModuleType:
    module = ModuleType(f"{__name__}.{name}", f"The `{name}` extension of the array API standard.")
    for member in members.split():
        setattr(module, member, _FUNCTIONS[f"{name}.{member}"])
    return module


linalg = _space(
    "linalg",
    "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank "
    "matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm",
)
fft = _space("fft", "fft fftfreq fftn fftshift ifft ifftn ifftshift irfft irfftn rfft rfftfreq rfftn")


def _hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """The real transform of a signal that is its own mirrored conjugate."""
    turned = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return fft.irfft(_FUNCTIONS["conj"](x), n, axis, turned)


def _ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """The inverse of `hfft`."""
    turned = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return _FUNCTIONS["conj"](fft.rfft(x, n, axis, turned))


fft.hfft, fft.ihfft = _hfft, _ihfft

# ---- creation: the library's own defaults


def _default(value: Any) -> DType | None:
    """float32 and int32 for Python's numbers; what has a dtype keeps it."""
    kinds = {"f": float32, "i": int32, "c": complex64}
    return kinds.get(np.asarray(value).dtype.kind) if not _has_dtype(value) else None


def _has_dtype(value: Any) -> Any:
    return builtins.any(map(_has_dtype, value)) if isinstance(value, (list, tuple)) else hasattr(value, "dtype")


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Tensor:
    """A tensor of numbers, nested lists or arrays.

    >>> xp = tf.constant(0.).__array_namespace__()
    >>> xp.asarray([1, 2]).dtype, xp.asarray([1, 2.5]).dtype
    (tf.int32, tf.float32)
    """
    if isinstance(obj, Tensor) and dtype is None:
        return _ops.identity(obj) if copy else obj
    return _promotion.tensor(obj, _as_dtype(dtype) or _default(obj))


def _as_dtype(dtype: Any) -> DType | None:
    return None if dtype is None else as_dtype(dtype)


def _filled(shape: Any, value: Any, dtype: Any, default: DType) -> Tensor:
    sizes = (int(shape),) if np.ndim(shape) == 0 else tuple(int(d) for d in shape)
    return _promotion.tensor(np.full(sizes, value, (_as_dtype(dtype) or default).np))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of a shape.

    >>> tf.constant(0.).__array_namespace__().zeros(2)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    return _filled(shape, 0, dtype, float32)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones of a shape.

    >>> tf.constant(0.).__array_namespace__().ones((1, 2)).numpy()
    array([[1., 1.]], dtype=float32)
    """
    return _filled(shape, 1, dtype, float32)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of a shape: nothing here is left without a value.

    >>> tf.constant(0.).__array_namespace__().empty(2).shape
    TensorShape([2])
    """
    return _filled(shape, 0, dtype, float32)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """One value in every place.

    >>> tf.constant(0.).__array_namespace__().full(2, 7).numpy()
    array([7, 7], dtype=int32)
    """
    return _FUNCTIONS["full"](shape, fill_value, _as_dtype(dtype) or _default(fill_value))


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones on a diagonal.

    >>> tf.constant(0.).__array_namespace__().eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return _promotion.tensor(np.eye(n_rows, n_cols, k, (_as_dtype(dtype) or float32).np))


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Evenly spaced numbers below a limit.

    >>> tf.constant(0.).__array_namespace__().arange(3).numpy()
    array([0, 1, 2], dtype=int32)
    """
    made = np.arange(start, step=step) if stop is None else np.arange(start, stop, step)
    return _promotion.tensor(made, _as_dtype(dtype) or (float32 if made.dtype.kind == "f" else int32))


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: Any = True
) -> Tensor:
    """`num` evenly spaced numbers; differentiable in both ends.

    >>> tf.constant(0.).__array_namespace__().linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    wanted = _as_dtype(dtype)
    if wanted is None and not _has_dtype((start, stop)):
        wanted = complex64 if isinstance(start, complex) or isinstance(stop, complex) else float32
    return _FUNCTIONS["linspace"](start, stop, num, endpoint, dtype=wanted)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Tensor:
    """A tensor on the memory of another array.

    >>> tf.constant(0.).__array_namespace__().from_dlpack(np.ones(2)).numpy()
    array([1., 1.])
    """
    made = _from_dlpack(x)
    return _promotion.tensor(np.array(made.array)) if copy else made


# ---- where the standard's arguments are not NumPy's


def astype(x: Tensor, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Tensor:
    """The values in another dtype.

    >>> xp = tf.constant(0.).__array_namespace__()
    >>> xp.astype(xp.asarray([1, 2]), xp.float64).dtype
    tf.float64
    """
    if x.dtype is as_dtype(dtype):
        return _ops.identity(x) if copy else x
    return _promotion.cast(x, as_dtype(dtype))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Tensor:
    """Every element moved into a range, in the dtype of `x`.

    >>> tf.constant(0.).__array_namespace__().clip(tf.constant([1., 5.]), 2, 3).numpy()
    array([2., 3.], dtype=float32)
    """
    x = asarray(x)
    return _promotion.cast(_FUNCTIONS["clip"](x, min, max), x.dtype)


def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: Any = False) -> Tensor:
    """The variance, divided by n - `correction`.

    >>> tf.constant(0.).__array_namespace__().var(tf.constant([1., 3.]), correction=1).numpy()
    np.float32(2.0)
    """
    return _FUNCTIONS["var"](x, axis, ddof=correction, keepdims=keepdims)


def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: Any = False) -> Tensor:
    """The standard deviation, the root of `var`.

    >>> tf.constant(0.).__array_namespace__().std(tf.constant([1., 3.])).numpy()
    np.float32(1.0)
    """
    return _FUNCTIONS["std"](x, axis, ddof=correction, keepdims=keepdims)


def _sorting(function: str, x: Any, axis: int, descending: Any) -> Tensor:
    x = asarray(x)
    last = _FUNCTIONS["moveaxis"](x, axis, -1)
    compute: Callable = getattr(_ops, function)
    return _FUNCTIONS["moveaxis"](compute(last, descending=builtins.bool(descending)), -1, axis)


def sort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Tensor:
    """Sorted along an axis.

    >>> tf.constant(0.).__array_namespace__().sort(tf.constant([1., 3., 2.]), descending=True).numpy()
    array([3., 2., 1.], dtype=float32)
    """
    return _sorting("sort", x, axis, descending)


def argsort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Tensor:
    """The indices that sort, equal elements in their order.

    >>> tf.constant(0.).__array_namespace__().argsort(tf.constant([1., 3., 2.])).numpy()
    array([0, 2, 1])
    """
    return _promotion.cast(_sorting("argsort", x, axis, descending), int64)


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Tensor:
    """Elements along an axis, by index.

    >>> tf.constant(0.).__array_namespace__().take(tf.constant([1., 3., 2.]), tf.constant([2, 0])).numpy()
    array([2., 1.], dtype=float32)
    """
    return _FUNCTIONS["take"](x, indices, 0 if axis is None else axis)


_All = namedtuple("unique_all_result", "values indices inverse_indices counts")
_Counts = namedtuple("unique_counts_result", "values counts")
_Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def unique_all(x: Any, /) -> tuple:
    """The different elements, where each is first, which one each element is, and how often it occurs.

    >>> tf.constant(0.).__array_namespace__().unique_all(tf.constant([3, 1, 3])).counts.numpy()
    array([1, 2])
    """
    values, indices, inverse, counts = _FUNCTIONS["unique"](x, True, True, True, equal_nan=False)
    return _All(values, indices, _ops.reshape(inverse, shape=tuple(asarray(x).sizes)), counts)


def unique_counts(x: Any, /) -> tuple:
    """The different elements, and how often each occurs.

    >>> tf.constant(0.).__array_namespace__().unique_counts(tf.constant([3, 1, 3])).values.numpy()
    array([1, 3], dtype=int32)
    """
    found = unique_all(x)
    return _Counts(found.values, found.counts)


def unique_inverse(x: Any, /) -> tuple:
    """The different elements, and which one each element is.

    >>> tf.constant(0.).__array_namespace__().unique_inverse(tf.constant([3, 1, 3])).inverse_indices.numpy()
    array([1, 0, 1])
    """
    found = unique_all(x)
    return _Inverse(found.values, found.inverse_indices)


def unique_values(x: Any, /) -> Tensor:
    """The different elements.

    >>> tf.constant(0.).__array_namespace__().unique_values(tf.constant([3, 1, 3])).numpy()
    array([1, 3], dtype=int32)
    """
    return _FUNCTIONS["unique"](x, equal_nan=False)


_MADE_WITH = [
    "Any",
    "Callable",
    "DType",
    "ModuleType",
    "Tensor",
    "VERSIONS",
    "as_dtype",
    "builtins",
    "namedtuple",
    "np",
    "sys",
]
__all__ = [name for name in dir() if not name.startswith("_") and name not in _MADE_WITH]


def __dir__() -> list[str]:
    return [*__all__, "__array_api_version__", "__array_namespace_info__"]
