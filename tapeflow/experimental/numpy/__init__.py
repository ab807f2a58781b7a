"""`tf.experimental.numpy`: NumPy's functions and dtypes on tensors, differentiable.

Type checkers see them in `__init__.pyi`.

>>> import tapeflow.experimental.numpy as tnp
>>> tnp.mean([1, 2]).numpy()                        # NumPy's dtypes: float64 from integers
np.float64(1.5)
"""

from typing import Any

import numpy as np

from tapeflow.api.arrays.operators import take_vectors as _take_vectors
from tapeflow.api.interop import promotion
from tapeflow.api.interop.array_api_dtypes import (
    finfo as finfo,
    iinfo as iinfo,
)
from tapeflow.api.interop.numpy_functions import FUNCTIONS
from tapeflow.api.interop.numpy_functions.registry import members, numpy_dtype
from tapeflow.api.interop.promotion import (
    result_type as result_type,
)
from tapeflow.core.apply import array_of
from tapeflow.core.dtypes import (
    DType,
    bool_ as bool_,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from tapeflow.core.runtime import settings as _settings
from tapeflow.core.tensor import Tensor as ndarray

from . import fft as fft, linalg as linalg, random as random

e, pi, inf, nan, newaxis, euler_gamma = np.e, np.pi, np.inf, np.nan, None, np.euler_gamma

# NumPy's old names of dtypes, and the group that tnp.issubdtype asks about.
float_, int_, complex_, string_, unicode_, object_ = float64, int64, complex128, string, string, string
inexact = np.inexact

globals().update(members())


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """From now on, in the whole process, operators promote dtypes as in NumPy, and tensors have NumPy's methods.

    Args:
        prefer_float32: Taken and not used.
        dtype_conversion_mode: `legacy`: dtypes become what NumPy makes of them; `all`: integers take the floating
            dtype they meet; `safe`: the same, but only where no value can change; `off`: nothing is promoted.

    Raises:
        ValueError: If there is no such mode.

    >>> from tapeflow.core.runtime import settings
    >>> tf.experimental.numpy.experimental_enable_numpy_behavior()
    >>> tf.constant(1) + tf.constant(0.5)
    <tf.Tensor: shape=(), dtype=float64, numpy=1.5>
    >>> settings.numpy_promotion = False
    """
    modes = ("off", "legacy", "safe", "all")
    if dtype_conversion_mode not in modes:
        raise ValueError(f"dtype_conversion_mode must be one of {', '.join(modes)}, got {dtype_conversion_mode!r}.")
    _settings.numpy_promotion = dtype_conversion_mode != "off" and dtype_conversion_mode
    _take_vectors()


def shape(a: Any) -> tuple[int, ...]:
    """The shape as a tuple.

    Returns:
        The size of each axis.

    >>> tf.experimental.numpy.shape([[1, 2]])
    (1, 2)
    """
    return tuple(promotion.tensor(a).sizes)


def ndim(a: Any) -> int:
    """The number of axes.

    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    return len(promotion.tensor(a).sizes)


def size(a: Any, axis: int | None = None) -> int:
    """The number of elements, or the length of an axis.

    >>> tf.experimental.numpy.size([[1, 2]])
    2
    """
    sizes = shape(a)
    return int(np.prod(sizes)) if axis is None else sizes[axis]


def iscomplexobj(x: Any) -> bool:
    """Is the dtype complex?

    >>> tf.experimental.numpy.iscomplexobj([1j])
    True
    """
    return promotion.tensor(x).dtype.is_complex


def isrealobj(x: Any) -> bool:
    """Is the dtype real?

    >>> tf.experimental.numpy.isrealobj([1j])
    False
    """
    return not iscomplexobj(x)


def isscalar(element: Any) -> bool:
    """Is it a number, or a tensor without axes?

    >>> [tf.experimental.numpy.isscalar(x) for x in (2., tf.constant(2.), [2.])]
    [True, True, False]
    """
    return np.isscalar(element) or isinstance(element, ndarray) and not len(element.sizes)


def promote_types(type1: Any, type2: Any) -> DType:
    """The smallest dtype that holds both.

    >>> tf.experimental.numpy.promote_types(tf.int32, tf.float32)
    tf.float64
    """
    return result_type(numpy_dtype(type1), numpy_dtype(type2))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Does a dtype belong to a group of NumPy's, such as np.floating?

    >>> tf.experimental.numpy.issubdtype(tf.float32, np.floating)
    True
    """
    plain = lambda t: t.np if isinstance(t, DType) else t
    return np.issubdtype(plain(arg1), plain(arg2))


def flatten(a: Any, order: str = "C") -> ndarray:
    """All elements in one axis.

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])
    """
    return FUNCTIONS["ravel"](a, order)


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """The indices of a diagonal.

    Args:
        n: How long the axes are.

    Returns:
        For each axis the indices.

    >>> [i.numpy().tolist() for i in tf.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (FUNCTIONS["arange"](n),) * ndim


def ix_(*args: Any) -> tuple[ndarray, ...]:
    """Index vectors shaped so that they pick every combination.

    Args:
        *args: Sequences of indices, or of bools.

    Returns:
        For each sequence a tensor that broadcasts against the others.

    >>> a = tf.experimental.numpy.arange(9).T
    >>> tf.reshape(a, [3, 3])[tf.experimental.numpy.ix_([0, 2], [0, 1])].numpy()
    array([[0, 1],
           [6, 7]])
    """
    return tuple(map(promotion.tensor, np.ix_(*[array_of(a) for a in args])))


_MADE_WITH = "Any array_of DType FUNCTIONS inexact members np numpy_dtype promotion".split()
__all__ = sorted(name for name in dir() if not name.startswith("_") and name not in _MADE_WITH)
