"""Memory of Jacobians: how many rows are computed together, so that the arrays in flight stay under a limit.

Where a quick look at what the tape keeps says that all rows fit, all go at once. Otherwise the first few rows show how
large the arrays of one row really are.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from tapeflow.core.contracts import Observer, Operation
from tapeflow.core.record import Record
from tapeflow.core.sizes import Size, estimated
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.vectorize.mapped import MappedTensor

# What the arrays of one walk may take together, roughly. Larger chunks would not be faster: the work is in large
# arrays already.
LIMIT = 256 * 2**20
_AT_ONCE = 4  # a rule's result, what it is made from, and what waits on other paths
FIRST = 8  # rows of the first chunk, where it is not known how many fit


def fitting(bytes_of_a_row: float) -> int:
    """How many rows fit, if the largest array of one row has this size."""
    return max(1, int(LIMIT // (_AT_ONCE * max(bytes_of_a_row, 1))))


def chunks(rows: int, size: int) -> Iterator[tuple[int, int]]:
    """`(start, stop)` of chunks of about one size, none of them larger than `size`."""
    count = -(-rows // size) if rows else 0
    for k in range(count):
        yield k * rows // count, (k + 1) * rows // count


class Sizes(Observer):
    """An observer that looks at how large results are that have `rows` rows."""

    def __init__(self, rows: int) -> None:
        self.rows, self.largest = rows, 0
        self.watched = Everything()

    @property
    def of_a_row(self) -> float:
        return self.largest / max(self.rows, 1)

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        for y in out if type(out) is tuple else (out,):
            if y.ndim and y.sizes[0] == self.rows:
                self.largest = max(self.largest, bytes_of(y))


class Everything:
    """The ids of all tensors: for an observer that is told of every operation."""

    def __contains__(self, _: object) -> bool:
        return True


def guess(records: list[Record], values: Iterable[Any], itemsize: int) -> int:
    """The size of the largest array of a row, from above: of the tensors that the tape keeps, and of those whose shape
    it keeps."""
    kept = (
        _largest(saved if out else (*filter(None, saved.specs), *saved.saved), itemsize)
        for out, _, _, saved in records
    )
    return max([*map(bytes_of, values), *kept], default=1)


def _largest(saved: tuple, itemsize: int) -> int:
    found = 0
    for value in saved:
        if isinstance(value, Tensor):
            found = max(found, bytes_of(value))
        elif type(value) is tuple:
            shape = (
                value[0] if len(value) == 2 and isinstance(value[0], tuple) else value
            )  # the specification of an output
            if all(type(d) in (int, Size) for d in shape):
                found = max(found, math.prod(map(estimated, shape)) * itemsize)
    return found


def of_one_row(tensors: Iterable[Any]) -> list[tuple]:
    """Shape and dtype of one row of each, if rows are along the first axis."""
    return [(tuple(t.sizes)[1:], t.dtype.np) for t in tensors if t is not None and t.ndim]


def bytes_of(value: Any) -> int:
    """The size of a tensor; inside a map that of all rows."""
    while type(value) is MappedTensor:
        value = value.held
    return math.prod(estimated(d) or 1 for d in sizes_of(value)) * value.dtype.size
