"""Datasets of files: `TextLineDataset`, `FixedLengthRecordDataset`, `TFRecordDataset`, `list_files`."""

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.api.strings.paths import local_path
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import string
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.data.dataset import Dataset
from tapeflow.data.element_specs import Cell
from tapeflow.data.elements import string_scalar
from tapeflow.data.interleaving import interleaved
from tapeflow.data.pipeline import Pipeline, whole_number
from tapeflow.io.files import matches
from tapeflow.io.records import compression, read_records
from tapeflow.io.streams import open_stream


class _FileDataset(Dataset[Tensor]):
    """Byte strings read from one file after the other, or from several at once."""

    _kind_name = ""

    def __init__(self, filenames: Any, read: Callable[[str], Iterator[bytes]], num_parallel_reads: Any = None) -> None:
        names = paths(filenames)
        strings: Callable[[str], Iterator] = lambda path: map(string_scalar, read(path))
        slots = (
            None
            if num_parallel_reads is None or whole_number(num_parallel_reads) < 1
            else whole_number(num_parallel_reads)
        )

        def make() -> Iterator:
            if num_parallel_reads is None:
                return (value for path in names() for value in strings(path))
            makers = ((lambda path=path: strings(path)) for path in names())
            return interleaved(makers, slots, 1, parallel=True)

        super().__init__(make, None, Cell(TensorSpec([], string)), self._kind_name)


class _CompressibleDataset(_FileDataset):
    """Files whose strings `_read(path, compression_type)` gives."""

    _read: Callable[[str, Any], Iterator[bytes]]

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read = self._read  # not `self` in the function: the dataset would hold itself
        super().__init__(filenames, lambda path: read(path, compression_type), num_parallel_reads)


class TextLineDataset(_CompressibleDataset):
    """The lines of text files, without what ends them.

    Args:
        filenames: A path, a list or tensor of paths, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: Taken and not used.
        num_parallel_reads: How many files are read at once, a line of each in turn; None reads one after the other.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.txt"
    ...     _ = path.write_text("one\\ntwo")
    ...     [line.numpy() for line in tf.data.TextLineDataset(path)]
    [b'one', b'two']
    """

    _kind_name = "TextLine"

    @staticmethod
    def _read(path: str, compression_type: Any) -> Iterator[bytes]:
        with opened(path, compression_type) as file:
            for line in file:
                yield line.rstrip(b"\n").replace(b"\r", b"")


class FixedLengthRecordDataset(_FileDataset):
    """Pieces of `record_bytes` bytes from binary files, between a header and a footer.

    Args:
        filenames: A path, a list or tensor of paths, or a dataset of them.
        record_bytes: The size of a record.
        header_bytes: How many bytes to pass over at the beginning of each file.
        footer_bytes: How many bytes to leave out at the end of each file.
        buffer_size: Taken and not used.
        compression_type: "", "GZIP" or "ZLIB".
        num_parallel_reads: How many files are read at once, a record of each in turn; None reads one after the other.

    Raises:
        InvalidArgumentError: If, while iterating, what is between header and footer is no whole number of records.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.bin"
    ...     _ = path.write_bytes(b"#abcd")
    ...     [r.numpy() for r in tf.data.FixedLengthRecordDataset(str(path), 2, header_bytes=1)]
    [b'ab', b'cd']
    """

    _kind_name = "FixedLengthRecord"

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        size, header, footer = (
            whole_number(record_bytes),
            whole_number(header_bytes or 0),
            whole_number(footer_bytes or 0),
        )
        if size < 1:
            raise InvalidArgumentError(None, None, f"record_bytes must be greater than zero, got {size}.")

        def read(path: str) -> Iterator[bytes]:
            with opened(path, compression_type) as file:
                content = file.read()
            body = len(content) - header - footer
            if body < 0 or body % size:
                raise InvalidArgumentError(
                    None, None,
                    f'Excluding the header ({header} bytes) and footer ({footer} bytes), input file "{path}" has '
                    f'body length {body} '
                    f"bytes, which is not an exact multiple of the record length ({size} bytes).",
                )  # fmt: skip
            for start in range(header, header + body, size):
                yield content[start : start + size]

        super().__init__(filenames, read, num_parallel_reads)


class TFRecordDataset(_CompressibleDataset):
    """The records of TFRecord files, each a byte string; `tf.io.parse_single_example` takes an example apart.

    Args:
        filenames: A path, a list or tensor of paths, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: Taken and not used.
        num_parallel_reads: How many files are read at once, a record of each in turn; None reads one after the other.

    Raises:
        NotFoundError: If, while iterating, there is no such file.
        DataLossError: If, while iterating, a record is damaged or cut short.

    >>> ds = tf.data.TFRecordDataset(["train-0.tfrecord", "train-1.tfrecord"], num_parallel_reads=2)
    >>> ds.element_spec
    TensorSpec(shape=(), dtype=tf.string, name=None)
    """

    _kind_name = "TFRecord"

    _read = staticmethod(read_records)


def list_files(file_pattern: Any, shuffle: Any, seed: Any) -> Dataset:
    """`Dataset.list_files`."""
    patterns = _texts(file_pattern)
    found = sorted({name for pattern in patterns for name in matches(pattern)})
    if not found:
        raise InvalidArgumentError(None, None, f"No files matched pattern: {', '.join(patterns)}")
    names = Dataset.from_tensor_slices(np.array(found, object))
    return names if shuffle is not None and not shuffle else names.shuffle(len(found), seed=seed)


def paths(filenames: Any) -> Callable[[], Iterator[str]]:
    """A maker of iterators over paths, from a name, a list or tensor of them, or a dataset."""
    if isinstance(filenames, Pipeline):
        known = filenames._spec.known
        if known is not None and getattr(known, "dtype", None) is not string:
            raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got elements of {known}.")
        return lambda: (name for value in filenames._make() for name in _texts(value))
    names = _texts(filenames)
    return lambda: iter(names)


def _texts(value: Any) -> list[str]:
    if hasattr(value, "__fspath__"):
        return [local_path(value)]
    if isinstance(value, (list, tuple)) and any(hasattr(v, "__fspath__") for v in value):
        return [local_path(v) for v in value]
    tensor = as_tensor(np.array([], object) if isinstance(value, (list, tuple)) and not value else value)
    if tensor.dtype is not string or not isinstance(tensor, EagerTensor):
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got {value!r}.")
    return [local_path(v) for v in np.asarray(tensor.array).ravel().tolist()]


def opened(path: str, compression_type: Any) -> BinaryIO:
    return open_stream(path, compression(compression_type))
