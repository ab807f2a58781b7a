"""Activation functions and softmax, and what leads back through them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, NUMBER, POINTER, at, fits, function

_ONE, _ROWS = (POINTER, POINTER, POINTER, COUNT, NUMBER), (POINTER, POINTER, POINTER, COUNT, COUNT)


def _of_one(name: str) -> Callable:
    call = function(name, *_ONE)

    def kernel(x: Any) -> Any:
        if call is None or not fits(x):
            return None
        out = np.empty_like(x)
        call(at(x), None, at(out), x.size, 0.0)
        return out

    return kernel


def _of_two(name: str) -> Callable:
    call = function(name, *_ONE)

    def kernel(dy: Any, x: Any, alpha: float = 0.0) -> Any:
        if call is None or not fits(dy, x) or dy.shape != x.shape:
            return None
        out = np.empty_like(x)
        call(at(dy), at(x), at(out), x.size, alpha)
        return out

    return kernel


relu, relu_grad = _of_one("relu"), _of_two("relu_grad")
relu6, relu6_grad = _of_one("relu6"), _of_two("relu6_grad")
leaky_relu_grad = _of_two("leaky_relu_grad")
gelu, gelu_grad = _of_one("gelu"), _of_two("gelu_grad")
gelu_tanh, gelu_tanh_grad = _of_one("gelu_tanh"), _of_two("gelu_tanh_grad")
silu, sigmoid = _of_one("silu"), _of_one("sigmoid")


def _rows(name: str) -> Callable:
    call = function(name, *_ROWS)

    def kernel(x: Any, y: Any = None, *, axis: int) -> Any:
        """Along the last axis."""
        if call is None or not (fits(x) if y is None else fits(x, y) and x.shape == y.shape):
            return None
        if axis not in (-1, x.ndim - 1) or not x.size:
            return None
        out, width = np.empty_like(x), x.shape[-1]
        call(at(x), None if y is None else at(y), at(out), x.size // width, width)
        return out

    return kernel


softmax, softmax_grad = _rows("softmax"), _rows("softmax_grad")
log_softmax, log_softmax_grad = _rows("log_softmax"), _rows("log_softmax_grad")
