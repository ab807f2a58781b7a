"""Sizes that are not known while a program is written down: each format computes them where the program runs."""

from collections.abc import Iterator
from typing import Any

from tapeflow.core.sizes import Expression, Size

from .lowering import Unsupported


class SizeWriter:
    """The part of a writer of graphs that computes sizes. A size is a vector of one number."""

    outer: Any  # the writer of the graph around this one, whose values it may read
    known: dict[Expression, Any]  # sizes that have been computed here
    measured: dict[int, tuple[Any, int]]  # by the number of a size, what has it along which axis

    # ---- each format says

    def number(self, number: int) -> Any:
        raise NotImplementedError

    def size_of(self, value: Any, axis: int) -> Any:
        """How long a value is along an axis."""
        raise NotImplementedError

    def calculated(self, operation: str, a: Any, b: Any) -> Any:
        """One of + - * // % max min; `//` rounds down."""
        raise NotImplementedError

    # ----

    def around(self) -> "Iterator[Any]":
        """This graph, and those that it is inside of."""
        writer: Any = self
        while writer is not None:
            yield writer
            writer = writer.outer

    def size(self, size: Any) -> Any:
        """One number, as a vector of it."""
        return self._size(size.expression if type(size) is Size else int(size))

    def _size(self, size: Any) -> Any:
        if type(size) is not Expression:
            return self.number(size)
        for writer in self.around():
            if size in writer.known:
                return writer.known[size]
        self.known[size] = made = self._computed(size)
        return made

    def _computed(self, size: Expression) -> Any:
        if size.operation == "size":
            for writer in self.around():
                if size.parts[0] in writer.measured:
                    return self.size_of(*writer.measured[size.parts[0]])
            raise Unsupported("needs a size that nothing before it has")
        return self.calculated(size.operation, *[self._size(p) for p in size.parts])

    def known_sizes(self, value: Any) -> None:
        """Remember where sizes that are not known can be measured."""
        for axis, d in enumerate(value.shape or ()):
            if type(d) is Size and d.expression.operation == "size":
                self.measured.setdefault(d.number, (value, axis))
