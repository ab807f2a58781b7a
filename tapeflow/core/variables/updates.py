"""Changing parts of a variable: `v[i].assign(value)` and the `scatter_*` methods.

Tensors read before keep their values: a change makes a new array, unless it can be seen that nobody else holds the old
one. It happens under the variable's lock. None is differentiable: the variable is a fresh leaf afterwards.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.devices import DeviceTensor, Serving, raw
from tapeflow.core.errors import invalid
from tapeflow.core.frames import current, has_an_effect
from tapeflow.core.primitive import recorded
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.runtime.refcounts import held_elsewhere
from tapeflow.core.tensor import Tensor

from . import graph_updates


def _put(array: np.ndarray, index: Any, values: Any) -> None:
    array[index] = values


def _divide_at(array: np.ndarray, index: Any, values: Any) -> None:
    (np.floor_divide if array.dtype.kind in "iu" else np.divide).at(array, index, values)


def _rows(ufunc: np.ufunc) -> Callable:
    """`ufunc.at` for sums of rows, three times faster for thousands of them: each round takes every row at most once,
    and where one row occurs too often for rounds, its terms are added up first. The array changes at the end, at once:
    nothing cuts it in two."""

    def change(array: np.ndarray, index: Any, values: np.ndarray) -> None:
        if not isinstance(index, np.ndarray) or index.size < 64 or values.shape != index.shape + array.shape[1:]:
            ufunc.at(array, index, values)
            return
        ids, rows = index.ravel(), values.reshape(index.size, *array.shape[1:])
        order = np.argsort(ids, kind="stable")
        ordered, place = ids[order], np.arange(ids.size)
        is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        occurrence = place - np.maximum.accumulate(np.where(is_first, place, 0))
        rounds = int(occurrence.max()) + 1
        first = np.flatnonzero(is_first)
        at = ordered[first]
        changed = ufunc(array[at], np.add.reduceat(rows[order], first, axis=0) if rounds > 8 else rows[order[first]])
        if 1 < rounds <= 8:
            slot = np.cumsum(is_first) - 1
            for k in range(1, rounds):
                chosen = np.flatnonzero(occurrence == k)
                again = slot[chosen]
                changed[again] = ufunc(changed[again], rows[order[chosen]])
        array[at] = changed

    return change


_add_rows, _subtract_rows = _rows(np.add), _rows(np.subtract)

_ASSIGN = {"assign": _put, "assign_add": np.add.at, "assign_sub": np.subtract.at}


# By what changes NumPy's arrays, the method of an engine's that gives the changed array.
_ON_DEVICE = {
    _put: "set", np.add.at: "add", np.subtract.at: "subtract", _add_rows: "add", _subtract_rows: "subtract",
    np.multiply.at: "multiply", _divide_at: "divide", np.maximum.at: "max", np.minimum.at: "min",
}  # fmt: skip


class Updates:
    """The methods of a variable that change a part of it."""

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds the rows of a `tf.IndexedSlices`; rows that occur twice are added twice.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_add", sparse_delta, _add_rows)

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
        return self._scatter("scatter_sub", sparse_delta, _subtract_rows)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies rows by those of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_mul", sparse_delta, np.multiply.at)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides rows by those of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_div", sparse_delta, _divide_at)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Keeps, element by element, the larger of a row and that of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_max", sparse_delta, np.maximum.at)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Keeps, element by element, the smaller of a row and that of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_min", sparse_delta, np.minimum.at)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces the rows of a `tf.IndexedSlices`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        return self._scatter("scatter_update", sparse_delta, _put)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces rows within each batch element: `v[b, indices[b, k]] = values[b, k]`.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is no `tf.IndexedSlices`.
        """
        values, indices = self._slices("batch_scatter_update", sparse_delta)
        batch = indices.ndim - 1
        self._in_range("batch_scatter_update", indices, self._value.shape[batch])
        index = (*np.ogrid[tuple(slice(d) for d in indices.shape)][:batch], indices)
        return self._update("batch_scatter_update", index, values, _put)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds `updates[k]` to the element, or the part, at `indices[k]`.

        Returns:
            The variable.

        >>> tf.Variable([1., 2., 3.]).scatter_nd_add([[0], [2], [2]], [10., 1., 1.]).numpy()
        array([11.,  2.,  5.], dtype=float32)
        """
        return self._scatter_nd("scatter_nd_add", indices, updates, np.add.at)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts `updates[k]` from the element, or the part, at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_sub", indices, updates, np.subtract.at)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """The larger of `updates[k]` and what is at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_max", indices, updates, np.maximum.at)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """The smaller of `updates[k]` and what is at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_min", indices, updates, np.minimum.at)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Puts `updates[k]` at `indices[k]`.

        Returns:
            The variable.
        """
        return self._scatter_nd("scatter_nd_update", indices, updates, _put)

    # ---- how

    def _scatter(self, what: str, slices: Any, change: Callable) -> Any:
        if current().executor is not None and hasattr(slices, "indices"):
            indices = to_tensor(slices.indices)
            return self._changed_in_a_graph(what, recorded.reshape(indices, shape=(*indices.shape, 1)), slices.values)
        values, indices = self._slices(what, slices)
        if not self._value.ndim:
            raise invalid(f"{what} needs a variable of rank 1 or more; '{self.name}' is a scalar.")
        self._in_range(what, indices, self._value.shape[0])
        return self._update(what, indices, values, change)

    def _slices(self, what: str, slices: Any) -> tuple[Tensor, np.ndarray]:
        if not hasattr(slices, "indices") or not hasattr(slices, "values"):
            raise TypeError(f"Argument `sparse_delta` of {what} must be a `tf.IndexedSlices`. Received: {slices!r}")
        indices = to_tensor(slices.indices)
        if self._kind is type(indices) is DeviceTensor:  # they stay there
            return self._given(slices.values), indices.held
        return self._given(slices.values), np.asarray(indices.array)

    def _scatter_nd(self, what: str, indices: Any, updates: Any, change: Callable) -> Any:
        if current().executor is not None:
            return self._changed_in_a_graph(what, to_tensor(indices), updates)
        rows = np.asarray(to_tensor(indices).array)
        depth = rows.shape[-1]
        if depth > self._value.ndim:
            raise invalid(
                f"{what}: indices of length {depth} are too long for a variable of shape {self._value.shape}."
            )
        for axis in range(depth):
            self._in_range(what, rows[..., axis], self._value.shape[axis])
        return self._update(what, tuple(np.moveaxis(rows, -1, 0)), self._given(updates), change)

    def _changed_in_a_graph(self, what: str, indices: Tensor, values: Any) -> Any:
        how = what.rpartition("_")[2]
        return self._put(graph_updates.changed(self._tensor(), how, indices, to_tensor(values, self._dtype)))

    def _in_range(self, what: str, indices: Any, size: int) -> None:
        """On a device nobody looks: what is out of range changes nothing there."""
        if isinstance(indices, np.ndarray) and indices.size and not 0 <= indices.min() <= indices.max() < size:
            bad = indices[(indices < 0) | (indices >= size)].flat[0]
            raise invalid(
                f"{what} on variable '{self.name}' of shape {self._value.shape}: index {bad} is not in [0, {size})."
            )

    def _assigner(self, how: str, key: Any) -> Callable:
        """The function behind `v[key].assign`."""
        if current().executor is not None:
            return functools.partial(self._assign_part_in_a_graph, how, key)
        index = tuple(map(_for_numpy, key)) if isinstance(key, tuple) else _for_numpy(key)

        def assign(value: Any, name: str | None = None) -> Any:
            return self._update(f"v[...].{how}", index, self._given(value), _ASSIGN[how], stretch=True)

        return assign

    def _assign_part_in_a_graph(self, how: str, key: Any, value: Any, name: str | None = None) -> Any:
        whole = self._tensor()
        indices, shape = graph_updates.of_index(whole, key)
        given = to_tensor(value, self._dtype)
        if math.prod(given.shape) == 1 and given.ndim > len(shape):
            given = recorded.reshape(given, shape=())
        given = recorded.broadcast_to(given, shape=shape)
        change = {"assign": "update", "assign_add": "add", "assign_sub": "sub"}[how]
        return self._put(graph_updates.changed(whole, change, indices, given))

    def _update(self, what: str, index: Any, given: Tensor, change: Callable, stretch: bool = False) -> Any:
        """Put `given`, a number or of the part's own shape, at `index`; if it may be stretched, also what broadcasts
        to it."""
        has_an_effect(what)
        with self._lock:
            self._bring_home()
            there = self._kind is DeviceTensor
            array = self._value if there or may_be_changed(self) else np.array(self._value)
            target = Serving.engine.part_shape(array, index) if there else array[index].shape
            values = raw(given) if there else given.array
            if stretch and values.size == 1 and values.ndim > len(target):
                values = values.reshape(())
            try:
                if values.ndim and values.shape != target and not stretch:
                    raise ValueError
                if there:
                    return self._store(Serving.engine.change(array, index, values, _ON_DEVICE[change]), (given,))
                with quiet():
                    change(array, index, values)
            except ValueError:
                raise invalid(
                    f"{what} on variable '{self.name}': a value of shape {values.shape} does not fit the part of "
                    f"shape {target}."
                ) from None
            return self._store(array if array.ndim else array[()], (given,))


_LARGE = 1 << 16  # bytes; below, a copy costs less than the question


def may_be_changed(variable: Any) -> bool:
    """Is the variable the only one that holds its array, so that it can be changed in place? A copy of a table of
    100,000 rows for the sake of a few hundred costs more than the update."""
    if variable._value.nbytes < _LARGE or variable._value.base is not None or not variable._value.flags.writeable:
        return False
    # The tensor that operations read holds the array, too. It is about to be out of date; if it stays, somebody else
    # has it.
    variable._read_anew()
    return not held_elsewhere(variable, "_value")


def _for_numpy(key: Any) -> Any:
    if isinstance(key, slice):
        return slice(*(None if b is None else int(b) for b in (key.start, key.stop, key.step)))
    return np.asarray(key) if hasattr(key, "dtype") else key
