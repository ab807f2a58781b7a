"""`tf.lookup.experimental`: tables that change."""

from typing import Any

import numpy as np

from tapeflow.api.arrays.constants import constant
from tapeflow.api.strings.host import array_of
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import invalid
from tapeflow.core.frames import has_an_effect
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .initializers import listed, packed
from .keys import looked_up

__all__ = ["DenseHashTable", "MutableHashTable"]


class MutableHashTable:
    """A table to which keys are added and from which they are removed. A value may be a tensor: of the shape of
    `default_value`.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    >>> table.remove(tf.constant(["a"]))
    >>> table.lookup(tf.constant(["a", "b"])).numpy()
    array([-1,  2])
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str = "MutableHashTable",
        checkpoint: bool = True, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype, self.name = as_dtype(key_dtype), as_dtype(value_dtype), name
        self._default = np.asarray(array_of(constant(default_value, self.value_dtype)))
        self._values: dict = {}

    def _stacked(self, rows: list, shape: tuple) -> np.ndarray:
        out = np.empty((len(rows), *self._default.shape), self.value_dtype.np)
        for place, row in enumerate(rows):
            out[place] = row[()] if isinstance(row, np.ndarray) else row  # a string out of its array
        return out.reshape(*shape, *self._default.shape)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of a tensor of keys; those that are no keys have the default.

        Returns:
            A tensor of the keys' shape, with the axes of a value after them; of a ragged or sparse tensor, one of the
            same kind.

        Raises:
            TypeError: If the keys are of another dtype than the table's.
        """
        has_an_effect("reading a table")
        defaults = (
            None
            if dynamic_default_values is None
            else array_of(dynamic_default_values).reshape(-1, *sizes_of(self._default))
        )

        def of(tensor: Tensor) -> Tensor:
            array = array_of(tensor)
            found = [self._values.get(key) for key in array.reshape(-1).tolist()]
            rest = [self._default] * len(found) if defaults is None else defaults
            values = [other if value is None else value for value, other in zip(found, rest)]
            return EagerTensor(self._stacked(values, array.shape))

        return looked_up(keys, self.key_dtype, of)

    __getitem__ = lookup

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Add keys with their values; a key that is there gets a new value.

        Raises:
            InvalidArgumentError: If the values do not fit the keys.
        """
        has_an_effect("changing a table")
        names = listed(keys, self.key_dtype)
        rows = array_of(constant(values, self.value_dtype))
        if rows.size != len(names) * self._default.size:
            raise invalid(
                f"Expected a value of shape {self._default.shape} for each of {len(names)} keys, got shape "
                f"{rows.shape}."
            )
        for key, row in zip(names, rows.reshape(len(names), *self._default.shape)):
            self._check(key)
            self._values[key] = row

    def _check(self, key: Any) -> None:
        """Any key will do."""

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take keys out; those that are not there do not matter."""
        has_an_effect("changing a table")
        for key in listed(keys, self.key_dtype):
            self._check(key)
            self._values.pop(key, None)

    erase = remove

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        has_an_effect("reading a table")
        return EagerTensor(packed([len(self._values)], int64, ()))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values.

        Returns:
            The keys, and the values in the same order.
        """
        has_an_effect("reading a table")
        count = len(self._values)
        keys = EagerTensor(packed(list(self._values), self.key_dtype, (count,)))
        return keys, EagerTensor(self._stacked(list(self._values.values()), (count,)))


class DenseHashTable(MutableHashTable):
    """The same, with two keys that are never used: TensorFlow marks free and deleted places with them.

    Args:
        empty_key: A key that is never used.
        deleted_key: Another one.
        initial_num_buckets: Taken and not used.

    Raises:
        InvalidArgumentError: If `empty_key` and `deleted_key` are the same.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.string, default_value="?", empty_key=-1, deleted_key=-2)
    >>> table.insert(tf.constant([7], tf.int64), tf.constant(["seven"]))
    >>> table.lookup(tf.constant([7, 8], tf.int64)).numpy()
    array([b'seven', b'?'], dtype=object)
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any, deleted_key: Any,
        initial_num_buckets: int | None = None, name: str = "MutableDenseHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype, default_value, name)
        (self._empty,), (self._deleted,) = (
            listed(constant(key, self.key_dtype), self.key_dtype) for key in (empty_key, deleted_key)
        )
        if self._empty == self._deleted:
            raise invalid(f"Empty and deleted keys must have different values, got {empty_key!r} twice.")

    def _check(self, key: Any) -> None:
        if key in (self._empty, self._deleted):
            which = "empty_key" if key == self._empty else "deleted_key"
            raise invalid(f"Using the {which} as a table key is not allowed: {key!r}.")
