"""What a lookup table is filled with: two tensors, or the lines of a file."""

from typing import Any

import numpy as np

from tapeflow.api.arrays.constants import constant
from tapeflow.api.strings.host import array_of
from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.dtypes import DType, as_dtype, int64, string
from tapeflow.core.errors import invalid
from tapeflow.ops.arrays.tables import Source

__all__ = ["KeyValueTensorInitializer", "TextFileIndex", "TextFileInitializer"]


def listed(values: Any, dtype: DType) -> list:
    """A tensor's elements as Python has them: bytes for strings, numbers otherwise."""
    array = array_of(values)
    if as_dtype(array.dtype) is not dtype:
        raise TypeError(f"The table has {dtype.name} here, got {as_dtype(array.dtype).name} values.")
    return array.reshape(-1).tolist()


class KeyValueTensorInitializer:
    """Keys and values of a table, as two tensors of one length.

    Args:
        keys: The keys, integers or strings.
        values: The values, as many.
        key_dtype: The dtype of the keys; None: that of the tensor.
        value_dtype: The dtype of the values; None: that of the tensor.

    Raises:
        InvalidArgumentError: If there are more keys than values, or fewer.

    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        self._keys, self._values = constant(keys, key_dtype), constant(values, value_dtype)
        self.key_dtype, self.value_dtype = self._keys.dtype, self._values.dtype
        if self._keys.sizes != self._values.sizes:
            raise invalid(f"Expected shape {list(self._keys.shape)} for value, got {list(self._values.shape)}.")

    def _items(self) -> zip:
        return zip(listed(self._keys, self.key_dtype), listed(self._values, self.value_dtype))


class TextFileIndex:
    """What of a line a `TextFileInitializer` takes: all of it or its number; 0, 1, … is a column.

    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    """Keys and values of a table from the lines of a file.

    Args:
        filename: The path, read when the table is made.
        key_index: What of a line is the key: the number of a column, or one of `TextFileIndex`.
        value_index: What of a line is the value, in the same way.
        vocab_size: How many lines to read; None: all.
        delimiter: What is between columns.
        value_index_offset: What is added to line numbers that are values.

    Raises:
        ValueError: If a dtype does not fit: line numbers are int64, whole lines strings or int64.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/words.txt"
    >>> tf.io.write_file(path, "emerson\\nlake\\npalmer\\n")
    >>> by_line = tf.lookup.TextFileInitializer(
    ...     path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    >>> tf.lookup.StaticHashTable(by_line, -1).lookup(tf.constant(["palmer"])).numpy()
    array([2])
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        for what, dtype, index in (("key", self.key_dtype, key_index), ("value", self.value_dtype, value_index)):
            if index < TextFileIndex.WHOLE_LINE:
                raise ValueError(
                    f"`{what}_index` is a column, tf.lookup.TextFileIndex.WHOLE_LINE or LINE_NUMBER; got {index}."
                )
            if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
                raise ValueError(f"`{what}_dtype` must be int64 if `{what}_index` is {index}, received: {dtype!r}.")
            if index == TextFileIndex.WHOLE_LINE and dtype not in (int64, string):
                raise ValueError(
                    f"`{what}_dtype` must be string or int64 if `{what}_index` is {index}, received: {dtype!r}."
                )
        self._path, self._key_index, self._value_index = local_path(filename), key_index, value_index
        self._size, self._delimiter, self._offset = vocab_size, delimiter, value_index_offset

    def _items(self) -> Any:
        with file_errors(self._path), open(self._path, "rb") as file:
            lines = file.read().split(b"\n")
        lines = [line.removesuffix(b"\r") for line in (lines[:-1] if lines[-1] == b"" else lines)]
        if self._size is not None:
            if len(lines) < self._size:
                raise invalid(f"Invalid vocab_size in {self._path}: expected {self._size} but got {len(lines)}.")
            lines = lines[: self._size]
        for number, line in enumerate(lines):
            key = self._part(line, number, self._key_index, self.key_dtype, 0)
            yield key, self._part(line, number, self._value_index, self.value_dtype, self._offset)

    @property
    def _source(self) -> Source:
        return Source(
            self._path, self._key_index, self._value_index, self._size, self._delimiter, self._offset,
            lambda: dict(self._items()),
        )  # fmt: skip

    def _part(self, line: bytes, number: int, index: int, dtype: DType, offset: int) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return number + offset
        columns = [line] if index == TextFileIndex.WHOLE_LINE else line.split(self._delimiter.encode())
        if index >= len(columns):
            text = line.decode(errors="replace")
            raise invalid(
                f"Invalid number of columns in {self._path} line {number} ({text}) : expected at least {index + 1} "
                f"got {len(columns)}."
            )
        field = columns[max(index, 0)]
        if dtype is string:
            return field
        try:
            return np.dtype(dtype.np).type(field.decode()).item()
        except (ValueError, OverflowError, UnicodeDecodeError):
            text = field.decode(errors="replace")
            raise invalid(f"Field {text} in line {number} of {self._path} is not a valid {dtype.name}.") from None


def packed(values: list, dtype: DType, shape: tuple) -> np.ndarray:
    """Python values as an array."""
    out = np.empty(len(values), dtype.np)
    if values:
        out[:] = values
    return out.reshape(shape)
