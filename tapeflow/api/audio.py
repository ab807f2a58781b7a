"""`tf.audio`: WAV files of 16 bits."""

import io
import struct
import wave
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tapeflow.api.strings.host import one_string
from tapeflow.core.apply import array_of, as_tensor
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike, TextLike

__all__ = ["decode_wav", "encode_wav"]

_TOP = 1 << 15  # the level that 1.0 would be


class DecodeWav(NamedTuple):
    """What is in a WAV file."""

    audio: Tensor
    sample_rate: Tensor


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """A WAV file, as a string tensor, from samples `[frames, channels]` between -1 and 1.

    Args:
        audio: The samples, (frames, channels).
        sample_rate: Frames per second.

    Raises:
        InvalidArgumentError: If `audio` does not have two axes.

    >>> tf.audio.encode_wav([[0.], [0.5]], 8000).numpy()[:4]
    b'RIFF'
    """
    samples = as_tensor(audio)
    if samples.ndim != 2:
        raise InvalidArgumentError(
            None, None, f"audio must be 2-dimensional, [frames, channels]; got shape {tuple(samples.shape)}."
        )
    rate = int(array_of(sample_rate))
    if rate <= 0:
        raise InvalidArgumentError(None, None, f"sample_rate must be positive, got {rate}.")
    return EagerTensor(np.array(wav_file(array_of(samples), rate), object))


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


def decode_wav(
    contents: TextLike, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """The samples `[frames, channels]` of a WAV file, between -1 and 1, and their rate. Frames are cut off or filled
    with silence for `desired_samples`, and channels left out or repeated for `desired_channels`.

    Args:
        contents: The bytes of the file, a scalar string.
        desired_channels: How many channels; -1: as many as there are.
        desired_samples: How many frames; -1: as many as there are.

    Returns:
        A named tuple: `audio`, float32, and `sample_rate`, int32.

    Raises:
        InvalidArgumentError: If it is no such file.

    >>> audio, rate = tf.audio.decode_wav(tf.audio.encode_wav([[0.], [0.5]], 8000))
    >>> audio.numpy().tolist(), rate.numpy()
    ([[0.0], [0.5]], np.int32(8000))
    """
    samples, rate = _read_wav(one_string(contents, "`contents`"))
    channels = samples.shape[1]
    if desired_samples != -1:
        samples = np.concatenate(
            [samples[:desired_samples], np.zeros((max(0, desired_samples - len(samples)), channels), np.float32)]
        )
    if desired_channels != -1:
        samples = samples[:, np.minimum(np.arange(desired_channels), channels - 1)]
    return DecodeWav(EagerTensor(samples), EagerTensor(np.int32(rate)))


def _read_wav(data: bytes) -> tuple[np.ndarray, int]:
    """The samples and the rate. Python's `wave` raises errors of many kinds, or without a text, for damaged files."""
    channels = rate = 0
    for name, chunk, announced in _chunks(data):
        if name == b"fmt ":
            if len(chunk) < 16:
                raise _too_short("format", 16, len(chunk))
            kind, channels, rate, speed, width, bits = struct.unpack_from("<HHIIHH", chunk)
            if kind not in (1, 0xFFFE):
                raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
            if bits != 16:
                raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
            if not channels:
                raise invalid("Bad number of channels for WAV: Expected at least 1, but got 0")
            if width != 2 * channels or speed != rate * width or rate >= 2**31:
                raise invalid(
                    f"Bad bytes per second in WAV header: Expected {rate * 2 * channels} but got {speed} "
                    f"(sample_rate={rate}, channels={channels}, bytes_per_sample={width})"
                )
        if name == b"data":
            if not channels:
                raise invalid(
                    "The WAV file has samples, but does not say of which format: its chunk 'fmt ' is missing."
                )
            if len(chunk) != announced or announced % (2 * channels):
                raise invalid(
                    f"The WAV file is cut off: {announced} bytes of samples were announced, and {len(chunk)} bytes "
                    "follow."
                )
            return (np.frombuffer(chunk, "<i2") / np.float32(_TOP)).astype(np.float32).reshape(-1, channels), rate
    raise invalid(
        f"Data too short when trying to read string: the {len(data)} bytes of the WAV file have no chunk 'data'."
    )


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Name, content and announced length of each part of the file, which may be cut off."""
    if data[:4] != b"RIFF"[: len(data)]:
        raise invalid(f"Header mismatch: Expected RIFF but found {data[:4].decode(errors='replace')}")
    if len(data) < 12:
        raise _too_short("header", 12, len(data))
    if data[8:12] != b"WAVE":
        raise invalid(f"Header mismatch: Expected WAVE but found {data[8:12].decode(errors='replace')}")
    place = 12
    while place + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, place)
        yield name, data[place + 8 : place + 8 + length], length
        place += 8 + length + length % 2


def _too_short(what: str, wanted: int, found: int) -> InvalidArgumentError:
    return invalid(
        f"Data too short when trying to read string: the WAV file's {what} has {wanted} bytes, and {found} are there."
    )
