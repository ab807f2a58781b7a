"""`tf.experimental.BatchableExtensionType`: extension types whose values are stacked, and cut into rows."""

from collections.abc import Sequence
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.type_spec import TypeSpec

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
        """

        def stacked(leaf: Any) -> Any:
            if not isinstance(leaf, TypeSpec):
                return TensorShape([batch_size]).concatenate(leaf) if isinstance(leaf, TensorShape) else leaf
            if leaf._has_rows():
                return leaf._batch(batch_size)
            return TensorSpec(TensorShape([batch_size]).concatenate(leaf.shape), leaf.dtype)

        return _with_fields(spec, stacked)

    def unbatch(self, spec: Any) -> Any:
        """The spec of a row.

        Args:
            spec: The spec of a value with rows.
        """

        def row(leaf: Any) -> Any:
            if not isinstance(leaf, TypeSpec):
                return leaf[1:] if isinstance(leaf, TensorShape) else leaf
            if leaf._component_specs is not leaf:
                return leaf._unbatch()
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
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what `encode` gives.

        Args:
            spec: The spec of a value.
        """
        return spec._component_specs


class _BatchableSpec(ExtensionTypeSpec):
    """The base of the specs of batchable types."""

    @property
    def _encoder(self) -> Any:
        return self.value_type.__batch_encoder__

    def _has_rows(self) -> bool:
        return True

    def _batch(self, size: int | None) -> Any:
        return self._encoder.batch(self, size)

    def _unbatch(self) -> Any:
        return self._encoder.unbatch(self)

    def _encoding(self) -> list:
        return nest.walked(self._encoder.encoding_specs(self), composites=True)

    def _encoded(self, value: Any) -> list:
        return nest.walked(self._encoder.encode(self, value), composites=True)

    def _decoded(self, tensors: Sequence) -> Any:
        encoding = self._encoder.encoding_specs(self)
        return self._encoder.decode(self, nest.packed(encoding, iter(tensors), composites=True))

    def _stacked(self, values: Sequence) -> Any:
        columns = zip(*[self._encoded(value) for value in values])
        return self._batch(len(values))._decoded([ops.stack(*column, axis=0) for column in columns])

    def _row_count(self, value: Any) -> int:
        counts = {tensor.sizes[0] if tensor.sizes.rank else None for tensor in self._encoded(value)}
        if None in counts or len(counts) != 1:
            raise ValueError(f"The tensors of {value!r} have no first axis, or different ones, so it has no rows.")
        return counts.pop()

    def _row(self, value: Any, i: int) -> Any:
        return self._unbatch()._decoded([ops.getitem(tensor, index=(i,)) for tensor in self._encoded(value)])


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


def _with_fields(spec: Any, change: Any) -> Any:
    return of_fields(type(spec), {name: mapped(change, value) for name, value in spec._serialize()})
