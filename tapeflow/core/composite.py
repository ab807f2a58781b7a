"""Composites: values made of several tensors, such as ragged and sparse tensors and a user's own types."""

from collections.abc import Callable
from typing import Any

from .contracts import Operation
from .type_spec import TypeSpec


class CompositeTensor:
    """A value made of several tensors; `_type_spec` says of which, and takes it apart (`core.type_spec`).

    A tape differentiates it by the tensors that `_gradient_parts` names: one, `_differentiable`, unless a class says
    more.
    """

    __slots__ = ()

    _type_spec: Any  # a TypeSpec: an attribute or a property of each class
    _differentiable: Any

    def _with_differentiable(self, values: Any) -> Any:
        """The same around other values of the one tensor that has a gradient."""
        raise NotImplementedError  # each composite says it

    def _gradient_parts(self) -> list:
        """The tensors (or variables) that have gradients."""
        return [self._differentiable]

    def _with_gradients(self, found: list) -> Any:
        """The gradient of the whole, from those of the parts; None stands for no gradient."""
        [gradient] = found
        return None if gradient is None else self._with_differentiable(gradient)

    def _stored(self) -> tuple[str | None, Any]:
        """(What files call the class, None if values cannot be stored; the fields that are no parts)."""
        return type(self).__name__, None

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        """What a primitive does with one among its inputs; NotImplemented: it takes it for a tensor."""
        return NotImplemented

    def _with_each(self, function: Callable[[Any], Any]) -> Any:
        """The same with `function` of each of its parts."""
        one = lambda part: part._with_each(function) if isinstance(part, CompositeTensor) else function(part)
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
