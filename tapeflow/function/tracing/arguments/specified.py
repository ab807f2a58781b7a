"""The `input_signature` of a `tf.function`: what it may be, and arguments converted to it."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tapeflow.core import nest
from tapeflow.core.composite import TypeSpec
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import Tensor

from .binding import same
from .mistakes import Unfit

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def is_spec(value: Any) -> bool:
    """The spec of a tensor, or of what is made of tensors?"""
    return isinstance(value, TypeSpec) and (hasattr(value, "shape") or nest.is_composite(value))


def checked(input_signature: Any, function: Callable, signature: inspect.Signature) -> tuple:
    """An input signature, when a function is decorated: of specifications, one for each parameter that has no
    default."""
    if not isinstance(input_signature, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
    wrong = [leaf for leaf in nest.flatten(input_signature) if not is_spec(leaf)]
    if wrong:
        raise TypeError(
            f"input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args {wrong} with "
            f"types {[type(leaf) for leaf in wrong]}."
        )
    parameters = list(signature.parameters.values())
    if (
        parameters and parameters[0].name == "self" and inspect.isfunction(function)
    ):  # a method, before it has an object
        parameters = parameters[1:]
    several = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    by_position = [p for p in parameters if p.kind in _BY_POSITION]
    for parameter in by_position[len(input_signature) :]:
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"input_signature missing type constraint for {parameter.name}")
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.default is inspect.Parameter.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{parameter.name}` must have a default "
                "value"
            )
    if len(input_signature) > len(by_position) and not several:
        raise TypeError(f"input_signature contains {len(input_signature) - len(by_position)} extra type constraints.")
    return tuple(input_signature)


def as_specified(signature: inspect.Signature, specs: tuple, given: Mapping) -> dict[str, Any]:
    """Arguments, by name, as the specifications want them; those that have none are as the function says by itself."""
    rest, found = list(specs), {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            values = given.get(name, ())
            if len(values) > len(rest):
                raise Unfit("too many positional arguments")
            if len(values) < len(rest):
                raise Unfit(f"missing a required argument: '{name}_{len(values)}'")
            found[name] = tuple([_specified(v, spec, f"{name}_{k}") for k, (v, spec) in enumerate(zip(values, rest))])
        elif parameter.kind in _BY_POSITION and rest:
            spec = rest.pop(0)
            if name in given:
                found[name] = _specified(given[name], spec, name)
        elif name in given:
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                raise Unfit(f"got an unexpected keyword argument {next(iter(given[name]))!r}")
            if not same(parameter.default, given[name]):
                raise Unfit(f"Can not cast {given[name]!r} to Literal[{parameter.default!r}]")
    return found


def _specified(value: Any, spec: Any, name: str) -> Any:
    """An argument as its specification wants it."""
    wrong = Unfit(
        f"Can not cast {value!r} to {spec}", f"Argument {name!r} does not fit the input_signature: {spec} is wanted."
    )
    if nest.is_nested(spec):
        specs, values = nest.children(spec) or [], nest.children(value)
        keys = lambda container: {*container} if isinstance(container, Mapping) else None
        if values is None or len(values) != len(specs) or keys(spec) != keys(value):
            raise wrong
        return nest.rebuilt(spec, [_specified(v, s, name) for v, s in zip(values, specs)])
    if is_spec(value):
        if not spec.is_compatible_with(value):
            raise wrong
        return value
    if nest.is_composite(value) or nest.is_composite(spec):
        if not isinstance(value, spec.value_type) or not spec.is_compatible_with(value):
            raise wrong
        return value
    if not isinstance(value, Tensor) and is_convertible(value):
        try:
            value = to_tensor(value, spec.dtype)
        except (TypeError, ValueError, InvalidArgumentError) as error:
            raise Unfit(str(error).split("\n")[0]) from None
    if (
        not isinstance(value, Tensor)
        or value.dtype is not spec.dtype
        or not spec.shape.is_compatible_with(value.sizes)
    ):
        raise wrong
    return value
