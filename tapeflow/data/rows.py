"""Random access: elements that are rows of arrays. What only chooses and orders them moves numbers, and a batch is one
gather."""

from typing import Any

import numpy as np

from tapeflow.core.tensor import EagerTensor

from .elements import packed_like, string_scalar


class Rows:
    """Element `i` is row `i` of every array; `structure` says how they are put together."""

    __slots__ = ("structure", "arrays", "single")

    def __init__(self, structure: Any, arrays: list[np.ndarray]) -> None:
        self.structure, self.arrays = structure, arrays
        self.single = type(structure) is EagerTensor

    def one(self, i: int) -> Any:
        parts = [
            EagerTensor(part) if isinstance(part := a[i], (np.ndarray, np.generic)) else string_scalar(part)
            for a in self.arrays
        ]
        return parts[0] if self.single else packed_like(self.structure, parts)

    def many(self, indices: list[int]) -> Any:
        """Rows stacked; those that follow each other are a view of the whole, others are copied."""
        first, count = indices[0], len(indices)
        if indices[-1] - first == count - 1 and indices == list(range(first, first + count)):
            parts = [EagerTensor(a[first : first + count]) for a in self.arrays]
        else:
            places = np.array(indices, np.intp)
            parts = [EagerTensor(a.take(places, axis=0)) for a in self.arrays]
        return parts[0] if self.single else packed_like(self.structure, parts)

    def columns(self) -> list["Rows"] | None:
        """Each array on its own; None when there are none."""
        return [Rows(EagerTensor(a), [a]) for a in self.arrays]


def joined(structure: Any, parts: list[Rows]) -> Rows:
    """Rows of several, side by side: `structure` has theirs in it."""
    return Rows(structure, [a for part in parts for a in part.arrays])
