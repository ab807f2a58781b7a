"""Values of replicas: one for each, taken apart on the way into `strategy.run` and put together on the way out."""

from collections.abc import Sequence
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor, TypeSpec, spec_of
from tapeflow.core.convert import register_conversion, to_tensor

__all__ = ["DistributedValues", "PerReplica", "PerReplicaSpec", "regrouped", "selected"]


class DistributedValues:
    """A value for each replica, which `strategy.run` hands to its replica.

    >>> isinstance(tf.types.experimental.distributed.PerReplica([3, 4]), tf.distribute.DistributedValues)
    True
    """

    values: tuple[Any, ...]

    def __init__(self, values: Any) -> None:
        self.values = tuple(values)

    # Libraries ask for these.

    @property
    def _values(self) -> tuple[Any, ...]:
        return self.values

    @property
    def _primary(self) -> Any:
        return self.values[0]


class PerReplica(DistributedValues, CompositeTensor):
    """Values that differ from replica to replica.

    >>> tf.types.experimental.distributed.PerReplica([3])
    PerReplica:{
      0: 3
    }
    """

    even = True  # do the replicas of all workers have values of one shape, as far as a dataset knows?

    @classmethod
    def uneven(cls, values: Any) -> "PerReplica":
        """Values of which other workers have some of other shapes: no program is for all of them."""
        made = cls(values)
        made.even = False
        return made

    @property
    def _type_spec(self) -> "PerReplicaSpec":
        return PerReplicaSpec(*[_spec(value) for value in self.values], even=self.even)

    def __getattr__(self, name: str) -> Any:
        """That of the only value, where a worker has one replica."""
        values = self.__dict__.get("values", ())
        if len(values) != 1 or name.startswith("_"):
            raise AttributeError(f"'PerReplica' object has no attribute '{name}'")
        return getattr(values[0], name)

    def _written(self, one: Any) -> str:
        lines = ",\n".join(f"  {k}: {one(value)}" for k, value in enumerate(self.values))
        return f"PerReplica:{{\n{lines}\n}}"

    def __str__(self) -> str:
        return self._written(str)

    def __repr__(self) -> str:
        return self._written(repr)


class NotAtOnce(Exception):
    """Replicas cannot be traced together."""


class OfReplica(PerReplica):
    """In a `merge_call` that is traced: the value of every replica, of which there is one symbol."""

    def __init__(self, local: Any) -> None:
        self.local = local

    @property
    def values(self) -> Any:
        raise NotAtOnce("A merge_call takes values of replicas apart.")


class PerReplicaSpec(TypeSpec):
    """What is known of a value for each replica.

    >>> spec = tf.type_spec_from_value(tf.types.experimental.distributed.PerReplica([1., 2.]))
    >>> spec.is_compatible_with(tf.types.experimental.distributed.PerReplica([3., 4.]))
    True
    """

    value_type = PerReplica

    def __init__(self, *value_specs: Any, even: bool = True) -> None:
        self._value_specs, self._even = value_specs, even

    def _serialize(self) -> Any:
        return self._value_specs if self._even else (*self._value_specs, "uneven")

    @property
    def _component_specs(self) -> Any:
        return self._value_specs

    def _to_components(self, value: Any) -> Any:
        return tuple([v if isinstance(v, CompositeTensor) else to_tensor(v) for v in value.values])

    def _from_components(self, components: Any) -> PerReplica:
        return PerReplica(components) if self._even else PerReplica.uneven(components)

    def __with_component_specs__(self, specs: Sequence) -> "PerReplicaSpec":
        return PerReplicaSpec(*specs, even=self._even) if len(specs) == len(self._value_specs) else self

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Can a value of this spec also have the other spec?

        Args:
            spec_or_value: A value for each replica, or the spec of one.
        """
        if isinstance(spec_or_value, PerReplica):
            spec_or_value = spec_of(spec_or_value)
        if not isinstance(spec_or_value, PerReplicaSpec) or len(spec_or_value._value_specs) != len(self._value_specs):
            return False
        if self._even != spec_or_value._even:
            return False
        return all(a.is_compatible_with(b) for a, b in zip(self._value_specs, spec_or_value._value_specs))

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


def _spec(value: Any) -> Any:
    return spec_of(value) if isinstance(value, CompositeTensor) else TensorSpec.from_tensor(to_tensor(value))


def _across(value: PerReplica, dtype: Any) -> Any:
    if len(value.values) == 1:
        return to_tensor(value.values[0], dtype)
    raise ValueError(
        "It looks like you are using a PerReplica object while not inside a replica context, which is not supported. "
        "It has a value for each replica: hand it to strategy.run, combine it by strategy.reduce or strategy.gather, "
        "or take strategy.experimental_local_results(value)."
    )


register_conversion(PerReplica, _across)


def selected(k: int, count: int, structure: Any) -> Any:
    """The part of replica `k` of what may hold values of all `count` of them."""

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, PerReplica):
            return leaf
        if len(leaf.values) != count:
            raise ValueError(
                f"A value of {len(leaf.values)} replicas was given to a strategy of {count}. Make it by that "
                "strategy's own methods."
            )
        return leaf.values[k]

    return nest.map_structure(one, structure)


_EQUAL = (int, str, bytes, bool, type(None))  # those that are the same when they are equal, and of one type


def regrouped(values: Sequence) -> Any:
    """What replicas gave, as one value where it is the same object, and else one for each; containers stay."""
    first = values[0]
    if all(v is first or type(v) is type(first) and type(v) in _EQUAL and v == first for v in values):
        return first
    if isinstance(first, (list, tuple, dict)):
        for v in values:
            assert type(v) is type(first) and len(v) == len(first), (
                f"Values to regroup had different lengths: len(v) == {len(v) if hasattr(v, '__len__') else None}, "
                f"len(v0) == {len(first)}, v: {v}, v0: {first}. Replicas must return the same structure."
            )
        if isinstance(first, dict):
            for v in values:
                assert v.keys() == first.keys(), (
                    f"Replicas returned dicts with different keys: {list(v)}, {list(first)}."
                )
            return type(first)({key: regrouped([v[key] for v in values]) for key in first})
        parts = [regrouped(part) for part in zip(*values)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return PerReplica(values)
