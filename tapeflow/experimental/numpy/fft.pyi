"""`np.fft` on tensors. `fft.pyi` shows its functions to type checkers.

Written by `scripts/numpy_types.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.interop.numpy_functions.linear import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from tapeflow.core.dtypes import DType
from tapeflow.core.tensor import Tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

def fft(
    a: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The discrete Fourier transform along an axis.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """

def fft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The transform over two axes.
    """

def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """The frequencies of `fft`.

    Args:
        n: How many samples there are.
    """

def fftn(
    a: Any,
    s: Any = None,
    axes: Any = None,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The transform over several axes.
    """

def fftshift(
    x: Any,
    axes: Any = None,
) -> Tensor:
    """Frequency zero moved to the middle.
    """

def ifft(
    a: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The inverse transform along an axis.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """

def ifft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The inverse transform over two axes.
    """

def ifftn(
    a: Any,
    s: Any = None,
    axes: Any = None,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The inverse transform over several axes.
    """

def ifftshift(
    x: Any,
    axes: Any = None,
) -> Tensor:
    """Frequency zero moved from the middle to the front.
    """

def irfft(
    a: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """Real numbers back from the first half of their transform.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """

def irfft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """Real numbers back from a transform over two axes.
    """

def irfftn(
    a: Any,
    s: Any = None,
    axes: Any = None,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """Real numbers back from a transform over several axes.
    """

def rfft(
    a: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The transform of real numbers: the first half, which says it all.

    Args:
        n: The length along the axis, to which it is cut or filled up with zeros; None: as it is.
    """

def rfft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The transform of real numbers over two axes.
    """

def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """The frequencies of `rfft`.

    Args:
        n: How many samples there are.
    """

def rfftn(
    a: Any,
    s: Any = None,
    axes: Any = None,
    norm: str | None = None,
    out: None = None,
) -> Tensor:
    """The transform of real numbers over several axes, halved along the last of them.
    """
