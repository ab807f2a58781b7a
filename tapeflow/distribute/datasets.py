"""Datasets as the replicas read them: a batch for all is a batch for the one that is here."""

from collections.abc import Iterable
from typing import Any

__all__ = ["DistributedDataset", "DistributedIterator"]


class DistributedIterator:
    """The batches of a distributed dataset, one after the other.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> batches = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)))
    >>> next(batches).numpy(), isinstance(batches, tf.distribute.DistributedIterator)
    (array([0, 1]), True)
    """

    def __init__(self, iterator: Any, dataset: Any) -> None:
        self._iterator, self._for_all = iterator, dataset

    def __iter__(self) -> "DistributedIterator":
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def next(self) -> Any:
        """The next element, as `next(iterator)` gives it.

        Returns:
            A tensor, or tuples and dicts of them.
        """
        return next(self)

    def get_next(self) -> Any:
        """The next batch; tf.errors.OutOfRangeError after the last one.

        Returns:
            A tensor, or tuples and dicts of them.
        """
        return self._iterator.get_next()

    def get_next_as_optional(self) -> Any:
        """The next batch, or that there is none, as an Optional.

        Returns:
            A `tf.experimental.Optional`.
        """
        return self._iterator.get_next_as_optional()

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of a batch."""
        return self._for_all.element_spec


class DistributedDataset(Iterable):
    """A dataset that the replicas of a strategy share.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    >>> [batch.numpy().tolist() for batch in batches], isinstance(batches, tf.distribute.DistributedDataset)
    ([[0, 1], [2, 3]], True)
    """

    def __init__(self, dataset: Any) -> None:
        self._for_all = dataset

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._for_all), self._for_all)

    def __len__(self) -> int:
        return len(self._for_all)

    def __bool__(self) -> bool:
        return True  # also one whose length is not known

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of a batch."""
        return self._for_all.element_spec

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        return self._for_all.cardinality().numpy()
