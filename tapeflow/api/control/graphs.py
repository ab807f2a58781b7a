"""`tf.Graph`: operations written down instead of computed, outside of a function; and what else TensorFlow 1's graphs
had names for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.core.errors import user_line
from tapeflow.core.frames import entered
from tapeflow.core.primitive import Spec
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing import graph, operations

__all__ = ["AggregationMethod", "Graph", "Operation"]

Operation = operations.Operation


class Graph(graph.Graph):
    """A graph to write operations into, as `tf.function` does it for you. Tensors from outside are constants in it.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     x = tf.constant(2.)
    ...     y = x * x
    >>> y
    Tensor("mul:0", shape=(), dtype=float32)
    >>> [operation.type for operation in g.get_operations()]
    ['Const', 'Mul']
    """

    def __init__(self) -> None:
        super().__init__(within=())

    @contextmanager
    def as_default(self) -> Iterator["Graph"]:
        """A context whose operations belong to the graph."""
        with entered(self.frame()):
            yield self

    def constant(self, tensor: EagerTensor) -> Tensor:
        """A tensor that is made while the graph is written."""
        symbol = self.new(Spec(shape=tuple(tensor.sizes), dtype=tensor.dtype.np))
        self.constants[symbol.index] = tensor
        return symbol

    def index_of(self, tensor: Any) -> int:
        if isinstance(tensor, EagerTensor) and tensor.serial:
            raise RuntimeError(
                f"A tape watches an eager tensor that is used in a tf.Graph, at {user_line()}: {tensor!r}. It would "
                "be a constant there; make it inside the graph, or use tf.function."
            )
        return super().index_of(tensor)


class AggregationMethod:
    """How gradients from several uses of a value are added, for `tf.gradients`; they are always added as they come.

    >>> tf.AggregationMethod.DEFAULT
    0
    """

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
