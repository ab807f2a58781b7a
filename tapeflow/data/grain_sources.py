"""grain's datasets as sources. What has random access there has it here: shuffles move numbers, and batches are
gathered."""

from collections.abc import Iterator
from typing import Any

from tapeflow.core.tensor import EagerTensor

from .dataset import Dataset
from .element_specs import Cell, spec_of
from .elements import element, stacked
from .pipeline import new, of_rows
from .rows import Rows


class _GrainRows(Rows):
    """Rows that a random-access source makes when they are asked for."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        super().__init__(EagerTensor(None), [])
        self.source = source

    def one(self, i: int) -> Any:
        return element(self.source[i])

    def many(self, indices: list[int]) -> Any:
        return stacked([self.one(i) for i in indices])

    def columns(self) -> None:
        return None


def from_grain(source: Any) -> Dataset[Any]:
    """A dataset of the elements of a `grain` `MapDataset`, `IterDataset` or `DataLoader`, or of any random-access
    source.

    A `MapDataset` (and whatever has `len` and `[]`) is shuffled by number: a buffer as large as the dataset holds no
    element. grain's own transformations, worker processes and `grain.experimental.multithread_prefetch` stay in place
    before it.

    Args:
        source: The dataset or loader, or anything with `len` and `[]`.

    >>> import grain
    >>> ds = tf.data.experimental.from_grain(grain.MapDataset.range(5).map(lambda x: x * x))
    >>> [x.numpy().tolist() for x in ds.batch(3)]
    [[0, 1, 4], [9, 16]]
    """
    if hasattr(source, "__len__") and hasattr(source, "__getitem__"):
        count = len(source)
        spec = Cell(find=lambda: spec_of(element(source[0])))
        if count >= 1 << 62:  # grain's way to say that it repeats for ever
            return new(lambda: map(element, iter(source)), float("inf"), spec, "Grain")
        return of_rows(_GrainRows(source), lambda: iter(range(count)), count, spec, "Grain")
    if not hasattr(source, "__iter__"):
        raise TypeError(f"from_grain takes a grain MapDataset, IterDataset or DataLoader, got {source!r}.")

    def make() -> Iterator:
        return map(element, iter(source))

    return new(make, None, Cell(find=lambda: spec_of(next(make()))), "Grain")
