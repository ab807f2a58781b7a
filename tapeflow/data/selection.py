"""`take`, `skip`, `shard`, `shuffle`, `repeat`: which elements, how often and in which order. None of it looks at an
element."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.errors import InvalidArgumentError

from .element_specs import Cell, common, compatible
from .elements import leaves_of
from .iterators import Element
from .pipeline import UNKNOWN_CARDINALITY, Make, Pipeline, whole_number
from .sources import in_turn, seeds_of, stream

if TYPE_CHECKING:
    from .dataset import Dataset


class Selection(Pipeline[Element]):
    """`take`, `skip`, `repeat`, `shard`, `shuffle`, `concatenate`, `unique`."""

    def take(self, count: Any, name: str | None = None) -> "Dataset[Element]":
        """The first `count` elements; all when it is -1.

        Args:
            count: How many; -1 for all.

        >>> list(tf.data.Dataset.range(9).take(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        most = whole_number(count)
        left = self._count if most < 0 else None if self._count is None else min(self._count, most)
        change: Callable[[Make], Iterator] = lambda make: make() if most < 0 else itertools.islice(make(), most)
        return self._reordered(change, left, "Take")

    def skip(self, count: Any, name: str | None = None) -> "Dataset[Element]":
        """Without the first `count` elements; nothing is left when it is -1.

        Args:
            count: How many; -1 for all.

        >>> list(tf.data.Dataset.range(4).skip(2).as_numpy_iterator())
        [np.int64(2), np.int64(3)]
        """
        fewer = whole_number(count)
        left = 0 if fewer < 0 else None if self._count is None else max(self._count - fewer, 0)
        change: Callable[[Make], Iterator] = lambda make: (
            iter(()) if fewer < 0 else itertools.islice(make(), fewer, None)
        )
        return self._reordered(change, left, "Skip")

    def repeat(self, count: Any = None, name: str | None = None) -> "Dataset[Element]":
        """The elements `count` times over; for ever by default.

        Args:
            count: How often; None and -1 for ever.

        >>> [x.numpy().item() for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        times = math.inf if count is None or whole_number(count) < 0 else whole_number(count)

        def change(make: Make) -> Iterator:
            for _ in itertools.count() if times == math.inf else range(int(times)):
                empty = True
                for value in make():
                    empty = False
                    yield value
                if empty:
                    return

        if self._count == 0 or times == 0:
            total: float | None = 0
        elif times == math.inf:
            total = math.inf
        else:
            total = None if self._count is None else self._count * times
        return self._reordered(change, total, "Repeat")

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> "Dataset[Element]":
        """Every `num_shards`-th element from number `index` on: the part of one of several workers.

        Args:
            num_shards: How many parts there are.
            index: Which of them, from 0.

        Raises:
            InvalidArgumentError: If `num_shards` is not positive, or `index` is not below it.

        >>> [x.numpy().item() for x in tf.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        shards, mine = whole_number(num_shards), whole_number(index)
        if shards < 1:
            raise InvalidArgumentError(
                None, None, f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= mine < shards:
            raise InvalidArgumentError(
                None, None, f"Index must be between 0 and {shards - 1} (currently index = {mine})."
            )
        count = self._count
        left = count if count is None or count == math.inf else math.ceil(max(count - mine, 0) / shards)
        return self._reordered(lambda make: itertools.islice(make(), mine, None, shards), left, "Shard")

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True, name: str | None = None
    ) -> "Dataset[Element]":
        """Elements in random order, each drawn from the next `buffer_size`; every iteration has another order, unless
        told not to.

        The order follows from `seed` and from `tf.random.set_seed`. Rows of tensors are shuffled by their numbers, so
        that a buffer as large as the dataset costs nothing.

        Args:
            buffer_size: How many elements wait to be drawn; `tf.data.UNKNOWN_CARDINALITY` holds all of them.
            reshuffle_each_iteration: False gives the same order in every iteration; None means True.

        >>> ds = tf.data.Dataset.range(4).shuffle(4, seed=1)
        >>> sorted(x.numpy().item() for x in ds)
        [0, 1, 2, 3]
        """
        size = whole_number(buffer_size)
        if size < 1 and size != UNKNOWN_CARDINALITY:
            raise InvalidArgumentError(
                None, None, f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}."
            )
        seeds, rounds = seeds_of(seed), itertools.count()

        def change(make: Make) -> Iterator:
            own = in_turn(seeds, next(rounds)) if reshuffle_each_iteration is not False else seeds
            return shuffled(make(), math.inf if size < 0 else size, stream(own))

        return self._reordered(change, self._count, "Shuffle")

    def concatenate(self, dataset: "Dataset[Any]", name: str | None = None) -> "Dataset[Element]":
        """These elements, then those of the other dataset.

        Args:
            dataset: One whose elements have the same structure and dtypes; shapes may differ.

        Raises:
            TypeError: If structures or dtypes differ.

        >>> [x.numpy().item() for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(2))]
        [0, 1, 0, 1]
        """
        if not isinstance(dataset, Pipeline):
            raise TypeError(f"concatenate takes a dataset, got {dataset!r}.")
        one, other = self._spec.known, dataset._spec.known
        if one is not None and other is not None and not _alike(one, other):
            raise TypeError(f"Incompatible dataset elements:\n  {one} vs.   {other}")
        counts = (self._count, dataset._count)
        total = math.inf if math.inf in counts else None if None in counts else sum(counts)  # type: ignore[arg-type]
        make = lambda: itertools.chain(self._make(), _lazily(dataset._make))
        return self._next(
            make, total, Cell(find=lambda: common(self.element_spec, dataset.element_spec)), "Concatenate"
        )

    def unique(self, name: str | None = None) -> "Dataset[Element]":
        """Without elements that were there before.

        >>> [x.numpy().item() for x in tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()]
        [1, 37, 2]
        """

        def make() -> Iterator:
            seen = set()
            for value in self._make():
                mark = tuple(_mark(leaf) for leaf in leaves_of(value))
                if mark not in seen:
                    seen.add(mark)
                    yield value

        return self._next(make, None, self._spec, "Unique")


def shuffled(elements: Iterator, size: float, words: Iterator[int]) -> Iterator:
    """A buffer of `size` elements; each time one of them, chosen at random, goes. The one that came first takes its
    place, and the next one that one's."""
    buffer: list = []
    for value in elements:
        buffer.append(value)
        if len(buffer) >= size:
            break
    count, first = len(buffer), 0
    for value in elements if count >= size else ():
        k = (first + next(words) % count) % count
        chosen, buffer[k], buffer[first] = buffer[k], buffer[first], value
        first = (first + 1) % count
        yield chosen
    buffer = buffer[first:] + buffer[:first]
    for k in range(count):
        chosen = k + next(words) % (count - k)
        yield buffer[chosen]
        buffer[chosen] = buffer[k]


def _lazily(make: Make) -> Iterator:
    yield from make()


def _mark(leaf: Any) -> tuple:
    array = np.asarray(leaf.array)
    return array.shape, array.dtype.str, tuple(array.ravel().tolist()) if array.dtype.kind == "O" else array.tobytes()


def _alike(one: Any, other: Any) -> bool:
    """Of the same structure and dtypes; shapes may differ."""
    try:
        return compatible(*[_shapeless(spec) for spec in (one, other)])
    except (TypeError, ValueError):
        return False


def _shapeless(spec: Any) -> Any:
    return nest.map_structure(lambda s: TensorSpec(None, s.dtype) if isinstance(s, TensorSpec) else s, spec)
