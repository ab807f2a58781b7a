"""Casts between dtypes: `tf.cast`, `tf.saturate_cast`, `tf.bitcast`."""

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import UnimplementedError
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike


def cast(x: AnyTensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`x` in another dtype. Floats lose their fraction on the way to integers, complex numbers their imaginary part.

    Gradients pass between floating and complex dtypes and end at integers and bool.

    >>> tf.cast([1.8, -1.8], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    >>> tf.cast([True, False], tf.float16).numpy()
    array([1., 0.], dtype=float16)
    """
    dtype = as_dtype(dtype)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, dtype), x.indices, x.dense_shape)
    x = as_tensor(x)
    if dtype.np is None:
        raise UnimplementedError(None, None, f"Cast {x.dtype.name} to {dtype.name} is not supported.")
    return x if x.dtype is dtype else ops.cast(x, dtype=dtype.np)


def saturate_cast(value: AnyTensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` in another dtype, where what does not fit, an infinity for one, becomes the nearest number that does.

    >>> tf.saturate_cast([-5, 100, 300], tf.uint8).numpy()
    array([  0, 100, 255], dtype=uint8)
    >>> tf.cast([-5, 100, 300], tf.uint8).numpy()              # cast wraps around
    array([251, 100,  44], dtype=uint8)
    """
    value, dtype = as_tensor(value), as_dtype(dtype)
    if dtype.is_complex:
        real, imag = (ops.real(value), ops.imag(value)) if value.dtype.is_complex else (value, None)
        real = cast(saturate_cast(real, dtype.real_dtype), dtype)
        return real if imag is None else ops.complex(ops.real(real), saturate_cast(imag, dtype.real_dtype))
    if value.dtype.is_complex:
        value = ops.cast(value, dtype=value.dtype.real_dtype.np)
    if (dtype.is_floating or dtype.is_integer) and (value.dtype.is_floating or value.dtype.is_integer):
        low, high = _limits(value.dtype, dtype)
        if low is not None:
            value = ops.minimum(ops.maximum(value, low), high)
    return cast(value, dtype)


def _limits(source: DType, target: DType) -> tuple[Tensor | None, Tensor | None]:
    """The smallest and largest value of `source` that `target` can hold; None where everything fits."""
    (low, high), (least, most) = _range(target), _range(source)
    if low <= least and high >= most and not source.is_floating:  # floats have infinities, which become numbers
        return None, None
    number = float if source.is_floating else int
    least, most = (source.as_numpy_dtype(number(min(max(limit, least), most))) for limit in (low, high))
    zero = source.as_numpy_dtype(0)  # 2**31 - 1 as a float32 is 2**31, which does not fit any more
    most = np.nextafter(most, zero) if number(most) > high else most
    least = np.nextafter(least, zero) if number(least) < low else least
    return EagerTensor(least), EagerTensor(most)


def _range(dtype: DType) -> tuple:
    number = int if dtype.is_integer else float
    return number(dtype.min), number(dtype.max)


def bitcast(input: AnyTensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The same bytes read as another dtype. A wider element becomes a last axis of narrower ones, and the other way
    round.

    Args:
        type: The dtype that the bytes are read as.

    Raises:
        InvalidArgumentError: If the bytes do not divide into elements of it.

    >>> tf.bitcast(1.0, tf.int32).numpy() == 0x3F800000
    np.True_
    >>> tf.bitcast(tf.constant([1, 2], tf.int32), tf.int16).numpy()
    array([[1, 0],
           [2, 0]], dtype=int16)
    """
    return ops.bitcast(as_tensor(input), dtype=as_dtype(type).np)
