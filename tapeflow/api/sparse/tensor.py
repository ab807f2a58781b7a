"""SparseTensor: the values of a mostly-zero tensor, and where they are."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.api.ragged.partitions import flat_rows_of
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import Composite
from tapeflow.core.contracts import Operation
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, int64
from tapeflow.core.errors import invalid
from tapeflow.core.frames import Frame, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import public
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.function.tracing.symbols import SymbolicTensor


class SparseTensor(Composite):
    """`values[k]` is the element at `indices[k]` of a tensor of shape `dense_shape`; all others are zero.

    Gradients flow through the values, and a tape takes a sparse tensor as a source.

    Args:
        indices: An int64 matrix: a row of indices for each value.
        values: The values, a vector.
        dense_shape: The shape of the whole tensor.

    >>> s = tf.SparseTensor(indices=[[0, 1], [2, 0]], values=[5., 7.], dense_shape=[3, 2])
    >>> tf.sparse.to_dense(s).numpy()
    array([[0., 5.],
           [0., 0.],
           [7., 0.]], dtype=float32)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(s)
    ...     y = tf.reduce_sum(tf.sparse.to_dense(s) ** 2)
    >>> tape.gradient(y, s).values.numpy()
    array([10., 14.], dtype=float32)
    """

    __slots__ = ("_indices", "_values", "_dense_shape", "__weakref__")

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = _as_int64(indices)
        self._values = as_tensor(values)
        self._dense_shape = _as_int64(dense_shape)
        where, count, shape = [tuple(t.sizes) for t in (self._indices, self._values, self._dense_shape)]
        fits = len(where) == 2 and len(shape) == 1 and len(count) == 1
        if not fits or any(type(a) is type(b) is int and a != b for a, b in zip(where, (*count, *shape))):
            raise ValueError(
                "A SparseTensor of n values and rank r needs indices of shape (n, r), values of shape (n,) and "
                f"dense_shape of shape (r,); got shapes {where}, {count} and {shape}."
            )

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> "SparseTensor":
        """From anything with `indices`, `values` and `dense_shape`.

        Args:
            sparse_tensor_value: A sparse tensor, or what has the attributes of one.
        """
        if not all(hasattr(sparse_tensor_value, a) for a in ("indices", "values", "dense_shape")):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value!r} has no indices, values and dense_shape."
            )
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    @property
    def indices(self) -> Tensor:
        """Where the values are: int64, one row each."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The values, a vector."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the dense tensor, an int64 vector."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        return tuple.__new__(TensorShape, public(self.sizes))

    @property
    def sizes(self) -> TensorShape:
        shape = self._dense_shape
        if isinstance(shape, SymbolicTensor) and shape.as_sizes() is None:  # one of a function that was traced before
            return tuple.__new__(TensorShape, (None,) * self.ndim)
        return tuple.__new__(TensorShape, static_shape(shape))

    def get_shape(self) -> TensorShape:
        """`shape`, as a method."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """States the shape; raises ValueError if it contradicts what is known.

        Args:
            shape: The sizes, None for those that are not known.

        Raises:
            ValueError: If it contradicts what is known.
        """
        self.shape.assert_is_compatible_with(shape)

    @property
    def ndim(self) -> int:
        return tuple(self._indices.sizes)[1]

    def with_values(self, new_values: Any) -> "SparseTensor":
        """Other values at the same places.

        Args:
            new_values: As many values as there are now.

        >>> s = tf.SparseTensor([[0], [2]], [1, 2], [3])
        >>> s.with_values(s.values * 10).values.numpy()
        array([10, 20], dtype=int32)
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    # ---- for tapes and primitives

    @property
    def _differentiable(self) -> Tensor:
        return self._values

    def _with_differentiable(self, values: Any) -> "SparseTensor":
        return self.with_values(values)

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        """Functions that leave 0 at 0 act on the values alone; in products and quotients a dense operand is read where
        they are."""
        sparse = [k for k, a in enumerate(args) if isinstance(a, cls)]
        if prim.elementwise and len(args) == 1 and args[0]._stays_zero(prim, params):
            return args[0].with_values(prim.entry(args[0]._values, **params))
        if len(sparse) == 1 and prim.inputs[sparse[0]] in prim.zero:
            self = args[sparse[0]]
            return self.with_values(prim.entry(*[a._values if a is self else self._read(a) for a in args], **params))
        refusal = f"{prim.name} does not take a SparseTensor"
        if prim.elementwise and len(args) == 1:
            refusal += ": it does not leave 0 at 0, so the result would not be sparse"
        # TensorFlow's types: an operator finds no operand it knows, a function cannot convert its argument
        raise (ValueError if len(args) == 1 else TypeError)(
            f"{refusal}. Use the functions of tf.sparse, tf.sparse.map_values, or tf.sparse.to_dense(s)."
        )

    def _stays_zero(self, prim: Operation, params: dict) -> bool:
        if prim.moves or self.dtype.kind == "s":
            return prim.moves
        with entered(Frame()):  # computed now, also while a function is traced
            return not np.any(prim.entry(EagerTensor(np.zeros((), self.dtype.np)[()]), **params).array)

    def _read(self, dense: Any) -> Any:
        """What of a dense operand, broadcast to the shape, stands at the places of the values."""
        dense = to_tensor(dense, None if isinstance(dense, Tensor) else self.dtype)
        if not dense.ndim:
            return dense
        shape = tuple(self.sizes)
        spread = ops.broadcast_to(dense, shape=shape)
        return ops.take(ops.reshape(spread, shape=(math.prod(shape),)), self._flat_places(), axis=0)

    def _flat_places(self) -> Tensor:
        """The position of each value in the flattened dense tensor, checked."""
        _check_indices(self._indices, self._dense_shape)
        if not all(isinstance(t, EagerTensor) for t in (self._indices, self._dense_shape)):
            return flat_rows_of(self._indices, self.sizes)
        where, shape = self._indices.array, tuple(self._dense_shape.array.tolist())
        return EagerTensor(
            np.ravel_multi_index(where.T, shape).astype(np.int64) if where.size else np.zeros(len(where), np.int64)
        )

    def __mul__(self, other: Any) -> "SparseTensor":
        return ops.mul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "SparseTensor":
        return ops.div(self, other)

    def __neg__(self) -> "SparseTensor":
        return ops.neg(self)

    # ---- as a Python object

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"

    def _print_text(self, text: Callable) -> str:
        return (
            f"'SparseTensor(indices={text(self._indices)}, values={text(self._values)}, "
            f"shape={text(self._dense_shape)})'"
        )

    def __reduce__(self):
        return SparseTensor, (self._indices, self._values, self._dense_shape)


@at_every_run(checks=True)
def _check_indices(indices: Tensor, dense_shape: Tensor) -> None:
    where, shape = indices.array, tuple(dense_shape.array.tolist())
    bad = ((where < 0) | (where >= shape)).any(1)
    if bad.any():
        raise invalid(
            f"indices[{int(bad.argmax())}] = {where[bad][0].tolist()} is out of bounds of the dense shape {shape}."
        )


def columns_of(sp: "SparseTensor") -> list[Tensor]:
    """Where the values are along each axis."""
    if isinstance(sp.indices, EagerTensor):
        return [EagerTensor(np.ascontiguousarray(i)) for i in sp.indices.array.T]
    return list(ops.unstack(sp.indices, axis=1))


def _as_int64(value: Any) -> Tensor:
    if isinstance(value, Tensor) and (value.dtype is not int64 or not isinstance(value, EagerTensor)):
        return value if value.dtype is int64 else ops.cast(value, dtype=int64.np)
    made = as_tensor(np.asarray(value) if isinstance(value, (list, tuple)) and not _holds_tensors(value) else value)
    if made.dtype.is_integer or not made.array.size:
        return EagerTensor(made.array.astype(np.int64))
    raise TypeError(f"Indices and shapes of a SparseTensor are integers, got {made.dtype.name}.")


def _holds_tensors(value: Any) -> bool:
    return any(isinstance(v, Tensor) or isinstance(v, (list, tuple)) and _holds_tensors(v) for v in value)


# ---- what the functions of tf.sparse are written with


def as_sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensor):
        return value
    if hasattr(value, "indices") and hasattr(value, "dense_shape"):
        return SparseTensor.from_value(value)
    raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}. tf.sparse.from_dense(x) makes one.")


def made(indices: np.ndarray, values: Any, shape: Any) -> SparseTensor:
    return SparseTensor(EagerTensor(np.asarray(indices, np.int64)), values, EagerTensor(np.asarray(shape, np.int64)))


def pick(values: Tensor, order: np.ndarray) -> Tensor:
    return ops.take(values, EagerTensor(np.asarray(order, np.int64)), axis=0)


def parts(sp: SparseTensor) -> tuple[np.ndarray, Tensor, tuple[int, ...]]:
    return sp.indices.array, sp.values, tuple(sp.dense_shape.array.tolist())
