"""`tf.experimental.numpy`: NumPy's functions and dtypes on tensors, differentiable.

>>> import tapeflow.experimental.numpy as tnp
>>> tnp.mean([1, 2]).numpy()                        # NumPy's dtypes: float64 from integers
np.float64(1.5)
"""

import sys
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.core.dtypes import (
    bool_,
    complex64,
    complex128,
    float16,
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
from tapeflow.core.tensor import Tensor as ndarray

from . import promotion
from .numpy_functions import FUNCTIONS
from .promotion import result_type
from .tensor_methods import install_numpy_methods

e, pi, inf, nan, newaxis, euler_gamma = np.e, np.pi, np.inf, np.nan, None, np.euler_gamma

linalg = ModuleType(f"{__name__}.linalg", "`np.linalg` on tensors.")
fft = ModuleType(f"{__name__}.fft", "`np.fft` on tensors.")

for _name, _function in FUNCTIONS.items():
    _space, _, _short = _name.rpartition(".")
    setattr({"": sys.modules[__name__], "linalg": linalg, "fft": fft}[_space], _short, _function)


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """From now on, in the whole process, operators promote dtypes as in NumPy, and tensors have NumPy's methods.

    >>> from tapeflow.api import promotion
    >>> tf.experimental.numpy.experimental_enable_numpy_behavior()
    >>> tf.constant(1) + tf.constant(0.5)
    <tf.Tensor: shape=(), dtype=float64, numpy=1.5>
    >>> promotion.enabled = False
    """
    promotion.enabled = True
    install_numpy_methods()


def shape(a: Any) -> tuple[int, ...]:
    """The shape as a tuple.

    >>> tf.experimental.numpy.shape([[1, 2]])
    (1, 2)
    """
    return tuple(promotion.tensor(a).shape)


def ndim(a: Any) -> int:
    """The number of axes.

    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    return len(promotion.tensor(a).shape)


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


for _module in (linalg, fft):
    _module.__all__ = sorted(name for name in vars(_module) if not name.startswith("_"))
_MADE_WITH = ["Any", "FUNCTIONS", "ModuleType", "install_numpy_methods", "np", "promotion", "sys"]
__all__ = sorted(name for name in dir() if not name.startswith("_") and name not in _MADE_WITH)
