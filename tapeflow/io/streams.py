"""Reading files that may be compressed, damaged or not what they say: memory is taken only for bytes that are
there."""

import io
import zlib
from typing import Any, BinaryIO

from tapeflow.api.strings.paths import file_errors
from tapeflow.core.errors import DataLossError

__all__ = ["WINDOWS", "open_stream", "read_up_to"]

WINDOWS = {"GZIP": 31, "ZLIB": 15}  # zlib's names for the two containers
_CHUNK = 1 << 18
_PIECE = 1 << 24


class _Inflated(io.RawIOBase):
    """The decompressed bytes of a file, also of several compressed streams one after the other."""

    def __init__(self, file: BinaryIO, kind: str, path: str) -> None:
        self._file, self._kind, self._path, self._started = file, kind, path, False
        self._stream = zlib.decompressobj(WINDOWS[kind])

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._some(len(buffer))
        except zlib.error as error:
            raise DataLossError(
                None, None, f"{self._path}: {self._kind} says: {error}. Is that the file's compression?"
            ) from None
        buffer[: len(found)] = found
        return len(found)

    def _some(self, most: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        while True:
            compressed = self._stream.unconsumed_tail or self._stream.unused_data or self._file.read(_CHUNK)
            if self._stream.eof and compressed:
                self._stream = zlib.decompressobj(WINDOWS[self._kind])
            self._started = self._started or bool(compressed)
            found = self._stream.decompress(compressed, most)
            if found:
                return found
            if not compressed:
                if self._started and not self._stream.eof:
                    raise zlib.error("the compressed data ends too early")
                return b""

    def close(self) -> None:
        self._file.close()
        super().close()


def open_stream(path: str, kind: str) -> BinaryIO:
    """The bytes of a file, decompressed where `kind` is "GZIP" or "ZLIB". Reading raises DataLossError where that
    cannot be done."""
    with file_errors(path):
        file = open(path, "rb", buffering=_CHUNK)  # noqa: SIM115 (the reader closes it)
    return io.BufferedReader(_Inflated(file, kind, path), _CHUNK) if kind else file


def read_up_to(file: BinaryIO, size: int) -> bytes:
    """`size` bytes, or what is left. A length in a damaged file can be any number: `file.read` would ask for that much
    memory first.

    >>> import io
    >>> from tapeflow.io.streams import read_up_to
    >>> read_up_to(io.BytesIO(b"tape"), 2**63)
    b'tape'
    """
    if size <= _PIECE:
        return file.read(size)
    parts = []
    while size > 0 and (part := file.read(min(size, _PIECE))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
