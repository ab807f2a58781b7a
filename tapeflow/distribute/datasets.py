"""Datasets as the replicas read them: each gets a part of a batch for all, or a batch of its own."""

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tapeflow.api import nest
from tapeflow.api.arrays.building import zeros
from tapeflow.core.composite import TypeSpec
from tapeflow.core.errors import OutOfRangeError
from tapeflow.core.frames import has_an_effect
from tapeflow.data.iterators import Optional
from tapeflow.data.pipeline import UNKNOWN_CARDINALITY

from .values import PerReplica, PerReplicaSpec
from .workers import Everywhere

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

    def __init__(self, dataset: Any, count: int = 1, everywhere: Everywhere | None = None) -> None:
        """For `count` replicas of this process; or `everywhere`: of several."""
        if count > 1 and not hasattr(dataset, "element_spec"):
            raise AttributeError(
                f"'{type(dataset).__name__}' object has no attribute 'element_spec': a tf.data.Dataset is expected, "
                f"got {dataset!r}. Make one by tf.data.Dataset.from_tensor_slices(...).batch(n)."
            )
        self._for_all, self._count, self._everywhere = dataset, count, everywhere
        self._own = count if everywhere is None else len(everywhere)
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
        numbers = None if self._everywhere is None else self._everywhere.numbers
        if numbers is not None and _has_all_of_them(self._for_all):
            groups = [range(k, k + self._own) for k in range(0, self._count, self._own)]
            return (parts(element, self._count, group) for element in elements for group in groups)
        return (parts(element, self._count, numbers) for element in elements)

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
        return self._of_own(type(spec)([part, *spec.shape[1:]], spec.dtype))

    def _of_own(self, spec: Any) -> Any:
        """The spec of what the replicas here get, each of this one."""
        return spec if self._own == 1 else PerReplicaSpec(*[spec] * self._own)

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        return self._for_all.cardinality().numpy()


class DistributedDatasetsFromFunction(DistributedDataset):
    """The same, of a dataset whose batches are each for one replica."""

    def _check(self) -> None:
        self._for_all.element_spec  # noqa: B018

    def __iter__(self) -> DistributedIterator:
        groups = self._groups(iter(self._for_all)) if self._own > 1 else ([element] for element in self._for_all)
        found = map(_together, groups) if self._everywhere is None else self._agreed(groups, self._everywhere)
        return DistributedIterator(found, self)

    def _groups(self, elements: Iterator) -> Iterator[list]:
        """An element for each replica here. At the end some get nothing."""
        for first in elements:
            group = [first, *itertools.islice(elements, self._own - 1)]
            yield group + [_empty_like(first)] * (self._own - len(group))

    def _agreed(self, groups: Iterator[list], everywhere: Everywhere) -> Iterator:
        """The same number of elements in all workers: who has no more gets empty ones. All workers iterate together;
        where nothing says beforehand that all have as many, of the same shapes, they ask each other before each."""
        spec = self._for_all.element_spec
        known = all(s.shape.is_fully_defined() for s in nest.flatten(spec)) and self.cardinality != UNKNOWN_CARDINALITY
        said = everywhere.said([known, self.cardinality, zlib.crc32(repr(spec).encode())])
        if known and all(each == said[0] for each in said):
            yield from map(_together, groups)
            return
        while True:
            group = next(groups, None)
            said = everywhere.said([group is not None, zlib.crc32(repr(group and _shapes(group)).encode())])
            if not any(has for has, _ in said):
                return
            group = [_nothing_of(spec)] * self._own if group is None else group
            even = len(set(_shapes(group))) == 1 and all(each == said[0] for each in said)
            yield _together(group) if even else _together(group, PerReplica.uneven)

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of a batch."""
        return nest.map_structure(self._of_own, self._for_all.element_spec)

    def __len__(self) -> int:
        return -(-len(self._for_all) // self._own)

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        found = self._for_all.cardinality().numpy()
        return found if found < 0 else -(-found // self._own)


def _has_all_of_them(dataset: Any) -> bool:
    """Is each worker to read everything? (`AutoShardPolicy.OFF`)"""
    policy = getattr(getattr(dataset.options(), "experimental_distribute", None), "auto_shard_policy", None)
    return getattr(policy, "name", None) == "OFF"


def parts(batch: Any, count: int, numbers: Sequence[int] | None = None) -> Any:
    """The part of each replica of a batch for all: of equal sizes, as far as there are rows. Only of those with these
    `numbers`, which are of this process."""
    size = rows_of(batch)
    most = -(-size // count)
    bounds = [(min(k * most, size), min((k + 1) * most, size)) for k in range(count)]
    own = bounds if numbers is None else [bounds[k] for k in numbers]
    if len(own) < count and size % count:  # in all workers
        return nest.map_structure(lambda leaf: PerReplica.uneven([leaf[start:stop] for start, stop in own]), batch)
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


def _together(elements: list, kind: Callable = PerReplica) -> Any:
    """Elements of the same structure as one, of values for each replica."""
    if len(elements) == 1 and kind is PerReplica:
        return elements[0]
    return nest.map_structure(lambda *leaves: kind(leaves), *elements)


def _shapes(group: list) -> list[tuple]:
    return [tuple([tuple(leaf.shape) for leaf in nest.flatten(element)]) for element in group]


def _empty_like(element: Any) -> Any:
    return nest.map_structure(lambda leaf: leaf[:0], element)


def _nothing_of(spec: Any) -> Any:
    """An empty element."""
    sizes = lambda s: [0, *[d or 0 for d in s.shape[1:]]] if s.shape.rank else []
    return nest.map_structure(lambda s: zeros(sizes(s), s.dtype), spec)
