"""What a program expects of an example: one of these for each key."""

from typing import Any, NamedTuple

from tapeflow.core.dtypes import DType, as_dtype, int32

__all__ = ["FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature"]


class FixedLenFeature(NamedTuple):
    """A feature that has `shape` in every example; `default_value` stands in where it is missing.

    Args:
        shape: The shape of the feature, all sizes known.
        dtype: int64, float32 or string.
        default_value: One value for each place; None: an example without the feature is an error.

    >>> tf.io.FixedLenFeature([28, 28], tf.float32).shape
    [28, 28]
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, parsed to a `SparseTensor`.

    Args:
        dtype: int64, float32 or string.

    >>> tf.io.VarLenFeature(tf.int64)
    VarLenFeature(dtype=tf.int64)
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of items of `shape`, parsed to a dense tensor with an axis more; batches are padded.

    Args:
        shape: The shape of an item, all sizes known.
        dtype: int64, float32 or string.
        allow_missing: True takes an example without the feature for one with no items. Outside of sequences it has to
            be True.
        default_value: What batches are filled up with; None: zeros, or empty strings.

    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A `SparseTensor` whose indices and values are features of their own.

    Args:
        index_key: The key of the indices, or a list of keys, one for each axis.
        value_key: The key of the values.
        dtype: int64, float32 or string.
        size: The size of the axis, or a list of sizes.
        already_sorted: True leaves the indices in the order in which they come.

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
    partitions: tuple[Any, ...]
    row_splits_dtype: DType
    validate: bool


class RaggedFeature(_Ragged):
    """A feature of any number of values, parsed to a `RaggedTensor`; `partitions` add ragged axes, the outermost
    first.

    Args:
        dtype: int64, float32 or string.
        value_key: The key of the values; None: that of the feature.
        partitions: How values are divided into rows: `tf.io.RaggedFeature.RowLengths(key)` and its like.
        row_splits_dtype: int32 or int64, for the splits of the rows.
        validate: Taken and not used: partitions are always checked.

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
