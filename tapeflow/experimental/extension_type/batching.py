"""`tf.experimental.BatchableExtensionType`: extension types whose values are stacked, and cut into rows."""

from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor, TypeSpec, spec_of
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape

from .annotations import mapped
from .fields import of_fields
from .specs import ExtensionTypeSpec
from .types import ExtensionType


class ExtensionTypeBatchEncoder:
    """How values of a `tf.experimental.BatchableExtensionType` are stacked and cut: as the tensors that they are
    encoded in.

    The encoder here encodes a value as the tensors in its fields, each of which has a row for each row of the value.
    Derive a class from it where fields do not: where a row has fewer values than another, say.

    >>> encoder = tf.experimental.ExtensionTypeBatchEncoder()
    >>> class Pair(tf.experimental.BatchableExtensionType):
    ...     a: tf.Tensor
    ...     b: tf.Tensor
    >>> pair = Pair([1., 2.], [3., 4.])
    >>> encoder.unbatch(pair._type_spec)
    Pair.Spec(a=TensorSpec(shape=(), dtype=tf.float32, name=None), b=TensorSpec(shape=(), dtype=tf.float32, name=None))
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of `batch_size` values stacked.

        Args:
            spec: The spec of one value.
            batch_size: How many; None: not known.

        Returns:
            A spec of the type.
        """

        def stacked(leaf: Any) -> Any:
            if not isinstance(leaf, TypeSpec):
                return TensorShape([batch_size]).concatenate(leaf) if isinstance(leaf, TensorShape) else leaf
            if leaf.__has_rows__():
                return leaf.__batch__(batch_size)
            return TensorSpec(TensorShape([batch_size]).concatenate(leaf.shape), leaf.dtype)

        return _with_fields(spec, stacked)

    def unbatch(self, spec: Any) -> Any:
        """The spec of a row.

        Args:
            spec: The spec of a value with rows.

        Returns:
            A spec of the type.
        """

        def row(leaf: Any) -> Any:
            if not isinstance(leaf, TypeSpec):
                return leaf[1:] if isinstance(leaf, TensorShape) else leaf
            if nest.is_composite(leaf):
                return leaf.__unbatch__()
            return TensorSpec(None if leaf.shape.rank is None else leaf.shape[1:], leaf.dtype)

        return _with_fields(spec, row)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """The tensors that stand for a value.

        Args:
            spec: The spec of the value.
            value: The value.
            minimum_rank: The rank that each of the tensors has at least.

        Returns:
            Tensors, nested.
        """
        return spec._to_components(value)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The inverse of `encode`.

        Args:
            spec: The spec of the value.
            encoded_value: What `encode` gave.

        Returns:
            The value.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what `encode` gives.

        Args:
            spec: The spec of a value.

        Returns:
            Specs, nested as the tensors.
        """
        return spec._component_specs


class _BatchableSpec(ExtensionTypeSpec):
    """The base of the specs of batchable types."""

    @property
    def _encoder(self) -> Any:
        return self.value_type.__batch_encoder__

    def __has_rows__(self) -> bool:
        return True

    def __batch__(self, size: int | None) -> Any:
        return self._encoder.batch(self, size)

    def __unbatch__(self) -> Any:
        return self._encoder.unbatch(self)

    def __encoding__(self) -> list | None:
        found: list = []
        for spec in nest.flatten(self._encoder.encoding_specs(self)):
            inside = [spec] if not nest.is_composite(spec) else spec.__encoding__()
            if inside is None:  # a ragged tensor, whose parts have no row for each of its own
                return None
            found += inside
        return found

    def __encoded__(self, value: Any) -> list | None:
        if self.__encoding__() is None:
            return None
        one = lambda part: spec_of(part).__encoded__(part) if isinstance(part, CompositeTensor) else [part]
        return [tensor for part in self._code(value) for tensor in one(part)]

    def __decoded__(self, tensors: Sequence) -> Any:
        rest = iter(tensors)

        def one(spec: Any) -> Any:
            if not nest.is_composite(spec):
                return next(rest)
            return spec.__decoded__([next(rest) for _ in spec.__encoding__()])

        return self._encoder.decode(self, nest.map_structure(one, self._encoder.encoding_specs(self)))

    def _code(self, value: Any) -> list:
        """The values that stand for one, each with a row for each of its rows."""
        return nest.flatten(self._encoder.encode(self, value))

    def _from_code(self, code: Iterable) -> Any:
        return self._encoder.decode(self, nest.pack_as(self._encoder.encoding_specs(self), list(code)))

    def __stacked__(self, values: Sequence) -> Any:
        columns = zip(*[self._code(value) for value in values])
        return self.__batch__(len(values))._from_code(map(_stacked_column, columns))

    def __row_count__(self, value: Any) -> int:
        counts = {_count(part) for part in self._code(value)}
        if None in counts or len(counts) != 1:
            raise ValueError(f"The tensors of {value!r} have no first axis, or different ones, so it has no rows.")
        return counts.pop()

    def __row__(self, value: Any, i: int) -> Any:
        return self.__unbatch__()._from_code([_row_of(part, i) for part in self._code(value)])


class BatchableExtensionType(ExtensionType):
    """An extension type whose values are stacked by `tf.data`, and cut into rows by it, by `tf.map_fn` and by
    `tf.vectorized_map`.

    `__batch_encoder__`, a `tf.experimental.ExtensionTypeBatchEncoder`, says how; as it is, each tensor in a field has
    a row for each row of the value.

    >>> class Pair(tf.experimental.BatchableExtensionType):
    ...     a: tf.Tensor
    ...     b: tf.Tensor
    >>> pairs = tf.data.Dataset.from_tensor_slices(Pair([1., 2., 3.], [4., 5., 6.]))
    >>> [p.b.numpy().tolist() for p in pairs.batch(2)]
    [[4.0, 5.0], [6.0]]
    >>> tf.vectorized_map(lambda p: p.a * p.b, Pair([1., 2.], [3., 4.])).numpy()
    array([3., 8.], dtype=float32)
    """

    _tf_extension_type_do_not_transform_this_class = True
    Spec = _BatchableSpec
    __batch_encoder__ = ExtensionTypeBatchEncoder()


def _stacked_column(column: tuple) -> Any:
    first = column[0]
    return spec_of(first).__stacked__(column) if isinstance(first, CompositeTensor) else ops.stack(*column, axis=0)


def _count(part: Any) -> Any:
    if isinstance(part, CompositeTensor):
        return spec_of(part).__row_count__(part)
    return part.sizes[0] if part.sizes.rank else None


def _row_of(part: Any, i: int) -> Any:
    return spec_of(part).__row__(part, i) if isinstance(part, CompositeTensor) else ops.getitem(part, index=(i,))


def _with_fields(spec: Any, change: Any) -> Any:
    return of_fields(type(spec), {name: mapped(change, value) for name, value in spec._serialize()})
