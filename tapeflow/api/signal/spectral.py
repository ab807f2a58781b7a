"""Signals in overlapping frames: short-time Fourier and cosine transforms, and mel spectra."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arguments import one_axis
from tapeflow.api.arrays.made_later import made, numbers
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike

from .cosine import dct
from .fourier import fitted, irfft, rfft
from .windows import hann_window, vorbis_window

__all__ = [
    "frame", "inverse_mdct", "inverse_stft", "inverse_stft_window_fn", "linear_to_mel_weight_matrix", "mdct",
    "mfccs_from_log_mel_spectrograms", "overlap_and_add", "stft",
]  # fmt: skip


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Pieces of `frame_length` that begin every `frame_step` along `axis`, which becomes two: which frame, and where
    in it.

    Samples at the end that fill no frame are left out, or with `pad_end` filled up with `pad_value`.

    Args:
        pad_value: What stands beyond the end.

    Returns:
        Frames: `axis` becomes two, (frames, frame_length).

    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2, pad_end=True)[-1].numpy()
    array([5, 0, 0], dtype=int32)
    """
    x = as_tensor(signal)
    length, step = int(frame_length), int(frame_step)
    if length < 0 or step < 1:
        raise invalid(f"frame_length must not be negative and frame_step must be positive, got {length} and {step}.")
    axis = one_axis(axis, x.ndim)
    if axis != x.ndim - 1:
        others = [i for i in range(x.ndim) if i != axis]
        x = ops.transpose(x, perm=(*others, axis))
    if pad_end:
        samples = x.sizes[-1]
        missing = max(0, (-(-samples // step) - 1) * step + length - samples)
        if missing:
            filler = ops.broadcast_to(to_tensor(pad_value, x.dtype), shape=(*x.sizes[:-1], missing))
            x = ops.concat(x, filler, axis=x.ndim - 1)
    frames = ops.frame(x, length=length, step=step)
    if axis == x.ndim - 1:
        return frames
    rank = frames.ndim
    return ops.transpose(frames, perm=(*range(axis), rank - 2, rank - 1, *range(axis, rank - 2)))


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Frames (the last two axes) laid over each other, each `frame_step` after the one before, and summed.

    Raises:
        ValueError: If it has less than two axes.

    >>> tf.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 2).numpy()
    array([ 1,  2, 13, 20, 30], dtype=int32)
    """
    signal = as_tensor(signal)
    if signal.ndim < 2:
        raise ValueError(f"Shape {tuple(signal.shape)} must have rank at least 2: frames, and samples in them.")
    if int(frame_step) < 1:
        raise ValueError(f"frame_step must be positive, got {int(frame_step)}.")
    return ops.overlap_and_add(signal, step=int(frame_step))


# ---- short-time Fourier transforms


def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectra (`tf.signal.rfft`) of overlapping frames, each multiplied by a window.

    `fft_length` is by default the next power of 2; `window_fn(length, dtype=…)` makes the window, None is none.

    Args:
        fft_length: The length of the transform; None: the next power of 2.

    Returns:
        Spectra, complex: (..., frames, fft_length // 2 + 1).

    >>> tf.signal.stft(tf.sin(tf.range(1000.)), frame_length=256, frame_step=128).shape
    TensorShape([6, 129])
    """
    signals = as_tensor(signals)
    frames = frame(signals, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(int(frame_length), dtype=frames.dtype)
    return rfft(frames, [_fft_length(fft_length, int(frame_length))])


def _fft_length(fft_length: Any, frame_length: int) -> int:
    return 1 << max(frame_length - 1, 0).bit_length() if fft_length is None else int(fft_length)


def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal from its spectra: each turned back into a frame, multiplied by a window, laid over each other and
    summed.

    To get back what went into `tf.signal.stft`, give `window_fn=tf.signal.inverse_stft_window_fn(frame_step)`.

    Args:
        stfts: Spectra, complex: (..., frames, fft_length // 2 + 1).
        fft_length: The length of the transform; None: the next power of 2.

    Returns:
        The samples, along the last axis.

    >>> x = tf.sin(tf.range(12.))
    >>> back = tf.signal.inverse_stft(tf.signal.stft(x, 4, 2), 4, 2, window_fn=tf.signal.inverse_stft_window_fn(2))
    >>> np.allclose(back[2:10].numpy(), x[2:10].numpy(), atol=1e-6)
    True
    """
    length = int(frame_length)
    frames = irfft(stfts, [_fft_length(fft_length, length)])
    frames = fitted(frames, (frames.ndim - 1,), (length,))
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """The window function for `tf.signal.inverse_stft` that undoes `forward_window_fn`: divided by the squares that
    overlap.

    Args:
        forward_window_fn: The window of `tf.signal.stft`.

    Returns:
        A function of a length and a dtype that gives a window, as `window_fn` of `inverse_stft` is.

    >>> tf.signal.inverse_stft_window_fn(2)(4, tf.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)
    """
    step = int(frame_step)

    def inverse_window(frame_length: Any, dtype: Any) -> Tensor:
        length = int(frame_length)
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = fitted(ops.square(window), (0,), (overlaps * step,))
        total = ops.reduce_sum(ops.reshape(squares, shape=(overlaps, step)), axis=(0,), keepdims=True)
        repeated = ops.reshape(ops.broadcast_to(total, shape=(overlaps, step)), shape=(overlaps * step,))
        return window / fitted(repeated, (0,), (length,))

    return inverse_window


# ---- the modified cosine transform


def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform: frames that overlap by half, each of `frame_length` samples giving half
    as many numbers.

    `frame_length` is a multiple of 4. Without `window_fn` the window is constant, 1/√2.

    Raises:
        ValueError: If `frame_length` is no multiple of 4.

    >>> tf.signal.mdct(tf.range(16.), 8).shape
    TensorShape([3, 4])
    """
    length = int(frame_length)
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    half, quarter = length // 2, length // 4
    frames = frame(signals, length, half, pad_end)
    frames = frames * _mdct_window(window_fn, length, frames)
    a, b, c, d = (ops.getitem(frames, index=(Ellipsis, (k * quarter, (k + 1) * quarter, None))) for k in range(4))
    axis = frames.ndim - 1
    backwards = lambda x: ops.flip(x, axis=(axis,))
    folded = ops.concat(-backwards(c) - d, a - backwards(b), axis=axis)
    return dct(folded, type=4, norm=norm)


def _mdct_window(window_fn: Callable | None, length: int, like: Tensor) -> Any:
    return 1 / math.sqrt(2) if window_fn is None else window_fn(length, dtype=like.dtype)


def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal from what `tf.signal.mdct` gave, with the same window: exact but for the first and last half frame.

    Args:
        mdcts: What `tf.signal.mdct` gave: (..., frames, half a frame's length).

    >>> x = tf.range(16.)
    >>> tf.signal.inverse_mdct(tf.signal.mdct(x, 8))[4:12].numpy().round(4)
    array([ 4.,  5.,  6.,  7.,  8.,  9., 10., 11.], dtype=float32)
    """
    mdcts = as_tensor(mdcts)
    half = mdcts.sizes[-1]
    axis = mdcts.ndim - 1
    folded = dct(mdcts, type=4, norm=norm)
    if norm is None:
        folded = folded * (0.5 / half)
    first, second = (
        ops.getitem(folded, index=(Ellipsis, (k * half // 2, (k + 1) * half // 2, None))) for k in range(2)
    )
    backwards = lambda x: ops.flip(x, axis=(axis,))
    frames = ops.concat(second, -backwards(second), -backwards(first), -first, axis=axis)
    return overlap_and_add(frames * _mdct_window(window_fn, 2 * half, frames), half)


# ---- mel spectra


def linear_to_mel_weight_matrix(
    num_mel_bins: TensorLike = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: TensorLike = 125.0,
    upper_edge_hertz: TensorLike = 3800.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """A matrix that turns a spectrum over frequencies into one over mel bands: overlapping triangles, equally wide on
    the mel scale.

    Args:
        num_mel_bins: How many bands.
        num_spectrogram_bins: How many frequencies a spectrum has, from 0 to half the sample rate.
        sample_rate: Samples per second.
        lower_edge_hertz: Where the lowest band begins.
        upper_edge_hertz: Where the highest band ends.

    Returns:
        A matrix, (num_spectrogram_bins, num_mel_bins): `spectra @ matrix` are mel spectra.

    Raises:
        ValueError: If the edges are not between 0 and half the sample rate, in order.

    >>> tf.signal.linear_to_mel_weight_matrix(2, 6).numpy().round(2)
    array([[0.  , 0.  ],
           [0.94, 0.06],
           [0.19, 0.81],
           [0.  , 0.66],
           [0.  , 0.25],
           [0.  , 0.  ]], dtype=float32)
    """
    bands, bins, rate = int(num_mel_bins), int(num_spectrogram_bins), float(sample_rate)
    low, high, found = float(lower_edge_hertz), float(upper_edge_hertz), as_dtype(dtype)
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if low < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low} >= upper_edge_hertz {high}")
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if high > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got {high} for "
            f"sample_rate: {rate}"
        )
    if not found.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {found!r}")
    return made(bins * bands, lambda: ops.cast(_mel_weights(bands, bins, rate, low, high), dtype=found.np))


def _mel_weights(bands: int, bins: int, rate: float, low: float, high: float) -> Tensor:
    mel = lambda hertz: 1127.0 * math.log1p(hertz / 700.0)
    width = (mel(high) - mel(low)) / (bands + 1)
    lowest = mel(low) + width * numbers(bands)  # where bands begin
    hertz = ops.reshape(numbers(bins) * (rate / 2 / max(bins - 1, 1)), shape=(bins, 1))
    rising = (1127.0 * ops.log1p(hertz / 700.0) - lowest) / width
    weights = ops.maximum(ops.minimum(rising, 2.0 - rising), np.float64(0.0))
    return ops.where(ops.greater(hertz, np.float64(0.0)), weights, np.float64(0.0))  # the constant has no weight


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: the cosine transform of log mel spectra, scaled as HTK does.

    Args:
        log_mel_spectrograms: Logarithms of mel spectra, the bands in the last axis.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([[1., 1., 1., 1.]]).numpy().round(4)
    array([[2.8284, 0.    , 0.    , 0.    ]], dtype=float32)
    """
    x = as_tensor(log_mel_spectrograms)
    bands = x.sizes[-1]
    if bands == 0:
        raise ValueError(f"num_mel_bins must be positive. Got a tensor of shape {tuple(x.shape)}.")
    return dct(x, type=2) * (1.0 / math.sqrt(2.0 * bands))
