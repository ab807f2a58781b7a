"""`tf.audio`: WAV files of 16 bits."""

import io
import wave
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import EagerTensor, Tensor

__all__ = ["decode_wav", "encode_wav"]

_TOP = 1 << 15  # the level that 1.0 would be


class DecodeWav(NamedTuple):
    """What is in a WAV file."""

    audio: Tensor
    sample_rate: Tensor


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """A WAV file, as a string tensor, from samples `[frames, channels]` between -1 and 1.

    >>> tf.audio.encode_wav([[0.], [0.5]], 8000).numpy()[:4]
    b'RIFF'
    """
    samples = as_tensor(audio)
    if samples.ndim != 2:
        raise InvalidArgumentError(
            None, None, f"audio must be 2-dimensional, [frames, channels]; got shape {tuple(samples.shape)}."
        )
    rate = int(as_tensor(sample_rate))
    if rate <= 0:
        raise InvalidArgumentError(None, None, f"sample_rate must be positive, got {rate}.")
    return EagerTensor(np.array(wav_file(samples.numpy(), rate), object))


def wav_file(samples: np.ndarray, rate: int) -> bytes:
    """The same, on arrays."""
    levels = samples.astype(np.float64) * _TOP
    levels = np.trunc(levels + np.copysign(0.5, levels))  # a half goes away from zero
    levels = np.clip(levels, -_TOP, _TOP - 1).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((samples.shape[1], 2, rate, len(samples), "NONE", "not compressed"))
        out.writeframes(levels.tobytes())
    return file.getvalue()


def decode_wav(contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None) -> DecodeWav:
    """The samples `[frames, channels]` of a WAV file, between -1 and 1, and their rate. Frames are cut off or filled with silence for
    `desired_samples`, and channels left out or repeated for `desired_channels`.

    >>> audio, rate = tf.audio.decode_wav(tf.audio.encode_wav([[0.], [0.5]], 8000))
    >>> audio.numpy().tolist(), rate.numpy()
    ([[0.0], [0.5]], np.int32(8000))
    """
    data = bytes(as_tensor(contents).numpy())
    if data[:4] != b"RIFF":
        raise InvalidArgumentError(None, None, f"Header mismatch: Expected RIFF but found {data[:4].decode(errors='replace')}")
    try:
        with wave.open(io.BytesIO(data)) as file:
            rate, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
            count, frames = file.getnframes(), file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise InvalidArgumentError(None, None, f"This is not a WAV file that can be read: {error}") from error
    if width != 2:
        raise InvalidArgumentError(None, None, f"Can only read 16-bit WAV files, but received {8 * width}")
    if len(frames) != 2 * channels * count:
        raise InvalidArgumentError(
            None, None, f"The WAV file is cut off: {count} frames were announced, and {len(frames)} bytes follow."
        )
    samples = (np.frombuffer(frames, "<i2") / np.float32(_TOP)).astype(np.float32).reshape(-1, channels)
    if desired_samples != -1:
        samples = np.concatenate(
            [samples[:desired_samples], np.zeros((max(0, desired_samples - len(samples)), channels), np.float32)]
        )
    if desired_channels != -1:
        samples = samples[:, np.minimum(np.arange(desired_channels), channels - 1)]
    return DecodeWav(EagerTensor(samples), EagerTensor(np.int32(rate)))
