"""`tf.audio`."""

import numpy as np
import pytest

import tapeflow as tf


def test_wav_files():
    encoded = tf.audio.encode_wav([[0.5], [-0.25], [2.0]], 8000)
    assert encoded.numpy() == (
        b"RIFF*\x00\x00\x00WAVEfmt "
        b"\x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x06\x00\x00\x00"
        b"\x00@\x00\xe0\xff\x7f"
    )
    audio, rate = tf.audio.decode_wav(encoded)
    np.testing.assert_allclose(audio, [[0.5], [-0.25], [0.9999695]])
    assert rate.numpy() == 8000 and audio.dtype is tf.float32
    assert tf.audio.decode_wav(encoded, desired_channels=2).audio.numpy()[0].tolist() == [0.5, 0.5]
    assert tf.audio.decode_wav(encoded, desired_samples=5).audio.numpy()[3:].tolist() == [[0], [0]]
    assert tf.audio.decode_wav(encoded, desired_samples=2).audio.shape == [2, 1]
    for broken, text in ((b"junk", "Expected RIFF but found junk"), (b"RIFF1234WAVE", "Data too short")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.audio.decode_wav(broken)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2-dimensional"):
        tf.audio.encode_wav([0.5], 8000)


@pytest.mark.parametrize("size", [20, 36, 43, 44, 45, 46])
def test_wav_files_that_are_cut_off(size):
    data = tf.audio.encode_wav([[0.0], [0.5]], 8000).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.audio.decode_wav(data[:size])


def test_wav_files_that_announce_more_than_they_have():
    data = tf.audio.encode_wav([[0.0], [0.5]], 8000).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="cut off"):
        tf.audio.decode_wav(data[:40] + b"\xff\xff\xff\x7f" + data[44:])
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate must be positive, got 0"):
        tf.audio.encode_wav([[0.0]], 0)
