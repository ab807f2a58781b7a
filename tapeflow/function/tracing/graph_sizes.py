"""What a graph knows of late sizes while it is written: see `late_sizes`."""

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.core.contracts import Operation
from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Expression, Reliance, Size, numbers
from tapeflow.core.tensor import Tensor

from .late_sizes import Relied, Sized, SizeOf, constant_size, with_known
from .symbols import SymbolicTensor

_size_number = itertools.count().__next__  # of all graphs: one may be inside another


class GraphSizes:
    """The part of a graph that names sizes, and has nodes compute those that depend on values."""

    within: Any
    symbols: list[SymbolicTensor]
    sizes: list[Size]  # those that are not known
    relied_on: Reliance  # what the trace is only right for; see `core.sizes`
    late: dict[int, SymbolicTensor | None]  # by number, where sizes are that depend on values
    guarded: set[tuple]  # what nodes check of what the trace relies on
    nodes: list[Any]
    settled: int  # how many of the questions `guard` has dealt with, but for those that are `unseen`
    unseen: list[tuple]  # about sizes that the graph does not know yet
    measures: Any  # computes the value of a size now

    if TYPE_CHECKING:  # of the graph

        def new(self, spec: Any) -> SymbolicTensor: ...
        def index_of(self, tensor: Tensor) -> int: ...
        def _write(self, prim: Operation, inputs: tuple, params: dict, outputs: tuple, several: bool) -> None: ...

    def size(self, now: int | None) -> Size:
        """One that is not known, but `now` in the call that the trace is for, if there is one."""
        self.sizes.append(Size(Expression("size", _size_number()), now, self.relied_on))
        if now is not None:
            self.relied_on.now[self.sizes[-1].number] = now
        return self.sizes[-1]

    def late_size(self, value: SymbolicTensor | None = None, like: Size | None = None) -> Size:
        """One that is the number in a tensor, or of what a tensor turns out to be. `like`: what it is taken for."""
        for number, found in self.late.items():
            if value is not None and found is not None and found.index == value.index:
                return Size(Expression("size", number), None, self.relied_on)
        size = Size(Expression("size", _size_number()), None, self.relied_on)
        self._enter(size, value, like)
        return size

    def _enter(self, size: Size, value: SymbolicTensor | None, like: Size | None) -> None:
        number, known = size.expression.parts[0], self.relied_on.now
        self.late[number] = value
        self.sizes.append(size)
        self.relied_on.late.add(number)
        if like is not None:
            known.take(number, like, same_call=False)
        if self.measures is not None:
            known.look[number] = lambda: self._looked_up(size)

    def _looked_up(self, size: Size) -> int | None:
        """What a late size is in the call that the trace is for; None where it cannot be found out."""
        try:
            return None if self.measures is None else self.measures(self.value_of(size))
        except ValueNeeded:  # one of another graph, say, that nothing here has yet
            return None

    def _adopted(self, size: Size) -> Size:
        """A late size of another graph, in this one: what Python asks about it is asked for this graph."""
        late = getattr(size.relied_on, "late", None)
        if size.relied_on is self.relied_on or not late or late.isdisjoint(found := numbers(size)):
            return size
        for number in found:
            own, other = [Size(Expression("size", number), None, to) for to in (self.relied_on, size.relied_on)]
            if number in late and number in self.late:
                continue
            if number in late:
                self._enter(own, None, other)
            self.relied_on.now.take(number, other)
        return Size(size.expression, None, self.relied_on)

    def _sees(self, size: Any) -> bool:
        """Does the size belong to this graph, or to one around it?"""
        if type(size) is not Size:
            return True
        late = size.relied_on.late.intersection(numbers(size)) if size.relied_on.late else ()
        return all(any(n in graph.late for graph in (self, *(self.within or ()))) for n in late)

    def measure(self, symbol: SymbolicTensor, like: tuple[Any, ...] = ()) -> None:
        """The sizes of a value that are not known are late."""
        if None not in symbol.spec.shape:
            return
        shape = [self.late_size(like=_late(like, k)) if d is None else d for k, d in enumerate(symbol.spec.shape)]
        symbol.spec.shape = tuple(shape)

    def remeasure(self, symbol: SymbolicTensor, before: tuple[Any, ...]) -> None:
        """A value of another graph again, where it had the shape `before`: its late sizes are taken for the same."""
        if None in symbol.spec.shape and None not in before:
            self.measure(symbol, before)
        for now, then in zip(symbol.spec.shape, before):
            if type(now) is Size is type(then) and now.expression.operation == "size":
                number = now.number
                if number in self.relied_on.late and number not in self.relied_on.now:
                    self.relied_on.now.take(number, then, same_call=False)

    def late_by_index(self) -> dict[int, int]:
        """The numbers of late sizes, by the index of the value that each is in: here, or captured from a graph around
        this one."""
        found = {symbol.index: number for number, symbol in self.late.items() if symbol is not None}
        for node in self.nodes if self.relied_on.late else ():
            if isinstance(node.prim, (Relied, Sized)):
                late = node.prim.sizes
                found.update(zip(node.inputs[-len(late) :], [size.number for size in late]))
        return found

    def value_of(self, size: Size) -> Tensor:
        """A size as a tensor: what it is computed from, or measured in what has it in its shape."""
        if size.expression.operation != "size" or size.number not in self.relied_on.late:
            return ops.size_tensor(sizes=size, dtype=np.dtype(np.int64))
        for graph in (self, *reversed(self.within or ())):
            if graph.late.get(size.number) is None:
                place = graph._place_of(size)
                if place is not None:
                    symbol, axis = place
                    [graph.late[size.number]] = graph._append(SizeOf(axis), (symbol.index,), {}, False)
            found = graph.late.get(size.number)
            if found is not None:
                return found
        raise ValueNeeded(f"The size of a tensor depends on values that are not there, at {user_line()}.")

    def _place_of(self, size: Size) -> tuple[SymbolicTensor, int] | None:
        for symbol in self.symbols:
            for axis, d in enumerate(symbol.spec.shape):
                if type(d) is Size and d.expression is size.expression:
                    return symbol, axis
        return None

    def _append(self, prim: Operation, inputs: tuple, params: dict, several: bool) -> tuple[SymbolicTensor, ...]:
        out = prim.infer([self.symbols[p].spec for p in inputs], params)
        symbols = tuple([self.new(o) for o in (out if several else (out,))])
        self._write(prim, inputs, params, tuple([s.index for s in symbols]), several)
        return symbols

    def guard(self) -> None:
        """Have the graph check what Python was told of late sizes."""
        waiting, self.unseen = self.unseen + self.relied_on[self.settled :], []
        self.settled = len(self.relied_on)
        for question in waiting:
            if question in self.guarded or any(question in graph.guarded for graph in self.within or ()):
                continue
            late = self._late_in(numbers(question[0]))
            if not late:  # asked before the graph runs
                self.guarded.add(question)
            elif all(map(self._sees, late)):
                self.guarded.add(question)
                values = map(self.value_of, late)
                self._append(
                    Relied(question[0], question[1], late), tuple([self.index_of(v) for v in values]), {}, True
                )
            else:
                self.unseen.append(question)

    def _sized(self, prim: Operation, params: dict) -> tuple[Operation, tuple[int, ...]]:
        """(The operation for a node with these parameters; the indices of late sizes that are in them)."""
        if not self.relied_on.late:
            return prim, ()
        late = self._late_in([n for value in params.values() for n in numbers(value)])
        if not late:
            return prim, ()
        return Sized(prim, late), tuple([self.index_of(self.value_of(size)) for size in late])

    def _late_in(self, found: Iterable[int]) -> tuple[Size, ...]:
        """Those of some sizes, by number, that are late."""
        return tuple(
            [Size(Expression("size", n), None, self.relied_on) for n in sorted(self.relied_on.late & {*found})]
        )


def with_constants(sizes: Any, late: dict[int, int], values: dict[int, Tensor]) -> Any:
    """Sizes by number (None: of none), and the late ones among `values` of a replay that are constants there: what
    has them in its shape, or in a graph inside, is made for them."""
    found = {late[p]: constant_size(values[p]) for p in late.keys() & values.keys()} if late else {}
    return with_known(sizes, {number: size for number, size in found.items() if size is not None})


def _late(shape: tuple, axis: int) -> Size | None:
    return shape[axis] if axis < len(shape) and type(shape[axis]) is Size else None
