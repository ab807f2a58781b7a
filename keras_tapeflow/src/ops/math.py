"""Segments, the largest elements, Fourier transforms and special functions. A complex result is a pair: real and
imaginary part."""

from typing import Any

import numpy as np
from keras.src.backend.common.dtypes import result_type

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .core import dense_tensor as convert_to_tensor
from .floating import alike, floating

# ---- segments


def segment_sum(data, segment_ids, num_segments=None, sorted=False):
    return tf.math.unsorted_segment_sum(*_segments(data, segment_ids, num_segments))


def segment_prod(data, segment_ids, num_segments=None, sorted=False):
    return tf.math.unsorted_segment_prod(*_segments(data, segment_ids, num_segments))


def segment_max(data, segment_ids, num_segments=None, sorted=False):
    """Minus infinity, or the lowest integer, where a segment has no rows."""
    data, ids, count = _segments(data, segment_ids, num_segments)
    empty = -np.inf if data.dtype.is_floating else data.dtype.min
    return ops.unsorted_segment_max(data, ids, num_segments=count, empty=empty)


def segment_min(data, segment_ids, num_segments=None, sorted=False):
    """Infinity, or the highest integer, where a segment has no rows."""
    data, ids, count = _segments(data, segment_ids, num_segments)
    empty = np.inf if data.dtype.is_floating else data.dtype.max
    return ops.unsorted_segment_min(data, ids, num_segments=count, empty=empty)


def _segments(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Tensor, Tensor, int]:
    """Ids that are no segment's become -1, which belongs to none."""
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    if ids.dtype.name not in ("int32", "int64"):
        ids = tf.cast(ids, tf.int32)
    if num_segments is None:
        return data, ids, int(tf.reduce_max(ids)) + 1
    return data, tf.where(ids < num_segments, ids, -1), int(num_segments)


# ---- the largest


def top_k(x, k, sorted=True):
    return tuple(tf.math.top_k(convert_to_tensor(x), k, sorted=sorted))


def in_top_k(targets, predictions, k):
    targets, predictions = convert_to_tensor(targets), convert_to_tensor(predictions)
    if predictions.dtype is not tf.float32:
        predictions = tf.cast(predictions, tf.float32)
    return tf.math.in_top_k(tf.cast(targets, tf.int32), predictions, k)


def logsumexp(x, axis=None, keepdims=False):
    return tf.reduce_logsumexp(floating(x), axis=axis, keepdims=keepdims)


def cdist(x, y):
    """The distance of each row of `x` from each row of `y`. Its gradient is 0 where they are equal."""
    x, y = alike(x, y)
    if x.sizes[-1] != y.sizes[-1]:
        raise ValueError(
            f"Rows of `x` and `y` must have the same length. Received shapes {tuple(x.shape)} and {tuple(y.shape)}."
        )
    return tf.norm(x[..., :, None, :] - y[..., None, :, :], axis=-1)


# ---- Fourier transforms


def _get_complex_tensor_from_tuple(x):
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}")
    real, imag = floating(x[0]), floating(x[1])
    if tuple(real.sizes) != tuple(imag.sizes):
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and imaginary parts "
            f"should have the same shape. Received: x[0].shape = {tuple(real.shape)}, x[1].shape = {tuple(imag.shape)}"
        )
    dtype = result_type(real.dtype, imag.dtype)
    dtype = dtype if dtype in ("float32", "float64") else "float32"
    return tf.complex(convert_to_tensor(real, dtype), convert_to_tensor(imag, dtype))


def _pair(x: Tensor) -> tuple[Tensor, Tensor]:
    return tf.math.real(x), tf.math.imag(x)


def fft(x):
    return _pair(tf.signal.fft(_get_complex_tensor_from_tuple(x)))


def fft2(x):
    return _pair(tf.signal.fft2d(_get_complex_tensor_from_tuple(x)))


def ifft2(x):
    return _pair(tf.signal.ifft2d(_get_complex_tensor_from_tuple(x)))


def rfft(x, fft_length=None):
    return _pair(tf.signal.rfft(_real(x), None if fft_length is None else [fft_length]))


def irfft(x, fft_length=None):
    return tf.signal.irfft(_get_complex_tensor_from_tuple(x), None if fft_length is None else [fft_length])


def _real(x: Any) -> Tensor:
    """Numbers that can be transformed: not halves."""
    x = floating(x)
    return x if x.dtype.size >= 4 else tf.cast(x, tf.float32)


def extract_sequences(x, sequence_length, sequence_stride):
    return tf.signal.frame(convert_to_tensor(x), sequence_length, sequence_stride)


def _window(window: Any, sequence_length: int, fft_length: int, dtype: Any) -> Tensor | None:
    """The window by name or by its values, in the middle of `fft_length` numbers."""
    if window is None:
        return None
    if isinstance(window, str):
        made = {"hann": tf.signal.hann_window, "hamming": tf.signal.hamming_window}
        if window not in made:
            raise ValueError(
                f"If a string is passed to `window`, it must be one of {sorted(made)}. Received: window={window}"
            )
        values = made[window](sequence_length, periodic=True, dtype=dtype)
    else:
        values = convert_to_tensor(window, dtype)
        if tuple(values.sizes) != (sequence_length,):
            raise ValueError(
                "The shape of `window` must be equal to [sequence_length]. Received: "
                f"window.shape={tuple(values.shape)}, sequence_length={sequence_length}"
            )
    before = (fft_length - sequence_length) // 2
    return tf.pad(values, [(before, fft_length - sequence_length - before)])


def _check_length(sequence_length: int, fft_length: int) -> None:
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, fft_length={fft_length}"
        )


def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """The transforms of overlapping parts of `x`, (..., parts, fft_length / 2 + 1). With `center`, part t is around t
    * sequence_stride."""
    x = convert_to_tensor(x)
    if x.dtype not in (tf.float32, tf.float64):
        raise TypeError(f"Invalid input type. Expected `float32` or `float64`. Received: input type={x.dtype.name}")
    _check_length(sequence_length, fft_length)
    if center:
        half = fft_length // 2
        x = tf.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode="REFLECT")
    parts = tf.signal.frame(x, fft_length, sequence_stride)
    shape = _window(window, sequence_length, fft_length, x.dtype)
    return _pair(tf.signal.rfft(parts if shape is None else parts * shape, [fft_length]))


def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """Parts are weighted by the window over the sum of its squares at that place, as if parts went on at both ends."""
    _check_length(sequence_length, fft_length)
    parts = tf.signal.irfft(_get_complex_tensor_from_tuple(x), [fft_length])
    shape = _window(window, sequence_length, fft_length, parts.dtype)
    if shape is not None:
        overlaps = -(-fft_length // sequence_stride)
        filled = tf.pad(tf.square(shape), [(0, overlaps * sequence_stride - fft_length)])
        squares = tf.reduce_sum(tf.reshape(filled, [overlaps, sequence_stride]), axis=0)
        parts = parts * tf.math.divide_no_nan(shape, tf.tile(squares, [overlaps])[:fft_length])
    whole = tf.signal.overlap_and_add(parts, sequence_stride)
    start = fft_length // 2 if center else 0
    if length is not None:
        return whole[..., start : start + length]
    return whole[..., start : whole.sizes[-1] - start]


# ---- elementwise, and a determinant


def rsqrt(x):
    return tf.math.rsqrt(floating(x))


def erf(x):
    return tf.math.erf(floating(x))


def erfc(x):
    return tf.math.erfc(floating(x))


def erfinv(x):
    return tf.math.erfinv(floating(x))


def logdet(x):
    """The logarithm of the absolute value of the determinant."""
    return tf.linalg.slogdet(floating(x))[1]
