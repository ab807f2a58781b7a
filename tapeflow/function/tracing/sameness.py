"""Do replicas give the same value? Arrays are compared; symbols of a graph by what they are computed from."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tapeflow.core.primitive import Primitive
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.graph import Graph
from tapeflow.function.tracing.symbols import SymbolicTensor


def the_same(values: Sequence[Tensor]) -> bool:
    """Do tensors of several replicas hold the same numbers, as far as that can be known?"""
    first = values[0]
    return all(v is first or _same(first, v) for v in values)


def _same(a: Tensor, b: Tensor) -> bool:
    if isinstance(a, EagerTensor) and isinstance(b, EagerTensor):
        x, y = a.array, b.array
        return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    if type(a) is not SymbolicTensor or type(b) is not SymbolicTensor or a._graph is not b._graph:
        return False
    number = _numbered(a._graph)
    return number(a.index) == number(b.index)


class _Numbers:
    """Of the values of a graph: equal for those that are computed alike from the same inputs (value numbering)."""

    def __init__(self) -> None:
        self.seen = 0  # nodes
        self.of_value: dict[int, Any] = {}
        self.known: dict[Any, int] = {}

    def learn(self, graph: Graph) -> None:
        outside = {index: tensor for tensor, index in graph.captures.values()}
        number = lambda p: self.of_value[p] if p in self.of_value else self._of_input(p, outside.get(p))
        for node in graph.nodes[self.seen :]:
            inputs = tuple(map(number, node.inputs))
            if node.prim.body is not None:  # a rule of a user's: its outputs are what the user's function computed
                self.of_value.update(zip(node.outputs, inputs[-len(node.outputs) :]))
                continue
            # Branches and loops are traced by each replica: of one name, and from the same values, they are one.
            what = id(node.prim) if isinstance(node.prim, Primitive) else node.prim.name
            alike = what, inputs, tuple([(name, _key(value)) for name, value in node.params.items()])
            for k, p in enumerate(node.outputs):
                self.of_value[p] = self._number((alike, k))
        self.seen = len(graph.nodes)
        self.number = number

    def _of_input(self, p: int, tensor: Any) -> int:
        if isinstance(tensor, EagerTensor) and tensor.array.nbytes <= 4096 and tensor.array.dtype.kind != "O":
            found = self._number((tensor.array.tobytes(), tensor.array.shape, str(tensor.array.dtype)))
        else:
            found = self._number(("input", p))
        self.of_value[p] = found
        return found

    def _number(self, key: Any) -> int:
        return self.known.setdefault(key, len(self.known))


_numbers: WeakKeyDictionary[Graph, _Numbers] = WeakKeyDictionary()


def _numbered(graph: Graph) -> Any:
    found = _numbers.setdefault(graph, _Numbers())
    found.learn(graph)
    return found.number


def _key(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes(), value.shape, str(value.dtype)
    return repr(value)
