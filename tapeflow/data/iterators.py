"""Reading a dataset: `iter(dataset)`, `dataset.as_numpy_iterator()`, and elements that may not be there."""

from collections.abc import Callable, Iterator as PythonIterator
from typing import Any, TypeVar

import numpy as np

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core import nest
from tapeflow.core.composite import TypeSpec
from tapeflow.core.errors import InvalidArgumentError, OutOfRangeError
from tapeflow.core.frames import has_an_effect
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.tensor import EagerTensor, Tensor

from .element_specs import Cell, spec_of
from .elements import Opaque, element

Element = TypeVar("Element", covariant=True)  # what a dataset is a sequence of

_ABSENT = object()


class Iterator(PythonIterator[Element]):
    """What `iter(dataset)` gives.

    >>> it = iter(tf.data.Dataset.range(2))
    >>> it.get_next().numpy(), next(it).numpy(), it.get_next_as_optional().has_value().numpy()
    (np.int64(0), np.int64(1), np.False_)
    """

    def __init__(
        self, elements: PythonIterator, spec: Cell, again: Callable[[], PythonIterator] | None = None
    ) -> None:
        self._elements, self._spec, self._again = elements, spec, again
        self._taken, self._turn = (
            0,
            Lock(),
        )  # threads may share an iterator, as in TensorFlow; a generator does not allow it

    element_spec = property(lambda self: self._spec.get(), doc="The shapes and dtypes of the elements.")

    @property
    def _type_spec(self) -> "IteratorSpec":
        return IteratorSpec(self.element_spec)

    def __iter__(self) -> "Iterator[Element]":
        return self

    def __next__(self) -> Element:
        has_an_effect(
            "reading a dataset"
        )  # a graph would give the element that it saw when it was traced, again and again
        with self._turn:
            found = next(self._elements)
            self._taken += 1
            return found

    def next(self) -> Element:
        """The next element, as `next(iterator)` gives it: Python 2's way, which many programs still use.

        Returns:
            As `next` gives it.
        """
        return next(self)

    def _serialize_to_tensors(self) -> dict[str, np.ndarray]:
        """What a checkpoint keeps: how many elements were read."""
        return {"ITERATOR_STATE": np.array(self._taken, np.int64)}

    def _restore_from_tensors(self, values: dict[str, np.ndarray]) -> None:
        """Goes to the place where the checkpoint was written; the elements before it are made again, and left out."""
        place = int(values["ITERATOR_STATE"])
        if place < self._taken and self._again is not None:
            self._elements, self._taken = self._again(), 0
        while self._taken < place and next(self._elements, _ABSENT) is not _ABSENT:
            self._taken += 1

    def get_next(self, name: str | None = None) -> Element:
        """The next element; raises OutOfRangeError at the end.

        Returns:
            A tensor, or tuples and dicts of them.

        Raises:
            OutOfRangeError: If the dataset has no more elements.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence: the dataset has no more elements.") from None

    def get_next_as_optional(self) -> "Optional":
        """The next element, or an optional without a value at the end."""
        return Optional(next(self, _ABSENT))


class NumpyIterator:
    """The elements as NumPy arrays; what `dataset.as_numpy_iterator()` gives.

    >>> next(tf.data.Dataset.from_tensors({"a": [1, 2]}).as_numpy_iterator())
    {'a': array([1, 2], dtype=int32)}
    """

    __slots__ = ("_iterator",)

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> "NumpyIterator":
        return self

    def __next__(self) -> Any:
        return nest.map_structure(_as_array, next(self._iterator))

    def next(self) -> Any:
        """The next element, as `next(iterator)` gives it: Python 2's way, which many programs still use.

        Returns:
            As `next` gives it.
        """
        return next(self)

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"


def _as_array(leaf: Any) -> Any:
    return leaf.numpy() if isinstance(leaf, (Tensor, RaggedTensor)) else leaf


class Optional(Opaque):
    """A value that may be absent.

    >>> some = tf.experimental.Optional.from_value(42)
    >>> some.has_value().numpy(), some.get_value().numpy()
    (np.True_, np.int32(42))
    """

    __slots__ = ("_value", "_spec")

    def __init__(self, value: Any = _ABSENT, spec: Any = None) -> None:
        self._value, self._spec = value, spec

    @staticmethod
    def from_value(value: Any) -> "Optional":
        """An optional with this value.

        Args:
            value: A tensor, or tuples and dicts of them.
        """
        return Optional(element(value))

    @staticmethod
    def empty(element_spec: Any) -> "Optional":
        """An optional without a value, of which `element_spec` says what it would be.

        Args:
            element_spec: A spec, or tuples and dicts of them.
        """
        return Optional(spec=element_spec)

    def has_value(self, name: str | None = None) -> Tensor:
        """Is there a value?"""
        return EagerTensor(np.bool_(self._value is not _ABSENT))

    def get_value(self, name: str | None = None) -> Any:
        """The value; raises InvalidArgumentError when there is none.

        Returns:
            A tensor, or tuples and dicts of them.

        Raises:
            InvalidArgumentError: If there is no value.
        """
        if self._value is _ABSENT:
            raise InvalidArgumentError(None, None, "The given optional does not have a value: ask has_value() first.")
        return self._value

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of the value."""
        return self._spec if self._value is _ABSENT else spec_of(self._value)

    def __repr__(self) -> str:
        return f"tf.experimental.Optional({'no value' if self._value is _ABSENT else self._value!r})"


class IteratorSpec(TypeSpec):
    """What is known of an iterator: what its elements are.

    Args:
        element_spec: A spec, or tuples and dicts of them.

    >>> tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
    IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None))
    """

    __slots__ = ("_element_spec",)

    value_type = Iterator

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    element_spec = property(lambda self: self._element_spec, doc="The spec of the elements.")

    @staticmethod
    def from_value(value: Iterator[Any]) -> "IteratorSpec":
        """The spec of an iterator."""
        return IteratorSpec(value.element_spec)

    def _parts(self) -> tuple:
        return tuple(nest.flatten(self._element_spec)), tuple(nest.paths(self._element_spec))

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r})"
