"""Image files with Pillow: bytes to arrays and back."""

import struct
import threading
import warnings
from io import BytesIO
from typing import Any

import numpy as np

from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.runtime.locks import Lock
from tapeflow.names.extras import install

from .bitmaps import png_chunks, read_bmp, read_deep_png, write_deep_png

__all__ = ["format_of", "jpeg_bytes", "jpeg_shape", "picture", "png_bytes"]

_FILTERS = Lock()  # catch_warnings changes what all threads share, and pictures are decoded by several at once
_STARTS = {"JPEG": b"\xff\xd8\xff", "PNG": b"\x89PNG\r\n\x1a\n", "GIF": b"GIF8", "BMP": b"BM"}


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(f"Decoding and encoding images needs the library Pillow: {install('image')}.") from error
    return Image


def format_of(data: bytes) -> str:
    """The format of a picture file, by its first bytes.

    >>> from tapeflow.api.image.pictures import format_of
    >>> format_of(b"GIF89a...")
    'GIF'
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    found = next((name for name, start in _STARTS.items() if data.startswith(start)), None)
    if found is None:
        what = f"these {len(data)} bytes begin with {data[:12]!r}" if data else "Input is empty"
        raise invalid(f"Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required; {what}.")
    return found


def _bad(kind: str, data: bytes, why: Any) -> InvalidArgumentError:
    return invalid(f"Invalid {kind} data, size {len(data)}: {why}.")


def _opened(kind: str, data: bytes) -> Any:
    image = _pillow()
    try:
        with _FILTERS, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's opinions on sizes and transparency
            return image.open(BytesIO(data), formats=[kind])
    except Exception as error:
        raise _bad(kind, data, _reason(error)) from None


def _reason(error: Exception) -> str:
    """What Pillow says, without the address of the buffer."""
    return "it cannot be identified" if type(error).__name__ == "UnidentifiedImageError" else f"{error}".rstrip(".")


def _loaded(kind: str, data: bytes, image: Any, mode: str) -> np.ndarray:
    try:
        image.load()
    except Exception as error:
        raise _bad(kind, data, _reason(error)) from None
    array = np.asarray(image if image.mode == mode else image.convert(mode))
    return array if array.ndim == 3 else array[:, :, None]


def picture(data: bytes, channels: int, deep: bool, frames: bool, **jpeg: Any) -> np.ndarray:
    """Height × width × channels, uint8 or (`deep`) uint16; `frames`: animations have an axis more, in front."""
    kind = format_of(data)
    if kind == "GIF":
        return _gif(data, channels, frames)
    if kind == "JPEG":
        return _jpeg(data, channels, **jpeg)
    if kind == "PNG":
        return _png(data, channels, deep)
    return _bmp(data, channels) if kind == "BMP" else _webp(data, channels)


# ---- one reader for each format


def _jpeg(data: bytes, channels: int, ratio: int = 1, recover: bool = False) -> np.ndarray:
    if channels == 4:
        raise invalid("JPEG does not support 4 channels: channels must be 0, 1 or 3.")
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}.")
    image = _opened("JPEG", data + b"\xff\xd9" if recover else data)  # an end where there is none
    mode = "L" if channels == 1 or (image.mode == "L" and not channels) else "RGB"
    width, height = image.size
    small = min(width, height) < ratio
    image.draft(mode, (width, height) if small else (width // ratio, height // ratio))
    found = _loaded("JPEG", data, image, mode)
    if small:  # the decoder makes no picture that small
        found = np.asarray(_pillow().fromarray(found.squeeze(2) if mode == "L" else found).reduce(ratio))
        found = found.reshape(*found.shape[:2], -1)
    return found


def _png(data: bytes, channels: int, deep: bool) -> np.ndarray:
    if deep and data[24:25] == b"\x10":
        try:
            return _with_channels(read_deep_png(data), channels)
        except (ValueError, struct.error) as error:
            raise _bad("PNG", data, error) from None
    try:
        png_chunks(data)
    except ValueError as error:
        raise _bad("PNG", data, error) from None
    image = _opened("PNG", data)
    transparent = "transparency" in image.info
    if image.mode.startswith("I"):  # 16 bits of grey
        found = (_loaded("PNG", data, image, image.mode).astype(np.uint32) >> 8).astype(np.uint8)
    else:
        modes = {"1": "L", "P": "RGBA" if transparent else "RGB"}
        mode = modes.get(image.mode, image.mode)
        if transparent and mode in ("L", "RGB"):
            mode = {"L": "LA", "RGB": "RGBA"}[mode]
        found = _loaded("PNG", data, image, mode)
    found = _with_channels(found, channels)
    return found * np.uint16(257) if deep else found


def _with_channels(found: np.ndarray, channels: int) -> np.ndarray:
    """Grey, colour or colour with opacity from any of them, as libpng does it."""
    have = found.shape[2]
    if channels in (0, have):
        return found
    colour, opacity = (found[:, :, :-1], found[:, :, -1:]) if have in (2, 4) else (found, None)
    if channels == 1 and colour.shape[2] == 3:
        mixed = colour.astype(np.int64) @ np.array([9797, 19234, 3737])  # 0.299, 0.587, 0.114 in units of 1 / 2**15
        mixed += 1 << 14 if found.dtype == np.uint16 else 0  # 16 bits are rounded, 8 bits cut
        return (mixed >> 15)[:, :, None].astype(found.dtype)
    if channels == 1:
        return colour
    colour = np.broadcast_to(colour, (*found.shape[:2], 3))
    if channels == 3:
        return colour
    if opacity is None:
        opacity = np.full((*found.shape[:2], 1), np.iinfo(found.dtype).max, found.dtype)
    return np.concatenate([colour, opacity], axis=2)


def _bmp(data: bytes, channels: int) -> np.ndarray:
    if channels not in (0, 3, 4):
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}.")
    try:
        return _with_channels(read_bmp(data), channels)
    except ValueError as error:
        raise _bad("BMP", data, error) from None


def _gif(data: bytes, channels: int, frames: bool) -> np.ndarray:
    if channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}.")
    image = _opened("GIF", data)
    found = []
    while True:
        found.append(_loaded("GIF", data, image, "RGB"))
        try:
            image.seek(len(found))
        except EOFError:
            break
        except Exception as error:
            raise _bad("GIF", data, _reason(error)) from None
    if any(frame.shape != found[0].shape for frame in found):
        raise _bad("GIF", data, "its frames have different sizes")
    return np.stack(found) if frames else found[0]


def _webp(data: bytes, channels: int) -> np.ndarray:
    if channels not in (0, 3, 4):
        raise invalid(f"WebP only supports 3 or 4 channels, got {channels}.")
    image = _opened("WEBP", data)
    return _with_channels(_loaded("WEBP", data, image, image.mode), channels)


# ---- writing


def jpeg_bytes(array: np.ndarray, **options: Any) -> bytes:
    """A JPEG of a uint8 array of height × width × 1 or 3."""
    return _saved(array, "JPEG", **options)


def png_bytes(array: np.ndarray, compression: int) -> bytes:
    """A PNG of a uint8 or uint16 array of height × width × 1 to 4."""
    if array.dtype == np.uint16:
        return write_deep_png(array, compression)
    return _saved(array, "PNG", **({} if compression < 0 else {"compress_level": compression}))


def _saved(array: np.ndarray, kind: str, **options: Any) -> bytes:
    buffer = BytesIO()
    _pillow().fromarray(array[:, :, 0] if array.shape[2] == 1 else np.ascontiguousarray(array)).save(
        buffer, kind, **options
    )
    return buffer.getvalue()


def jpeg_shape(data: bytes) -> list[int]:
    """Height, width and channels, from the header alone."""
    if not data.startswith(_STARTS["JPEG"]):
        raise _bad("JPEG", data, f"it begins with {data[:4]!r}")
    image = _opened("JPEG", data)
    return [image.height, image.width, len(image.getbands())]
