"""`tf.io.gfile.GFile`: a file that is opened when it is first used."""

import weakref
from collections.abc import Iterator
from typing import IO, Any

from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.errors import PermissionDeniedError, invalid

__all__ = ["GFile"]

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file, read and written as text, or as bytes with a `b` in the mode.

    Args:
        name: The path.
        mode: "r" reads, "w" writes a new file, "a" appends, each with "+" also the other way, and with "b" in bytes.

    Raises:
        InvalidArgumentError: If there is no such mode.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/note.txt"
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("first\\nsecond")
    >>> with tf.io.gfile.GFile(path) as file:
    ...     list(file)
    ['first\\n', 'second']
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name, self._mode, self._path = name, mode, local_path(name)
        self._plain, self._binary = mode.replace("b", ""), "b" in mode
        if self._plain not in _MODES:
            raise invalid(f"mode is not {' or '.join(map(repr, _MODES))}, with or without 'b': {mode!r}.")
        self._file: IO[bytes] | None = None

    name = property(lambda self: self._name, doc="The path, as it was given.")
    mode = property(lambda self: self._mode, doc="The mode, as it was given.")

    def _open(self, purpose: str = "") -> IO[bytes]:
        if purpose == "reading" and self._plain in ("w", "a"):
            raise PermissionDeniedError(
                None, None, f"File isn't open for reading: {self._path} was opened with mode {self._mode!r}."
            )
        if purpose == "writing" and self._plain == "r":
            raise PermissionDeniedError(
                None, None, f"File isn't open for writing: {self._path} was opened with mode {self._mode!r}."
            )
        if self._file is None:
            with file_errors(self._path):
                self._file = open(self._path, self._plain + "b")  # noqa: SIM115 (it is closed in close)
            # Not `__del__`: at the end of a program nobody calls it where a thread still holds the program's globals.
            self._finish = weakref.finalize(self, self._file.close)
        return self._file

    def _given(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def write(self, file_content: Any) -> None:
        """Append text or bytes to what is written.

        Args:
            file_content: str, or bytes.

        Raises:
            PermissionDeniedError: If the file was opened for reading.
        """
        if isinstance(file_content, str):
            file_content = file_content.encode()
        elif not isinstance(file_content, (bytes, bytearray, memoryview)):  # bytes(3) would be three zeros
            raise TypeError(f"A file is written as text or bytes; got {file_content!r}.")
        self._open("writing").write(file_content)

    def read(self, n: int = -1) -> Any:
        """The rest of the file, or `n` bytes of it.

        Args:
            n: How many bytes; -1 for all.

        Returns:
            A str, or bytes with a `b` in the mode.

        Raises:
            PermissionDeniedError: If the file was opened for writing.
        """
        return self._given(self._open("reading").read(n))

    def readline(self) -> Any:
        """The next line with its end, of which carriage returns are left out; empty at the end of the file.

        Returns:
            A str, or bytes with a `b` in the mode.
        """
        return self._given(self._open("reading").readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """All lines that are left.

        Returns:
            Lines with their ends, str or bytes.
        """
        return list(self)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        """The next line.

        Returns:
            A str; bytes, if the file was opened for them.

        Raises:
            StopIteration: At the end.
        """
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go on `offset` bytes from the beginning, from here (`whence=1`) or from the end (`whence=2`).

        Args:
            offset: How many bytes.
            whence: From where.
            position: `offset`, by its earlier name.
        """
        place = position if offset is None else offset
        if place is None:
            raise TypeError("seek(): offset argument required")
        self._open().seek(place, whence)

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """Where the next byte is read or written."""
        return self._open().tell()

    def size(self) -> int:
        """The size of the file in bytes."""
        from .gfile import stat

        return stat(self._path).length

    def flush(self) -> None:
        """Have everything written so far arrive in the file."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Let go of the file. Using it again opens it again, as in TensorFlow."""
        if self._file is not None:
            self._finish()
            self._file = None

    def __enter__(self) -> "GFile":
        if self._plain in ("w", "w+", "a", "a+"):
            self._open()  # an empty file is there even when nothing is written
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
