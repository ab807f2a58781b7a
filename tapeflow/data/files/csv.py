"""Datasets of CSV files: records of scalars, or batches of named columns."""

import csv
import io
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, float32, float64, int32, int64, string
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.tensor import EagerTensor
from tapeflow.data.dataset import Dataset
from tapeflow.data.element_specs import Cell
from tapeflow.data.elements import string_scalar
from tapeflow.data.pipeline import AUTOTUNE

from .listing import list_files, opened, paths

_BYTES = "surrogateescape"  # strings are bytes, of any encoding
_ALLOWED = (float32, float64, int32, int64, string)


class CsvDataset(Dataset[tuple[Any, ...]]):
    """The records of CSV files as tuples of scalars. `record_defaults` has for each column a dtype, which makes it
    required, or the value that stands for an empty field.

    Args:
        filenames: A path, a list or tensor of paths, or a dataset of them.
        record_defaults: For each column a dtype, or a value; float32, float64, int32, int64 or string.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: Taken and not used.
        header: True passes over the first line of each file.
        field_delim: The character between fields.
        use_quote_delim: False takes quotes for a part of the text.
        na_value: A text that stands for an empty field.
        select_cols: The numbers of the columns to read, in order.
        exclude_cols: The numbers of the columns to leave out, in place of `select_cols`.

    Raises:
        InvalidArgumentError: If, while iterating, a record has another number of fields, one that is required is
            empty, or one cannot be read.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.csv"
    ...     _ = path.write_text("1,a\\n,b\\n")
    ...     [(x.numpy().item(), y.numpy()) for x, y in tf.data.experimental.CsvDataset(str(path), [-1, tf.string])]
    [(1, b'a'), (-1, b'b')]
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        if select_cols is not None and exclude_cols is not None:
            raise ValueError("`select_cols` and `exclude_cols` say the same thing twice: give one of them.")
        fields = [_Field(default, k, na_value) for k, default in enumerate(record_defaults)]
        names = paths(filenames)

        def make() -> Iterator:
            for path in names():
                rows = _records(path, compression_type, field_delim, use_quote_delim)
                if header:
                    next(rows, None)
                for number, row in enumerate(rows):
                    try:
                        chosen = _columns(row, select_cols, exclude_cols)
                        if len(chosen) != len(fields):
                            raise invalid(f"Expect {len(fields)} fields but have {len(chosen)} in record: {row!r}.")
                        values = tuple([field(text) for field, text in zip(fields, chosen)])
                    except InvalidArgumentError as error:
                        raise invalid(f"{error.message} It is record {number} of {path}.") from None
                    yield values

        spec = tuple(TensorSpec([], field.dtype) for field in fields)
        super().__init__(make, None, Cell(spec), "Csv")


class _Field:
    """From the text of one column to a scalar."""

    __slots__ = ("dtype", "default", "place", "na_value", "parse")

    def __init__(self, default: Any, place: int, na_value: str) -> None:
        self.place, self.na_value, self.default = place, na_value, None
        if isinstance(default, (DType, np.dtype, type)):
            self.dtype = as_dtype(default)
        else:
            tensor = to_tensor(default)
            self.dtype = tensor.dtype
            if np.size(tensor.array):
                value = np.asarray(tensor.array).ravel()[0]
                self.default = string_scalar(value) if self.dtype is string else EagerTensor(value)
        if self.dtype not in _ALLOWED:
            raise TypeError(
                f"Column {place} is {self.dtype.name}; CSV files hold {', '.join(d.name for d in _ALLOWED)}."
            )
        number: Callable[[str], Any] = int if self.dtype.kind == "i" else float
        self.parse: Callable[[str], EagerTensor] = (
            (lambda text: string_scalar(text.encode(errors=_BYTES)))
            if self.dtype is string
            else (lambda text: EagerTensor(self.dtype.np.type(number(text))))
        )

    def __call__(self, text: str) -> EagerTensor:
        if text == "" or text == self.na_value:
            if self.default is None:
                raise invalid(f"Field {self.place} is required but missing in record!")
            return self.default
        try:
            return self.parse(text)
        except (ValueError, OverflowError):
            shown = text.encode(errors=_BYTES).decode(errors="replace")
            raise invalid(f"Field {self.place} in record is not a valid {self.dtype.name}: {shown}.") from None


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset[Any]:
    """Batches of the columns of CSV files, by their names, and of the labels if one column is named as such.

    Dtypes are found from the first rows. It repeats for ever unless `num_epochs` is given.

    Args:
        file_pattern: A pattern of paths, or a list of them.
        batch_size: How many records a batch has.
        column_names: The names of all columns; those of the first file's first line by default.
        column_defaults: For each column that is read a dtype, which makes it required, or the value of an empty field.
        label_name: The column that becomes the label.
        select_columns: Names or numbers of the columns to read; all by default.
        field_delim: The character between fields.
        use_quote_delim: False takes quotes for a part of the text.
        na_value: A text that stands for an empty field.
        header: Do the files begin with the names of the columns?
        num_epochs: How often to go through the files; with None it has no end, and batches are full.
        shuffle: False keeps the records in order.
        shuffle_buffer_size: How many records wait to be drawn.
        shuffle_seed: The seed of the order.
        prefetch_buffer_size: How many batches are read ahead; `tf.data.AUTOTUNE` by default.
        num_parallel_reads: Taken and not used: files are read one after the other.
        sloppy: Taken and not used.
        num_rows_for_inference: From how many rows of the first file to find the dtypes; None for all.
        compression_type: "", "GZIP" or "ZLIB".
        ignore_errors: True leaves out records that cannot be read.
        encoding: Taken and not used: strings are the bytes of the files.

    Returns:
        A dataset of dicts from column names to tensors of a batch; with `label_name`, of pairs of such a dict and the
        labels.

    Raises:
        ValueError: If there are no column names, or `label_name` or one of `select_columns` is none of them.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.csv"
    ...     _ = path.write_text("x,y\\n1,0.5\\n2,1.5\\n")
    ...     dataset = tf.data.experimental.make_csv_dataset(str(path), 2, label_name="y", shuffle=False)
    ...     features, label = next(iter(dataset))
    >>> features["x"].numpy(), label.numpy()
    (array([1, 2], dtype=int32), array([0.5, 1.5], dtype=float32))
    """
    files = list_files(file_pattern, False, None)
    first = next(paths(files)())
    rows = _records(first, compression_type, field_delim, use_quote_delim)
    if header:
        found = next(rows, [])
        column_names = found if column_names is None else column_names
    if column_names is None:
        raise ValueError("Cannot infer column names: there is no header; give `column_names`.")
    names = list(column_names)
    if len(set(names)) != len(names):
        raise ValueError(f"Cannot have duplicate column names: {names}.")
    chosen = _chosen_columns(select_columns, names)
    if label_name is not None and label_name not in [names[k] for k in chosen]:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {label_name!r} is not in {[names[k] for k in chosen]}."
        )
    if column_defaults is None:
        sample = [
            row for row, _ in zip(rows, range(num_rows_for_inference if num_rows_for_inference is not None else 2**62))
        ]
        column_defaults = [_inferred([row[k] for row in sample if k < len(row)], na_value) for k in chosen]
    keys = [names[k] for k in chosen]
    records = CsvDataset(
        files, column_defaults, compression_type, None, header, field_delim, use_quote_delim, na_value,
        select_cols=chosen
    )  # fmt: skip
    made: Dataset = records.ignore_errors() if ignore_errors else records
    if shuffle:
        made = made.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        made = made.repeat(num_epochs)

    def named(*columns: Any) -> Any:
        features = OrderedDict(zip(keys, columns))
        return features if label_name is None else (features, features.pop(label_name))

    return (
        made.batch(batch_size, drop_remainder=num_epochs is None)
        .map(named)
        .prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
    )


def _chosen_columns(selected: Any, names: list[str]) -> list[int]:
    if selected is None:
        return list(range(len(names)))
    unknown = [c for c in selected if isinstance(c, str) and c not in names]
    if unknown:
        raise ValueError(f"`select_columns` has {unknown}, the columns are {names}.")
    return sorted(names.index(c) if isinstance(c, str) else int(c) for c in selected)


def _inferred(texts: list[str], na_value: str) -> Any:
    """The value for empty fields, whose dtype is the narrowest that all texts fit."""
    given = [t for t in texts if t not in ("", na_value)]
    try:
        numbers = [int(t) for t in given]
        wide = any(not -(2**31) <= n < 2**31 for n in numbers)
        return np.int64(0) if wide else np.int32(0)
    except ValueError:
        pass
    try:
        values = np.array([float(t) for t in given])
    except ValueError:
        return ""
    largest = np.abs(values[np.isfinite(values)]).max(initial=0)
    return np.float64(0) if largest > np.finfo(np.float32).max else np.float32(0)


def _records(path: str, compression_type: Any, field_delim: str, use_quote_delim: bool) -> Iterator[list[str]]:
    quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
    with io.TextIOWrapper(opened(path, compression_type), "utf-8", errors=_BYTES, newline="") as file:
        rows = csv.reader(file, delimiter=field_delim, quoting=quoting)
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                raise invalid(f"{path} is not a file of CSV: {error}, in line {rows.line_num}.") from None
            if row is None:
                return
            if row:
                yield row


def _columns(row: list[str], select: Any, exclude: Any) -> list[str]:
    if select is not None:
        return [row[int(k)] for k in select if int(k) < len(row)]
    return row if exclude is None else [text for k, text in enumerate(row) if k not in set(exclude)]
