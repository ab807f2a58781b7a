"""`TypeSpec`: what is known of a value before it is there, and for values made of several tensors how they come
apart and together."""

from collections.abc import Sequence
from typing import Any


class TypeSpec:
    """What is known of a value before it is there. `tf.TensorSpec` is the one for tensors.

    A value made of several tensors (ragged, sparse, a `tf.experimental.ExtensionType`) has a spec that says which they
    are (`_component_specs`) and takes it apart (`_to_components`) and puts it together (`_from_components`). Nests,
    traced functions, loops, datasets and saved models know nothing else of it.

    >>> isinstance(tf.TensorSpec([2]), tf.TypeSpec)
    True
    """

    __slots__ = ()

    value_type: type

    # ---- what it is made of

    def _serialize(self) -> Any:
        """What two equal specs have in common, nested in tuples."""
        raise NotImplementedError(f"{type(self).__name__}._serialize")  # each kind of spec says it

    @property
    def _component_specs(self) -> Any:
        """The specs of the parts of a value, nested; the spec itself where a value has no parts."""
        return self

    def _to_components(self, value: Any) -> Any:
        """The parts of a value, nested as `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def _from_components(self, components: Any) -> Any:
        """The inverse of `_to_components`."""
        raise NotImplementedError(f"{type(self).__name__}._from_components")

    def _with_component_specs(self, specs: Sequence) -> "TypeSpec":
        """The spec of values whose parts, down to the tensors, have these specs, as far as it can say so."""
        return self

    def _kind(self) -> Any:
        """What of the spec is more than the shapes and dtypes of the parts: functions are traced for each."""
        return self._parts()

    def _parts(self) -> Any:
        return hashable(self._serialize())

    # ---- rows along the first axis, for datasets and maps

    def _has_rows(self) -> bool:
        """Can values be cut into rows, and stacked?"""
        return False

    def _batch(self, size: int | None) -> "TypeSpec":
        """The spec of so many values stacked."""
        raise self._no_rows()

    def _unbatch(self) -> "TypeSpec":
        """The spec of a row."""
        raise self._no_rows()

    def _stacked(self, values: Sequence) -> Any:
        """Values of this spec as one, with a new first axis."""
        raise self._no_rows()

    def _row_count(self, value: Any) -> int:
        raise self._no_rows()

    def _row(self, value: Any, i: int) -> Any:
        raise self._no_rows()

    def _encoding(self) -> list | None:
        """The specs of tensors that have a row for each row of a value, and stand for it; None: there are none."""
        return None

    def _encoded(self, value: Any) -> list | None:
        """Those tensors."""
        return None

    def _decoded(self, tensors: Sequence) -> Any:
        """The inverse of `_encoded`."""
        raise self._no_rows()

    def _no_rows(self) -> TypeError:
        name = getattr(self, "value_type", type(self)).__name__
        return TypeError(
            f"A value of type {name} has no rows that can be taken apart or stacked. A type of your own has them if "
            "it is derived from tf.experimental.BatchableExtensionType."
        )

    # ---- comparing

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), self._parts()))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Can a value of this spec also have the other spec?"""
        return type(self) is type(spec_or_value) and self == spec_or_value

    def is_subtype_of(self, other: "TypeSpec") -> bool:
        """Does every value of this spec have the other spec too?"""
        return self == other

    def most_specific_common_supertype(self, others: Sequence["TypeSpec"]) -> "TypeSpec | None":
        """The narrowest spec that covers this one and all `others`; None when there is none."""
        return self if all(self == other for other in others) else None

    def most_specific_compatible_type(self, other: "TypeSpec") -> "TypeSpec":
        """The narrowest spec that covers both; ValueError when there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No spec covers both {self} and {other}.")
        return found


def hashable(value: Any) -> Any:
    """Containers as tuples; mappings as their pairs, in order."""
    if isinstance(value, dict):
        return tuple([(key, hashable(value[key])) for key in value])
    return tuple(map(hashable, value)) if isinstance(value, (list, tuple)) else value
