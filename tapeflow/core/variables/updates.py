"""Changing a variable: `assign_add`, `v[i].assign(value)` and the `scatter_*` methods all end in `Updates._update`.

Who executes may give the whole new value (a graph, which has no memory to write into); eagerly the array is changed,
NumPy's or the device's. Tensors read before keep their values: a change makes a new array, unless it can be seen that
nobody else holds the old one. It happens under the variable's lock. None is differentiable: the variable is a fresh
leaf afterwards.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.contracts import supplied
from tapeflow.core.convert import to_tensor
from tapeflow.core.devices import DeviceTensor, Serving, raw
from tapeflow.core.errors import invalid
from tapeflow.core.frames import current, has_an_effect
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.runtime.refcounts import held_elsewhere
from tapeflow.core.tensor import Tensor

from .changes import ADD, ADD_ROWS, DIVIDE, MAX, MIN, MULTIPLY, SET, SUBTRACT, SUBTRACT_ROWS, Change
from .parts import At, Elements, Key, Part, Rows, in_range

_ASSIGN = {"assign": SET, "assign_add": ADD, "assign_sub": SUBTRACT}


class Updates:
    """The methods of a variable that change a part of it."""

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds the rows of a `tf.IndexedSlices`; rows that occur twice are added twice.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_add", sparse_delta, ADD_ROWS)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtracts the rows of a `tf.IndexedSlices`, such as the gradient of an embedding.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.

        >>> v = tf.Variable([[1., 1.], [1., 1.]])
        >>> v.scatter_sub(tf.IndexedSlices([[.5, .5]], [1])).numpy()
        array([[1. , 1. ],
               [0.5, 0.5]], dtype=float32)
        """
        return self._scatter("scatter_sub", sparse_delta, SUBTRACT_ROWS)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies rows by those of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_mul", sparse_delta, MULTIPLY)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides rows by those of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_div", sparse_delta, DIVIDE)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Keeps, element by element, the larger of a row and that of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_max", sparse_delta, MAX)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Keeps, element by element, the smaller of a row and that of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_min", sparse_delta, MIN)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces the rows of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_update", sparse_delta, SET)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces rows within each batch element: `v[b, indices[b, k]] = values[b, k]`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        has_an_effect("batch_scatter_update")
        values, indices = _slices("batch_scatter_update", sparse_delta)
        rows = np.asarray(indices.array)
        batch = rows.ndim - 1
        in_range("batch_scatter_update", self, rows, self._value.shape[batch])
        index = (*np.ogrid[tuple(slice(d) for d in rows.shape)][:batch], rows)
        return self.update_part("batch_scatter_update", At(index), values, SET)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds `updates[k]` to the element, or the part, at `indices[k]`.

        Returns:
            The variable.

        >>> tf.Variable([1., 2., 3.]).scatter_nd_add([[0], [2], [2]], [10., 1., 1.]).numpy()
        array([11.,  2.,  5.], dtype=float32)
        """
        return self._scatter_nd("scatter_nd_add", indices, updates, ADD)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts `updates[k]` from the element, or the part, at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_sub", indices, updates, SUBTRACT)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """The larger of `updates[k]` and what is at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_max", indices, updates, MAX)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """The smaller of `updates[k]` and what is at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_min", indices, updates, MIN)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Puts `updates[k]` at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_update", indices, updates, SET)

    # ---- how

    def _scatter(self, what: str, slices: Any, change: Change) -> Any:
        values, indices = _slices(what, slices)
        return self.update_part(what, Rows(indices), values, change)

    def _scatter_nd(self, what: str, indices: Any, updates: Any, change: Change) -> Any:
        return self.update_part(what, Elements(to_tensor(indices)), updates, change)

    def part_assigner(self, how: str, key: Any) -> Callable[..., Any]:
        """The function behind `v[key].assign`."""
        part = Key(key)

        def assign(value: Any, name: str | None = None) -> Any:
            return self.update_part(f"v[...].{how}", part, value, _ASSIGN[how], stretch=True)

        return assign

    def update_part(self: Any, what: str, part: Part, value: Any, change: Change, stretch: bool = False) -> Any:
        """Changes a part of the value: what `v[i].assign(…)` and the `scatter_` methods end in.

        Args:
            what: The name of the method, for messages.
            part: Which part.
            value: A number, or a tensor of the part's own shape.
            change: What is done to it.
            stretch: `value` may also be what broadcasts to the part.

        Returns:
            The variable.
        """
        if current().executor is not None:
            return self.put_value(supplied.changed(self.peek(), change.word, part, to_tensor(value, self.dtype)))
        given = self._given(value)
        with self._lock:
            self._bring_home()
            there = self._kind is DeviceTensor
            index = part.index(what, self)
            array = self._value if there or may_be_changed(self) else np.array(self._value)
            target = Serving.engine.part_shape(array, index) if there else array[index].shape
            values = raw(given) if there else given.array
            if stretch and values.size == 1 and values.ndim > len(target):
                values = values.reshape(())
            try:
                if values.ndim and values.shape != target and not stretch:
                    raise ValueError
                if there:
                    return self._store(Serving.engine.change(array, index, values, change.word), (given,))
                with quiet():
                    change.at(array, index, values)
            except ValueError:
                raise invalid(
                    f"{what} on variable '{self.name}': a value of shape {values.shape} does not fit the part of "
                    f"shape {target}."
                ) from None
            return self._store(array if array.ndim else array[()], (given,))

    def update_all(self: Any, delta: Tensor, change: Change, read_value: bool) -> Any:
        """Changes the whole value: what `assign_add` and `assign_sub` end in. Overflow gives inf in silence.

        Args:
            delta: A tensor of the variable's shape.
            change: What is done with it.

        Returns:
            The variable; None with `read_value=False`.
        """
        if current().executor is not None:
            return self.put_value(supplied.changed(self.peek(), change.word, None, delta), read_value)
        with self._lock:
            self._bring_home()
            if self._kind is not DeviceTensor:
                compute = change.everywhere
                with quiet():
                    if may_be_changed(self):
                        changed = compute(self._value, delta.array, out=self._value)
                    else:
                        changed = compute(self._value, delta.array)
            else:
                changed = Serving.engine.change(self._value, None, self._there(delta), change.word)
            return self._store(changed, (delta,), read_value)


def _slices(what: str, slices: Any) -> tuple[Any, Tensor]:
    """(Values, indices) of a `tf.IndexedSlices`, or of what has both."""
    try:
        return slices.values, to_tensor(slices.indices)
    except AttributeError:
        raise TypeError(
            f"Argument `sparse_delta` of {what} must be a `tf.IndexedSlices`. Received: {slices!r}"
        ) from None


_LARGE = 1 << 16  # bytes; below, a copy costs less than the question


def may_be_changed(variable: Any) -> bool:
    """Is the variable the only one that holds its array, so that it can be changed in place? A copy of a table of
    100,000 rows for the sake of a few hundred costs more than the update."""
    if variable._value.nbytes < _LARGE or variable._value.base is not None or not variable._value.flags.writeable:
        return False
    # The tensor that operations read holds the array, too. It is about to be out of date; if it stays, somebody else
    # has it.
    variable.forget_operand()
    return not held_elsewhere(variable, "_value")
