"""`np.fft`: Fourier transforms along any axes, differentiable."""

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.api.interop.promotion import cast, promoted, tensor
from tapeflow.core.dtypes import complex64, complex128, float32, float64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .joining import roll
from .registry import axes, like_numpy, numpy_dtype, one_axis
from .shaping import moveaxis

_SIGNAL = "[1.0, 2.0, 0.0, 4.0]"
_IMAGE = "[[1.0, 2.0], [3.0, 5.0]]"


def _complex(a: Any) -> Tensor:
    (a,) = promoted(a, inexact=float64)
    return a if a.dtype.is_complex else cast(a, complex64 if a.dtype is float32 else complex128)


def _fitted(a: Tensor, n: int | None) -> Tensor:
    """The last axis cut or filled with zeros to length n."""
    length = a.sizes[-1]
    if n is None or n == length:
        return a
    if n < length:
        return ops.getitem(a, index=(Ellipsis, (None, n, None)))
    return tf.pad(a, [[0, 0]] * (len(a.sizes) - 1) + [[0, n - length]])


def _scale(y: Tensor, n: int, norm: str | None, inverse: bool) -> Tensor:
    """The transforms below divide by n when inverse; NumPy's other norms differ from that by a factor."""
    factors = {
        None: 1.0,
        "backward": 1.0,
        "ortho": n**0.5 if inverse else n**-0.5,
        "forward": float(n) if inverse else 1.0 / n,
    }
    if norm not in factors:
        raise ValueError(f"Invalid norm value {norm!r}; should be 'backward', 'ortho' or 'forward'.")
    return y if factors[norm] == 1.0 else y * factors[norm]


def _along(
    transform: Callable, a: Tensor, n: int | None, axis: int, norm: str | None, inverse: bool, n_out: int | None = None
) -> Tensor:
    axis = one_axis(axis, len(a.sizes))
    a = _fitted(moveaxis(a, axis, -1), n)
    y = transform(a)
    return moveaxis(_scale(y, n_out or a.sizes[-1], norm, inverse), -1, axis)


@like_numpy(_SIGNAL, within="fft")
def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: None = None) -> Tensor:
    """The discrete Fourier transform along an axis.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """
    return _along(tf.signal.fft, _complex(a), n, axis, norm, False)


@like_numpy(_SIGNAL, within="fft")
def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: None = None) -> Tensor:
    """The inverse transform along an axis.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """
    return _along(tf.signal.ifft, _complex(a), n, axis, norm, True)


@like_numpy(_SIGNAL, within="fft")
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: None = None) -> Tensor:
    """The transform of real numbers: the first half, which says it all.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """
    return _along(tf.signal.rfft, promoted(a, inexact=float64)[0], n, axis, norm, False)


@like_numpy("[1 + 0j, 2 - 1j, 3 + 0j]", within="fft")
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: None = None) -> Tensor:
    """Real numbers back from the first half of their transform.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """
    a = _complex(a)
    length = 2 * (a.sizes[one_axis(axis, len(a.sizes))] - 1) if n is None else n
    transform = lambda x: tf.signal.irfft(_fitted(x, length // 2 + 1), fft_length=[length])
    return _along(transform, a, None, axis, norm, True, length)


def _over(transform: Callable, a: Any, s: Any, taken: Any, norm: str | None) -> Tensor:
    a = _complex(a)
    taken = axes(tuple(range(-len(s), 0)) if taken is None and s is not None else taken, len(a.sizes))
    for axis, n in zip(taken, s or [None] * len(taken)):
        a = transform(a, n, axis, norm)
    return a


@like_numpy(_IMAGE, within="fft")
def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: None = None) -> Tensor:
    """The transform over several axes."""
    return _over(fft, a, s, axes, norm)


@like_numpy(_IMAGE, within="fft")
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: None = None) -> Tensor:
    """The inverse transform over several axes."""
    return _over(ifft, a, s, axes, norm)


@like_numpy(_IMAGE, within="fft")
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: None = None) -> Tensor:
    """The transform over two axes."""
    return _over(fft, a, s, axes, norm)


@like_numpy(_IMAGE, within="fft")
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: None = None) -> Tensor:
    """The inverse transform over two axes."""
    return _over(ifft, a, s, axes, norm)


@like_numpy(_IMAGE, within="fft")
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: None = None) -> Tensor:
    """The transform of real numbers over several axes, halved along the last of them."""
    a = promoted(a, inexact=float64)[0]
    places = _places(a, s, axes)
    sizes = list(s) if s is not None else [None] * len(places)
    y = rfft(a, sizes[-1], places[-1], norm)
    return _over(fft, y, sizes[:-1], places[:-1], norm) if len(places) > 1 else y


@like_numpy("[[1 + 0j, 2 + 1j], [3 + 0j, 4 + 0j]]", within="fft")
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: None = None) -> Tensor:
    """Real numbers back from a transform over several axes."""
    a = _complex(a)
    places = _places(a, s, axes)
    sizes = list(s) if s is not None else [None] * len(places)
    y = _over(ifft, a, sizes[:-1], places[:-1], norm) if len(places) > 1 else a
    return irfft(y, sizes[-1], places[-1], norm)


@like_numpy(_IMAGE, within="fft")
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: None = None) -> Tensor:
    """The transform of real numbers over two axes."""
    return rfftn(a, s, axes, norm)


@like_numpy("[[1 + 0j, 2 + 1j], [3 + 0j, 4 + 0j]]", within="fft")
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: None = None) -> Tensor:
    """Real numbers back from a transform over two axes."""
    return irfftn(a, s, axes, norm)


def _places(a: Tensor, s: Any, taken: Any) -> tuple:
    return axes(tuple(range(-len(s), 0)) if taken is None and s is not None else taken, len(a.sizes))


@like_numpy(_SIGNAL, within="fft")
def fftshift(x: Any, axes: Any = None) -> Tensor:
    """Frequency zero moved to the middle."""
    return _shifted(x, axes, lambda d: d // 2)


@like_numpy(_SIGNAL, within="fft")
def ifftshift(x: Any, axes: Any = None) -> Tensor:
    """Frequency zero moved from the middle to the front."""
    return _shifted(x, axes, lambda d: -(d // 2))


def _shifted(x: Any, taken: Any, by: Callable) -> Tensor:
    x = tensor(x)
    places = axes(taken, len(x.sizes))
    return roll(x, [by(x.sizes[i]) for i in places], places)


@like_numpy("4, 0.5", within="fft")
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of `fft`.

    Args:
        n: How many samples there are.
    """
    return tensor(np.fft.fftfreq(n, d), numpy_dtype(dtype))


@like_numpy("4, 0.5", within="fft")
def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of `rfft`.

    Args:
        n: How many samples there are.
    """
    return tensor(np.fft.rfftfreq(n, d), numpy_dtype(dtype))
