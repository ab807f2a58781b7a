"""RaggedTensor: rows of different lengths, as their values laid end to end and the places where rows begin.

How they are made is in `making.py`, what primitives do with them and their operators in `rules.py`.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.contracts import Operation
from tapeflow.core.dtypes import DType, as_dtype, int64
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.memory_limits import check_fits
from tapeflow.core.shapes import TensorShape
from tapeflow.core.signatures import as_one
from tapeflow.core.sizes import public
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.ops.broadcasting import LIKE_NUMPY

from . import partitions as rows_of
from .making import RaggedMaking, check_total, checked_values

# primitive name -> (args, params) -> result: what a primitive does when one of its inputs is ragged.
RULES: dict[str, Callable] = {}

if TYPE_CHECKING:
    from tapeflow.core.typed import Operators

    class Base(RaggedMaking, Operators["RaggedTensor"]):
        def __getitem__(self, key: Any) -> Any: ...

else:
    Base = RaggedMaking


@as_one(RaggedMaking)
class RaggedTensor(Base):
    """A tensor some of whose axes have rows of different lengths. Made by `tf.ragged.constant` or a `from_…` method.

    Row `i` is `values[row_splits[i]:row_splits[i + 1]]`; the values may be ragged themselves. Operators, elementwise
    functions, reductions, `tf.concat` and indexing work on it, and gradients flow through its values.

    >>> r = tf.ragged.constant([[1., 2.], [], [3.]])
    >>> r * 10.
    <tf.RaggedTensor [[10.0, 20.0], [], [30.0]]>
    >>> tf.reduce_sum(r, axis=1).numpy()
    array([3., 0., 3.], dtype=float32)
    """

    __slots__ = ("_values", "_rows", "_uniform", "__weakref__")

    def __init__(self, values: Any, row_partition: Any, internal: bool = False, uniform: int | None = None) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor is not built directly; use tf.RaggedTensor.from_row_splits(values, row_splits) or "
                "another from_ method."
            )
        self._values, self._rows, self._uniform = values, row_partition, uniform

    @property
    def _splits(self) -> np.ndarray:
        """Row splits that have values; `_rows` are those that may be a symbol (see `partitions`)."""
        rows = self._rows
        return rows if isinstance(rows, np.ndarray) else np.asarray(rows.array)

    # ---- what it is

    @property
    def values(self) -> Any:
        """The rows laid end to end: a tensor, or a ragged tensor when more axes are ragged."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and at last where the last one ends."""
        return rows_of.tensor_of(self._rows)

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of every ragged axis, the outermost first."""
        return tuple(rows_of.tensor_of(r._rows) for r in self._levels())

    def _levels(self) -> list["RaggedTensor"]:
        levels, values = [], self
        while isinstance(values, RaggedTensor):
            levels.append(values)
            values = values._values
        return levels

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return len(self._levels())

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, if they are known to have the same."""
        return None if self._uniform is None else rows_of.size_tensor(self._uniform, int64)

    @property
    def dtype(self) -> DType:
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The sizes of the axes, None for ragged ones."""
        return tuple.__new__(TensorShape, public(self.sizes))

    @property
    def sizes(self) -> TensorShape:
        inner = tuple(sizes_of(self._values))[1:]
        return tuple.__new__(TensorShape, (rows_of.row_count(self._rows), self._uniform, *inner))

    def get_shape(self) -> TensorShape:
        """`shape`, as a method."""
        return self.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        dtype = rows_of.dtype_of(self._rows) if out_type is None else out_type
        return rows_of.size_tensor(rows_of.row_count(self._rows), dtype)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of each row; of rows further in with `axis` > 1.

        Args:
            axis: The axis in which rows are counted.

        Returns:
            A tensor of integers; a ragged one for an inner axis.
        """
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        return rows_of.tensor_of(rows_of.lengths_of(self._rows))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """How many values each row has, for each ragged axis, the outermost first.

        Returns:
            A vector for each ragged axis.
        """
        return tuple(r.row_lengths() for r in self._levels())

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where in `values` each row begins."""
        return rows_of.tensor_of(self._rows[:-1])

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where in `values` each row ends."""
        return rows_of.tensor_of(self._rows[1:])

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row that each value belongs to."""
        return rows_of.tensor_of(self._rowids())

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """The same for every ragged axis, the outermost first.

        Returns:
            A tensor of row numbers for each ragged axis.
        """
        return tuple(r.value_rowids() for r in self._levels())

    def _rowids(self) -> Any:
        return rows_of.row_ids(self._rows)

    def _bounds(self) -> list:
        """The sizes of the smallest shape that holds every row."""
        found = [rows_of.longest(rows_of.lengths_of(r._rows)) for r in self._levels()]
        return [rows_of.row_count(self._rows), *found, *tuple(self.flat_values.sizes)[1:]]

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The smallest shape that holds every row.

        Args:
            axis: Of which axis; None: of all.
        """
        sizes, dtype = self._bounds(), rows_of.dtype_of(self._rows) if out_type is None else out_type
        return rows_of.size_tensor(sizes if axis is None else sizes[axis], dtype)

    # ---- into something else

    def with_values(self, new_values: Any) -> "RaggedTensor":
        """The same rows around other values, of which there must be as many.

        Args:
            new_values: As many values as there are now.
        """
        new_values = checked_values(new_values)
        check_total(self._rows[-1], new_values, "the rows take")
        return RaggedTensor(new_values, self._rows, internal=True, uniform=self._uniform)

    def with_flat_values(self, new_values: Any) -> "RaggedTensor":
        """The same rows around other innermost values.

        Args:
            new_values: As many values as there are now.
        """
        inner = self._values
        return self.with_values(inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values)

    def with_row_splits_dtype(self, dtype: Any) -> "RaggedTensor":
        """The same with row splits of int32 or int64.

        Args:
            dtype: The dtype of row splits, int32 or int64.
        """
        values = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(values, rows_of.cast(self._rows, dtype), internal=True, uniform=self._uniform)

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
        """A tensor in which rows are filled up with `default_value` (zero), or cut to `shape`.

        Args:
            default_value: What rows are filled up with; None: 0.
            shape: That of the result, with None for sizes that the rows say.

        >>> tf.ragged.constant([[1, 2, 3], [4]]).to_tensor(-1).numpy()
        array([[ 1,  2,  3],
               [ 4, -1, -1]], dtype=int32)
        """
        flat, outer = self.flat_values, self.ragged_rank + 1
        bound = self._bounds()[:outer]
        wanted = [None] * outer if shape is None else list(TensorShape(shape))[:outer]
        dims = tuple(b if w is None else w for b, w in zip(bound, wanted))
        check_fits(dims, np.int64, "making it")
        table = self._table(dims)
        inner = tuple(flat.sizes)[1:]
        zero = b"" if flat.dtype.kind == "s" else 0 if flat.dtype.kind != "b" else False
        default = (
            as_tensor(np.array(zero, flat.dtype.np))
            if default_value is None
            else ops.identity(_like(default_value, flat))
        )
        padded = ops.concat(flat, ops.broadcast_to(default, shape=(1, *inner)), axis=0)
        return ops.reshape(ops.take(padded, rows_of.tensor_of(table), axis=0), shape=(*dims, *inner))

    def _table(self, dims: tuple) -> Any:
        """For each place in a tensor of these sizes which of the flat values stands there; after the last one the
        default."""
        columns = self._columns()
        total = sizes_of(columns[0])[0]
        if rows_of.is_known(*columns):
            inside = (np.stack(columns, 1) < dims).all(1)
            table = np.full(math.prod(dims), total)
            kept = [c[inside] for c in columns]
            table[np.ravel_multi_index(kept, dims) if inside.any() else []] = np.flatnonzero(inside)
            return table
        columns = [rows_of.tensor_of(c) for c in columns]
        inside = functools.reduce(
            ops.logical_and, [ops.less(c, rows_of.size_tensor(d, c.dtype)) for c, d in zip(columns, dims)]
        )
        place = rows_of.flat_places(columns, dims)
        default = ops.broadcast_to(rows_of.size_tensor(total, int64), shape=(math.prod(dims),))
        numbers = rows_of.tensor_of(rows_of.counted(total))
        return ops.scatter_update(default, ops.compress(place, inside), ops.compress(numbers, inside))

    def _columns(self) -> list:
        """For each of the flat values its position along the axes down to the innermost ragged one, axis by axis."""
        columns = [rows_of.counted(rows_of.row_count(self._rows))]
        for level in self._levels():
            ids = level._rowids()
            columns = [rows_of.picked(c, ids) for c in columns] + [rows_of.cast(rows_of.of_rows(level._rows), int64)]
        return columns

    def _places(self) -> np.ndarray:
        """The same as a matrix, of a ragged tensor that has values."""
        return np.stack([np.asarray(rows_of.tensor_of(c).array) for c in self._columns()], 1)

    def to_sparse(self, name: str | None = None) -> Any:
        """A `tf.SparseTensor` with the values at their places.

        Returns:
            A `tf.SparseTensor`.

        >>> tf.ragged.constant([[5, 6], [7]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        from tapeflow.api.sparse.tensor import SparseTensor

        flat, inner = self.flat_values, tuple(self.flat_values.sizes)[1:]
        places = self._places()
        if inner:
            rest = np.indices(inner).reshape(len(inner), -1).T
            places = np.concatenate([np.repeat(places, len(rest), 0), np.tile(rest, (len(places), 1))], 1)
            flat = ops.reshape(flat, shape=(-1,))
        return SparseTensor(EagerTensor(places), flat, self.bounding_shape(out_type=int64))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The axes from `outer_axis` to `inner_axis` as one.

        Args:
            outer_axis: The first of the axes.
            inner_axis: The last of them.

        Returns:
            A `tf.RaggedTensor`, or a tensor where no ragged axis is left.

        >>> tf.ragged.constant([[[1], [2, 3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        rank = self.ndim
        outer, inner = outer_axis % rank, inner_axis % rank
        if outer == inner:
            return self
        if outer > 0:
            values = self._values
            if outer > 1:
                merged = (
                    values.merge_dims(outer - 1, inner - 1)
                    if isinstance(values, RaggedTensor)
                    else _merged(values, outer - 1, inner - 1)
                )
                return self.with_values(merged)
            if not isinstance(values, RaggedTensor):
                values = RaggedTensor.from_tensor(values)
            together = RaggedTensor(values._values, rows_of.picked(values._rows, self._rows), internal=True)
            return together if inner == 2 else together.merge_dims(1, inner - 1)
        values = self._values
        if inner == 1:
            return values
        return values.merge_dims(0, inner - 1) if isinstance(values, RaggedTensor) else _merged(values, 0, inner - 1)

    def to_list(self) -> list[Any]:
        """Nested Python lists.

        Returns:
            Nested lists of numbers.
        """
        rows = (
            self._values.to_list()
            if isinstance(self._values, RaggedTensor)
            else np.asarray(self._values.array).tolist()
        )
        bounds = self.row_splits.array.tolist()
        return [rows[a:b] for a, b in itertools.pairwise(bounds)]

    def numpy(self) -> np.ndarray:
        """An array when all rows have one length, else an array of arrays."""
        rows = [row.numpy() for row in self]
        if rows and len({sizes_of(row) for row in rows}) == 1 and rows[0].dtype.kind != "O":
            return np.stack(rows)
        out = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            out[i] = row
        return out

    # ---- for tapes and primitives

    @property
    def _differentiable(self) -> Tensor:
        return self.flat_values

    def _with_differentiable(self, values: Any) -> "RaggedTensor":
        return self.with_flat_values(values)

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        rule = RULES.get(prim.name) or (prim.elementwise or prim.broadcasts is LIKE_NUMPY) and RULES["elementwise"]
        if not rule:
            raise ValueError(
                f"{prim.name} does not take a RaggedTensor. Use its .values, r.to_tensor(), or "
                "tf.ragged.map_flat_values(f, r)."
            )
        return rule(prim.entry, args, params)

    # ---- as a Python object

    def __iter__(self) -> Iterator:
        return (self[i] for i in range(rows_of.row_count(self._rows)))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        if not rows_of.is_known(*[level._rows for level in self._levels()]) or rows_of.is_symbol(self.flat_values):
            return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._rows!r})"
        return f"<tf.RaggedTensor {self.to_list()}>"

    def _print_text(self, text: Callable) -> str:
        return str(self.to_list())

    def __reduce__(self):
        return _restored, (self._values, self._splits, self._uniform)


def _restored(values: Any, splits: np.ndarray, uniform: int | None) -> RaggedTensor:
    return RaggedTensor(values, splits, internal=True, uniform=uniform)


def _like(value: Any, tensor: Tensor) -> Tensor:
    return value if isinstance(value, Tensor) else as_tensor(np.array(value).astype(tensor.dtype.np))


def _merged(tensor: Tensor, outer: int, inner: int) -> Tensor:
    shape = tuple(sizes_of(tensor))
    return ops.reshape(tensor, shape=(*shape[:outer], int(np.prod(shape[outer : inner + 1])), *shape[inner + 1 :]))
