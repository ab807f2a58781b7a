"""Interleaving: several iterators read in turn."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from .threads import ReadAhead

_AHEAD = 16  # elements that the thread of each of them reads ahead, at least


def interleaved(makers: Iterator[Callable[[], Iterator]], slots: int | None, block: int, parallel: bool) -> Iterator:
    """`block` elements of each of `slots` iterators in turn. One that ends leaves its place to the next of
    `makers`."""
    size = max(block, _AHEAD)
    cycle: list[Iterator | None] = []
    more = True

    def filled() -> Iterator | None:
        nonlocal more
        for make in makers:
            return ReadAhead(make, size, now=True) if parallel else make()
        more = False
        return None

    for _ in range(slots or os.cpu_count() or 1):
        cycle.append(filled() if parallel else None)  # threads begin before their turn comes
    place = 0
    while more or any(it is not None for it in cycle):
        elements = cycle[place]
        if elements is None and more:
            elements = cycle[place] = filled()
        if elements is not None:
            given = 0
            for value in _at_most(elements, block):
                given += 1
                yield value
            if given < block:
                cycle[place] = filled() if parallel and more else None
        place = (place + 1) % len(cycle)


def _at_most(elements: Iterator[Any], count: int) -> Iterator[Any]:
    for _ in range(count):
        try:
            yield next(elements)
        except StopIteration:
            return
