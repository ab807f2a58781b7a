"""Arguments and results of functions as TensorFlow's messages: structures with specifications in the place of
tensors."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow.core import nest
from tapeflow.core.primitive import Spec
from tapeflow.export.lowering import CannotBeExported, Program
from tapeflow.function.tracing.concrete import ConcreteFunction, opened
from tapeflow.function.tracing.polymorphic import Function
from tapeflow.io.model_messages import StructuredValue

from .body import RESOURCE, Kind, kind, shape

_FULL = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations")
_MANY, _NAMED, _REST = (
    inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


class Described:
    """A tensor in a structure: its shape, dtype and name, as messages have them."""

    def __init__(self, spec: Spec | None, name: str) -> None:
        """`spec`: None for the handle of a table."""
        self.shape, self.name = shape(() if spec is None else tuple(spec.shape)), name
        self.kind = RESOURCE if spec is None else Kind(kind(spec.dtype))


def argument_names(program: Program) -> list[str]:
    return [program.names.get(p, "argument") for p in program.inputs]


def arguments(function: ConcreteFunction, signature: inspect.Signature, program: Program) -> tuple[tuple, dict]:
    """The positional arguments and those by keyword, as the signature binds them: what was left out is there by its
    default."""
    leaves = opened(function.structure)
    for k, index, name in zip(function.tensor_positions, program.inputs, argument_names(program)):
        leaves[k] = Described(program.spec(index), name)
    args, kwargs = _closed(function, function.structure, leaves)
    bound = signature.bind(*args, **kwargs)
    given = set(bound.arguments)
    bound.apply_defaults()
    for name, parameter in signature.parameters.items():
        if name not in given and parameter.default is not parameter.empty:
            bound.arguments[name] = _kept(parameter.default)
    return bound.args, bound.kwargs


def results(function: ConcreteFunction, specs: Sequence[Spec]) -> Any:
    rest = iter([Described(s, f"output_{k}") for k, s in enumerate(specs)])
    leaves = [None if p is None else next(rest) for p in function.result_indices]
    return _closed(function, function.structured_outputs, leaves)


def _closed(function: ConcreteFunction, structure: Any, leaves: list) -> Any:
    if any(map(nest.is_composite, nest.flatten(structure))):
        raise CannotBeExported(
            f"{function.name} cannot be exported to TensorFlow's format: it takes or returns a ragged or sparse "
            "tensor, or another of several parts. Export a function of their parts, such as values and row_splits."
        )
    return nest.pack_as(structure, leaves)


def signature_of(function: Any) -> inspect.Signature:
    """The parameters of a function: those of the Python function, or those that it was saved with."""
    if isinstance(function, Function):
        return function._signature
    return function.signature or inspect.signature(function.python_function)


def leading_specs(args: Sequence[Any]) -> Any:
    """An input signature: the arguments that are tensors, up to the first that has a default."""
    found = list(args)
    while found and not all(isinstance(leaf, Described) for leaf in nest.flatten(found[-1])):
        found.pop()
    return structured(tuple(found))


def full_spec(signature: inspect.Signature) -> Any:
    """The parameters of a function, with their defaults, as TensorFlow describes them."""
    fields: dict[str, Any] = dict.fromkeys(_FULL) | {"args": [], "kwonlyargs": [], "annotations": {}}
    defaults, by_name = [], {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is _MANY:
            fields["varargs"] = name
        elif parameter.kind is _REST:
            fields["varkw"] = name
        elif parameter.kind is _NAMED:
            fields["kwonlyargs"].append(name)
            if parameter.default is not parameter.empty:
                by_name[name] = _kept(parameter.default)
        else:
            fields["args"].append(name)
            if parameter.default is not parameter.empty:
                defaults.append(_kept(parameter.default))
    fields |= {"defaults": tuple(defaults) if defaults else None, "kwonlydefaults": by_name or None}
    return named_tuple(fields)


def _kept(default: Any) -> Any:
    """A default that TensorFlow's format can hold; None stands for others."""
    try:
        structured(default)
    except ValueError:
        return None
    return default


def of_keywords(names: Sequence[str]) -> Any:
    """The parameters of a signature to serve, which takes all by keyword."""
    return named_tuple(dict.fromkeys(_FULL) | {"args": [], "kwonlyargs": list(names), "annotations": {}})


def named_tuple(fields: Mapping[str, Any]) -> Any:
    made: Any = StructuredValue()
    made.named_tuple_value.name = "FullArgSpec"
    for key, value in fields.items():
        made.named_tuple_value.values.add(key=key).value.CopyFrom(structured(value))
    return made


def structured(value: Any) -> Any:
    """The message of a structure of specifications and Python values."""
    made: Any = StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, Described):
        made.tensor_spec_value.name, made.tensor_spec_value.dtype = value.name, value.kind
        made.tensor_spec_value.shape.CopyFrom(value.shape)
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, Mapping):
        made.dict_value.SetInParent()
        for key, part in value.items():
            made.dict_value.fields[str(key)].CopyFrom(structured(part))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        made.named_tuple_value.name = type(value).__name__
        for key, part in zip(value._fields, value):
            made.named_tuple_value.values.add(key=key).value.CopyFrom(structured(part))
    elif isinstance(value, (list, tuple)):
        of = made.list_value if isinstance(value, list) else made.tuple_value
        of.SetInParent()
        of.values.extend([structured(part) for part in value])
    else:
        raise ValueError(
            f"TensorFlow's format cannot hold an argument {value!r} of type {type(value).__name__}: call the function "
            "with tensors and numbers, or save with the default format."
        )
    return made
