"""`tf.experimental.numpy`: NumPy's functions and dtypes on tensors, differentiable.

Written by `scripts/numpy_types.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.interop.numpy_functions.linear import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from tapeflow.core.dtypes import DType
from tapeflow.core.tensor import Tensor

bool_: DType
complex128: DType
complex64: DType
complex_: DType
e: float
euler_gamma: float
float16: DType
float32: DType
float64: DType
float_: DType
from . import fft as fft
from . import linalg as linalg
from . import random as random
from tapeflow.core.tensor import Tensor as ndarray
inf: float
int16: DType
int32: DType
int64: DType
int8: DType
int_: DType
nan: float
newaxis: None
object_: DType
pi: float
string: DType
string_: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
unicode_: DType
__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "around",
    "array",
    "array_equal",
    "array_split",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bincount",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool_",
    "broadcast_arrays",
    "broadcast_to",
    "cbrt",
    "ceil",
    "clip",
    "column_stack",
    "complex128",
    "complex64",
    "complex_",
    "compress",
    "concat",
    "concatenate",
    "conj",
    "conjugate",
    "convolve",
    "copy",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "deg2rad",
    "degrees",
    "diag",
    "diag_indices",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "divmod",
    "dot",
    "dsplit",
    "dstack",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "euler_gamma",
    "exp",
    "exp2",
    "expand_dims",
    "experimental_enable_numpy_behavior",
    "expm1",
    "extract",
    "eye",
    "fabs",
    "fft",
    "finfo",
    "fix",
    "flatnonzero",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "full",
    "full_like",
    "gcd",
    "geomspace",
    "greater",
    "greater_equal",
    "heaviside",
    "hsplit",
    "hstack",
    "hypot",
    "identity",
    "iinfo",
    "imag",
    "inf",
    "inner",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "interp",
    "invert",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "ix_",
    "kron",
    "lcm",
    "left_shift",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "modf",
    "moveaxis",
    "multiply",
    "nan",
    "nan_to_num",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "ndarray",
    "ndim",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "object_",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "percentile",
    "permute_dims",
    "pi",
    "polyval",
    "positive",
    "pow",
    "power",
    "prod",
    "promote_types",
    "ptp",
    "quantile",
    "rad2deg",
    "radians",
    "random",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "right_shift",
    "rint",
    "roll",
    "rollaxis",
    "rot90",
    "round",
    "searchsorted",
    "select",
    "shape",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "string",
    "string_",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unicode_",
    "unique",
    "unstack",
    "vander",
    "var",
    "vdot",
    "vecdot",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

def abs(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.absolute` on tensors, differentiable.
    """

def absolute(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.absolute` on tensors, differentiable.
    """

def acos(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arccos` on tensors, differentiable.
    """

def acosh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arccosh` on tensors, differentiable.
    """

def add(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.add` on tensors, differentiable.
    """

def all(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """Are all elements true (not zero)?
    """

def allclose(
    a: Any,
    b: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Are all elements close?
    """

def amax(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The largest element over axes.
    """

def amin(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The smallest element over axes.
    """

def angle(
    z: Any,
    deg: bool = False,
) -> Tensor:
    """The argument of complex numbers, in radians, or in degrees.
    """

def any(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """Is any element true (not zero)?
    """

def append(
    arr: Any,
    values: Any,
    axis: int | None = None,
) -> Tensor:
    """With `values` at the end.
    """

def arange(
    *args: Any,
    dtype: Any = None,
    **kwargs: Any,
) -> Tensor:
    """Evenly spaced numbers below a limit.
    """

def arccos(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arccos` on tensors, differentiable.
    """

def arccosh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arccosh` on tensors, differentiable.
    """

def arcsin(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arcsin` on tensors, differentiable.
    """

def arcsinh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arcsinh` on tensors, differentiable.
    """

def arctan(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arctan` on tensors, differentiable.
    """

def arctan2(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.arctan2` on tensors, differentiable.
    """

def arctanh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arctanh` on tensors, differentiable.
    """

def argmax(
    a: Any,
    axis: Any = None,
    out: None = None,
    *,
    keepdims: bool = False,
) -> Tensor:
    """Where the largest element is, along an axis or in the flattened array.
    """

def argmin(
    a: Any,
    axis: Any = None,
    out: None = None,
    *,
    keepdims: bool = False,
) -> Tensor:
    """Where the smallest element is, along an axis or in the flattened array.
    """

def argsort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Tensor:
    """The indices that sort, equal elements in their order.
    """

def argwhere(
    a: Any,
) -> Tensor:
    """The index of every element that is not zero, one row each.
    """

def around(
    a: Any,
    decimals: int = 0,
    out: None = None,
) -> Tensor:
    """To `decimals` places, halves to the even one.
    """

def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = 'K',
    ndmin: int = 0,
    device: Any = None,
) -> Tensor:
    """A tensor of numbers, lists or arrays.
    """

def array_equal(
    a1: Any,
    a2: Any,
    equal_nan: bool = False,
) -> Tensor:
    """Same shape and same elements?
    """

def array_split(
    ary: Any,
    indices_or_sections: Any,
    axis: int = 0,
) -> list[Tensor]:
    """Cut into parts of nearly equal size, or before the indices given.
    """

def asanyarray(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = 'K',
    ndmin: int = 0,
    device: Any = None,
) -> Tensor:
    """A tensor of numbers, lists or arrays.
    """

def asarray(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = 'K',
    ndmin: int = 0,
    device: Any = None,
) -> Tensor:
    """A tensor of numbers, lists or arrays.
    """

def ascontiguousarray(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = 'K',
    ndmin: int = 0,
    device: Any = None,
) -> Tensor:
    """A tensor of numbers, lists or arrays.
    """

def asin(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arcsin` on tensors, differentiable.
    """

def asinh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arcsinh` on tensors, differentiable.
    """

def astype(
    x: Any,
    dtype: Any,
    /,
    *,
    copy: bool = True,
    device: Any = None,
) -> Tensor:
    """The values in another dtype.
    """

def atan(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arctan` on tensors, differentiable.
    """

def atan2(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.arctan2` on tensors, differentiable.
    """

def atanh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.arctanh` on tensors, differentiable.
    """

def atleast_1d(
    *arys: Any,
) -> Any:
    """With at least one axis.

    Returns:
        A tensor; a tuple for several arrays.
    """

def atleast_2d(
    *arys: Any,
) -> Any:
    """With at least two axes, new ones in front.

    Returns:
        A tensor; a tuple for several arrays.
    """

def atleast_3d(
    *arys: Any,
) -> Any:
    """With at least three axes.

    Returns:
        A tensor; a tuple for several arrays.
    """

def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The weighted mean.

    Returns:
        The mean; with `returned` a pair, with the sum of the weights.
    """

def bincount(
    x: Any,
    /,
    weights: Any = None,
    minlength: int = 0,
) -> Tensor:
    """How often each whole number occurs, or the sum of its weights.
    """

def bitwise_and(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.bitwise_and` on tensors, differentiable.
    """

def bitwise_invert(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.invert` on tensors, differentiable.
    """

def bitwise_left_shift(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.left_shift` on tensors, differentiable.
    """

def bitwise_not(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.invert` on tensors, differentiable.
    """

def bitwise_or(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.bitwise_or` on tensors, differentiable.
    """

def bitwise_right_shift(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.right_shift` on tensors, differentiable.
    """

def bitwise_xor(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.bitwise_xor` on tensors, differentiable.
    """

def broadcast_arrays(
    *args: Any,
    subok: bool = False,
) -> tuple[Tensor, ...]:
    """All in the shape they broadcast to.

    Args:
        *args: The arrays.

    Returns:
        The arrays, as tensors of one shape.
    """

def broadcast_to(
    array: Any,
    shape: Any,
    subok: bool = False,
) -> Tensor:
    """Repeated along new and size-1 axes to a shape.
    """

def cbrt(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.cbrt` on tensors, differentiable.
    """

def ceil(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.ceil` on tensors, differentiable.
    """

def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: None = None,
    *,
    min: Any = None,
    max: Any = None,
) -> Tensor:
    """Every element moved into the range from `a_min` to `a_max`.
    """

def column_stack(
    tup: Sequence[Any],
) -> Tensor:
    """Vectors as the columns of a matrix.
    """

def compress(
    condition: Any,
    a: Any,
    axis: int | None = None,
    out: None = None,
) -> Tensor:
    """The slices along an axis where the condition is true.
    """

def concat(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: None = None,
    *,
    dtype: Any = None,
    casting: str = 'same_kind',
) -> Tensor:
    """Joined along an axis; flattened first if it is None.
    """

def concatenate(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: None = None,
    *,
    dtype: Any = None,
    casting: str = 'same_kind',
) -> Tensor:
    """Joined along an axis; flattened first if it is None.
    """

def conj(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.conjugate` on tensors, differentiable.
    """

def conjugate(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.conjugate` on tensors, differentiable.
    """

def convolve(
    a: Any,
    v: Any,
    mode: str = 'full',
) -> Tensor:
    """The convolution of two vectors.

    Args:
        v: The filter.
        mode: `full`, `same` or `valid`: how much of the result is given.
    """

def copy(
    a: Any,
    order: str = 'K',
    subok: bool = False,
) -> Tensor:
    """The same values as a tensor of its own.
    """

def copysign(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.copysign` on tensors, differentiable.
    """

def cos(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.cos` on tensors, differentiable.
    """

def cosh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.cosh` on tensors, differentiable.
    """

def count_nonzero(
    a: Any,
    axis: Any = None,
    *,
    keepdims: bool = False,
) -> Tensor:
    """How many elements are not zero.
    """

def cross(
    a: Any,
    b: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """The vector perpendicular to two vectors of length 3.
    """

def cumprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
) -> Tensor:
    """The running product along an axis, or of the flattened array.
    """

def cumsum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
) -> Tensor:
    """The running sum along an axis, or of the flattened array.
    """

def cumulative_prod(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    include_initial: bool = False,
) -> Tensor:
    """The running product, with a 1 in front if wanted.
    """

def cumulative_sum(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    include_initial: bool = False,
) -> Tensor:
    """The running sum, with a 0 in front if wanted.
    """

def deg2rad(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.deg2rad` on tensors, differentiable.
    """

def degrees(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.rad2deg` on tensors, differentiable.
    """

def diag(
    v: Any,
    k: int = 0,
) -> Tensor:
    """The diagonal of a matrix, or a matrix with a vector as its diagonal.

    Args:
        v: A vector, or what is made one; of a matrix `diag` gives the diagonal.
        k: Which diagonal: 0 the main one, positive above it.
    """

def diag_indices(
    n: int,
    ndim: int = 2,
) -> tuple[Tensor, ...]:
    """The indices of a diagonal.

    Args:
        n: How long the axes are.

    Returns:
        For each axis the indices.
    """

def diagflat(
    v: Any,
    k: int = 0,
) -> Tensor:
    """A matrix with all elements of `v` as its diagonal.

    Args:
        v: A vector, or what is made one; of a matrix `diag` gives the diagonal.
        k: Which diagonal: 0 the main one, positive above it.
    """

def diagonal(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
) -> Tensor:
    """The diagonal of the matrices in two axes, as a new last axis.
    """

def diff(
    a: Any,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
) -> Tensor:
    """Differences of neighbours along an axis, `n` times.

    Args:
        n: How often.
    """

def digitize(
    x: Any,
    bins: Any,
    right: bool = False,
) -> Tensor:
    """The bin of every element.

    Args:
        right: A number on an edge belongs to the bin below it.
    """

def divide(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.divide` on tensors, differentiable.
    """

def divmod(
    x1: Any,
    x2: Any,
    /,
) -> tuple[Tensor, Tensor]:
    """The floored quotient and the remainder.

    Returns:
        The quotient and the remainder.
    """

def dot(
    a: Any,
    b: Any,
    out: None = None,
) -> Tensor:
    """The sum of products over the last axis of `a` and the last but one of `b`.
    """

def dsplit(
    ary: Any,
    indices_or_sections: Any,
) -> list[Tensor]:
    """Cut along the third axis.
    """

def dstack(
    tup: Sequence[Any],
) -> Tensor:
    """Joined along the third axis.
    """

def einsum(
    subscripts: str,
    /,
    *operands: Any,
    out: None = None,
    optimize: Any = False,
    **unused: Any,
) -> Tensor:
    """Sums of products by index letters.
    """

def empty(
    shape: Any,
    dtype: Any = None,
    order: str = 'C',
    *,
    device: Any = None,
) -> Tensor:
    """Zeros of a shape: nothing here is left without a value.
    """

def empty_like(
    a: Any,
    dtype: Any = None,
    order: str = 'K',
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """Zeros in the shape and dtype of an array.
    """

def equal(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.equal` on tensors, differentiable.
    """

def exp(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.exp` on tensors, differentiable.
    """

def exp2(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.exp2` on tensors, differentiable.
    """

def expand_dims(
    a: Any,
    axis: Any,
) -> Tensor:
    """With new axes of size 1 at the places given.
    """

def experimental_enable_numpy_behavior(
    prefer_float32: bool = False,
    dtype_conversion_mode: str = 'legacy',
) -> None:
    """From now on, in the whole process, operators promote dtypes as in NumPy, and tensors have NumPy's methods.

    Args:
        prefer_float32: Taken and not used.
        dtype_conversion_mode: `legacy`: dtypes become what NumPy makes of them; `all`: integers take the floating
            dtype they meet; `safe`: the same, but only where no value can change; `off`: nothing is promoted.

    Raises:
        ValueError: If there is no such mode.
    """

def expm1(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.expm1` on tensors, differentiable.
    """

def extract(
    condition: Any,
    arr: Any,
) -> Tensor:
    """The elements where the condition is true.
    """

def eye(
    *args: Any,
    dtype: Any = None,
    **kwargs: Any,
) -> Tensor:
    """Ones on a diagonal.
    """

def fabs(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.fabs` on tensors, differentiable.
    """

def finfo(
    type: Any,
    /,
) -> Any:
    """The limits of a floating dtype, or of the parts of a complex one.

    Returns:
        An object with `min`, `max`, `bits` and others as attributes.
    """

def fix(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.trunc` on tensors, differentiable.
    """

def flatnonzero(
    a: Any,
) -> Tensor:
    """The indices of elements that are not zero in the flattened array.
    """

def flatten(
    a: Any,
    order: str = 'C',
) -> Tensor:
    """All elements in one axis.
    """

def flip(
    m: Any,
    axis: Any = None,
) -> Tensor:
    """Reversed along axes; along all without `axis`.
    """

def fliplr(
    m: Any,
) -> Tensor:
    """Reversed along the second axis.
    """

def flipud(
    m: Any,
) -> Tensor:
    """Reversed along the first axis.
    """

def float_power(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.float_power` on tensors, differentiable.
    """

def floor(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.floor` on tensors, differentiable.
    """

def floor_divide(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.floor_divide` on tensors, differentiable.
    """

def fmax(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.fmax` on tensors, differentiable.
    """

def fmin(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.fmin` on tensors, differentiable.
    """

def fmod(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.fmod` on tensors, differentiable.
    """

def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = 'C',
    *,
    device: Any = None,
    like: Any = None,
) -> Tensor:
    """One value in every place.
    """

def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = 'K',
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """One value in the shape and dtype of an array.
    """

def gcd(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.gcd` on tensors, differentiable.
    """

def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Numbers evenly spaced on a logarithmic scale, from `start` to `stop`.
    """

def greater(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.greater` on tensors, differentiable.
    """

def greater_equal(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.greater_equal` on tensors, differentiable.
    """

def heaviside(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.heaviside` on tensors, differentiable.
    """

def hsplit(
    ary: Any,
    indices_or_sections: Any,
) -> list[Tensor]:
    """Cut along the second axis; a vector along its only one.
    """

def hstack(
    tup: Sequence[Any],
    *,
    dtype: Any = None,
    casting: str = 'same_kind',
) -> Tensor:
    """Joined along the second axis; vectors end to end.
    """

def hypot(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.hypot` on tensors, differentiable.
    """

def identity(
    *args: Any,
    dtype: Any = None,
    **kwargs: Any,
) -> Tensor:
    """The identity matrix.
    """

def iinfo(
    type: Any,
    /,
) -> Any:
    """The limits of an integer dtype.

    Returns:
        An object with `min`, `max`, `bits` and others as attributes.
    """

def imag(
    val: Any,
) -> Tensor:
    """The imaginary part; zeros for real numbers.
    """

def inner(
    a: Any,
    b: Any,
    /,
) -> Tensor:
    """The sum of products over the last axes.
    """

def interp(
    x: Any,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Tensor:
    """Linear interpolation between the points (xp, fp); differentiable in all three.
    """

def invert(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.invert` on tensors, differentiable.
    """

def isclose(
    a: Any,
    b: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Element by element, |a - b| <= atol + rtol |b|.
    """

def iscomplex(
    x: Any,
) -> Tensor:
    """Is the imaginary part not zero?
    """

def iscomplexobj(
    x: Any,
) -> bool:
    """Is the dtype complex?
    """

def isfinite(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.isfinite` on tensors, differentiable.
    """

def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Tensor:
    """For every element, is it among the others?
    """

def isinf(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.isinf` on tensors, differentiable.
    """

def isnan(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.isnan` on tensors, differentiable.
    """

def isneginf(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.isneginf` on tensors, differentiable.
    """

def isposinf(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.isposinf` on tensors, differentiable.
    """

def isreal(
    x: Any,
) -> Tensor:
    """Is the imaginary part zero?
    """

def isrealobj(
    x: Any,
) -> bool:
    """Is the dtype real?
    """

def isscalar(
    element: Any,
) -> bool:
    """Is it a number, or a tensor without axes?
    """

def issubdtype(
    arg1: Any,
    arg2: Any,
) -> bool:
    """Does a dtype belong to a group of NumPy's, such as np.floating?
    """

def ix_(
    *args: Any,
) -> tuple[Tensor, ...]:
    """Index vectors shaped so that they pick every combination.

    Args:
        *args: Sequences of indices, or of bools.

    Returns:
        For each sequence a tensor that broadcasts against the others.
    """

def kron(
    a: Any,
    b: Any,
) -> Tensor:
    """The Kronecker product: every element of `a` times the whole of `b`.
    """

def lcm(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.lcm` on tensors, differentiable.
    """

def left_shift(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.left_shift` on tensors, differentiable.
    """

def less(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.less` on tensors, differentiable.
    """

def less_equal(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.less_equal` on tensors, differentiable.
    """

def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`; differentiable in both.

    Returns:
        The numbers; with `retstep` a pair, with the distance between them.
    """

def log(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.log` on tensors, differentiable.
    """

def log10(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.log10` on tensors, differentiable.
    """

def log1p(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.log1p` on tensors, differentiable.
    """

def log2(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.log2` on tensors, differentiable.
    """

def logaddexp(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.logaddexp` on tensors, differentiable.
    """

def logaddexp2(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.logaddexp2` on tensors, differentiable.
    """

def logical_and(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.logical_and` on tensors, differentiable.
    """

def logical_not(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.logical_not` on tensors, differentiable.
    """

def logical_or(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.logical_or` on tensors, differentiable.
    """

def logical_xor(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.logical_xor` on tensors, differentiable.
    """

def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Numbers evenly spaced on a logarithmic scale, from base**start to base**stop.
    """

def matmul(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """The matrix product; a vector is a row on the left, a column on the right.
    """

def matrix_transpose(
    x: Any,
    /,
) -> Tensor:
    """The last two axes exchanged.
    """

def max(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The largest element over axes.
    """

def maximum(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.maximum` on tensors, differentiable.
    """

def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The mean over axes; of integers in float64.
    """

def median(
    a: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:
    """The middle value over axes.
    """

def meshgrid(
    *xi: Any,
    copy: bool = True,
    sparse: bool = False,
    indexing: str = 'xy',
) -> tuple[Tensor, ...]:
    """Coordinates of a grid from the coordinates along each axis.

    Returns:
        For each axis the coordinates of all points.
    """

def min(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The smallest element over axes.
    """

def minimum(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.minimum` on tensors, differentiable.
    """

def mod(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.remainder` on tensors, differentiable.
    """

def modf(
    x: Any,
    /,
) -> tuple[Tensor, Tensor]:
    """The fractional and the whole part, both with the sign of the number.

    Returns:
        The fractional and the whole part.
    """

def moveaxis(
    a: Any,
    source: Any,
    destination: Any,
) -> Tensor:
    """Axes moved to other places, the rest in order.
    """

def multiply(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.multiply` on tensors, differentiable.
    """

def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Tensor:
    """NaN replaced by 0, infinities by the largest numbers, or by what is given.
    """

def nancumsum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
) -> Tensor:
    """The running sum, NaN counted as 0.
    """

def nanmax(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The largest element that is not NaN.
    """

def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The mean of the elements that are not NaN.
    """

def nanmin(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The smallest element that is not NaN.
    """

def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The product, NaN counted as 1.
    """

def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Tensor:
    """The standard deviation of the elements that are not NaN.
    """

def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The sum, NaN counted as 0.
    """

def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Tensor:
    """The variance of the elements that are not NaN.
    """

def ndim(
    a: Any,
) -> int:
    """The number of axes.
    """

def negative(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.negative` on tensors, differentiable.
    """

def nextafter(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.nextafter` on tensors, differentiable.
    """

def nonzero(
    a: Any,
) -> tuple[Tensor, ...]:
    """The indices of elements that are not zero, one tensor an axis.

    Returns:
        For each axis the indices.
    """

def not_equal(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.not_equal` on tensors, differentiable.
    """

def ones(
    *args: Any,
    dtype: Any = None,
    **kwargs: Any,
) -> Tensor:
    """Ones of a shape.
    """

def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = 'K',
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """Ones in the shape and dtype of an array.
    """

def outer(
    a: Any,
    b: Any,
    out: None = None,
) -> Tensor:
    """Every product of an element of `a` and one of `b`.
    """

def pad(
    array: Any,
    pad_width: Any,
    mode: str = 'constant',
    *,
    constant_values: Any = 0,
) -> Tensor:
    """With more elements at the ends of each axis: constants, edges, reflections, or the other end again.

    Args:
        mode: `constant`, `reflect`, `symmetric`, `edge` or `wrap`.
    """

def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = 'linear',
    keepdims: bool = False,
) -> Tensor:
    """Quantiles in percent.

    Args:
        q: From 0 to 100.
        method: Between two elements: `linear`, `lower`, `higher`, `midpoint` or `nearest`.
    """

def permute_dims(
    a: Any,
    axes: Any = None,
) -> Tensor:
    """Axes in another order; reversed without `axes`.
    """

def polyval(
    p: Any,
    x: Any,
) -> Tensor:
    """A polynomial, highest power first, at `x`.

    Args:
        p: The coefficients, that of the highest power first.
    """

def positive(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.positive` on tensors, differentiable.
    """

def pow(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.power` on tensors, differentiable.
    """

def power(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.power` on tensors, differentiable.
    """

def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The product over axes.
    """

def promote_types(
    type1: Any,
    type2: Any,
) -> DType:
    """The smallest dtype that holds both.
    """

def ptp(
    a: Any,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The range, largest minus smallest.
    """

def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = 'linear',
    keepdims: bool = False,
) -> Tensor:
    """The value below which a part `q` of the elements lies, interpolated between its neighbours.

    Args:
        q: From 0 to 1.
        method: Between two elements: `linear`, `lower`, `higher`, `midpoint` or `nearest`.
    """

def rad2deg(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.rad2deg` on tensors, differentiable.
    """

def radians(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.deg2rad` on tensors, differentiable.
    """

def ravel(
    a: Any,
    order: str = 'C',
) -> Tensor:
    """All elements in one axis.
    """

def real(
    val: Any,
) -> Tensor:
    """The real part.
    """

def reciprocal(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.reciprocal` on tensors, differentiable.
    """

def remainder(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.remainder` on tensors, differentiable.
    """

def repeat(
    a: Any,
    repeats: Any,
    axis: int | None = None,
) -> Tensor:
    """Each element several times.
    """

def reshape(
    a: Any,
    /,
    shape: Any = None,
    order: str = 'C',
    *,
    newshape: Any = None,
    copy: bool | None = None,
) -> Tensor:
    """The same elements in another shape; one size may be -1.
    """

def result_type(
    *values: Any,
) -> DType:
    """The dtype that NumPy gives `values`: tensors, arrays and dtypes decide, Python numbers only add their kind.
    """

def right_shift(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.right_shift` on tensors, differentiable.
    """

def rint(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.rint` on tensors, differentiable.
    """

def roll(
    a: Any,
    shift: Any,
    axis: Any = None,
) -> Tensor:
    """Shifted along axes, what leaves at one end coming in at the other.
    """

def rollaxis(
    a: Any,
    axis: int,
    start: int = 0,
) -> Tensor:
    """One axis moved to stand before another.
    """

def rot90(
    m: Any,
    k: int = 1,
    axes: tuple[Any, ...] = (0, 1),
) -> Tensor:
    """Turned by `k` times 90 degrees in the plane of two axes.

    Args:
        k: How many times.
        axes: The plane, from the first axis to the second.
    """

def round(
    a: Any,
    decimals: int = 0,
    out: None = None,
) -> Tensor:
    """To `decimals` places, halves to the even one.
    """

def searchsorted(
    a: Any,
    v: Any,
    side: str = 'left',
    sorter: Any = None,
) -> Tensor:
    """Where elements would be put to keep `a` in order.

    Args:
        v: What is looked for.
    """

def select(
    condlist: Any,
    choicelist: Any,
    default: Any = 0,
) -> Tensor:
    """Of several choices the first whose condition is true.
    """

def shape(
    a: Any,
) -> tuple[int, ...]:
    """The shape as a tuple.

    Returns:
        The size of each axis.
    """

def sign(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.sign` on tensors, differentiable.
    """

def signbit(
    x: Any,
    /,
) -> Tensor:
    """Is the sign negative, also of zero?
    """

def sin(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.sin` on tensors, differentiable.
    """

def sinc(
    x: Any,
    /,
) -> Tensor:
    """sin(pi x) / (pi x), which is 1 at 0, and so are its derivatives right there.
    """

def sinh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.sinh` on tensors, differentiable.
    """

def size(
    a: Any,
    axis: int | None = None,
) -> int:
    """The number of elements, or the length of an axis.
    """

def sort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Tensor:
    """Ascending along an axis.
    """

def split(
    ary: Any,
    indices_or_sections: Any,
    axis: int = 0,
) -> list[Tensor]:
    """Cut into equal parts, or before the indices given.
    """

def sqrt(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.sqrt` on tensors, differentiable.
    """

def square(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.square` on tensors, differentiable.
    """

def squeeze(
    a: Any,
    axis: Any = None,
) -> Tensor:
    """Without the axes of size 1, or without those given.
    """

def stack(
    arrays: Sequence[Any],
    axis: int = 0,
    out: None = None,
    *,
    dtype: Any = None,
    casting: str = 'same_kind',
) -> Tensor:
    """Joined along a new axis.
    """

def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """The standard deviation, the root of `var`.
    """

def subtract(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.subtract` on tensors, differentiable.
    """

def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
) -> Tensor:
    """The sum over axes; of all elements without `axis`.
    """

def swapaxes(
    a: Any,
    axis1: int,
    axis2: int,
) -> Tensor:
    """Two axes exchanged.
    """

def take(
    a: Any,
    indices: Any,
    axis: int | None = None,
    out: None = None,
    mode: str = 'raise',
) -> Tensor:
    """Elements along an axis, by index; negative ones count from the end.

    Args:
        mode: What an index out of range does: `raise`, `wrap` or `clip`.
    """

def take_along_axis(
    arr: Any,
    indices: Any,
    axis: int | None = -1,
) -> Tensor:
    """For each line along `axis` the elements that the same line of `indices` names, as `argsort` gives them.
    """

def tan(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.tan` on tensors, differentiable.
    """

def tanh(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.tanh` on tensors, differentiable.
    """

def tensordot(
    a: Any,
    b: Any,
    axes: Any = 2,
) -> Tensor:
    """The sum of products over several axes of each.
    """

def tile(
    A: Any,
    reps: Any,
) -> Tensor:
    """Laid out several times along each axis.
    """

def trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: None = None,
) -> Tensor:
    """The sum of the diagonal.
    """

def transpose(
    a: Any,
    axes: Any = None,
) -> Tensor:
    """Axes in another order; reversed without `axes`.
    """

def trapezoid(
    y: Any,
    x: Any = None,
    dx: float = 1.0,
    axis: int = -1,
) -> Tensor:
    """The integral by the trapezoidal rule.
    """

def tri(
    *args: Any,
    dtype: Any = None,
    **kwargs: Any,
) -> Tensor:
    """Ones on and below a diagonal.
    """

def tril(
    m: Any,
    k: int = 0,
) -> Tensor:
    """The lower triangle, zeros above diagonal `k`.

    Args:
        k: The last diagonal that stays: 0 the main one, positive above it.
    """

def triu(
    m: Any,
    k: int = 0,
) -> Tensor:
    """The upper triangle, zeros below diagonal `k`.

    Args:
        k: The last diagonal that stays: 0 the main one, positive above it.
    """

def true_divide(
    x1: Any,
    x2: Any,
    /,
) -> Tensor:
    """NumPy's `np.divide` on tensors, differentiable.
    """

def trunc(
    x: Any,
    /,
) -> Tensor:
    """NumPy's `np.trunc` on tensors, differentiable.
    """

def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """The different elements in ascending order, with the indices and counts asked for.

    Returns:
        The different elements, in order; a tuple, with what else was asked for.
    """

def unstack(
    x: Any,
    /,
    *,
    axis: int = 0,
) -> tuple[Tensor, ...]:
    """The slices along an axis.

    Returns:
        The slices.
    """

def vander(
    x: Any,
    N: int | None = None,
    increasing: bool = False,
) -> Tensor:
    """Powers of `x` as columns, highest first.
    """

def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    mean: Any = None,
    correction: Any = None,
) -> Tensor:
    """The mean squared distance from the mean; divided by n - `ddof` instead of n.
    """

def vdot(
    a: Any,
    b: Any,
    /,
) -> Tensor:
    """The sum of products of all elements, the first conjugated.
    """

def vecdot(
    x1: Any,
    x2: Any,
    /,
    *,
    axis: int = -1,
) -> Tensor:
    """The sum of products along an axis, the first conjugated.
    """

def vsplit(
    ary: Any,
    indices_or_sections: Any,
) -> list[Tensor]:
    """Cut along the first axis.
    """

def vstack(
    tup: Sequence[Any],
    *,
    dtype: Any = None,
    casting: str = 'same_kind',
) -> Tensor:
    """Joined along the first axis; vectors are rows.
    """

def where(
    condition: Any,
    x: Any = None,
    y: Any = None,
    /,
) -> Any:
    """`x` where the condition is true and `y` elsewhere; with one argument the indices where it is true.

    Returns:
        A tensor; with one argument the indices, one tensor for each axis.
    """

def zeros(
    *args: Any,
    dtype: Any = None,
    **kwargs: Any,
) -> Tensor:
    """Zeros of a shape.
    """

def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = 'K',
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    """Zeros in the shape and dtype of an array.
    """
