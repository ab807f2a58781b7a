"""Datasets as the replicas read them: each gets a part of a batch for all, or a batch of its own."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tapeflow.api import nest
from tapeflow.core.composite import TypeSpec
from tapeflow.core.errors import OutOfRangeError
from tapeflow.core.frames import has_an_effect
from tapeflow.data.iterators import Optional

from .values import PerReplica, PerReplicaSpec

__all__ = ["DistributedDataset", "DistributedIterator"]


class DistributedIterator:
    """The batches of a distributed dataset, one after the other.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> batches = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)))
    >>> next(batches).numpy(), isinstance(batches, tf.distribute.DistributedIterator)
    (array([0, 1]), True)
    """

    def __init__(self, elements: Iterator, dataset: "DistributedDataset") -> None:
        self._elements, self._dataset = elements, dataset

    def __iter__(self) -> "DistributedIterator":
        return self

    def __next__(self) -> Any:
        has_an_effect("reading a dataset")  # a graph would give the element that it saw when it was traced
        return next(self._elements)

    def next(self) -> Any:
        """The next element, as `next(iterator)` gives it.

        Returns:
            A tensor, or tuples and dicts of them; with several replicas, values of all of them in their place.
        """
        return next(self)

    def get_next(self) -> Any:
        """The next batch; tf.errors.OutOfRangeError after the last one.

        Returns:
            A tensor, or tuples and dicts of them; with several replicas, values of all of them in their place.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence: the dataset has no more elements.") from None

    def get_next_as_optional(self) -> Any:
        """The next batch, or that there is none, as an Optional.

        Returns:
            A `tf.experimental.Optional`.
        """
        return Optional(next(self)) if self._has_more() else Optional()

    def _has_more(self) -> bool:
        for element in self._elements:
            self._elements = _after(element, self._elements)
            return True
        return False

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of a batch."""
        return self._dataset.element_spec


def _after(first: Any, rest: Iterator) -> Iterator:
    yield first
    yield from rest


class DistributedDataset(Iterable):
    """A dataset that the replicas of a strategy share: each gets a part of every batch. Where they do not divide it,
    the last ones get less, or nothing.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    >>> [batch.numpy().tolist() for batch in batches], isinstance(batches, tf.distribute.DistributedDataset)
    ([[0, 1], [2, 3]], True)
    """

    def __init__(self, dataset: Any, count: int = 1, numbers: Sequence[int] | None = None) -> None:
        """`numbers`: the replicas of this process, if there are others."""
        if count > 1 and not hasattr(dataset, "element_spec"):
            raise AttributeError(
                f"'{type(dataset).__name__}' object has no attribute 'element_spec': a tf.data.Dataset is expected, "
                f"got {dataset!r}. Make one by tf.data.Dataset.from_tensor_slices(...).batch(n)."
            )
        self._for_all, self._count = dataset, count
        self._numbers = range(count) if numbers is None else numbers
        if count > 1:
            self._check()

    def _check(self) -> None:
        specs = nest.flatten(self._for_all.element_spec)
        if any(spec.shape.rank == 0 for spec in specs if hasattr(spec, "shape")):
            raise ValueError(
                f"{self._count} replicas share each element of a dataset, and those of this one have no first axis: "
                f"{self._for_all.element_spec}. Call dataset.batch(n) first."
            )

    def __iter__(self) -> DistributedIterator:
        elements = iter(self._for_all)
        if self._count > 1:
            elements = self._distributed(elements)
        return DistributedIterator(elements, self)

    def _distributed(self, elements: Iterator) -> Iterator:
        own = lambda element: parts(element, self._count, self._numbers)
        if len(self._numbers) < self._count and _has_all_of_them(self._for_all):
            return (parts(element, self._count, [k]) for element in elements for k in range(self._count))
        return map(own, elements)

    def __len__(self) -> int:
        return len(self._for_all)

    def __bool__(self) -> bool:
        return True  # also one whose length is not known

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of a batch."""
        spec = self._for_all.element_spec
        return spec if self._count == 1 else nest.map_structure(self._spec_of_parts, spec)

    def _spec_of_parts(self, spec: Any) -> Any:
        if not hasattr(spec, "shape") or not isinstance(spec, TypeSpec):
            return spec
        size = spec.shape[0] if spec.shape.rank else None
        part = None if size is None or size % self._count else size // self._count
        return PerReplicaSpec(*[type(spec)([part, *spec.shape[1:]], spec.dtype)] * self._count)

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        return self._for_all.cardinality().numpy()


class DistributedDatasetsFromFunction(DistributedDataset):
    """The same, of a dataset whose batches are each for one replica."""

    def _check(self) -> None:
        self._for_all.element_spec  # noqa: B018

    def _distributed(self, elements: Iterator) -> Iterator:
        for first in elements:
            group = [first]
            while len(group) < self._count:
                # At the end some replicas get nothing.
                group.append(next(elements, None) if group[-1] is not _nothing else _nothing)
                if group[-1] is None:
                    group[-1] = _nothing
            yield together([_empty_like(first) if element is _nothing else element for element in group])

    def _spec_of_parts(self, spec: Any) -> Any:
        return PerReplicaSpec(*[spec] * self._count)

    def __len__(self) -> int:
        return -(-len(self._for_all) // self._count)

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        found = self._for_all.cardinality().numpy()
        return found if found < 0 else -(-found // self._count)


_nothing: Any = object()


def _has_all_of_them(dataset: Any) -> bool:
    """Is each worker to read everything? (`AutoShardPolicy.OFF`)"""
    policy = getattr(getattr(dataset.options(), "experimental_distribute", None), "auto_shard_policy", None)
    return getattr(policy, "name", None) == "OFF"


def parts(batch: Any, count: int, numbers: Sequence[int] | None = None) -> Any:
    """The part of each replica of a batch for all: of equal sizes, as far as there are rows. Only of those with these
    `numbers`; of one alone, as it is."""
    size = rows_of(batch)
    most = -(-size // count)
    bounds = [(min(k * most, size), min((k + 1) * most, size)) for k in range(count)]
    own = bounds if numbers is None else [bounds[k] for k in numbers]
    if len(own) == 1:
        return nest.map_structure(lambda leaf: leaf[own[0][0] : own[0][1]], batch)
    return nest.map_structure(lambda leaf: PerReplica([leaf[start:stop] for start, stop in own]), batch)


def rows_of(batch: Any) -> int:
    """The size of the first axis, which all parts of a batch have."""
    sizes = {_size(leaf) for leaf in nest.flatten(batch)}
    if len(sizes) != 1 or None in sizes:
        shapes = [getattr(leaf, "shape", leaf) for leaf in nest.flatten(batch)]
        raise ValueError(
            "Replicas share the batches of a dataset: its elements need a first axis, the same for all their parts, "
            f"and this one has {', '.join(str(tuple(s)) for s in shapes)}. Call dataset.batch(n) first."
        )
    return sizes.pop()


def _size(leaf: Any) -> int | None:
    if hasattr(leaf, "bounding_shape"):
        return int(leaf.nrows())
    return leaf.shape[0] if len(getattr(leaf, "shape", ())) else None


def together(elements: list) -> Any:
    """Elements of the same structure as one, of values for each replica."""
    return nest.map_structure(lambda *leaves: PerReplica(leaves), *elements)


def _empty_like(element: Any) -> Any:
    return nest.map_structure(lambda leaf: leaf[:0], element)
