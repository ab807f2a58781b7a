"""TensorArray: a list of tensors that is written by index, for loops. Gradients flow from what is read to what was
written."""

from copy import copy
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.contracts import LoopVariable
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import OutOfRangeError, ValueNeeded, invalid, user_place
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.memory_limits import check_fits
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.control.conditions import has_no_value
from tapeflow.function.tracing.regions import enclosing_graph, inside_a_graph
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

__all__ = ["TensorArray"]

# What was written to arrays that grow, by the line that makes them and their dtype. A tf.function with such arrays
# runs as plain Python, where an array that nothing is written to in one call does not know what is written in others;
# a graph does.
_WRITTEN_SHAPES: dict[tuple, TensorShape] = {}


class TensorArray(LoopVariable):
    """A list of `size` tensors of one dtype (and one shape, with `infer_shape`). Methods that write return the array:
    use that.

    Args:
        dtype: The dtype of the entries.
        size: How many entries there are; None: 0.
        dynamic_size: Writing past the end makes the array longer.
        clear_after_read: Reading an entry lets go of it; None: yes.
        tensor_array_name: Taken and not used.
        handle: Taken and not used.
        flow: Taken and not used.
        infer_shape: All entries have the shape of the first one.
        element_shape: The shape of each entry; None: not known.
        colocate_with_first_write_call: Taken and not used.

    >>> ta = tf.TensorArray(tf.float32, size=3)
    >>> for i in range(3):
    ...     ta = ta.write(i, [float(i), 10. * i])
    >>> ta.stack().numpy()
    array([[ 0.,  0.],
           [ 1., 10.],
           [ 2., 20.]], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)
        self._infers = bool(infer_shape)
        self._shape = TensorShape(element_shape)
        if size is None and not inside_a_graph():
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        if isinstance(size, float):
            raise TypeError(f"The size of a TensorArray is a whole number, got {size}.")
        known = size.as_sizes() if hasattr(size, "as_sizes") else None
        self._length = known.item() if known is not None else size  # a Size, where it is not known
        if type(self._length) is int:
            check_fits((self._length,), np.dtype(object), "the array")
        count = 0 if size is None or type(self._length) is Size else int(self._length)
        self._entries: list[Tensor | None] = [None] * count
        self._cleared: set[int] = set()
        self._made_at = (
            (user_place(), self._dtype.name) if self._dynamic and not self._shape.is_fully_defined() else None
        )
        self._home = (
            current().executor
        )  # where writing changes it; in a branch or a loop of a graph it makes another array

    dtype: DType = property(lambda self: self._dtype, doc="The dtype of every entry.")

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes the array longer."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The shape of every entry, as far as it is known."""
        return self._shape

    handle = property(lambda self: None)
    flow = property(lambda self: EagerTensor(np.int32(0)))

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""
        return self._size()

    def _size(self) -> Tensor:
        if type(self._length) is Size:
            return ops.size_tensor(sizes=self._length, dtype=np.dtype("int32"))
        return EagerTensor(np.int32(len(self._entries)))

    def __len__(self) -> int:
        return len(self._entries)

    def identity(self) -> "TensorArray":
        """The array itself."""
        return self

    # ---- writing

    def write(self, index: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Puts `value` at `index`.

        Args:
            index: The number of the entry.
            value: A tensor of the array's dtype.

        Returns:
            The array with the entry in it.

        Raises:
            OutOfRangeError: If there is no such entry and the array has a fixed size.
        """
        return self._write(index, value)

    def _write(self, index: Any, value: Any) -> "TensorArray":
        if has_no_value(index) or type(self._length) is Size:
            return self._as_one_tensor(value).write(index, value)
        if inside_a_graph() and self._home is not (here := current().executor):
            made = self.__copied__()
            made._home = here
            return made.write(index, value)
        places = _places(index)
        count = len(self._entries)
        for place in places:
            if place < 0:
                raise OutOfRangeError(None, None, f"Writing to negative indices (index {place}) is not allowed.")
            if place >= count and not self._dynamic:
                raise OutOfRangeError(
                    None, None, f"Tried to write to index {place} but array is not resizeable and size is: {count}. "
                    "Make it with a larger size, or with dynamic_size=True."
                )  # fmt: skip
        value = self._fitting(value)
        self._entries.extend([None] * (max(places, default=-1) + 1 - count))
        self._cleared.difference_update(places)
        for place in places:
            if type(index) is MappedTensor:
                before = self._entries[place]
                self._entries[place] = ops.where(
                    ops.equal(index, place), value, ops.zeros_like(value) if before is None else before
                )
            else:
                self._entries[place] = value
        return self

    def _fitting(self, value: Any) -> Tensor:
        """A value to write, as a tensor of the dtype and shape of the others."""
        value = (
            value if isinstance(value, Tensor) else to_tensor(value, None if hasattr(value, "dtype") else self._dtype)
        )
        if value.dtype is not self._dtype:
            raise invalid(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {value.dtype.name}. Use "
                "tf.cast."
            )
        if not self._shape.is_compatible_with(value.sizes):
            raise ValueError(f"Incompatible shape for value {tuple(value.shape)}, expected {self._shape}.")
        if self._infers and not self._shape.is_fully_defined():
            self._shape = self._shape.merge_with(value.sizes)
            if self._made_at is not None:
                before = _WRITTEN_SHAPES.get(self._made_at, self._shape)
                _WRITTEN_SHAPES[self._made_at] = before.most_specific_compatible_shape(self._shape)
        return value

    def unstack(self, value: Any, name: str | None = None) -> "TensorArray":
        """Writes the rows of `value` to the entries from 0 on."""
        value = to_tensor(value, None if hasattr(value, "dtype") else self._dtype)
        if type(value.sizes[0]) is Size or type(self._length) is Size:
            return self.__with_entries__(value)
        if value.sizes[0] > len(self._entries) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {value.shape[0]} tensors into a TensorArray of static size {len(self._entries)}."
            )
        return self.scatter(range(value.sizes[0]), value)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Writes the rows of `value` to the entries `indices`.

        Args:
            indices: Which entries: a vector of integers.
            value: A row for each of them.
        """
        return self._scatter(indices, value)

    def _scatter(self, indices: Any, value: Any) -> "TensorArray":
        value = to_tensor(value, None if hasattr(value, "dtype") else self._dtype)
        if not isinstance(indices, range) and has_no_value(indices := as_tensor(indices)):
            return self._as_one_tensor(value[0]).scatter(indices, value)
        made = self
        places, rows = _ints(indices), ops.unstack(value, axis=0)
        if len(places) != len(rows):
            raise ValueError(f"{len(places)} indices were given for {len(rows)} rows to write.")
        for index, row in zip(places, rows):
            made = made.write(index, row)
        return made

    def split(self, value: Any, lengths: Any, name: str | None = None) -> "TensorArray":
        """Writes pieces of `value` along its first axis, of these lengths, to the entries from 0 on.

        Args:
            value: What is cut along its first axis.
            lengths: How many rows each entry gets.
        """
        return self._split(value, lengths)

    def _split(self, value: Any, lengths: Any) -> "TensorArray":
        value = to_tensor(value, None if hasattr(value, "dtype") else self._dtype)
        lengths = tuple(_ints(lengths))
        if sum(lengths) != value.sizes[0]:
            raise invalid(
                f"The lengths {list(lengths)} add up to {sum(lengths)}, but the value has {value.shape[0]} rows."
            )
        if len(lengths) != len(self._entries) and not self._dynamic:
            raise invalid(
                f"TensorArray's size is not equal to the size of lengths ({len(self._entries)} vs. {len(lengths)}), "
                "and the TensorArray is not marked as dynamically resizeable."
            )
        infers, self._infers = self._infers, len(set(lengths)) == 1 and self._infers
        made = self
        for index, piece in enumerate(ops.split(value, sizes=lengths, axis=0)):
            made = made.write(index, piece)
        self._infers = made._infers = infers
        return made

    # ---- reading

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The entry at `index`, which is cleared by it unless the array was made with `clear_after_read=False`.

        Args:
            index: The number of the entry.

        Raises:
            InvalidArgumentError: If it was read before and is gone.
            ValueError: If it was never written and its shape is not known.
        """
        return self._read(index)

    def _read(self, index: Any) -> Tensor:
        if has_no_value(index) or type(self._length) is Size:
            return self._as_one_tensor().read(index)
        places = _places(index)
        for place in places:
            if not 0 <= place < len(self._entries):
                raise OutOfRangeError(
                    None, None, f"Tried to read from index {place} but array size is: {len(self._entries)}"
                )
            if place in self._cleared:
                raise invalid(
                    f"Could not read index {place} twice because it was cleared after a previous read "
                    "(perhaps try setting clear_after_read = false?)"
                )
        value = self._entry(places[0])
        for place in places[1:]:
            value = ops.where(ops.equal(index, place), self._entry(place), value)
        if self._clears and type(index) is not MappedTensor:  # which other rows may still read
            self._entries[places[0]] = None
            self._cleared.add(places[0])
        return value

    def _entry(self, index: int) -> Tensor:
        """What was written, or zeros where nothing was."""
        value = self._entries[index]
        if value is not None:
            return value
        if not self._shape.is_fully_defined():
            self._shape = _WRITTEN_SHAPES.get(self._made_at, self._shape)
        if not self._shape.is_fully_defined():
            raise ValueError(
                f"Entry {index} of the TensorArray was never written, and its shape is not known: it is "
                f"{self._shape}. Make the array with element_shape=."
            )
        return as_tensor(np.full(tuple(self._shape), b"" if self._dtype.kind == "s" else 0, self._dtype.np))

    def stack(self, name: str | None = None) -> Tensor:
        """All entries along a new first axis."""
        return self._stack()

    def _stack(self) -> Tensor:
        return self.gather(range(len(self._entries)))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The entries `indices` along a new first axis.

        Args:
            indices: Which entries: a vector of integers.
        """
        return self._gather(indices)

    def _gather(self, indices: Any) -> Tensor:
        if not isinstance(indices, range) and has_no_value(indices := as_tensor(indices)):
            return self._as_one_tensor().gather(indices)
        entries = [self._entry(i) for i in _ints(indices)]
        if not entries:
            return EagerTensor(np.zeros((0, *(self._shape if self._shape.is_fully_defined() else ())), self._dtype.np))
        return ops.stack(*entries, axis=0)

    def concat(self, name: str | None = None) -> Tensor:
        """All entries one after the other along their first axis."""
        return self._concat()

    def _concat(self) -> Tensor:
        if not self._entries:
            raise invalid("A TensorArray without entries has nothing to concatenate.")
        return ops.concat(*[self._entry(i) for i in range(len(self._entries))], axis=0)

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> "TensorArray":
        """TensorFlow's own way to gradients, which a tape does not need.

        Args:
            source: A name.
            flow: Taken and not used.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported: tf.GradientTape differentiates what is read from the array."
        )

    @property
    def _type_spec(self) -> Any:
        from .tensor_array_spec import TensorArraySpec

        return TensorArraySpec(self._shape, self._dtype, self._dynamic, self._infers)

    def close(self, name: str | None = None) -> None:
        """Lets go of all entries."""
        self._entries = []

    # ---- in graphs, where an index may be a symbol: all entries as one tensor

    def _as_one_tensor(self, like: Any = None) -> "TensorArray":
        """The same array; `like` is a value that is about to be written, for an array that does not know its shape
        yet."""
        if like is not None:
            self._fitting(like)
        if self._dynamic and enclosing_graph().compiles:
            raise ValueNeeded("The size of a TensorArray with dynamic_size=True depends on the values of its indices.")
        return self.__with_entries__(self.__entries__())

    def __entries__(self) -> Tensor:
        if type(self._length) is Size:
            return ops.broadcast_to(EagerTensor(np.zeros((), self._dtype.np)), shape=(self._length, *self._shape))
        if all(entry is None for entry in self._entries) and self._entries:
            zero = EagerTensor(np.zeros((), self._dtype.np))
            return ops.broadcast_to(zero, shape=(len(self._entries), *self._entry(0).sizes))
        return self.gather(range(len(self._entries)))

    def __with_entries__(self, value: Tensor) -> "TensorArray":
        from .graph_tensor_array import OneTensorArray  # which is one of these

        made = OneTensorArray.__new__(OneTensorArray)
        made.__dict__.update(self.__dict__, _one=value, _entries=None)
        made._shape = TensorShape(value.sizes[1:])
        return made

    def __is_known__(self) -> bool:
        """Is the shape of the entries known?"""
        return self._shape.is_fully_defined()

    def __on_trial__(self) -> "TensorArray":
        """Takes anything, to learn the shape from it."""
        from .graph_tensor_array import Trial

        made = Trial.__new__(Trial)
        made.__dict__.update(self.__dict__, _learner=self)
        return made

    # ---- in loops that run on for some rows of a vectorised function, while others have finished

    def __copied__(self) -> "TensorArray":
        made = copy(self)
        made._entries, made._cleared = list(self._entries), set(self._cleared)
        return made

    def __merged__(self, chosen: Tensor, other: "TensorArray") -> "TensorArray":
        """This array in the rows where `chosen` holds, the other one elsewhere."""
        if other is self:
            raise ValueNeeded(
                "Branches that differ from row to row write to the same TensorArray. Write to it after the branches."
            )
        made = self.__copied__()
        made._shape = self._shape if self._shape.is_fully_defined() else other._shape
        made._entries.extend([None] * (len(other._entries) - len(made._entries)))
        for k, entry in enumerate(made._entries):
            before = other._entries[k] if k < len(other._entries) else None
            if entry is not before and k not in made._cleared:
                made._entries[k] = ops.where(
                    chosen, made._entry(k), ops.zeros_like(entry) if before is None else before
                )
        return made

    def __repr__(self) -> str:
        return f"<TensorArray: {len(self._entries)} entries of {self._dtype.name}, shape {self._shape}>"


def _places(index: Any) -> list[int]:
    """One place; in a vectorised function the places of all rows."""
    return np.unique(values_of(index)).tolist() if type(index) is MappedTensor else [int(index)]


def _ints(indices: Any) -> list[int]:
    return list(indices) if isinstance(indices, range) else [int(i) for i in np.ravel(as_tensor(indices).array)]
