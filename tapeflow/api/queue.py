"""`tf.queue`: queues of tensors between threads. A queue ends the path of gradients."""

import collections
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import CancelledError, OutOfRangeError, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor

__all__ = ["FIFOQueue", "QueueBase"]


class QueueBase:
    """What all queues share: elements of one or several tensors of fixed dtypes, a capacity, blocking ends.

    >>> issubclass(tf.queue.FIFOQueue, tf.queue.QueueBase)
    True
    """

    def __init__(self, capacity: Any, dtypes: Any, shapes: Any, names: Any) -> None:
        self._capacity = int(capacity)
        self._dtypes = [as_dtype(d) for d in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        shapes = [None] * len(self._dtypes) if shapes is None else shapes if isinstance(shapes, list) else [shapes]
        self._shapes = [TensorShape(s) for s in shapes]
        self._names = [names] if isinstance(names, str) else names
        for what, given in (("shapes", self._shapes), ("names", self._names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(
                    f"Queue {what} must have as many entries as dtypes ({len(self._dtypes)}), got {len(given)}."
                )
        self._elements: collections.deque = collections.deque()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of each component of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shape of each component, as far as it is fixed."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, if elements are dicts."""
        return self._names

    def _components(self, vals: Any) -> list[Tensor]:
        if self._names is not None:
            if not isinstance(vals, dict) or sorted(vals) != sorted(self._names):
                raise ValueError(
                    f"The queue has named components, so an element is a dict with the keys {self._names}."
                )
            vals = [vals[name] for name in self._names]
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError(f"An element of this queue has {len(self._dtypes)} components, got {len(vals)}.")
        return [ops.stop_gradient(to_tensor(v, d)) for v, d in zip(vals, self._dtypes)]

    def _element(self, components: Sequence) -> Any:
        if self._names is not None:
            return dict(zip(self._names, components))
        return components[0] if len(components) == 1 else list(components)

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Adds one element; waits while the queue is full.

        Raises:
            CancelledError: If the queue is closed.
        """
        components = self._components(vals)
        for tensor, shape in zip(components, self._shapes):
            if not shape.is_compatible_with(tensor.sizes):
                raise ValueError(f"Shape mismatch: the queue takes {shape}, got {tuple(tensor.shape)}.")
        self._put(components)

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Adds one element for each row of the components.

        Raises:
            CancelledError: If the queue is closed.
        """
        rows = [ops.unstack(t, axis=0) for t in self._components(vals)]
        if len({len(r) for r in rows}) > 1:
            raise invalid(f"The components have {[len(r) for r in rows]} rows; they must have as many.")
        for row in zip(*rows):
            self._put(list(row))

    def _put(self, components: list[Tensor]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not 0 <= self._capacity <= len(self._elements))
            if self._closed:
                raise CancelledError(None, None, "The queue is closed: nothing can be added.")
            self._insert(components)
            self._changed.notify_all()

    def dequeue(self, name: str | None = None) -> Any:
        """The next element; waits while the queue is empty, and raises OutOfRangeError when it is closed as well.

        Returns:
            A tensor, a list of one for each component, or a dict where components have names.

        Raises:
            OutOfRangeError: If the queue is closed and has not enough elements.
        """
        return self._element(self._take(1)[0])

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """The next `n` elements, stacked; waits until there are so many.

        Returns:
            A tensor, a list of one for each component, or a dict where components have names.

        Raises:
            OutOfRangeError: If the queue is closed and has not enough elements.
        """
        rows = self._take(int(n))
        return self._element([ops.stack(*column, axis=0) for column in zip(*rows)])

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Like `dequeue_many`, but a closed queue gives what it has left.

        Returns:
            A tensor, a list of one for each component, or a dict where components have names.

        Raises:
            OutOfRangeError: If the queue is closed and has not enough elements.
        """
        rows = self._take(int(n), fewer=True)
        return self._element([ops.stack(*column, axis=0) for column in zip(*rows)])

    def _take(self, count: int, fewer: bool = False) -> list[list[Tensor]]:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._elements) >= count)
            if len(self._elements) < count and not (fewer and self._elements):
                raise OutOfRangeError(
                    None,
                    None,
                    f"The queue is closed and has insufficient elements (requested {count}, current size "
                    f"{len(self._elements)}).",
                )
            taken = [self._remove() for _ in range(min(count, len(self._elements)))]
            self._changed.notify_all()
            return taken

    def _insert(self, components: list[Tensor]) -> None:
        self._elements.append(components)

    def _remove(self) -> list[Tensor]:
        return self._elements.popleft()

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """From now on nothing can be added, and nobody waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether `close` was called."""
        return EagerTensor(np.bool_(self._closed))

    def size(self, name: str | None = None) -> Tensor:
        """How many elements wait."""
        return EagerTensor(np.int32(len(self._elements)))


class FIFOQueue(QueueBase):
    """A queue that gives elements in the order they came.

    Args:
        capacity: How many elements may wait; negative for any number.
        dtypes: The dtype of each component of an element: a list, or one.
        shapes: The shape of each component: a list; None leaves them open.
        names: A name for each component: elements are dicts then.

    Raises:
        ValueError: If there are more or fewer shapes or names than dtypes.

    >>> q = tf.queue.FIFOQueue(capacity=10, dtypes=[tf.int32], shapes=[()])
    >>> q.enqueue_many([[1, 2, 3]])
    >>> q.dequeue().numpy(), q.size().numpy()
    (np.int32(1), np.int32(2))
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names)
        self.name = name
