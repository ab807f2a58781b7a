"""What a program expects of an example: one of these for each key."""

from typing import Any, NamedTuple

from tapeflow.core.dtypes import DType, as_dtype, int32

__all__ = ["FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature"]


class FixedLenFeature(NamedTuple):
    """A feature that has `shape` in every example; `default_value` stands in where it is missing.

    >>> tf.io.FixedLenFeature([28, 28], tf.float32).shape
    [28, 28]
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, parsed to a `SparseTensor`.

    >>> tf.io.VarLenFeature(tf.int64)
    VarLenFeature(dtype=tf.int64)
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of items of `shape`, parsed to a dense tensor with an axis more; batches are padded.

    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A `SparseTensor` whose indices and values are features of their own.

    >>> tf.io.SparseFeature(index_key=["row", "column"], value_key="value", dtype=tf.float32, size=[10, 10]).size
    [10, 10]
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """The feature `key` says where rows begin and, at last, where the last one ends."""

    key: str


class RowLengths(NamedTuple):
    """The feature `key` says how long each row is."""

    key: str


class RowStarts(NamedTuple):
    """The feature `key` says where each row begins."""

    key: str


class RowLimits(NamedTuple):
    """The feature `key` says where each row ends."""

    key: str


class ValueRowIds(NamedTuple):
    """The feature `key` says for each value which row it is in."""

    key: str


class UniformRowLength(NamedTuple):
    """Every row is as long as this."""

    length: int


class _Ragged(NamedTuple):
    dtype: DType
    value_key: str | None
    partitions: tuple
    row_splits_dtype: DType
    validate: bool


class RaggedFeature(_Ragged):
    """A feature of any number of values, parsed to a `RaggedTensor`; `partitions` add ragged axes, the outermost
    first.

    >>> lengths = tf.io.RaggedFeature.RowLengths("lengths")
    >>> tf.io.RaggedFeature(tf.int64, value_key="words", partitions=[lengths]).value_key
    'words'
    """

    RowSplits, RowLengths, RowStarts = RowSplits, RowLengths, RowStarts
    RowLimits, ValueRowIds, UniformRowLength = RowLimits, ValueRowIds, UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> "RaggedFeature":
        known = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)
        for partition in partitions:
            if not isinstance(partition, known):
                names = ", ".join(f"tf.io.RaggedFeature.{kind.__name__}" for kind in known)
                raise TypeError(f"A partition is one of {names}; got {partition!r}.")
        return super().__new__(
            cls, as_dtype(dtype), value_key, tuple(partitions), as_dtype(row_splits_dtype), validate
        )
