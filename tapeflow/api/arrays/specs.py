"""`tf.TensorSpec`: a shape and a dtype without a value, and its relatives."""

from collections.abc import Sequence
from typing import Any

from tapeflow.core.composite import TypeSpec as TypeSpec, restores
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype, float32, int64
from tapeflow.core.shapes import TensorShape
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.tensor_like import AnyTensorLike
from tapeflow.core.variables.variable import Variable


class TensorSpec(TypeSpec):
    """The shape and dtype of a tensor that is not there yet; sizes may be None, for unknown.

    Args:
        shape: The sizes, None for those that are not known.
        dtype: The dtype of the tensors.
        name: The name of the argument, in signatures.

    >>> spec = tf.TensorSpec([None, 3], tf.float32)
    >>> spec
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    >>> spec.is_compatible_with(tf.zeros([8, 3])), spec.is_compatible_with(tf.zeros([8, 4]))
    (True, False)
    """

    __slots__ = ("_shape", "_dtype", "_name")

    value_type = Tensor

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = TensorShape(shape), as_dtype(dtype), name

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> "TensorSpec":
        """The same shape and dtype under another name.

        Args:
            spec: A `tf.TensorSpec`.

        >>> tf.TensorSpec.from_spec(tf.TensorSpec([2]), name="x").name
        'x'
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """The shape and dtype of a tensor.

        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        if not isinstance(tensor, (Tensor, Variable)):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(sizes_of(tensor), tensor.dtype, name)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Could the value, or a value of the other spec, have this shape and dtype?"""
        other = spec_or_value
        if not isinstance(other, (TensorSpec, Tensor, Variable)):
            try:
                other = to_tensor(other, self._dtype)
            except (TypeError, ValueError):
                return False
        return self._dtype is other.dtype and self._shape.is_compatible_with(sizes_of(other))

    def is_subtype_of(self, other: TypeSpec) -> bool:
        if (
            not isinstance(other, TensorSpec)
            or self._dtype is not other._dtype
            or self._name not in (None, other._name)
        ):
            return False
        return self._shape.is_subtype_of(other._shape)

    def most_specific_common_supertype(self, others: Sequence[TypeSpec]) -> "TensorSpec | None":
        shape, name = self._shape, self._name
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
            name = name if name == other._name else None
        return TensorSpec(shape, self._dtype, name)

    def __batch__(self, size: int | None) -> "TensorSpec":
        return TensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def __unbatch__(self) -> "TensorSpec":
        return TensorSpec(self._shape[1:], self._dtype)

    def _with_tensor_ranks_only(self) -> "TensorSpec":
        rank = self._shape.rank
        return self if rank is None else TensorSpec([None] * rank, self._dtype, self._name)

    def _without_tensor_names(self) -> "TensorSpec":
        return TensorSpec(self._shape, self._dtype)

    def _parts(self) -> tuple:
        return (None if self._shape.rank is None else tuple(self._shape), self._dtype, self._name)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self):
        return TensorSpec, (self._shape, self._dtype, self._name)


class IndexedSlicesSpec(TypeSpec):
    """What is known of a `tf.IndexedSlices`.

    Args:
        shape: That of the whole tensor; None: not known.
        dtype: That of the rows.
        indices_dtype: The dtype of the indices.
        dense_shape_dtype: The dtype of the dense shape; None: there is none.
        indices_shape: The shape of the indices; None: not known.

    >>> tf.IndexedSlicesSpec([None, 2]).dtype
    tf.float32
    """

    __slots__ = ("_shape", "_dtype", "_indices_dtype", "_dense_shape_dtype", "_indices_shape")

    value_type = IndexedSlices

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)
        self._indices_dtype: DType = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = spec_or_value
        if isinstance(other, IndexedSlices):
            other = type_spec_from_value(other)
        return (
            isinstance(other, IndexedSlicesSpec)
            and self._dtype is other._dtype
            and self._indices_dtype is other._indices_dtype
            and self._shape.is_compatible_with(other._shape)
            and self._indices_shape.is_compatible_with(other._indices_shape)
        )

    def _parts(self) -> tuple:
        shape = None if self._shape.rank is None else tuple(self._shape)
        return (shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, tuple(self._indices_shape))

    @property
    def _component_specs(self) -> list:
        rows = self._indices_shape.concatenate(self._shape[1:])
        parts = [TensorSpec(rows, self._dtype), TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype is not None:
            parts.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return parts

    def _to_components(self, value: IndexedSlices) -> list:
        return [value.values, value.indices] + ([] if value.dense_shape is None else [value.dense_shape])

    def _from_components(self, components: Sequence) -> IndexedSlices:
        return IndexedSlices(*components)

    def __kind__(self) -> bool:
        return self._dense_shape_dtype is not None

    @classmethod
    def from_value(cls, value: IndexedSlices) -> "IndexedSlicesSpec":
        """The spec of slices. In a graph the shape of the whole tensor may be known only when it runs."""
        dense, known = value.dense_shape, lambda sizes: [n if type(n) is int else None for n in sizes]
        unread = dense is not None and not isinstance(dense, EagerTensor)
        return cls(
            [None, *known(value.values.sizes)[1:]] if unread else value.shape,
            value.values.dtype,
            value.indices.dtype,
            None if dense is None else dense.dtype,
            known(value.indices.sizes),
        )

    def __repr__(self) -> str:
        parts = (self._shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape)
        return f"IndexedSlicesSpec({', '.join(map(repr, parts))})"


IndexedSlices._type_spec = property(IndexedSlicesSpec.from_value)
restores("IndexedSlices", lambda _, parts: IndexedSlices(*parts))


def type_spec_from_value(value: AnyTensorLike) -> TypeSpec:
    """The spec of a tensor, a variable, slices, or anything a tensor can be made of.

    >>> tf.type_spec_from_value(tf.constant([1., 2.]))
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)
    """
    if isinstance(value, TypeSpec):
        return value
    own = getattr(value, "_type_spec", None)
    if own is not None:
        return own
    try:
        tensor = value if isinstance(value, (Tensor, Variable)) else to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(f"Could not build a TypeSpec for {value!r} of type {type(value).__name__}.") from None
    return TensorSpec(tensor.sizes, tensor.dtype)
