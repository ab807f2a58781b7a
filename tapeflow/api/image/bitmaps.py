"""Pictures that Pillow reads only in part: BMP with every channel it has, PNG with 16 bits a channel.

PNG: https://www.w3.org/TR/png-3, its chunks (section 5), filters (section 9).
"""

import struct
import zlib

import numpy as np

__all__ = ["PNG_CHANNELS", "png_chunks", "read_bmp", "read_deep_png", "write_deep_png"]

PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}  # by colour type
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def read_bmp(data: bytes) -> np.ndarray:
    """Height × width × channels of an uncompressed BMP with 8, 24 or 32 bits a pixel. ValueError if it is another
    kind, or cut.

    >>> from tapeflow.api.image.bitmaps import read_bmp
    >>> read_bmp(b"BM" + bytes(8) + bytes([54, 0, 0, 0]))
    Traceback (most recent call last):
    ValueError: the header of 54 bytes is cut off after 14
    """
    if len(data) < 54:
        raise ValueError(f"the header of 54 bytes is cut off after {len(data)}")
    start, width, height, bits = (
        *struct.unpack_from("<I", data, 10),
        *struct.unpack_from("<ii", data, 18),
        *struct.unpack_from("<H", data, 28),
    )
    if bits not in (8, 24, 32) or width <= 0 or not height:
        raise ValueError(f"{width} × {abs(height)} pixels of {bits} bits; pictures of 8, 24 and 32 bits are supported")
    channels, rows = bits // 8, abs(height)
    stride = (width * channels + 3) // 4 * 4
    if len(data) - start < stride * rows:
        raise ValueError(
            f"{rows} rows of {stride} bytes should follow the header, but there are {len(data) - start} bytes"
        )
    raw = np.frombuffer(data, np.uint8, stride * rows, start).reshape(rows, stride)[:, : width * channels]
    picture = raw.reshape(rows, width, channels)
    picture = picture[::-1] if height > 0 else picture  # stored from the bottom, usually
    return picture if channels == 1 else picture[:, :, [2, 1, 0, 3][:channels]]


def write_deep_png(picture: np.ndarray, compression: int = -1) -> bytes:
    """A PNG of a uint16 array of height × width × channels.

    >>> from tapeflow.api.image.bitmaps import read_deep_png, write_deep_png
    >>> read_deep_png(write_deep_png(np.array([[[1, 2, 65535]]], np.uint16)))
    array([[[    1,     2, 65535]]], dtype=uint16)
    """
    height, width, channels = picture.shape
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = picture.astype(">u2").reshape(height, -1).view(np.uint8)
    filtered = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)  # filter 0: as it is
    header = struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), compression)), (b"IEND", b"")]
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def read_deep_png(data: bytes) -> np.ndarray:
    """Height × width × channels of a PNG with 16 bits a channel, as uint16. ValueError if it is damaged or interlaced.

    >>> from tapeflow.api.image.bitmaps import read_deep_png, write_deep_png
    >>> read_deep_png(write_deep_png(np.zeros([2, 3, 1], np.uint16))).shape
    (2, 3, 1)
    """
    chunks = png_chunks(data)
    [header] = [body for name, body in chunks if name == b"IHDR"]
    packed = [body for name, body in chunks if name == b"IDAT"]
    width, height, bits, kind, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if bits != 16 or interlaced:
        raise ValueError(
            f"{bits} bits a channel{', interlaced' * bool(interlaced)}; this reader takes 16 bits, not interlaced"
        )
    if kind not in PNG_CHANNELS:
        raise ValueError(f"there is no colour type {kind}")
    channels = PNG_CHANNELS[kind]
    if not 0 < width * height * channels < 2**29:  # TensorFlow's limit
        raise ValueError(f"PNG size too large, or nothing: {width} by {height}")
    try:  # a byte more than there should be: a small file cannot fill the memory
        raw = zlib.decompressobj().decompress(b"".join(packed), height * (1 + width * channels * 2) + 1)
    except zlib.error as error:
        raise ValueError(f"the compressed rows are damaged ({error})") from None
    lines = np.frombuffer(raw, np.uint8).reshape(height, 1 + width * channels * 2)
    return (
        _unfiltered(lines[:, 1:], lines[:, 0], channels * 2)
        .view(">u2")
        .astype(np.uint16)
        .reshape(height, width, channels)
    )


def png_chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """Names and contents of the chunks of a PNG. ValueError if one that a picture needs is damaged: Pillow does not
    check all of them.

    >>> from tapeflow.api.image.bitmaps import png_chunks, write_deep_png
    >>> [name for name, _ in png_chunks(write_deep_png(np.zeros([2, 3, 1], np.uint16)))]
    [b'IHDR', b'IDAT', b'IEND']
    """
    place, found = len(_SIGNATURE), []
    while not found or found[-1][0] != b"IEND":
        length, name = int.from_bytes(data[place : place + 4], "big"), data[place + 4 : place + 8]
        body, check = data[place + 8 : place + 8 + length], data[place + 8 + length : place + 12 + length]
        needed = not name[:1].islower()  # as the case of the first letter says
        if len(check) < 4 or needed and zlib.crc32(body, zlib.crc32(name)) != int.from_bytes(check, "big"):
            raise ValueError(f"the chunk {name!r} is damaged or cut off")
        found.append((name, body))
        place += 12 + length
    if [name for name, _ in found].count(b"IHDR") != 1:
        raise ValueError("it has no chunk IHDR, or several")
    return found


def _unfiltered(lines: np.ndarray, kinds: np.ndarray, step: int) -> np.ndarray:
    """Rows of bytes from their differences to the left (1), above (2), the mean of both (3), the nearest of three
    (4)."""
    out = np.zeros((lines.shape[0], lines.shape[1]), np.uint8)
    above = np.zeros(lines.shape[1], np.uint8)
    for row, kind, line in zip(out, kinds, lines):
        if kind == 0:
            row[:] = line
        elif kind == 1:
            row[:] = np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
        elif kind == 2:
            row[:] = line + above
        else:
            _from_neighbours(row, line, above, step, _mean if kind == 3 else _nearest)
        above = row
    return out


def _from_neighbours(row: np.ndarray, line: np.ndarray, above: np.ndarray, step: int, predicted) -> None:
    left, corner = np.zeros(step, int), np.zeros(step, int)
    for k in range(0, line.size, step):
        up = above[k : k + step].astype(int)
        left = (line[k : k + step] + predicted(left, up, corner)) % 256
        row[k : k + step], corner = left, up


def _mean(left: np.ndarray, up: np.ndarray, corner: np.ndarray) -> np.ndarray:
    return (left + up) // 2


def _nearest(left: np.ndarray, up: np.ndarray, corner: np.ndarray) -> np.ndarray:
    guess = left + up - corner
    a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
    return np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
