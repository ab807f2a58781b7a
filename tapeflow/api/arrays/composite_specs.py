"""`tf.RaggedTensorSpec` and `tf.SparseTensorSpec`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.ragged.functions import stack as ragged_stack
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.places import concat, expand_dims
from tapeflow.api.sparse.tensor import SparseTensor, pick
from tapeflow.core.composite import restores
from tapeflow.core.dtypes import DType, as_dtype, float32, int64
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor

from .specs import TensorSpec, TypeSpec, type_spec_from_value

__all__ = ["RaggedTensorSpec", "SparseTensorSpec"]


class RaggedTensorSpec(TypeSpec):
    """What is known of a `tf.RaggedTensor`: shape, dtype, and how many axes are ragged.

    Args:
        shape: With None for sizes that are not known or not the same in all rows.
        ragged_rank: How many axes are ragged; None: all but the first.
        row_splits_dtype: The dtype of row splits, int32 or int64.
        flat_values_spec: The spec of the innermost values, where they are no tensor.

    >>> spec = tf.RaggedTensorSpec([None, None], tf.int32)
    >>> spec.ragged_rank, spec.is_compatible_with(tf.ragged.constant([[1], [2, 3]]))
    (1, True)
    """

    __slots__ = ("_shape", "_dtype", "_ragged_rank", "_row_splits_dtype")

    value_type = RaggedTensor

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype if flat_values_spec is None else flat_values_spec.dtype)
        if ragged_rank is None:
            if self._shape.rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = self._shape.rank - 1
        if self._shape.rank is not None and not 0 <= ragged_rank < self._shape.rank:
            raise ValueError(f"ragged_rank={ragged_rank} must be less than the rank {self._shape.rank} of the shape.")
        self._ragged_rank, self._row_splits_dtype = ragged_rank, as_dtype(row_splits_dtype)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        return self._row_splits_dtype

    @classmethod
    def from_value(cls, value: RaggedTensor) -> "RaggedTensorSpec":
        """The spec of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = self.from_value(spec_or_value) if isinstance(spec_or_value, RaggedTensor) else spec_or_value
        if not isinstance(other, RaggedTensorSpec) or self._parts()[1:] != other._parts()[1:]:
            return False
        return self._shape.is_compatible_with(other._shape)

    def _parts(self) -> tuple:
        shape = None if self._shape.rank is None else tuple(self._shape)
        return (shape, self._dtype, self._ragged_rank, self._row_splits_dtype)

    # ---- what it is made of: the innermost values and the row splits, the outermost first

    @property
    def _component_specs(self) -> list:
        inner = None if self._shape.rank is None else [None, *self._shape[self._ragged_rank + 1 :]]
        rows = None if self._shape.rank is None or self._shape[0] is None else self._shape[0] + 1
        splits = [TensorSpec([rows if k == 0 else None], self._row_splits_dtype) for k in range(self._ragged_rank)]
        return [TensorSpec(inner if self._ragged_rank else self._shape, self._dtype), *splits]

    def _to_components(self, value: Any) -> list:
        return [value.flat_values, *value.nested_row_splits] if isinstance(value, RaggedTensor) else [value]

    def _from_components(self, components: Sequence) -> Any:
        values, *splits = components
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False) if splits else values

    def __kind__(self) -> int:
        return self._ragged_rank

    def __has_rows__(self) -> bool:
        return True

    def __batch__(self, size: int | None) -> "RaggedTensorSpec":
        shape = TensorShape([size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def __unbatch__(self) -> TypeSpec:
        shape = TensorShape(None) if self._shape.rank is None else self._shape[1:]
        if self._ragged_rank == 1:
            return RaggedRowSpec(shape, self._dtype)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    def __stacked__(self, values: Sequence) -> RaggedTensor:
        return ragged_stack(values)

    def __row_count__(self, value: RaggedTensor) -> int:
        return int(value.nrows())

    def __row__(self, value: RaggedTensor, i: int) -> Any:
        return value[i]

    def __repr__(self) -> str:
        return f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, {self._row_splits_dtype!r})"


class RaggedRowSpec(RaggedTensorSpec):
    """A row of a ragged tensor that is a tensor itself, whose length differs from row to row: batched, they are ragged
    again."""

    __slots__ = ()

    value_type = Tensor

    def __init__(self, shape: Any, dtype: Any) -> None:
        super().__init__(shape, dtype, 0)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = type_spec_from_value(spec_or_value)
        return self == other or TensorSpec(self.shape, self.dtype).is_compatible_with(other)


class SparseTensorSpec(TypeSpec):
    """What is known of a `tf.SparseTensor`: the shape of the dense tensor and the dtype.

    Args:
        shape: The sizes, None for those that are not known.
        dtype: The dtype of the values.

    >>> tf.SparseTensorSpec([None, 3]).is_compatible_with(tf.sparse.eye(2, 3))
    True
    """

    __slots__ = ("_shape", "_dtype")

    value_type = SparseTensor

    def __init__(self, shape: Any = None, dtype: Any = float32) -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @classmethod
    def from_value(cls, value: SparseTensor) -> "SparseTensorSpec":
        """The spec of a sparse tensor."""
        return cls(value.shape, value.dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = self.from_value(spec_or_value) if isinstance(spec_or_value, SparseTensor) else spec_or_value
        return (
            isinstance(other, SparseTensorSpec)
            and self._dtype is other._dtype
            and self._shape.is_compatible_with(other._shape)
        )

    def _parts(self) -> tuple:
        return (None if self._shape.rank is None else tuple(self._shape), self._dtype)

    # ---- what it is made of: the indices, the values, and the shape of the whole

    @property
    def _component_specs(self) -> list:
        rank = self._shape.rank
        return [TensorSpec([None, rank], int64), TensorSpec([None], self._dtype), TensorSpec([rank], int64)]

    def _to_components(self, value: SparseTensor) -> list:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Sequence) -> SparseTensor:
        indices, values, shape = components
        if not isinstance(shape, EagerTensor) and self._shape.is_fully_defined():  # in a graph, too
            shape = np.array(self._shape, np.int64)
        return SparseTensor(indices, values, shape)

    def __kind__(self) -> tuple:
        return ()

    def __trace_kind__(self) -> tuple | None:
        return None if self._shape.rank is None else tuple(self._shape)

    def __has_rows__(self) -> bool:
        return True

    def __batch__(self, size: int | None) -> "SparseTensorSpec":
        return SparseTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def __unbatch__(self) -> "SparseTensorSpec":
        return SparseTensorSpec(None if self._shape.rank is None else self._shape[1:], self._dtype)

    def __stacked__(self, values: Sequence) -> SparseTensor:
        return concat(0, [expand_dims(part, 0) for part in values])

    def __row_count__(self, value: SparseTensor) -> int:
        return int(value.dense_shape.array[0])

    def __row__(self, value: SparseTensor, i: int) -> SparseTensor:
        indices = value.indices.array
        mine = np.flatnonzero(indices[:, 0] == i)
        return SparseTensor(indices[mine, 1:], pick(value.values, mine), value.dense_shape.array[1:])

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


RaggedTensor._type_spec = property(RaggedTensorSpec.from_value)
SparseTensor._type_spec = property(SparseTensorSpec.from_value)
restores("RaggedTensor", lambda _, parts: RaggedTensor.from_nested_row_splits(parts[0], parts[1:], validate=False))
restores("SparseTensor", lambda _, parts: SparseTensor(*parts))
