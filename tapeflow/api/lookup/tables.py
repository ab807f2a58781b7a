"""Tables that do not change: `tf.lookup.StaticHashTable` and `StaticVocabularyTable`."""

from typing import Any

from tapeflow.api.lookup.initializers import packed
from tapeflow.api.lookup.keys import looked_up, one_value
from tapeflow.core.dtypes import as_dtype, int64, string
from tapeflow.core.errors import FailedPreconditionError
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.ops.arrays.tables import Entries

__all__ = ["StaticHashTable", "StaticVocabularyTable"]


class StaticHashTable:
    """A table that does not change: each key has a value, and what is no key has `default_value`.

    Raises:
        FailedPreconditionError: If a key comes with two values.

    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["yes", "no"], [1, 0]), default_value=-1)
    >>> table[tf.constant(["no", "maybe"])].numpy()
    array([ 0, -1], dtype=int32)
    """

    def __init__(
        self, initializer: Any, default_value: Any, name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:
        self.key_dtype, self.value_dtype, self.name = (
            initializer.key_dtype,
            initializer.value_dtype,
            name or "hash_table",
        )
        self._default = one_value(default_value, self.value_dtype)
        self._values: dict = {}
        for key, value in initializer._items():
            if self._values.setdefault(key, value) != value:
                shown = key.decode(errors="replace") if isinstance(key, bytes) else key
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {shown} has {self._values[key]} and trying to "
                    f"add value {value}{f' of {initializer._path}' if hasattr(initializer, '_path') else ''}.",
                )
        self.__tf_table__ = entries(self._values, self._default, initializer)

    @property
    def default_value(self) -> Tensor:
        """The value of what is no key."""
        return EagerTensor(packed([self._default], self.value_dtype, ()))

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of a tensor of keys; of a ragged or sparse tensor, one like it.

        Returns:
            A tensor of the keys' shape; of a ragged or sparse tensor, one of the same kind.

        Raises:
            TypeError: If the keys are of another dtype than the table's.
        """
        return looked_up(keys, self.key_dtype, lambda tensor: ops.table_lookup(tensor, table=self.__tf_table__))

    __getitem__ = lookup

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        return EagerTensor(packed([len(self._values)], int64, ()))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values.

        Returns:
            The keys, and the values in the same order.
        """
        keys, values = list(self._values), list(self._values.values())
        return EagerTensor(packed(keys, self.key_dtype, (len(keys),))), EagerTensor(
            packed(values, self.value_dtype, (len(values),))
        )


class StaticVocabularyTable:
    """A table from words to 0, 1, …; a word that is not in it gets one of `num_oov_buckets` numbers after them, by its
    hash.

    Args:
        initializer: The words and their numbers, int64; None for no words.
        num_oov_buckets: How many numbers there are for other words, at least 1.
        lookup_key_dtype: The dtype of the keys; None: that of the words.

    Raises:
        ValueError: If `num_oov_buckets` is not positive.

    >>> words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    >>> table.lookup(tf.constant(["b", "zebra"])).numpy()
    array([1, 2])
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        if initializer is not None and initializer.value_dtype is not int64:
            raise TypeError(f"Invalid `value_dtype`, expected {int64!r} but got {initializer.value_dtype!r}.")
        own = string if initializer is None else initializer.key_dtype
        self.key_dtype = own if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
        if (self.key_dtype is string) != (own is string):
            raise TypeError(
                f"lookup_key_dtype {self.key_dtype.name} does not fit the table's keys, which are {own.name}."
            )
        self.value_dtype, self.name, self._buckets = int64, name or "string_to_index", num_oov_buckets
        self._table = None if initializer is None else StaticHashTable(initializer, -1)
        known = {} if self._table is None else self._table._values
        self.__tf_table__ = entries(known, -1, initializer, num_oov_buckets)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of a tensor of words; of a ragged or sparse tensor, one like it.

        Returns:
            A tensor of the keys' shape; of a ragged or sparse tensor, one of the same kind.

        Raises:
            TypeError: If the keys are of another dtype than the table's.
        """
        return looked_up(keys, self.key_dtype, lambda tensor: ops.table_lookup(tensor, table=self.__tf_table__))

    __getitem__ = lookup

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are, those for unknown words included."""
        known = 0 if self._table is None else len(self._table._values)
        return EagerTensor(packed([known + self._buckets], int64, ()))


def entries(values: dict, default: Any, initializer: Any, buckets: int = 0) -> Entries:
    """What a table holds, as arrays."""
    key_dtype, value_dtype = (
        (string, int64) if initializer is None else (initializer.key_dtype, initializer.value_dtype)
    )
    return Entries(
        packed(list(values), key_dtype, (len(values),)),
        packed(list(values.values()), value_dtype, (len(values),)),
        packed([default], value_dtype, ()),
        buckets,
        getattr(initializer, "_source", None),
    )
