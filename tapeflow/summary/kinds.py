"""Summaries that TensorBoard has a dashboard for: scalars, histograms, images, audio, text.

What is written is made at the time of writing, from arrays; see `recording.recorded`.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.audio import wav_file
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32, float64, string, uint8
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import EagerTensor, Tensor

from .protos import metadata
from .recording import one_value, recorded
from .state import summary_scope, wanted

__all__ = ["audio", "histogram", "image", "scalar", "text"]

_BUCKETS = 30
_WAV = b"\x10\x0b"  # the audio plugin's data: field 2, the encoding, is 11


def _summary(
    kind: str,
    plugin: str,
    name: str | None,
    data: Any,
    step: Any,
    description: Any,
    make: Callable,
    content: bytes = b"",
) -> Tensor:
    """Writes what `make` makes of the data under the name, for one of TensorBoard's plugins."""
    with summary_scope(name, f"{kind}_summary") as (tag, _):
        if wanted() is False:
            return EagerTensor(np.bool_(False))
        about = metadata(plugin, description, content)
        return recorded(lambda tensor: one_value(tag, make(tensor), about), _tensor(data), step, kind)


def _tensor(data: Any) -> Tensor:
    """The data, or what a function gives that is called only when something is written."""
    return as_tensor(
        data() if callable(data) and not isinstance(data, Tensor) and not hasattr(data, "dtype") else data
    )


def _check_rank(data: Any, rank: int, axes: str) -> Tensor:
    data = _tensor(data)
    if data.sizes.rank not in (rank, None):
        raise ValueError(
            f"Tensor must have rank {rank}.  Received rank {data.shape.rank}, shape {tuple(data.shape)}: the axes "
            f"are {axes}."
        )
    return data


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes a number, for TensorBoard's curves. Returns whether it was written: there is a default writer, and
    `record_if` holds.

    Args:
        data: One number.

    Raises:
        ValueError: If there is no step, or it is not one number.

    >>> tf.summary.scalar("loss", 0.5, step=1).numpy()                        # no writer
    np.False_
    """
    data = as_tensor(data)
    if data.sizes.rank not in (0, None):
        raise ValueError(
            f"Expected scalar shape, saw shape: {tuple(data.shape)}. Write its mean, or use tf.summary.histogram."
        )
    return _summary("scalar", "scalars", name, data, step, description, lambda tensor: cast(tensor, float32))


# ---- histograms


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> Tensor:
    """Writes how the entries of a tensor are spread, in `buckets` (30) ranges of the same width. Returns whether it
    was written.

    Args:
        data: Numbers of any shape, or a function that makes them, called if they are written.
        buckets: How many ranges; None: 30.

    Raises:
        ValueError: If there is no step.

    >>> tf.summary.histogram("weights", tf.random.normal([100]), step=1).numpy()     # no writer
    np.False_
    """
    buckets = _BUCKETS if buckets is None else int(buckets)
    if buckets < 0:
        raise InvalidArgumentError(None, None, f"A histogram has 0 buckets or more, got buckets={buckets}.")
    return _summary(
        "histogram",
        "histograms",
        name,
        data,
        step,
        description,
        lambda tensor: _counted(cast(tensor, float64).numpy(), buckets),
    )


def _counted(values: np.ndarray, buckets: int) -> np.ndarray:
    """Rows of left end, right end and count."""
    values = values.ravel()
    rows = np.zeros((buckets, 3))
    if not values.size or not buckets:
        return rows
    low, high = values.min(), values.max()
    if low == high:  # all in the last bucket
        rows[:, :2] = high
        rows[-1, 2] = values.size
        return rows
    with np.errstate(invalid="ignore"):
        width = (high - low) / buckets
        lefts = low + np.arange(1, buckets) * width
        rows[:, 0] = np.concatenate([[low], lefts])
        rows[:, 1] = np.concatenate([lefts, [high]])
        places = np.floor((values - low) / width)
    places = np.minimum(places[np.isfinite(places)], buckets - 1).astype(np.int64)  # what is not a number is in none
    rows[:, 2] = np.bincount(places, minlength=buckets)
    return rows


# ---- images


def image(name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None) -> Tensor:
    """Writes the first `max_outputs` images of a batch `[images, height, width, channels]`: 1 channel is grey, 3 are
    red, green and blue, 2 and 4 the same with transparency. Floats are from 0 to 1. Returns whether they were written.

    Args:
        data: Images, or a function that makes them, called if they are written.

    Raises:
        ValueError: If there is no step, or the data has other axes.

    >>> tf.summary.image("noise", tf.random.uniform([4, 8, 8, 3]), step=1).numpy()   # no writer
    np.False_
    """
    most = int(max_outputs)
    if most < 0:
        raise InvalidArgumentError(None, None, f"max_outputs must not be negative, got {most}.")

    def encoded(tensor: Tensor) -> np.ndarray:
        from tapeflow.api.image.color import convert_image_dtype

        shape = tuple(tensor.sizes)
        if shape[3] not in _COLOURS:
            raise InvalidArgumentError(
                None, None, f"image must have 1, 2, 3 or 4 channels, got {shape[3]}: shape {shape}."
            )
        pictures = convert_image_dtype(tensor[:most], uint8, saturate=True).numpy()
        head = [str(shape[2]).encode(), str(shape[1]).encode()]  # width, height
        return np.array([*head, *map(_png, pictures)], object)

    if wanted() is not False:
        data = _check_rank(data, 4, "images, height, width and channels")
    return _summary("image", "images", name, data, step, description, encoded)


_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # the types of PNG: grey, grey and alpha, RGB, RGBA


def _png(pixels: np.ndarray) -> bytes:
    """A PNG file of bytes. Each row is written as its difference from the one above, which compresses well."""
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels)
    filtered = np.full((height, 1 + rows.shape[1]), 2, np.uint8)  # 2 says that it is a difference
    filtered[:, 1:] = rows - np.concatenate([np.zeros_like(rows[:1]), rows[:-1]])  # modulo 256
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOURS[channels], 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes())), (b"IEND", b"")]
    number = struct.Struct(">I").pack
    chunks = [number(len(data)) + kind + data + number(zlib.crc32(kind + data)) for kind, data in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


# ---- sound


def audio(
    name: str, data: Any, sample_rate: Any, step: Any = None, max_outputs: Any = 3, encoding: str | None = None,
    description: str | None = None,
) -> Tensor:  # fmt: skip
    """Writes the first `max_outputs` clips of a batch `[clips, frames, channels]` of floats from -1 to 1, as WAV files
    of 16 bits. Returns whether they were written.

    Args:
        data: Floats, (clips, frames, channels), or a function that makes them, called if they are written.
        sample_rate: Frames per second.
        encoding: None or "wav".

    Raises:
        ValueError: If there is no step, or the data has other axes.

    >>> tf.summary.audio("beep", tf.sin(tf.range(800.))[None, :, None], 8000, step=1).numpy()   # no writer
    np.False_
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}: 'wav' is the only one.")
    most = int(max_outputs)
    if most < 0:
        raise InvalidArgumentError(None, None, f"max_outputs must not be negative, got {most}.")

    def encoded(given: Any) -> np.ndarray:
        clips, rate = given
        parts = [wav_file(clip, int(rate)) for clip in cast(clips, float32).numpy()[:most]]
        rows = np.empty((len(parts), 2), object)  # the second is a label, which version 2 does not use
        for k, part in enumerate(parts):
            rows[k] = part, b""
        return rows

    if wanted() is False:
        return EagerTensor(np.bool_(False))
    data = _check_rank(data, 3, "clips, frames and channels")
    with summary_scope(name, "audio_summary") as (tag, _):
        about = metadata("audio", description, _WAV)
        return recorded(lambda given: one_value(tag, encoded(given), about), (data, sample_rate), step, "audio")


# ---- text


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes text, which TensorBoard shows as Markdown; of a matrix of strings, a table. Returns whether it was
    written.

    Args:
        data: Strings, or a function that makes them, called if they are written.

    Raises:
        ValueError: If there is no step.
        TypeError: If they are no strings.

    >>> tf.summary.text("notes", "a *good* run", step=1).numpy()              # no writer
    np.False_
    """
    if wanted() is not False:
        data = _tensor(data)
        if data.dtype is not string:
            raise TypeError(
                f"tensor must be of type tf.string; got tf.{data.dtype.name}. tf.strings.as_string makes text of "
                "numbers."
            )
    return _summary("text", "text", name, data, step, description, lambda tensor: tensor)
