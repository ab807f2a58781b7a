"""Composites: values made of several tensors, such as ragged and sparse tensors and types of a user's; and `TypeSpec`,
what is known of a value before it is there, which for composites says how they come apart and together."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .contracts import Operation
from .shapes import TensorShape


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

    def __with_component_specs__(self, specs: Sequence) -> "TypeSpec":
        """The spec of values whose parts, down to the tensors, have these specs, as far as it can say so."""
        return self

    def __kind__(self) -> Any:
        """What of the spec is more than the shapes and dtypes of the parts: functions are traced for each."""
        return self._parts() if type(self).__eq__ is TypeSpec.__eq__ else self

    def __trace_kind__(self) -> Any:
        """The same for functions, where it is more: they are traced for each."""
        return self.__kind__()

    def _parts(self) -> Any:
        return hashable(self._serialize())

    # ---- TensorFlow's names for those who write a spec of their own

    def __make_cmp_key(self, value: Any) -> Any:
        return hashable(value)

    @staticmethod
    def __is_compatible(a: Any, b: Any) -> bool:
        return _compatible(a, b)

    def _batch(self, batch_size: int | None) -> "TypeSpec":
        return self.__batch__(batch_size)

    def _unbatch(self) -> "TypeSpec":
        return self.__unbatch__()

    def _with_tensor_ranks_only(self) -> "TypeSpec":
        """Without the sizes of shapes."""
        return self

    def _without_tensor_names(self) -> "TypeSpec":
        return self

    # ---- rows along the first axis, for datasets and maps

    def __has_rows__(self) -> bool:
        """Can values be cut into rows, and stacked?"""
        return False

    def __batch__(self, size: int | None) -> "TypeSpec":
        """The spec of so many values stacked."""
        raise self._no_rows()

    def __unbatch__(self) -> "TypeSpec":
        """The spec of a row."""
        raise self._no_rows()

    def __stacked__(self, values: Sequence) -> Any:
        """Values of this spec as one, with a new first axis."""
        raise self._no_rows()

    def __row_count__(self, value: Any) -> int:
        raise self._no_rows()

    def __row__(self, value: Any, i: int) -> Any:
        raise self._no_rows()

    def __encoding__(self) -> list | None:
        """The specs of tensors that have a row for each row of a value, and stand for it; None: there are none."""
        return None

    def __encoded__(self, value: Any) -> list | None:
        """Those tensors."""
        return None

    def __decoded__(self, tensors: Sequence) -> Any:
        """The inverse of `__encoded__`."""
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
    """Containers as tuples; mappings as their pairs, sorted; arrays by what is in them."""
    if isinstance(value, dict):
        return tuple([(key, hashable(value[key])) for key in sorted(value, key=str)])
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    return tuple(map(hashable, value)) if isinstance(value, (list, tuple)) else value


def _compatible(a: Any, b: Any) -> bool:
    """Could one value be described by both? Specs and shapes inside answer for themselves."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_compatible(a[key], b[key]) for key in a)
    if isinstance(a, (TypeSpec, TensorShape)):
        return a.is_compatible_with(b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_compatible, a, b))
    return bool(np.all(a == b))


class CompositeTensor:
    """A value made of several tensors; `_type_spec` says of which, and takes it apart (`TypeSpec`).

    A tape differentiates it by the tensors that `__gradient_parts__` names: one, `_differentiable`, unless a class
    says more.
    """

    __slots__ = ()

    _type_spec: Any  # a TypeSpec: an attribute or a property of each class
    _differentiable: Any

    def _with_differentiable(self, values: Any) -> Any:
        """The same around other values of the one tensor that has a gradient."""
        raise NotImplementedError  # each composite says it

    def __gradient_parts__(self) -> list:
        """The tensors (or variables) that have gradients."""
        return [self._differentiable]

    def __with_gradients__(self, found: list) -> Any:
        """The gradient of the whole, from those of the parts; None stands for no gradient."""
        [gradient] = found
        return None if gradient is None else self._with_differentiable(gradient)

    def __stored__(self) -> tuple[str | None, Any]:
        """(What files call the class, None if values cannot be stored; the fields that are no parts)."""
        return type(self).__name__, None

    def __parts_of_gradient__(self, gradient: Any) -> list:
        """What `__with_gradients__` was given, from its result: the gradients of the parts."""
        return [getattr(gradient, "_differentiable", gradient)]

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        """What a primitive does with one among its inputs; NotImplemented: it takes it for a tensor.

        What hands on its only input does so with each part. Variables among them stay what they are."""
        if prim.elementwise and prim.unchanged is True and len(args) == 1 and not params:
            return args[0].__with_each__(lambda part: part if hasattr(part, "assign") else prim.entry(part))
        return NotImplemented

    def __with_each__(self, function: Callable[[Any], Any]) -> Any:
        """The same with `function` of each of its parts."""

        def one(part: Any) -> Any:
            if isinstance(part, CompositeTensor):
                return part.__with_each__(function)
            if isinstance(part, dict):
                return {key: one(inside) for key, inside in part.items()}
            if type(part) in (list, tuple):
                return type(part)(map(one, part))
            return function(part)

        return of_parts(self, [one(part) for part in parts_of(self) or []])


class Composite(CompositeTensor):
    """One that may stand where a tensor stands. A primitive that meets it leaves the work to it: `_apply(prim, args,
    params)` answers, by applying primitives to the tensors inside. So operators, `tf.exp`, `tf.reduce_sum` … take
    composites without knowing them."""

    __slots__ = ()
    __array_priority__ = 100

    @property
    def sizes(self) -> Any:
        """The shape, by the name that tensors have for what can be computed with."""
        return self.shape  # type: ignore[attr-defined]

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        raise TypeError(f"{prim.name} does not take a {cls.__name__}.")


# What a file calls a class -> (static fields, parts) -> a value of it.
_restoring: dict[str, Callable[[Any, list], Any]] = {}


def restores(name: str, restore: Callable[[Any, list], Any]) -> None:
    """Says how a value of the class of this name is made of what was stored."""
    _restoring[name] = restore


def restored(name: str, fields: Any, parts: list) -> Any:
    if name not in _restoring:
        raise ValueError(
            f"A value of the type {name!r} was saved, and no such type is known here. Import or define its class "
            "first; a tf.experimental.ExtensionType is known by its attribute `__name__`."
        )
    return _restoring[name](fields, parts)


def spec_of(value: Any) -> TypeSpec:
    """Of a composite; a spec is its own."""
    return value if isinstance(value, TypeSpec) else value._type_spec


def parts_of(value: Any) -> list | None:
    """What a composite, or a spec of one, is made of; None if it is the spec of something that has no parts."""
    if isinstance(value, TypeSpec):
        inside = value._component_specs
        if inside is value:
            return None
    else:
        inside = value._type_spec._to_components(value)
    return list(inside) if type(inside) in (list, tuple) else [inside]


def of_parts(like: Any, parts: list) -> Any:
    """A composite of the spec of `like` (or with this spec), made of these parts."""
    spec = spec_of(like)
    inside = spec._component_specs
    return spec._from_components(type(inside)(parts) if type(inside) in (list, tuple) else parts[0])
