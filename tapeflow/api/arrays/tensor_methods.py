"""Attributes of tensors that are operations: the array API's, and NumPy's methods for those who switch them on."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapeflow.api.interop.numpy_functions import FUNCTIONS
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime import settings
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable


def _transposed(self: Tensor) -> Tensor:
    """The axes in reverse order."""
    return ops.transpose(self, perm=tuple(range(len(self.sizes)))[::-1])


def _matrix_transposed(self: Tensor) -> Tensor:
    """The last two axes exchanged."""
    if len(self.sizes) < 2:
        raise ValueError(f"mT needs a tensor of rank 2 or more; this one has shape {tuple(self.shape)}.")
    return ops.matrix_transpose(self)


def _array_namespace(self: Any, *, api_version: str | None = None) -> Any:
    """The module of functions for tensors by the Python array API standard."""
    from tapeflow.api.interop import array_api

    if api_version is not None and api_version not in array_api.VERSIONS:
        raise ValueError(f"Version {api_version!r} of the array API is not one of {', '.join(array_api.VERSIONS)}.")
    return array_api


Tensor.T = property(_transposed)
Tensor.mT = property(_matrix_transposed)
Tensor.__array_namespace__ = _array_namespace
Variable.__array_namespace__ = _array_namespace


# ---- NumPy's methods, from tf.experimental.numpy.experimental_enable_numpy_behavior on


def _reshape(self: Tensor, *shape: Any, order: str = "C") -> Tensor:
    return FUNCTIONS["reshape"](self, shape[0] if len(shape) == 1 else shape, order)


def _transpose(self: Tensor, *order: Any) -> Tensor:
    perm = order[0] if len(order) == 1 and not isinstance(order[0], int) else order
    return FUNCTIONS["transpose"](self, perm or None)


_METHODS = {
    "astype": lambda self, dtype, copy=True: FUNCTIONS["astype"](self, dtype),
    "clip": lambda self, min=None, max=None: FUNCTIONS["clip"](self, min, max),
    "max": lambda self, axis=None, keepdims=False: FUNCTIONS["max"](self, axis, keepdims=keepdims),
    "mean": lambda self, axis=None, dtype=None, keepdims=False: FUNCTIONS["mean"](
        self, axis, dtype, keepdims=keepdims
    ),
    "min": lambda self, axis=None, keepdims=False: FUNCTIONS["min"](self, axis, keepdims=keepdims),
    "ravel": lambda self, order="C": FUNCTIONS["ravel"](self, order),
    "reshape": _reshape,
    "tolist": lambda self: np.asarray(self).tolist(),
    "transpose": _transpose,
}


def _on_request(name: str, method: Callable) -> property:
    """A method that is there when NumPy's behaviour is switched on; otherwise core's hint at what to use instead."""
    hint = vars(Tensor)[name]
    return property(lambda self: partial(method, self) if settings.numpy_promotion else hint.__get__(self))


for _name, _method in _METHODS.items():
    setattr(Tensor, _name, _on_request(_name, _method))
