"""Frames and what is made of them: short-time transforms that come back, mel spectra. Literal numbers are
TensorFlow's."""

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.samples.sample import complex_normal, normal
from tests.ops.test_registry import check_gradients

X = np.arange(20.0, dtype=np.float32) ** np.float32(1.1)


def check(f, x):
    check_gradients(lambda t: [f(t)], [tf.constant(x)], "f", 2, 1e-4)


@pytest.mark.parametrize(
    ("samples", "length", "step", "pad", "want"),
    [
        (5, 3, 2, False, [[0, 1, 2], [2, 3, 4]]),
        (5, 3, 2, True, [[0, 1, 2], [2, 3, 4], [4, 9, 9]]),
        (3, 4, 5, True, [[0, 1, 2, 9]]),
        (5, 2, 4, True, [[0, 1], [4, 9]]),
        (4, 1, 3, False, [[0], [3]]),
    ],
)
def test_frame(samples, length, step, pad, want):
    assert tf.signal.frame(tf.range(samples), length, step, pad_end=pad, pad_value=9).numpy().tolist() == want


def test_frames_of_too_short_a_signal():
    assert tf.signal.frame(tf.range(3.0), 4, 5).shape == (0, 4)
    assert tf.signal.frame(tf.ones([2, 0]), 4, 5, pad_end=True).shape == (2, 0, 4)


@pytest.mark.parametrize("axis", [0, 1, -1, 2])
def test_frame_along_an_axis(axis):
    x = normal(4, 5, 6)
    got = tf.signal.frame(x, 2, 2, axis=axis).numpy()
    place = axis % 3
    want = np.stack([np.take(x, range(s, s + 2), place) for s in range(0, x.shape[place] - 1, 2)], place)
    np.testing.assert_array_equal(got, want)


def test_frame_gradient():
    check(lambda x: tf.signal.frame(x, 3, 2, pad_end=True, pad_value=7.0, axis=0), normal(6, 2))
    check(lambda x: tf.signal.frame(x, 2, 3), complex_normal(2, 8))


@pytest.mark.parametrize(("length", "step"), [(2, 0), (-1, 1)])
def test_frame_needs_positive_steps(length, step):
    with pytest.raises(tf.errors.InvalidArgumentError, match="frame_step"):
        tf.signal.frame(tf.range(4.0), length, step)


def test_overlap_and_add_errors():
    with pytest.raises(ValueError, match="rank at least 2"):
        tf.signal.overlap_and_add(tf.range(3.0), 1)
    with pytest.raises(ValueError, match="frame_step"):
        tf.signal.overlap_and_add(tf.ones([2, 3]), 0)


def test_stft_numbers():
    out = tf.signal.stft(X, 6, 4).numpy()
    assert out.shape == (4, 5)  # 6 samples go into a transform of length 8
    np.testing.assert_allclose(out[0, :3], [10.120398, -6.6751986 - 3.1138659j, 1.8384347 + 1.6300969j], rtol=1e-4)
    assert tf.signal.stft(X, 6, 4, fft_length=9, pad_end=True).shape == (5, 5)
    np.testing.assert_allclose(tf.signal.stft(X, 6, 4, window_fn=None).numpy()[0, 0], X[:6].sum(), rtol=1e-6)


@pytest.mark.parametrize(("length", "step", "fft_length"), [(6, 3, None), (8, 2, 16), (8, 3, None), (10, 5, 10)])
def test_stft_comes_back(length, step, fft_length):
    x = normal(2, 50)
    spectra = tf.signal.stft(x, length, step, fft_length)
    back = tf.signal.inverse_stft(
        spectra, length, step, fft_length, window_fn=tf.signal.inverse_stft_window_fn(step)
    ).numpy()
    inner = slice(length, back.shape[-1] - length)
    np.testing.assert_allclose(back[:, inner], x[:, inner], atol=1e-10)


def test_inverse_stft_numbers():
    spectra = tf.signal.stft(X, 6, 3)
    np.testing.assert_allclose(
        tf.signal.inverse_stft(spectra, 6, 3).numpy()[:4], [0, 0.0625, 1.205745, 3.3483696], atol=1e-5
    )
    np.testing.assert_allclose(
        tf.signal.inverse_stft(spectra, 6, 3, window_fn=None).numpy()[:4], [0, 0.25, 1.60766, 3.348369], atol=1e-5
    )
    longer = tf.signal.inverse_stft(tf.signal.stft(X, 8, 3, fft_length=8), 10, 3, fft_length=8).numpy()
    np.testing.assert_allclose(longer[1:5], [0.0139844, 0.3702886, 1.8705932, 4.2202854], rtol=1e-4)


def test_inverse_window_numbers():
    got = tf.signal.inverse_stft_window_fn(3)(8, tf.float32).numpy()
    np.testing.assert_allclose(got[:5], [0, 0.1404234, 0.5109583, 0.8722604, 0.958871], atol=1e-6)
    got = tf.signal.inverse_stft_window_fn(4, tf.signal.hamming_window)(8, tf.float64).numpy()
    np.testing.assert_allclose(got[:3], [0.07949126, 0.2701697, 0.92592593], rtol=1e-6)


def test_stft_gradient():
    check(lambda x: tf.signal.stft(x, 6, 3), normal(14))
    check(lambda x: tf.signal.inverse_stft(tf.signal.stft(x, 6, 3), 6, 3), normal(14))


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("window", [tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None])
def test_mdct_comes_back(norm, window):
    x = normal(2, 24)
    back = tf.signal.inverse_mdct(tf.signal.mdct(x, 8, window, norm=norm), window, norm=norm).numpy()
    np.testing.assert_allclose(back[:, 4:-4], x[:, 4:-4], atol=1e-10)
    check(lambda x: tf.signal.mdct(x, 8, window, norm=norm), x)


def test_mdct_numbers():
    x = tf.range(26.0) ** 1.1
    np.testing.assert_allclose(
        tf.signal.mdct(x, 8).numpy()[0], [-29.498594, -4.0701694, -3.1799486, -0.4240577], rtol=1e-4
    )
    np.testing.assert_allclose(
        tf.signal.mdct(x, 8, window_fn=None).numpy()[0], [-36.450035, -6.1890764, 5.6459508, 4.3396788], rtol=1e-4
    )
    assert tf.signal.mdct(x, 8, pad_end=True).shape == (7, 4)
    with pytest.raises(ValueError, match="multiple of 4"):
        tf.signal.mdct(x, 6)


def test_mel_numbers():
    matrix = tf.signal.linear_to_mel_weight_matrix().numpy()
    assert matrix.shape == (129, 20) and not matrix[0].any()
    np.testing.assert_allclose(matrix.sum(0)[:5], [2.2854714, 2.4851954, 2.7095313, 2.9776316, 3.2053003], rtol=1e-4)
    np.testing.assert_allclose(
        tf.signal.linear_to_mel_weight_matrix(4, 9).numpy()[1, :2], [0.8956538, 0.1043461], rtol=1e-4
    )
    assert tf.signal.linear_to_mel_weight_matrix(dtype=tf.float64).dtype == tf.float64


@pytest.mark.parametrize(
    "kwargs",
    [
        {"num_mel_bins": 0},
        {"lower_edge_hertz": -1.0},
        {"lower_edge_hertz": 5000.0},
        {"upper_edge_hertz": 9000.0},
        {"dtype": tf.int32},
        {"sample_rate": -1},
    ],
)
def test_mel_errors(kwargs):
    with pytest.raises(ValueError, match=r"must|>="):
        tf.signal.linear_to_mel_weight_matrix(**kwargs)


def test_mfccs():
    x = normal(2, 3, 8)
    out = tf.signal.mfccs_from_log_mel_spectrograms(x).numpy()
    np.testing.assert_allclose(out[..., 0], 2 * x.sum(-1) / 4)
    with pytest.raises(ValueError, match="positive"):
        tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))
