"""Complex numbers from parts and their parts. The gradient of a real value with respect to a + ib is ∂/∂a + i ∂/∂b."""

import math

from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import DType, float32, float64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """real + i·imag: complex64 from float32, complex128 from float64.

    Args:
        real: The real parts, float32 or float64.
        imag: The imaginary parts, of the same dtype.

    Raises:
        TypeError: If the dtypes differ.

    >>> tf.complex([1., 2.], 3.).numpy()
    array([1.+3.j, 2.+3.j], dtype=complex64)
    """
    real, imag = as_tensor(real), as_tensor(imag)
    if real.dtype is not imag.dtype or real.dtype not in (float32, float64):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. "
            "They must be consistent, and one of [tf.float32, tf.float64]; cast them with tf.cast."
        )
    return ops.complex(real, imag)


def _numeric(x: Tensor) -> Tensor:
    if x.dtype.kind not in "fciu":
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
    return x


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part; a real tensor is its own.

    >>> tf.math.real([1 + 2j, 3 - 4j]).numpy()
    array([1., 3.])
    """
    x = as_tensor(input)
    return ops.real(x) if x.dtype.is_complex else _numeric(x)


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; that of a real tensor is 0.

    >>> tf.math.imag([1 + 2j, 3 - 4j]).numpy()
    array([ 2., -4.])
    """
    x = as_tensor(input)
    return ops.imag(x) if x.dtype.is_complex else ops.zeros_like(x)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate; a real tensor is its own.

    >>> tf.math.conj([1 + 2j, 3 - 4j]).numpy()
    array([1.-2.j, 3.+4.j])
    """
    x = _numeric(as_tensor(x))
    return ops.conj(x) if x.dtype.is_complex else x


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The angle of a complex number, from -π to π; 0 or π for a real one. The gradient at 0 is 0.

    >>> tf.math.angle([1j, -1 + 0j]).numpy().round(4)
    array([1.5708, 3.1416])
    """
    x = as_tensor(input)
    if x.dtype.is_complex:
        return ops.angle(x)
    _needs_floating(x.dtype)
    return ops.where(x < 0, math.pi, ops.zeros_like(x))


def _needs_floating(dtype: DType) -> None:
    if not dtype.is_floating:
        raise TypeError(
            f"angle takes complex and floating tensors, not {dtype.name}. Cast it: tf.cast(x, tf.float32)."
        )
