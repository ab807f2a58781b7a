"""tf.signal."""

from ..kinds import *

_COMPLEX = dict(_dtypes=COMPLEX)
_shapes_1 = dict(_shapes=[(4,), (5,), (2, 3), (1,), (2, 1, 8), (0, 4), (0,)])
_shapes_2 = dict(_shapes=[(4, 4), (2, 3), (1, 1), (2, 4, 5), (0, 2, 2)])
_shapes_3 = dict(_shapes=[(2, 4, 4), (1, 2, 3), (2, 2, 2, 2), (1, 1, 1)])
_real = dict(_dtypes=["float32", "float64"])
_length = number(1, 6)
_transform = (
    dict(input=same, type=number(1, 4), n=_length, axis=one_of(-1), norm=one_of(None, "ortho"))
    | _real
    | dict(_shapes=[(4,), (5,), (2, 3), (2, 1, 8)])
)
_nd = dict(
    input_tensor=same,
    fft_length=one_of([2, 3], [4]),
    axes=one_of([0], [-1], [0, 1]),
    norm=one_of("backward", "ortho", "forward", None),
)
_window = dict(window_length=number(0, 7), dtype=dtypes("float32", "float64"), periodic=flag)
_signals = tensor("* 12", "normal")


def _lengths(n):
    return lambda d: [d.integer(1, 6) for _ in range(n)]


TABLE = {
    **{f"signal.{op}": _COMPLEX | _shapes_1 for op in ("fft", "ifft")},
    **{f"signal.{op}": _COMPLEX | _shapes_2 for op in ("fft2d", "ifft2d")},
    **{f"signal.{op}": _COMPLEX | _shapes_3 for op in ("fft3d", "ifft3d")},
    "signal.rfft": dict(fft_length=_lengths(1)) | _real | _shapes_1,
    "signal.rfft2d": dict(fft_length=_lengths(2)) | _real | _shapes_2,
    "signal.rfft3d": dict(fft_length=_lengths(3)) | _real | _shapes_3,
    "signal.irfft": dict(fft_length=_lengths(1)) | _COMPLEX | _shapes_1,
    "signal.irfft2d": dict(fft_length=_lengths(2)) | _COMPLEX | _shapes_2,
    "signal.irfft3d": dict(fft_length=_lengths(3)) | _COMPLEX | _shapes_3,
    **{f"signal.{op}": _nd | _COMPLEX | _shapes_2 for op in ("fftnd", "ifftnd", "irfftnd")},
    "signal.rfftnd": _nd | _real | _shapes_2,
    "signal.dct": _transform,
    "signal.idct": _transform,
    "signal.fftshift": dict(axes=axes),
    "signal.ifftshift": dict(axes=axes),
    "signal.frame": dict(
        signal=_signals,
        frame_length=number(1, 5),
        frame_step=number(1, 4),
        pad_end=flag,
        pad_value=one_of(0, 2),
        axis=one_of(-1),
    ),
    **{f"signal.{op}_window": _window for op in ("hamming", "hann")},
    "signal.kaiser_bessel_derived_window": dict(
        window_length=one_of(2, 4, 6), beta=one_of(12.0, 3.0), dtype=dtypes("float32", "float64")
    ),
    "signal.kaiser_window": dict(
        window_length=number(0, 7), beta=one_of(12.0, 3.0), dtype=dtypes("float32", "float64")
    ),
    "signal.vorbis_window": dict(window_length=number(0, 7), dtype=dtypes("float32", "float64")),
    "signal.linear_to_mel_weight_matrix": dict(
        num_mel_bins=number(2, 6),
        num_spectrogram_bins=number(3, 12),
        sample_rate=one_of(8000, 16000),
        lower_edge_hertz=one_of(100.0),
        upper_edge_hertz=one_of(3000.0),
        dtype=dtypes("float32", "float64"),
    ),
    "signal.mdct": dict(
        signals=_signals, frame_length=one_of(4, 8), window_fn=one_of(None), pad_end=flag, norm=one_of(None, "ortho")
    ),
    "signal.inverse_mdct": dict(mdcts=tensor("* 3 4", "normal"), window_fn=one_of(None), norm=one_of(None, "ortho")),
    "signal.stft": dict(
        signals=_signals,
        frame_length=one_of(4, 5),
        frame_step=one_of(2, 3),
        fft_length=one_of(8, None),
        window_fn=one_of(None),
        pad_end=flag,
    ),
    "signal.inverse_stft": dict(
        stfts=tensor("* 3 5", "normal"),
        frame_length=one_of(8),
        frame_step=one_of(4, 2),
        fft_length=one_of(8, None),
        window_fn=one_of(None),
    )
    | _COMPLEX,
    "signal.mfccs_from_log_mel_spectrograms": dict(log_mel_spectrograms=tensor("b 6", "normal")),
    "signal.overlap_and_add": dict(signal=tensor("* 3 4"), frame_step=number(1, 5)),
}
