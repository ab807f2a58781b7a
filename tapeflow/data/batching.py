"""`batch`, `padded_batch`, `ragged_batch` and `unbatch` of `tf.data.Dataset`."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core import nest
from tapeflow.core.dtypes import as_dtype, int64

from . import element_specs
from .element_specs import ragged_places
from .elements import leaves_of, packed_like, rows_of, stacked
from .iterators import Element
from .padding import Padding
from .pipeline import Pipeline, positive

if TYPE_CHECKING:
    from .dataset import Dataset


class Batches:
    """An iterator over groups of `size` elements, each made one by `join`. An element that raises an error leaves the
    iterator usable."""

    __slots__ = ("_elements", "_size", "_join", "_drop")

    def __init__(self, elements: Iterator, size: int, drop: bool, join: Callable[[list], Any]) -> None:
        self._elements, self._size, self._join, self._drop = elements, size, join, drop

    def __iter__(self) -> "Batches":
        return self

    def __next__(self) -> Any:
        group = list(itertools.islice(self._elements, self._size))
        if not group or self._drop and len(group) < self._size:
            raise StopIteration
        return self._join(group)


class Batching(Pipeline[Element]):
    """`batch`, `padded_batch`, `ragged_batch`, `unbatch`, `rebatch`."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> "Dataset[Element]":
        """Every `batch_size` elements stacked to one; the last batch may be smaller, or is dropped.

        Args:
            batch_size: How many elements.
            drop_remainder: True leaves out a last batch that is smaller; the first size of the shapes is known then.
            num_parallel_calls: Taken and not used: stacking takes no thread of its own.
            deterministic: Taken and not used.

        Raises:
            InvalidArgumentError: If `batch_size` is not positive; while iterating, if elements have different shapes.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        size, drop = positive(batch_size, "Batch size must be greater than zero."), bool(drop_remainder)
        kind = "Batch" if num_parallel_calls is None else "ParallelBatch"
        spec = self._spec.then(lambda known: element_specs.batched(known, size if drop else None))
        if self._rows is not None:
            rows, indices = self._rows, self._indices
            batches = lambda: Batches(indices(), size, drop, rows.many)  # type: ignore[misc]
            return self._next(batches, self._batches(size, drop), spec, kind)
        ragged = frozenset() if self._spec.known is None else ragged_places(self._spec.known)
        join = (lambda group: stacked(group, ragged)) if ragged else stacked
        return self._next(lambda: Batches(self._make(), size, drop, join), self._batches(size, drop), spec, kind)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> "Dataset[Element]":
        """As `batch`, for elements of different shapes: each is filled up, to the largest of its batch or to
        `padded_shapes`.

        Args:
            batch_size: How many elements.
            padded_shapes: A shape for each tensor of an element, in its structure; None or -1 in it, and no shape at
                all, stand for the largest size in the batch.
            padding_values: What to fill up with: one scalar for all tensors, or one for each; zeros and empty strings
                by default.
            drop_remainder: True leaves out a last batch that is smaller.

        Raises:
            ValueError: If the rank of a tensor is not known and no shape is given.
            TypeError: If a padding value has another dtype than its tensor.
            DataLossError: If, while iterating, an element is larger than its padded shape.

        >>> ds = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> ds = ds.padded_batch(3, padding_values=np.int64(-1))
        >>> next(iter(ds)).numpy()
        array([[ 1, -1, -1],
               [ 2,  2, -1],
               [ 3,  3,  3]])
        """
        size, drop = positive(batch_size, "Batch size must be greater than zero."), bool(drop_remainder)
        padding = Padding(padded_shapes, padding_values, self._spec)
        spec = self._spec.then(lambda known: padding.spec(known, size if drop else None))
        return self._next(
            lambda: Batches(self._make(), size, drop, padding.join), self._batches(size, drop), spec, "PaddedBatch"
        )

    def ragged_batch(
        self, batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64, name: str | None = None
    ) -> "Dataset[Any]":
        """As `batch`, for elements of different shapes: they become ragged tensors. Those of one known shape stay
        tensors.

        Args:
            batch_size: How many elements.
            drop_remainder: True leaves out a last batch that is smaller.
            row_splits_dtype: int32 or int64, for the splits of the rows.

        >>> next(iter(tf.data.Dataset.range(1, 4).map(tf.range).ragged_batch(3)))
        <tf.RaggedTensor [[0], [0, 1], [0, 1, 2]]>
        """
        size, drop = positive(batch_size, "Batch size must be greater than zero."), bool(drop_remainder)
        splits = as_dtype(row_splits_dtype)

        def without_guesses(known: Any) -> Any:
            return element_specs.of_any_size(known) if self._spec.guessed else known

        def join(group: list) -> Any:
            leaves = nest.flatten(without_guesses(self.element_spec))
            varies = lambda leaf: leaf is not None and leaf.shape.rank and not leaf.shape.is_fully_defined()
            made = stacked(group, frozenset(k for k, leaf in enumerate(leaves) if varies(leaf)))
            cast = lambda leaf: leaf.with_row_splits_dtype(splits) if isinstance(leaf, RaggedTensor) else leaf
            return packed_like(made, [cast(leaf) for leaf in leaves_of(made)])

        spec = self._spec.then(
            lambda known: element_specs.batched(without_guesses(known), size if drop else None, ragged=True)
        )
        return self._next(
            lambda: Batches(self._make(), size, drop, join), self._batches(size, drop), spec, "RaggedBatch"
        )

    def _batches(self, size: int, drop: bool) -> float | None:
        if self._count is None or self._count == math.inf:
            return self._count
        return self._count // size if drop else math.ceil(self._count / size)

    def unbatch(self, name: str | None = None) -> "Dataset[Element]":
        """The rows of every element as elements.

        >>> [x.numpy().item() for x in tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()]
        [1, 2, 3, 4]
        """
        make = lambda: itertools.chain.from_iterable(map(rows_of, self._make()))
        return self._next(make, self._rows_in_all(), self._spec.then(element_specs.unbatched), "Unbatch")

    def _rows_in_all(self) -> float | None:
        """How many rows the elements have together, where their spec is known and says so."""
        if self._count is None or self._count == math.inf or self._spec.known is None:
            return self._count if self._count == math.inf else None
        leaves = [leaf for leaf in nest.flatten(self._spec.known) if leaf is not None]
        if any(not hasattr(leaf, "shape") for leaf in leaves):
            return None
        sizes = {leaf.shape[0] for leaf in leaves if leaf.shape.rank}
        size = sizes.pop() if len(sizes) == 1 else None
        return None if size is None else self._count * size

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> "Dataset[Element]":
        """Batches of another size, or of the sizes of a list in turn.

        Args:
            batch_size: The new number of rows, or a list of numbers that are used in turn.
            drop_remainder: True leaves out a last batch that is smaller.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(6).batch(2).rebatch(3)]
        [[0, 1, 2], [3, 4, 5]]
        """
        given = (
            [int(n) for n in batch_size]
            if getattr(batch_size, "shape", None) or isinstance(batch_size, (list, tuple))
            else [batch_size]
        )
        sizes = [positive(n, "Batch size must be greater than zero.") for n in given]
        drop = bool(drop_remainder)

        def make() -> Iterator:
            rows = itertools.chain.from_iterable(map(rows_of, self._make()))
            for size in itertools.cycle(sizes):
                group = list(itertools.islice(rows, size))
                if not group or drop and len(group) < size:
                    return
                yield stacked(group)

        one = sizes[0] if drop and len(set(sizes)) == 1 else None
        spec = self._spec.then(lambda known: element_specs.batched(element_specs.unbatched(known), one))
        return self._next(make, None, spec, "Rebatch")
