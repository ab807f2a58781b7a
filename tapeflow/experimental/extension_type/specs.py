"""`tf.experimental.ExtensionTypeSpec`: the specs of extension types, which have the same fields, with a TypeSpec in
the place of each tensor."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec, type_spec_from_value
from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor, TypeSpec, hashable
from tapeflow.core.nest import sorted_keys
from tapeflow.core.tensor import Tensor

from .annotations import ImmutableDict, mapped
from .fields import Fields, of_fields


class ExtensionTypeSpec(Fields, TypeSpec):
    """What is known of a value of an extension type before it is there: the base class of each type's `Spec`.

    A class that is derived from `tf.experimental.ExtensionType` gets a `Spec` with the same fields, where a
    `tf.TensorSpec` stands for each tensor. A nested class `Spec` adds methods, properties or a constructor to it.

    >>> class Box(tf.experimental.ExtensionType):
    ...     corners: tf.Tensor
    ...     unit: str = "m"
    >>> Box([1., 2.])._type_spec
    Box.Spec(corners=TensorSpec(shape=(2,), dtype=tf.float32, name=None), unit='m')
    >>> any_size = Box.Spec(tf.TensorSpec([None]), "m")
    >>> any_size.is_compatible_with(Box([1., 2., 3.]))
    True
    """

    _of_specs = True
    _immutable = "ExtensionTypeSpec"
    value_type: Any = CompositeTensor

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value.

        Returns:
            A spec of this class.
        """
        return of_fields(cls, {name: mapped(_spec_of, value.__dict__[name]) for name in cls._fields})

    # ---- what it is made of

    def _serialize(self) -> tuple:
        return tuple([(name, self.__dict__[name]) for name in self._fields])

    def _parts(self) -> Any:
        return tuple([(name, _comparable(value)) for name, value in self._serialize()])

    @property
    def _component_specs(self) -> tuple:
        return tuple([leaf for leaf in _leaves(self) if isinstance(leaf, TypeSpec)])

    def _to_components(self, value: Any) -> tuple:
        both = zip(_leaves(value, self._fields), _leaves(self))
        return tuple([part for part, spec in both if isinstance(spec, TypeSpec)])

    def _from_components(self, components: Sequence) -> Any:
        rest = iter(components)
        put = lambda leaf: next(rest) if isinstance(leaf, TypeSpec) else leaf
        return of_fields(self.value_type, {name: mapped(put, value) for name, value in self._serialize()})

    def __with_component_specs__(self, specs: Sequence) -> Any:
        rest = iter(specs)

        def one(leaf: Any) -> Any:
            if not isinstance(leaf, TypeSpec):
                return leaf
            own = [next(rest) for _ in nest.walked(leaf, composites=True)]
            if nest.is_composite(leaf):
                return leaf.__with_component_specs__(own)
            return TensorSpec(own[0].shape, own[0].dtype)

        return of_fields(type(self), {name: mapped(one, value) for name, value in self._serialize()})

    def __kind__(self) -> Any:
        return tuple([(name, _comparable(mapped(_kind_of, value))) for name, value in self._serialize()])

    # ---- comparing

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Could a value of this spec be the value, or one of the other spec?"""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else getattr(spec_or_value, "_type_spec", None)
        return _together(self, other, lambda a, b: a.is_compatible_with(b)) is not None

    def is_subtype_of(self, other: Any) -> bool:
        """Does every value of this spec have the other spec too?"""
        return _together(self, other, lambda a, b: a.is_subtype_of(b)) is not None

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec that covers this one and all `others`.

        Returns:
            A spec of the same class; None where there is none.
        """
        found: Any = self
        for other in others:
            fields = _together(found, other, lambda a, b: a.most_specific_common_supertype([b]))
            if fields is None:
                return None
            found = of_fields(type(self), fields)
        return found


def _spec_of(leaf: Any) -> Any:
    return type_spec_from_value(leaf) if isinstance(leaf, (Tensor, CompositeTensor)) else leaf


def _kind_of(leaf: Any) -> Any:
    if not isinstance(leaf, TypeSpec):
        return type(leaf), _comparable(leaf)
    return type(leaf), None if not nest.is_composite(leaf) else leaf.__kind__()


def _leaves(owner: Any, fields: Any = None) -> Iterator:
    """What is in the fields, containers opened."""
    for name in owner._fields if fields is None else fields:
        found: list = []
        mapped(found.append, owner.__dict__[name])
        yield from found


def _comparable(value: Any) -> Any:
    """Hashable, and equal only to what is the same: 1 is not True."""
    if isinstance(value, ImmutableDict):
        return tuple([(key, _comparable(value[key])) for key in sorted_keys(value)])
    if isinstance(value, tuple):
        return tuple([_comparable(part) for part in value])
    return (type(value), value) if isinstance(value, (bool, int, float)) else hashable(value)


def _together(a: Any, b: Any, how: Callable[[Any, Any], Any]) -> dict[str, Any] | None:
    """The fields of two specs of one type, where `how` of the specs in them gives something, and all else is equal;
    None where not."""
    if type(a) is not type(b):
        return None
    found = {}
    for name in a._fields:
        ours, theirs = list(_leaves(a, [name])), list(_leaves(b, [name]))
        shape = lambda owner, name=name: _comparable(mapped(lambda leaf: None, owner.__dict__[name]))
        if shape(a) != shape(b):
            return None
        made = []
        for x, y in zip(ours, theirs):
            if isinstance(x, TypeSpec) and isinstance(y, TypeSpec):
                both = how(x, y)
                if both is None or both is False:
                    return None
                made.append(both)
            elif isinstance(x, TypeSpec) or isinstance(y, TypeSpec) or _comparable(x) != _comparable(y):
                return None
            else:
                made.append(x)
        rest = iter(made)
        found[name] = mapped(lambda leaf, rest=rest: next(rest), a.__dict__[name])
    return found
