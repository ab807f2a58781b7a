"""Late sizes: those that are known only when a graph runs, because they depend on values.

How many elements a mask picks, or what `tf.range(n)` is long by, is a number that the graph itself computes. While it
is traced the number has a name, as the sizes of arguments have (`core.sizes`), and shapes and parameters are
expressions of it. Three operations make a graph of that: `SizeOf` measures an array, `Sized` is a primitive whose
parameters are computed from such numbers, which are inputs of its node like others, and `Relied` checks at each run
what Python was told of them while the function was traced.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow.core.contracts import Operation
from tapeflow.core.frames import current
from tapeflow.core.primitive import Spec
from tapeflow.core.record import Recorder
from tapeflow.core.sizes import Expression, Known, Size, computed, specialized
from tapeflow.core.tensor import EagerTensor, Tensor

_INT = np.dtype("int64")


class OtherSizes(Exception):
    """A graph met sizes for which Python would have decided otherwise than it did when the graph was traced."""


@lru_cache(maxsize=16)
def _known(numbers: tuple[int, ...], values: tuple[int, ...]) -> Known:
    """Sizes by number. One object for the many operations of a run, with what has been computed of them."""
    return Known(zip(numbers, values))


class LateSizes(Operation):
    """What the three have in common: no gradient flows through a number of elements."""

    result = "cut"

    def recorder(self, mask: int, count: int) -> Recorder | None:
        return None


class SizeOf(LateSizes):
    """How long a tensor is along an axis."""

    inputs = ("x",)
    variadic = False
    name = "size_of"

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def on(self, engine: str, xp: Any, named: Any = None) -> Any:
        axis = self.axis
        return lambda x: np.asarray(x.shape[axis], _INT)

    def infer(self, specs: list, params: dict) -> Spec:
        return Spec(shape=(), dtype=_INT)

    def entry(self, x: Tensor) -> Tensor:
        graph: Any = current().executor
        size = tuple(x.sizes)[self.axis]
        return graph.value_of(size) if type(size) is Size else EagerTensor(np.asarray(size, _INT))


class Sized(LateSizes):
    """A primitive whose parameters have late sizes in them: their values are its last inputs."""

    sized: Operation

    def __init__(self, prim: Operation, sizes: tuple[Size, ...]) -> None:
        self.sized, self.sizes, self.name = prim, sizes, prim.name
        self.makes_new, self.has_effect, self.checks = prim.makes_new, prim.has_effect, prim.checks

    def on(self, engine: str, xp: Any, named: Any = None) -> Any:
        if engine != "numpy":
            raise NotImplementedError
        return self.around(self.sized.on("numpy", np))

    def around(self, kernel: Any) -> Any:
        """The kernel of the operation, as one that is also given the sizes."""
        numbers, count = tuple([size.number for size in self.sizes]), len(self.sizes)

        def run(*arrays: Any, **params: Any) -> Any:
            sizes = _known(numbers, tuple(map(int, arrays[-count:])))
            return kernel(*arrays[:-count], **{name: specialized(value, sizes) for name, value in params.items()})

        return run

    def opened(self, args: list, sizes: Any) -> tuple[Operation, list, Any]:
        count = len(self.sizes)
        prim = self.sized if sizes is None else self.sized.specialized(sizes)
        return prim, args[:-count], _with_values(sizes, self.sizes, args[-count:])


class Relied(LateSizes):
    """Raises where a question about sizes has another answer than when the graph was traced."""

    name = "relied_on"
    has_effect = checks = guards = True

    def __init__(self, question: Expression, answer: bool, sizes: tuple[Size, ...]) -> None:
        self.question, self.answer, self.sizes = question, answer, sizes

    def on(self, engine: str, xp: Any, named: Any = None) -> Any:
        if engine != "numpy":
            raise NotImplementedError
        numbers = tuple([size.number for size in self.sizes])

        def run(*arrays: Any) -> tuple:
            self._check(_known(numbers, tuple(map(int, arrays))))
            return ()

        return run

    def infer(self, specs: list, params: dict) -> tuple:
        return ()

    def opened(self, args: list, sizes: Any) -> tuple[Operation, list, Any]:
        self._check(_with_values(sizes, self.sizes, args))
        return _NOTHING, [], None

    def _check(self, sizes: Known) -> None:
        if computed(self.question, sizes) != self.answer:
            raise OtherSizes("A function was traced for other sizes, which depend on values.")


class _Nothing(LateSizes):
    name = "nothing"

    def entry(self) -> tuple:
        return ()


_NOTHING = _Nothing()


def _with_values(sizes: Any, late: tuple[Size, ...], tensors: list) -> Known:
    """Sizes, by number, and those that are in tensors. Inside a loop or a branch what is a constant outside is known
    by its number only."""
    known = {size.number for size in late if sizes is not None and type(sizes.get(size.number)) is int}
    found = {size.number: size_in(t, size) for size, t in zip(late, tensors) if size.number not in known}
    return with_known(sizes, found) or Known({})


def with_known(sizes: Any, found: dict[int, Any]) -> Any:
    """Sizes by number, and more of them. None: of none."""
    if not found:
        return sizes
    return sizes.with_more(found) if isinstance(sizes, Known) else Known({**(sizes or {}), **found})


def constant_size(tensor: Any) -> int | None:
    """The number in a tensor, if it is the same at each run."""
    known = tensor.array if type(tensor) is EagerTensor else getattr(tensor, "_known", None)
    found = None if known is None or np.ndim(known) else np.asarray(known).item()
    return int(found) if isinstance(found, (int, np.integer)) else None


def size_in(tensor: Any, like: Size) -> Any:
    """The number in a tensor as a size. In a graph that is traced it is a late one; `like`: what it was in another
    graph."""
    if isinstance(tensor, EagerTensor) or not hasattr(tensor, "_graph"):
        return int(tensor.array)
    known = tensor._known
    if known is not None:
        return known.item()
    graph = tensor._graph
    if like.number in graph.late:
        return Size(like.expression, None, graph.relied_on)
    return graph.late_size(tensor, like)
