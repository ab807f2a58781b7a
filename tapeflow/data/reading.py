"""Values out of a dataset: `as_numpy_iterator`, `reduce`, `get_single_element`."""

import itertools
from collections.abc import Callable
from typing import Any, TypeVar

from tapeflow.core import nest
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.frames import has_an_effect

from .elements import applied, element
from .iterators import Element, NumpyIterator
from .pipeline import Pipeline

R = TypeVar("R")


class Reading(Pipeline[Element]):
    """`reduce`, `as_numpy_iterator`, `get_single_element`."""

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements as NumPy arrays.

        Returns:
            An iterator; tuples and dicts stay, tensors become arrays, and scalars NumPy scalars.

        Raises:
            TypeError: If elements are, or have in them, datasets.

        >>> list(tf.data.Dataset.from_tensor_slices([1, 2]).as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        for leaf in nest.flatten(self._spec.known):
            if isinstance(leaf, Pipeline) or hasattr(leaf, "_dataset_shape"):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of "
                    f"type {Pipeline._concrete}"
                )
        return NumpyIterator(self)

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Element], R], name: str | None = None) -> R:
        """The last state of `reduce_func(state, element)`.

        Args:
            initial_state: The first state: a tensor, or tuples and dicts of them.
            reduce_func: A function of a state and an element that returns the next state, of the same structure and
                dtypes.

        Returns:
            The last state; `initial_state` where there are no elements.

        Raises:
            TypeError: If a state has another structure or other dtypes than the first.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x).numpy()
        np.int64(10)
        """
        has_an_effect("reading a dataset")
        first = state = element(initial_state)
        for value in self._make():
            made = applied(reduce_func, (state, value))
            state = element(tuple(made) if type(made) is list and type(first) is tuple else made)
            _check_state(first, state)
        return state

    def get_single_element(self, name: str | None = None) -> Element:
        """The only element; raises InvalidArgumentError unless there is exactly one.

        Returns:
            The element: a tensor, or tuples and dicts of them.

        Raises:
            InvalidArgumentError: If there is no element, or there are several.

        >>> tf.data.Dataset.from_tensors(7).get_single_element().numpy()
        np.int32(7)
        """
        has_an_effect("reading a dataset")
        found = list(itertools.islice(self._make(), 2))
        if not found:
            raise InvalidArgumentError(None, None, "Dataset was empty: get_single_element needs exactly one element.")
        if len(found) > 1:
            raise InvalidArgumentError(
                None, None, "Dataset had more than one element: get_single_element needs exactly one."
            )
        return found[0]


def _check_state(first: Any, state: Any) -> None:
    """Every state has the structure and the dtypes of the first."""
    if not nest.alike(first, state) or any(
        getattr(a, "dtype", None) is not getattr(b, "dtype", None)
        for a, b in zip(nest.flatten(first), nest.flatten(state))
    ):
        raise TypeError(
            f"The structure and dtypes of the new state must match those of the initial state: {state!r} is not like "
            f"{first!r}."
        )
