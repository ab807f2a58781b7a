"""Window functions: weights that fade a frame in and out."""

import math
from typing import Any

import numpy as np

from tapeflow.api.arrays.made_later import made, numbers
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike

__all__ = ["hamming_window", "hann_window", "kaiser_bessel_derived_window", "kaiser_window", "vorbis_window"]


def _floating(dtype: Any) -> np.dtype:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {found!r}")
    return found.np


def _length(window_length: Any) -> int:
    length = int(window_length)
    if length < 0:
        raise invalid(f"window_length must not be negative, got {length}.")
    return length


def _raised_cosine(window_length: Any, periodic: bool, dtype: Any, a: float, b: float) -> Tensor:
    length, dtype = _length(window_length), _floating(dtype)
    if length == 1:
        return EagerTensor(np.ones(1, dtype))
    period = (
        length if periodic and length % 2 == 0 else length - 1
    )  # odd lengths are symmetric either way, as TensorFlow's
    angles = lambda: numbers(length) * (2 * math.pi) / max(period, 1)
    return made(length, lambda: ops.cast(a - b * ops.cos(angles()), dtype=dtype))


def hann_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A raised cosine from 0 to 1 and back. `periodic` leaves out the last point of an even length, so that repetition
    goes on smoothly.

    Raises:
        ValueError: If `dtype` is not of floats.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A raised cosine from 0.08 to 1 and back, whose nearest side lobe is small.

    Raises:
        ValueError: If `dtype` is not of floats.

    >>> tf.signal.hamming_window(5).numpy()
    array([0.08, 0.54, 1.  , 0.54, 0.08], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(
    window_length: TensorLike, beta: TensorLike = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The window I₀(β √(1 - t²)) / I₀(β) for t from -1 to 1: large `beta` means narrow. It has a gradient with respect
    to `beta`.

    Args:
        beta: How narrow it is.

    >>> tf.signal.kaiser_window(5, beta=3.).numpy().round(3)
    array([0.205, 0.727, 1.   , 0.727, 0.205], dtype=float32)
    """
    length, dtype = _length(window_length), _floating(dtype)
    if length == 1:
        return EagerTensor(np.ones(1, dtype))
    beta = ops.cast(as_tensor(beta), dtype=dtype)
    argument = made(length, lambda: ops.cast(_arch(length), dtype=dtype)) * beta
    return ops.exp(argument - beta) * ops.bessel_ie(argument, nu=0) / ops.bessel_ie(beta, nu=0)


def _arch(length: int) -> Tensor:
    """Half a circle."""
    last = max(length - 1, 1)
    t = (2.0 * numbers(length) - last) / last  # both ends come out exactly
    return ops.sqrt(1.0 - ops.square(t))


def kaiser_bessel_derived_window(
    window_length: TensorLike, beta: TensorLike = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A window made of running sums of `tf.signal.kaiser_window`, whose squares half a window apart add up to 1
    (`tf.signal.mdct` needs that).

    Args:
        beta: How narrow it is.

    >>> window = tf.signal.kaiser_bessel_derived_window(6).numpy()
    >>> (window[:3] ** 2 + window[3:] ** 2).round(5)
    array([1., 1., 1.], dtype=float32)
    """
    half = _length(window_length) // 2
    sums = ops.cumsum(kaiser_window(half + 1, beta, dtype), axis=0, exclusive=False, reverse=False)
    rising = ops.sqrt(ops.getitem(sums, index=((None, half, None),)) / ops.getitem(sums, index=(half,)))
    return ops.concat(rising, ops.flip(rising, axis=(0,)), axis=0)


def vorbis_window(window_length: TensorLike, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """The window sin(π/2 sin²(π(n + ½)/N)), whose squares half a window apart add up to 1.

    Raises:
        ValueError: If `dtype` is not of floats.

    >>> tf.signal.vorbis_window(4).numpy().round(3)
    array([0.228, 0.974, 0.974, 0.228], dtype=float32)
    """
    length, dtype = _length(window_length), _floating(dtype)
    inner = lambda: ops.sin(math.pi / max(length, 1) * (numbers(length) + 0.5))
    return made(length, lambda: ops.cast(ops.sin(math.pi / 2 * ops.square(inner())), dtype=dtype))
