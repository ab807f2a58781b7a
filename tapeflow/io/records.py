"""TFRecord files: byte strings one after the other, each with its length and checksums.

A record is its length (8 bytes, little endian), the masked CRC-32C of those, its bytes, and the masked CRC-32C of
them.
"""

import struct
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, ClassVar

from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.errors import DataLossError, FailedPreconditionError, OpError
from tapeflow.core.tensor import Tensor

from .streams import WINDOWS, open_stream, read_up_to

__all__ = ["TFRecordOptions", "TFRecordWriter", "read_records"]

_CHUNK = 1 << 18


def _masked_crc() -> Callable[[bytes], int]:
    """The checksum of record files; `google-crc32c` computes it at the speed of memory, Python would need a second a
    megabyte."""
    try:
        from google_crc32c import value
    except ImportError as error:
        raise ImportError("TFRecord files need the library google-crc32c: pip install google-crc32c.") from error

    def masked(data: bytes) -> int:
        crc = value(data)
        return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

    return masked


def compression(given: Any) -> str:
    """ "", "GZIP" or "ZLIB", from what programs give for it."""
    kind = "" if given is None else TFRecordOptions.get_compression_type_string(given)
    if kind not in ("", *WINDOWS):
        raise ValueError(f"compression_type={kind!r} is not one of '', 'GZIP' and 'ZLIB'.")
    return kind


# ---- reading


def read_records(path: Any, compression_type: Any = None) -> Iterator[bytes]:
    """The records of a TFRecord file, one by one, with their checksums verified.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> from tapeflow.io import records
    >>> list(records.read_records(path))
    [b'first', b'second']
    """
    path, kind, masked = local_path(path), compression(compression_type), _masked_crc()
    with open_stream(path, kind) as file:
        number, offset = 0, 0

        def lost(how: str, why: str) -> OpError:
            return DataLossError(None, None, f"{how} record at {offset}: record number {number} of {path}: {why}")

        def read(size: int, what: str) -> bytes:
            try:
                data = read_up_to(file, size)
            except DataLossError as error:
                raise lost("corrupted", error.message) from None
            if len(data) < size and (data or what != "length"):
                raise lost("truncated", f"the file ends in its {what}.")
            return data

        while head := read(12, "length"):
            length, check = struct.unpack("<QI", head)
            if masked(head[:8]) != check:
                hint = (
                    ""
                    if number or kind
                    else " Is this a TFRecord file, and one without compression (compression_type)?"
                )
                raise lost("corrupted", f"the checksum of its length is wrong.{hint}")
            body = read(length + 4, "data")
            data = body[:-4]
            if masked(data) != int.from_bytes(body[-4:], "little"):
                raise lost("corrupted", f"the checksum of its {length} bytes is wrong.")
            yield data
            number, offset = number + 1, offset + 16 + length


# ---- writing


class TFRecordOptions:
    """How a TFRecord file is written: `compression_type` is "", "GZIP" or "ZLIB", `compression_level` 0 to 9.

    Args:
        compression_type: "", "GZIP" or "ZLIB"; TensorFlow 1's numbers will do.
        flush_mode: Taken and not used.
        input_buffer_size: Taken and not used.
        output_buffer_size: Taken and not used.
        window_bits: Taken and not used.
        compression_level: From 0, the fastest, to 9, the smallest; None for zlib's own choice.
        compression_method: Taken and not used.
        mem_level: How much memory compression takes, from 1 to 9; 8 by default.
        compression_strategy: One of zlib's numbers for a strategy.

    Raises:
        ValueError: If there is no such compression.

    >>> tf.io.TFRecordOptions(compression_type="GZIP").compression_type
    'GZIP'
    """

    compression_type_map: ClassVar[dict[int, str]] = {0: "", 1: "ZLIB", 2: "GZIP"}  # TensorFlow 1's numbers for them

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode, self.input_buffer_size, self.output_buffer_size = (
            flush_mode,
            input_buffer_size,
            output_buffer_size,
        )
        self.window_bits, self.compression_level, self.compression_method = (
            window_bits,
            compression_level,
            compression_method,
        )
        self.mem_level, self.compression_strategy = mem_level, compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression of options, of text, or of TensorFlow 1's numbers, as text.

        Args:
            options: A `TFRecordOptions`, a name, a number, or None.

        >>> tf.io.TFRecordOptions.get_compression_type_string(tf.io.TFRecordOptions("ZLIB"))
        'ZLIB'
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int) and options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if hasattr(options, "numpy"):
            options = options.numpy()
        if isinstance(options, bytes):
            options = options.decode()
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f"compression_type={options!r} is not one of '', 'GZIP' and 'ZLIB'.")

    def _compressor(self) -> Any:
        kind = compression(self)
        if not kind:
            return None
        level = zlib.Z_DEFAULT_COMPRESSION if self.compression_level is None else self.compression_level
        strategy = self.compression_strategy or zlib.Z_DEFAULT_STRATEGY
        return zlib.compressobj(level, zlib.DEFLATED, WINDOWS[kind], self.mem_level or 8, strategy)


class TFRecordWriter:
    """Writes byte strings to a TFRecord file. A file that exists is written over.

    Args:
        path: The file to write.
        options: A `TFRecordOptions`, or the name of a compression.

    Raises:
        ImportError: If google-crc32c is not installed.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))}))
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(example.SerializeToString())
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._path, self._masked, self._compress = local_path(path), _masked_crc(), options._compressor()
        with file_errors(self._path):
            self._file: BinaryIO | None = open(self._path, "wb", buffering=_CHUNK)  # noqa: SIM115 (closed by close)
        # TensorFlow's writer finishes its file too when a program forgets to; also at its end, where `__del__` may not
        # be called.
        self._finish = weakref.finalize(self, _finished, self._file, self._compress)

    def write(self, record: bytes) -> None:
        """Append one record.

        Args:
            record: The bytes; text is encoded as UTF-8.

        Raises:
            FailedPreconditionError: If the writer is closed.
        """
        if not isinstance(record, (bytes, bytearray, memoryview)):
            given = type(record).__name__
            record = (
                record.encode() if isinstance(record, str) else record.numpy() if isinstance(record, Tensor) else None
            )
            if not isinstance(record, bytes):
                raise TypeError(f"A record is bytes, not {given}: call SerializeToString() of a message.")
        data, length = bytes(record), struct.pack("<Q", len(record))
        self._put(b"".join((length, self._check(length), data, self._check(data))))

    def flush(self) -> None:
        """Have everything written so far arrive in the file."""
        if self._compress is not None:
            self._put(b"", zlib.Z_SYNC_FLUSH)
        self._open().flush()

    def close(self) -> None:
        """Finish the file; nothing can be written afterwards."""
        self._finish()
        self._file = None

    def _check(self, data: bytes) -> bytes:
        return struct.pack("<I", self._masked(data))

    def _put(self, data: bytes, flush: int | None = None) -> None:
        file = self._open()
        if self._compress is not None:
            data = self._compress.compress(data) if flush is None else self._compress.flush(flush)
        file.write(data)

    def _open(self) -> BinaryIO:
        if self._file is None:
            raise FailedPreconditionError(None, None, f"Writer is closed. It wrote {self._path}.")
        return self._file

    def __enter__(self) -> "TFRecordWriter":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _finished(file: BinaryIO, compress: Any) -> None:
    with file:
        if compress is not None:
            file.write(compress.flush(zlib.Z_FINISH))
